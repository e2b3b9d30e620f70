//! The calls: submit a job, look at it, read all its results.

use crate::http_client::{Client, Cost, Exchange, Post};
use crate::rig::Account;
use anyhow::{Context, Result, bail};
use assay_domain::Credits;
use assay_store::Ledger;
use assay_testkit::Deadline;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use uuid::Uuid;

const PAGE_ROWS: usize = 100;
/// How long a rate that is used up may keep a reader waiting.
const PATIENCE: Duration = Duration::from_secs(60);

/// A bulk job as its account sees it; only what the bars look at.
#[derive(Debug, Clone, Deserialize)]
pub struct JobView {
    pub id: String,
    pub status: String,
    pub counts: Counts,
    pub charged: Credits,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Counts {
    pub total: usize,
    pub pending: usize,
    pub resolved: usize,
}

impl JobView {
    pub fn is_over(&self) -> bool {
        !matches!(self.status.as_str(), "queued" | "running" | "paused_insufficient_credits")
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct ResultView {
    pub index: usize,
    pub status: String,
    pub person: Option<PersonView>,
    pub cost: Cost,
}

#[derive(Debug, Clone, Deserialize)]
pub struct PersonView {
    pub id: String,
}

/// Submits a job and returns its id.
pub async fn submit(client: &mut Client, account: &Account, body: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Submitted {
        id: String,
    }
    let post = Post {
        path: "/v1/bulk/enrich",
        api_key: &account.api_key,
        idempotency_key: None,
        body: body.as_bytes(),
    };
    match client.post(&post).await {
        Exchange::Whole(reply) if reply.status == 202 => {
            Ok(serde_json::from_slice::<Submitted>(reply.body)?.id)
        }
        Exchange::Whole(reply) => {
            bail!("a job was answered {}: {}", reply.status, String::from_utf8_lossy(reply.body))
        }
        Exchange::Half | Exchange::Nothing => bail!("no whole reply to a job"),
    }
}

pub async fn read_job(client: &mut Client, account: &Account, id: &str) -> Result<JobView> {
    read(client, account, &format!("/v1/bulk/{id}?limit=1")).await
}

/// All results of a job, page by page.
pub async fn read_results(client: &mut Client, account: &Account, id: &str) -> Result<Vec<ResultView>> {
    #[derive(Deserialize)]
    struct Page {
        results: Vec<ResultView>,
        next_cursor: Option<String>,
    }
    let mut results = Vec::new();
    let mut path = format!("/v1/bulk/{id}?limit={PAGE_ROWS}");
    loop {
        let page: Page = read(client, account, &path).await?;
        results.extend(page.results);
        let Some(cursor) = page.next_cursor else { return Ok(results) };
        path = format!("/v1/bulk/{id}?limit={PAGE_ROWS}&cursor={cursor}");
    }
}

async fn read<T: DeserializeOwned>(client: &mut Client, account: &Account, path: &str) -> Result<T> {
    let deadline = Deadline::after(PATIENCE);
    loop {
        match client.get(path, &account.api_key).await {
            Exchange::Whole(reply) if reply.status == 200 => {
                return serde_json::from_slice(reply.body).context("an answer of another form");
            }
            Exchange::Whole(reply) if reply.status == 429 && !deadline.passed() => {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            Exchange::Whole(reply) => {
                bail!("{path} was answered {}: {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("no whole reply to {path}"),
        }
    }
}

/// Waits until no job of these accounts is unfinished, without bothering the API with it. False: not in time.
pub async fn wait_finished(
    ledger: &Ledger,
    accounts: &[Uuid],
    look: Duration,
    allowed: Duration,
) -> Result<bool> {
    let deadline = Deadline::after(allowed);
    loop {
        let open: bool = sqlx::query_scalar(
            "select exists (select from bulk_job where account_id = any($1) and finished_at is null)",
        )
        .bind(accounts)
        .fetch_one(ledger.pool())
        .await?;
        if !open {
            return Ok(true);
        }
        if deadline.passed() {
            return Ok(false);
        }
        tokio::time::sleep(look).await;
    }
}
