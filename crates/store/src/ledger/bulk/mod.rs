//! Bulk jobs: many lookups that are answered later, slice by slice. What changes here with money is a [`super::op::Deed`].

mod answer;
mod care;
mod read;
mod write;

pub use read::{BulkCursor, BulkRow, SliceRow};
pub(super) use write::{start, write};

use crate::queue::Lease;
use assay_domain::{BulkId, Credits, JobId, KeyId, WebhookId};
use chrono::{DateTime, Utc};

/// Where a bulk job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkStatus {
    Queued,
    Running,
    Paused,
    Completed,
    CompletedWithErrors,
    Canceled,
    Failed,
}

impl BulkStatus {
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::Running,
        Self::Paused,
        Self::Completed,
        Self::CompletedWithErrors,
        Self::Canceled,
        Self::Failed,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused_insufficient_credits",
            Self::Completed => "completed",
            Self::CompletedWithErrors => "completed_with_errors",
            Self::Canceled => "canceled",
            Self::Failed => "failed",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Whether nothing will change any more.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Paused)
    }
}

/// How many items came to what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BulkCounts {
    pub pending: i32,
    pub resolved: i32,
    pub not_found: i32,
    pub invalid: i32,
    pub failed: i32,
    pub skipped: i32,
}

impl BulkCounts {
    pub const fn total(&self) -> i32 {
        self.pending + self.resolved + self.not_found + self.invalid + self.failed + self.skipped
    }
}

/// A bulk job to be submitted.
#[derive(Debug, Clone)]
pub struct NewBulk {
    pub id: BulkId,
    pub key: KeyId,
    pub line: KeyId,
    pub monthly_cap: Option<Credits>,
    pub max_credits: Option<Credits>,
    pub counts: BulkCounts,
    /// Sealed.
    pub metadata: Option<Vec<u8>>,
    pub webhook: Option<WebhookId>,
    pub slices: Vec<NewSlice>,
    pub at: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub struct NewSlice {
    /// Sealed.
    pub content: Vec<u8>,
    /// None where nothing of the slice is left to do.
    pub job: Option<JobId>,
}

/// What came of a slice, or of the part of it that could be paid for.
#[derive(Debug, Clone)]
pub struct AnsweredSlice {
    pub lease: Lease,
    pub bulk: BulkId,
    pub number: i16,
    /// Sealed: the whole slice again, with what is known now.
    pub content: Vec<u8>,
    /// Items that are pending no more, by what they came to; duplicates elsewhere included.
    pub counts: BulkCounts,
    /// Whether nothing of the slice is left to do.
    pub whole: bool,
    /// Whether the job's own bound is reached: then what is left of it is skipped.
    pub bound_reached: bool,
    pub at: DateTime<Utc>,
}
