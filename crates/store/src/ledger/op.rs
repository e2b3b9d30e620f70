//! What can be asked of the ledger, and what it answers.

use super::bulk::{AnsweredSlice, NewBulk};
use super::icps::IcpRun;
use super::watch::WatchReport;
use crate::queue::Lease;
use assay_domain::{BulkId, Credits, HoldId, KeyId, LotId, PersonId, Price, RequestId};
use chrono::{DateTime, Utc};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// One operation on one account.
#[derive(Debug, Clone)]
pub enum Op {
    Grant(Grant),
    Hold(HoldWish),
    Settle(Box<Settle>),
    Release(HoldId),
    /// Releases the hold if its time is over.
    ExpireHold(HoldId),
    /// Books out what is left of lots whose time is over.
    ExpireLots,
    Refund(Refund),
}

/// New credits. The reason makes it happen once: a second grant for it answers with the first.
#[derive(Debug, Clone)]
pub struct Grant {
    pub lot: LotId,
    pub source: LotSource,
    pub reason: String,
    pub amount: Credits,
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LotSource {
    Trial,
    Plan,
    Topup,
    Refund,
    Adjustment,
}

impl LotSource {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Plan => "plan",
            Self::Topup => "topup",
            Self::Refund => "refund",
            Self::Adjustment => "adjustment",
        }
    }
}

/// A key whose spending is capped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cap {
    pub key: KeyId,
    pub monthly: Credits,
}

/// A wish to reserve credits before upstream money is spent: as many units as fit into everything.
#[derive(Debug, Clone)]
pub struct HoldWish {
    pub hold: HoldId,
    pub request: RequestId,
    pub price: Price,
    pub units_max: u32,
    /// The caller's own bound for this call.
    pub max_credits: Option<Credits>,
    pub cap: Option<Cap>,
    pub lifetime: Duration,
    /// The job of the queue it is wished for: without its lease nothing is held.
    pub lease: Option<Lease>,
    /// The bulk job that runs from here on.
    pub starts: Option<BulkId>,
}

/// The end of a call: what it costs, what history keeps of it, and its reply, in one commit.
#[derive(Debug, Clone)]
pub struct Settle {
    pub request: RequestId,
    /// The hold taken before the call ran, if one was.
    pub hold: Option<HoldId>,
    pub charge: Credits,
    pub cap: Option<Cap>,
    pub record: Record,
    /// People the account has now resolved.
    pub people: Vec<PersonId>,
    pub reply: Option<ReplyDraft>,
    /// What else becomes true with the charge.
    pub deed: Option<Deed>,
}

/// What is written in the same commit as a charge, beside what every call writes.
#[derive(Debug, Clone)]
pub enum Deed {
    SubmitBulk(Box<NewBulk>),
    /// Needs the lease of its job: a worker that lost it changes nothing.
    AnswerSlice(Box<AnsweredSlice>),
    /// Needs what its run took: one that lost it tells nothing.
    ReportWatch(Box<WatchReport>),
    RanIcp(Box<IcpRun>),
}

impl Settle {
    /// The job of the queue this belongs to.
    pub fn lease(&self) -> Option<Lease> {
        match &self.deed {
            Some(Deed::AnswerSlice(slice)) => Some(slice.lease),
            _ => None,
        }
    }

    /// The run of a watch list this ends.
    pub fn watch_run(&self) -> Option<RequestId> {
        match &self.deed {
            Some(Deed::ReportWatch(report)) => Some(report.run),
            _ => None,
        }
    }
}

/// What history keeps of a call: ids and figures, never values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// False for calls of which only the reply is kept, for their retries.
    pub in_history: bool,
    pub key: KeyId,
    pub at: DateTime<Utc>,
    pub endpoint: &'static str,
    pub status: u16,
    pub found: bool,
    pub latency: Duration,
    pub cached: bool,
    pub cache_age_seconds: Option<i64>,
    pub providers: Vec<String>,
    /// What they charged for it, in millionths of a US dollar.
    pub upstream_micros: u64,
    pub subjects: Vec<Uuid>,
}

impl Record {
    /// Whether it is the same but for how long the call took.
    pub fn is_same(&self, other: &Self) -> bool {
        Self { latency: other.latency, ..self.clone() } == *other
    }
}

/// A claim on an idempotency key, with the attempt number as fencing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    pub key: [u8; 32],
    pub attempt: i32,
}

/// Writes the final body of a reply, once the charge and the balance are known.
pub type Render = Arc<dyn Fn(&Settled) -> Vec<u8> + Send + Sync>;

/// A reply to be stored under a claim. It is rendered inside the settling transaction, once the balance is known.
#[derive(Clone)]
pub struct ReplyDraft {
    pub claim: Claim,
    pub render: Render,
}

impl fmt::Debug for ReplyDraft {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ReplyDraft({:?})", self.claim.attempt)
    }
}

/// Gives back what a call cost, once.
#[derive(Debug, Clone)]
pub struct Refund {
    pub lot: LotId,
    pub request: RequestId,
    pub amount: Credits,
}

/// A settled call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    pub credits: Credits,
    pub balance: Credits,
    pub version: i64,
}

/// What an operation answered. `version` is the account's version the decision was made at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Granted {
        balance: Credits,
        version: i64,
        repeated: bool,
    },
    Held {
        amount: Credits,
        units: u32,
        version: i64,
    },
    Settled(Settled),
    /// Also for a hold that was released, captured or expired before: then nothing changed.
    Released {
        amount: Credits,
        version: i64,
    },
    Expired {
        amount: Credits,
        version: i64,
    },
    Refunded {
        balance: Credits,
        version: i64,
        repeated: bool,
    },
    Refused {
        why: Refusal,
        version: i64,
    },
}

/// Why an operation was refused. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not one unit fits into the balance. `waiting` is what open holds keep back.
    Insufficient {
        available: Credits,
        waiting: Credits,
    },
    SpendCapReached,
    MaxCreditsTooLow,
    /// Another attempt took over the idempotency key, or the job of the queue.
    ClaimLost,
    /// The hold's time was over before its job was done.
    HoldLost,
    TooManyLots,
    /// A refund above what the call cost, or of a call that does not exist.
    NothingToRefund,
    NoAccount,
}
