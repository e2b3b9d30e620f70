//! The `overload` bar: three times the load the service can carry must cost the calls it can carry next to nothing.
//!
//! First the knee: the highest rate of an open loop at which 99 of 100 calls are answered within 100 ms, a refused one
//! counted as late; and, before and after it is looked for, the rate of `billed`'s closed loop, whose mean it is held
//! against. Then rounds of the knee's rate and of three times as many, one after the other, because the machine is not
//! equally fast from one minute to the next: what is told is the median round. Everything runs on the same processors; a run
//! of which the hardware's other guests took too much is made again.

pub mod process;

use crate::bar::{Verdict, median, progress};
use crate::billed::load::{self, Pace};
use crate::billed::targets::Targets;
use crate::machine_time::MachineTime;
use crate::open_loop::{self, Schedule, Volley};
use crate::rig::{BOTH, Rig, RigOptions, Server};
use anyhow::{Result, bail};
use assay_testkit::PostgresOptions;
use process::Process;
use std::sync::Arc;
use std::time::Duration;

const ACCOUNTS: usize = 1_000;
const CLOSED_CONNECTIONS: usize = 64;
/// More than are ever in flight: at three times the knee, refusals come back within milliseconds.
const OPEN_CONNECTIONS: usize = 1_000;
const P99_MAX: Duration = Duration::from_millis(100);
const OVERLOAD: f64 = 3.0;
/// A run of whose processor time more than this was taken away says nothing about the service; and so often it is tried
/// whether there is a quieter time.
const STOLEN_MAX: f64 = 0.04;
const TRIES_MAX: usize = 6;

/// The bars.
const KNEE_LEAST: f64 = 0.8;
const GOODPUT_LEAST: f64 = 0.85;
const SHED_P99_MAX: Duration = Duration::from_millis(20);
const RSS_MOST: f64 = 1.5;
const NORMAL_WITHIN: Duration = Duration::from_secs(5);

/// How large a run is.
struct Size {
    people: u64,
    calls: usize,
    closed_seconds: u64,
    step: Duration,
    steps: u32,
    confirm: Duration,
    rounds: usize,
    round: Duration,
}

const FULL: Size = Size {
    people: 50_000,
    calls: 400_000,
    closed_seconds: 15,
    step: Duration::from_secs(5),
    steps: 5,
    confirm: Duration::from_secs(20),
    rounds: 7,
    round: Duration::from_secs(10),
};

const SHORT: Size = Size {
    people: 20_000,
    calls: 100_000,
    closed_seconds: 4,
    step: Duration::from_secs(2),
    steps: 4,
    confirm: Duration::from_secs(4),
    rounds: 3,
    round: Duration::from_secs(4),
};

struct Range<'a> {
    server: &'a Server,
    targets: &'a Arc<Targets>,
}

