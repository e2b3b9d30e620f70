//! Floor 5, beside HTTP: the work that happens without anybody asking. Bulk slices, deliveries to webhooks, sequencing the
//! change log, sweeping, monthly grants, and making and dropping history's months.

mod attending;
mod bulk;
mod chore;
mod delivering;
mod erasing;
mod expiring;
mod following;
mod granting;
mod keeping;
mod learning;
mod low_credits;
mod mailing;
mod partitioning;
mod polling;
mod publishing;
mod queue;
mod queue_care;
mod sandbox_sweeping;
mod sequencing;
mod sweeping;
mod watching;
mod webhook_sweeping;

pub use delivering::WebhookTools;
pub use following::follow_index;
pub use keeping::keep_index;
pub use publishing::publish_index;
pub use watching::run_scheduled_icps;

use assay_domain::Clock;
use assay_engine::Engine;
use assay_engine::newsroom::Newsroom;
use assay_service::{BulkDesk, ListDesk};
use assay_store::{Graph, Ledger};
use attending::Attending;
use bulk::{BulkCare, Slices};
use chore::start_chore;
use delivering::Delivering;
use erasing::Erasing;
use expiring::Expiring;
use granting::Granting;
use learning::LearningSignals;
use low_credits::LowCredits;
use mailing::{Reputation, Retrying, VerdictSweeping};
use partitioning::Partitioning;
use polling::{FeedCare, FeedSweeping, Polling};
use queue::start_queue;
use queue_care::{QueueCare, QueueSweep};
use sandbox_sweeping::SandboxSweeping;
use sequencing::Sequencing;
use std::sync::Arc;
use sweeping::Sweeping;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;
use watching::{Matching, Schedules, WatchSweeping};
use webhook_sweeping::WebhookSweeping;

/// The background work of one node. Any number of nodes may run it.
#[derive(Debug)]
pub struct Worker;

/// What the background work is done with.
#[derive(Debug, Clone)]
pub struct WorkerTools {
    pub graph: Graph,
    pub ledger: Ledger,
    pub engine: Engine,
    pub bulk: BulkDesk,
    pub lists: ListDesk,
    pub webhooks: Arc<WebhookTools>,
    /// Who looks at public sources; none where hosts could not be told whom to write to.
    pub newsroom: Option<Newsroom>,
    pub clock: Clock,
    /// Tells this node from the others.
    pub node: Uuid,
}

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
    _attending: Attending,
}

impl Worker {
    /// Starts the loops. `shutdown` stops them when it turns true or its sender is dropped.
    pub fn start(
        tools: WorkerTools,
        settings: WorkerSettings,
        shutdown: &watch::Receiver<bool>,
    ) -> WorkerHandle {
        let WorkerTools { graph, ledger, engine, bulk, lists, webhooks, newsroom, clock, node } = tools;
        let jobs = ledger.jobs().clone();
        let attending = Attending::start(jobs.clone(), node);
        let mut loops = vec![
            start_chore(BulkCare::new(ledger.clone(), clock.clone()), shutdown.clone()),
            start_chore(LowCredits::new(ledger.clone()), shutdown.clone()),
            start_chore(WebhookSweeping::new(ledger.clone()), shutdown.clone()),
            start_chore(QueueCare::new(jobs.clone()), shutdown.clone()),
            start_chore(QueueSweep::new(jobs.clone()), shutdown.clone()),
            start_chore(Sequencing::new(graph.clone(), node), shutdown.clone()),
            start_chore(Erasing::new(engine.clone()), shutdown.clone()),
            start_chore(VerdictSweeping::new(graph.clone(), clock.clone()), shutdown.clone()),
            start_chore(FeedSweeping::new(graph.clone(), clock.clone()), shutdown.clone()),
            start_chore(LearningSignals::new(engine.clone(), clock.clone(), node), shutdown.clone()),
            start_chore(Expiring::new(engine.clone(), clock.clone()), shutdown.clone()),
            start_chore(Partitioning::new(ledger.clone(), settings.history_months), shutdown.clone()),
            start_chore(Matching(lists.clone()), shutdown.clone()),
            start_chore(Schedules(lists.clone()), shutdown.clone()),
            start_chore(WatchSweeping(lists), shutdown.clone()),
            start_chore(Granting::new(ledger.clone()), shutdown.clone()),
            start_chore(SandboxSweeping::new(ledger.clone()), shutdown.clone()),
            start_chore(Sweeping::new(ledger.clone()), shutdown.clone()),
        ];
        if let Some(mailroom) = engine.mailroom() {
            let retrying = Retrying::new(mailroom.clone(), jobs.clone(), clock.clone());
            loops.extend(start_queue(retrying, jobs.clone(), node, shutdown));
            loops.push(start_chore(Reputation::new(mailroom.clone()), shutdown.clone()));
        }
        if let Some(newsroom) = newsroom {
            let care = FeedCare::new(graph, jobs.clone(), clock.clone());
            loops.push(start_chore(care, shutdown.clone()));
            loops.extend(start_queue(Polling::new(newsroom, jobs.clone()), jobs.clone(), node, shutdown));
        }
        let delivering = Delivering::new(ledger, clock, webhooks);
        loops.extend(start_queue(Slices::new(bulk), jobs.clone(), node, shutdown));
        loops.extend(start_queue(delivering, jobs, node, shutdown));
        WorkerHandle { loops, _attending: attending }
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
