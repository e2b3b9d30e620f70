//! Charges begun ahead: what a call is going to cost is written while the rows that it pays for are still read, and committed when they
//! are, or forgotten.
//!
//! Only where nobody waits: one at a time, for an account whose book is remembered. Whatever comes in between, the charge is asked for
//! as any other.

use super::batch::{Asked, Tried};
use super::op::{Answer, Op, Settle};
use super::remembered::Remembered;
use super::{Counter, Ledger};
use crate::line::Line;
use crate::{StoreError, crash, task};
use assay_domain::{AccountId, limits};
use sqlx::Connection;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

/// The connection on which charges are begun.
#[derive(Debug, Clone)]
pub(super) struct Ahead(Arc<Mutex<Line>>);

/// A charge that is written and not committed. Dropped, it is forgotten.
#[derive(Debug)]
pub struct Begun {
    settle: Box<Settle>,
    go: oneshot::Sender<()>,
    ended: oneshot::Receiver<Ended>,
}

#[derive(Debug)]
enum Ended {
    Charged(Answer),
    /// And will not be.
    NotCharged,
    /// The connection broke.
    Unknown,
}

impl Ahead {
    pub(super) fn on(line: Line) -> Self {
        Self(Arc::new(Mutex::new(line)))
    }
}

impl Ledger {
    /// Begins a charge; none where it would be in the way of others, or is not as plain as that.
    pub fn begin(&self, account: AccountId, settle: Settle) -> Option<Begun> {
        let Counter { lane, remembered } = self.counter(account);
        if !lane.is_quiet() {
            return None;
        }
        let line = Arc::clone(&self.ahead.0).try_lock_owned().ok()?;
        let asked = Asked::new(account, Op::Settle(Box::new(settle)));
        let tried = Tried::on(remembered, std::slice::from_ref(&asked))?;
        let Op::Settle(settle) = asked.op else { return None };
        let ((go, gone), (tell, ended)) = (oneshot::channel(), oneshot::channel());
        let remembered = remembered.clone();
        task::spawn("charge-ahead", async move {
            // Whoever began it may have gone meanwhile.
            drop(tell.send(charge(line, &remembered, tried, gone).await));
        });
        Some(Begun { settle, go, ended })
    }

    /// Charges for a call, by what was begun for it where that is what it has come to.
    pub async fn settle(
        &self,
        account: AccountId,
        settle: Settle,
        begun: Option<Begun>,
    ) -> Result<Answer, StoreError> {
        let mut asked = Asked::new(account, Op::Settle(Box::new(settle)));
        if let Some(Begun { settle, go, ended }) = begun
            && matches!(&asked.op, Op::Settle(wanted) if is_same(&settle, wanted))
        {
            // Where nobody listens any more, it has ended and says how.
            go.send(()).unwrap_or_default();
            match ended.await {
                Ok(Ended::Charged(answer)) => return Ok(answer),
                Ok(Ended::NotCharged) => {}
                Ok(Ended::Unknown) | Err(_) => asked.is_perhaps_done = true,
            }
        }
        self.ask_for(asked).await
    }
}

/// Whether the same would be written, but for how long the call took.
fn is_same(one: &Settle, other: &Settle) -> bool {
    one.request == other.request
        && one.charge == other.charge
        && one.cap == other.cap
        && one.people == other.people
        && one.record.is_same(&other.record)
        && [one, other].iter().all(|it| it.hold.is_none() && it.reply.is_none() && it.deed.is_none())
}

async fn charge(
    mut line: OwnedMutexGuard<Line>,
    remembered: &Remembered,
    tried: Tried,
    gone: oneshot::Receiver<()>,
) -> Ended {
    let charged = tokio::time::timeout(limits::LINE_ANSWER_MAX, attempt(&mut line, remembered, tried, gone));
    let ended = match charged.await.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut.into())) {
        Ok(ended) => ended,
        Err(error) => {
            line.hang_up();
            tracing::warn!(%error, "a charge that was begun ahead broke off");
            Ended::Unknown
        }
    };
    let how = match ended {
        Ended::Charged(_) => "charged",
        Ended::NotCharged => "not_charged",
        Ended::Unknown => "unknown",
    };
    metrics::counter!("assay_ledger_begun_total", "ended" => how).increment(1);
    ended
}

async fn attempt(
    line: &mut Line,
    remembered: &Remembered,
    tried: Tried,
    gone: oneshot::Receiver<()>,
) -> Result<Ended, StoreError> {
    let Tried { seen, books, answers, writes } = tried;
    let mut transaction = line.connection().await?.begin().await?;
    let is_written = writes.write_if(&mut transaction, &seen).await?;
    // The balance stays locked until then: nobody waits for long behind whoever reads slowly.
    let is_wanted = is_written && wait(gone, limits::LEDGER_AHEAD_MAX).await;
    let Some(answer) = answers.into_iter().next().filter(|_| is_wanted) else {
        transaction.rollback().await?;
        remembered.keep(seen, |_| !is_written);
        return Ok(Ended::NotCharged);
    };
    crash::point("ledger-before-commit").await;
    transaction.commit().await?;
    remembered.keep(books, |_| false);
    Ok(Ended::Charged(answer))
}

/// Whether the word comes in time.
async fn wait(gone: oneshot::Receiver<()>, longest: Duration) -> bool {
    matches!(tokio::time::timeout(longest, gone).await, Ok(Ok(())))
}
