//! Two graphs, row by row. Left out is only what tells when and how often the program ran, not what it imported.

use crate::bar::{Complaints, progress};
use anyhow::Result;
use sqlx::PgPool;
use std::collections::HashMap;

/// Left out of the comparison: the moment of the write; the id of a run, which is drawn, and when it began and ended; and
/// the numbers of the inbox, which a transaction that was never committed uses up (their order is compared).
const LEFT_OUT: &[(&str, &[&str])] = &[
    ("person", &["refreshed_at"]),
    ("change_inbox", &["id", "at"]),
    ("import_run", &["id", "started_at", "finished_at"]),
];

pub struct Compared {
    pub tables: usize,
    pub rows: usize,
}

struct Table {
    name: String,
    /// All columns, or those that are compared, as one text.
    row: String,
}

/// Complains of every table whose rows are not the same.
pub async fn tables(calm: &str, disturbed: &str, complaints: &mut Complaints) -> Result<Compared> {
    let (calm, disturbed) = (PgPool::connect(calm).await?, PgPool::connect(disturbed).await?);
    let tables = list(&calm).await?;
    let mut rows = 0;
    for table in &tables {
        let (one, other) = (hash(&calm, table).await?, hash(&disturbed, table).await?);
        rows += usize::try_from(one.0)?;
        if one.0 > 0 {
            progress(format!("{}: {} rows, {}", table.name, one.0, one.1));
        }
        if one != other {
            let differing = differing(&calm, &disturbed, table).await?;
            complaints
                .add(format!("{}: {} and {} rows, {differing} of them differ", table.name, one.0, other.0));
        }
    }
    Ok(Compared { tables: tables.len(), rows })
}

async fn list(pool: &PgPool) -> Result<Vec<Table>> {
    let columns: Vec<(String, String)> = sqlx::query_as(
        "select relname::text, attname::text from pg_class join pg_attribute on attrelid = pg_class.oid
         where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
         order by relname, attnum",
    )
    .fetch_all(pool)
    .await?;
    let mut tables: Vec<Table> = Vec::new();
    for (name, column) in columns {
        let is_left_out =
            LEFT_OUT.iter().any(|(table, columns)| *table == name && columns.contains(&column.as_str()));
        let column = match (name.as_str(), is_left_out) {
            // In which order it was written stays.
            ("change_inbox", true) if column == "id" => "row_number() over (order by id)".to_owned(),
            (_, true) => continue,
            (_, false) => format!("\"{column}\""),
        };
        match tables.last_mut().filter(|table| table.name == name) {
            Some(table) => table.row.push_str(&format!(", {column}")),
            None => tables.push(Table { name, row: column }),
        }
    }
    Ok(tables)
}

/// How many rows, and a hash of all of them in whatever order they lie.
async fn hash(pool: &PgPool, Table { name, row }: &Table) -> Result<(i64, String)> {
    let statement = format!(
        "select count(*), coalesce(md5(string_agg(hash, '' order by hash)), '')
         from (select md5(row({row})::text) as hash from {name}) as hashes"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(statement)).fetch_one(pool).await?)
}

async fn differing(calm: &PgPool, disturbed: &PgPool, Table { name, row }: &Table) -> Result<usize> {
    let statement = format!("select row({row})::text from {name}");
    let mut counts: HashMap<String, i64> = HashMap::new();
    for (pool, weight) in [(calm, 1), (disturbed, -1)] {
        let rows: Vec<String> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(statement.clone())).fetch_all(pool).await?;
        rows.into_iter().for_each(|row| *counts.entry(row).or_default() += weight);
    }
    counts.retain(|_, count| *count != 0);
    // The world is made up: its rows may be shown.
    for (row, count) in counts.iter().take(6) {
        progress(format!("{} {row}", if *count > 0 { "only undisturbed:" } else { "only disturbed:" }));
    }
    Ok(counts.len())
}
