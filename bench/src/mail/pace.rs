//! The bar `smtp-pace`: three processes that ask one operator of mail servers keep one pace, and stop at its first complaint.
//!
//! Counted at the server: connections at once, connections a second, and connections after it first said that it wants no more
//! of us.

use super::asking::{Asking, Persistence, Scene};
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::Server;
use anyhow::{Context, Result};
use assay_testkit::mail::{Recipients, Script, Tally};
use std::collections::BTreeMap;
use std::time::Duration;

const NODES: usize = 3;
const AT_ONCE: usize = 16;
const ADDRESSES: usize = 5_000;
const ADDRESSES_SHORT: usize = 500;
/// Questions a minute: as fast as can be configured.
const PER_MINUTE: u32 = 3_000;
const CONNECTIONS_MAX: u64 = 2;
/// How far the rate may be from what is configured, of 100.
const OFF_MAX: f64 = 5.0;
/// The server that has enough does after so many connections, and may see so many more after the one it first said so on.
const WELCOME: u64 = 100;
const MORE_MAX: u64 = 3;
const UNWELCOME: usize = 500;
/// How long it is looked whether somebody comes all the same: many times the distance between two questions.
const QUIET: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(600);

const PACED: u8 = 100;
const BLOCKING: u8 = 101;
const BLOCKED: &str = "550 5.7.1 Service unavailable; client host blocked using a blocklist";

pub async fn run(short: bool) -> Result<Verdict> {
    let count = if short { ADDRESSES_SHORT } else { ADDRESSES };
    let records = [("pace.test", PACED), ("block.test", BLOCKING)].iter().flat_map(|(domain, host)| {
        [format!("{domain}. MX 10 mx.{domain}."), format!("mx.{domain}. A {{net}}.{host}")]
    });
    let pace = format!("pace.test={PER_MINUTE},block.test={PER_MINUTE}");
    let mut scene = Scene::start(records.collect(), &pace).await?;
    scene.mail.serve(PACED, Script::plain("mx.pace.test", mailboxes(count)))?;
    let refuses = Script::plain("mx.block.test", Recipients::Every(BLOCKED.to_owned()));
    let script = Script::plain("mx.block.test", mailboxes(UNWELCOME)).until(WELCOME, refuses);
    scene.mail.serve(BLOCKING, script)?;
    let nodes = (0..NODES).map(|_| scene.serve()).collect::<Result<Vec<_>>>()?;
    let mut complaints = Complaints::default();
    let paced = keep_pace(&scene, &nodes, count, &mut complaints).await?;
    let more = stop(&scene, &nodes, &mut complaints).await?;
    let (rate, limit) = (rate(&paced), f64::from(PER_MINUTE) / 60.0);
    let off = (rate / limit - 1.0).abs() * 100.0;
    let figure = format!(
        "smtp-pace: {} addresses from {NODES} processes: {} connections at once (bar {CONNECTIONS_MAX}), {rate:.1} a second of \
         {limit:.0}, {off:.1} % off (bar {OFF_MAX:.0} %); {more} more after a complaint (bar {MORE_MAX})",
        grouped(count),
        paced.open_max,
    );
    let passed = paced.open_max <= CONNECTIONS_MAX && off <= OFF_MAX && more <= MORE_MAX;
    Ok(Verdict { figure, passed: passed && complaints.is_empty() })
}

/// Everybody at the server that never complains, and what it saw.
async fn keep_pace(
    scene: &Scene,
    nodes: &[Server],
    count: usize,
    complaints: &mut Complaints,
) -> Result<Tally> {
    progress(format!("asks for {} addresses", grouped(count)));
    let persistence = Persistence::UntilSettled;
    let heard =
        asking(scene, nodes, persistence).ask(&addresses("pace.test", count)).await.context("pace.test")?;
    for (number, (status, reason)) in heard.verdicts.iter().enumerate() {
        let right = if is_there(number) { "valid" } else { "invalid" };
        if status != right {
            complaints.add(format!("address {number} is {right}, and was called {status} ({reason})"));
        }
    }
    let tally = scene.mail.tally(PACED).context("no server")?;
    let asked = usize::try_from(tally.taken)?;
    progress(format!(
        "{} calls and {asked} connections in {:.1} s",
        grouped(heard.calls),
        heard.took.as_secs_f64()
    ));
    if asked < count {
        complaints.add(format!("{count} addresses have a verdict, and {asked} were asked for"));
    }
    Ok(tally)
}

/// Everybody at the server that has enough; how many connections it saw after the one on which it first said so.
async fn stop(scene: &Scene, nodes: &[Server], complaints: &mut Complaints) -> Result<u64> {
    progress("asks a server that will have enough");
    let addresses = addresses("block.test", UNWELCOME);
    let heard = asking(scene, nodes, Persistence::Once).ask(&addresses).await.context("block.test")?;
    tokio::time::sleep(QUIET).await;
    let tally = scene.mail.tally(BLOCKING).context("no server")?;
    let reasons = heard.reasons();
    progress(format!("{} connections; {reasons:?}", tally.taken));
    if tally.open_max > CONNECTIONS_MAX {
        complaints.add(format!("{} connections at once to the server that has enough", tally.open_max));
    }
    if tally.taken <= WELCOME || !reasons.contains_key("our_reputation") {
        complaints.add(format!("it never came to a complaint: {reasons:?}"));
    }
    Ok(tally.taken.saturating_sub(WELCOME + 1))
}

fn asking<'a>(scene: &'a Scene, nodes: &'a [Server], persistence: Persistence) -> Asking<'a> {
    Asking { nodes, accounts: scene.accounts(), at_once: AT_ONCE, persistence, patience: PATIENCE }
}

/// Connections a second, from the first to the last.
fn rate(tally: &Tally) -> f64 {
    let intervals = u32::try_from(tally.taken.saturating_sub(1)).map_or(f64::INFINITY, f64::from);
    intervals / tally.span.as_secs_f64()
}

/// Every other address has a mailbox.
fn is_there(number: usize) -> bool {
    number.is_multiple_of(2)
}

fn local_part(number: usize) -> String {
    format!("person{number}")
}

fn addresses(domain: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{}@{domain}", local_part(number))).collect()
}

fn mailboxes(count: usize) -> Recipients {
    let there = (0..count).filter(|number| is_there(*number));
    let replies: BTreeMap<String, String> =
        there.map(|number| (local_part(number), "250 2.1.5 Recipient OK".to_owned())).collect();
    Recipients::Listed { replies, otherwise: "550 5.1.1 <{address}>: no such user".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_the_distances_between_connections() {
        let tally =
            Tally { taken: 101, open: 0, open_max: 2, data_commands: 0, span: Duration::from_secs(2) };
        assert!((rate(&tally) - 50.0).abs() < 1e-9);
    }
}
