//! A signal as the feed shows it, straight from the text that is kept: names are spelt for clients, who changed jobs is masked,
//! and every other value is passed on as it stands.
//!
//! A page has fifty of them, and to read each into a signal and write it again took longer than the database did. What is told is
//! what [`super::SignalView`] of the same signal says, which a test holds for every kind.

use super::signal::mask;
use assay_domain::{CompanyId, SignalId, SignalKind};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;

/// The JSON of one signal.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct ToldSignal(Box<RawValue>);

impl ToldSignal {
    /// None of one that cannot be read: operators are told, and the others are shown.
    pub fn read(id: SignalId, revision: i64, kept: &str) -> Option<Self> {
        // The error's own text may quote what was read.
        let unreadable = |_: &serde_json::Error| tracing::error!(%id, "a signal cannot be read");
        let kept: Kept<'_> = serde_json::from_str(kept).inspect_err(unreadable).ok()?;
        Self::write(&Shown::of(id, revision, kept))
    }

    pub fn write(view: &impl Serialize) -> Option<Self> {
        to_raw_value(view).ok().map(Self)
    }

    pub fn json(&self) -> &str {
        self.0.get()
    }
}

/// As it is kept.
#[derive(Deserialize)]
struct Kept<'a> {
    #[serde(borrow)]
    occurred_at: Text<'a>,
    detected_at: Text<'a>,
    company: Party<'a>,
    person: Option<Person<'a>>,
    confidence: &'a RawValue,
    sources: Vec<Source<'a>>,
    content: Content<'a>,
}

/// As it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    #[serde(serialize_with = "as_text")]
    id: SignalId,
    kind: &'static str,
    revision: i64,
    occurred_at: Text<'a>,
    detected_at: Text<'a>,
    company: Party<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<Person<'a>>,
    confidence: &'a RawValue,
    sources: Vec<Source<'a>>,
    #[serde(flatten)]
    content: Content<'a>,
}

impl<'a> Shown<'a> {
    fn of(id: SignalId, revision: i64, kept: Kept<'a>) -> Self {
        let Kept { occurred_at, detected_at, company, person, confidence, mut sources, content } = kept;
        if person.is_some() {
            // The page of somebody tells who they are.
            sources.iter_mut().for_each(|source| source.url = None);
        }
        let kind = content.kind().as_str();
        Self { id, kind, revision, occurred_at, detected_at, company, person, confidence, sources, content }
    }
}

/// What happened.
#[derive(Deserialize)]
#[serde(tag = "event", content = "said", rename_all = "kebab-case")]
enum Content<'a> {
    #[serde(borrow)]
    Funding(Round<'a>),
    Acquisition(Deal<'a>),
    Hiring(Job<'a>),
    JobChange(Change<'a>),
    Engagement(Engagement),
}

impl Content<'_> {
    const fn kind(&self) -> SignalKind {
        match self {
            Self::Funding(_) => SignalKind::Funding,
            Self::Acquisition(_) => SignalKind::Acquisition,
            Self::Hiring(_) => SignalKind::Hiring,
            Self::JobChange(_) => SignalKind::JobChange,
            Self::Engagement(_) => SignalKind::Engagement,
        }
    }
}

/// A member of the signal, by what it is.
impl Serialize for Content<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Funding(round) => serializer.serialize_newtype_variant("Content", 0, "funding", round),
            Self::Acquisition(deal) => {
                serializer.serialize_newtype_variant("Content", 1, "acquisition", deal)
            }
            Self::Hiring(job) => serializer.serialize_newtype_variant("Content", 2, "job", job),
            Self::JobChange(change) => serializer.serialize_newtype_variant("Content", 3, "change", change),
            Self::Engagement(talk) => serializer.serialize_newtype_variant("Content", 4, "engagement", talk),
        }
    }
}

/// Borrowed where nothing in it is escaped.
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Party<'a> {
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "known_as_text")]
    id: Option<CompanyId>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_url: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Person<'a> {
    #[serde(borrow, serialize_with = "masked")]
    full_name: Text<'a>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Source<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Text<'a>>,
    seen_at: Text<'a>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Round<'a> {
    #[serde(borrow)]
    stage: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Text<'a>>,
    announced_on: Text<'a>,
    #[serde(default)]
    investors: Vec<Text<'a>>,
    #[serde(default)]
    lead_investors: Vec<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Deal<'a> {
    #[serde(borrow)]
    acquirer: Party<'a>,
    target: Party<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Text<'a>>,
    announced_on: Text<'a>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Job<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    title: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    department: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seniority: Option<Text<'a>>,
    #[serde(default)]
    locations: Vec<Place<'a>>,
    posted_at: Text<'a>,
    closed_at: Option<Text<'a>>,
    applicants: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
pub(super) struct Place<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    city: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<Text<'a>>,
}

/// Without what somebody wrote of themselves.
#[derive(Deserialize, Serialize)]
struct Change<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    from: Option<Post<'a>>,
    to: Option<Post<'a>>,
}

