//! Answering a slice of a bulk job: held, looked up and settled like a call, but fifty at a time and under a lease.

use super::item::{BulkKeys, Item, ItemState};
use crate::endpoints::resolve::Enrich;
use crate::fault::Fault;
use crate::{crash_point, endpoints};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{BULK_HOLD_LIFETIME, BULK_RETRY_DELAY, BULK_SLICE_DEADLINE};
use assay_domain::{AccountId, BulkId, Clock, Credits, HoldId, KeyId, PersonId, Price, RequestId};
use assay_engine::Engine;
use assay_store::ledger::bulk::{AnsweredSlice, BulkCounts, BulkRow, BulkStatus};
use assay_store::ledger::op::{Answer, Cap, Deed, HoldWish, Op, Record, Refusal, Settle};
use assay_store::queue::Claimed;
use assay_store::{Ledger, StoreError};
use chrono::{DateTime, Utc};
use futures_util::future::try_join_all;
use serde::Deserialize;
use std::time::Duration;
use uuid::Uuid;

/// Answers slices. Any number of nodes may.
#[derive(Debug, Clone)]
pub struct BulkDesk {
    ledger: Ledger,
    engine: Engine,
    clock: Clock,
    keys: BulkKeys,
}

/// What became of a claimed slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceEnd {
    /// Answered, put away, or somebody else's: nothing is left to do here.
    Settled,
    /// To be tried again; `counts` says whether the slice was at fault.
    Again { delay: Duration, counts: bool, trouble: &'static str },
}

/// What a job of the queue says about its slice.
#[derive(Debug, Deserialize)]
struct Order {
    bulk: Uuid,
    slice: i16,
}

/// A slice in hand.
struct Work<'a> {
    job: &'a Claimed,
    account: AccountId,
    row: BulkRow,
    number: i16,
    items: Vec<Item>,
    /// What the bulk job has been charged so far.
    charged: Credits,
}

/// What a round of lookups came to.
struct Round {
    hold: Option<HoldId>,
    request: RequestId,
    at: DateTime<Utc>,
    watch: Stopwatch,
    counts: BulkCounts,
    people: Vec<PersonId>,
    bound_reached: bool,
}

enum Funds {
    Held { hold: Option<HoldId>, request: RequestId, units: u32 },
    BoundReached,
    End(SliceEnd),
}

/// Of how many attempts back. Each gives back what the ones before it held, so more than one is left over only by workers
/// that died one after the other, at once.
const HOLDS_LOOKED_BACK: i32 = 4;

const PRICE: Price = endpoints::bulk::PRICE;

impl BulkDesk {
    pub fn new(ledger: Ledger, engine: Engine, clock: Clock, keys: BulkKeys) -> Self {
        Self { ledger, engine, clock, keys }
    }

    /// Answers the slice a job of the queue stands for.
    pub async fn answer(&self, job: &Claimed) -> Result<SliceEnd, StoreError> {
        let Some(mut work) = self.take_up(job).await? else {
            self.ledger.jobs().done(job.lease).await?;
            return Ok(SliceEnd::Settled);
        };
        if job.lease.attempt > job.attempts_max {
            return self.give_up(&mut work).await;
        }
        self.release_earlier(&work).await?;
        let mut starts = (work.row.status != BulkStatus::Running).then_some(work.row.id);
        loop {
            let pending = work.pending();
            let (hold, request, units) = match self.funds(&work, pending.len(), starts.take()).await? {
                Funds::Held { hold, request, units } => (hold, request, units),
                Funds::BoundReached => {
                    let round = self.round(None, RequestId::mint(self.clock.now()));
                    return self.settle(&mut work, Round { bound_reached: true, ..round }).await;
                }
                Funds::End(end) => return Ok(end),
            };
            crash_point("slice-held").await;
            let mut round = self.round(hold, request);
            let affordable = usize::try_from(units).unwrap_or(usize::MAX);
            let now: Vec<usize> = pending.into_iter().take(affordable).collect();
            let looked = tokio::time::timeout(BULK_SLICE_DEADLINE, self.look_up(&mut work, &now, &mut round));
            if !matches!(looked.await, Ok(Ok(()))) {
                if let Some(hold) = hold {
                    self.ledger.release_later(work.account, hold);
                }
                let trouble = "the lookups failed";
                return Ok(SliceEnd::Again { delay: BULK_RETRY_DELAY, counts: true, trouble });
            }
            crash_point("slice-looked-up").await;
            let end = self.settle(&mut work, round).await?;
            if end != SliceEnd::Settled || work.pending().is_empty() {
                return Ok(end);
            }
        }
    }

