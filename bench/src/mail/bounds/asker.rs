//! The process that asks: addresses at good domains on a schedule, with and without thousands at tarpits beside them.

use super::pits::{KNOWN, Kind};
use super::{Report, Round, Size};
use crate::bar::{Complaints, progress, quantile};
use crate::overload::process::Process;
use anyhow::{Context, Result};
use assay_domain::clock::Stopwatch;
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Email, IpRange};
use assay_mailbox::{
    Dns, DnsSettings, DomainKnowledge, Patience, ProbeSettings, Reason, Verdict, Verifier, check,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Between two good addresses: so many a second that nineteen of twenty can be told apart, and few enough that they do
/// not wait for each other.
const GOOD_EVERY: Duration = Duration::from_millis(10);
const P95: usize = 950;
const SMTP_PORT: u16 = 25;

struct Asker {
    verifier: Arc<Verifier>,
    /// A number that no domain has had: what DNS remembers would make the second round quicker.
    next: u64,
    complaints: Complaints,
    longest: Duration,
    good: usize,
    ended: usize,
}

/// One address that was asked for.
struct Asked {
    kind: Kind,
    took: Duration,
    verdict: Verdict,
}

pub async fn ask(nameserver: SocketAddr, size: &Size) -> Result<Report> {
    let mut asker = Asker {
        verifier: Arc::new(verifier(nameserver)?),
        next: 0,
        complaints: Complaints::default(),
        longest: Duration::ZERO,
        good: 0,
        ended: 0,
    };
    // What is only slow once.
    asker.time_good(size.window).await?;
    let mut rounds = Vec::new();
    for number in 1..=size.rounds {
        let alone = asker.time_good(size.window).await?;
        let mut tarpits = asker.start_tarpits(size.tarpits)?;
        let beside = asker.time_good(size.window).await?;
        // Those that are not waited for end here.
        if size.every_round_ends || number == size.rounds {
            asker.wait(&mut tarpits).await?;
        }
        drop(tarpits);
        let round = Round { alone: p95(alone), beside: p95(beside) };
        progress(format!(
            "round {number}: p95 {:?} alone, {:?} beside {} tarpits, {:.2} x",
            round.alone,
            round.beside,
            size.tarpits,
            round.ratio()
        ));
        rounds.push(round);
    }
    Ok(Report {
        rounds,
        longest: asker.longest,
        ended: asker.ended,
        good: asker.good,
        peak_bytes: Process(std::process::id()).peak_rss()?,
        violations: asker.complaints.count(),
    })
}

/// As the product would ask, but for the network it is in.
fn verifier(nameserver: SocketAddr) -> Result<Verifier> {
    let dns =
        Dns::new(&DnsSettings { nameservers: vec![nameserver], ipv6_first: false, private_hosts: true })?;
    let settings = ProbeSettings {
        helo: "verifier.test".to_owned(),
        sender: Some(Email::parse("probe@verifier.test")?),
        source: None,
        port: SMTP_PORT,
        allowed: vec![IpRange::parse("127.0.0.0/8")?],
        patience: Patience::default(),
    };
    Ok(Verifier::new(dns, settings)?)
}

fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    quantile(&times, P95)
}

impl Asker {
    /// An address at a domain nobody has asked for, on its way from when it was due.
    fn verify(&mut self, kind: Kind, due: Instant) -> Result<impl Future<Output = Asked> + Send + 'static> {
        self.next += 1;
        let seed = self.next;
        let address = format!("{KNOWN}@n{seed}.{}", kind.zone());
        let checked = check(&address).with_context(|| format!("{address} is none"))?;
        let verifier = Arc::clone(&self.verifier);
        Ok(async move {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let verdict = verifier.verify(&checked, DomainKnowledge::default(), &mut random).await;
            Asked { kind, took: due.elapsed(), verdict }
        })
    }

    /// All at once.
    fn start_tarpits(&mut self, count: usize) -> Result<JoinSet<Asked>> {
        let mut tarpits = JoinSet::new();
        let kinds: Vec<Kind> = Kind::tarpits().collect();
        for kind in kinds.iter().cycle().take(count) {
            tarpits.spawn(self.verify(*kind, Instant::now())?);
        }
        Ok(tarpits)
    }

    /// Asks for good addresses on a schedule, whatever became of those before; how long each took from when it was due.
    async fn time_good(&mut self, length: Duration) -> Result<Vec<Duration>> {
        let watch = Stopwatch::start();
        let mut asked = JoinSet::new();
        let mut due = interval(GOOD_EVERY);
        due.set_missed_tick_behavior(MissedTickBehavior::Burst);
        while watch.elapsed() < length {
            let at = due.tick().await;
            asked.spawn(self.verify(Kind::Good, at)?);
        }
        let mut times = Vec::new();
        while let Some(asked) = asked.join_next().await {
            let asked = asked?;
            times.push(asked.took);
            self.note(&asked);
        }
        Ok(times)
    }

    async fn wait(&mut self, tarpits: &mut JoinSet<Asked>) -> Result<()> {
        while let Some(ended) = tarpits.join_next().await {
            self.note(&ended?);
        }
        Ok(())
    }

    fn note(&mut self, asked: &Asked) {
        self.longest = self.longest.max(asked.took);
        let Asked { kind, verdict, took } = asked;
        let is_right = if *kind == Kind::Good {
            self.good += 1;
            verdict.status == EmailStatus::Valid
        } else {
            self.ended += 1;
            verdict.reason == Reason::TimedOut
        };
        if !is_right {
            self.complaints.add(format!("{kind:?} was said to be {:?} after {took:?}", verdict.reason));
        }
    }
}
