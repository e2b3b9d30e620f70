//! Turns at an operator of mail servers: in this process one after the other, over all processes by the pace in the database.
//!
//! Whoever is first in this process's line asks the database, and the others wait behind, so that however many wait there is
//! one question for each turn and process.

use super::pace_book::PaceBook;
use crate::EngineError;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{MAIL_CONNECTION_LEASE, MAIL_PACED_AGAIN_MAX};
use assay_mailbox::{Pace, PaceOutcome, PaceRules, Permit};
use assay_store::graph::{OpenConnection, OperatorRow};
use assay_store::{Graph, task};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedMutexGuard};
use tokio::time::timeout;
use uuid::Uuid;

#[derive(Debug)]
pub(super) struct Turns {
    graph: Graph,
    paces: PaceBook,
    /// One for each operator that somebody waits for or is with.
    lines: Mutex<HashMap<String, Arc<Line>>>,
}

#[derive(Debug, Default)]
struct Line {
    head: Arc<tokio::sync::Mutex<()>>,
    /// A connection of this process was closed.
    freed: Notify,
    /// How many wait, and how far apart their turns are in milliseconds; zero until somebody has asked.
    waiting: AtomicU64,
    distance: AtomicU64,
    /// The wait after our own last turn, before which the database need not be asked, and since when.
    after_turn: Mutex<Option<(Stopwatch, Duration)>>,
}

impl Line {
    fn wait_after_turn(&self) -> Duration {
        let last = *self.after_turn.lock().unwrap_or_else(PoisonError::into_inner);
        last.map_or(Duration::ZERO, |(since, wait)| wait.saturating_sub(since.elapsed()))
    }

    fn note(&self, distance: u64, wait_after_turn: Duration) {
        self.distance.store(distance, Ordering::Relaxed);
        let mut last = self.after_turn.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((Stopwatch::start(), wait_after_turn));
    }
}

/// Somebody in a line. The last one out forgets it.
#[derive(Debug)]
struct Member {
    turns: Arc<Turns>,
    operator: String,
    line: Arc<Line>,
    is_waiting: bool,
}

/// The head of a line.
#[derive(Debug)]
pub(super) struct Head {
    member: Member,
    _first: OwnedMutexGuard<()>,
    watch: Stopwatch,
    patience: Duration,
}

/// Leave to have one connection, until it is given back.
#[derive(Debug)]
pub(super) struct Turn {
    member: Member,
    id: Uuid,
    /// What came of it, once that is known.
    outcome: Option<PaceOutcome>,
    is_over: bool,
}

impl Turns {
    pub(super) fn new(graph: Graph, paces: PaceBook) -> Self {
        Self { graph, paces, lines: Mutex::default() }
    }

    /// How long whoever comes now would wait for those of this process who wait already.
    pub(super) fn length(&self, operator: &str) -> Duration {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = lines.get(operator).map(|line| {
            line.waiting.load(Ordering::Relaxed).saturating_mul(line.distance.load(Ordering::Relaxed))
        });
        Duration::from_millis(wait.unwrap_or(0))
    }

    /// Waits until nobody in this process is before us; none if that takes longer than `patience`.
    pub(super) async fn stand(self: &Arc<Self>, operator: &str, patience: Duration) -> Option<Head> {
        let watch = Stopwatch::start();
        let member = self.join(operator);
        let first = timeout(patience, Arc::clone(&member.line.head).lock_owned()).await.ok()?;
        Some(Head { member, _first: first, watch, patience })
    }

    /// How long somebody who does not wait had better stay away.
    pub(super) async fn book(&self, operator: &str) -> Result<Duration, EngineError> {
        let rules = self.paces.rules(operator);
        let book = move |row: &mut OperatorRow, now: i64| {
            let mut pace = read(row);
            let then = pace.book(&rules, unsigned(now));
            write(row, &pace);
            then.map(|then| Duration::from_millis(then.saturating_sub(unsigned(now))))
        };
        let wait = self.graph.at_operator(operator, fresh(), book).await?;
        Ok(wait.unwrap_or(MAIL_PACED_AGAIN_MAX))
    }

    /// Asks the database once: a turn, or how long to wait before it is worth asking again.
    async fn ask(&self, operator: &str, line: &Line) -> Result<Result<Uuid, Duration>, EngineError> {
        let (rules, id) = (self.paces.rules(operator), Uuid::from_bytes(rand::random()));
        let decide = move |row: &mut OperatorRow, now: i64| {
            row.open.retain(|connection| connection.until > now);
            let mut pace = read(row);
            let taken = match pace.take(&rules, unsigned(now), row.open.len()) {
                Permit::Now => {
                    write(row, &pace);
                    let lease = i64::try_from(MAIL_CONNECTION_LEASE.as_millis()).unwrap_or(i64::MAX);
                    row.open.push(OpenConnection { id, until: now.saturating_add(lease) });
                    Ok(id)
                }
                Permit::At(then) => Err(Duration::from_millis(then.saturating_sub(unsigned(now)).max(1))),
            };
            (taken, pace.distance(&rules).unwrap_or(0), pace.next_at.saturating_sub(unsigned(now)))
        };
        let (taken, distance, next) = self.graph.at_operator(operator, fresh(), decide).await?;
        line.note(distance, if taken.is_ok() { Duration::from_millis(next) } else { Duration::ZERO });
        Ok(taken)
    }