#[derive(Deserialize, Serialize)]
struct Post<'a> {
    #[serde(borrow)]
    title: Text<'a>,
    company: Party<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
struct Engagement {
    count: u32,
}

fn as_text<S: Serializer>(id: &SignalId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

pub(super) fn known_as_text<S: Serializer>(id: &Option<CompanyId>, serializer: S) -> Result<S::Ok, S::Error> {
    match id {
        Some(id) => serializer.collect_str(id),
        None => serializer.serialize_none(),
    }
}

fn masked<S: Serializer>(Text(name): &Text<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&mask(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::view::SignalView;
    use assay_domain::company::Round;
    use assay_domain::person::{Employer, Location};
    use assay_domain::signal::{
        Content as Said, Engagement as Talk, Move, MoveKind, Party as Named, PersonNamed, Posting,
    };
    use assay_domain::taxonomy::{Department, FundingStage, Seniority};
    use assay_domain::{Domain, Signal};
    use assay_engine::signals::Fused;
    use serde_json::Value;

    /// One of each kind with all there is to tell, one with as little as there can be, and one for each word of a list.
    fn signals() -> Vec<Signal> {
        let mut all = Vec::new();
        for kind in SignalKind::ALL {
            let whole = example::signal(kind);
            let mut odd = whole.clone();
            let name = Named::named("\"Acme\" \\ \u{7} Söhne \u{1f600}");
            let Employer { id, network_url, .. } = example::person().company.unwrap();
            assert!(network_url.is_some());
            let domain = Domain::parse("bücher.example").ok();
            odd.company = Named { id: Some(id), domain, network_url, by_name: true, ..name };
            odd.person =
                Some(PersonNamed { full_name: "Zoë \"Z\" O'Neil".to_owned(), ..PersonNamed::default() });
            odd.sources
                .iter_mut()
                .for_each(|source| source.url = Some("https://wire.example/?a=\"b\"".to_owned()));
            let mut bare = whole.clone();
            (bare.person, bare.company, bare.sources) = (None, Named::named("Acme"), Vec::new());
            strip(&mut bare.content);
            all.extend([whole, odd, bare]);
        }
        for one in all.clone() {
            let with = |content: Said| Signal { content, ..one.clone() };
            match &one.content {
                Said::Funding(round) => {
                    let of =
                        |stage: &FundingStage| with(Said::Funding(Round { stage: *stage, ..round.clone() }));
                    all.extend(FundingStage::ALL.iter().map(of));
                }
                Said::Hiring(job) => {
                    let of = |department, seniority| {
                        with(Said::Hiring(Posting { department, seniority, ..job.clone() }))
                    };
                    all.extend(Department::ALL.iter().map(|department| of(Some(*department), None)));
                    all.extend(Seniority::ALL.iter().map(|seniority| of(None, Some(*seniority))));
                }
                Said::JobChange(change) => {
                    let kinds =
                        [MoveKind::NewCompany, MoveKind::Promotion, MoveKind::NewRole, MoveKind::Left];
                    all.extend(kinds.map(|kind| with(Said::JobChange(Move { kind, ..change.clone() }))));
                }
                Said::Acquisition(_) | Said::Engagement(_) => {}
            }
        }
        all
    }

    fn strip(content: &mut Said) {
        match content {
            Said::Funding(round) => {
                (round.amount, round.currency) = (None, None);
                round.investors.clear();
                round.lead_investors.clear();
            }
            Said::Acquisition(deal) => (deal.price, deal.currency) = (None, None),
            Said::Hiring(job) => {
                (job.department, job.seniority, job.closed_at) = (None, None, Some(example::moment()));
                (job.applicants, job.url, job.locations) = (None, None, vec![Location::default()]);
            }
            Said::JobChange(change) => (change.from, change.to) = (None, None),
            Said::Engagement(talk) => *talk = Talk { count: 0, usual: None, post_url: None },
        }
    }

    #[test]
    fn what_is_kept_is_told_as_the_view_of_the_same_signal_tells_it() {
        let signals = signals();
        assert!(signals.len() > 50);
        for signal in signals {
            let (id, revision) = (signal.id, signal.revision);
            let Signal { occurred_at, detected_at, company, person, confidence, sources, content, .. } =
                signal.clone();
            let kept = Fused { occurred_at, detected_at, company, person, confidence, sources, content };
            let told = ToldSignal::read(id, revision, &serde_json::to_string(&kept).unwrap()).unwrap();
            let told: Value = serde_json::from_str(told.json()).unwrap();
            assert_eq!(told, serde_json::to_value(SignalView::from(signal)).unwrap());
        }
    }

    #[test]
    fn one_that_cannot_be_read_is_left_out() {
        let id = SignalId::from_uuid(uuid::Uuid::nil());
        for kept in ["", "{}", r#"{"content":{"event":"flood","said":{}}}"#] {
            assert!(ToldSignal::read(id, 1, kept).is_none(), "{kept}");
        }
    }
}
