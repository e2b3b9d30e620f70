//! The fields that requests about lists share: read once, with one way to say what is wrong with them.

use crate::cursor;
use crate::fault::Fault;
use crate::lists::Schedule;
use assay_domain::limits::{
    CURSOR_CHARS_MAX, ID_CHARS_MAX, LIST_NAME_CHARS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX, SCHEDULE_HOURS_MAX,
};
use assay_domain::watch::{Track, Transition, WatchKind};
use assay_domain::{Credits, RequestId, WatchListId};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// Whom a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WatchKind")]
pub enum KindAsked {
    People,
    Companies,
}

impl From<KindAsked> for WatchKind {
    fn from(kind: KindAsked) -> Self {
        match kind {
            KindAsked::People => Self::People,
            KindAsked::Companies => Self::Companies,
        }
    }
}

/// What is watched for: of people job_change, title_change and engagement_spike, of companies funding, acquisition and hiring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WatchedChange")]
pub enum TransitionAsked {
    JobChange,
    TitleChange,
    EngagementSpike,
    Funding,
    Acquisition,
    Hiring,
}

impl From<TransitionAsked> for Transition {
    fn from(asked: TransitionAsked) -> Self {
        match asked {
            TransitionAsked::JobChange => Self::JobChange,
            TransitionAsked::TitleChange => Self::TitleChange,
            TransitionAsked::EngagementSpike => Self::EngagementSpike,
            TransitionAsked::Funding => Self::Funding,
            TransitionAsked::Acquisition => Self::Acquisition,
            TransitionAsked::Hiring => Self::Hiring,
        }
    }
}

/// Everything that can happen to one of the kind, where nothing is said.
pub fn track(kind: WatchKind, asked: Option<&[TransitionAsked]>) -> Result<Track, Fault> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else { return Ok(Track::all(kind)) };
    let transitions: Vec<Transition> = asked.iter().copied().map(Transition::from).collect();
    if let Some(place) = transitions.iter().position(|transition| transition.of() != kind) {
        let fits: Vec<&str> = Track::all(kind).iter().map(Transition::as_str).collect();
        let message = format!("does not happen to {}", kind.as_str());
        let fix = format!("send one of {}", fits.join(", "));
        return Err(Fault::field(&format!("/track/{place}"), "wrong_kind", message, fix));
    }
    Ok(Track::new(transitions))
}

/// Runs without anybody asking, whose most is set beforehand.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Schedule")]
pub struct ScheduleAsked {
    #[garde(range(min = 1, max = SCHEDULE_HOURS_MAX))]
    #[schemars(range(min = 1, max = SCHEDULE_HOURS_MAX))]
    every_hours: u32,
    /// The most one run may cost.
    #[garde(skip)]
    #[schemars(with = "f64", range(min = 0.001))]
    max_credits: Credits,
}

impl ScheduleAsked {
    pub fn read(self) -> Result<Schedule, Fault> {
        let Self { every_hours, max_credits } = self;
        if max_credits.is_positive() {
            return Ok(Schedule { every_hours, max_credits });
        }
        let fix = "send how many credits one run may cost";
        Err(Fault::field(
            "/schedule/max_credits",
            "too_low",
            "a run that may cost nothing finds nothing",
            fix,
        ))
    }
}

/// Which of the results of earlier runs are read again.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ToldRequest {
    /// Of what is run, `wl_…` or `icp_…`.
    #[garde(skip)]
    pub id: String,
    /// Of one run only, `req_…`.
    #[garde(length(chars, max = ID_CHARS_MAX))]
    run_id: Option<String>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[schemars(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

/// A page of what was told before.
#[derive(Debug)]
pub struct ToldPage<C> {
    pub run: Option<RequestId>,
    pub after: Option<C>,
    pub limit: u32,
}

impl ToldRequest {
    pub fn page<C: DeserializeOwned>(&self) -> Result<ToldPage<C>, Fault> {
        // A text that can be no id is one that no run has.
        let nobody = RequestId::from_uuid(Uuid::nil());
        Ok(ToldPage {
            run: self.run_id.as_ref().map(|run| run.parse().unwrap_or(nobody)),
            after: cursor::read(self.cursor.as_deref())?,
            limit: self.limit.unwrap_or(PAGE_ROWS_DEFAULT),
        })
    }
}

/// A name that somebody can read.
pub fn name(text: &str) -> Result<String, Fault> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LIST_NAME_CHARS_MAX {
        let message = format!("not a name of 1 to {LIST_NAME_CHARS_MAX} characters");
        return Err(Fault::field("/name", "invalid_name", message, "send a few words"));
    }
    Ok(text.to_owned())
}

/// A text that can be no id becomes one that nothing has: how an absent list is told must not depend on why it is absent.
pub fn list_id(text: &str) -> WatchListId {
    text.parse().unwrap_or(WatchListId::from_uuid(Uuid::nil()))
}