impl Range<'_> {
    async fn fire(&self, per_second: f64, length: Duration) -> Result<Volley> {
        let schedule =
            Schedule { address: self.server.address, connections: OPEN_CONNECTIONS, per_second, length };
        open_loop::run(schedule, self.targets).await
    }

    /// Whether the service carries this rate. Noise only ever makes a run worse, so the best of three counts, beside those
    /// that were disturbed from outside.
    async fn carries(&self, per_second: f64, length: Duration) -> Result<Option<Volley>> {
        let mut undisturbed = 0;
        for _ in 0..TRIES_MAX {
            let volley = self.fire(per_second, length).await?;
            let p99 = volley.p99(Duration::ZERO, length);
            let told = if p99 == Duration::MAX { "of refused calls".to_owned() } else { format!("{p99:?}") };
            let (refused, stolen) = (volley.count(503), 100.0 * volley.stolen);
            progress(format!("{per_second:.0}/s: p99 {told}, {refused} refused, {stolen:.1} % stolen"));
            if p99 <= P99_MAX {
                return Ok(Some(volley));
            }
            undisturbed += usize::from(volley.stolen <= STOLEN_MAX);
            if undisturbed == 3 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        Ok(None)
    }

    /// Calls a second when each connection asks again as soon as it is answered.
    async fn closed_loop(&self, seconds: u64) -> Result<f64> {
        let mut best = 0.0;
        for _ in 0..TRIES_MAX {
            let before = MachineTime::now()?;
            let address = self.server.address;
            let told = load::run(address, self.targets, CLOSED_CONNECTIONS, Pace::Closed, seconds).await?;
            let stolen = MachineTime::now()?.stolen_since(before);
            let (rate, p99) = (told.per_second, told.p99);
            progress(format!("closed loop: {rate:.0} calls/s, p99 {p99:?}, {:.1} % stolen", 100.0 * stolen));
            best = f64::max(best, rate);
            if stolen <= STOLEN_MAX {
                return Ok(rate);
            }
        }
        Ok(best)
    }

    /// The knee, and the run that confirmed it.
    async fn find_knee(&self, closed: f64, size: &Size) -> Result<(f64, Volley)> {
        let (mut carried, mut too_much) = (0.4 * closed, 1.2 * closed);
        let mut rate = KNEE_LEAST * closed * 1.1;
        for _ in 0..size.steps {
            match self.carries(rate, size.step).await? {
                Some(_) => carried = rate,
                None => too_much = rate,
            }
            rate = f64::midpoint(carried, too_much);
        }
        for _ in 0..6 {
            if let Some(volley) = self.carries(carried, size.confirm).await? {
                return Ok((carried, volley));
            }
            carried *= 0.95;
        }
        bail!("no rate near the closed loop's {closed:.0}/s is answered within {P99_MAX:?}")
    }

    /// The knee's rate and three times as many, in turns.
    async fn flood(&self, knee: f64, size: &Size, process: &Process) -> Result<Vec<Round>> {
        let mut rounds: Vec<Round> = Vec::new();
        let undisturbed = |rounds: &[Round]| rounds.iter().filter(|round| round.stolen <= STOLEN_MAX).count();
        while undisturbed(&rounds) < size.rounds && rounds.len() < 3 * size.rounds {
            process.forget_peak()?;
            let calm = self.fire(knee, size.round).await?;
            let rss_calm = process.peak_rss()?;
            process.forget_peak()?;
            let flood = self.fire(OVERLOAD * knee, size.round).await?;
            let round = Round {
                goodput: flood.goodput() / calm.goodput(),
                shed_p99: flood.service_percentile(503, 99),
                rss: ratio(process.peak_rss()?, rss_calm),
                stolen: calm.stolen.max(flood.stolen),
            };
            progress(format!("at {knee:.0}/s: {}", tell(&calm)));
            progress(format!("at {:.0}/s: {}; {round:?}", OVERLOAD * knee, tell(&flood)));
            rounds.push(round);
        }
        // If there was no quiet time, the figure is that of a disturbed machine.
        if undisturbed(&rounds) == size.rounds {
            rounds.retain(|round| round.stolen <= STOLEN_MAX);
        }
        Ok(rounds)
    }
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: size.people,
        postgres: roomy_postgres(),
        one_database: true,
    })?;
    progress(format!("making {ACCOUNTS} accounts and drawing {} calls", size.calls));
    let targets = Arc::new(Targets::make(&rig, &rig.ledger().await?, ACCOUNTS, size.calls).await?);
    rig.postgres.psql(BOTH, "vacuum analyze")?;
    let server = rig.serve(&[])?;
    let process = Process(server.pid());
    let range = Range { server: &server, targets: &targets };
    progress("warming up");
    range.closed_loop(3).await?;
    let before = range.closed_loop(size.closed_seconds).await?;
    let (knee, at_knee) = range.find_knee(before, &size).await?;
    progress(format!("the knee is at {knee:.0}/s: {}", tell(&at_knee)));
    let closed = f64::midpoint(before, range.closed_loop(size.closed_seconds).await?);
    let rounds = range.flood(knee, &size, &process).await?;
    let after = range.fire(knee / 2.0, NORMAL_WITHIN + Duration::from_secs(1)).await?;
    let normal = normal_after(&after);
    let sound = rig.audit().await?;
    for violation in &sound {
        progress(format!("VIOLATION: {violation}"));
    }
    let figures = Figures {
        knee: knee / closed,
        goodput: median(rounds.iter().map(|round| round.goodput)),
        shed_p99: Duration::from_secs_f64(median(rounds.iter().map(|round| round.shed_p99.as_secs_f64()))),
        rss: rounds.iter().map(|round| round.rss).fold(0.0, f64::max),
        normal,
        rounds: rounds.len(),
    };
    Ok(figures.verdict(knee, sound.is_empty()))
}

