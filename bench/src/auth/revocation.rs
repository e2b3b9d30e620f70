//! How long a key lives on one node after it was revoked through another.

use super::scene::Scene;
use super::wire::{Addresses, Ask, send};
use anyhow::{Context, bail};
use assay_testkit::{Deadline, Stopwatch};
use serde_json::json;
use std::time::Duration;

/// What is promised.
pub const ALIVE_MAX: Duration = Duration::from_secs(5);
const WAIT: Duration = Duration::from_secs(20);
const CHECKS_AFTER: usize = 25;

/// The longest any of these keys lived, and how many came back to life.
#[derive(Debug, Default)]
pub struct Revocations {
    pub longest: Duration,
    pub undead: usize,
}

/// Makes a key through one node, uses it on the other, revokes it through the first, and calls the other until it is
/// refused: without a pause, so that some look-up is always under way.
pub async fn measure(scene: &mut Scene, rounds: usize) -> anyhow::Result<Revocations> {
    let mut result = Revocations::default();
    let mut dead = Vec::new();
    let [first, second] = [scene.nodes[0].address, scene.nodes[1].address];
    let owner = Some(scene.keys.good.clone());
    for round in 0..rounds {
        let (here, there) = if round % 2 == 0 { (first, second) } else { (second, first) };
        let body = Some(json!({"name": "short-lived", "scopes": ["lookup"]}));
        let create = Ask { method: "POST", path: "/v1/keys".to_owned(), key: owner.clone(), body };
        let made = scene.ask(here, &create).await?.json()?;
        let (id, key) = (made["id"].as_str().context("no id")?, made["key"].as_str().context("no key")?);
        let call = Ask { method: "GET", path: "/v1/me".to_owned(), key: Some(key.to_owned()), body: None };
        let from = Addresses::default().fresh();
        if send(there, from, &call).await?.status != 200 {
            bail!("a new key is not taken");
        }
        let revoke = Ask { method: "DELETE", path: format!("/v1/keys/{id}"), key: owner.clone(), body: None };
        let watch = Stopwatch::start();
        if scene.ask(here, &revoke).await?.status != 200 {
            bail!("a key could not be revoked");
        }
        let deadline = Deadline::after(WAIT);
        loop {
            let told = send(there, from, &call).await?;
            match told.status {
                200 if deadline.passed() => bail!("a revoked key lived for {WAIT:?}"),
                200 => {}
                401 if told.text().contains("revoked_api_key") => break,
                _ => bail!("neither taken nor refused: {}", told.text()),
            }
        }
        result.longest = result.longest.max(watch.elapsed());
        for node in [here, there].into_iter().cycle().take(CHECKS_AFTER) {
            result.undead += usize::from(send(node, from, &call).await?.status != 401);
        }
        dead.push(call);
    }
    for call in &dead {
        for node in [first, second] {
            result.undead += usize::from(send(node, Addresses::default().fresh(), call).await?.status != 401);
        }
    }
    Ok(result)
}
