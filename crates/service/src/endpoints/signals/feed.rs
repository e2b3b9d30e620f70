//! `GET /v1/signals`: what happened, in the order it became known; whoever goes on from a page misses nothing.

use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::{Code, Fault};
use crate::feeds::Place;
use crate::search::values::{DomainText, Listed, OneValue, TwoLetters};
use crate::spec::{Group, Scope, Spec, Verb};
use crate::steps::funded::{Currency, least};
use crate::steps::window::Since;
use crate::view::{SignalView, ToldSignal, example_signal};
use assay_domain::limits::{AMOUNT_MAX, FEED_DOMAINS_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX};
use assay_domain::taxonomy::{Department, FundingStage, Industry};
use assay_domain::{Domain, NetworkHosts, Plan, SignalKind};
use assay_engine::Engine;
use assay_engine::signals::{FeedFilter, FeedHead, FeedPage, FeedStart};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use uuid::Uuid;

#[derive(Debug)]
pub enum Signals {}

/// What is fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SignalKind")]
pub enum KindAsked {
    Funding,
    Acquisition,
    Hiring,
    JobChange,
}

impl From<KindAsked> for SignalKind {
    fn from(kind: KindAsked) -> Self {
        match kind {
            KindAsked::Funding => Self::Funding,
            KindAsked::Acquisition => Self::Acquisition,
            KindAsked::Hiring => Self::Hiring,
            KindAsked::JobChange => Self::JobChange,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct SignalsRequest {
    kind: KindAsked,
    /// What happened at or after this time, or day.
    since: Option<OneValue<Since>>,
    /// What happened before this time, or day.
    until: Option<OneValue<Since>>,
    /// Of these companies, on either side of a deal or a move.
    domain: Option<Listed<DomainText, FEED_DOMAINS_MAX>>,
    /// ISO 3166-1 alpha-2.
    country: Option<Listed<TwoLetters>>,
    /// Of the company, where it is one we know.
    industry: Option<Listed<Industry>>,
    /// Of the job.
    department: Option<Listed<Department>>,
    /// Of the round.
    stage: Option<Listed<FundingStage>>,
    /// Of the round or the deal, in minor units of `currency`.
    #[garde(range(min = 0, max = AMOUNT_MAX))]
    min_amount: Option<i64>,
    /// ISO 4217, of `min_amount`; USD if left out.
    currency: Option<OneValue<Currency>>,
    /// Jobs of which somebody counts applicants, and no more than this.
    #[garde(range(min = 0, max = 1_000_000))]
    max_applicants: Option<i32>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before. Without one the newest signals are told, or with `since` the first since then.
    #[garde(length(chars, max = 512))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct SignalsQuestion {
    pub(super) filter: FeedFilter,
    pub(super) after: Option<Place>,
    limit: u32,
}

impl SignalsQuestion {
    /// Where to begin, in the log there is now.
    pub(super) fn start(&self, head: &FeedHead) -> Result<FeedStart, Fault> {
        match self.after {
            None => Ok(FeedStart::Newest),
            Some(place) if place.epoch == head.epoch && place.seq <= head.seq => {
                Ok(FeedStart::After(place.seq))
            }
            Some(_) => {
                Err(Fault::new(Code::CursorExpired, "the feed was restored since the cursor was given"))
            }
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SignalsResponse {
    #[schemars(extend("enum" = ["funding", "acquisition", "hiring", "job-change"]))]
    pub kind: &'static str,
    /// Oldest first, by when they became known or were last added to.
    #[schemars(with = "Vec<SignalView>")]
    pub results: Vec<ToldSignal>,
    /// Where to go on: also when nothing was there, for whoever asks again later. A page may be short although more is there,
    /// where few of many signals fit the filters.
    pub next_cursor: Option<String>,
    pub as_of: DateTime<Utc>,
    /// How long the oldest signal that is not shown yet has been waiting for it.
    pub feed_lag_seconds: f64,
}

impl Endpoint for Signals {
    const SPEC: Spec = Spec {
        plan: Plan::Indie,
        summary: "What happened to companies and people",
        description: "Funding rounds, acquisitions, job postings and job changes, in the order they became known. The same \
                      event from several sources is one signal, which comes again with a higher `revision` when somebody \
                      adds to it. Whoever goes on with `next_cursor` misses nothing and sees no revision twice. People \
                      who changed jobs are masked. With `Accept: text/event-stream` the same feed goes on as it happens: each event has \
                      an id, with which a client that was cut off goes on (`Last-Event-ID`).",
        ..Spec::free("signals", Verb::Get, "/v1/signals", Group::Signals, Scope::Signals)
    };
    type Request = SignalsRequest;
    type Question = SignalsQuestion;
    type Response = SignalsResponse;

    fn parse(request: SignalsRequest, _hosts: &NetworkHosts) -> Result<SignalsQuestion, Fault> {
        let after = cursor::read(request.cursor.as_deref())?;
        let limit = request.limit.unwrap_or(PAGE_ROWS_DEFAULT);
        let filter = FeedFilter {
            since: Since::given(request.since),
            until: Since::given(request.until),
            domains: domains(request.domain)?,
            countries: texts(request.country, |TwoLetters(code)| code.to_ascii_uppercase()),
            industries: texts(request.industry, |industry| industry.as_str().to_owned()),
            departments: texts(request.department, |department| department.as_str().to_owned()),
            stages: texts(request.stage, |stage| stage.as_str().to_owned()),
            min_amount: least(request.min_amount, request.currency.as_ref()),
            max_applicants: request.max_applicants,
            ..FeedFilter::all(request.kind.into())
        };
        Ok(SignalsQuestion { filter, after, limit })
    }

    fn example() -> (Value, SignalsResponse) {
        (json!({ "kind": "funding", "country": "US" }), example_of(SignalKind::Funding))
    }

    fn example_for(question: &SignalsQuestion) -> SignalsResponse {
        example_of(question.filter.kind)
    }

    /// Nothing became known since.
    fn not_found_for(question: &SignalsQuestion) -> Option<SignalsResponse> {
        Some(SignalsResponse { results: Vec::new(), ..example_of(question.filter.kind) })
    }

    async fn run(context: &Context, question: SignalsQuestion) -> Result<Outcome<SignalsResponse>, Fault> {
        let (head, start) = beginning(&context.engine, &question).await?;
        let FeedPage { rows, upto } =
            context.engine.feed_page(&question.filter, start, head.seq, question.limit).await?;
        let waited = head.waiting_since.map(|since| head.at.signed_duration_since(since));
        let lag = waited.and_then(|waited| waited.to_std().ok()).unwrap_or_default();
        Ok(Outcome::nothing(SignalsResponse {
            kind: question.filter.kind.as_str(),
            results: rows
                .iter()
                .filter_map(|row| ToldSignal::read(row.id, row.revision, &row.body))
                .collect(),
            next_cursor: cursor::write(&Place { epoch: head.epoch, seq: upto }),
            as_of: head.at,
            feed_lag_seconds: lag.as_secs_f64(),
        }))
    }
}

/// Where the feed stands, and where to begin. It may stand further than was last seen: a cursor is refused only when it is known to
/// be of another log.
async fn beginning(engine: &Engine, question: &SignalsQuestion) -> Result<(FeedHead, FeedStart), Fault> {
    let seen = engine.recent_feed_head().await?;
    if let Ok(start) = question.start(&seen) {
        return Ok((seen, start));
    }
    let head = engine.feed_head().await?;
    Ok((head, question.start(&head)?))
}

fn texts<T, const MOST: usize>(given: Option<Listed<T, MOST>>, text: impl Fn(T) -> String) -> Vec<String> {
    given.into_iter().flat_map(|Listed(values)| values).map(text).collect()
}

/// Each once: a company named twice would be found twice.
fn domains(given: Option<Listed<DomainText, FEED_DOMAINS_MAX>>) -> Result<Vec<String>, Fault> {
    let read =
        given.into_iter().flat_map(|Listed(values)| values).map(|DomainText(text)| Domain::parse(&text));
    let read: BTreeSet<Domain> =
        read.collect::<Result<_, _>>().map_err(|error| Fault::unreadable("/domain", &error))?;
    Ok(read.into_iter().map(|domain| domain.as_str().to_owned()).collect())
}

fn example_of(kind: SignalKind) -> SignalsResponse {
    SignalsResponse {
        kind: kind.as_str(),
        results: ToldSignal::write(&example_signal(kind)).into_iter().collect(),
        next_cursor: cursor::write(&Place { epoch: Uuid::nil(), seq: 1 }),
        as_of: example::moment(),
        feed_lag_seconds: 0.0,
    }
}
