//! `GET /v1/me/history`: every lookup of the account with credits, latency and cache figures, newest first.

use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::{HistoryFilter, HistoryRow, HistoryTotals};
use crate::search::values::OneValue;
use crate::spec::{Group, Scope, Spec, Verb};
use crate::steps::window::Since;
use assay_domain::{Credits, NetworkHosts, RequestId, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum History {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct HistoryRequest {
    /// Calls at or after this time, or day.
    #[garde(skip)]
    from: Option<OneValue<Since>>,
    /// Calls before this time, or day.
    #[garde(skip)]
    to: Option<OneValue<Since>>,
    /// The name of an endpoint, such as `enrich`.
    #[garde(length(chars, max = 100))]
    endpoint: Option<String>,
    /// An HTTP status.
    #[garde(range(min = 100, max = 599))]
    status: Option<u16>,
    #[garde(length(chars, max = 64))]
    key_id: Option<String>,
    #[garde(range(min = 1, max = 100))]
    pub(super) limit: Option<u32>,
    #[garde(length(chars, max = 512))]
    pub(super) cursor: Option<String>,
}

#[derive(Debug)]
pub struct HistoryQuestion {
    filter: HistoryFilter,
    after: Option<RequestId>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryResponse {
    pub results: Vec<HistoryRowView>,
    /// Sums over the whole filter, on the first page only: null on those a cursor leads to.
    pub totals: Option<TotalsView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HistoryRecord")]
pub struct HistoryRowView {
    pub id: String,
    pub at: DateTime<Utc>,
    pub endpoint: String,
    pub status: i16,
    pub found: bool,
    #[schemars(with = "f64")]
    pub credits: Credits,
    #[schemars(with = "f64")]
    pub balance_after: Credits,
    pub latency_ms: i64,
    #[schemars(extend("enum" = ["hit", "miss"]))]
    pub cache: &'static str,
    pub cache_age_seconds: Option<i64>,
    pub providers: Vec<String>,
    /// What they charged for it, in millionths of a US dollar.
    pub upstream_cost_micros: i64,
    pub key_id: String,
}

/// Over everything the filter names, not only this page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HistoryTotals")]
pub struct TotalsView {
    pub requests: i64,
    #[schemars(with = "f64")]
    pub credits: Credits,
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub cache_hit_rate: assay_domain::Confidence,
    pub p50_ms: i64,
    pub p95_ms: i64,
}

impl Endpoint for History {
    const SPEC: Spec = Spec {
        summary: "Every lookup you made",
        description: "Your lookups with credits, latency and cache figures, newest first; the first page \
                      also has totals over the whole filter.",
        ..Spec::free("me-history", Verb::Get, "/v1/me/history", Group::Account, Scope::History)
    };
    type Request = HistoryRequest;
    type Question = HistoryQuestion;
    type Response = HistoryResponse;

    fn parse(request: HistoryRequest, _hosts: &NetworkHosts) -> Result<HistoryQuestion, Fault> {
        let after: Option<String> = cursor::read(request.cursor.as_deref())?;
        let after = after.and_then(|id| id.parse().ok());
        let limit = request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT);
        Ok(HistoryQuestion { filter: filter_of(request), after, limit })
    }

    fn example() -> (Value, HistoryResponse) {
        let row = HistoryRowView {
            id: "req_0197f7a05c3a7d12a4b1c2d3e4f50618".into(),
            at: crate::example::moment(),
            endpoint: "enrich".into(),
            status: 200,
            found: true,
            credits: Credits::whole(1),
            balance_after: Credits::from_thousandths(2_431_500),
            latency_ms: 6,
            cache: "miss",
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_cost_micros: 0,
            key_id: "key_a1B2c3D4e5F6".into(),
        };
        let totals = TotalsView {
            requests: 1,
            credits: Credits::whole(1),
            cache_hit_rate: assay_domain::Confidence::percent(0),
            p50_ms: 6,
            p95_ms: 6,
        };
        let response = HistoryResponse { results: vec![row], totals: Some(totals), next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(context: &Context, question: HistoryQuestion) -> Result<Outcome<HistoryResponse>, Fault> {
        let page = context.memory.history(&question.filter, question.after, question.limit).await?;
        let next_cursor = page.next.and_then(|id| cursor::write(&id.to_string()));
        // Adding up a long history is slow, and every further page would only repeat it.
        let totals = match question.after {
            None => Some(totals_view(context.memory.history_totals(&question.filter).await?)),
            Some(_) => None,
        };
        let results = page.rows.into_iter().map(row_view).collect();
        Ok(Outcome::nothing(HistoryResponse { results, totals, next_cursor }))
    }
}

/// What a request asks for, pages aside: the same for a page and for an export.
pub(super) fn filter_of(request: HistoryRequest) -> HistoryFilter {
    // PostgreSQL has no text with a NUL in it, so nothing is called so.
    let readable = |text: &str| text.replace('\0', "\u{fffd}");
    HistoryFilter {
        from: Since::given(request.from),
        to: Since::given(request.to),
        endpoint: request.endpoint.as_deref().map(readable),
        status: request.status,
        key_id: request.key_id.as_deref().map(|id| readable(id.strip_prefix("key_").unwrap_or(id))),
    }
}

fn totals_view(totals: HistoryTotals) -> TotalsView {
    let hits = totals.cache_hits.saturating_mul(100).checked_div(totals.requests).unwrap_or(0);
    TotalsView {
        requests: totals.requests,
        credits: totals.credits,
        cache_hit_rate: assay_domain::Confidence::percent(u8::try_from(hits).unwrap_or(100)),
        p50_ms: totals.p50_ms,
        p95_ms: totals.p95_ms,
    }
}

fn row_view(row: HistoryRow) -> HistoryRowView {
    HistoryRowView {
        id: row.id.to_string(),
        at: row.at,
        endpoint: row.endpoint,
        status: row.status,
        found: row.found,
        credits: row.credits,
        balance_after: row.balance_after,
        latency_ms: row.latency_us / 1_000,
        cache: if row.cached { "hit" } else { "miss" },
        cache_age_seconds: row.cache_age_seconds,
        providers: row.providers,
        upstream_cost_micros: row.upstream_micros,
        key_id: format!("key_{}", row.key_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_no_database_takes_is_the_name_of_nothing() {
        let request = json!({ "endpoint": "enr\0ich", "key_id": "key_a1B2\0c3D4e5F6" });
        let filter = filter_of(serde_json::from_value(request).unwrap());
        assert_eq!(filter.endpoint.as_deref(), Some("enr\u{fffd}ich"));
        assert_eq!(filter.key_id.as_deref(), Some("a1B2\u{fffd}c3D4e5F6"));
    }
}
