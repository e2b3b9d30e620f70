//! A lane gathers concurrent questions into batches: while one batch is at the database, the next one fills up.
//!
//! Nobody waits for a timer: a lone question goes out at once, and batches grow only as large as the load makes them.
//! A question whose asker is gone (its deadline passed, or its client hung up) is dropped before its batch is sent, and
//! never after: that is how a deadline is carried down.

use crate::{StoreError, task};
use futures_util::FutureExt;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// How many batches of one kind may be at the database at once: half the processors, for each batch keeps one busy here
/// and one there. More would only make batches smaller.
pub fn batches_at_once() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() / 2).max(1)
}

/// Answers of a batch that are handed out before others get a turn.
const ANSWERS_AT_A_TIME: usize = 16;

type Asked<Q, A> = (Q, oneshot::Sender<Result<A, StoreError>>);

/// How a lane is sized.
#[derive(Debug, Clone, Copy)]
pub struct LaneSize {
    pub batch_max: usize,
    pub queue_max: usize,
    /// How many batches may be at the database at once.
    pub workers: usize,
}

/// A worker's turn to gather. While it is held no other worker of the lane gathers; a batch lets go of it when all that
/// is left is waiting, for a disk for example.
#[derive(Debug, Default)]
pub struct Turn(Option<OwnedSemaphorePermit>);

impl Turn {
    /// Lets the next worker gather.
    pub fn pass(&mut self) {
        self.0 = None;
    }
}

/// A worker of a lane, with what it keeps from batch to batch.
pub trait Worker<Q, A>: Send + 'static {
    /// Gives one answer for each question, in order.
    fn answer(
        &mut self,
        questions: Vec<Q>,
        turn: Turn,
    ) -> impl Future<Output = Vec<Result<A, StoreError>>> + Send;

    /// Forgets what a batch that panicked may have left half-done.
    fn recover(&mut self);
}

/// A worker that keeps nothing.
struct Stateless<F>(Arc<F>);

impl<Q, A, F, W> Worker<Q, A> for Stateless<F>
where
    Q: Send + 'static,
    F: Fn(Vec<Q>) -> W + Send + Sync + 'static,
    W: Future<Output = Vec<Result<A, StoreError>>> + Send,
{
    async fn answer(&mut self, questions: Vec<Q>, mut turn: Turn) -> Vec<Result<A, StoreError>> {
        turn.pass();
        (self.0)(questions).await
    }

    fn recover(&mut self) {}
}

/// A queue of questions that are answered in batches.
pub struct Lane<Q, A> {
    sender: mpsc::Sender<Asked<Q, A>>,
}

impl<Q, A> Clone for Lane<Q, A> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone() }
    }
}

impl<Q, A> fmt::Debug for Lane<Q, A> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Lane")
    }
}

impl<Q: Send + 'static, A: Send + 'static> Lane<Q, A> {
    /// Starts workers that keep nothing. `answer` must give one answer for each question, in order.
    pub fn start<F, W>(name: &'static str, size: LaneSize, answer: F) -> Self
    where
        F: Fn(Vec<Q>) -> W + Send + Sync + 'static,
        W: Future<Output = Vec<Result<A, StoreError>>> + Send,
    {
        let answer = Arc::new(answer);
        Self::start_workers(name, size, || Stateless(Arc::clone(&answer)))
    }

    /// Starts `size.workers` workers.
    pub fn start_workers<W: Worker<Q, A>>(
        name: &'static str,
        size: LaneSize,
        worker: impl Fn() -> W,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(size.queue_max);
        let (receiver, turns) = (Arc::new(Mutex::new(receiver)), Arc::new(Semaphore::new(1)));
        for _ in 0..size.workers.max(1) {
            let (receiver, turns, worker) = (Arc::clone(&receiver), Arc::clone(&turns), worker());
            task::spawn(name, serve(name, size.batch_max, receiver, turns, worker));
        }
        Self { sender }
    }

    /// Whether nobody waits for a batch to be gathered.
    pub fn is_quiet(&self) -> bool {
        self.sender.capacity() == self.sender.max_capacity()
    }

    /// Asks and waits. A full queue refuses at once instead of making everyone wait longer.
    pub async fn ask(&self, question: Q) -> Result<A, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.sender.try_send((question, reply)).map_err(|_| StoreError::Overloaded)?;
        answer.await.map_err(|_| StoreError::Overloaded)?
    }
}

async fn serve<Q, A: Send + 'static, W: Worker<Q, A>>(
    name: &'static str,
    batch_max: usize,
    receiver: Arc<Mutex<mpsc::Receiver<Asked<Q, A>>>>,
    turns: Arc<Semaphore>,
    mut worker: W,
) {
    let batches = metrics::counter!("assay_lane_batches_total", "lane" => name);
    let asked_total = metrics::counter!("assay_lane_questions_total", "lane" => name);
    let dropped_total = metrics::counter!("assay_lane_questions_dropped_total", "lane" => name);
    let mut asked = Vec::with_capacity(batch_max);
    loop {
        let turn = Turn(Arc::clone(&turns).acquire_owned().await.ok());
        if receiver.lock().await.recv_many(&mut asked, batch_max).await == 0 {
            return;
        }
        let gathered = asked.len();
        asked.retain(|(_, reply)| !reply.is_closed());
        dropped_total.increment(count(gathered - asked.len()));
        if asked.is_empty() {
            continue;
        }
        let (questions, replies): (Vec<Q>, Vec<_>) = asked.drain(..).unzip();
        batches.increment(1);
        asked_total.increment(count(questions.len()));
        // A panic must not end the lane with everyone who will ever ask; those in this batch learn that its fate is
        // unknown.
        let answers = AssertUnwindSafe(worker.answer(questions, turn)).catch_unwind().await;
        let answers = answers.unwrap_or_else(|_| {
            tracing::error!(lane = name, "a batch panicked");
            metrics::counter!("assay_task_panics_total", "task" => name).increment(1);
            worker.recover();
            let unknown = StoreError::Unavailable(Arc::new(sqlx::Error::WorkerCrashed));
            replies.iter().map(|_| Err(unknown.clone())).collect()
        });
        hand_out(name, replies, answers);
    }
}

