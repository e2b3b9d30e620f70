//! A ledger small enough to be obviously right: what the real one must agree with, operation by operation.
//!
//! It shares no code with the store. The one thing it cannot know is the instant at which the database decided; whether
//! a lot was over by then is taken from the postings and checked against the lot's own end.

use anyhow::{Result, ensure};
use assay_domain::{Credits, HoldId, LotId, Price, RequestId};
use assay_store::ledger::op::{Answer, Refusal, Settled};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// The database's clock is read at the decision, a posting's time at the start of its transaction.
const DECISION_LAG: TimeDelta = TimeDelta::seconds(5);

/// An operation as a client sent it.
#[derive(Debug, Clone)]
pub enum Sent {
    Grant {
        lot: LotId,
        reason: String,
        amount: i64,
        expires_at: Option<DateTime<Utc>>,
    },
    Hold {
        hold: HoldId,
        price: Price,
        units_max: u32,
        max_credits: Option<i64>,
        cap: Option<i64>,
    },
    Settle {
        request: RequestId,
        hold: Option<HoldId>,
        charge: i64,
        cap: Option<i64>,
    },
    Release {
        hold: HoldId,
    },
    /// The client first made the hold's time run out.
    ExpireHold {
        hold: HoldId,
    },
    Refund {
        lot: LotId,
        request: RequestId,
        amount: i64,
    },
}

/// A posting as stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Booked {
    pub kind: i16,
    pub from: i16,
    pub to: i16,
    pub amount: i64,
    pub lot: LotId,
}

const ISSUED: i16 = 0;
const AVAILABLE: i16 = 1;
const HELD: i16 = 2;
const SPENT: i16 = 3;
const EXPIRED: i16 = 4;

/// What the stored postings of one version say, and when they were written.
#[derive(Debug, Clone, Default)]
pub struct Stored {
    pub postings: Vec<Booked>,
    pub at: Option<DateTime<Utc>>,
    /// The holds and requests the postings name.
    pub causes: HashSet<Uuid>,
}

#[derive(Debug, Clone)]
struct Hold {
    parts: Vec<(LotId, i64)>,
    open: bool,
    capped: bool,
}

/// One account.
#[derive(Debug, Default)]
pub struct Model {
    /// What is left of each lot.
    left: BTreeMap<LotId, i64>,
    ends: HashMap<LotId, Option<DateTime<Utc>>>,
    holds: HashMap<HoldId, Hold>,
    reasons: HashSet<String>,
    charged: HashMap<RequestId, i64>,
    settled: HashMap<RequestId, Settled>,
    refunded: HashSet<RequestId>,
    cap_used: i64,
    version: i64,
    booked: Vec<Booked>,
}

impl Model {
    pub fn available(&self) -> i64 {
        self.left.values().sum()
    }

    pub fn held(&self) -> i64 {
        let open = self.holds.values().filter(|hold| hold.open);
        open.flat_map(|hold| &hold.parts).map(|(_, amount)| amount).sum()
    }

    /// What is left of each live lot.
    pub fn lots(&self) -> BTreeMap<LotId, i64> {
        self.left.iter().filter(|(_, left)| **left > 0).map(|(lot, left)| (*lot, *left)).collect()
    }

    /// A version nobody asked for: only the end of lots may make one.
    pub fn observe(&mut self, version: i64, stored: &Stored) -> Result<()> {
        ensure!(version == self.version + 1, "version {version} follows {}", self.version);
        ensure!(!stored.postings.is_empty(), "version {version} has no postings");
        for posting in &stored.postings {
            let ends = self.ends.get(&posting.lot).copied().flatten();
            let over = ends.zip(stored.at).is_some_and(|(end, at)| end <= at + DECISION_LAG);
            ensure!(
                posting.kind == 6 && posting.from == AVAILABLE,
                "version {version} was asked for by nobody"
            );
            ensure!(over, "a lot was booked out before its end");
            let left = self.left.insert(posting.lot, 0);
            ensure!(left == Some(posting.amount), "a lot had {left:?}, {} were booked out", posting.amount);
        }
        self.version = version;
        Ok(())
    }

