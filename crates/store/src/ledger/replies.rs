//! Idempotent replies: who may run a call that names a key, and what was answered the first time.

use super::Ledger;
use super::op::Claim;
use crate::lending::Pool;
use crate::{StoreError, task};
use assay_domain::{AccountId, limits};
use sqlx::Row;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use uuid::Uuid;

/// What a client's key leads to.
#[derive(Debug)]
pub enum Claimed {
    /// Nobody ran it yet, or the one who did is gone: run it, and settle under this claim.
    Run(ClaimGuard),
    /// It was answered; the same bytes again.
    Replay { status: u16, body: Vec<u8> },
    /// The key was used for another request.
    Mismatch,
    /// It is running now.
    Running,
}

impl Ledger {
    /// Claims a key for one run. `key` is a digest of method, path and the client's key, `fingerprint` of the body.
    pub async fn claim(
        &self,
        account: AccountId,
        key: [u8; 32],
        fingerprint: [u8; 32],
    ) -> Result<Claimed, StoreError> {
        let attempt: Option<i32> = sqlx::query_scalar(
            "insert into reply as r (account_id, key, fingerprint, state, attempt, lease_until)
             values ($1, $2, $3, 'running', 1, now() + make_interval(secs => $4))
             on conflict (account_id, key) do update set
                 fingerprint = excluded.fingerprint, state = 'running', attempt = r.attempt + 1,
                 lease_until = excluded.lease_until, status = null, body = null, subjects = '{}',
                 created_at = now()
             where (r.state = 'running' and r.lease_until < now() and r.fingerprint = excluded.fingerprint)
                 or r.created_at < now() - make_interval(hours => $5)
             returning attempt",
        )
        .bind(account.uuid())
        .bind(&key[..])
        .bind(&fingerprint[..])
        .bind(limits::CLAIM_LEASE.as_secs_f64())
        .bind(limits::REPLY_LIFETIME_HOURS)
        .fetch_optional(&self.pool)
        .await?;
        if let Some(attempt) = attempt {
            return Ok(Claimed::Run(self.claims.keep(account, Claim { key, attempt })));
        }
        let row =
            sqlx::query("select fingerprint, status, body from reply where account_id = $1 and key = $2")
                .bind(account.uuid())
                .bind(&key[..])
                .fetch_optional(&self.pool)
                .await?;
        // The row may have gone between the two statements: its run failed and let go. The client tries again.
        let Some(row) = row else { return Ok(Claimed::Running) };
        let stored: &[u8] = row.try_get("fingerprint")?;
        if stored != fingerprint {
            return Ok(Claimed::Mismatch);
        }
        match (row.try_get::<Option<i16>, _>("status")?, row.try_get::<Option<Vec<u8>>, _>("body")?) {
            (Some(status), Some(body)) => {
                Ok(Claimed::Replay { status: u16::try_from(status).unwrap_or(500), body })
            }
            _ => Ok(Claimed::Running),
        }
    }
}

/// Renews the leases of all claims this node runs, so that a long call keeps its key and a dead node loses it.
#[derive(Debug, Clone)]
pub struct ClaimKeeper {
    pool: Pool,
    running: Arc<Mutex<HashMap<(AccountId, Claim), ()>>>,
}

impl ClaimKeeper {
    pub(super) fn start(pool: Pool) -> Self {
        let keeper = Self { pool, running: Arc::default() };
        let beating = keeper.clone();
        task::spawn("claim-heartbeat", async move {
            loop {
                tokio::time::sleep(limits::CLAIM_HEARTBEAT).await;
                if let Err(error) = beating.renew().await {
                    tracing::warn!(%error, "claims on idempotency keys could not be renewed");
                }
            }
        });
        keeper
    }

    fn keep(&self, account: AccountId, claim: Claim) -> ClaimGuard {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert((account, claim), ());
        ClaimGuard { keeper: self.clone(), account, claim, settled: false }
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let claims: Vec<(AccountId, Claim)> = {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.keys().copied().collect()
        };
        if claims.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "update reply r set lease_until = now() + make_interval(secs => $4)
             from unnest($1::uuid[], $2::bytea[], $3::integer[]) as c(account_id, key, attempt)
             where r.account_id = c.account_id and r.key = c.key and r.attempt = c.attempt and r.state = 'running'",
        )
        .bind(claims.iter().map(|(account, _)| account.uuid()).collect::<Vec<Uuid>>())
        .bind(claims.iter().map(|(_, claim)| claim.key.to_vec()).collect::<Vec<_>>())
        .bind(claims.iter().map(|(_, claim)| claim.attempt).collect::<Vec<_>>())
        .bind(limits::CLAIM_LEASE.as_secs_f64())
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// A claim being worked under. Dropped without having settled, it frees the key: what failed may run again.
#[derive(Debug)]
pub struct ClaimGuard {
    keeper: ClaimKeeper,
    account: AccountId,
    claim: Claim,
    settled: bool,
}

impl ClaimGuard {
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// The reply is stored under the claim: nothing is left to free.
    pub fn settled(mut self) {
        self.settled = true;
    }

    /// Frees the key now, so that the client's next try need not wait.
    pub async fn release(mut self) -> Result<(), StoreError> {
        self.settled = true;
        free(&self.keeper.pool, self.account, self.claim).await
    }
}

impl Drop for ClaimGuard {
    fn drop(&mut self) {
        self.keeper
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&(self.account, self.claim));
        if self.settled || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let (pool, account, claim) = (self.keeper.pool.clone(), self.account, self.claim);
        task::spawn("free-claim", async move {
            if let Err(error) = free(&pool, account, claim).await {
                tracing::warn!(%error, "a claim could not be freed; its lease ends by itself");
            }
        });
    }
}

async fn free(pool: &Pool, account: AccountId, claim: Claim) -> Result<(), StoreError> {
    sqlx::query(
        "delete from reply where account_id = $1 and key = $2 and attempt = $3 and state = 'running'",
    )
    .bind(account.uuid())
    .bind(&claim.key[..])
    .bind(claim.attempt)
    .execute(pool)
    .await?;
    Ok(())
}
