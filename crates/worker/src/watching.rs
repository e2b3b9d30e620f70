//! Watch lists and saved ICPs without anybody asking: the feed is matched with lists as it grows, scheduled runs are run, old
//! memories are swept.

use crate::chore::{Chore, start_chore};
use assay_domain::limits::{SCHEDULE_LOOK_EVERY, WATCH_MATCH_IDLE, WATCH_SWEEP_EVERY};
use assay_service::{ListDesk, Service};
use assay_store::StoreError;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Clone)]
pub(crate) struct Matching(pub(crate) ListDesk);

impl Chore for Matching {
    const NAME: &'static str = "watch-matching";

    async fn turn(&self) -> Result<Duration, StoreError> {
        Ok(if self.0.match_feed().await? { Duration::ZERO } else { WATCH_MATCH_IDLE })
    }
}

#[derive(Clone)]
pub(crate) struct Schedules(pub(crate) ListDesk);

impl Chore for Schedules {
    const NAME: &'static str = "schedules";

    async fn turn(&self) -> Result<Duration, StoreError> {
        Ok(if self.0.run_due().await? > 0 { Duration::ZERO } else { SCHEDULE_LOOK_EVERY })
    }
}

#[derive(Clone)]
struct IcpSchedules(Arc<Service>);

/// Every node that answers searches does: saved ICPs are searches.
pub fn run_scheduled_icps(service: Arc<Service>, shutdown: &watch::Receiver<bool>) -> JoinHandle<()> {
    start_chore(IcpSchedules(service), shutdown.clone())
}

impl Chore for IcpSchedules {
    const NAME: &'static str = "icp-schedules";

    async fn turn(&self) -> Result<Duration, StoreError> {
        Ok(if self.0.run_due_icps().await? > 0 { Duration::ZERO } else { SCHEDULE_LOOK_EVERY })
    }
}

#[derive(Clone)]
pub(crate) struct WatchSweeping(pub(crate) ListDesk);

impl Chore for WatchSweeping {
    const NAME: &'static str = "watch-sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        Ok(if self.0.sweep().await? > 0 { Duration::ZERO } else { WATCH_SWEEP_EVERY })
    }
}
