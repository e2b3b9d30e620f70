//! The task that tells the other nodes what this one admitted, and hears what they did.

use super::windows::Windows;
use assay_domain::clock::Stopwatch;
use assay_domain::{Clock, limits};
use assay_store::ledger::RateNode;
use assay_store::task;
use std::sync::{Arc, Weak};
use tokio::sync::Notify;

struct Exchange {
    windows: Weak<Windows>,
    wake: Arc<Notify>,
    node: RateNode,
    clock: Clock,
    in_touch: bool,
}

/// Runs until the windows are gone.
pub(super) fn start(windows: &Arc<Windows>, node: RateNode, clock: Clock) {
    let (weak, wake) = (Arc::downgrade(windows), windows.wake());
    let exchange = Exchange { windows: weak, wake, node, clock, in_touch: true };
    task::spawn("exchange-rates", exchange.run());
}

impl Exchange {
    async fn run(mut self) {
        let (mut beaten, mut swept) = (None::<Stopwatch>, Stopwatch::start());
        while let Some(windows) = self.windows.upgrade() {
            if beaten.is_none_or(|beaten| beaten.elapsed() >= limits::RATE_BEAT_EVERY) {
                beaten = Some(Stopwatch::start());
                self.beat(&windows).await;
            }
            if swept.elapsed() >= limits::RATE_SWEEP_EVERY {
                swept = Stopwatch::start();
                self.sweep().await;
            }
            if self.turn(&windows).await {
                tokio::time::sleep(limits::RATE_EXCHANGE_PAUSE).await;
            }
            drop(windows);
            let since_beat = beaten.map_or(limits::RATE_BEAT_EVERY, Stopwatch::elapsed);
            let idle = limits::RATE_BEAT_EVERY.saturating_sub(since_beat);
            // Woken or not, the next turn looks for itself.
            drop(tokio::time::timeout(idle, self.wake.notified()).await);
        }
    }

    async fn beat(&mut self, windows: &Windows) {
        match self.node.beat().await {
            Ok(others) => {
                if !std::mem::replace(&mut self.in_touch, true) {
                    tracing::info!("request rates are shared with the other nodes again");
                }
                let nodes = others.saturating_add(1);
                metrics::gauge!("assay_rate_nodes").set(f64::from(nodes));
                windows.set_nodes(nodes, self.now_ms());
            }
            Err(error) => self.lose_touch(windows, &error),
        }
    }

    /// One exchange, if there is anything to tell or anybody waiting.
    async fn turn(&mut self, windows: &Windows) -> bool {
        let Some(round) = windows.begin(self.now_ms(), self.node.id()) else { return false };
        if windows.nodes() <= 1 {
            windows.fail(self.now_ms(), Some(round));
            return false;
        }
        match self.node.exchange(&round.told).await {
            Ok(heard) => {
                metrics::counter!("assay_rate_exchanges_total").increment(1);
                windows.end(self.now_ms(), round, heard);
            }
            Err(error) => {
                windows.fail(self.now_ms(), Some(round));
                self.lose_touch(windows, &error);
            }
        }
        true
    }

    async fn sweep(&mut self) {
        if let Err(error) = self.node.sweep().await {
            tracing::warn!(%error, "old request rates could not be swept");
        }
    }

    fn lose_touch(&mut self, windows: &Windows, error: &assay_store::StoreError) {
        metrics::counter!("assay_rate_exchange_errors_total").increment(1);
        if std::mem::replace(&mut self.in_touch, false) {
            tracing::warn!(%error, "the other nodes cannot be heard; request rates are this node's own until they can");
        }
        windows.fail(self.now_ms(), None);
    }

    fn now_ms(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }
}

/// However the task ends, nobody waits for it any more.
impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(windows) = self.windows.upgrade() {
            windows.fail(self.now_ms(), None);
        }
    }
}