    /// Runs one operation and compares the answer and the postings with what the real ledger did.
    pub fn check(&mut self, sent: &Sent, answer: &Answer, stored: &Stored) -> Result<()> {
        self.booked.clear();
        let before = self.version;
        let over = over_lots(stored, &self.ends)?;
        let expected = self.run(sent, &over);
        if !self.booked.is_empty() {
            self.version = before + 1;
        }
        let expected = with_version(expected, self.version);
        ensure!(*answer == expected, "the ledger answered {answer:?}, the model {expected:?}");
        if let (Sent::Settle { request, .. }, Answer::Settled(settled)) = (sent, answer) {
            self.settled.insert(*request, *settled);
        }
        if !self.booked.is_empty() {
            let (mut ours, mut theirs) = (self.booked.clone(), stored.postings.clone());
            ours.sort();
            theirs.sort();
            ensure!(ours == theirs, "postings: the ledger wrote {theirs:?}, the model {ours:?}");
        }
        Ok(())
    }

    fn run(&mut self, sent: &Sent, over: &HashSet<LotId>) -> Answer {
        match sent {
            Sent::Grant { lot, reason, amount, expires_at } => {
                let repeated = !self.reasons.insert(reason.clone());
                if !repeated {
                    self.add_lot(0, ISSUED, *lot, *amount, *expires_at);
                }
                Answer::Granted { balance: self.balance(), version: 0, repeated }
            }
            Sent::Hold { hold, price, units_max, max_credits, cap } => {
                self.hold(*hold, *price, *units_max, *max_credits, *cap)
            }
            Sent::Settle { request, hold, charge, cap } => self.settle(*request, *hold, *charge, *cap, over),
            Sent::Release { hold } | Sent::ExpireHold { hold } => {
                let amount = self.end_hold(*hold, 0, over).unwrap_or(0);
                Answer::Released { amount: Credits::from_thousandths(amount), version: 0 }
            }
            Sent::Refund { lot, request, amount } => self.refund(*lot, *request, *amount),
        }
    }

    fn refund(&mut self, lot: LotId, request: RequestId, amount: i64) -> Answer {
        let charged = self.charged.get(&request).copied();
        if amount <= 0 || charged.is_none_or(|charged| charged < amount) {
            return Answer::Refused { why: Refusal::NothingToRefund, version: 0 };
        }
        let repeated = !self.refunded.insert(request);
        if !repeated {
            self.add_lot(5, SPENT, lot, amount, None);
        }
        Answer::Refunded { balance: self.balance(), version: 0, repeated }
    }

    fn hold(
        &mut self,
        id: HoldId,
        price: Price,
        units_max: u32,
        max: Option<i64>,
        cap: Option<i64>,
    ) -> Answer {
        let cap_left = cap.map(|cap| cap - self.cap_used);
        let bounds = [Some(self.available()), max, cap_left];
        // Counting up instead of dividing: slow, and plainly the most units that fit.
        let fits = |units: u32, funds: i64| price.charge(true, units).thousandths() <= funds;
        let most = |funds: i64| (1..=units_max).take_while(|units| fits(*units, funds)).last();
        let funds = bounds.into_iter().flatten().min().unwrap_or(0);
        let Some(units) = most(funds) else {
            let why = match () {
                () if max.is_some_and(|bound| most(bound).is_none()) => Refusal::MaxCreditsTooLow,
                () if cap_left.is_some_and(|bound| most(bound).is_none()) => Refusal::SpendCapReached,
                () => self.insufficient(),
            };
            return Answer::Refused { why, version: 0 };
        };
        let amount = price.charge(true, units).thousandths();
        let parts = self.take(1, HELD, amount);
        self.cap_used += if cap.is_some() { amount } else { 0 };
        self.holds.insert(id, Hold { parts, open: true, capped: cap.is_some() });
        Answer::Held { amount: Credits::from_thousandths(amount), units, version: 0 }
    }

    fn settle(
        &mut self,
        request: RequestId,
        hold: Option<HoldId>,
        charge: i64,
        cap: Option<i64>,
        over: &HashSet<LotId>,
    ) -> Answer {
        if let Some(settled) = self.settled.get(&request) {
            return Answer::Settled(*settled);
        }
        let held = hold.and_then(|id| {
            let amount = self.open_amount(id)?;
            self.end_hold(id, charge.min(amount), over)?;
            Some(charge.min(amount))
        });
        let charged = match held {
            Some(captured) => captured,
            None => match self.charge(charge, cap) {
                Ok(charged) => charged,
                Err(_) if hold.is_some() => 0,
                Err(why) => return Answer::Refused { why, version: 0 },
            },
        };
        self.charged.insert(request, charged);
        Answer::Settled(Settled {
            credits: Credits::from_thousandths(charged),
            balance: self.balance(),
            version: 0,
        })
    }

