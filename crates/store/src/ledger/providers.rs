//! Which vendors are asked, in which order, and with whose keys.

use super::Ledger;
use crate::StoreError;
use assay_domain::limits::{PROVIDER_KEYS_MAX, PROVIDERS_MAX};
use assay_domain::{AccountId, Sealed};
use sqlx::Row;
use uuid::Uuid;

/// What their keys are sealed for.
pub const PROVIDER_KEY: &str = "provider";

/// What an operator has set about a vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRow {
    pub name: String,
    pub enabled: bool,
    /// Where it lives, if not where the program believes.
    pub base_url: Option<String>,
    /// The file of a vendor the program does not know by itself.
    pub declaration: Option<String>,
}

/// A key of a vendor, and whose it is; the operator's when no account's.
#[derive(Debug, Clone)]
pub struct ProviderKey {
    pub provider: String,
    pub account: Option<AccountId>,
    pub sealed: Sealed,
}

/// Everything that is set about vendors.
#[derive(Debug, Clone, Default)]
pub struct Providers {
    pub rows: Vec<ProviderRow>,
    /// A lookup's word, and the names of its vendors.
    pub orders: Vec<(String, Vec<String>)>,
    pub keys: Vec<ProviderKey>,
}

impl Ledger {
    pub async fn providers(&self) -> Result<Providers, StoreError> {
        let rows =
            sqlx::query("select name, enabled, base_url, declaration from provider order by name limit $1")
                .bind(PROVIDERS_MAX)
                .fetch_all(&self.pool)
                .await?;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok::<_, StoreError>(ProviderRow {
                name: row.try_get(0)?,
                enabled: row.try_get(1)?,
                base_url: row.try_get(2)?,
                declaration: row.try_get(3)?,
            })
        };
        let rows = rows.iter().map(read).collect::<Result<_, _>>()?;
        let orders = sqlx::query_as("select lookup, names from provider_order order by lookup")
            .fetch_all(&self.pool)
            .await?;
        let keys: Vec<(String, Option<Uuid>, Vec<u8>)> = sqlx::query_as(
            "select name, account_id, sealed from sealed_secret where purpose = $1 order by name limit $2",
        )
        .bind(PROVIDER_KEY)
        .bind(PROVIDER_KEYS_MAX)
        .fetch_all(&self.pool)
        .await?;
        let keys = keys.into_iter().map(|(provider, account, sealed)| ProviderKey {
            provider,
            account: account.map(AccountId::from_uuid),
            sealed: Sealed::from_bytes(sealed),
        });
        Ok(Providers { rows, orders, keys: keys.collect() })
    }

    /// Makes or changes a vendor's settings.
    pub async fn put_provider(&self, row: &ProviderRow) -> Result<(), StoreError> {
        sqlx::query(
            "insert into provider (name, enabled, base_url, declaration) values ($1, $2, $3, $4)
             on conflict (name) do update set enabled = excluded.enabled, base_url = excluded.base_url,
                 declaration = excluded.declaration, updated_at = now()",
        )
        .bind(&row.name)
        .bind(row.enabled)
        .bind(&row.base_url)
        .bind(&row.declaration)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Fixes the order of a lookup, or lets it be learnt.
    pub async fn put_provider_order(&self, lookup: &str, names: Option<&[String]>) -> Result<(), StoreError> {
        let query = match names {
            Some(names) => sqlx::query(
                "insert into provider_order (lookup, names) values ($1, $2)
                 on conflict (lookup) do update set names = excluded.names",
            )
            .bind(lookup)
            .bind(names),
            None => sqlx::query("delete from provider_order where lookup = $1").bind(lookup),
        };
        query.execute(&self.pool).await?;
        Ok(())
    }
}
