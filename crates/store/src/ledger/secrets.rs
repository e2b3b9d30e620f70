//! Secrets that are left with us, sealed: the keys of upstream sources, what webhooks are signed with. Only whoever has the
//! master key can open them.

use super::Ledger;
use crate::StoreError;
use assay_domain::limits::SECRETS_PER_OWNER_MAX;
use assay_domain::{AccountId, Sealed};
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Where a secret belongs. `account` is none for the installation's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretPlace<'a> {
    pub account: Option<AccountId>,
    pub purpose: &'a str,
    pub name: &'a str,
}

impl SecretPlace<'_> {
    /// What the sealer binds a secret to: moved to another place, it does not open.
    pub fn owner(&self) -> Vec<u8> {
        let account = self.account.map_or(Uuid::nil(), AccountId::uuid);
        let purpose_length = u64::try_from(self.purpose.len()).unwrap_or(u64::MAX).to_be_bytes();
        [&account.as_bytes()[..], &purpose_length, self.purpose.as_bytes(), self.name.as_bytes()].concat()
    }

    fn account_uuid(&self) -> Option<Uuid> {
        self.account.map(AccountId::uuid)
    }
}

/// What may be told about a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretName {
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub rotated_at: Option<DateTime<Utc>>,
}

impl Ledger {
    /// Keeps a secret; one that was there under the name is replaced. An owner has `SECRETS_PER_OWNER_MAX` at most, or
    /// a few more when several are put at once.
    pub async fn put_secret(&self, place: SecretPlace<'_>, sealed: &Sealed) -> Result<(), StoreError> {
        let kept = sqlx::query(
            "insert into sealed_secret (account_id, purpose, name, sealed) select $1, $2, $3, $4
             where $5 > (select count(*) from sealed_secret
                         where account_id is not distinct from $1 and (purpose, name) <> ($2, $3))
             on conflict (account_id, purpose, name) do update set sealed = excluded.sealed, rotated_at = now()",
        )
        .bind(place.account_uuid())
        .bind(place.purpose)
        .bind(place.name)
        .bind(sealed.as_bytes())
        .bind(SECRETS_PER_OWNER_MAX)
        .execute(&self.pool)
        .await?;
        if kept.rows_affected() == 0 {
            return Err(StoreError::Conflict("secrets_per_owner_max".into()));
        }
        Ok(())
    }

    pub async fn secret(&self, place: SecretPlace<'_>) -> Result<Option<Sealed>, StoreError> {
        let sealed: Option<Vec<u8>> = sqlx::query_scalar(
            "select sealed from sealed_secret
             where account_id is not distinct from $1 and purpose = $2 and name = $3",
        )
        .bind(place.account_uuid())
        .bind(place.purpose)
        .bind(place.name)
        .fetch_optional(&self.pool)
        .await?;
        Ok(sealed.map(Sealed::from_bytes))
    }

    /// The names of an owner's secrets of one purpose, never the secrets.
    pub async fn secret_names(
        &self,
        account: Option<AccountId>,
        purpose: &str,
    ) -> Result<Vec<SecretName>, StoreError> {
        let rows: Vec<(String, DateTime<Utc>, Option<DateTime<Utc>>)> = sqlx::query_as(
            "select name, created_at, rotated_at from sealed_secret
             where account_id is not distinct from $1 and purpose = $2 order by name limit $3",
        )
        .bind(account.map(AccountId::uuid))
        .bind(purpose)
        .bind(SECRETS_PER_OWNER_MAX)
        .fetch_all(&self.pool)
        .await?;
        let read = |(name, created_at, rotated_at)| SecretName { name, created_at, rotated_at };
        Ok(rows.into_iter().map(read).collect())
    }

    /// False when there is none.
    pub async fn delete_secret(&self, place: SecretPlace<'_>) -> Result<bool, StoreError> {
        let deleted = sqlx::query(
            "delete from sealed_secret where account_id is not distinct from $1 and purpose = $2 and name = $3",
        )
        .bind(place.account_uuid())
        .bind(place.purpose)
        .bind(place.name)
        .execute(&self.pool)
        .await?;
        Ok(deleted.rows_affected() > 0)
    }
}
