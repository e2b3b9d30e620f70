//! A watch list as answers show it.

use crate::example;
use crate::lists::{Schedule, WatchListRow};
use assay_domain::Credits;
use assay_domain::watch::{Transition, WatchKind};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

pub const EXAMPLE_ID: &str = "wl_0197f7a05c3a7d12a4b1c2d3e4f50a01";

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WatchList")]
pub struct WatchListView {
    /// `wl_…`
    pub id: String,
    pub name: String,
    #[schemars(extend("enum" = ["people", "companies"]))]
    pub kind: &'static str,
    pub entry_count: u32,
    /// What is watched for.
    pub track: Vec<&'static str>,
    pub schedule: Option<ScheduleView>,
    pub created_at: DateTime<Utc>,
    /// When it was last asked, or ran by itself.
    pub last_run_at: Option<DateTime<Utc>>,
}

/// One of them, as a whole answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WatchListAnswer")]
pub struct WatchListAnswer {
    #[serde(flatten)]
    pub list: WatchListView,
}

impl WatchListAnswer {
    pub fn of(row: WatchListRow) -> Self {
        Self { list: WatchListView::of(row) }
    }

    pub fn example() -> Self {
        Self { list: WatchListView::example() }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleTold")]
pub struct ScheduleView {
    pub every_hours: u32,
    #[schemars(with = "f64")]
    pub max_credits: Credits,
    pub next_run_at: Option<DateTime<Utc>>,
}

impl ScheduleView {
    pub fn of(schedule: Schedule, next_run_at: Option<DateTime<Utc>>) -> Self {
        let Schedule { every_hours, max_credits } = schedule;
        Self { every_hours, max_credits, next_run_at }
    }
}

impl WatchListView {
    pub fn of(row: WatchListRow) -> Self {
        let schedule = row.schedule.map(|schedule| ScheduleView::of(schedule, row.next_run_at));
        Self {
            id: row.id.to_string(),
            name: row.name,
            kind: row.kind.as_str(),
            entry_count: row.entry_count,
            track: row.track.iter().map(Transition::as_str).collect(),
            schedule,
            created_at: row.created_at,
            last_run_at: row.last_run_at,
        }
    }

    pub fn example() -> Self {
        let track = assay_domain::watch::Track::all(WatchKind::People);
        Self {
            id: EXAMPLE_ID.to_owned(),
            name: "champions".to_owned(),
            kind: WatchKind::People.as_str(),
            entry_count: 2,
            track: track.iter().map(Transition::as_str).collect(),
            schedule: None,
            created_at: example::moment(),
            last_run_at: None,
        }
    }
}
