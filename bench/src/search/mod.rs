//! What the bars of search share: installations, a call, and all pages of one.

mod bare;
pub mod cold_start;
pub mod cursors;
pub mod exact;
pub mod freshness;
mod icp;
pub mod restore;
pub mod scale;
mod updates;

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Rig, RigOptions};
use crate::world::LOAD_SETTINGS;
use anyhow::{Context, Result, bail};
use assay_domain::limits::SEARCH_COUNTED_MAX;
use assay_testkit::PostgresOptions;
use serde_json::{Value, json};

const PEOPLE: &str = "/v1/search/people";
const COMPANIES: &str = "/v1/search/companies";
/// Enough for every row of every search.
const CREDITS: &str = "100000000";

/// An installation whose accounts can pay for all that is asked.
fn rig(people: u64, accounts: usize) -> Result<Rig> {
    rig_on(PostgresOptions::default(), people, accounts)
}

/// The same, loaded quickly and durable after that.
fn big_rig(people: u64, accounts: usize) -> Result<Rig> {
    let rig = rig_on(PostgresOptions::with_settings(&LOAD_SETTINGS), people, accounts)?;
    for setting in ["fsync = on", "full_page_writes = on", "autovacuum = on"] {
        rig.postgres.psql("postgres", &format!("alter system set {setting}"))?;
    }
    rig.postgres.psql("postgres", "select pg_reload_conf()")?;
    rig.postgres.psql(rig.graph_name(), "vacuum analyze")?;
    rig.postgres.psql("postgres", "checkpoint")?;
    Ok(rig)
}

fn rig_on(postgres: PostgresOptions, people: u64, accounts: usize) -> Result<Rig> {
    let rig = Rig::start(RigOptions { failpoints: false, accounts, people, postgres, one_database: false })?;
    for account in &rig.accounts {
        rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
    }
    Ok(rig)
}

async fn ask(client: &mut Client, api_key: &str, path: &str, body: &Value) -> Result<Value> {
    let body = body.to_string();
    let post = Post { path, api_key, idempotency_key: None, body: body.as_bytes() };
    match client.post(&post).await {
        Exchange::Whole(reply) if reply.status == 200 => Ok(serde_json::from_slice(reply.body)?),
        Exchange::Whole(reply) => {
            bail!("{path} {body}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
        }
        Exchange::Half | Exchange::Nothing => bail!("{path}: no whole answer"),
    }
}

/// What all pages of a search showed.
struct Walked {
    /// In the order of the pages.
    ids: Vec<String>,
    /// How many there are, or how many at least.
    total: u64,
    is_exact: bool,
}

impl Walked {
    /// Whether the total says what it must of so many: no more than the first ten thousand are counted unless asked for.
    fn counts(&self, rows: u64, asked_exact: bool) -> bool {
        let is_exact = asked_exact || rows <= SEARCH_COUNTED_MAX;
        let total = if is_exact { rows } else { SEARCH_COUNTED_MAX };
        (self.total, self.is_exact) == (total, is_exact)
    }
}

/// Walks all pages of a search, each asked of the next client.
async fn walk(
    clients: &mut [Client],
    api_key: &str,
    path: &str,
    filters: &Value,
    limit: u32,
) -> Result<Walked> {
    let (mut ids, mut counted, mut page_number) = (Vec::new(), None, 0_usize);
    let mut body = filters.clone();
    body["limit"] = json!(limit);
    loop {
        let next = page_number % clients.len();
        let client = clients.get_mut(next).context("nobody to ask")?;
        let page = ask(client, api_key, path, &body).await?;
        let rows = page["results"].as_array().context("an answer without rows")?;
        ids.extend(rows.iter().filter_map(|row| row["id"].as_str()).map(str::to_owned));
        let total = page["total"].as_u64().context("an answer without a total")?;
        counted = counted.or(Some((total, page["total_relation"] == "eq")));
        body["cursor"] = page["next_cursor"].clone();
        page_number += 1;
        if body["cursor"].is_null() {
            let (total, is_exact) = counted.context("an answer without a total")?;
            return Ok(Walked { ids, total, is_exact });
        }
    }
}
