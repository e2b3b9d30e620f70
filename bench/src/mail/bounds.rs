//! The bar `smtp-bounds`: mail servers that keep whoever asks waiting cost little, end in time, and are not noticed by
//! those who ask for addresses at good ones.
//!
//! Thousands of addresses are verified at once whose servers never greet, speak a byte at a time, or fall silent in the
//! middle. Beside them addresses at good domains are asked for on a schedule, by turns with and without the others, since
//! the machine is noisy; what counts is the median of the ratios. Whoever asks is a process of its own, so that its
//! memory can be told; the servers are in this one.

mod asker;
mod pits;

use crate::bar::{Complaints, Verdict, grouped, median, raise_open_files};
use anyhow::{Context, Result, ensure};
use assay_domain::limits::MAIL_DEADLINE;
use assay_testkit::mail::{MailRig, MailRigOptions};
use pits::{Kind, Servers};
use serde::{Deserialize, Serialize};
use std::process::{Command, Stdio};
use std::time::Duration;

pub const NAME: &str = "smtp-bounds";
const RATIO_MAX: f64 = 1.2;
const MEGABYTE: u64 = 1 << 20;
const MEMORY_MAX: u64 = 300 * MEGABYTE;
/// Tells the process that asks whom to ask.
const ASKER: &str = "ASSAY_BAR_ASKS";
/// The first of the addresses that the rig leaves to whoever uses it.
const FIRST_HOST: u8 = 100;

struct Size {
    tarpits: usize,
    rounds: usize,
    /// How long good domains are asked alone, and how long beside the tarpits: no longer than all of these are held.
    window: Duration,
    /// Whether every round waits for its tarpits, or only the last.
    every_round_ends: bool,
}

const FULL: Size =
    Size { tarpits: 2_000, rounds: 5, window: Duration::from_secs(12), every_round_ends: true };
const SHORT: Size = Size { tarpits: 200, rounds: 3, window: Duration::from_secs(2), every_round_ends: false };

/// What the process that asked found.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    rounds: Vec<Round>,
    /// The longest that any address took.
    longest: Duration,
    /// How many tarpits were asked to their end.
    ended: usize,
    good: usize,
    peak_bytes: u64,
    violations: usize,
}

/// What nineteen of twenty good addresses took at most, without tarpits and beside them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Round {
    alone: Duration,
    beside: Duration,
}

impl Round {
    fn ratio(self) -> f64 {
        self.beside.as_secs_f64() / self.alone.as_secs_f64()
    }
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    // Each tarpit takes a connection here and one where it is asked.
    raise_open_files()?;
    if let Ok(whom) = std::env::var(ASKER) {
        let report = asker::ask(whom.parse().context("no address of a nameserver")?, &size).await?;
        return Ok(Verdict { figure: serde_json::to_string(&report)?, passed: true });
    }
    super::install_servers()?;
    let records = pits::records(FIRST_HOST);
    let rig = MailRig::start(&MailRigOptions { servers: Vec::new(), records, ..MailRigOptions::default() })?;
    let mut servers = Servers::default();
    for (kind, host) in Kind::ALL.iter().zip(FIRST_HOST..) {
        servers.serve(*kind, rig.smtp(host)).await?;
    }
    let asked = tokio::task::spawn_blocking(move || start_asker(&rig, short)).await??;
    let mut complaints = Complaints::default();
    let held = servers.held_max();
    if held < size.tarpits {
        complaints.add(format!("only {held} connections of {} were held at once", size.tarpits));
    }
    if servers.messages() > 0 {
        complaints.add(format!("{} messages were sent", servers.messages()));
    }
    Ok(conclude(&asked, &size, complaints.count()))
}

/// Runs this program again as the one that asks, and reads what it found.
fn start_asker(rig: &MailRig, short: bool) -> Result<Report> {
    let program = std::env::current_exe().context("this program has no place")?;
    let output = Command::new(program)
        .arg(NAME)
        .args(short.then_some("--short"))
        // The real one: what stands before it fails on purpose, and has only a few threads.
        .env(ASKER, rig.name_server().to_string())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run this program")?;
    ensure!(output.status.success(), "the process that asks failed");
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(said.lines().last().unwrap_or_default())
        .context("the process that asks said nothing")
}

fn conclude(report: &Report, size: &Size, violations: usize) -> Verdict {
    let ratio = median(report.rounds.iter().map(|round| round.ratio()));
    let typical = |time: fn(&Round) -> Duration| {
        median(report.rounds.iter().map(|round| time(round).as_secs_f64() * 1_000.0))
    };
    let wrong = report.violations + violations;
    let figure = format!(
        "{NAME}: {} tarpits at once: longest {:.1} s (bar {}), {} MB of memory (bar {}), p95 of good domains {ratio:.2} x \
         ({:.1} ms against {:.1} ms with servers that answer after {} ms, bar {RATIO_MAX}), medians of {} rounds; {} good answers, {wrong} wrong (bar 0)",
        grouped(size.tarpits),
        report.longest.as_secs_f64(),
        MAIL_DEADLINE.as_secs(),
        report.peak_bytes.div_ceil(MEGABYTE),
        MEMORY_MAX / MEGABYTE,
        typical(|round| round.beside),
        typical(|round| round.alone),
        pits::GOOD_PAUSE.as_millis(),
        report.rounds.len(),
        grouped(report.good),
    );
    let passed = report.longest <= MAIL_DEADLINE
        && report.ended >= size.tarpits
        && report.peak_bytes <= MEMORY_MAX
        && ratio <= RATIO_MAX
        && wrong == 0;
    Verdict { figure, passed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let round =
            |beside| Round { alone: Duration::from_millis(10), beside: Duration::from_millis(beside) };
        Report {
            rounds: [30, 11, 12].map(round).to_vec(),
            longest: MAIL_DEADLINE,
            ended: SHORT.tarpits,
            good: 1_000,
            peak_bytes: MEMORY_MAX,
            violations: 0,
        }
    }

    #[test]
    fn one_noisy_round_is_forgiven_and_nothing_else() {
        let good = conclude(&report(), &SHORT, 0);
        assert!(good.passed, "{}", good.figure);
        assert!(
            good.figure.contains("longest 45.0 s (bar 45), 300 MB of memory (bar 300)"),
            "{}",
            good.figure
        );
        assert!(good.figure.contains("1.20 x (12.0 ms against 10.0 ms with "), "{}", good.figure);
        let mut slow = report();
        slow.rounds[1].beside = Duration::from_millis(13);
        let late = Report { longest: MAIL_DEADLINE + Duration::from_millis(1), ..report() };
        let large = Report { peak_bytes: MEMORY_MAX + 1, ..report() };
        let few = Report { ended: SHORT.tarpits - 1, ..report() };
        let wrong = Report { violations: 1, ..report() };
        for bad in [slow, late, large, few, wrong] {
            assert!(!conclude(&bad, &SHORT, 0).passed, "{bad:?}");
        }
        assert!(!conclude(&report(), &SHORT, 1).passed);
    }
}
