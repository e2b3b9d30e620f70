//! Being there for the other nodes: when this one is not any more, they take its jobs over.

use assay_domain::limits::NODE_CHECK_EVERY;
use assay_store::queue::Presence;
use assay_store::{Jobs, task};
use tokio::task::JoinHandle;
use uuid::Uuid;

/// Attends until it is dropped: after the last job, not after the order to stop.
#[derive(Debug)]
pub(crate) struct Attending(JoinHandle<()>);

impl Attending {
    pub(crate) fn start(jobs: Jobs, node: Uuid) -> Self {
        Self(task::spawn("attending", attend(jobs, node)))
    }
}

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn attend(jobs: Jobs, node: Uuid) {
    let mut presence: Option<Presence> = None;
    loop {
        let seen = match &mut presence {
            Some(presence) => presence.check().await,
            None => jobs.attend(node).await.map(|new| presence = Some(new)),
        };
        if let Err(error) = seen {
            tracing::warn!(%error, "the other nodes cannot see that this one lives; its leases hold");
            // One that was just lost is made anew without waiting.
            if presence.take().is_some() {
                continue;
            }
        }
        tokio::time::sleep(NODE_CHECK_EVERY).await;
    }
}
