//! Whether Retry-After is enough: fill a rate, get refused, stop, wait exactly as long, and call the same node once.

use super::fields::Fields;
use super::{account, send};
use crate::bar::progress;
use crate::rig::{Account, Rig, Server};
use anyhow::{bail, ensure};
use std::time::Duration;

/// Plans and keys with small and large quotas; the slower ones fill theirs over half a minute.
const KINDS: &[Kind] = &[
    Kind { plan: "pro", terms: &[], per_minute: 1_000, pause: Duration::ZERO },
    Kind { plan: "starter", terms: &[], per_minute: 300, pause: Duration::from_millis(60) },
    Kind { plan: "trial", terms: &[], per_minute: 120, pause: Duration::from_millis(200) },
    Kind {
        plan: "pro",
        terms: &["--requests-per-minute", "7"],
        per_minute: 7,
        pause: Duration::from_millis(400),
    },
];
/// Calls beyond the quota that may be needed until the first is refused.
const BEYOND: u32 = 120;

#[derive(Debug, Clone, Copy)]
struct Kind {
    plan: &'static str,
    terms: &'static [&'static str],
    per_minute: u32,
    /// Between two calls while the quota is being filled.
    pause: Duration,
}

pub struct Waiting {
    account: Account,
    kind: Kind,
}

/// An account for each round: a round stops all traffic of its account, not that of others.
pub fn accounts(rig: &Rig, rounds: usize) -> anyhow::Result<Vec<Waiting>> {
    let kinds = KINDS.iter().copied().cycle().take(rounds);
    kinds.map(|kind| Ok(Waiting { account: account(rig, kind.plan, kind.terms)?, kind })).collect()
}

/// All rounds at once. Answers how many calls came too early.
pub async fn rounds(all: Vec<Waiting>, nodes: &[Server], fields: &Fields) -> anyhow::Result<usize> {
    let rounds = all.iter().enumerate().map(|(number, waiting)| round(number, waiting, nodes, fields));
    let early = futures_util::future::try_join_all(rounds).await?;
    Ok(early.into_iter().filter(|early| *early).count())
}

async fn round(number: usize, waiting: &Waiting, nodes: &[Server], fields: &Fields) -> anyhow::Result<bool> {
    let Waiting { account, kind } = waiting;
    let mut clients = nodes.iter().map(Server::client).collect::<Vec<_>>();
    // One node gets most of it, another is asked.
    let busy = (number + number / KINDS.len()) % clients.len();
    let asked = (number / KINDS.len()) % clients.len();
    for call in 0..kind.per_minute {
        let at = if call % 10 == 9 { usize::try_from(call / 10)? % clients.len() } else { busy };
        send(&mut clients[at], account, fields).await?;
        tokio::time::sleep(kind.pause).await;
    }
    let mut wait = None;
    for _ in 0..BEYOND {
        let answer = send(&mut clients[asked], account, fields).await?;
        match answer.status {
            429 => {
                wait = answer.retry_after;
                break;
            }
            200 | 503 => {}
            other => bail!("a call was answered {other}"),
        }
    }
    ensure!(wait.is_some(), "round {number}: {} calls a minute are never full", kind.per_minute);
    let wait = wait.unwrap_or_default();
    tokio::time::sleep(Duration::from_secs(wait.into())).await;
    let answer = send(&mut clients[asked], account, fields).await?;
    if answer.status != 200 {
        progress(format!("round {number} ({kind:?}): {} after {wait} s", answer.status));
    }
    Ok(answer.status != 200)
}
