//! Accounts: making them, listing them, changing their plan, and what they may know about themselves.

use super::Ledger;
use super::book::LotLeft;
use super::grants::set_plan_low_mark;
use super::op::{Answer, Refusal};
use crate::StoreError;
use crate::pool::begin;
use assay_domain::{AccountId, Credits, LotId, OrganisationId, Plan, limits};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{PgConnection, Row};
use uuid::Uuid;

/// A new account and the organisation it belongs to.
#[derive(Debug, Clone)]
pub struct NewAccount {
    pub name: String,
    pub plan: Plan,
}

/// What an account may know about its plan and credits.
#[derive(Debug, Clone)]
pub struct Overview {
    pub account: AccountId,
    pub name: String,
    pub plan: Plan,
    pub trial_ends_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub requests_per_minute: u32,
    pub available: Credits,
    pub held: Credits,
    /// Below this the credits count as low, and since when they do.
    pub low_mark: Credits,
    pub low_since: Option<DateTime<Utc>>,
    pub lots: Vec<LotLeft>,
}

/// What a change of a trial's end came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialChange {
    Changed,
    /// The account has a plan that does not end.
    NoTrial,
    NoAccount,
}

const OVERVIEW: &str =
    "select a.id, a.name, a.plan, a.trial_ends_at, a.created_at, p.requests_per_minute, b.available,
        b.held, b.low_mark, b.low_since, b.lots
    from account a join plan p on p.name = a.plan join balance b on b.account_id = a.id";

impl Ledger {
    /// Makes an organisation with one account, and grants the plan's first credits.
    pub async fn create_account(&self, new: &NewAccount) -> Result<AccountId, StoreError> {
        let now = self.clock.now();
        let account = AccountId::mint(now);
        let organisation = OrganisationId::mint(now);
        let trial_ends_at = (new.plan == Plan::Trial).then(|| now + TimeDelta::days(limits::TRIAL_DAYS));
        let mut transaction = begin(&self.pool).await?;
        sqlx::query("insert into organisation (id, name) values ($1, $2)")
            .bind(organisation.uuid())
            .bind(&new.name)
            .execute(&mut *transaction)
            .await?;
        sqlx::query(
            "insert into account (id, organisation_id, name, plan, trial_ends_at) values ($1, $2, $3, $4, $5)",
        )
        .bind(account.uuid())
        .bind(organisation.uuid())
        .bind(&new.name)
        .bind(new.plan.as_str())
        .bind(trial_ends_at)
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "insert into balance (account_id, available, held, version, lots) values ($1, 0, 0, 0, '[]')",
        )
        .bind(account.uuid())
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        self.grant_plan(account, new.plan, trial_ends_at).await?;
        // Only now: before its first credits are there, the account would be marked low for a moment.
        set_plan_low_mark(&mut *self.pool.acquire().await?, account).await?;
        Ok(account)
    }

    /// Changes the plan and grants this month's credits of it, unless the month's were granted before. `None` when there
    /// is no such account.
    pub async fn change_plan(&self, account: AccountId, plan: Plan) -> Result<Option<Answer>, StoreError> {
        // The credits come first: a higher mark before them would make the account low for a moment.
        let answer = self.grant_plan(account, plan, None).await?;
        if matches!(answer, Answer::Refused { why: Refusal::NoAccount, .. }) {
            return Ok(None);
        }
        let mut transaction = begin(&self.pool).await?;
        sqlx::query("update account set plan = $2, trial_ends_at = null where id = $1")
            .bind(account.uuid())
            .bind(plan.as_str())
            .execute(&mut *transaction)
            .await?;
        set_plan_low_mark(&mut transaction, account).await?;
        transaction.commit().await?;
        Ok(Some(answer))
    }

    /// Moves the end of a trial, and with it the end of the credits it came with. Credits that have ended stay ended.
    pub async fn move_trial_end(
        &self,
        account: AccountId,
        ends_at: DateTime<Utc>,
    ) -> Result<TrialChange, StoreError> {
        let mut transaction = begin(&self.pool).await?;
        let plan: Option<String> = sqlx::query_scalar("select plan from account where id = $1 for update")
            .bind(account.uuid())
            .fetch_optional(&mut *transaction)
            .await?;
        match plan {
            None => return Ok(TrialChange::NoAccount),
            Some(plan) if read_plan(&plan)? != Plan::Trial => return Ok(TrialChange::NoTrial),
            Some(_) => {}
        }
        sqlx::query("update account set trial_ends_at = $2 where id = $1")
            .bind(account.uuid())
            .bind(ends_at)
            .execute(&mut *transaction)
            .await?;
        move_lots_end(&mut transaction, account, ends_at).await?;
        transaction.commit().await?;
        Ok(TrialChange::Changed)
    }

    pub async fn overview(&self, account: AccountId) -> Result<Option<Overview>, StoreError> {
        let sql = format!("{OVERVIEW} where a.id = $1");
        let row =
            sqlx::query(sqlx::AssertSqlSafe(sql)).bind(account.uuid()).fetch_optional(&self.pool).await?;
        row.map(|row| read_overview(&row)).transpose()
    }

    /// What is left to spend, for whoever wants nothing else; none without such an account.
    pub async fn available(&self, account: AccountId) -> Result<Option<Credits>, StoreError> {
        let available = sqlx::query_scalar("select available from balance where account_id = $1");
        let available: Option<i64> = available.bind(account.uuid()).fetch_optional(&self.pool).await?;
        Ok(available.map(Credits::from_thousandths))
    }

    /// Accounts in the order they were made; `after` is the id the last page ended with.
    pub async fn list_accounts(
        &self,
        after: Option<AccountId>,
        limit: u32,
    ) -> Result<Vec<Overview>, StoreError> {
        let sql = format!("{OVERVIEW} where a.id > $1 order by a.id limit $2");
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(after.map_or(Uuid::nil(), AccountId::uuid))
            .bind(i64::from(limit.min(limits::ACCOUNT_LIST_MAX)))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(read_overview).collect()
    }
}

