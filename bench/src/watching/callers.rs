//! Those who run lists: each list at two nodes at once, some with an idempotency key and some without one.

use super::book::Book;
use super::cast::Cast;
use crate::http_client::{Client, Exchange, Post};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

const CALLERS: usize = 12;
const AGAIN_AFTER: Duration = Duration::from_millis(500);
/// Longer than the claim of a call that died on its key.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(90);
/// Entries asked for, in turn: few, so that more is left, and as many as there may be.
const LIMITS: [u32; 3] = [1_000, 20, 100];
/// Runs of a list one after the other while there is more.
const IN_A_ROW_MAX: usize = 50;

/// What all who ask share.
#[derive(Debug)]
pub(super) struct Office {
    pub cast: Arc<Cast>,
    pub book: Book,
    pub nodes: [SocketAddr; 2],
    pub api_keys: Vec<String>,
    /// Their ids, once they are made.
    pub ids: Vec<OnceLock<String>>,
    pub tally: Tally,
    runs: AtomicUsize,
}

/// What came of calls.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Answers that came only when the call was repeated with its key.
    pub repeated: AtomicUsize,
    pub runs: AtomicUsize,
    refusals: Mutex<BTreeMap<u16, usize>>,
}

impl Tally {
    fn refused(&self, status: u16) {
        *self.refusals.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    pub(super) fn refusals(&self) -> String {
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.iter().map(|(status, count)| format!("{status}: {count}")).collect::<Vec<_>>().join(", ")
    }
}

impl Office {
    pub(super) fn new(cast: Arc<Cast>, nodes: [SocketAddr; 2], api_keys: Vec<String>) -> Self {
        let lists = cast.lists.len();
        Self {
            cast,
            book: Book::new(lists),
            nodes,
            api_keys,
            ids: (0..lists).map(|_| OnceLock::new()).collect(),
            tally: Tally::default(),
            runs: AtomicUsize::new(0),
        }
    }

    pub(super) fn api_key(&self, list: usize) -> &str {
        &self.api_keys[self.cast.lists[list].account]
    }

    /// Runs a list at a node until it says that nothing is left.
    async fn run(&self, clients: &mut [Client; 2], list: usize, first: usize, has_key: bool) -> Result<()> {
        let Some(id) = self.ids[list].get() else { return Ok(()) };
        for _ in 0..IN_A_ROW_MAX {
            let number = self.runs.fetch_add(1, Ordering::Relaxed);
            let body = format!("{{\"limit\":{}}}", LIMITS[number % LIMITS.len()]);
            let key = has_key.then(|| format!("run-{number}"));
            let path = format!("/v1/watch-lists/{id}/run");
            let post = Post {
                path: &path,
                api_key: self.api_key(list),
                idempotency_key: key.as_deref(),
                body: body.as_bytes(),
            };
            if !self.ask(clients, list, first, &post).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether more is to be told. With a key it is asked until there is an answer, wherever; without one, once.
    async fn ask(
        &self,
        clients: &mut [Client; 2],
        list: usize,
        first: usize,
        post: &Post<'_>,
    ) -> Result<bool> {
        let trying = Stopwatch::start();
        let mut was_lost = false;
        for attempt in first.. {
            match clients[attempt % 2].post(post).await {
                Exchange::Whole(reply) if reply.status == 200 => {
                    self.tally.runs.fetch_add(1, Ordering::Relaxed);
                    self.tally.repeated.fetch_add(usize::from(was_lost), Ordering::Relaxed);
                    return self.book.note(&self.cast, list, reply.body);
                }
                // It failed, and so it told nothing.
                Exchange::Whole(reply) if matches!(reply.status, 409 | 429 | 500..) => {
                    self.tally.refused(reply.status);
                    if post.idempotency_key.is_none() {
                        return Ok(false);
                    }
                }
                Exchange::Whole(reply) => {
                    bail!("a run: {} {}", reply.status, String::from_utf8_lossy(reply.body))
                }
                Exchange::Half | Exchange::Nothing if post.idempotency_key.is_none() => {
                    self.book.note_lost(list);
                    return Ok(false);
                }
                Exchange::Half | Exchange::Nothing => was_lost = true,
            }
            ensure!(trying.elapsed() < GIVEN_UP_AFTER, "a run of list {list} has no answer");
            tokio::time::sleep(AGAIN_AFTER).await;
        }
        bail!("there are no more numbers")
    }

    fn clients(&self) -> [Client; 2] {
        self.nodes.map(Client::new)
    }
}

/// Runs each of these lists once, until nothing is left to be told: at one node, with a key.
pub(super) async fn run_once(office: &Arc<Office>, lists: Vec<usize>) -> Result<()> {
    let (lists, next) = (Arc::new(lists), Arc::new(AtomicUsize::new(0)));
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (office, lists, next) = (Arc::clone(office), Arc::clone(&lists), Arc::clone(&next));
        callers.spawn(async move {
            let mut clients = office.clients();
            while let Some((place, list)) = take(&lists, &next) {
                office.run(&mut clients, list, place, true).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(())
}

fn take(lists: &[usize], next: &AtomicUsize) -> Option<(usize, usize)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    lists.get(place).map(|list| (place, *list))
}

/// Runs lists in turn for as long as the feed goes on, all of them once in so long, each at both nodes at once. Those whose schedule
/// is left alone are not among them.
pub(super) struct Callers(JoinSet<Result<()>>);

impl Callers {
    pub(super) fn start(office: &Arc<Office>, time: Duration, round: Duration) -> Result<Self> {
        let lists: Vec<usize> =
            (0..office.cast.lists.len()).filter(|list| !is_left_to_schedule(&office.cast, *list)).collect();
        let pause = round / u32::try_from(lists.len()).context("too many lists")?;
        let (lists, turn, clock) = (Arc::new(lists), Arc::new(AtomicUsize::new(0)), Stopwatch::start());
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let (office, lists, turn) = (Arc::clone(office), Arc::clone(&lists), Arc::clone(&turn));
            callers.spawn(async move {
                let (mut here, mut there) = (office.clients(), office.clients());
                loop {
                    let number = turn.fetch_add(1, Ordering::Relaxed);
                    let due = pause.saturating_mul(u32::try_from(number)?);
                    if due > time {
                        return Ok(());
                    }
                    tokio::time::sleep(due.saturating_sub(clock.elapsed())).await;
                    let list = lists[number % lists.len()];
                    let has_key = !number.is_multiple_of(3);
                    let (one, other) = tokio::join!(
                        office.run(&mut here, list, 0, has_key),
                        office.run(&mut there, list, 1, true)
                    );
                    one.and(other)?;
                }
            });
        }
        Ok(Self(callers))
    }

    pub(super) async fn end(mut self) -> Result<()> {
        while let Some(caller) = self.0.join_next().await {
            caller??;
        }
        Ok(())
    }
}

/// Every other one of those with a schedule is run by nobody else.
pub(super) fn is_left_to_schedule(cast: &Cast, list: usize) -> bool {
    cast.lists[list].is_scheduled && list.is_multiple_of(2)
}
