//! The workers of a queue: they claim jobs, run them side by side, and keep their leases alive.

use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    JOB_CLAIM_MAX, JOB_GATHER, JOB_HEARTBEAT, JOB_LEASE, JOB_LOOK_EVERY, JOB_LOOK_WHEN_QUIET_EVERY,
    JOB_QUIET_AFTER, SHUTDOWN_DRAIN,
};
use assay_store::queue::{Claimed, Lease, Place, Queue};
use assay_store::{Jobs, StoreError, task};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};
use uuid::Uuid;

/// What is done with the jobs of one queue.
pub(crate) trait Handler: Clone + Send + Sync + 'static {
    const QUEUE: Queue;
    /// Jobs at once on this node, and of those for one share: what is slow for one must not stop the others.
    const AT_ONCE: usize;
    const AT_ONCE_PER_SHARE: usize;

    fn run(&self, job: Claimed) -> impl Future<Output = Result<Ended, StoreError>> + Send;
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The handler ended or moved the job itself, in the transaction that did the work; or it lost the lease.
    Settled,
    /// To be tried again. `counts` is false where the job was not at fault.
    Again { delay: Duration, counts: bool, trouble: &'static str },
    /// Kept for whoever looks after the installation.
    Failed { trouble: &'static str },
}

/// After an error of the database a job waits this long; its attempts stay as they were.
const AFTER_ERROR: Duration = Duration::from_secs(2);
const LOOK_AFTER_ERROR: Duration = Duration::from_millis(500);

/// The jobs this node is at.
#[derive(Clone, Default)]
struct Running(Arc<Mutex<HashMap<Lease, (Uuid, AbortHandle)>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, HashMap<Lease, (Uuid, AbortHandle)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> usize {
        self.lock().len()
    }

    fn leases(&self) -> Vec<Lease> {
        self.lock().keys().copied().collect()
    }

    /// How many jobs of each share run.
    fn by_share(&self) -> Vec<(Uuid, u32)> {
        let mut shares: HashMap<Uuid, u32> = HashMap::new();
        for (share, _) in self.lock().values() {
            *shares.entry(*share).or_default() += 1;
        }
        shares.into_iter().collect()
    }
}

/// Starts the loops of one queue: one that claims and one that keeps what was claimed.
pub(crate) fn start_queue<H: Handler>(
    handler: H,
    jobs: Jobs,
    node: Uuid,
    shutdown: &watch::Receiver<bool>,
) -> Vec<JoinHandle<()>> {
    let running = Running::default();
    let keeping = task::spawn("queue-leases", keep_leases(jobs.clone(), running.clone(), shutdown.clone()));
    let claiming = task::spawn("queue-claims", claim_all(handler, jobs, node, running, shutdown.clone()));
    vec![claiming, keeping]
}

async fn claim_all<H: Handler>(
    handler: H,
    jobs: Jobs,
    node: Uuid,
    running: Running,
    mut shutdown: watch::Receiver<bool>,
) {
    let per_share = u32::try_from(H::AT_ONCE_PER_SHARE).ok().filter(|_| H::AT_ONCE_PER_SHARE < H::AT_ONCE);
    let mut desk = Claims::<H> { handler, jobs, running, place: Place::new(H::QUEUE, node, per_share) };
    let mut busy = Stopwatch::start();
    while !*shutdown.borrow() {
        let turn = desk.turn().await;
        if !matches!(turn, Ok(Turn::Nothing)) {
            busy = Stopwatch::start();
        }
        let rest = match turn {
            Ok(Turn::More) => continue,
            Ok(Turn::Nothing) if busy.elapsed() > JOB_QUIET_AFTER => JOB_LOOK_WHEN_QUIET_EVERY,
            Ok(Turn::Over | Turn::Nothing) => JOB_LOOK_EVERY,
            Err(error) => {
                tracing::warn!(queue = H::QUEUE.as_str(), %error, "jobs could not be claimed");
                LOOK_AFTER_ERROR
            }
        };
        tokio::select! {
            () = desk.jobs.bell(H::QUEUE, rest) => {}
            _ = shutdown.wait_for(|stop| *stop) => {}
        }
        if desk.running.count() > H::AT_ONCE / 2 {
            // Jobs that were committed together end together; one claim serves them all.
            tokio::time::sleep(JOB_GATHER).await;
        }
    }
    // What runs may finish; what does not is taken over when its lease ends.
    let began = Stopwatch::start();
    while desk.running.count() > 0 && began.elapsed() < SHUTDOWN_DRAIN {
        tokio::time::sleep(JOB_LOOK_EVERY).await;
    }
}

struct Claims<H> {
    handler: H,
    jobs: Jobs,
    running: Running,
    place: Place,
}

/// Whether there may be more to claim at once.
enum Turn {
    More,
    Over,
    /// Nothing was there, and nothing runs.
    Nothing,
}

impl<H: Handler> Claims<H> {
    /// Claims as much as there is room for.
    async fn turn(&mut self) -> Result<Turn, StoreError> {
        let room = H::AT_ONCE.saturating_sub(self.running.count());
        let count = room.min(JOB_CLAIM_MAX);
        let wanted = u32::try_from(count).unwrap_or(1);
        let taken = self.place.claim(&self.jobs, wanted, self.running.by_share()).await?;
        for job in taken.jobs {
            self.start(job);
        }
        Ok(match taken.more {
            true => Turn::More,
            false if self.running.count() == 0 => Turn::Nothing,
            false => Turn::Over,
        })
    }

    fn start(&self, job: Claimed) {
        let queue = H::QUEUE.as_str();
        metrics::histogram!("assay_job_wait_seconds", "queue" => queue).record(job.waited.as_secs_f64());
        let (lease, share) = (job.lease, job.share);
        let (handler, jobs, running) = (self.handler.clone(), self.jobs.clone(), self.running.clone());
        // Entered before it runs: a job that ends at once must find itself.
        let mut entries = self.running.lock();
        let work = task::spawn("job", async move {
            let leave = Leave { running, lease, jobs: jobs.clone(), queue: H::QUEUE };
            let ended = handler.run(job).await;
            if let Err(error) = conclude(&jobs, queue, lease, ended).await {
                tracing::warn!(job = %lease.job, %error, "a job could not be put back; its lease ends by itself");
            }
            drop(leave);
        });
        entries.insert(lease, (share, work.abort_handle()));
    }
}

/// Takes the job off the list, however its work ended, and makes the claimer look for another.
struct Leave {
    running: Running,
    lease: Lease,
    jobs: Jobs,
    queue: Queue,
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.running.lock().remove(&self.lease);
        self.jobs.ring(self.queue);
    }
}