/// Gives the lots of a trial another end, in the lots themselves and in the running balance, under the account's lock.
async fn move_lots_end(
    connection: &mut PgConnection,
    account: AccountId,
    ends_at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Json(mut lots): Json<Vec<LotLeft>> =
        sqlx::query_scalar("select lots from balance where account_id = $1 for update")
            .bind(account.uuid())
            .fetch_one(&mut *connection)
            .await?;
    let moved: Vec<Uuid> = sqlx::query_scalar(
        "update credit_lot set expires_at = $2 where account_id = $1 and source = 'trial' returning id",
    )
    .bind(account.uuid())
    .bind(ends_at)
    .fetch_all(&mut *connection)
    .await?;
    let moved: Vec<LotId> = moved.into_iter().map(LotId::from_uuid).collect();
    for lot in lots.iter_mut().filter(|lot| moved.contains(&lot.lot)) {
        lot.expires_at = Some(ends_at);
    }
    lots.sort_by_key(LotLeft::order);
    sqlx::query("update balance set lots = $2, next_expiry = $3 where account_id = $1")
        .bind(account.uuid())
        .bind(Json(&lots))
        .bind(lots.first().and_then(|lot| lot.expires_at))
        .execute(connection)
        .await?;
    Ok(())
}

fn read_overview(row: &PgRow) -> Result<Overview, StoreError> {
    let Json(lots) = row.try_get("lots")?;
    let requests_per_minute: i32 = row.try_get("requests_per_minute")?;
    Ok(Overview {
        account: AccountId::from_uuid(row.try_get("id")?),
        name: row.try_get("name")?,
        plan: read_plan(row.try_get("plan")?)?,
        trial_ends_at: row.try_get("trial_ends_at")?,
        created_at: row.try_get("created_at")?,
        requests_per_minute: u32::try_from(requests_per_minute).unwrap_or(1),
        available: Credits::from_thousandths(row.try_get("available")?),
        held: Credits::from_thousandths(row.try_get("held")?),
        low_mark: Credits::from_thousandths(row.try_get("low_mark")?),
        low_since: row.try_get("low_since")?,
        lots,
    })
}

pub(super) fn read_plan(name: &str) -> Result<Plan, StoreError> {
    name.parse().map_err(|_| StoreError::Corrupt("an account has an unknown plan".into()))
}
