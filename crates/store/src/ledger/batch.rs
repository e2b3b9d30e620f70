//! A batch of ledger operations: lock the accounts, decide every operation in memory, write all of it, commit once.
//!
//! A small batch of plain charges of accounts that this node has just served is decided on the books as they were left, and
//! written by one statement, if they still are so; else nothing is written, and it goes the long way.

use super::Ledger;
use super::apply::apply;
use super::book::Book;
use super::load::{Loaded, Moment, lock_books};
use super::op::{Answer, Op, Refusal};
use super::remembered::Remembered;
use super::write::Writes;
use crate::lane::{Turn, Worker};
use crate::lending::Pool;
use crate::line::Line;
use crate::{StoreError, crash};
use assay_domain::{AccountId, limits};
use sqlx::Connection;
use std::collections::HashMap;
use std::time::Duration;

/// One operation and the account it is for.
#[derive(Debug, Clone)]
pub struct Asked {
    pub account: AccountId,
    pub op: Op,
    /// Whether it may have been done already: then it is looked for first.
    pub is_perhaps_done: bool,
}

impl Asked {
    pub fn new(account: AccountId, op: Op) -> Self {
        Self { account, op, is_perhaps_done: false }
    }
}

/// A ledger lane's worker: its line to the database stays open from batch to batch.
#[derive(Debug)]
pub(super) struct Clerk {
    pub(super) line: Line,
    pub(super) remembered: Remembered,
}

impl Worker<Asked, Answer> for Clerk {
    async fn answer(&mut self, batch: Vec<Asked>, turn: Turn) -> Vec<Result<Answer, StoreError>> {
        let Self { line, remembered } = self;
        answer_on(line, remembered, batch, turn).await
    }

    fn recover(&mut self) {
        self.line.hang_up();
    }
}

/// Answers a batch over a connection of the pool.
pub(crate) async fn answer(pool: &Pool, batch: Vec<Asked>) -> Vec<Result<Answer, StoreError>> {
    answer_on(&mut Line::of(pool), &Remembered::default(), batch, Turn::default()).await
}

/// Answers a batch. Members share one commit; when the batch as a whole cannot be written, each is tried alone, so
/// that one bad member costs the others only time.
async fn answer_on(
    line: &mut Line,
    remembered: &Remembered,
    batch: Vec<Asked>,
    mut turn: Turn,
) -> Vec<Result<Answer, StoreError>> {
    match attempt_with_retries(line, remembered, &batch, &mut turn).await {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(StoreError::Unavailable(error)) => {
            batch.iter().map(|_| Err(StoreError::Unavailable(error.clone()))).collect()
        }
        Err(error) if batch.len() == 1 => vec![Err(error)],
        Err(_) => {
            let mut answers = Vec::with_capacity(batch.len());
            for asked in batch {
                let alone = std::slice::from_ref(&asked);
                let alone = attempt_with_retries(line, remembered, alone, &mut turn).await;
                answers.push(alone.and_then(|mut one| one.pop().ok_or(StoreError::Overloaded)));
            }
            answers
        }
    }
}

/// A lost connection leaves it open whether the commit took place. The next attempt therefore looks first for what
/// the lost one may have written (`recheck`), and never books it again.
async fn attempt_with_retries(
    line: &mut Line,
    remembered: &Remembered,
    batch: &[Asked],
    turn: &mut Turn,
) -> Result<Vec<Answer>, StoreError> {
    let mut wait = Duration::from_millis(20);
    for retry in 0..=limits::LEDGER_RETRIES_MAX {
        let recheck = retry > 0 || batch.iter().any(|asked| asked.is_perhaps_done);
        let attempt = attempt_on(line, remembered, batch, recheck, turn);
        // PostgreSQL itself ends a statement that takes too long. A network that swallows everything is not so kind.
        let attempt = tokio::time::timeout(limits::LINE_ANSWER_MAX, attempt).await;
        match attempt.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into())) {
            Err(StoreError::Unavailable(error)) => {
                line.hang_up();
                turn.pass();
                if retry == limits::LEDGER_RETRIES_MAX {
                    return Err(StoreError::Unavailable(error));
                }
                metrics::counter!("assay_ledger_retries_total").increment(1);
                tracing::warn!(retry, %error, "a ledger batch could not be written and is tried again");
                tokio::time::sleep(wait).await;
                wait = wait.saturating_mul(2).min(Duration::from_secs(1));
            }
            other => return other,
        }
    }
    Err(StoreError::Overloaded)
}

