//! Accounts: making them, topping them up, and what they may know about themselves.

use super::Ledger;
use super::book::LotLeft;
use super::op::{Answer, Grant, LotSource, Op};
use crate::StoreError;
use assay_domain::{AccountId, Credits, LotId, OrganisationId, Plan, limits};
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::Row;
use sqlx::types::Json;

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
    pub requests_per_minute: u32,
    pub available: Credits,
    pub held: Credits,
    pub lots: Vec<LotLeft>,
}

impl Ledger {
    /// Makes an organisation with one account, and grants the plan's first credits.
    pub async fn create_account(&self, new: &NewAccount) -> Result<AccountId, StoreError> {
        let now = self.clock.now();
        let account = AccountId::mint(now);
        let organisation = OrganisationId::mint(now);
        let trial_ends_at = (new.plan == Plan::Trial).then(|| now + TimeDelta::days(limits::TRIAL_DAYS));
        let mut transaction = self.pool.begin().await?;
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
        Ok(account)
    }

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
        let expires_at =
            trial_ends_at.or_else(|| expire_days.map(|days| now + TimeDelta::days(i64::from(days))));
        let (source, reason) = match plan {
            Plan::Trial => (LotSource::Trial, "trial".to_owned()),
            _ => (LotSource::Plan, format!("plan:{}", now.format("%Y-%m"))),
        };
        let amount = Credits::from_thousandths(credits);
        self.ask(account, Op::Grant(Grant { lot: LotId::mint(now), source, reason, amount, expires_at }))
            .await
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

    pub async fn overview(&self, account: AccountId) -> Result<Option<Overview>, StoreError> {
        let row = sqlx::query(
            "select a.name, a.plan, a.trial_ends_at, p.requests_per_minute, b.available, b.held, b.lots
             from account a join plan p on p.name = a.plan join balance b on b.account_id = a.id
             where a.id = $1",
        )
        .bind(account.uuid())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let Json(lots) = row.try_get("lots")?;
        let requests_per_minute: i32 = row.try_get("requests_per_minute")?;
        Ok(Some(Overview {
            account,
            name: row.try_get("name")?,
            plan: read_plan(row.try_get("plan")?)?,
            trial_ends_at: row.try_get("trial_ends_at")?,
            requests_per_minute: u32::try_from(requests_per_minute).unwrap_or(1),
            available: Credits::from_thousandths(row.try_get("available")?),
            held: Credits::from_thousandths(row.try_get("held")?),
            lots,
        }))
    }
}

pub(super) fn read_plan(name: &str) -> Result<Plan, StoreError> {
    name.parse().map_err(|_| StoreError::Corrupt("an account has an unknown plan".into()))
}
