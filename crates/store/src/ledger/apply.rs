//! Decides one operation on one locked book. Everything it needs is in memory; everything it does is in `Writes`.

use super::batch::Asked;
use super::book::{Book, Cause, Kind, LotLeft, Side};
use super::load::{Loaded, StoredHold};
use super::op::{Answer, Cap, Grant, HoldWish, LotSource, Op, Refund, Refusal, Settle, Settled};
use super::write::{EndedHold, HoldState, NewHold, NewLot, Writes};
use assay_domain::{AccountId, Credits, HoldId, RequestId, limits};

/// Applies one operation. A refusal changes nothing.
pub fn apply(asked: &Asked, book: &mut Book, loaded: &mut Loaded, writes: &mut Writes) -> Answer {
    let account = asked.account;
    if book.overdue(loaded.moment.now) {
        book.begin();
        let amount = book.expire_lots(loaded.moment.now);
        if matches!(asked.op, Op::ExpireLots) {
            return Answer::Expired { amount: Credits::from_thousandths(amount), version: book.version };
        }
    }
    let mut desk = Desk { account, book, loaded, writes };
    match &asked.op {
        Op::Grant(grant) => desk.grant(grant),
        Op::Refund(refund) => desk.refund(refund),
        Op::Hold(wish) => desk.hold(wish),
        Op::Settle(settle) => desk.settle(settle),
        Op::Release(hold) => desk.release(*hold, HoldState::Released),
        Op::ExpireHold(hold) => desk.expire_hold(*hold),
        Op::ExpireLots => Answer::Expired { amount: Credits::ZERO, version: desk.book.version },
    }
}

/// The reason that makes an operation happen only once.
pub fn reason_of(op: &Op) -> Option<String> {
    match op {
        Op::Grant(grant) => Some(grant.reason.clone()),
        Op::Refund(refund) => Some(format!("refund:{}", refund.request)),
        _ => None,
    }
}

struct Desk<'a> {
    account: AccountId,
    book: &'a mut Book,
    loaded: &'a mut Loaded,
    writes: &'a mut Writes,
}

