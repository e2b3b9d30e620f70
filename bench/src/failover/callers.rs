//! Who pays meanwhile: clients that go from node to node, and send again what has a key until it is answered.

use crate::crash::journal::Journal;
use crate::crash::load::send;
use crate::http_client::Client;
use crate::rig::Account;
use anyhow::{Result, bail};
use assay_domain::clock::Stopwatch;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

const CLIENTS: usize = 8;
const THINK: Duration = Duration::from_millis(40);
const LOOK: Duration = Duration::from_millis(50);

/// A paid call that was written and answered: by which node, when it was sent and when it was answered.
#[derive(Debug, Clone, Copy)]
struct Ack {
    node: usize,
    sent: Duration,
    answered: Duration,
}

pub struct Callers {
    nodes: usize,
    clock: Stopwatch,
    clients: JoinSet<()>,
    stop: Arc<AtomicBool>,
    acks: Arc<Mutex<Vec<Ack>>>,
}

impl Callers {
    pub fn start(
        nodes: [SocketAddr; 2],
        journal: &Arc<Journal>,
        accounts: &Arc<Vec<Account>>,
        clock: Stopwatch,
    ) -> Self {
        let (stop, acks) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let mut clients = JoinSet::new();
        for first in 0..CLIENTS {
            let (journal, accounts) = (Arc::clone(journal), Arc::clone(accounts));
            let (stop, acks) = (Arc::clone(&stop), Arc::clone(&acks));
            clients.spawn(async move {
                let mut connections = nodes.map(Client::new);
                for turn in first.. {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let (node, job) = (turn % connections.len(), journal.next());
                    let sent = clock.elapsed();
                    if send(&mut connections[node], &job, &journal, &accounts).await && job.paid {
                        let ack = Ack { node, sent, answered: clock.elapsed() };
                        acks.lock().unwrap_or_else(PoisonError::into_inner).push(ack);
                    }
                    tokio::time::sleep(THINK).await;
                }
            });
        }
        Self { nodes: nodes.len(), clock, clients, stop, acks }
    }

    /// Waits until every node has written and answered a paid call that was sent after that moment; how long it took from it.
    pub async fn resumed(&self, after: Duration, within: Duration) -> Result<Duration> {
        while self.clock.elapsed().saturating_sub(after) < within {
            let first = |node: usize| {
                let acks = self.acks.lock().unwrap_or_else(PoisonError::into_inner);
                let of_node = acks.iter().filter(|ack| ack.node == node && ack.sent > after);
                of_node.map(|ack| ack.answered).min()
            };
            let firsts: Option<Vec<Duration>> = (0..self.nodes).map(first).collect();
            if let Some(last) = firsts.and_then(|firsts| firsts.into_iter().max()) {
                return Ok(last.saturating_sub(after));
            }
            tokio::time::sleep(LOOK).await;
        }
        bail!("not every node writes again {within:?} after the primary was lost")
    }

    /// Paid calls that were written and answered.
    pub fn acknowledged(&self) -> usize {
        self.acks.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Waits for the calls under way.
    pub async fn end(mut self) {
        self.stop.store(true, Ordering::SeqCst);
        while self.clients.join_next().await.is_some() {}
    }
}