/// One attempt at a batch, in one transaction. Public so that a benchmark can drive it without the lanes.
pub async fn attempt(ledger: &Ledger, batch: &[Asked], recheck: bool) -> Result<Vec<Answer>, StoreError> {
    let (mut line, remembered) = (Line::of(&ledger.pool), Remembered::default());
    attempt_on(&mut line, &remembered, batch, recheck, &mut Turn::default()).await
}

async fn attempt_on(
    line: &mut Line,
    remembered: &Remembered,
    batch: &[Asked],
    recheck: bool,
    turn: &mut Turn,
) -> Result<Vec<Answer>, StoreError> {
    // What a lost attempt may have written is looked for the long way.
    if !recheck && let Some(answers) = attempt_remembered(line, remembered, batch, turn).await? {
        return Ok(answers);
    }
    let mut transaction = line.connection().await?.begin().await?;
    let (mut books, moment) = lock_books(&mut transaction, batch).await?;
    let disturbed = remembered.compare(&books);
    let mut loaded = Loaded::read(&mut transaction, batch, moment, recheck).await?;
    let (answers, mut writes) = decide(batch, &mut books, &mut loaded);
    writes.spend = loaded.changed_spend();
    if writes.is_empty() {
        transaction.rollback().await?;
        return Ok(answers);
    }
    writes.write(&mut transaction).await?;
    crash::point("ledger-before-commit").await;
    // What is left is the disk's work: the next batch may be decided meanwhile. Where it needs an account of this one it
    // waits for the row's lock, and so for this commit.
    turn.pass();
    transaction.commit().await?;
    remembered.keep(books, |account| disturbed.contains(&account));
    Ok(answers)
}

/// One statement, which is a commit of its own; none where the batch has to go the long way, and nothing was written.
async fn attempt_remembered(
    line: &mut Line,
    remembered: &Remembered,
    batch: &[Asked],
    turn: &mut Turn,
) -> Result<Option<Vec<Answer>>, StoreError> {
    let Some(tried) = Tried::on(remembered, batch) else { return Ok(None) };
    crash::point("ledger-before-commit").await;
    let connection = line.connection().await?;
    turn.pass();
    let Tried { seen, books, answers, writes } = tried;
    if !writes.write_if(connection, &seen).await? {
        remembered.keep(seen, |_| true);
        return Ok(None);
    }
    remembered.keep(books, |_| false);
    Ok(Some(answers))
}

/// Plain charges as they come out on the books that were left, which are taken out of what is remembered until it is known whether
/// they still are so.
pub(super) struct Tried {
    pub(super) seen: Vec<(AccountId, Book)>,
    pub(super) books: HashMap<AccountId, Book>,
    pub(super) answers: Vec<Answer>,
    pub(super) writes: Writes,
}

impl Tried {
    /// None for what has to go the long way.
    pub(super) fn on(remembered: &Remembered, batch: &[Asked]) -> Option<Self> {
        if batch.len() > limits::LEDGER_REMEMBERED_BATCH_MAX || !batch.iter().all(is_plain_charge) {
            return None;
        }
        let mut books = remembered.take(batch.iter().map(|asked| asked.account))?;
        let seen: Vec<(AccountId, Book)> = books.iter().map(|(id, book)| (*id, book.clone())).collect();
        // Lots whose time is over are the statement's to notice: it has the database's time.
        let (answers, writes) = decide(batch, &mut books, &mut Loaded::empty(Moment::BEFORE_ALL));
        // Who is refused is refused for what the database says, not for what is remembered.
        let all_settled = answers.iter().all(|answer| matches!(answer, Answer::Settled(_)));
        if !all_settled || writes.is_empty() || !writes.is_one_statement() {
            remembered.keep(seen, |_| false);
            return None;
        }
        Some(Self { seen, books, answers, writes })
    }
}

/// A charge that refers to nothing but the balance.
fn is_plain_charge(asked: &Asked) -> bool {
    match &asked.op {
        Op::Settle(settle) => {
            settle.hold.is_none() && settle.cap.is_none() && settle.reply.is_none() && settle.deed.is_none()
        }
        _ => false,
    }
}

/// Decides every operation of a batch, in order.
fn decide(
    batch: &[Asked],
    books: &mut HashMap<AccountId, Book>,
    loaded: &mut Loaded,
) -> (Vec<Answer>, Writes) {
    let mut writes = Writes::default();
    let mut answers = Vec::with_capacity(batch.len());
    for asked in batch {
        let answer = match books.get_mut(&asked.account) {
            Some(book) => apply(asked, book, loaded, &mut writes),
            None => Answer::Refused { why: Refusal::NoAccount, version: 0 },
        };
        answers.push(answer);
    }
    let changed = books.iter().filter(|(_, book)| !book.postings.is_empty());
    writes.books = changed.map(|(account, book)| (*account, book.clone())).collect();
    (answers, writes)
}