/// Wakes those who asked. What they do with their answers takes time: all of a large batch at once would make whoever comes
/// meanwhile, if only to be refused, wait behind them.
fn hand_out<A: Send + 'static>(
    name: &'static str,
    replies: Vec<oneshot::Sender<Result<A, StoreError>>>,
    answers: Vec<Result<A, StoreError>>,
) {
    let mut pairs = replies.into_iter().zip(answers);
    let mut next = move || {
        for (reply, answer) in pairs.by_ref().take(ANSWERS_AT_A_TIME) {
            // A caller that stopped waiting (its deadline passed) is no error.
            drop(reply.send(answer));
        }
        pairs.len() > 0
    };
    if next() {
        task::spawn(name, async move {
            tokio::task::yield_now().await;
            while next() {
                tokio::task::yield_now().await;
            }
        });
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: LaneSize = LaneSize { batch_max: 4, queue_max: 16, workers: 1 };

    #[tokio::test]
    async fn a_batch_that_panics_fails_its_askers_and_nobody_after_them() {
        let lane = Lane::start("test", SIZE, |questions: Vec<u32>| async move {
            assert!(!questions.contains(&13), "as a test");
            questions.into_iter().map(|number| Ok(number * 2)).collect()
        });
        assert!(matches!(lane.ask(13).await, Err(StoreError::Unavailable(_))));
        assert_eq!(lane.ask(4).await.ok(), Some(8));
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once() {
        let lane = Lane::start("test", SIZE, |questions: Vec<u32>| async move {
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
            questions.into_iter().map(Ok).collect()
        });
        let waiting: Vec<_> = (0..40).map(|number| Box::pin(lane.ask(number))).collect();
        let refused = futures_util::future::join_all(waiting.into_iter().map(|ask| async move {
            let soon = std::time::Duration::from_millis(200);
            matches!(tokio::time::timeout(soon, ask).await, Ok(Err(StoreError::Overloaded)))
        }));
        assert!(refused.await.into_iter().filter(|refused| *refused).count() >= 40 - 16 - 4);
    }

    #[tokio::test]
    async fn a_question_whose_asker_is_gone_is_never_sent() {
        let sent = Arc::new(std::sync::Mutex::new(Vec::new()));
        let (seen, gate) = (Arc::clone(&sent), Arc::new(tokio::sync::Notify::new()));
        let open = Arc::clone(&gate);
        let lane = Lane::start("test", SIZE, move |questions: Vec<u32>| {
            let (seen, open) = (Arc::clone(&seen), Arc::clone(&open));
            async move {
                let first = questions.contains(&1);
                seen.lock().unwrap().extend(questions.iter().copied());
                if first {
                    open.notified().await;
                }
                questions.into_iter().map(Ok).collect()
            }
        });
        let first = lane.clone();
        let first = task::spawn("test", async move { drop(first.ask(1).await) });
        while sent.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        // Both wait behind the first batch; one of them stops waiting.
        let mut gone = Box::pin(lane.ask(2));
        assert!(futures_util::poll!(&mut gone).is_pending());
        let stays = lane.ask(3);
        drop(gone);
        gate.notify_one();
        assert_eq!(stays.await.ok(), Some(3));
        first.await.unwrap();
        assert_eq!(*sent.lock().unwrap(), [1, 3]);
    }

    /// Passes its turn on, then waits as if for a disk.
    struct Committer(Arc<tokio::sync::Notify>);

    impl Worker<u32, u32> for Committer {
        async fn answer(&mut self, questions: Vec<u32>, mut turn: Turn) -> Vec<Result<u32, StoreError>> {
            if questions.contains(&1) {
                turn.pass();
                self.0.notified().await;
            }
            questions.into_iter().map(Ok).collect()
        }

        fn recover(&mut self) {}
    }

    #[tokio::test]
    async fn a_batch_that_passed_its_turn_does_not_hold_up_the_next_one() {
        let gate = Arc::new(tokio::sync::Notify::new());
        let lane =
            Lane::start_workers("test", LaneSize { workers: 2, ..SIZE }, || Committer(Arc::clone(&gate)));
        let mut slow = Box::pin(lane.ask(1));
        assert!(futures_util::poll!(&mut slow).is_pending());
        tokio::task::yield_now().await;
        assert_eq!(lane.ask(2).await.ok(), Some(2));
        assert!(futures_util::poll!(&mut slow).is_pending());
        gate.notify_one();
        assert_eq!(slow.await.ok(), Some(1));
    }
}
