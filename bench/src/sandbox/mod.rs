//! Bar `sandbox`: the daily limit of the open sandbox is exact, and a flood of it does not slow money down.

mod caller;
mod counting;
mod flood;
mod money;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::{Rig, RigOptions};
use anyhow::Context;
use assay_testkit::PostgresOptions;
use flood::{EXHAUSTED_RATE, FRESH_RATE, Flood, Tally};
use money::Money;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Rounds with and without the flood, taken in turns so that whatever else the machine does meets both.
struct Plan {
    rounds: usize,
    round: Duration,
    /// How many times its quiet p99 a charge may take under the flood.
    ratio_max: f64,
    /// The part of its calls that the flood must have made for the figure to mean what it says.
    flood_share: f64,
}

const FULL: Plan = Plan { rounds: 17, round: Duration::from_secs(5), ratio_max: 1.1, flood_share: 0.95 };
/// Too short for a fine figure: it only finds a flood that plainly stands in money's way.
const SHORT: Plan = Plan { rounds: 15, round: Duration::from_secs(3), ratio_max: 1.5, flood_share: 0.5 };

const WARM_UP: Duration = Duration::from_millis(600);

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let plan = if short { SHORT } else { FULL };
    let options = RigOptions {
        failpoints: false,
        accounts: 1,
        people: 200,
        postgres: PostgresOptions::default(),
        one_database: false,
    };
    let mut rig = Rig::start(options)?;
    let mut complaints = Complaints::default();
    let made = counting::check(&mut rig, &mut complaints).await?;
    let figures = compare(&rig, &plan, &mut complaints).await?;
    for violation in rig.audit().await? {
        complaints.add(violation);
    }
    let ratio = figures.flooded.as_secs_f64() / figures.quiet.as_secs_f64();
    let violations = complaints.count();
    let figure = format!(
        "sandbox: {} calls counted exactly ({violations} violations); the ledger's charge ({} a second): p99 {:.2} ms quiet, \
         {:.2} ms under {EXHAUSTED_RATE} calls a second of a used-up address and {FRESH_RATE} of new ones ({} made): {ratio:.2} ×, \
         at most {}; medians of {} rounds each",
        grouped(made),
        money::RATE,
        milliseconds(figures.quiet),
        milliseconds(figures.flooded),
        grouped(figures.flood_calls),
        plan.ratio_max,
        plan.rounds,
    );
    Ok(Verdict { figure, passed: violations == 0 && ratio <= plan.ratio_max })
}

struct Figures {
    quiet: Duration,
    flooded: Duration,
    flood_calls: usize,
}

async fn compare(rig: &Rig, plan: &Plan, complaints: &mut Complaints) -> anyhow::Result<Figures> {
    let server = rig.serve(&[counting::TRUSTING])?;
    flood::exhaust(server.address).await?;
    let account = rig.accounts.first().context("the rig has an account")?;
    let mut money = Money::start(rig.ledger_url(), account.id)?;
    let tally = Arc::new(Tally::default());
    money.round(WARM_UP).await?;
    let (mut quiet, mut flooded) = (Vec::new(), Vec::new());
    for number in 0..plan.rounds {
        // Each comes first every other time.
        for flood in [number % 2 == 0, number % 2 == 1] {
            let running = if flood { Some(Flood::start(server.address, &tally)?) } else { None };
            tokio::time::sleep(WARM_UP / 2).await;
            let p99 = money.round(plan.round).await?;
            if let Some(running) = running {
                running.stop()?;
            }
            progress(format!(
                "p99 {:>6.2} ms {}",
                milliseconds(p99),
                if flood { "flooded" } else { "quiet" }
            ));
            if flood { &mut flooded } else { &mut quiet }.push(p99);
        }
    }
    let count = |counter: &std::sync::atomic::AtomicUsize| counter.load(Ordering::Relaxed);
    let (exhausted, fresh, odd) = (count(&tally.exhausted), count(&tally.fresh), count(&tally.odd));
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    let seconds = plan.round.as_secs_f64() * number(plan.rounds);
    let wanted = number(EXHAUSTED_RATE + FRESH_RATE) * seconds;
    if number(exhausted + fresh) < wanted * plan.flood_share {
        complaints.add(format!("the flood made only {} of {wanted:.0} calls", exhausted + fresh));
    }
    if odd > 0 {
        complaints
            .add(format!("{odd} calls of the flood were neither served nor told that the day is used up"));
    }
    server.stop()?;
    let middle = |values| money::median(values).context("no round was measured");
    Ok(Figures { quiet: middle(quiet)?, flooded: middle(flooded)?, flood_calls: exhausted + fresh })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
