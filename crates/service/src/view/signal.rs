//! A signal as the feed shows it. Who changed jobs is not told by name: whoever may know resolves them, and pays for it.

use super::company::RoundView;
use super::person::LocationView;
use super::terms;
use crate::example;
use assay_domain::signal::{Content, Deal, Engagement, Move, MoveKind, Party, Post, Posting, SignalSource};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Confidence, Signal, SignalKind};
use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Signal")]
pub struct SignalView {
    /// `sig_…`
    pub id: String,
    /// Engagement is told by watch lists only: it has no feed of its own.
    #[schemars(extend("enum" = ["funding", "acquisition", "hiring", "job-change", "engagement"]))]
    pub kind: &'static str,
    /// Grows when another source tells of the same event, or one of them amends what it said: the signal then comes again.
    pub revision: i64,
    pub occurred_at: DateTime<Utc>,
    pub detected_at: DateTime<Utc>,
    /// Who raised, was bought, hires, or is where somebody goes to.
    pub company: PartyView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<MaskedPersonView>,
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub confidence: Confidence,
    /// Everybody who told of it, in the order they did.
    pub sources: Vec<SignalSourceView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub funding: Option<RoundView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acquisition: Option<AcquisitionView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<ChangeView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engagement: Option<EngagementView>,
}

/// How much was said to or about somebody.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Engagement")]
pub struct EngagementView {
    pub count: u32,
}

/// A company as a signal names it; with an id where it is one we know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SignalCompany")]
pub struct PartyView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// Initials and lengths: enough to recognise somebody, not to learn of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MaskedPerson")]
pub struct MaskedPersonView {
    pub full_name: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SignalSource")]
pub struct SignalSourceView {
    pub name: String,
    /// Not where it would name somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub seen_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Acquisition")]
pub struct AcquisitionView {
    pub acquirer: PartyView,
    pub target: PartyView,
    /// In minor units of `currency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub announced_on: NaiveDate,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Job")]
pub struct JobView {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::departments()))]
    pub department: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::seniorities()))]
    pub seniority: Option<&'static str>,
    pub locations: Vec<LocationView>,
    pub posted_at: DateTime<Utc>,
    /// Null while it is open.
    pub closed_at: Option<DateTime<Utc>>,
    /// Null where no source counts them.
    pub applicants: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Change")]
pub struct ChangeView {
    #[schemars(extend("enum" = ["new_company", "promotion", "new_role", "left"]))]
    pub kind: &'static str,
    pub from: Option<PostView>,
    pub to: Option<PostView>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Post")]
pub struct PostView {
    pub title: String,
    pub company: PartyView,
    /// When it began, where somebody goes to; when it ended, where they come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<NaiveDate>,
}

impl From<Signal> for SignalView {
    fn from(signal: Signal) -> Self {
        let kind = signal.content.kind();
        // The page of somebody, or what they wrote, tells who they are.
        let names_somebody = signal.person.is_some();
        let mut view = Self {
            id: signal.id.to_string(),
            kind: kind.as_str(),
            revision: signal.revision,
            occurred_at: signal.occurred_at,
            detected_at: signal.detected_at,
            company: signal.company.into(),
            person: signal.person.map(|person| MaskedPersonView { full_name: mask(&person.full_name) }),
            confidence: signal.confidence,
            sources: signal.sources.into_iter().map(|source| source_view(source, names_somebody)).collect(),
            funding: None,
            acquisition: None,
            job: None,
            change: None,
            engagement: None,
        };
        match signal.content {
            Content::Funding(round) => view.funding = Some(round.into()),
            Content::Acquisition(deal) => view.acquisition = Some(deal.into()),
            Content::Hiring(posting) => view.job = Some(posting.into()),
            Content::JobChange(change) => view.change = Some(change.into()),
            Content::Engagement(Engagement { count, .. }) => view.engagement = Some(EngagementView { count }),
        }
        view
    }
}

/// `Jane Doe` is `J••• D••`.
pub(super) fn mask(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first: String = letters.next().into_iter().collect();
        first + &"•".repeat(letters.count().max(1))
    };
    name.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn source_view(source: SignalSource, names_somebody: bool) -> SignalSourceView {
    let SignalSource { name, url, seen_at, .. } = source;
    SignalSourceView { name, url: url.filter(|_| !names_somebody), seen_at }
}

impl From<Party> for PartyView {
    fn from(party: Party) -> Self {
        Self {
            id: party.id.map(|id| id.to_string()),
            name: party.name,
            domain: party.domain.map(|domain| domain.as_str().to_owned()),
            network_url: party.network_url.map(|url| url.as_str().to_owned()),
            country: party.country,
        }
    }
}

impl From<Deal> for AcquisitionView {
    fn from(deal: Deal) -> Self {
        let Deal { acquirer, target, price, currency, announced_on } = deal;
        Self { acquirer: acquirer.into(), target: target.into(), price, currency, announced_on }
    }
}

impl From<Posting> for JobView {
    fn from(posting: Posting) -> Self {
        Self {
            id: posting.id,
            title: posting.title,
            department: posting.department.map(Department::as_str),
            seniority: posting.seniority.map(Seniority::as_str),
            locations: posting.locations.into_iter().map(LocationView::from).collect(),
            posted_at: posting.posted_at,
            closed_at: posting.closed_at,
            applicants: posting.applicants,
            url: posting.url,
        }
    }
}

impl From<Move> for ChangeView {
    fn from(change: Move) -> Self {
        let kind = match change.kind {
            MoveKind::NewCompany => "new_company",
            MoveKind::Promotion => "promotion",
            MoveKind::NewRole => "new_role",
            MoveKind::Left => "left",
        };
        Self { kind, from: change.from.map(PostView::from), to: change.to.map(PostView::from) }
    }
}

impl From<Post> for PostView {
    fn from(post: Post) -> Self {
        Self { title: post.title, company: post.company.into(), on: post.on }
    }
}

/// One of each kind, of the invented company of all examples.
pub fn example_signal(kind: SignalKind) -> SignalView {
    example::signal(kind).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::SignalId;
    use assay_domain::signal::PersonNamed;
    use uuid::Uuid;

    #[test]
    fn who_changed_jobs_is_recognised_and_not_named() {
        assert_eq!(mask("Jane Doe"), "J••• D••");
        assert_eq!(mask("Ö"), "Ö•");
        let mut signal = Signal {
            id: SignalId::from_uuid(Uuid::nil()),
            revision: 1,
            occurred_at: example::moment(),
            detected_at: example::moment(),
            company: Party::named("Acme"),
            person: Some(PersonNamed { full_name: "Jane Doe".into(), ..PersonNamed::default() }),
            confidence: Confidence::percent(80),
            sources: vec![SignalSource {
                name: "sec-8-k".into(),
                reference: "1".into(),
                url: Some("https://filings.example/jane-doe".into()),
                seen_at: example::moment(),
            }],
            content: Content::JobChange(Move {
                kind: MoveKind::NewCompany,
                from: None,
                to: None,
                announcement_post_url: Some("https://network.example/posts/jane-doe".into()),
                announcement_text: Some("I, Jane, am happy".into()),
            }),
        };
        let shown = serde_json::to_string(&SignalView::from(signal.clone())).unwrap();
        assert!(!shown.to_lowercase().contains("jane") && shown.contains("J••• D••"), "{shown}");
        signal.person = None;
        let shown = serde_json::to_string(&SignalView::from(signal)).unwrap();
        assert!(shown.contains("filings.example"));
    }
}
