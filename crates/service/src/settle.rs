//! The purse of one call: holds credits before upstream money is spent, and settles what was found.

use crate::endpoint::{Tally, Trace};
use crate::fault::{Code, Fault};
use crate::foresight::Foresight;
use crate::spec::Spec;
use crate::written::Written;
use assay_domain::clock::Stopwatch;
use assay_domain::{Credits, HoldId, PersonId, Price, RequestId};
use assay_store::ledger::op::{
    Answer, Cap, Deed, HoldWish, Op, Record, Refusal, ReplyDraft, Settle, Settled,
};
use assay_store::ledger::{Begun, KeyRecord};
use assay_store::queue::Queue;
use assay_store::{Ledger, task};
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::Duration;

/// What is charged for, and under which rules.
#[derive(Debug, Clone)]
pub struct Charge {
    pub spec: &'static Spec,
    pub request: RequestId,
    pub at: DateTime<Utc>,
    pub watch: Stopwatch,
    pub max_credits: Option<Credits>,
    pub hold_always: bool,
    pub hold_lifetime: Duration,
    pub billing: Billing,
}

/// What is charged for answers that cost the operator less than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Billing {
    /// Of the normal price, for an answer that was kept.
    pub cache_hit_percent: u8,
    /// The same for one that the account's own key to a vendor was paid for.
    pub own_key_percent: u8,
}

impl Default for Billing {
    fn default() -> Self {
        Self { cache_hit_percent: 100, own_key_percent: 20 }
    }
}

impl Billing {
    fn percent(self, trace: &Trace) -> u8 {
        let kept = if trace.cache_age_seconds.is_some() { self.cache_hit_percent } else { 100 };
        let own = if trace.is_own_key { self.own_key_percent } else { 100 };
        kept.min(own).min(100)
    }
}

impl Charge {
    fn bill(&self, tally: &Tally) -> Bill {
        let percent = self.billing.percent(&tally.trace);
        Bill { price: self.spec.price, percent, ran: tally.ran, units: tally.units }
    }

    /// All that is written of a call when it ends.
    pub fn settle(
        &self,
        key: &KeyRecord,
        tally: Tally,
        hold: Option<HoldId>,
        reply: Option<ReplyDraft>,
    ) -> Settle {
        Settle {
            request: self.request,
            hold,
            charge: self.bill(&tally).total(),
            cap: cap_of(key),
            record: self.record(key, self.spec.status, tally.units > 0, &tally.trace),
            people: tally.trace.people,
            reply,
            deed: tally.deed,
        }
    }

    fn record(&self, key: &KeyRecord, status: u16, found: bool, trace: &Trace) -> Record {
        Record {
            in_history: self.spec.group.is_recorded(),
            key: key.id.clone(),
            at: self.at,
            endpoint: self.spec.name,
            status,
            found,
            latency: self.watch.elapsed(),
            cached: trace.cache_age_seconds.is_some(),
            cache_age_seconds: trace.cache_age_seconds,
            providers: trace.steps.iter().map(|step| step.provider.to_string()).collect(),
            upstream_micros: trace.steps.iter().map(|step| u64::from(step.upstream_cost_micros)).sum(),
            subjects: trace.people.iter().copied().map(PersonId::uuid).collect(),
        }
    }
}

fn cap_of(key: &KeyRecord) -> Option<Cap> {
    key.monthly_cap.map(|monthly| Cap { key: key.line.clone(), monthly })
}

/// What a call costs by how many units it tells.
#[derive(Debug, Clone, Copy)]
pub struct Bill {
    price: Price,
    percent: u8,
    ran: bool,
    units: u32,
}

impl Bill {
    fn total(self) -> Credits {
        let normal = self.price.charge(self.ran, self.units);
        let thousandths = normal.thousandths().saturating_mul(i64::from(self.percent)) / 100;
        Credits::from_thousandths(thousandths)
    }

    fn without(self, missing: u32) -> Self {
        Self { units: self.units.saturating_sub(missing), ..self }
    }
}

