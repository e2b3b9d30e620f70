//! Credits that come in: a plan's every month, top-ups, and the mark below which what is left counts as low.

use super::Ledger;
use super::batch::{self, Asked};
use super::op::{Answer, Grant, LotSource, Op};
use crate::StoreError;
use assay_domain::{AccountId, Credits, LotId, Plan, limits};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// What one round of monthly grants did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MonthGranted {
    pub granted: u64,
    /// Accounts that could not take theirs; each is tried again in the next round.
    pub refused: u64,
}

/// An account whose credits of the month are due, and what its plan gives.
type Due = (Uuid, i64, Option<i32>);

impl Ledger {
    /// Grants a plan's credits: once for a trial, once a calendar month for the others.
    pub async fn grant_plan(
        &self,
        account: AccountId,
        plan: Plan,
        trial_ends_at: Option<DateTime<Utc>>,
    ) -> Result<Answer, StoreError> {
        let (credits, expire_days): (i64, Option<i32>) =
            sqlx::query_as("select credits, credits_expire_days from plan where name = $1")
                .bind(plan.as_str())
                .fetch_one(&self.pool)
                .await?;
        let now = self.clock.now();
        let mut grant = month_grant(now, credits, expire_days);
        if plan == Plan::Trial {
            (grant.source, grant.reason) = (LotSource::Trial, "trial".to_owned());
            grant.expires_at = trial_ends_at.or(grant.expires_at);
        }
        self.ask(account, Op::Grant(grant)).await
    }

    /// Grants this month's credits to every account with a paid plan that does not have them yet. Any number of nodes
    /// may do it at once: the reason of a grant is decided under the account's lock.
    pub async fn grant_month(&self) -> Result<MonthGranted, StoreError> {
        let now = self.clock.now();
        let mut done = MonthGranted::default();
        let mut after = Uuid::nil();
        loop {
            let due = self.due_for_month(now, after).await?;
            let Some((last, ..)) = due.last() else { return Ok(done) };
            after = *last;
            let asked = |(account, credits, expire_days): &Due| {
                let grant = month_grant(now, *credits, *expire_days);
                Asked::new(AccountId::from_uuid(*account), Op::Grant(grant))
            };
            let asked: Vec<Asked> = due.iter().map(asked).collect();
            for chunk in asked.chunks(limits::LEDGER_BATCH_MAX) {
                self.grant_each(chunk, &mut done).await?;
            }
        }
    }

    /// The next accounts by id, so that one that cannot take its credits does not keep the round from those behind it.
    async fn due_for_month(&self, now: DateTime<Utc>, after: Uuid) -> Result<Vec<Due>, StoreError> {
        let due = sqlx::query_as(
            "select a.id, p.credits, p.credits_expire_days from account a join plan p on p.name = a.plan
             where a.plan <> 'trial' and p.credits > 0 and a.id > $1
                 and not exists (select from credit_lot l where l.account_id = a.id and l.reason = $2)
             order by a.id limit $3",
        )
        .bind(after)
        .bind(month_reason(now))
        .bind(limits::GRANT_BATCH)
        .fetch_all(&self.pool)
        .await?;
        Ok(due)
    }

    async fn grant_each(&self, asked: &[Asked], done: &mut MonthGranted) -> Result<(), StoreError> {
        let answers = batch::answer(&self.pool, asked.to_vec()).await;
        for (Asked { account, .. }, answer) in asked.iter().zip(answers) {
            match answer {
                Ok(Answer::Granted { repeated: false, .. }) => done.granted += 1,
                // Another node was faster.
                Ok(Answer::Granted { .. }) => {}
                Err(error @ StoreError::Unavailable(_)) => return Err(error),
                refused => {
                    done.refused += 1;
                    tracing::warn!(%account, ?refused, "an account cannot take its monthly credits");
                }
            }
        }
        Ok(())
    }

    /// Adds paid credits. The reference makes a repeated top-up (a payment system that calls twice) happen once.
    pub async fn top_up(
        &self,
        account: AccountId,
        amount: Credits,
        reference: &str,
    ) -> Result<Answer, StoreError> {
        let lot = LotId::mint(self.clock.now());
        let reason = format!("topup:{reference}");
        let grant = Grant { lot, source: LotSource::Topup, reason, amount, expires_at: None };
        self.ask(account, Op::Grant(grant)).await
    }

    /// Sets the amount below which an account's credits count as low; says whether there is such an account.
    pub async fn set_low_mark(&self, account: AccountId, mark: Credits) -> Result<bool, StoreError> {
        let done = sqlx::query(
            "update balance set low_mark = $2,
                 low_since = case when available < $2 then coalesce(low_since, now()) end
             where account_id = $1",
        )
        .bind(account.uuid())
        .bind(mark.thousandths().max(0))
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}

/// Sets the mark that belongs to the account's plan.
pub(super) async fn set_plan_low_mark(
    connection: &mut PgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    sqlx::query(
        "update balance b set low_mark = m.mark,
             low_since = case when b.available < m.mark then coalesce(b.low_since, now()) end
         from (select p.credits * $2 / 100 as mark from account a join plan p on p.name = a.plan where a.id = $1) m
         where b.account_id = $1",
    )
    .bind(account.uuid())
    .bind(limits::LOW_MARK_PERCENT)
    .execute(connection)
    .await?;
    Ok(())
}

fn month_grant(now: DateTime<Utc>, credits: i64, expire_days: Option<i32>) -> Grant {
    Grant {
        lot: LotId::mint(now),
        source: LotSource::Plan,
        reason: month_reason(now),
        amount: Credits::from_thousandths(credits),
        expires_at: expire_days.map(|days| now + TimeDelta::days(i64::from(days))),
    }
}

/// One a calendar month, in UTC: what makes a month's credits come once.
fn month_reason(now: DateTime<Utc>) -> String {
    format!("plan:{}", now.format("%Y-%m"))
}