    /// Reads the slice; none where there is nothing left to do for it.
    async fn take_up<'a>(&self, job: &'a Claimed) -> Result<Option<Work<'a>>, StoreError> {
        let order: Option<Order> = serde_json::from_value(job.payload.clone()).ok();
        let (Some(order), Some(account)) = (order, job.account) else { return Ok(None) };
        let id = BulkId::from_uuid(order.bulk);
        let found = self.ledger.bulk_with_slice(account, id, order.slice).await?;
        let Some((row, slice)) = found.filter(|(row, _)| !row.status.is_final()) else { return Ok(None) };
        let items = self.keys.open_items((account, id), order.slice, &slice.content);
        let items = items.map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let charged = row.charged;
        let work = Work { job, account, row, number: order.slice, items, charged };
        Ok(Some(work).filter(|work| !work.pending().is_empty()))
    }

    /// Gives back what workers that died over this slice held for it: the credits may be all that is left.
    async fn release_earlier(&self, work: &Work<'_>) -> Result<(), StoreError> {
        let attempt = work.job.lease.attempt;
        let earlier =
            (attempt.saturating_sub(HOLDS_LOOKED_BACK).max(1)..attempt).map(|attempt| work.hold(attempt));
        try_join_all(earlier.map(|hold| self.ledger.ask(work.account, Op::Release(hold)))).await?;
        Ok(())
    }

    /// Holds credits for as many of the pending items as can be paid for.
    async fn funds(
        &self,
        work: &Work<'_>,
        pending: usize,
        starts: Option<BulkId>,
    ) -> Result<Funds, StoreError> {
        let (request, hold) = (RequestId::mint(self.clock.now()), work.hold(work.job.lease.attempt));
        let wish = HoldWish {
            hold,
            request,
            price: PRICE,
            units_max: u32::try_from(pending).unwrap_or(u32::MAX),
            max_credits: work.row.max_credits.map(|bound| bound.minus(work.charged)),
            cap: work.cap(),
            lifetime: BULK_HOLD_LIFETIME,
            lease: Some(work.job.lease),
            starts,
        };
        let again = |trouble| Funds::End(SliceEnd::Again { delay: BULK_RETRY_DELAY, counts: false, trouble });
        Ok(match self.ledger.ask(work.account, Op::Hold(wish)).await? {
            Answer::Held { units, amount, .. } => {
                Funds::Held { hold: amount.is_positive().then_some(hold), request, units }
            }
            Answer::Refused { why: Refusal::MaxCreditsTooLow, .. } => Funds::BoundReached,
            Answer::Refused { why: Refusal::Insufficient { waiting, .. }, .. } if waiting.is_positive() => {
                again("its credits are held by other work")
            }
            Answer::Refused { why: Refusal::Insufficient { .. }, .. } => {
                Funds::End(self.pause(work, None).await?)
            }
            Answer::Refused { why: Refusal::SpendCapReached, .. } => {
                Funds::End(self.pause(work, Some(assay_domain::limits::BULK_CAP_RETRY)).await?)
            }
            Answer::Refused { why: Refusal::ClaimLost, .. } => Funds::End(SliceEnd::Settled),
            other => {
                tracing::error!(answer = ?other, job = %work.job.lease.job, "the ledger would not hold for a slice");
                again("the ledger refused")
            }
        })
    }

    async fn pause(&self, work: &Work<'_>, again: Option<Duration>) -> Result<SliceEnd, StoreError> {
        self.ledger.pause_bulk(work.account, work.row.id, work.job.lease, again).await?;
        Ok(SliceEnd::Settled)
    }

    fn round(&self, hold: Option<HoldId>, request: RequestId) -> Round {
        Round {
            hold,
            request,
            at: self.clock.now(),
            watch: Stopwatch::start(),
            counts: BulkCounts::default(),
            people: Vec::new(),
            bound_reached: false,
        }
    }

    /// Looks all of them up at once.
    async fn look_up(&self, work: &mut Work<'_>, indexes: &[usize], round: &mut Round) -> Result<(), Fault> {
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        for index in indexes {
            let Some(ItemState::Pending { ask, copies }) = work.items.get(*index).map(|item| &item.state)
            else {
                continue;
            };
            asked.push((*index, *copies));
            questions.push(Enrich::read(ask.clone(), self.engine.hosts())?);
        }
        let found = Enrich::sight(&self.engine, (work.account, self.clock.now()), &questions).await?;
        for ((index, copies), found) in asked.into_iter().zip(found) {
            let many = i32::try_from(copies).unwrap_or(i32::MAX).saturating_add(1);
            let state = match found {
                Some(found) => {
                    round.people.push(found.record.id);
                    round.counts.resolved += many;
                    let matched_on = found.matched_on.iter().map(|field| (*field).to_owned()).collect();
                    ItemState::Resolved {
                        person: found.record.id.uuid(),
                        confidence: found.confidence,
                        matched_on,
                    }
                }
                None => {
                    round.counts.not_found += many;
                    ItemState::NotFound
                }
            };
            if let Some(item) = work.items.get_mut(index) {
                item.state = state;
            }
        }
        Ok(())
    }

    /// Charges what was found and stores the slice, in one commit.
    async fn settle(&self, work: &mut Work<'_>, round: Round) -> Result<SliceEnd, StoreError> {
        let place = (work.account, work.row.id);
        let content = self.keys.seal_items(place, work.number, &work.items);
        let content = content.map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let units = u32::try_from(round.people.len()).unwrap_or(u32::MAX);
        let slice = AnsweredSlice {
            lease: work.job.lease,
            bulk: work.row.id,
            number: work.number,
            content,
            counts: round.counts,
            whole: round.bound_reached || work.pending().is_empty(),
            bound_reached: round.bound_reached,
            at: self.clock.now(),
        };
        let settle = Settle {
            request: round.request,
            hold: round.hold,
            charge: PRICE.charge(true, units),
            cap: work.cap(),
            record: work.record(&round, units),
            people: round.people,
            reply: None,
            deed: Some(Deed::AnswerSlice(Box::new(slice))),
        };
        match self.ledger.ask(work.account, Op::Settle(Box::new(settle))).await? {
            Answer::Settled(settled) => {
                work.charged = work.charged.plus(settled.credits);
                Ok(SliceEnd::Settled)
            }
            // Somebody else has the slice, or it was canceled.
            Answer::Refused { why: Refusal::ClaimLost, .. } => Ok(SliceEnd::Settled),
            _ => {
                let trouble = "the hold ended before the work";
                Ok(SliceEnd::Again { delay: BULK_RETRY_DELAY, counts: true, trouble })
            }
        }
    }

    /// A slice that failed too often: what is left of it has failed, and costs nothing.
    async fn give_up(&self, work: &mut Work<'_>) -> Result<SliceEnd, StoreError> {
        let mut round = self.round(None, RequestId::mint(self.clock.now()));
        for item in &mut work.items {
            if let ItemState::Pending { copies, .. } = item.state {
                round.counts.failed += i32::try_from(copies).unwrap_or(i32::MAX).saturating_add(1);
                let message = "it could not be looked up, after several tries".to_owned();
                item.state = ItemState::Failed { code: "lookup_failed".to_owned(), message };
            }
        }
        self.settle(work, round).await
    }
}

