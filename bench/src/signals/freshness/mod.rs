//! The bar `signals-freshness`: how soon everybody sees what was told, and that nobody misses anything or sees it twice, while many
//! write, sources publish, and a node is killed.
//!
//! A signal's time begins before it is sent, so what is told is longer than from its commit. What a source publishes is found by the
//! workers' looks, which are set to be more frequent for the source that changes by the day.

pub mod observers;
mod public;

use super::teller::{operator_key, tell_either};
use crate::bar::{Complaints, Verdict, grouped, progress, quantile};
use crate::rig::{Rig, RigOptions};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_testkit::PostgresOptions;
use assay_testkit::public_hosts::PublicHosts;
use observers::{Observers, Seen};
use public::Publisher;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const WRITERS: usize = 32;
/// Their names among the sources.
const SOURCES: [&str; 4] = ["wire", "registry", "desk", "partner"];
/// The bars.
const P99_MAX: Duration = Duration::from_secs(2);
const LONGEST_MAX: Duration = Duration::from_secs(30);
const PUBLISHED_MAX: Duration = Duration::from_secs(60);
/// What has not come by then is missing.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(90);
/// A killed node is replaced after so long.
const REPLACED_AFTER: Duration = Duration::from_secs(5);

struct Size {
    seconds: usize,
    a_second: usize,
    /// From one thing published at the sources to the next.
    publish_every: Duration,
}

const FULL: Size = Size { seconds: 600, a_second: 100, publish_every: Duration::from_secs(5) };
const SHORT: Size = Size { seconds: 30, a_second: 50, publish_every: Duration::from_secs(5) };

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 1 + SOURCES.len(),
        people: 1_000,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let hosts = PublicHosts::start()?;
    let mirror = hosts.url();
    let settings = [
        ("ASSAY_FEEDS_CONTACT", "bar ops@assay.example"),
        ("ASSAY_FEEDS_MIRROR", mirror.as_str()),
        ("ASSAY_UPSTREAMS_ALLOWED_RANGES", "127.0.0.1/32"),
        ("ASSAY_UPSTREAMS_ALLOW_HTTP", "true"),
    ];
    let (stays, dies) = (rig.serve(&settings)?, rig.serve(&settings)?);
    let publisher = Publisher::start(&rig, hosts).await?;
    let clock = Stopwatch::start();
    let api_key = rig.accounts.first().context("no account")?.api_key.clone();
    let addresses = [stays.address, dies.address];
    let observers = Observers::start(addresses, &api_key, clock);
    let operators = operator_keys(&rig)?;
    let count = size.seconds * size.a_second;
    progress(format!("{WRITERS} writers tell of {} rounds, {} a second", grouped(count), size.a_second));
    let writing = tokio::spawn(write_all(addresses, operators, clock, size.a_second, count));
    let publishing = tokio::spawn(publisher.publish(clock, size.publish_every, size.seconds));
    tokio::time::sleep(Duration::from_secs(u64::try_from(size.seconds / 2)?)).await;
    let place = (dies.address, dies.operations);
    dies.kill_dash_nine()?;
    progress("a node was killed");
    tokio::time::sleep(REPLACED_AFTER).await;
    let next = rig.serve_at(place, &["serve"], &settings)?;
    let sent = writing.await??;
    let published = publishing.await?;
    observers.wait_for(&sent, &published, GIVEN_UP_AFTER).await;
    let seen = observers.end().await;
    let verdict = judge(&sent, &published, &seen);
    drop((stays, next));
    verdict
}

/// One for each source, of accounts of their own: 100 calls a second are all that a plan allows, and whoever watches would be
/// refused what the writers use up.
fn operator_keys(rig: &Rig) -> Result<Vec<String>> {
    rig.accounts.iter().skip(1).map(|account| operator_key(rig, account)).collect()
}

/// When each was sent for the last time, by its number.
async fn write_all(
    addresses: [SocketAddr; 2],
    api_keys: Vec<String>,
    clock: Stopwatch,
    a_second: usize,
    count: usize,
) -> Result<Vec<Duration>> {
    let api_keys = Arc::new(api_keys);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let api_keys = Arc::clone(&api_keys);
        writers.spawn(async move {
            let mut sent = Vec::new();
            for number in (writer..count).step_by(WRITERS) {
                let due = Duration::from_secs_f64(
                    f64::from(u32::try_from(number)?) / f64::from(u32::try_from(a_second)?),
                );
                tokio::time::sleep(due.saturating_sub(clock.elapsed())).await;
                let api_key = &api_keys[number % api_keys.len()];
                sent.push((number, tell(addresses, api_key, clock, number).await?));
            }
            anyhow::Ok(sent)
        });
    }
    let mut sent = vec![Duration::ZERO; count];
    while let Some(writer) = writers.join_next().await {
        for (number, at) in writer?? {
            if let Some(place) = sent.get_mut(number) {
                *place = at;
            }
        }
    }
    Ok(sent)
}

/// Tells one of them to a node, and to the other one when it is gone.
pub async fn tell(
    addresses: [SocketAddr; 2],
    api_key: &str,
    clock: Stopwatch,
    number: usize,
) -> Result<Duration> {
    let source = SOURCES[number % SOURCES.len()];
    tell_either(addresses, number, api_key, (source, &[round(number)]), clock).await
}

