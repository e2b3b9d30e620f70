//! Floor 5, beside HTTP: the work that happens without anybody asking. Sequencing the
//! change log, sweeping, monthly grants, and making and dropping history's months.

mod chore;
mod erasing;
mod granting;
mod partitioning;
mod sandbox_sweeping;
mod sequencing;
mod sweeping;

use assay_store::{Graph, Ledger};
use chore::start_chore;
use erasing::Erasing;
use granting::Granting;
use partitioning::Partitioning;
use sandbox_sweeping::SandboxSweeping;
use sequencing::Sequencing;
use sweeping::Sweeping;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// The background work of one node. Any number of nodes may run it.
#[derive(Debug)]
pub struct Worker;

/// What an operator may set about the background work.
#[derive(Debug, Clone, Copy)]
pub struct WorkerSettings {
    /// Calendar months of history that are kept; 0 for ever.
    pub history_months: u32,
}

/// The running loops.
#[derive(Debug)]
pub struct WorkerHandle {
    loops: Vec<JoinHandle<()>>,
}

impl Worker {
    /// Starts the loops. `node` tells this node from the others; `shutdown` stops them when it turns true or its
    /// sender is dropped.
    pub fn start(
        graph: Graph,
        ledger: Ledger,
        node: Uuid,
        settings: WorkerSettings,
        shutdown: &watch::Receiver<bool>,
    ) -> WorkerHandle {
        let loops = vec![
            start_chore(Sequencing::new(graph.clone(), node), shutdown.clone()),
            start_chore(Erasing::new(graph, ledger.clone()), shutdown.clone()),
            start_chore(Partitioning::new(ledger.clone(), settings.history_months), shutdown.clone()),
            start_chore(Granting::new(ledger.clone()), shutdown.clone()),
            start_chore(SandboxSweeping::new(ledger.clone()), shutdown.clone()),
            start_chore(Sweeping::new(ledger), shutdown.clone()),
        ];
        WorkerHandle { loops }
    }
}

impl WorkerHandle {
    /// Waits until every loop has stopped; after the shutdown signal that is one turn at most.
    pub async fn join(self) {
        for running in self.loops {
            // A loop that was aborted with its runtime has stopped, which is all that is asked.
            drop(running.await);
        }
    }
}
