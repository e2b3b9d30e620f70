//! One account's book as a pure state machine: an operation in, postings out. No database, no clock.

use assay_domain::{Credits, HoldId, LotId, RequestId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What is left of one live lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LotLeft {
    #[serde(rename = "l")]
    pub lot: LotId,
    /// Thousandths.
    #[serde(rename = "n")]
    pub left: i64,
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

impl LotLeft {
    fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Earliest expiry first, lots without one last.
    pub(super) fn order(&self) -> (bool, Option<DateTime<Utc>>, LotId) {
        (self.expires_at.is_none(), self.expires_at, self.lot)
    }
}

/// The places credits can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum Side {
    Issued = 0,
    Available = 1,
    Held = 2,
    Spent = 3,
    Expired = 4,
}

/// Why credits moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum Kind {
    Grant = 0,
    Hold = 1,
    Capture = 2,
    Release = 3,
    Charge = 4,
    Refund = 5,
    Expire = 6,
}

impl Side {
    pub const fn code(self) -> i16 {
        match self {
            Self::Issued => 0,
            Self::Available => 1,
            Self::Held => 2,
            Self::Spent => 3,
            Self::Expired => 4,
        }
    }
}

impl Kind {
    pub const fn code(self) -> i16 {
        match self {
            Self::Grant => 0,
            Self::Hold => 1,
            Self::Capture => 2,
            Self::Release => 3,
            Self::Charge => 4,
            Self::Refund => 5,
            Self::Expire => 6,
        }
    }
}

/// One movement of credits of one lot between two sides of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    pub version: i64,
    pub ordinal: i16,
    pub kind: Kind,
    pub from: Side,
    pub to: Side,
    pub amount: i64,
    pub lot: LotId,
    pub request: Option<RequestId>,
    pub hold: Option<HoldId>,
}

/// What a posting is booked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cause {
    pub request: Option<RequestId>,
    pub hold: Option<HoldId>,
}

/// An account's running balance, and the postings made since it was read.
#[derive(Debug, Clone)]
pub struct Book {
    pub available: i64,
    pub held: i64,
    pub version: i64,
    pub lots: Vec<LotLeft>,
    pub postings: Vec<Posting>,
    ordinal: i16,
}

impl Book {
    pub fn new(available: i64, held: i64, version: i64, lots: Vec<LotLeft>) -> Self {
        Self { available, held, version, lots, postings: Vec::new(), ordinal: 0 }
    }

    pub fn balance(&self) -> Credits {
        Credits::from_thousandths(self.available)
    }

    pub fn waiting(&self) -> Credits {
        Credits::from_thousandths(self.held)
    }

    /// When the first lot ends; lots are kept earliest expiry first.
    pub fn next_expiry(&self) -> Option<DateTime<Utc>> {
        self.lots.first().and_then(|lot| lot.expires_at)
    }

    /// Opens the next version: everything booked until the next call of this belongs to one operation.
    pub fn begin(&mut self) {
        self.version += 1;
        self.ordinal = 0;
    }

    /// What lots whose time is over still hold; to be booked out before anything else is decided.
    pub fn overdue(&self, now: DateTime<Utc>) -> bool {
        self.lots.iter().any(|lot| lot.is_over(now))
    }

    pub fn expire_lots(&mut self, now: DateTime<Utc>) -> i64 {
        let (over, live): (Vec<_>, Vec<_>) = self.lots.drain(..).partition(|lot| lot.is_over(now));
        self.lots = live;
        for lot in &over {
            self.move_credits(
                Kind::Expire,
                (Side::Available, Side::Expired),
                lot.lot,
                lot.left,
                Cause::default(),
            );
        }
        over.iter().map(|lot| lot.left).sum()
    }

    pub fn grant(&mut self, kind: Kind, lot: LotLeft, cause: Cause) {
        let from = if kind == Kind::Refund { Side::Spent } else { Side::Issued };
        self.move_credits(kind, (from, Side::Available), lot.lot, lot.left, cause);
        self.give_back(lot);
    }

    /// Takes `amount` from the available lots, earliest expiry first; the caller has checked that it is there.
    pub fn take(&mut self, kind: Kind, to: Side, amount: i64, cause: Cause) -> Vec<LotLeft> {
        let mut missing = amount;
        let mut taken = Vec::new();
        for lot in &mut self.lots {
            let part = missing.min(lot.left);
            if part > 0 {
                lot.left -= part;
                missing -= part;
                taken.push(LotLeft { left: part, ..*lot });
            }
        }
        self.lots.retain(|lot| lot.left > 0);
        for part in &taken {
            self.move_credits(kind, (Side::Available, to), part.lot, part.left, cause);
        }
        taken
    }

    /// Ends a hold: `captured` is spent, the rest goes back to its lots, or out if they are over by now.
    pub fn end_hold(&mut self, parts: &[LotLeft], captured: i64, now: DateTime<Utc>, cause: Cause) {
        let mut to_capture = captured;
        for part in parts {
            let spent = to_capture.min(part.left);
            to_capture -= spent;
            if spent > 0 {
                self.move_credits(Kind::Capture, (Side::Held, Side::Spent), part.lot, spent, cause);
            }
            let rest = LotLeft { left: part.left - spent, ..*part };
            if rest.left == 0 {
                continue;
            }
            if rest.is_over(now) {
                self.move_credits(Kind::Expire, (Side::Held, Side::Expired), rest.lot, rest.left, cause);
            } else {
                self.move_credits(Kind::Release, (Side::Held, Side::Available), rest.lot, rest.left, cause);
                self.give_back(rest);
            }
        }
    }

    fn give_back(&mut self, part: LotLeft) {
        match self.lots.iter_mut().find(|lot| lot.lot == part.lot) {
            Some(lot) => lot.left += part.left,
            None => {
                self.lots.push(part);
                self.lots.sort_by_key(LotLeft::order);
            }
        }
    }

    fn move_credits(&mut self, kind: Kind, (from, to): (Side, Side), lot: LotId, amount: i64, cause: Cause) {
        for (side, change) in [(from, -amount), (to, amount)] {
            match side {
                Side::Available => self.available += change,
                Side::Held => self.held += change,
                Side::Issued | Side::Spent | Side::Expired => {}
            }
        }
        let Cause { request, hold } = cause;
        self.postings.push(Posting {
            version: self.version,
            ordinal: self.ordinal,
            kind,
            from,
            to,
            amount,
            lot,
            request,
            hold,
        });
        self.ordinal += 1;
    }
}