/// No two of them are one event, and each is known again by its domain.
pub fn round(number: usize) -> Value {
    json!({
        "id": format!("told-{number}"), "kind": "funding", "occurredAt": "2026-11-02T09:00:00Z",
        "company": { "name": name_of(number), "domain": format!("told-{number}.example"), "country": "DE" },
        "funding": { "stage": "seed", "amount": 250_000_000, "currency": "EUR" },
    })
}

/// A word for a number, unlike those of its neighbours.
pub fn name_of(number: usize) -> String {
    const HEADS: [&str; 16] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st"];
    const TAILS: [&str; 4] = ["a", "e", "i", "o"];
    let mut left = number.wrapping_mul(0x9E37_79B1) % (1 << 24);
    let mut word = String::new();
    for _ in 0..4 {
        word.push_str(HEADS[left % 16]);
        word.push_str(TAILS[left / 16 % 4]);
        left /= 64;
    }
    word
}

/// When an observer was behind, and how far: what is late is late for a while.
fn tell_latest(observer: &Seen, sent: &[Duration]) {
    let seen = sent.iter().enumerate().filter_map(|(number, at)| {
        let after = observer.rounds.get(&number)?.first()?.saturating_sub(*at);
        (after > P99_MAX).then_some((*at, after))
    });
    let late: Vec<(Duration, Duration)> = seen.collect();
    let times = || late.iter().map(|(at, _)| at.as_secs_f64());
    if let Some(longest) = late.iter().map(|(_, after)| *after).max() {
        progress(format!(
            "{}: {} of what was sent between {:.1} and {:.1} s came later than {} s, {:.1} s at most",
            observer.name,
            late.len(),
            times().fold(f64::INFINITY, f64::min),
            times().fold(0.0, f64::max),
            P99_MAX.as_secs(),
            longest.as_secs_f64(),
        ));
    }
}

fn judge(sent: &[Duration], published: &[(String, Duration)], seen: &[Seen]) -> Result<Verdict> {
    let mut complaints = Complaints::default();
    let (mut took, mut found) = (Vec::new(), Vec::new());
    for observer in seen {
        let told = if observer.kinds.contains(&"form") { sent } else { &[] };
        for (number, at) in told.iter().enumerate() {
            match observer.rounds.get(&number).map(Vec::as_slice) {
                Some([seen]) => took.push(seen.saturating_sub(*at)),
                Some(many) => {
                    complaints.add(format!("{} saw signal {number} {} times", observer.name, many.len()))
                }
                None => complaints.add(format!("{} did not see signal {number}", observer.name)),
            }
        }
        for (what, at) in
            published.iter().filter(|(what, _)| observer.kinds.iter().any(|kind| what.starts_with(kind)))
        {
            match observer.published.get(what).map(Vec::as_slice) {
                Some([seen]) => found.push(seen.saturating_sub(*at)),
                Some(many) => complaints.add(format!("{} saw {what} {} times", observer.name, many.len())),
                None => complaints.add(format!("{} did not see {what}", observer.name)),
            }
        }
    }
    for observer in seen {
        tell_latest(observer, sent);
    }
    took.sort_unstable();
    found.sort_unstable();
    ensure!(!took.is_empty() && !found.is_empty(), "nobody saw anything");
    let (p50, p99, longest) = (quantile(&took, 500), quantile(&took, 990), quantile(&took, 1_000));
    let slowest = quantile(&found, 1_000);
    let figure = format!(
        "signals-freshness: {} rounds by {WRITERS} writers of {} sources, one node killed, {} observers: seen after {:.0} ms (p50), \
         {:.0} ms (p99; bar {} s), {:.1} s at most (bar {} s); {} published at their sources seen after {:.1} s at most (bar {} s); \
         {} skipped or seen twice (bar 0)",
        grouped(sent.len()),
        SOURCES.len(),
        seen.len(),
        p50.as_secs_f64() * 1e3,
        p99.as_secs_f64() * 1e3,
        P99_MAX.as_secs(),
        longest.as_secs_f64(),
        LONGEST_MAX.as_secs(),
        published.len(),
        slowest.as_secs_f64(),
        PUBLISHED_MAX.as_secs(),
        complaints.count(),
    );
    let in_time = p99 <= P99_MAX && longest <= LONGEST_MAX && slowest <= PUBLISHED_MAX;
    Ok(Verdict { figure, passed: in_time && complaints.is_empty() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_are_of_their_numbers_alone() {
        let words: HashSet<String> = (0..60_000).map(name_of).collect();
        assert_eq!(words.len(), 60_000);
    }

    #[test]
    fn what_is_missing_late_or_doubled_fails() {
        let second = Duration::from_secs(1);
        let seen = |counts: &[usize], after: Duration| Seen {
            name: "somebody".to_owned(),
            kinds: vec!["form"],
            rounds: counts.iter().enumerate().map(|(number, count)| (number, vec![after; *count])).collect(),
            published: [("form 1".to_owned(), vec![second])].into(),
        };
        let published = [("form 1".to_owned(), Duration::ZERO), ("job 1".to_owned(), Duration::ZERO)];
        let passes = |seen: Seen| judge(&[Duration::ZERO; 2], &published, &[seen]).unwrap().passed;
        assert!(passes(seen(&[1, 1], second)));
        assert!(!passes(seen(&[1, 2], second)) && !passes(seen(&[1], second)));
        assert!(!passes(seen(&[1, 1], P99_MAX + second)));
    }
}