    fn charge(&mut self, amount: i64, cap: Option<i64>) -> Result<i64, Refusal> {
        if amount == 0 {
            return Ok(0);
        }
        if cap.is_some_and(|cap| cap - self.cap_used < amount) {
            return Err(Refusal::SpendCapReached);
        }
        if self.available() < amount {
            return Err(self.insufficient());
        }
        self.take(4, SPENT, amount);
        self.cap_used += if cap.is_some() { amount } else { 0 };
        Ok(amount)
    }

    fn add_lot(&mut self, kind: i16, from: i16, lot: LotId, amount: i64, ends: Option<DateTime<Utc>>) {
        self.left.insert(lot, amount);
        self.ends.insert(lot, ends);
        self.booked.push(Booked { kind, from, to: AVAILABLE, amount, lot });
    }

    /// Takes from the lots that end first; lots without an end come last.
    fn take(&mut self, kind: i16, to: i16, amount: i64) -> Vec<(LotId, i64)> {
        let mut order: Vec<LotId> = self.left.keys().copied().collect();
        order.sort_by_key(|lot| (self.ends[lot].is_none(), self.ends[lot], *lot));
        let mut missing = amount;
        let mut parts = Vec::new();
        for lot in order {
            let part = missing.min(self.left[&lot]);
            if part > 0 {
                *self.left.entry(lot).or_default() -= part;
                missing -= part;
                parts.push((lot, part));
                self.booked.push(Booked { kind, from: AVAILABLE, to, amount: part, lot });
            }
        }
        parts
    }

    fn open_amount(&self, id: HoldId) -> Option<i64> {
        let hold = self.holds.get(&id).filter(|hold| hold.open)?;
        Some(hold.parts.iter().map(|(_, amount)| amount).sum())
    }

    fn end_hold(&mut self, id: HoldId, captured: i64, over: &HashSet<LotId>) -> Option<i64> {
        let amount = self.open_amount(id)?;
        let hold = self.holds.get_mut(&id)?;
        hold.open = false;
        if hold.capped {
            self.cap_used += captured - amount;
        }
        let mut to_capture = captured;
        for (lot, part) in hold.parts.clone() {
            let spent = part.min(to_capture);
            to_capture -= spent;
            let rest = part - spent;
            if spent > 0 {
                self.booked.push(Booked { kind: 2, from: HELD, to: SPENT, amount: spent, lot });
            }
            if rest > 0 && over.contains(&lot) {
                self.booked.push(Booked { kind: 6, from: HELD, to: EXPIRED, amount: rest, lot });
            } else if rest > 0 {
                self.booked.push(Booked { kind: 3, from: HELD, to: AVAILABLE, amount: rest, lot });
                *self.left.entry(lot).or_default() += rest;
            }
        }
        Some(amount)
    }

    fn balance(&self) -> Credits {
        Credits::from_thousandths(self.available())
    }

    fn insufficient(&self) -> Refusal {
        Refusal::Insufficient { available: self.balance(), waiting: Credits::from_thousandths(self.held()) }
    }
}

/// The lots that went out of a hold because their time was over, each checked against its own end.
fn over_lots(stored: &Stored, ends: &HashMap<LotId, Option<DateTime<Utc>>>) -> Result<HashSet<LotId>> {
    let mut over = HashSet::new();
    for posting in stored.postings.iter().filter(|posting| posting.kind == 6 && posting.from == HELD) {
        let end = ends.get(&posting.lot).copied().flatten();
        let is_over = end.zip(stored.at).is_some_and(|(end, at)| end <= at + DECISION_LAG);
        ensure!(is_over, "a held lot was booked out before its end");
        over.insert(posting.lot);
    }
    Ok(over)
}

/// The model numbers versions itself; answers carry them.
fn with_version(answer: Answer, now: i64) -> Answer {
    match answer {
        Answer::Granted { balance, repeated, .. } => Answer::Granted { balance, version: now, repeated },
        Answer::Held { amount, units, .. } => Answer::Held { amount, units, version: now },
        Answer::Settled(settled) if settled.version == 0 => {
            Answer::Settled(Settled { version: now, ..settled })
        }
        Answer::Settled(settled) => Answer::Settled(settled),
        Answer::Released { amount, .. } => Answer::Released { amount, version: now },
        Answer::Expired { amount, .. } => Answer::Expired { amount, version: now },
        Answer::Refunded { balance, repeated, .. } => Answer::Refunded { balance, version: now, repeated },
        Answer::Refused { why, .. } => Answer::Refused { why, version: now },
    }
}
