//! A key's monthly cap under parallel paid calls on all nodes: what the ledger charged is never above it.

use super::account;
use crate::bar::{Complaints, progress};
use crate::http_client::{Exchange, Post};
use crate::rig::{Rig, Server};
use anyhow::{Context, bail};
use std::sync::Arc;
use tokio::sync::Barrier;

const CAP: i64 = 40;
const CALLS: usize = 200;

/// Thousandths of a credit that were charged above the cap.
pub async fn check(rig: &Rig, nodes: &[Server], complaints: &mut Complaints) -> anyhow::Result<i64> {
    let account = account(rig, "scale", &["--monthly-cap", &CAP.to_string()])?;
    let barrier = Arc::new(Barrier::new(CALLS));
    let mut calls = Vec::new();
    for (number, node) in nodes.iter().cycle().take(CALLS).enumerate() {
        let known = rig.known(u64::try_from(number)?).context("the world is too small")?;
        let (barrier, account) = (Arc::clone(&barrier), &account);
        calls.push(async move {
            let body = format!("{{\"email\":\"{}\"}}", known.email);
            barrier.wait().await;
            let (path, api_key) = ("/v1/enrich", &*account.api_key);
            let post = Post { path, api_key, idempotency_key: None, body: body.as_bytes() };
            match node.client().post(&post).await {
                Exchange::Whole(reply) => Ok(reply.status),
                Exchange::Half | Exchange::Nothing => bail!("no whole reply to a paid call"),
            }
        });
    }
    let statuses = futures_util::future::try_join_all(calls).await?;
    let charged: i64 = sqlx::query_scalar(
        "select coalesce(sum(amount), 0)::bigint from posting where account_id = $1 and kind in (2, 4)",
    )
    .bind(account.id.uuid())
    .fetch_one(rig.ledger().await?.pool())
    .await?;
    let count = |status| statuses.iter().filter(|it| **it == status).count();
    progress(format!(
        "a cap of {CAP}: {} paid, {} refused, {} shed, {charged} thousandths charged",
        count(200),
        count(402),
        count(503)
    ));
    if charged < CAP * 1_000 && count(503) == 0 {
        complaints.add(format!("only {charged} thousandths of a cap of {CAP} could be spent"));
    }
    for status in statuses.iter().filter(|status| ![200, 402, 503].contains(status)) {
        complaints.add(format!("a paid call was answered {status}"));
    }
    Ok((charged - CAP * 1_000).max(0))
}
