//! The clients: eight at once, sending until they are told to stop.

use super::journal::{Job, Journal};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::Account;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const CLIENTS: usize = 8;
/// A dead server refuses at once; without a pause the journal would fill with requests that never left.
const REFUSED_PAUSE: Duration = Duration::from_millis(20);
const DRAIN_PAUSE: Duration = Duration::from_millis(50);

/// Running clients.
#[derive(Debug)]
pub struct Load {
    clients: JoinSet<()>,
    stop: Arc<AtomicBool>,
}

impl Load {
    pub fn start(address: SocketAddr, journal: &Arc<Journal>, accounts: &Arc<Vec<Account>>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let (journal, accounts, stop) = (Arc::clone(journal), Arc::clone(accounts), Arc::clone(&stop));
            clients.spawn(async move {
                let mut client = Client::new(address);
                while !stop.load(Ordering::SeqCst) {
                    let job = journal.next();
                    send(&mut client, &job, &journal, &accounts).await;
                }
            });
        }
        Self { clients, stop }
    }

    /// No new request from now on.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Waits for the requests under way.
    pub async fn join(mut self) {
        self.stop();
        while self.clients.join_next().await.is_some() {}
    }
}

/// Sends again what waits for a whole answer, until nothing does or the time is over.
pub async fn drain(
    address: SocketAddr,
    journal: &Arc<Journal>,
    accounts: &Arc<Vec<Account>>,
    allowed: Duration,
) {
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (journal, accounts) = (Arc::clone(journal), Arc::clone(accounts));
        clients.spawn(async move {
            let mut client = Client::new(address);
            while journal.open_keys() > 0 {
                match journal.next_waiting() {
                    Some(job) => {
                        send(&mut client, &job, &journal, &accounts).await;
                    }
                    None => tokio::time::sleep(DRAIN_PAUSE).await,
                }
            }
        });
    }
    drop(tokio::time::timeout(allowed, async { while clients.join_next().await.is_some() {} }).await);
}

/// Says whether the call ran and was answered, so that what was written for it is there: a replay only reads it.
pub async fn send(client: &mut Client, job: &Job, journal: &Journal, accounts: &[Account]) -> bool {
    let Some(account) = accounts.get(job.account) else { return false };
    let post = Post {
        path: "/v1/enrich",
        api_key: &account.api_key,
        idempotency_key: job.key.as_deref(),
        body: job.body.as_bytes(),
    };
    let exchange = client.post(&post).await;
    journal.note(job, &exchange);
    let ran = matches!(&exchange, Exchange::Whole(reply) if reply.status == 200 && !reply.is_replayed());
    match exchange {
        Exchange::Nothing => tokio::time::sleep(REFUSED_PAUSE).await,
        // Now and then a paid answer is asked for once more: it must come back byte for byte.
        Exchange::Whole(reply) if reply.status == 200 && job.key.is_some() && rand::random_ratio(1, 8) => {
            let first = reply.body.to_vec();
            if let Exchange::Whole(again) = client.post(&post).await
                && again.status == 200
                && again.body != first
            {
                journal.complain(&format!("two different answers under one key: {job:?}"));
            }
        }
        Exchange::Whole(_) | Exchange::Half => {}
    }
    ran
}