/// The money side of one call. Dropped before it settled, it lets go of what it holds.
#[derive(Debug)]
pub struct Purse<'a> {
    ledger: &'a Ledger,
    key: &'a Arc<KeyRecord>,
    charge: Charge,
    hold: Option<HoldId>,
    /// The charge, where it was foreseen.
    begun: Option<Begun>,
    /// What is left, as it was read beside a call that costs nothing.
    left: Option<Credits>,
}

impl<'a> Purse<'a> {
    pub fn new(ledger: &'a Ledger, key: &'a Arc<KeyRecord>, charge: Charge) -> Self {
        Self { ledger, key, charge, hold: None, begun: None, left: None }
    }

    /// Makes sure that at least one unit can be paid for, and says how many can.
    pub async fn open(&mut self, units_max: u32) -> Result<u32, Fault> {
        let Charge { spec, request, max_credits, .. } = self.charge;
        if spec.price.is_free() {
            return Ok(units_max);
        }
        let bound = max_credits.map_or(Some(units_max), |bound| spec.price.units_within(bound, units_max));
        let units_wanted = bound.ok_or_else(|| self.too_low(max_credits))?;
        if !self.holds() {
            return Ok(units_wanted);
        }
        let hold = HoldId::mint(self.charge.at);
        let wish = HoldWish {
            hold,
            request,
            price: spec.price,
            units_max: units_wanted,
            max_credits,
            cap: cap_of(self.key),
            lifetime: self.charge.hold_lifetime,
            lease: None,
            starts: None,
        };
        match self.ledger.ask(self.key.account, Op::Hold(wish)).await? {
            Answer::Held { amount, units, .. } => {
                self.hold = amount.is_positive().then_some(hold);
                Ok(units)
            }
            Answer::Refused { why, .. } => Err(self.refused(why, spec.price.charge(true, 1))),
            other => Err(unexpected(&other)),
        }
    }

    /// Whether credits are held before anything is looked for.
    pub fn holds(&self) -> bool {
        self.charge.spec.spends_upstream || self.charge.hold_always
    }

    /// Whether a call that ran without a hold may go on with one: it is about to spend money upstream, or was refused what fewer
    /// units may still get.
    pub fn would_go_on(&self, fault: &Fault, units_max: u32) -> bool {
        let refused = matches!(fault.code, Code::InsufficientCredits | Code::SpendCapReached);
        (fault.wants_hold || refused && units_max > 1) && !self.holds()
    }

    /// From now on, credits are held before anything is looked for.
    pub fn hold_first(&mut self) {
        self.charge.hold_always = true;
    }

    /// Runs a call. What is left of the account is read meanwhile where nothing else will be asked of the ledger.
    pub async fn beside<T>(&mut self, has_claim: bool, run: impl Future<Output = T>) -> T {
        if self.charge.spec.group.is_recorded() || has_claim {
            return run.await;
        }
        let (done, left) = tokio::join!(run, self.ledger.available(self.key.account));
        // One that could not be read is asked for again, and then told why.
        self.left = left.ok().flatten();
        done
    }

    /// What a run may tell of its cost before it has ended. Nothing where credits are held, or where an answer is kept by the commit that
    /// charges for it: those are charged for in other ways.
    pub fn foresight(&self, has_claim: bool) -> Foresight {
        if has_claim || self.holds() || self.charge.spec.price.is_free() {
            return Foresight::default();
        }
        Foresight::of(self.ledger.clone(), Arc::clone(self.key), self.charge.clone())
    }

    /// Takes over what was begun.
    pub fn take_begun(&mut self, foresight: &Foresight) {
        self.begun = foresight.take();
    }

    pub fn bill(&self, tally: &Tally) -> Bill {
        self.charge.bill(tally)
    }