impl Work<'_> {
    fn pending(&self) -> Vec<usize> {
        let items = self.items.iter().enumerate();
        items.filter(|(_, item)| item.state.is_pending()).map(|(index, _)| index).collect()
    }

    /// The hold for what is pending now, of one attempt: a function of what is stored, so that a later attempt can name it.
    /// A job's id is as good as random, and so is one that differs from it in a few bits.
    fn hold(&self, attempt: i32) -> HoldId {
        let place =
            u128::from(attempt.unsigned_abs()) << 16 | u128::try_from(self.pending().len()).unwrap_or(0);
        HoldId::from_uuid(Uuid::from_u128(self.job.lease.job.uuid().as_u128() ^ place))
    }

    fn cap(&self) -> Option<Cap> {
        let key: &KeyId = &self.row.line;
        self.row.monthly_cap.map(|monthly| Cap { key: key.clone(), monthly })
    }

    fn record(&self, round: &Round, units: u32) -> Record {
        Record {
            // A round that found out that nothing can be paid for is no lookup.
            in_history: !round.bound_reached,
            key: self.row.key.clone(),
            at: round.at,
            endpoint: endpoints::bulk::NAME,
            status: 200,
            found: units > 0,
            latency: round.watch.elapsed(),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".to_owned()],
            upstream_micros: 0,
            subjects: round.people.iter().map(|person| person.uuid()).collect(),
        }
    }
}
