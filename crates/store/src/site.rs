//! A database as a backup and a restore see it: one connection, whatever the schema is.

use crate::relay::{Relay, reach};
use crate::{Database, StoreError};
use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use sqlx::{Connection, Executor};
use uuid::Uuid;

/// Nothing but what extensions have put there.
const IS_EMPTY: &str = "select not exists (
    select from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        and not exists (select from pg_depend d
                        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))";

/// Everything in the schema that belongs to no extension. What belongs to a table goes with it.
const CLEAR: &str = "do $$ declare it record; begin
    for it in select relname as name, case relkind when 'v' then 'view' when 'm' then 'materialized view'
                  when 'S' then 'sequence' else 'table' end as kind
              from pg_class c
              where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
                  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                                  and d.objsubid = 0 and d.deptype in ('e', 'i', 'a'))
    loop execute format('drop %s if exists public.%I cascade', it.kind, it.name); end loop;
    for it in select p.oid::regprocedure::text as name from pg_proc p
              where pronamespace = 'public'::regnamespace
                  and not exists (select from pg_depend d
                                  where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    loop execute format('drop routine if exists %s cascade', it.name); end loop;
end $$";

/// One connection to a database.
#[derive(Debug)]
pub struct Site {
    connection: PgConnection,
    /// What leads to the primary, where several servers are named.
    _relay: Option<Relay>,
}

/// A state of a database that does not change while this lives, and that others can be given by its name.
#[derive(Debug)]
pub struct HeldSnapshot {
    _held: Site,
    pub name: String,
    pub moment: DateTime<Utc>,
    pub schema: i64,
    /// Of the master key it was written with; none when it was never used.
    pub key_fingerprint: Option<String>,
    /// Of the change log and its last entry, in a graph.
    pub log: Option<(Uuid, i64)>,
}

impl Site {
    pub async fn open(database: &Database) -> Result<Self, StoreError> {
        let (options, relay) = reach(&database.url)?;
        let options = options
            .application_name("assay-site")
            // What is done here takes as long as it takes, and a snapshot is held by doing nothing.
            .options([("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0")]);
        Ok(Self { connection: PgConnection::connect_with(&options).await?, _relay: relay })
    }

    /// Whether nothing of ours is in it, nor of anybody else but extensions.
    pub async fn is_empty(&mut self) -> Result<bool, StoreError> {
        Ok(sqlx::query_scalar(IS_EMPTY).fetch_one(&mut self.connection).await?)
    }

    /// How many other connections programs of ours have to it.
    pub async fn others(&mut self) -> Result<i64, StoreError> {
        let others = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and application_name like 'assay-%'",
        );
        Ok(others.fetch_one(&mut self.connection).await?)
    }

    /// Empties it.
    pub async fn clear(&mut self) -> Result<(), StoreError> {
        self.connection.execute(CLEAR).await?;
        Ok(())
    }

    /// Has the planner look at the tables, which a restore leaves unknown to it.
    pub async fn analyze(&mut self) -> Result<(), StoreError> {
        self.connection.execute("analyze").await?;
        Ok(())
    }

    /// Holds on to the ledger's present state.
    pub async fn hold_ledger(self) -> Result<HeldSnapshot, StoreError> {
        self.hold("select key_fingerprint, null::uuid, null::bigint from ledger_meta").await
    }

    /// Holds on to the graph's present state.
    pub async fn hold_graph(self) -> Result<HeldSnapshot, StoreError> {
        self.hold("select key_fingerprint, log_epoch, seq from graph_meta cross join change_log_head").await
    }

    async fn hold(mut self, meta: &'static str) -> Result<HeldSnapshot, StoreError> {
        let connection = &mut self.connection;
        connection.execute("begin isolation level repeatable read read only").await?;
        let (name, moment): (String, DateTime<Utc>) =
            sqlx::query_as("select pg_export_snapshot(), clock_timestamp()")
                .fetch_one(&mut *connection)
                .await?;
        let made: bool = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
            .fetch_one(&mut *connection)
            .await?;
        if !made {
            return Err(StoreError::Schema("there is nothing in it".into()));
        }
        let schema: Option<i64> =
            sqlx::query_scalar("select max(version) from _sqlx_migrations where success")
                .fetch_one(&mut *connection)
                .await?;
        let (key_fingerprint, epoch, seq): (Option<String>, Option<Uuid>, Option<i64>) =
            sqlx::query_as(meta).fetch_one(&mut *connection).await?;
        let schema = schema.unwrap_or_default();
        Ok(HeldSnapshot { _held: self, name, moment, schema, key_fingerprint, log: epoch.zip(seq) })
    }
}
