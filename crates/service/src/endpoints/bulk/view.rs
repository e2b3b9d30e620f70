//! A bulk job as its account sees it.

use crate::bulk::{BulkCounts, BulkRow, BulkStatus};
use assay_domain::{Confidence, Credits};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const EXAMPLE_ID: &str = "blk_0197f7a05c3a7d12a4b1c2d3e4f50801";

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BulkJob")]
pub struct BulkView {
    pub id: String,
    #[schemars(extend("enum" = statuses()))]
    pub status: &'static str,
    pub counts: CountsView,
    /// The part of the items that is done.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub progress: Confidence,
    /// What the resolved items cost so far, in credits.
    #[schemars(with = "f64")]
    pub charged: Credits,
    #[schemars(with = "Option<f64>")]
    pub max_credits: Option<Credits>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
    /// After this the job and its results are gone.
    pub expires_at: DateTime<Utc>,
}

/// The items by what became of them.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "BulkCounts")]
pub struct CountsView {
    pub total: i32,
    pub pending: i32,
    pub resolved: i32,
    pub not_found: i32,
    pub invalid: i32,
    pub failed: i32,
    pub skipped: i32,
}

fn statuses() -> Vec<&'static str> {
    BulkStatus::ALL.iter().map(|status| status.as_str()).collect()
}

impl From<BulkCounts> for CountsView {
    fn from(counts: BulkCounts) -> Self {
        Self {
            total: counts.total(),
            pending: counts.pending,
            resolved: counts.resolved,
            not_found: counts.not_found,
            invalid: counts.invalid,
            failed: counts.failed,
            skipped: counts.skipped,
        }
    }
}

impl BulkView {
    pub(super) fn of(row: &BulkRow) -> Self {
        let counts = CountsView::from(row.counts);
        let percent = (counts.total - counts.pending).saturating_mul(100) / counts.total.max(1);
        Self {
            id: row.id.to_string(),
            status: row.status.as_str(),
            counts,
            progress: Confidence::percent(u8::try_from(percent).unwrap_or(100)),
            charged: row.charged,
            max_credits: row.max_credits,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            expires_at: row.expires_at,
        }
    }

    pub(super) fn example() -> Self {
        let at = crate::example::moment();
        let counts =
            CountsView { total: 2, pending: 0, resolved: 1, not_found: 1, invalid: 0, failed: 0, skipped: 0 };
        Self {
            id: EXAMPLE_ID.into(),
            status: BulkStatus::Completed.as_str(),
            counts,
            progress: Confidence::percent(100),
            charged: Credits::whole(1),
            max_credits: None,
            created_at: at,
            started_at: Some(at),
            finished_at: Some(at),
            expires_at: at + chrono::TimeDelta::days(i64::from(assay_domain::limits::BULK_KEPT_DAYS)),
        }
    }
}
