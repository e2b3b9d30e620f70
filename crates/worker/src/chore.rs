//! A chore is a loop that must never die: it goes on after errors, with a pause, and after panics.

use assay_store::{StoreError, task};
use std::future::Future;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Something done again and again.
pub(crate) trait Chore: Clone + Send + Sync + 'static {
    const NAME: &'static str;

    /// Does it once and says how long to wait before the next time.
    fn turn(&self) -> impl Future<Output = Result<Duration, StoreError>> + Send;

    /// Tidies up after the last turn.
    fn stop(&self) -> impl Future<Output = Result<(), StoreError>> + Send {
        std::future::ready(Ok(()))
    }
}

pub(crate) fn start_chore(chore: impl Chore, shutdown: watch::Receiver<bool>) -> JoinHandle<()> {
    task::spawn("chore", supervise(chore, shutdown))
}

/// Turns run in a task of their own: one that panics is logged and counted by it, and then started again.
async fn supervise<C: Chore>(chore: C, mut shutdown: watch::Receiver<bool>) {
    while !*shutdown.borrow() {
        let life = task::spawn(C::NAME, live(chore.clone(), shutdown.clone()));
        drop(life.await);
        if wait(PAUSE_MAX, &mut shutdown).await {
            return;
        }
    }
}

async fn live<C: Chore>(chore: C, mut shutdown: watch::Receiver<bool>) {
    let mut pause = PAUSE_MIN;
    loop {
        let rest = match chore.turn().await {
            Ok(rest) => {
                pause = PAUSE_MIN;
                rest
            }
            Err(error) => {
                tracing::warn!(chore = C::NAME, %error, "a turn failed and is tried again");
                metrics::counter!("assay_chore_errors_total", "chore" => C::NAME).increment(1);
                let longer = (pause * 2).min(PAUSE_MAX);
                std::mem::replace(&mut pause, longer)
            }
        };
        if wait(rest, &mut shutdown).await {
            break;
        }
    }
    if let Err(error) = chore.stop().await {
        tracing::warn!(chore = C::NAME, %error, "a chore did not stop cleanly");
    }
}

/// Waits, or less when the shutdown comes; says whether it came.
async fn wait(rest: Duration, shutdown: &mut watch::Receiver<bool>) -> bool {
    let stopped = shutdown.wait_for(|stop| *stop);
    // A dropped sender ends the wait like a signal: nobody is left who could give one.
    tokio::time::timeout(rest, stopped).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[derive(Clone, Default)]
    struct Failing {
        turns: Arc<AtomicU32>,
        stops: Arc<AtomicU32>,
    }

    impl Chore for Failing {
        const NAME: &'static str = "failing";

        async fn turn(&self) -> Result<Duration, StoreError> {
            match self.turns.fetch_add(1, Ordering::SeqCst) {
                0 => Err(StoreError::Overloaded),
                1 => panic!("as a test"),
                _ => Ok(Duration::from_millis(1)),
            }
        }

        async fn stop(&self) -> Result<(), StoreError> {
            self.stops.fetch_add(1, Ordering::SeqCst);
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_chore_outlives_an_error_and_a_panic_and_stops_when_told() {
        let (stop, shutdown) = watch::channel(false);
        let chore = Failing::default();
        let running = start_chore(chore.clone(), shutdown);
        let goes_on = async {
            while chore.turns.load(Ordering::SeqCst) < 10 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PAUSE_MAX * 4, goes_on).await.unwrap();
        stop.send(true).unwrap();
        tokio::time::timeout(Duration::from_secs(1), running).await.unwrap().unwrap();
        assert_eq!(chore.stops.load(Ordering::SeqCst), 1);
    }
}
