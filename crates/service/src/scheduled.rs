//! Saved ICPs that run without anybody asking: each a call like any other, made for the key that set the schedule.

use crate::call::Call;
use crate::catalog::CATALOG;
use crate::endpoint::{Endpoint, Entry};
use crate::endpoints::icps::SavedIcpsRun;
use crate::fault::{Code, Fault};
use crate::pipeline::Service;
use crate::slot::Slot;
use assay_domain::limits::{PAGE_ROWS_MAX, SCHEDULE_LEASE, SCHEDULES_AT_ONCE};
use assay_store::StoreError;
use assay_store::ledger::icps::{IcpRow, IcpSchedule};
use assay_store::queue::Queue;
use bytes::Bytes;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

impl Service {
    /// Runs saved ICPs whose time has come; how many. Only nodes with an index can.
    pub async fn run_due_icps(&self) -> Result<usize, StoreError> {
        let due = self.ledger.due_icps(self.clock.now(), SCHEDULE_LEASE, SCHEDULES_AT_ONCE).await?;
        for icp in &due {
            match self.run_for_nobody(icp).await {
                Ok(()) => self.ledger.jobs().ring(Queue::Webhook),
                Err(fault) if is_worth_another_try(&fault) => {
                    tracing::warn!(icp = %icp.id, status = fault.code.status(), "a scheduled run is tried again when its lease ends");
                    continue;
                }
                Err(fault) => {
                    tracing::info!(icp = %icp.id, status = fault.code.status(), "a scheduled run waits for its next time");
                }
            }
            self.ledger.schedule_icp(icp, self.clock.now()).await?;
        }
        Ok(due.len())
    }

    async fn run_for_nobody(&self, icp: &IcpRow) -> Result<(), Fault> {
        let Some(schedule) = &icp.schedule else { return Ok(()) };
        let key = self.ledger.newest_key_of(icp.account, &schedule.line).await?;
        let key =
            key.ok_or_else(|| Fault::new(Code::RevokedApiKey, "the key that set the schedule is gone"))?;
        self.call_for(&Arc::new(key), &call(icp, schedule)?).await
    }
}

/// Its idempotency key names the moment that was due: a node that dies in the middle is followed by one that pays no second time.
fn call(icp: &IcpRow, schedule: &IcpSchedule) -> Result<Call, Fault> {
    let body = json!({
        "only_new": true, "limit": PAGE_ROWS_MAX, "max_credits": schedule.every.max_credits
    });
    Ok(Call {
        entry: entry()?,
        path: SavedIcpsRun::SPEC.path.replace("{id}", &icp.id.to_string()),
        path_fields: vec![("id".to_owned(), icp.id.to_string())],
        query: Vec::new(),
        body: Bytes::from(body.to_string()),
        authorization: None,
        idempotency_key: Some(format!("schedule-{}", schedule.next_run_at.timestamp_micros())),
        wants_events: false,
        sandbox_outcome: None,
        client: IpAddr::V4(Ipv4Addr::LOCALHOST),
        unattended: true,
        slot: Slot::default(),
    })
}

fn entry() -> Result<&'static Entry, Fault> {
    let found = CATALOG.iter().find(|entry| entry.spec.name == SavedIcpsRun::SPEC.name);
    found.ok_or_else(|| Fault::new(Code::Internal, "the catalog has no runs of saved ICPs"))
}

/// What another node or another minute may do; whoever cannot pay, or may not, waits for the next time.
fn is_worth_another_try(fault: &Fault) -> bool {
    matches!(fault.code.status(), 409 | 429 | 500..)
}
