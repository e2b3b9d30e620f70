//! Asks the service for people over HTTP, and again where a mail server put it off.

use super::cast::Asked;
use crate::bar::{grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Server};
use anyhow::{Context, Result, bail};
use assay_domain::Confidence;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

const PATH: &str = "/v1/find-email";
/// Calls at once.
const AT_ONCE: usize = 32;
/// A search may be put off for each of its candidates, each time twice.
const ROUNDS: usize = 10;
/// After the moment an answer names: by then the queue has asked.
const GRACE: Duration = Duration::from_secs(2);
/// For whoever called too often.
const BREATH: Duration = Duration::from_secs(1);
const BREATHS_MAX: usize = 60;

/// What was answered last.
#[derive(Debug, Clone, Deserialize)]
pub struct Answer {
    pub found: bool,
    pub email: Option<String>,
    pub email_verified: Option<bool>,
    pub confidence: Option<Confidence>,
    pub retry_at: Option<DateTime<Utc>>,
    cost: Cost,
}

#[derive(Debug, Clone, Deserialize)]
struct Cost {
    credits: assay_domain::Credits,
}

impl Answer {
    /// Whether it was charged, which it must be if it found something, and else must not.
    pub fn is_billed(&self) -> bool {
        self.cost.credits > assay_domain::Credits::ZERO
    }
}

/// Asks for everybody, in rounds until nobody is put off any more; the last answer to each.
pub async fn ask_all(server: &Server, accounts: &[Account], asked: &[Asked]) -> Result<Vec<Answer>> {
    let mut answers: Vec<Option<Answer>> = vec![None; asked.len()];
    let mut open: Vec<usize> = (0..asked.len()).collect();
    for round in 1..=ROUNDS {
        progress(format!("round {round}: asks for {} people", grouped(open.len())));
        for (at, answer) in ask_round(server, accounts, asked, &open).await? {
            answers[at] = Some(answer);
        }
        let put_off = |at: &usize| answers[*at].as_ref().is_some_and(|answer| answer.retry_at.is_some());
        open.retain(put_off);
        let latest = open.iter().filter_map(|at| answers[*at].as_ref()?.retry_at).max();
        let Some(latest) = latest.filter(|_| round < ROUNDS) else { break };
        let wait = latest.signed_duration_since(Utc::now()).to_std().unwrap_or_default();
        tokio::time::sleep(wait + GRACE).await;
    }
    answers.into_iter().map(|answer| answer.context("somebody was not asked for")).collect()
}

async fn ask_round(
    server: &Server,
    accounts: &[Account],
    asked: &[Asked],
    open: &[usize],
) -> Result<Vec<(usize, Answer)>> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(open.len())));
    let callers = (0..AT_ONCE).map(|caller| {
        let (next, answers) = (&next, &answers);
        async move {
            let account = accounts.get(caller % accounts.len().max(1)).context("nobody pays")?;
            let mut client = server.client();
            while let Some(at) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                let answer = ask(&mut client, &account.api_key, &asked[*at]).await?;
                answers.lock().await.push((*at, answer));
            }
            Ok::<(), anyhow::Error>(())
        }
    });
    futures_util::future::try_join_all(callers).await?;
    Ok(answers.into_inner())
}

async fn ask(client: &mut Client, api_key: &str, who: &Asked) -> Result<Answer> {
    let Asked { first_name, last_name, domain, .. } = who;
    let body = json!({ "kind": "name", "firstName": first_name, "lastName": last_name, "domain": domain });
    let body = body.to_string();
    let post = Post { path: PATH, api_key, idempotency_key: None, body: body.as_bytes() };
    for _ in 0..BREATHS_MAX {
        match client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => return Ok(serde_json::from_slice(reply.body)?),
            Exchange::Whole(reply) if reply.status == 429 => {}
            Exchange::Whole(reply) => {
                bail!("{body}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{body}: no whole answer"),
        }
        tokio::time::sleep(BREATH).await;
    }
    bail!("{body}: called too often all the time")
}
