//! Who watches: some ask page after page, some have a stream open; when their node dies or fails, they go on at the other one.

use super::super::event_stream::EventStream;
use crate::http_client::{Client, Exchange};
use assay_domain::clock::Stopwatch;
use serde_json::Value;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

const POLL_EVERY: Duration = Duration::from_millis(250);
const AGAIN_AFTER: Duration = Duration::from_millis(300);

/// What one of them saw, and when.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub name: String,
    /// How what it can see of the published begins.
    pub kinds: Vec<&'static str>,
    pub rounds: HashMap<usize, Vec<Duration>>,
    pub published: HashMap<String, Vec<Duration>>,
}

impl Seen {
    fn note(&mut self, row: &Value, at: Duration) {
        let told = row["company"]["domain"].as_str().and_then(|domain| domain.strip_prefix("told-"));
        if let Some(number) = told.and_then(|rest| rest.strip_suffix(".example")?.parse().ok()) {
            self.rounds.entry(number).or_default().push(at);
            return;
        }
        let what = match row["kind"].as_str() {
            Some("hiring") => format!("job {}", row["job"]["title"].as_str().unwrap_or_default()),
            _ => format!("form {}", row["company"]["name"].as_str().unwrap_or_default()),
        };
        self.published.entry(what).or_default().push(at);
    }
}

type Shared = Arc<Mutex<Seen>>;

pub struct Observers {
    all: Vec<Shared>,
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
}

impl Observers {
    pub fn start(addresses: [SocketAddr; 2], api_key: &str, clock: Stopwatch) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut observers = Self { all: Vec::new(), tasks: JoinSet::new(), stop };
        for (first, node) in ["the first node", "the second node"].into_iter().enumerate() {
            let watcher = |kind: &'static str| Watcher {
                addresses: [addresses[first], addresses[1 - first]],
                api_key: api_key.to_owned(),
                kind,
                clock,
                stop: stopped.clone(),
            };
            for (kind, seen_kinds) in [("funding", vec!["form"]), ("hiring", vec!["job"])] {
                let seen = observers.add(format!("a poller of {kind} at {node}"), &seen_kinds);
                observers.tasks.spawn(watcher(kind).poll(seen));
                let seen = observers.add(format!("a stream of {kind} at {node}"), &seen_kinds);
                observers.tasks.spawn(watcher(kind).listen(seen));
            }
        }
        observers
    }

    fn add(&mut self, name: String, kinds: &[&'static str]) -> Shared {
        let seen = Shared::new(Mutex::new(Seen { name, kinds: kinds.to_vec(), ..Seen::default() }));
        self.all.push(Arc::clone(&seen));
        seen
    }

    /// Until everybody saw everything, or for as long as that.
    pub async fn wait_for(&self, sent: &[Duration], published: &[(String, Duration)], most: Duration) {
        let waiting = Stopwatch::start();
        let is_done = |seen: &Shared| {
            let seen = lock(seen);
            let wanted =
                published.iter().filter(|(what, _)| seen.kinds.iter().any(|kind| what.starts_with(kind)));
            let rounds = if seen.kinds.contains(&"form") { sent.len() } else { 0 };
            seen.rounds.len() >= rounds && wanted.count() <= seen.published.len()
        };
        while !self.all.iter().all(is_done) && waiting.elapsed() < most {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        // For whatever would come twice.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    pub async fn end(mut self) -> Vec<Seen> {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
        self.all.iter().map(|seen| lock(seen).clone()).collect()
    }
}

fn lock(seen: &Shared) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Watcher {
    /// The one it begins with first.
    addresses: [SocketAddr; 2],
    api_key: String,
    kind: &'static str,
    clock: Stopwatch,
    stop: watch::Receiver<bool>,
}

impl Watcher {
    /// Page after page; after a failure at the other node, with the same cursor.
    async fn poll(self, seen: Shared) {
        let mut cursor: Option<String> = None;
        let mut node = 0;
        while !*self.stop.borrow() {
            let mut client = Client::new(self.addresses[node % 2]);
            while !*self.stop.borrow() {
                let after = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
                let path = format!("/v1/signals?kind={}&limit=100{after}", self.kind);
                let page: Option<Value> = match client.get(&path, &self.api_key).await {
                    Exchange::Whole(reply) if reply.status == 200 => serde_json::from_slice(reply.body).ok(),
                    _ => None,
                };
                let Some(page) = page else { break };
                let at = self.clock.elapsed();
                let rows = page["results"].as_array().map(Vec::as_slice).unwrap_or_default();
                rows.iter().for_each(|row| lock(&seen).note(row, at));
                cursor = page["next_cursor"].as_str().map(str::to_owned).or(cursor);
                if rows.len() < 100 {
                    tokio::time::sleep(POLL_EVERY).await;
                }
            }
            node += 1;
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }

    /// As it happens; after a failure at the other node, after the last event.
    async fn listen(mut self, seen: Shared) {
        let mut last: Option<String> = None;
        let mut node = 0;
        while !*self.stop.borrow() {
            let path = format!("/v1/signals?kind={}", self.kind);
            let opened = EventStream::resume(self.addresses[node % 2], &path, &self.api_key, last.as_deref());
            if let Ok(mut stream) = opened.await {
                // What is cut off before its empty line has not come.
                let (mut id, mut row) = (None, None);
                loop {
                    let clock = self.clock;
                    let mut take = |line: &[u8]| {
                        let line = String::from_utf8_lossy(line);
                        if let Some(told) = line.strip_prefix("id: ") {
                            id = Some(told.to_owned());
                        } else if let Some(data) = line.strip_prefix("data: ") {
                            row = serde_json::from_str::<Value>(data).ok();
                        } else if line.is_empty()
                            && let Some(row) = row.take()
                        {
                            lock(&seen).note(&row, clock.elapsed());
                            last = id.take().or(last.take());
                        }
                    };
                    tokio::select! {
                        read = stream.read(&mut take) => if read.is_err() { break },
                        _ = self.stop.wait_for(|stop| *stop) => return,
                    }
                }
            }
            node += 1;
            tokio::time::sleep(AGAIN_AFTER).await;
        }
    }
}
