//! Lists are made, over HTTP, as many entries a call as a call may have.

use super::callers::Office;
use crate::http_client::{Client, Exchange, Post};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const MAKERS: usize = 4;
const AGAIN_AFTER: Duration = Duration::from_millis(500);
const GIVEN_UP_AFTER: Duration = Duration::from_secs(90);
/// More than any run of the bar costs: what a schedule may not pay for would be told by nobody.
const SCHEDULE_CREDITS: u32 = 100_000;

pub(super) async fn make(office: &Arc<Office>, lists: Vec<usize>) -> Result<()> {
    let (lists, next) = (Arc::new(lists), Arc::new(AtomicUsize::new(0)));
    let mut makers = JoinSet::new();
    for _ in 0..MAKERS {
        let (office, lists, next) = (Arc::clone(office), Arc::clone(&lists), Arc::clone(&next));
        makers.spawn(async move {
            let mut clients = office.nodes.map(Client::new);
            while let Some(list) = lists.get(next.fetch_add(1, Ordering::Relaxed)) {
                make_one(&office, &mut clients, *list).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(maker) = makers.join_next().await {
        maker??;
    }
    Ok(())
}

/// With a key, so that one whose answer was lost is not made twice.
async fn make_one(office: &Office, clients: &mut [Client; 2], list: usize) -> Result<()> {
    let plan = &office.cast.lists[list];
    let mut body = json!({
        "name": format!("list {list}"), "kind": plan.kind.as_str(), "entries": office.cast.entries(list),
    });
    if let Some(track) = plan.track {
        body["track"] = json!([track]);
    }
    if plan.is_scheduled {
        body["schedule"] = json!({ "every_hours": 1, "max_credits": SCHEDULE_CREDITS });
    }
    let (body, key) = (body.to_string(), format!("make-{list}"));
    let post = Post {
        path: "/v1/watch-lists",
        api_key: office.api_key(list),
        idempotency_key: Some(&key),
        body: body.as_bytes(),
    };
    let trying = Stopwatch::start();
    for attempt in list.. {
        match clients[attempt % 2].post(&post).await {
            Exchange::Whole(reply) if reply.status == 201 => {
                let made: Value = serde_json::from_slice(reply.body)?;
                let id = made["id"].as_str().context("a list without an id")?;
                ensure!(office.ids[list].set(id.to_owned()).is_ok(), "list {list} is made twice");
                return Ok(());
            }
            Exchange::Whole(reply) if !matches!(reply.status, 409 | 429 | 500..) => {
                bail!("list {list}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            _ => ensure!(trying.elapsed() < GIVEN_UP_AFTER, "list {list} cannot be made"),
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
    bail!("there are no more numbers")
}
