//! Signals: what happened to companies and people, as sources tell it and as the feed shows it.

use crate::company::Round;
use crate::person::Location;
use crate::taxonomy::{Department, Seniority};
use crate::{CompanyId, Confidence, Domain, NetworkUrl, PersonId, SignalId};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a signal is about, by the words of the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignalKind {
    Funding,
    Acquisition,
    Hiring,
    JobChange,
    /// Only taken in, for watch lists: it has no feed of its own.
    Engagement,
}

impl SignalKind {
    pub const ALL: [Self; 5] =
        [Self::Funding, Self::Acquisition, Self::Hiring, Self::JobChange, Self::Engagement];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Funding => "funding",
            Self::Acquisition => "acquisition",
            Self::Hiring => "hiring",
            Self::JobChange => "job-change",
            Self::Engagement => "engagement",
        }
    }
}

impl FromStr for SignalKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// What one source says of one event.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// Names the event within its source: said again, it is the same one, perhaps amended.
    pub reference: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// When it happened, as far as it is told: else when it was published.
    pub occurred_at: DateTime<Utc>,
    /// Whom it is about: who raised, was bought, hires, or is where somebody goes to (or, where nobody is told of, leaves).
    pub company: Party,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonNamed>,
    pub confidence: Confidence,
    pub content: Content,
}

/// It names people.
impl fmt::Debug for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Notice({} {})", self.content.kind().as_str(), self.reference)
    }
}

/// A company, as a source names it; with what the graph knows of it once it is matched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Party {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_url: Option<NetworkUrl>,
    /// ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<CompanyId>,
    /// Whether the graph knows it by its name alone: what stands beside the name is then the graph's word, not the source's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_name: bool,
}

impl Party {
    /// The address on the web that the source told.
    pub fn told_domain(&self) -> Option<&Domain> {
        self.domain.as_ref().filter(|_| !self.by_name)
    }

    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// A person, as a source names them.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonNamed {
    pub full_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_url: Option<NetworkUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<PersonId>,
}

impl fmt::Debug for PersonNamed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PersonNamed(…)")
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", content = "said", rename_all = "kebab-case")]
pub enum Content {
    Funding(Round),
    Acquisition(Deal),
    Hiring(Posting),
    JobChange(Move),
    Engagement(Engagement),
}

impl Content {
    pub const fn kind(&self) -> SignalKind {
        match self {
            Self::Funding(_) => SignalKind::Funding,
            Self::Acquisition(_) => SignalKind::Acquisition,
            Self::Hiring(_) => SignalKind::Hiring,
            Self::JobChange(_) => SignalKind::JobChange,
            Self::Engagement(_) => SignalKind::Engagement,
        }
    }
}

/// A company bought, whole or in part. Money is in minor units of its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deal {
    pub acquirer: Party,
    pub target: Party,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub announced_on: NaiveDate,
}

/// A job to be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// As the board numbers it.
    pub id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub department: Option<Department>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seniority: Option<Seniority>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    pub posted_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applicants: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Somebody who changed jobs.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub kind: MoveKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Post>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Post>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announcement_post_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announcement_text: Option<String>,
}

/// What somebody wrote of themselves is personal.
impl fmt::Debug for Move {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Move({:?})", self.kind)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    NewCompany,
    Promotion,
    NewRole,
    Left,
}

/// A place somebody has or had: `on` is the day it began (where they go to) or ended (where they come from).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    pub title: String,
    pub company: Party,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<NaiveDate>,
}

/// How much is said to or about somebody, as an operator's own feed counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engagement {
    pub count: u32,
    /// What it usually is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post_url: Option<String>,
}

/// One event, as all its sources together tell it.
#[derive(Clone, PartialEq)]
pub struct Signal {
    pub id: SignalId,
    /// Grows by one when a source adds to it or takes something back.
    pub revision: i64,
    pub occurred_at: DateTime<Utc>,
    pub detected_at: DateTime<Utc>,
    pub company: Party,
    pub person: Option<PersonNamed>,
    pub confidence: Confidence,
    pub sources: Vec<SignalSource>,
    pub content: Content,
}

impl fmt::Debug for Signal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Signal({} {} r{})", self.content.kind().as_str(), self.id, self.revision)
    }
}

/// Who tells of an event, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalSource {
    pub name: String,
    pub reference: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub seen_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::FundingStage;

    #[test]
    fn what_was_said_is_read_back_as_it_was_written() {
        let at = DateTime::UNIX_EPOCH;
        let day = at.date_naive();
        let contents = [
            Content::Funding(Round {
                stage: FundingStage::Seed,
                amount: Some(7),
                currency: Some("USD".into()),
                announced_on: day,
                investors: vec!["Cedar Hill".into()],
                lead_investors: Vec::new(),
            }),
            Content::Acquisition(Deal {
                acquirer: Party::named("Harbour"),
                target: Party::named("Lumen"),
                price: None,
                currency: None,
                announced_on: day,
            }),
            Content::Hiring(Posting {
                id: "1".into(),
                title: "Chef".into(),
                department: Some(Department::Operations),
                seniority: Some(Seniority::Senior),
                locations: vec![Location::default()],
                posted_at: at,
                closed_at: Some(at),
                applicants: Some(3),
                url: None,
            }),
            Content::JobChange(Move {
                kind: MoveKind::Promotion,
                from: None,
                to: Some(Post { title: "CFO".into(), company: Party::named("Acme"), on: Some(day) }),
                announcement_post_url: None,
                announcement_text: Some("hello".into()),
            }),
            Content::Engagement(Engagement { count: 9, usual: Some(2), post_url: None }),
        ];
        assert_eq!(contents.each_ref().map(Content::kind), SignalKind::ALL);
        for content in contents {
            let notice = Notice {
                reference: "r".into(),
                url: Some("https://wire.example/1".into()),
                occurred_at: at,
                company: Party::named("Acme"),
                person: Some(PersonNamed { full_name: "Jane Doe".into(), ..PersonNamed::default() }),
                confidence: Confidence::percent(80),
                content,
            };
            let text = serde_json::to_string(&notice).unwrap();
            assert_eq!(serde_json::from_str::<Notice>(&text).unwrap(), notice, "{text}");
            assert!(!format!("{notice:?}").contains("Jane"));
        }
    }

    #[test]
    fn kinds_are_called_as_the_feed_calls_them() {
        for kind in SignalKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("job_change".parse::<SignalKind>().is_err());
    }
}
