//! Watch lists without anybody asking: the feed is matched with them as it grows, scheduled runs are run, old memories are swept.

use crate::chore::Chore;
use assay_domain::limits::{SCHEDULE_LOOK_EVERY, WATCH_MATCH_IDLE, WATCH_SWEEP_EVERY};
use assay_service::ListDesk;
use assay_store::StoreError;
use std::time::Duration;

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
pub(crate) struct WatchSweeping(pub(crate) ListDesk);

impl Chore for WatchSweeping {
    const NAME: &'static str = "watch-sweeping";

    async fn turn(&self) -> Result<Duration, StoreError> {
        Ok(if self.0.sweep().await? > 0 { Duration::ZERO } else { WATCH_SWEEP_EVERY })
    }
}