/// Enough memory and log that no checkpoint falls into a run.
pub fn roomy_postgres() -> PostgresOptions {
    PostgresOptions::with_settings(&[
        ("shared_buffers", "2GB"),
        ("max_wal_size", "8GB"),
        ("checkpoint_timeout", "30min"),
    ])
}

fn tell(volley: &Volley) -> String {
    format!(
        "{:.0} calls/s answered of {:.0}, p50 {:?} and p99 {:?} from when they were due; {} refused, p99 {:?} from when \
         they were sent; the generator was late by {:?} at p99 and took {:.0} % of a processor",
        volley.goodput(),
        volley.offered(),
        volley.latency_percentile(50),
        volley.latency_percentile(99),
        volley.count(503),
        volley.service_percentile(503, 99),
        volley.lateness(),
        volley.cpu_share() * 100.0
    )
}

/// After how many seconds every following second is normal again.
fn normal_after(volley: &Volley) -> Option<Duration> {
    let seconds = volley.took.as_secs();
    let normal =
        |second: u64| volley.p99(Duration::from_secs(second), Duration::from_secs(second + 1)) <= P99_MAX;
    let last_bad = (0..seconds).rev().find(|second| !normal(*second));
    let from = last_bad.map_or(0, |second| second + 1);
    (from < seconds).then(|| Duration::from_secs(from))
}

fn ratio(bytes: u64, of: u64) -> f64 {
    let kib = |bytes: u64| f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX));
    kib(bytes) / kib(of)
}

/// What a flood showed beside the calm before it.
#[derive(Debug)]
struct Round {
    goodput: f64,
    shed_p99: Duration,
    rss: f64,
    stolen: f64,
}

struct Figures {
    /// Of the closed loop's rate.
    knee: f64,
    /// Of the knee's, as are the next two: in the median round.
    goodput: f64,
    shed_p99: Duration,
    /// Peak memory, of the peak at the knee: in the worst round.
    rss: f64,
    normal: Option<Duration>,
    rounds: usize,
}

impl Figures {
    fn verdict(&self, knee: f64, sound: bool) -> Verdict {
        let Self { knee: of_closed, goodput, shed_p99, rss, normal, rounds } = self;
        let passed = sound
            && *of_closed >= KNEE_LEAST
            && *goodput >= GOODPUT_LEAST
            && *shed_p99 <= SHED_P99_MAX
            && *rss <= RSS_MOST
            && normal.is_some_and(|after| after <= NORMAL_WITHIN);
        let normal = normal.map_or("never".to_owned(), |after| format!("{} s", after.as_secs()));
        let figure = format!(
            "overload: knee {knee:.0}/s = {of_closed:.2} x the closed loop (bar {KNEE_LEAST}); at 3 x the knee, median \
             of {rounds} rounds, goodput {goodput:.2} of it (bar {GOODPUT_LEAST}), refusals within {shed_p99:?} at p99 (bar {SHED_P99_MAX:?}), memory \
             {rss:.2} x (bar {RSS_MOST}), normal again after {normal} (bar {NORMAL_WITHIN:?})"
        );
        Verdict { figure, passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_loop::Shot;

    #[test]
    fn normal_begins_after_the_last_bad_second() {
        let shot = |second: u64, latency: u64| {
            let due = Duration::from_millis(second * 1_000 + 500);
            Shot { due, sent: due, done: due + Duration::from_millis(latency), status: 200 }
        };
        let volley = |latencies: &[u64]| Volley {
            shots: (0..).zip(latencies).map(|(second, latency)| shot(second, *latency)).collect(),
            took: Duration::from_secs(u64::try_from(latencies.len()).unwrap()),
            cpu: Duration::ZERO,
            stolen: 0.0,
        };
        let seconds = Duration::from_secs;
        assert_eq!(normal_after(&volley(&[5, 6, 7])), Some(seconds(0)));
        assert_eq!(normal_after(&volley(&[500, 6, 101, 7])), Some(seconds(3)));
        assert_eq!(normal_after(&volley(&[5, 500])), None);
    }
}