impl Desk<'_> {
    fn refuse(&self, why: Refusal) -> Answer {
        Answer::Refused { why, version: self.book.version }
    }

    fn insufficient(&self) -> Refusal {
        Refusal::Insufficient { available: self.book.balance(), waiting: self.book.waiting() }
    }

    fn grant(&mut self, grant: &Grant) -> Answer {
        let (balance, version) = (self.book.balance(), self.book.version);
        // A plan may give no credits at all: there is no lot of nothing.
        if grant.amount.is_zero() || !self.loaded.reasons.insert((self.account, grant.reason.clone())) {
            return Answer::Granted { balance, version, repeated: true };
        }
        if self.book.lots.len() >= limits::LOTS_PER_ACCOUNT_MAX {
            self.loaded.reasons.remove(&(self.account, grant.reason.clone()));
            return self.refuse(Refusal::TooManyLots);
        }
        self.add_lot(Kind::Grant, grant, Cause::default());
        Answer::Granted { balance: self.book.balance(), version: self.book.version, repeated: false }
    }

    fn refund(&mut self, refund: &Refund) -> Answer {
        let charged = self.loaded.settled.get(&(self.account, refund.request)).map(|settled| settled.credits);
        let refundable =
            refund.amount.is_positive() && charged.is_some_and(|charged| charged >= refund.amount);
        if !refundable {
            return self.refuse(Refusal::NothingToRefund);
        }
        let reason = format!("refund:{}", refund.request);
        if !self.loaded.reasons.insert((self.account, reason.clone())) {
            let (balance, version) = (self.book.balance(), self.book.version);
            return Answer::Refunded { balance, version, repeated: true };
        }
        let grant = Grant {
            lot: refund.lot,
            source: LotSource::Refund,
            reason,
            amount: refund.amount,
            // What was paid for must not be lost to the clock of the lot it came from.
            expires_at: None,
        };
        self.add_lot(Kind::Refund, &grant, Cause { request: Some(refund.request), hold: None });
        Answer::Refunded { balance: self.book.balance(), version: self.book.version, repeated: false }
    }

    fn add_lot(&mut self, kind: Kind, grant: &Grant, cause: Cause) {
        self.book.begin();
        let left = grant.amount.thousandths();
        self.book.grant(kind, LotLeft { lot: grant.lot, left, expires_at: grant.expires_at }, cause);
        self.writes.lots.push(NewLot { account: self.account, grant: grant.clone() });
    }

    fn hold(&mut self, wish: &HoldWish) -> Answer {
        if let Some(lost) = self.loaded.holds.get(&wish.hold) {
            return self.answer_held(wish, lost.amount);
        }
        if wish.lease.is_some_and(|lease| !self.loaded.leases.contains(&lease)) {
            return self.refuse(Refusal::ClaimLost);
        }
        let available = self.book.balance();
        let cap_left = wish.cap.as_ref().map(|cap| self.loaded.cap_left(self.account, cap));
        let funds = [wish.max_credits, cap_left].into_iter().flatten().fold(available, Credits::min);
        let Some(units) = wish.price.units_within(funds, wish.units_max) else {
            let too_little = |bound: Option<Credits>| {
                bound.is_some_and(|bound| wish.price.units_within(bound, wish.units_max).is_none())
            };
            let why = match () {
                () if too_little(wish.max_credits) => Refusal::MaxCreditsTooLow,
                () if too_little(cap_left) => Refusal::SpendCapReached,
                () => self.insufficient(),
            };
            return self.refuse(why);
        };
        let amount = wish.price.charge(true, units).thousandths();
        if amount > 0 {
            self.book_hold(wish, amount);
        }
        self.writes.started_bulks.extend(wish.starts.map(|bulk| (self.account, bulk)));
        Answer::Held { amount: Credits::from_thousandths(amount), units, version: self.book.version }
    }

    /// The answer a lost attempt would have given.
    fn answer_held(&self, wish: &HoldWish, amount: i64) -> Answer {
        let amount = Credits::from_thousandths(amount);
        let units = wish.price.units_within(amount, wish.units_max).unwrap_or(0);
        Answer::Held { amount, units, version: self.book.version }
    }

    fn book_hold(&mut self, wish: &HoldWish, amount: i64) {
        self.book.begin();
        let cause = Cause { request: Some(wish.request), hold: Some(wish.hold) };
        let parts = self.book.take(Kind::Hold, Side::Held, amount, cause);
        let moment = self.loaded.moment;
        if let Some(cap) = &wish.cap {
            self.loaded.spend(self.account, &cap.key, moment.month).add(0, amount);
        }
        let cap = wish.cap.as_ref().map(|cap| (cap.key.clone(), moment.month));
        let stored = StoredHold {
            account: self.account,
            amount,
            parts: parts.clone(),
            open: true,
            expires_at: moment.now + wish.lifetime,
            cap,
            request: wish.request,
        };
        self.loaded.holds.insert(wish.hold, stored.clone());
        self.writes.new_holds.push(NewHold { id: wish.hold, stored, month: moment.month });
    }

    fn settle(&mut self, settle: &Settle) -> Answer {
        if let Some(done) = self.loaded.settled.get(&(self.account, settle.request)) {
            return Answer::Settled(*done);
        }
        if let Some(draft) = &settle.reply {
            let ours = (self.account, draft.claim.key, draft.claim.attempt);
            if !self.loaded.claims.remove(&ours) {
                return self.refuse(Refusal::ClaimLost);
            }
        }
        if settle.lease().is_some_and(|lease| !self.loaded.leases.contains(&lease)) {
            return self.refuse(Refusal::ClaimLost);
        }
        if settle.watch_run().is_some_and(|run| !self.loaded.watch_runs.contains(&run.uuid())) {
            return self.refuse(Refusal::ClaimLost);
        }
        let open = settle.hold.and_then(|id| Some((id, self.open_hold(id)?)));
        let (charged, uncollected) = match open {
            Some((id, stored)) => (self.capture(id, &stored, settle), 0),
            None => match self.charge(settle) {
                Ok(charged) => (charged, 0),
                // A slice is done again, rather than given away.
                Err(_) if settle.lease().is_some() => return self.refuse(Refusal::HoldLost),
                // The hold's time was over, its work is done and the balance is gone: the result is given all the same.
                Err(_) if settle.hold.is_some() => (0, settle.charge.thousandths()),
                Err(why) => return self.refuse(why),
            },
        };
        let settled = Settled {
            credits: Credits::from_thousandths(charged),
            balance: self.book.balance(),
            version: self.book.version,
        };
        self.writes.record(self.account, settle, settled, uncollected);
        Answer::Settled(settled)
    }

    fn open_hold(&self, id: HoldId) -> Option<StoredHold> {
        self.loaded.holds.get(&id).filter(|hold| hold.open && hold.account == self.account).cloned()
    }

    fn capture(&mut self, id: HoldId, stored: &StoredHold, settle: &Settle) -> i64 {
        let captured = settle.charge.thousandths().min(stored.amount);
        let state = if captured > 0 { HoldState::Captured } else { HoldState::Released };
        self.end_hold(id, stored, (captured, state), settle.request);
        captured
    }

    fn charge(&mut self, settle: &Settle) -> Result<i64, Refusal> {
        let amount = settle.charge.thousandths();
        if amount == 0 {
            return Ok(0);
        }
        if let Some(cap) = &settle.cap
            && self.loaded.cap_left(self.account, cap) < settle.charge
        {
            return Err(Refusal::SpendCapReached);
        }
        if self.book.available < amount {
            return Err(self.insufficient());
        }
        self.book.begin();
        let cause = Cause { request: Some(settle.request), hold: None };
        self.book.take(Kind::Charge, Side::Spent, amount, cause);
        if let Some(Cap { key, .. }) = &settle.cap {
            let month = self.loaded.moment.month;
            self.loaded.spend(self.account, key, month).add(amount, 0);
        }
        Ok(amount)
    }

    fn release(&mut self, id: HoldId, state: HoldState) -> Answer {
        let Some(stored) = self.open_hold(id) else {
            return Answer::Released { amount: Credits::ZERO, version: self.book.version };
        };
        self.end_hold(id, &stored, (0, state), stored.request);
        Answer::Released { amount: Credits::from_thousandths(stored.amount), version: self.book.version }
    }

    fn expire_hold(&mut self, id: HoldId) -> Answer {
        let over = self.open_hold(id).is_some_and(|hold| hold.expires_at <= self.loaded.moment.now);
        if over {
            self.release(id, HoldState::Expired)
        } else {
            Answer::Released { amount: Credits::ZERO, version: self.book.version }
        }
    }

    fn end_hold(
        &mut self,
        id: HoldId,
        stored: &StoredHold,
        (captured, state): (i64, HoldState),
        request: RequestId,
    ) {
        self.book.begin();
        let cause = Cause { request: Some(request), hold: Some(id) };
        self.book.end_hold(&stored.parts, captured, self.loaded.moment.now, cause);
        if let Some((key, month)) = &stored.cap {
            self.loaded.spend(self.account, key, *month).add(captured, -stored.amount);
        }
        if let Some(hold) = self.loaded.holds.get_mut(&id) {
            hold.open = false;
        }
        self.writes.ended_holds.push(EndedHold { id, account: self.account, captured, state });
    }
}

#[cfg(test)]
mod tests;
