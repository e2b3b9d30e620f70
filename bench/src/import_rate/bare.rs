//! What PostgreSQL itself takes for the rows an import wrote: copied out in binary, then into the database as it was before.

use crate::bar::{grouped, progress};
use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_testkit::Stopwatch;
use bytes::Bytes;
use futures_util::TryStreamExt;
use sqlx::postgres::{PgConnection, PgPoolCopyExt};
use sqlx::{Connection, PgPool};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const COPY: &str = "bar_copy";
/// Read and sent at once.
const PIECE_BYTES: usize = 1 << 20;

/// The graph as it was before the import.
pub struct Before {
    graph: String,
    /// Rows that an import wrote are of this transaction or a later one.
    first_transaction: i64,
}

pub struct Copied {
    pub rows: usize,
    pub took: Duration,
}

/// A table with columns that can be copied.
struct Table {
    name: String,
    columns: String,
}

impl Before {
    /// Keeps a second database like the graph: same tables, same indexes, same companies.
    pub async fn keep(rig: &Rig) -> Result<Self> {
        let mut connection = PgConnection::connect(&rig.graph_url()).await?;
        let graph: String =
            sqlx::query_scalar("select current_database()").fetch_one(&mut connection).await?;
        connection.close().await?;
        rig.postgres.psql("postgres", &format!("create database {COPY} template {graph}"))?;
        rig.postgres.psql("postgres", "checkpoint")?;
        let transaction = rig.postgres.psql("postgres", "select pg_current_xact_id()")?;
        Ok(Self { graph, first_transaction: transaction.trim().parse().context("no transaction id")? })
    }

    /// Copies what was written since, and says how long PostgreSQL took to take it in.
    pub async fn copy(self, rig: &Rig, folder: &Path) -> Result<Copied> {
        let pool = PgPool::connect(&rig.graph_url()).await?;
        let mut files = Vec::new();
        for table in tables(&pool).await? {
            let file = folder.join(format!("{}.copy", table.name));
            if self.take_out(&pool, &table, &file).await? {
                files.push((table, file));
            }
        }
        pool.close().await;
        // There is room for one of the two.
        rig.postgres.psql("postgres", &format!("drop database {}", self.graph))?;
        rig.postgres.psql("postgres", "checkpoint")?;
        let url = rig.postgres.url(COPY);
        progress("copying what the import wrote into the database as it was before");
        put_in(&url, &files).await
    }

    /// False when nothing was written to the table.
    async fn take_out(&self, pool: &PgPool, table: &Table, file: &Path) -> Result<bool> {
        let Table { name, columns } = table;
        let written = format!("from {name} where xmin::text::bigint >= {}", self.first_transaction);
        let any: bool = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select exists (select {written})")))
            .fetch_one(pool)
            .await?;
        if !any {
            return Ok(false);
        }
        let statement = format!("copy (select {columns} {written}) to stdout (format binary)");
        let mut rows = pool.copy_out_raw(&statement).await?;
        let mut out = BufWriter::new(File::create(file)?);
        while let Some(bytes) = rows.try_next().await? {
            out.write_all(&bytes)?;
        }
        out.flush()?;
        Ok(true)
    }
}

/// All tables of the graph. A generated column is made anew where it is copied to.
async fn tables(pool: &PgPool) -> Result<Vec<Table>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "select relname::text, string_agg(quote_ident(attname), ', ' order by attnum)
         from pg_class join pg_attribute on attrelid = pg_class.oid
         where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
             and attgenerated = ''
         group by relname order by relname",
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|(name, columns)| Table { name, columns }).collect())
}

/// One connection, one transaction. Reading the files counts, which are in memory all the same.
async fn put_in(url: &str, files: &[(Table, PathBuf)]) -> Result<Copied> {
    let mut connection = PgConnection::connect(url).await?;
    let mut rows = 0;
    let whole = Stopwatch::start();
    let mut transaction = connection.begin().await?;
    for (Table { name, columns }, file) in files {
        let watch = Stopwatch::start();
        let statement = format!("copy {name} ({columns}) from stdin (format binary)");
        let mut copy = transaction.copy_in_raw(&statement).await?;
        let mut file = File::open(file)?;
        loop {
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            (&mut file).take(u64::try_from(PIECE_BYTES)?).read_to_end(&mut piece)?;
            if piece.is_empty() {
                break;
            }
            copy.send(Bytes::from(piece)).await?;
        }
        let copied = usize::try_from(copy.finish().await?)?;
        rows += copied;
        progress(format!("{name}: {} rows in {} ms", grouped(copied), watch.elapsed().as_millis()));
    }
    transaction.commit().await?;
    let took = whole.elapsed();
    connection.close().await?;
    Ok(Copied { rows, took })
}
