//! What happens to lists without anybody asking: the feed is matched with them, and scheduled runs are run.

use super::entry::ListKeys;
use super::matching::catch_up;
use super::run::{Found, Run, events};
use crate::crash_point;
use crate::endpoints::lists::{RUN_NAME, RUN_PRICE};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{SCHEDULE_LEASE, SCHEDULES_AT_ONCE, WATCH_RUN_ENTRIES_MAX};
use assay_domain::{Clock, HoldId, RequestId};
use assay_engine::{Engine, EngineError};
use assay_store::ledger::op::{Answer, Cap, Deed, HoldWish, Op, Record, Settle};
use assay_store::ledger::watch::{Schedule, WatchListRow};
use assay_store::queue::Queue;
use assay_store::{Ledger, StoreError};
use std::time::Duration;

/// Works through lists. Any number of nodes may.
#[derive(Debug, Clone)]
pub struct ListDesk {
    ledger: Ledger,
    engine: Engine,
    clock: Clock,
    keys: ListKeys,
    run_lease: Duration,
}

/// Longer than a scheduled run may take.
const HOLD_LIFETIME: Duration = SCHEDULE_LEASE;

impl ListDesk {
    /// What a run has taken is another's after the lease.
    pub fn new(ledger: Ledger, engine: Engine, clock: Clock, keys: ListKeys, run_lease: Duration) -> Self {
        Self { ledger, engine, clock, keys, run_lease }
    }

    /// Matches what is new of the feed with all lists; whether more is left.
    pub async fn match_feed(&self) -> Result<bool, StoreError> {
        catch_up(&self.ledger, &self.engine, self.clock.now()).await.map_err(store_error)
    }

    pub async fn sweep(&self) -> Result<u64, StoreError> {
        self.ledger.sweep_matches().await
    }

    /// Runs lists whose time has come; how many.
    pub async fn run_due(&self) -> Result<usize, StoreError> {
        let due = self.ledger.due_watch_lists(self.clock.now(), SCHEDULE_LEASE, SCHEDULES_AT_ONCE).await?;
        for list in &due {
            if let Some(schedule) = list.schedule
                && let Err(error) = self.run(list, schedule).await
            {
                tracing::warn!(%error, list = %list.id, "a scheduled run failed and comes again at its next time");
            }
            self.ledger.schedule_watch_list(list, self.clock.now()).await?;
        }
        Ok(due.len())
    }

    /// Held, found and settled like a call, and the account's webhooks are told. What cannot be paid for waits for its next time.
    async fn run(&self, list: &WatchListRow, schedule: Schedule) -> Result<(), StoreError> {
        let (at, watch) = (self.clock.now(), Stopwatch::start());
        let (request, hold) = (RequestId::mint(at), HoldId::mint(at));
        let cap = list.owner.monthly_cap.map(|monthly| Cap { key: list.owner.line.clone(), monthly });
        let wish = HoldWish {
            hold,
            request,
            price: RUN_PRICE,
            units_max: WATCH_RUN_ENTRIES_MAX,
            max_credits: Some(schedule.max_credits),
            cap: cap.clone(),
            lifetime: HOLD_LIFETIME,
            lease: None,
            starts: None,
        };
        let Answer::Held { units, .. } = self.ledger.ask(list.account, Op::Hold(wish)).await? else {
            return Ok(());
        };
        crash_point("watch-held").await;
        let (ledger, engine, keys) = (&self.ledger, &self.engine, &self.keys);
        let run = Run { ledger, engine, keys, list, lease: self.run_lease };
        let found = match run.find(request, units, at).await {
            Ok(found) => found,
            Err(fault) => {
                self.ledger.release_later(list.account, hold);
                return Err(StoreError::Corrupt(fault.detail.into_owned()));
            }
        };
        crash_point("watch-found").await;
        let Found { hits, mut report, .. } = found;
        report.events = events(list.kind);
        let people: Vec<_> = hits.iter().filter_map(|hit| hit.person_id).collect();
        let units = u32::try_from(hits.len()).unwrap_or(u32::MAX);
        let record = Record {
            in_history: true,
            key: list.owner.key.clone(),
            at,
            endpoint: RUN_NAME,
            status: 200,
            found: units > 0,
            latency: watch.elapsed(),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["signals".to_owned()],
            upstream_micros: 0,
            subjects: people.iter().map(|person| person.uuid()).collect(),
        };
        let settle = Settle {
            request,
            hold: Some(hold),
            charge: RUN_PRICE.charge(true, units),
            cap,
            record,
            people,
            reply: None,
            deed: Some(Deed::ReportWatch(Box::new(report))),
        };
        let Answer::Settled(_) = self.ledger.ask(list.account, Op::Settle(Box::new(settle))).await? else {
            // Another run has what this one took: nothing was told, and nothing is kept back for it.
            self.ledger.release_later(list.account, hold);
            return Ok(());
        };
        if units > 0 {
            self.ledger.jobs().ring(Queue::Webhook);
        }
        Ok(())
    }
}

fn store_error(EngineError::Store(error): EngineError) -> StoreError {
    error
}