    /// An answer that was written while it was paid for: what could not be told after all is given back, and everything where
    /// nothing could.
    pub async fn correct(
        &self,
        settled: Settled,
        bill: Bill,
        written: Result<Written, Fault>,
    ) -> Result<(Settled, Vec<u8>), Fault> {
        let kept = match &written {
            Ok(written) => bill.without(written.missing).total().min(settled.credits),
            Err(_) => Credits::ZERO,
        };
        let back = settled.credits.minus(kept);
        if back.is_positive() {
            self.ledger.give_back(self.key.account, self.charge.request, back).await;
        }
        let balance = settled.balance.plus(back);
        Ok((Settled { credits: kept, balance, ..settled }, written?.json))
    }

    /// Charges what was found and writes history and the stored reply, in one commit.
    pub async fn settle(&mut self, tally: Tally, reply: Option<ReplyDraft>) -> Result<Settled, Fault> {
        if !self.charge.spec.group.is_recorded() && reply.is_none() && tally.deed.is_none() {
            return self.look_only().await;
        }
        let settle = self.charge.settle(self.key, tally, self.hold, reply);
        let charge = settle.charge;
        let work = matches!(settle.deed, Some(Deed::SubmitBulk(_)));
        match self.ledger.settle(self.key.account, settle, self.begun.take()).await? {
            Answer::Settled(settled) => {
                self.hold = None;
                if work {
                    self.ledger.jobs().ring(Queue::Bulk);
                }
                Ok(settled)
            }
            Answer::Refused { why, .. } => Err(self.refused(why, charge)),
            other => Err(unexpected(&other)),
        }
    }

    /// Keeps in history that a call failed. Nobody waits for it: it costs nothing and changes nothing.
    pub fn record_failure(&self, status: u16) {
        let settle = Settle {
            request: self.charge.request,
            hold: None,
            charge: Credits::ZERO,
            cap: None,
            record: self.charge.record(self.key, status, false, &Trace::default()),
            people: Vec::new(),
            reply: None,
            deed: None,
        };
        let (ledger, account) = (self.ledger.clone(), self.key.account);
        task::spawn("record-failure", async move {
            if let Err(error) = ledger.ask(account, Op::Settle(Box::new(settle))).await {
                tracing::debug!(%error, "a failed call could not be kept in history");
            }
        });
    }

    /// Looking at one's own account leaves no trace; only the balance is told.
    async fn look_only(&self) -> Result<Settled, Fault> {
        let balance = match self.left {
            Some(left) => left,
            None => self.ledger.available(self.key.account).await?.unwrap_or_default(),
        };
        Ok(Settled { credits: Credits::ZERO, balance, version: 0 })
    }

    fn too_low(&self, max_credits: Option<Credits>) -> Fault {
        let needed = self.charge.spec.price.charge(true, 1);
        let bound = max_credits.unwrap_or_default();
        Fault::new(Code::MaxCreditsTooLow, format!("max_credits is {bound}; one unit costs {needed} credits"))
    }

    fn refused(&self, why: Refusal, needed: Credits) -> Fault {
        match why {
            Refusal::Insufficient { available, waiting } => Fault::insufficient(needed, available, waiting),
            Refusal::SpendCapReached => Fault::new(
                Code::SpendCapReached,
                format!("one unit costs {needed} credits, more than the cap leaves"),
            ),
            Refusal::MaxCreditsTooLow => self.too_low(self.charge.max_credits),
            Refusal::ClaimLost => Fault::new(Code::RequestInProgress, "another attempt took over"),
            Refusal::HoldLost | Refusal::TooManyLots | Refusal::NothingToRefund | Refusal::NoAccount => {
                tracing::error!(?why, request = %self.charge.request, "the ledger refused a call for no good reason");
                Fault::new(Code::Internal, "the failure was recorded")
            }
        }
    }
}

impl Drop for Purse<'_> {
    fn drop(&mut self) {
        if let Some(hold) = self.hold.take()
            && tokio::runtime::Handle::try_current().is_ok()
        {
            self.ledger.release_later(self.key.account, hold);
        }
    }
}

fn unexpected(answer: &Answer) -> Fault {
    tracing::error!(?answer, "the ledger answered another question");
    Fault::new(Code::Internal, "the failure was recorded")
}