async fn conclude(
    jobs: &Jobs,
    queue: &'static str,
    lease: Lease,
    ended: Result<Ended, StoreError>,
) -> Result<(), StoreError> {
    let word = match ended {
        Ok(Ended::Settled) => "settled",
        Ok(Ended::Again { delay, counts, trouble }) => {
            jobs.again(lease, delay, counts, trouble).await?;
            "again"
        }
        Ok(Ended::Failed { trouble }) => {
            tracing::error!(job = %lease.job, queue, trouble, "a job failed for good");
            jobs.fail(lease, trouble).await?;
            "failed"
        }
        Err(error) => {
            tracing::warn!(job = %lease.job, queue, %error, "a job could not be done and is tried again");
            jobs.again(lease, AFTER_ERROR, false, "the database could not be reached").await?;
            "error"
        }
    };
    metrics::counter!("assay_jobs_total", "queue" => queue, "ended" => word).increment(1);
    Ok(())
}

/// Renews what runs. A job that was lost is stopped: somebody else has it, and nothing it still does would count.
async fn keep_leases(jobs: Jobs, running: Running, mut shutdown: watch::Receiver<bool>) {
    let mut renewed = Stopwatch::start();
    loop {
        let stopping = *shutdown.borrow();
        if stopping && running.count() == 0 {
            return;
        }
        if stopping {
            tokio::time::sleep(JOB_LOOK_EVERY).await;
        } else {
            drop(tokio::time::timeout(JOB_HEARTBEAT, shutdown.wait_for(|stop| *stop)).await);
        }
        let leases = running.leases();
        if leases.is_empty() {
            renewed = Stopwatch::start();
            continue;
        }
        if renewed.elapsed() < JOB_HEARTBEAT {
            continue;
        }
        match jobs.renew(&leases).await {
            Ok(held) => {
                renewed = Stopwatch::start();
                for lease in leases.iter().filter(|lease| !held.contains(lease)) {
                    abandon(&running, lease);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "leases could not be renewed");
                if renewed.elapsed() > JOB_LEASE {
                    leases.iter().for_each(|lease| abandon(&running, lease));
                }
            }
        }
    }
}

fn abandon(running: &Running, lease: &Lease) {
    if let Some((_, work)) = running.lock().remove(lease) {
        tracing::warn!(job = %lease.job, attempt = lease.attempt, "a job was lost to another worker");
        work.abort();
    }
}
