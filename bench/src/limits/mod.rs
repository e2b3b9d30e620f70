//! The bar `limits`: an account's request rate holds over four nodes, whatever the traffic looks like; a key's cap holds
//! under parallel calls; the headers are well-formed and Retry-After is never too early.

mod cap;
mod fields;
mod retry;
mod traffic;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, RigOptions, Server};
use anyhow::Context;
use assay_testkit::PostgresOptions;
use fields::Fields;
use serde_json::Value;
use std::time::Duration;
use traffic::{Case, Seen};

const NODES: usize = 4;
/// Of any minute's quota, what all nodes together may admit.
const BAR: f64 = 1.10;
/// So much of the quota must be usable, or the limit is not the one that was sold.
const USED_LEAST: f64 = 0.90;
const PEOPLE: u64 = 500;
/// Longer than nodes need to notice each other.
const ACQUAINTANCE: Duration = Duration::from_secs(3);
const ROUNDS: usize = 24;
const ROUNDS_SHORT: usize = 4;

const CASES: &[Case] = &[
    Case { plan: "pro", per_minute: 1_000, burst: false, length: Duration::from_secs(130) },
    Case { plan: "pro", per_minute: 1_000, burst: true, length: Duration::from_secs(130) },
    Case { plan: "scale", per_minute: 6_000, burst: false, length: Duration::from_secs(130) },
    Case { plan: "scale", per_minute: 6_000, burst: true, length: Duration::from_secs(130) },
];
/// At the same time, and long enough that the second minute is seen to begin.
const CASES_SHORT: &[Case] = &[
    Case { plan: "pro", per_minute: 1_000, burst: false, length: Duration::from_secs(63) },
    Case { plan: "pro", per_minute: 1_000, burst: true, length: Duration::from_secs(63) },
];

/// One call of this bar: authenticated and counted, but free and without a trace.
pub struct Answer {
    pub status: u16,
    pub retry_after: Option<u32>,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let options = RigOptions {
        failpoints: false,
        accounts: 0,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        one_database: false,
    };
    let rig = Rig::start(options)?;
    let nodes = (0..NODES).map(|_| rig.serve(&[])).collect::<anyhow::Result<Vec<_>>>()?;
    tokio::time::sleep(ACQUAINTANCE).await;
    let mut complaints = Complaints::default();
    let over = cap::check(&rig, &nodes, &mut complaints).await.context("in the cap")?;
    let fields = Fields::default();
    let rounds = if short { ROUNDS_SHORT } else { ROUNDS };
    let accounts = retry::accounts(&rig, rounds)?;
    progress(format!("{rounds} accounts wait as long as they are told, beside the cases"));
    let waits = retry::rounds(accounts, &nodes, &fields);
    let (seen, early) = tokio::join!(all_cases(&rig, &nodes, short, &fields), waits);
    let (seen, early) = (seen?, early?);
    for complaint in fields.complaints() {
        complaints.add(complaint);
    }
    for server in nodes {
        server.stop()?;
    }
    let most = seen.iter().map(|seen| seen.most).fold(0.0, f64::max);
    let used = seen.iter().map(|seen| seen.used).fold(f64::INFINITY, f64::min);
    let figure = format!(
        "limits: {most:.2} x the limit at most (bar {BAR:.2}), {used:.2} used, cap {over} over, {} headers parsed, \
         Retry-After early {early} of {rounds}",
        grouped(fields.parsed())
    );
    let passed = most <= BAR && used >= USED_LEAST && over == 0 && early == 0 && complaints.is_empty();
    Ok(Verdict { figure, passed })
}

/// One after the other, or, to be quick, all at once.
async fn all_cases(rig: &Rig, nodes: &[Server], short: bool, fields: &Fields) -> anyhow::Result<Vec<Seen>> {
    if short {
        let cases = CASES_SHORT.iter().map(|case| one_case(rig, nodes, case, fields));
        return futures_util::future::try_join_all(cases).await;
    }
    let mut all = Vec::new();
    for case in CASES {
        all.push(one_case(rig, nodes, case, fields).await?);
    }
    Ok(all)
}

async fn one_case(rig: &Rig, nodes: &[Server], case: &Case, fields: &Fields) -> anyhow::Result<Seen> {
    let account = account(rig, case.plan, &[])?;
    let seen = traffic::run(case, &account, nodes, fields).await?;
    progress(format!(
        "{} {}: {:.3} x {} at most, {:.3} used, {} admitted, {} refused, {} shed",
        case.plan,
        if case.burst { "burst" } else { "stream" },
        seen.most,
        case.per_minute,
        seen.used,
        seen.admitted,
        seen.refused,
        seen.shed
    ));
    Ok(seen)
}

/// A new account on a plan, with a key on these terms.
fn account(rig: &Rig, plan: &str, terms: &[&str]) -> anyhow::Result<Account> {
    let printed = rig.cli(&["account", "create", "--name", "limits", "--plan", plan, "--json"])?;
    let account: Value = serde_json::from_str(&printed)?;
    let id = account["id"].as_str().context("an account without an id")?;
    let create = [&["key", "create", "--account", id, "--name", "limits"], terms].concat();
    Ok(Account { id: id.parse()?, api_key: rig.cli(&create)?.trim().to_owned() })
}

/// Sends one call that is counted and costs nothing, and looks at what the headers say.
async fn send(client: &mut Client, account: &Account, fields: &Fields) -> anyhow::Result<Answer> {
    let post = Post {
        path: "/v1/enrich?dry_run=true",
        api_key: &account.api_key,
        idempotency_key: None,
        body: b"{\"email\":\"somebody@example.com\"}",
    };
    match client.post(&post).await {
        Exchange::Whole(reply) => {
            let retry_after = reply.header("retry-after").and_then(|seconds| seconds.parse().ok());
            fields.look(&reply, retry_after);
            Ok(Answer { status: reply.status, retry_after })
        }
        Exchange::Half | Exchange::Nothing => anyhow::bail!("no whole reply"),
    }
}
