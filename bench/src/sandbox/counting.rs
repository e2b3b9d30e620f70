//! Whether the day's limit is exact: at once, after a kill, over several nodes, and for whom it counts.

use super::caller::{Answer, Caller};
use crate::bar::{Complaints, progress};
use crate::rig::{Rig, Server};
use anyhow::Context;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::task::JoinSet;

/// What the contract says.
const LIMIT: u32 = 50;
const LIMIT_CALLS: usize = 50;
const CALLS: usize = 400;
/// The bar's own address is a proxy that is believed.
pub const TRUSTING: (&str, &str) = ("ASSAY_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");

/// Runs every check; returns how many calls were made.
pub async fn check(rig: &mut Rig, complaints: &mut Complaints) -> anyhow::Result<usize> {
    let mut made = 0;
    progress(format!("{CALLS} calls at once from one address"));
    let server = rig.serve(&[])?;
    let answers = at_once(&[server.address], CALLS, None).await?;
    made += answers.len();
    exactly(LIMIT_CALLS, &answers, "at once", complaints);

    progress(
        "kill -9 of PostgreSQL and the server, and the same address again, with and without a forged header",
    );
    rig.postgres.kill_dash_nine()?;
    server.kill_dash_nine()?;
    rig.postgres.restart()?;
    let server = rig.serve(&[])?;
    let mut caller = Caller::new(server.address);
    for number in 0..20 {
        let forged = format!("203.0.113.{number}");
        let answer = caller.call((number % 2 == 1).then_some(&*forged)).await?;
        made += 1;
        if !answer.is_used_up() {
            complaints.add(format!("after a kill, call {number} of a used-up address answered {answer:?}"));
        }
    }
    let other = Caller::from(server.address, IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2))).call(None).await?;
    made += 1;
    left_is(LIMIT - 1, &other, "another source address", complaints);

    made += check_kill_amid_calls(rig, complaints).await?;
    let nodes = [rig.serve(&[TRUSTING])?, rig.serve(&[TRUSTING])?];
    made += check_forwarded(&nodes[0], complaints).await?;
    progress(format!("{CALLS} calls at once over two nodes"));
    let addresses = nodes.each_ref().map(|node| node.address);
    let answers = at_once(&addresses, CALLS, Some("203.0.113.200")).await?;
    made += answers.len();
    exactly(LIMIT_CALLS, &answers, "over two nodes", complaints);
    for node in nodes {
        node.stop()?;
    }
    Ok(made)
}

/// What was answered before and after a kill amid calls is never more than the limit, and what is missing was in flight.
async fn check_kill_amid_calls(rig: &Rig, complaints: &mut Complaints) -> anyhow::Result<usize> {
    const BEFORE: usize = 20;
    const IN_FLIGHT: usize = 20;
    progress("kill -9 amid calls");
    let client = Some("198.51.100.7");
    let server = rig.serve(&[TRUSTING])?;
    let before = at_once(&[server.address], BEFORE, client).await?;
    let address = server.address;
    let mut in_flight = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        in_flight.spawn(async move { Caller::new(address).call(client).await });
    }
    // Long enough for some of them to be counted, too short for all to be answered.
    tokio::time::sleep(Duration::from_millis(3)).await;
    server.kill_dash_nine()?;
    let mut served = before.iter().filter(|answer| answer.is_served()).count();
    while let Some(call) = in_flight.join_next().await {
        served += usize::from(call?.is_ok_and(|answer| answer.is_served()));
    }
    let server = rig.serve(&[TRUSTING])?;
    let after = at_once(&[server.address], CALLS, client).await?;
    served += after.iter().filter(|answer| answer.is_served()).count();
    if !(LIMIT_CALLS - IN_FLIGHT..=LIMIT_CALLS).contains(&served) {
        complaints.add(format!("{served} calls were served around a kill, not {LIMIT_CALLS}"));
    }
    if let Some(odd) = after.iter().find(|answer| !answer.is_served() && !answer.is_used_up()) {
        complaints.add(format!("after a kill amid calls: {odd:?}"));
    }
    server.stop()?;
    Ok(BEFORE + IN_FLIGHT + after.len())
}

/// Behind a trusted proxy clients are apart, and an IPv6 /64 is one client.
async fn check_forwarded(server: &Server, complaints: &mut Complaints) -> anyhow::Result<usize> {
    progress("clients behind a trusted proxy, and an IPv6 /64");
    let mut caller = Caller::new(server.address);
    for number in 0..10 {
        let answer = caller.call(Some(&format!("192.0.2.66, 203.0.113.{number}, 127.0.0.9"))).await?;
        left_is(LIMIT - 1, &answer, "a client behind a trusted proxy", complaints);
    }
    for number in 0..=LIMIT_CALLS {
        let client = if number % 2 == 0 { "2001:db8:0:7::1" } else { "2001:db8:0:7:ffff:ffff:ffff:ffff" };
        let answer = caller.call(Some(client)).await?;
        let fits = if number < LIMIT_CALLS { answer.is_served() } else { answer.is_used_up() };
        if !fits {
            complaints.add(format!("call {number} of one /64 answered {answer:?}"));
        }
    }
    let next = caller.call(Some("2001:db8:0:8::1")).await?;
    left_is(LIMIT - 1, &next, "the next /64", complaints);
    Ok(10 + LIMIT_CALLS + 2)
}

/// Each call on a connection of its own, all at the same time, dealt out over the nodes.
async fn at_once(
    nodes: &[SocketAddr],
    calls: usize,
    client: Option<&'static str>,
) -> anyhow::Result<Vec<Answer>> {
    let mut running = JoinSet::new();
    for node in nodes.iter().cycle().take(calls).copied() {
        running.spawn(async move { Caller::new(node).call(client).await });
    }
    let mut answers = Vec::with_capacity(calls);
    while let Some(answer) = running.join_next().await {
        answers.push(answer?.context("a call at once")?);
    }
    Ok(answers)
}

/// As many served as wanted, each told another number of calls left, and all others told that the day is used up.
fn exactly(wanted: usize, answers: &[Answer], when: &str, complaints: &mut Complaints) {
    let served: Vec<&Answer> = answers.iter().filter(|answer| answer.is_served()).collect();
    let used_up = answers.iter().filter(|answer| answer.is_used_up()).count();
    if served.len() != wanted || used_up != answers.len() - wanted {
        complaints.add(format!(
            "{when}: {} served and {used_up} used up of {}, not {wanted} and {}",
            served.len(),
            answers.len(),
            answers.len() - wanted
        ));
    }
    let left: BTreeSet<u32> = served.iter().filter_map(|answer| answer.remaining).collect();
    if left.len() != served.len() {
        complaints.add(format!("{when}: two calls were told the same number left"));
    }
}

fn left_is(wanted: u32, answer: &Answer, who: &str, complaints: &mut Complaints) {
    if !answer.is_served() || answer.remaining != Some(wanted) {
        complaints.add(format!("{who} has {wanted} left, but was told {answer:?}"));
    }
}
