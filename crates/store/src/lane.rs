//! A lane gathers concurrent questions into batches: while one batch is at the database, the next one fills up.
//!
//! Nobody waits for a timer: a lone question goes out at once, and batches grow only as large as the load makes them.

use crate::{StoreError, task};
use futures_util::FutureExt;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, oneshot};

/// How many batches of one kind may be at the database at once: half the processors, for each batch keeps one busy here
/// and one there. More would only make batches smaller.
pub fn batches_at_once() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() / 2).max(1)
}

type Asked<Q, A> = (Q, oneshot::Sender<Result<A, StoreError>>);

/// How a lane is sized.
#[derive(Debug, Clone, Copy)]
pub struct LaneSize {
    pub batch_max: usize,
    pub queue_max: usize,
    /// How many batches may be at the database at once.
    pub workers: usize,
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
    /// Starts the lane's workers. `answer` must give one answer for each question, in order.
    pub fn start<F, W>(name: &'static str, size: LaneSize, answer: F) -> Self
    where
        F: Fn(Vec<Q>) -> W + Send + Sync + 'static,
        W: Future<Output = Vec<Result<A, StoreError>>> + Send,
    {
        let (sender, receiver) = mpsc::channel(size.queue_max);
        let receiver = Arc::new(Mutex::new(receiver));
        let answer = Arc::new(answer);
        for _ in 0..size.workers.max(1) {
            let (receiver, answer) = (Arc::clone(&receiver), Arc::clone(&answer));
            task::spawn(name, async move { serve(name, size.batch_max, &receiver, &*answer).await });
        }
        Self { sender }
    }

    /// Asks and waits. A full queue refuses at once instead of making everyone wait longer.
    pub async fn ask(&self, question: Q) -> Result<A, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.sender.try_send((question, reply)).map_err(|_| StoreError::Overloaded)?;
        answer.await.map_err(|_| StoreError::Overloaded)?
    }
}

async fn serve<Q, A, F, W>(
    name: &'static str,
    batch_max: usize,
    receiver: &Mutex<mpsc::Receiver<Asked<Q, A>>>,
    answer: &F,
) where
    F: Fn(Vec<Q>) -> W,
    W: Future<Output = Vec<Result<A, StoreError>>>,
{
    let mut asked = Vec::with_capacity(batch_max);
    loop {
        if receiver.lock().await.recv_many(&mut asked, batch_max).await == 0 {
            return;
        }
        let (questions, replies): (Vec<Q>, Vec<_>) = asked.drain(..).unzip();
        metrics::counter!("assay_lane_batches_total", "lane" => name).increment(1);
        metrics::counter!("assay_lane_questions_total", "lane" => name)
            .increment(u64::try_from(questions.len()).unwrap_or(u64::MAX));
        let count = questions.len();
        // A panic must not end the lane with everyone who will ever ask; those in this batch learn that its fate is
        // unknown.
        let answers = AssertUnwindSafe(answer(questions)).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(lane = name, "a batch panicked");
            metrics::counter!("assay_task_panics_total", "task" => name).increment(1);
            let unknown = StoreError::Unavailable(Arc::new(sqlx::Error::WorkerCrashed));
            (0..count).map(|_| Err(unknown.clone())).collect()
        });
        for (reply, answer) in replies.into_iter().zip(answers) {
            // A caller that stopped waiting (its deadline passed) is no error.
            drop(reply.send(answer));
        }
    }
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
}
