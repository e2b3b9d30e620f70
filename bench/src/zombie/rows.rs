//! Every row of some accounts that a worker could change, by a digest each.

use anyhow::Result;
use assay_store::Ledger;
use std::collections::BTreeMap;
use uuid::Uuid;

const TABLES: [&str; 8] =
    ["bulk_job", "bulk_slice", "job", "posting", "hold", "history", "balance", "resolved_person"];

/// The digests of the rows, and how often each is there, by table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows(BTreeMap<&'static str, BTreeMap<String, u32>>);

impl Rows {
    /// All tables as they are at one moment.
    pub async fn read(ledger: &Ledger, accounts: &[Uuid]) -> Result<Self> {
        let mut snapshot =
            ledger.pool().begin_with("begin isolation level repeatable read read only").await?;
        let mut tables = BTreeMap::new();
        for table in TABLES {
            let sql = format!("select md5(t::text) from {table} t where account_id = any($1)");
            let digests: Vec<String> =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).bind(accounts).fetch_all(&mut *snapshot).await?;
            let mut counted: BTreeMap<String, u32> = BTreeMap::new();
            for digest in digests {
                *counted.entry(digest).or_default() += 1;
            }
            tables.insert(table, counted);
        }
        snapshot.rollback().await?;
        Ok(Self(tables))
    }

    pub fn count(&self, table: &str) -> usize {
        self.0
            .get(table)
            .map_or(0, |rows| rows.values().map(|times| usize::try_from(*times).unwrap_or(0)).sum())
    }

    /// How many rows of these are new or other than before, or gone.
    pub fn differing(&self, before: &Self) -> usize {
        TABLES.iter().map(|table| self.differing_in(before, table)).sum()
    }

    fn differing_in(&self, before: &Self, table: &str) -> usize {
        let missing = |these: &Self, those: &Self| -> usize {
            let (Some(these), Some(those)) = (these.0.get(table), those.0.get(table)) else { return 0 };
            let excess = |(digest, times): (&String, &u32)| {
                times.saturating_sub(those.get(digest).copied().unwrap_or(0))
            };
            these.iter().map(excess).map(|times| usize::try_from(times).unwrap_or(0)).sum()
        };
        // A row that changed is one that is new and one that is gone.
        missing(self, before).max(missing(before, self))
    }

    pub fn describe(&self, before: &Self) -> String {
        let changed = TABLES.iter().map(|table| (table, self.differing_in(before, table)));
        let changed = changed.filter(|(_, rows)| *rows > 0).map(|(table, rows)| format!("{rows} of {table}"));
        changed.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(jobs: &[&str]) -> Rows {
        let mut tables: BTreeMap<_, BTreeMap<String, u32>> =
            TABLES.map(|table| (table, BTreeMap::new())).into_iter().collect();
        for digest in jobs {
            *tables.entry("job").or_default().entry((*digest).to_owned()).or_default() += 1;
        }
        Rows(tables)
    }

    #[test]
    fn a_row_that_changed_came_or_went_differs() {
        let before = rows(&["a", "b", "b"]);
        assert_eq!((before.count("job"), before.differing(&before)), (3, 0));
        for (after, differing) in [
            (rows(&["a", "b"]), 1),
            (rows(&["a", "b", "b", "c"]), 1),
            (rows(&["a", "b", "c"]), 1),
            (rows(&[]), 3),
        ] {
            assert_eq!(after.differing(&before), differing, "{after:?}");
        }
        assert_eq!(rows(&["a"]).describe(&before), "2 of job");
    }
}
