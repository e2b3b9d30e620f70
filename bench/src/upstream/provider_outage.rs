//! The bar `provider-outage`: a vendor fails for a while, heals, then hangs for a while, and heals. It is left alone within two
//! seconds, asked again within twenty, and nobody who does not need it notices; what only it could say is not said to be nothing.

mod load;
mod score;
mod vendors;

use super::stage::{NOTICED, serve};
use crate::bar::{Verdict, progress};
use crate::rig::{Rig, RigOptions};
use anyhow::{Context, Result, ensure};
use assay_testkit::PostgresOptions;
use load::{Call, Callers, Kind};
use score::{Fault, Score};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use vendors::{Mode, Vendors};

/// How long the phases are.
struct Size {
    healthy: Duration,
    fault: Duration,
}

const FULL: Size = Size { healthy: Duration::from_secs(30), fault: Duration::from_secs(30) };
const SHORT: Size = Size { healthy: Duration::from_secs(12), fault: Duration::from_secs(12) };
const PEOPLE: u64 = 500;
const ACCOUNTS: usize = 4;
const CREDITS: &str = "1000000";
const PER_SECOND: u32 = 50;
/// How long a vendor is waited for is learnt from so many answers.
const WARM: usize = 200;
const WARM_AT_ONCE: usize = 8;
/// More than probes: from so many questions on it is asked as before.
const ASKED_AGAIN: usize = 10;
const HEALING_MAX: Duration = Duration::from_secs(30);
/// After the first call, and after a breaker has closed: until all is as ever.
const SETTLED: Duration = Duration::from_secs(3);

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: ACCOUNTS,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    for account in &rig.accounts {
        rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
    }
    let before = balance(&rig).await?;
    let server = serve(&rig)?;
    let callers = Callers::new(&rig, &server);
    let vendors = Vendors::open(&rig, callers.watch)?;
    tokio::time::sleep(NOTICED).await;
    let mut calls = warm(&callers).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let driving = tokio::spawn(callers.clone().drive(PER_SECOND, Arc::clone(&stop)));
    progress(format!("{PER_SECOND} calls a second, all vendors healthy for {} s", size.healthy.as_secs()));
    // The first calls find everything cold.
    tokio::time::sleep(SETTLED).await;
    let mut healthy = vec![wait(&callers, size.healthy).await];
    let mut faults = Vec::new();
    for mode in [Mode::Errors, Mode::Slow] {
        let (fault, settled) = break_and_heal(&callers, &vendors, mode, size.fault).await;
        faults.push(fault);
        // As long as the fault, so that one is compared with the other.
        let rest = wait(&callers, size.healthy).await;
        healthy.push((settled, rest.1));
    }
    stop.store(true, Ordering::Relaxed);
    let driven = driving.await.context("the callers panicked")??;
    calls.extend(driven.iter().cloned());
    server.stop()?;
    let spent = before - balance(&rig).await?;
    Ok(Score::of(&calls, &driven, &vendors.arrivals(), &faults, &healthy).verdict(spent))
}

/// In thousandths of a credit, of all accounts.
async fn balance(rig: &Rig) -> Result<i64> {
    let ledger = rig.ledger().await?;
    let mut sum = 0;
    for account in &rig.accounts {
        let overview = ledger.overview(account.id).await?.context("an account is gone")?;
        ensure!(overview.held.is_zero(), "credits are held although no call is under way");
        sum += overview.available.thousandths();
    }
    Ok(sum)
}

/// Lets time pass, and tells from when to when.
async fn wait(callers: &Callers, time: Duration) -> (Duration, Duration) {
    let from = callers.watch.elapsed();
    tokio::time::sleep(time).await;
    (from, callers.watch.elapsed())
}

/// Healthy answers, without which nothing is known of how long the vendor takes.
async fn warm(callers: &Callers) -> Result<Vec<Call>> {
    progress(format!(
        "{WARM} healthy answers of the vendor that will fail, from which its deadline is learnt"
    ));
    let workers = (0..WARM_AT_ONCE).map(|worker| async move {
        let mut calls = Vec::new();
        for number in (worker..WARM).step_by(WARM_AT_ONCE) {
            // Numbers that the load does not reach.
            let number = 1_000_000 + number;
            calls.push(callers.clone().call(Kind::Only, number, callers.watch.elapsed()).await?);
        }
        anyhow::Ok(calls)
    });
    let calls: Vec<Call> = futures_util::future::try_join_all(workers).await?.into_iter().flatten().collect();
    let found = calls.iter().filter(|call| call.found).count();
    ensure!(found == WARM, "only {found} of {WARM} healthy answers came");
    Ok(calls)
}

/// One fault from its beginning until the vendor is asked as before; and when all has settled.
async fn break_and_heal(
    callers: &Callers,
    vendors: &Vendors,
    mode: Mode,
    length: Duration,
) -> (Fault, Duration) {
    progress(format!("{mode:?} for {} s", length.as_secs()));
    vendors.set(mode);
    let (from, to) = wait(callers, length).await;
    vendors.set(Mode::Healthy);
    let mut asked_again = None;
    while asked_again.is_none() && callers.watch.elapsed() < to + HEALING_MAX {
        tokio::time::sleep(Duration::from_millis(50)).await;
        asked_again = vendors.nth_since(to, ASKED_AGAIN);
    }
    let closed_after = asked_again.map(|at| at.saturating_sub(to));
    progress(format!(
        "healed; asked as before after {:.1} s",
        closed_after.unwrap_or(HEALING_MAX).as_secs_f64()
    ));
    let (_, settled) = wait(callers, SETTLED).await;
    (Fault { mode, from, to, closed_after }, settled)
}
