//! The bar `verify-speed`: a list of addresses at many domains, verified through one node in hardly more time than the pace of
//! each operator makes it take.
//!
//! Callers take the addresses in whatever order, wait where they are kept waiting, and come back when they are told to; the
//! node's queue asks meanwhile.

use super::asking::{Asking, Persistence, Scene};
use crate::bar::{Complaints, Verdict, grouped, progress};
use anyhow::Result;
use assay_mailbox::{Pace, PaceRules, Permit};
use assay_testkit::mail::{Recipients, Script};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::time::Duration;

/// What may be taken of the time that the pace alone takes.
const TIMES_MAX: f64 = 1.3;
/// Domains are spread over so many servers; each is an operator of its own all the same.
const HOSTS: usize = 8;
const FIRST_HOST: u8 = 100;
const SEED: u64 = 23;
const PATIENCE: Duration = Duration::from_secs(900);

struct Size {
    domains: usize,
    /// At each domain.
    addresses: usize,
    /// Questions a minute to each operator.
    per_minute: u32,
    /// Calls at a time.
    at_once: usize,
}

const WHOLE: Size = Size { domains: 500, addresses: 20, per_minute: 20, at_once: 4_000 };
const SHORT: Size = Size { domains: 50, addresses: 10, per_minute: 40, at_once: 200 };

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { WHOLE };
    let records = (0..size.domains).flat_map(|number| {
        let (domain, host) = (domain(number), usize::from(FIRST_HOST) + number % HOSTS);
        [format!("{domain}. MX 10 mx.{domain}."), format!("mx.{domain}. A {{net}}.{host}")]
    });
    let mut scene = Scene::start(records.collect(), &format!("*={}", size.per_minute)).await?;
    for host in (FIRST_HOST..).take(HOSTS) {
        let there = Recipients::Listed {
            replies: (0..size.addresses).map(|number| (local_part(number), ACCEPTED.to_owned())).collect(),
            otherwise: "550 5.1.1 <{address}>: no such user".to_owned(),
        };
        scene.mail.serve(host, Script::plain("mx.test", there))?;
    }
    let node = scene.serve()?;
    let addresses = addresses(&size);
    progress(format!("asks for {} addresses at {} domains", grouped(addresses.len()), size.domains));
    let asking = Asking {
        nodes: std::slice::from_ref(&node),
        accounts: scene.accounts(),
        at_once: size.at_once,
        persistence: Persistence::UntilSettled,
        patience: PATIENCE,
    };
    let heard = asking.ask(&addresses).await?;
    progress(format!("{} calls, {} turned away", grouped(heard.calls), grouped(heard.refused)));
    let mut complaints = Complaints::default();
    for (address, (status, reason)) in addresses.iter().zip(&heard.verdicts) {
        if status != "valid" {
            complaints.add(format!("{address} was called {status} ({reason})"));
        }
    }
    let ideal = allowed_by_pace(&size);
    let times = heard.took.as_secs_f64() / ideal.as_secs_f64();
    let figure = format!(
        "verify-speed: {} addresses at {} domains in {:.1} s, {times:.2} times the {:.1} s that the pace takes (bar {TIMES_MAX})",
        grouped(addresses.len()),
        size.domains,
        heard.took.as_secs_f64(),
        ideal.as_secs_f64(),
    );
    Ok(Verdict { figure, passed: times <= TIMES_MAX && complaints.is_empty() })
}

const ACCEPTED: &str = "250 2.1.5 Recipient OK";

/// From the first question to the last, if one domain is asked as soon as it may be, every time.
fn allowed_by_pace(size: &Size) -> Duration {
    const START: u64 = 1_700_000_000_000;
    let rules = PaceRules { fixed_per_minute: Some(size.per_minute), ..PaceRules::default() };
    let (mut pace, mut now) = (Pace::default(), START);
    let mut last = now;
    for _ in 0..size.addresses {
        while let Permit::At(then) = pace.take(&rules, now, 0) {
            now = then;
        }
        last = now;
    }
    Duration::from_millis(last - START)
}

fn domain(number: usize) -> String {
    format!("d{number:03}.test")
}

fn local_part(number: usize) -> String {
    format!("person{number}")
}

/// In an order that has nothing to do with domains, the same in each run.
fn addresses(size: &Size) -> Vec<String> {
    let of_domain =
        |at: usize| (0..size.addresses).map(move |number| format!("{}@{}", local_part(number), domain(at)));
    let mut addresses: Vec<String> = (0..size.domains).flat_map(of_domain).collect();
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    for last in (1..addresses.len()).rev() {
        let bound = u64::try_from(last + 1).unwrap_or(u64::MAX);
        let other = usize::try_from(random.next_u64() % bound).unwrap_or(last);
        addresses.swap(last, other);
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_alone_takes_the_distances_after_the_first_two_questions() {
        assert_eq!(allowed_by_pace(&WHOLE), Duration::from_secs(54));
        assert_eq!(allowed_by_pace(&SHORT), Duration::from_secs(12));
    }

    #[test]
    fn every_address_is_asked_for_once_and_not_domain_by_domain() {
        let mut addresses = addresses(&SHORT);
        assert_ne!(addresses[0].split_once('@').unwrap().1, addresses[1].split_once('@').unwrap().1);
        addresses.sort_unstable();
        addresses.dedup();
        assert_eq!(addresses.len(), SHORT.domains * SHORT.addresses);
    }
}