    async fn give_back(
        &self,
        operator: &str,
        id: Uuid,
        outcome: Option<PaceOutcome>,
    ) -> Result<(), EngineError> {
        let rules: PaceRules = self.paces.rules(operator);
        let learn = move |row: &mut OperatorRow, now: i64| {
            row.open.retain(|connection| connection.id != id);
            if let Some(outcome) = outcome {
                let mut pace = read(row);
                pace.after(&rules, unsigned(now), outcome);
                write(row, &pace);
            }
        };
        Ok(self.graph.at_operator(operator, fresh(), learn).await?)
    }

    fn join(self: &Arc<Self>, operator: &str) -> Member {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = Arc::clone(lines.entry(operator.to_owned()).or_default());
        line.waiting.fetch_add(1, Ordering::Relaxed);
        let (turns, operator) = (Arc::clone(self), operator.to_owned());
        Member { turns, operator, line, is_waiting: true }
    }
}

impl Member {
    fn stop_waiting(&mut self) {
        if std::mem::replace(&mut self.is_waiting, false) {
            self.line.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.stop_waiting();
        let mut lines = self.turns.lines.lock().unwrap_or_else(PoisonError::into_inner);
        // The table's, and ours.
        if Arc::strong_count(&self.line) <= 2 {
            lines.remove(&self.operator);
        }
    }
}

impl Head {
    /// A turn, or how long to wait for one if that is longer than the patience that is left.
    pub(super) async fn take(mut self) -> Result<Result<Turn, Duration>, EngineError> {
        loop {
            let Member { turns, operator, line, .. } = &self.member;
            let wait = match line.wait_after_turn() {
                Duration::ZERO => match turns.ask(operator, line).await? {
                    Ok(id) => {
                        self.member.stop_waiting();
                        return Ok(Ok(Turn { member: self.member, id, outcome: None, is_over: false }));
                    }
                    Err(wait) => wait,
                },
                wait => wait,
            };
            if self.watch.elapsed().saturating_add(wait) > self.patience {
                return Ok(Err(wait));
            }
            // Sooner if one of our own connections ends, which is what it waits for where all are open.
            drop(timeout(wait, line.freed.notified()).await);
        }
    }
}

impl Turn {
    /// Gives the connection back and lets the pace learn from what came of it.
    pub(super) async fn end(mut self, outcome: PaceOutcome) -> Result<(), EngineError> {
        self.outcome = Some(outcome);
        let Member { turns, operator, line, .. } = &self.member;
        turns.give_back(operator, self.id, self.outcome).await?;
        line.freed.notify_one();
        self.is_over = true;
        Ok(())
    }
}

impl Drop for Turn {
    /// Whoever asked was cut off: the connection is closed, and at most it was noted what came of it.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Member { turns, operator, .. } = &self.member;
        let mut member = turns.join(operator);
        member.stop_waiting();
        let (id, outcome) = (self.id, self.outcome);
        task::spawn("mail-turn", async move {
            let Member { turns, operator, line, .. } = &member;
            if let Err(error) = turns.give_back(operator, id, outcome).await {
                tracing::warn!(%error, "a connection to a mail server counts as open until its lease ends");
            }
            line.freed.notify_one();
        });
    }
}

fn fresh() -> OperatorRow {
    let mut row = OperatorRow {
        per_minute: 0,
        due_at: 0,
        next_at: 0,
        resting_until: 0,
        complaints: 0,
        good_run: 0,
        booked_until: 0,
        open: Vec::new(),
    };
    write(&mut row, &Pace::default());
    row
}

fn read(row: &OperatorRow) -> Pace {
    let count = |number: i32| u32::try_from(number).unwrap_or(0);
    Pace {
        per_minute: count(row.per_minute),
        due_at: unsigned(row.due_at),
        next_at: unsigned(row.next_at),
        resting_until: unsigned(row.resting_until),
        complaints: count(row.complaints),
        good_run: count(row.good_run),
        booked_until: unsigned(row.booked_until),
    }
}

fn write(row: &mut OperatorRow, pace: &Pace) {
    let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    let time = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    row.per_minute = count(pace.per_minute);
    row.due_at = time(pace.due_at);
    row.next_at = time(pace.next_at);
    row.resting_until = time(pace.resting_until);
    row.complaints = count(pace.complaints);
    row.good_run = count(pace.good_run);
    row.booked_until = time(pace.booked_until);
}

fn unsigned(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}
