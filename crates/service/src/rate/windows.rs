//! The windows of all accounts and keys this node has heard of in the last minute, and the calls that wait for others.

use super::ruling::{Ruling, WindowMap, Wish};
use assay_domain::rate::{Heard, Told, Verdict};
use assay_domain::{AccountId, limits};
use assay_store::ledger::WindowId;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

const SHARDS: usize = 16;

/// The windows, in shards so that accounts do not wait for each other.
#[derive(Debug)]
pub(super) struct Windows {
    shards: Vec<Mutex<WindowMap>>,
    /// The nodes in touch, this one included.
    nodes: AtomicU32,
    /// Windows the others should hear of; each at most once.
    due: Mutex<Vec<WindowId>>,
    waiting: Mutex<Vec<Waiter>>,
    wake: Arc<Notify>,
}

/// A call that waits until the other nodes were heard.
#[derive(Debug)]
pub(super) struct Waiter {
    wish: Wish,
    answer: oneshot::Sender<Ruling>,
}

/// What one exchange tells, and whom it answers.
#[derive(Debug)]
pub(super) struct Round {
    pub told: Vec<(WindowId, Told)>,
    waiters: Vec<Waiter>,
}

impl Windows {
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            nodes: AtomicU32::new(1),
            due: Mutex::default(),
            waiting: Mutex::default(),
            wake: Arc::default(),
        }
    }

    /// Counts a request, or refuses it. `None` while only the other nodes can say which.
    pub fn decide(&self, wish: &Wish, now_ms: i64) -> Option<Ruling> {
        self.decide_among(wish, now_ms, self.nodes())
    }

    fn decide_among(&self, wish: &Wish, now_ms: i64, nodes: u32) -> Option<Ruling> {
        let mut due = Vec::new();
        let ruling = {
            let mut shard = lock(self.shard(wish.account));
            make_room(&mut shard, now_ms);
            let admitted = match wish.judge(&mut shard, now_ms, nodes) {
                Verdict::Ask => return None,
                verdict => verdict == Verdict::Fits,
            };
            wish.rule(&mut shard, now_ms, nodes, admitted, |id| due.push(id))
        };
        self.tell_soon(due);
        Some(ruling)
    }

    /// Waits until the other nodes were heard. Should they not be, the node goes by what it knows.
    pub async fn wait(&self, wish: Wish, now_ms: i64) -> Ruling {
        let (answer, answered) = oneshot::channel();
        let crowded = {
            let mut waiting = lock(&self.waiting);
            let crowded = waiting.len() >= limits::RATE_WAITING_MAX;
            if !crowded {
                waiting.push(Waiter { wish: wish.clone(), answer });
            }
            crowded
        };
        if crowded {
            return self.refuse(&wish, now_ms);
        }
        self.wake.notify_one();
        match tokio::time::timeout(limits::RATE_WAIT_MAX, answered).await {
            Ok(Ok(ruling)) => ruling,
            _ => self.decide_alone(&wish, now_ms),
        }
    }

    /// What this node would say if it were the only one.
    fn decide_alone(&self, wish: &Wish, now_ms: i64) -> Ruling {
        self.decide_among(wish, now_ms, 1).unwrap_or_else(|| self.refuse(wish, now_ms))
    }

    fn refuse(&self, wish: &Wish, now_ms: i64) -> Ruling {
        let mut shard = lock(self.shard(wish.account));
        wish.rule(&mut shard, now_ms, self.nodes(), false, drop)
    }

    pub fn nodes(&self) -> u32 {
        self.nodes.load(Ordering::Acquire)
    }

    /// Sets how many nodes are in touch. The windows of a node that was alone are new to the others.
    pub fn set_nodes(&self, nodes: u32, now_ms: i64) {
        let before = self.nodes.swap(nodes, Ordering::AcqRel);
        if before > 1 || nodes <= 1 {
            return;
        }
        for shard in &self.shards {
            let mut due = Vec::new();
            for (id, window) in lock(shard).iter_mut() {
                if window.is_worth_telling(now_ms, nodes) && window.mark_due() {
                    due.push(id.clone());
                }
            }
            self.tell_soon(due);
        }
    }

    pub fn wake(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }

    /// What is to be told now; `None` if nothing is.
    pub fn begin(&self, now_ms: i64, own: Uuid) -> Option<Round> {
        let waiters = take_some(&self.waiting);
        let due = take_some(&self.due);
        if waiters.is_empty() && due.is_empty() {
            return None;
        }
        let mut waiting: HashMap<WindowId, u32> = due.into_iter().map(|id| (id, 0)).collect();
        for (id, _) in waiters.iter().flat_map(|waiter| waiter.wish.windows()) {
            *waiting.entry(id).or_default() += 1;
        }
        let tell = |(id, waiting): (WindowId, u32)| {
            let told = lock(self.shard(id.account)).get_mut(&id)?.tell(now_ms, own, waiting);
            Some((id, told))
        };
        Some(Round { told: waiting.into_iter().filter_map(tell).collect(), waiters })
    }

    /// The others were told, and heard.
    pub fn end(&self, now_ms: i64, round: Round, heard: Vec<(WindowId, Heard)>) {
        let mut by_window: HashMap<WindowId, Vec<Heard>> = HashMap::new();
        for (id, row) in heard {
            by_window.entry(id).or_default().push(row);
        }
        for (id, _) in &round.told {
            if let Some(window) = lock(self.shard(id.account)).get_mut(id) {
                window.hear(now_ms, by_window.remove(id).unwrap_or_default());
            }
        }
        let mut undecided = Vec::new();
        for waiter in round.waiters.into_iter().filter(|waiter| !waiter.answer.is_closed()) {
            match self.decide(&waiter.wish, now_ms) {
                // Whoever stopped waiting just now was counted all the same.
                Some(ruling) => drop(waiter.answer.send(ruling)),
                None => undecided.push(waiter),
            }
        }
        let claimed = |id: &WindowId| {
            let mut shard = lock(self.shard(id.account));
            let window = shard.get_mut(id)?;
            (window.drop_claims() && window.mark_due()).then(|| id.clone())
        };
        self.tell_soon(round.told.iter().filter_map(|(id, _)| claimed(id)).collect());
        if !undecided.is_empty() {
            let mut waiting = lock(&self.waiting);
            undecided.append(&mut waiting);
            *waiting = undecided;
            self.wake.notify_one();
        }
    }

    /// The others could not be told: all who wait are answered by what this node knows.
    pub fn fail(&self, now_ms: i64, round: Option<Round>) {
        self.set_nodes(1, now_ms);
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        for waiter in round.into_iter().flat_map(|round| round.waiters).chain(waiting) {
            drop(waiter.answer.send(self.decide_alone(&waiter.wish, now_ms)));
        }
    }

    fn tell_soon(&self, mut due: Vec<WindowId>) {
        if due.is_empty() {
            return;
        }
        lock(&self.due).append(&mut due);
        self.wake.notify_one();
    }

    #[expect(clippy::expect_used, reason = "the shards are made in new and never removed")]
    fn shard(&self, account: AccountId) -> &Mutex<WindowMap> {
        let index = usize::from(account.uuid().as_bytes().last().copied().unwrap_or(0)) % SHARDS;
        self.shards.get(index).expect("an index below the number of shards")
    }
}

/// The first of a list, as many as one exchange takes.
fn take_some<T>(list: &Mutex<Vec<T>>) -> Vec<T> {
    let mut list = lock(list);
    let count = list.len().min(limits::RATE_EXCHANGE_WINDOWS_MAX);
    list.drain(..count).collect()
}

/// Forgets idle windows when there are too many, and then those with the least in them: forgetting a few requests lets
/// a few too many through.
fn make_room(map: &mut WindowMap, now_ms: i64) {
    if map.len() < limits::RATE_WINDOWS_MAX / SHARDS {
        return;
    }
    let mut least = 0;
    while map.len() > limits::RATE_WINDOWS_MAX / SHARDS * 3 / 4 {
        map.retain(|_, window| window.used_at(now_ms) > least);
        least = least.saturating_mul(2).saturating_add(1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
