//! The `ledger` bar: random operations by concurrent clients on real PostgreSQL, every answer held against a model.
//!
//! Every answer carries the account's version it was decided at. Sorted by it, the operations of all clients form one
//! history, which the model runs again: an answer, a balance or a posting that no order could explain is a violation.

mod client;
mod model;
mod tally;

use crate::bar::Verdict;
use anyhow::{Context, Result, ensure};
use assay_domain::{AccountId, Clock, Credits, LotId, Plan};
use assay_store::ledger::op::{Answer, Settled};
use assay_store::ledger::{NewAccount, Violation};
use assay_store::{Database, Ledger};
use assay_testkit::{Postgres, PostgresOptions};
use client::{Client, Event};
use model::{Booked, Model, Sent, Stored};
use sqlx::Row;
use std::collections::{BTreeMap, HashMap};
use tally::Tally;
use uuid::Uuid;

const CLIENTS: u64 = 8;
const OPERATIONS: usize = 200;
const ACCOUNTS: usize = 3;
/// Seeds under way at once, so that commits of different seeds share batches too.
const SEEDS_AT_ONCE: usize = 4;
const AUDIT_EVERY: u64 = 100;

pub async fn run(short: bool) -> Result<Verdict> {
    let postgres = Postgres::start(PostgresOptions::default())?;
    postgres.create_database("ledger")?;
    let database = Database::at(&postgres.url("ledger"));
    Ledger::migrate(&database).await?;
    let ledger = Ledger::connect(&database, Clock::system()).await?;
    if let Ok(seed) = std::env::var("ASSAY_BENCH_SEED") {
        return replay(&ledger, seed.parse().context("ASSAY_BENCH_SEED is no number")?).await;
    }
    let seeds = if short { 100 } else { 2_000 };
    let (mut violations, mut tally) = (Vec::new(), Tally::default());
    let mut seed = 0;
    while seed < seeds {
        let until = (seed + AUDIT_EVERY).min(seeds);
        let live = audit_while_running(&ledger);
        let chunk = run_seeds(&ledger, seed..until).await;
        violations.extend(live.await??.into_iter().map(|found| format!("live: {found:?}")));
        for (seed, outcome) in chunk {
            match outcome {
                Ok(counted) => tally.add(&counted),
                Err(error) => violations.push(format!(
                    "seed {seed}: {error:#}; again with ASSAY_BENCH_SEED={seed} cargo xtask bar ledger"
                )),
            }
        }
        violations.extend(ledger.audit().await?.into_iter().map(|found| format!("{found:?}")));
        eprintln!("{until} of {seeds} seeds, {} answers, {} violations", tally.total(), violations.len());
        seed = until;
    }
    violations.extend(postings_are_append_only(&ledger).await?);
    for violation in &violations {
        eprintln!("violation: {violation}");
    }
    eprintln!("answers by kind: {}", tally.describe());
    let figure = format!(
        "ledger: {seeds} seeds x {OPERATIONS} operations by {CLIENTS} clients, {} answers checked, {} violations",
        tally.total(),
        violations.len()
    );
    // A run in which some kind of answer never came would have shown nothing about it.
    Ok(Verdict { figure, passed: violations.is_empty() && tally.has_all_kinds() })
}

/// Runs one seed again, many times: what the clients ask is the same each time, how they race is not.
async fn replay(ledger: &Ledger, seed: u64) -> Result<Verdict> {
    for round in 0..20 {
        run_seed(ledger, seed).await.with_context(|| format!("seed {seed}, round {round}"))?;
    }
    Ok(Verdict { figure: format!("ledger: seed {seed} ran 20 times without a violation"), passed: true })
}

/// Looks at the invariants from a snapshot while clients are at work.
fn audit_while_running(ledger: &Ledger) -> tokio::task::JoinHandle<Result<Vec<Violation>>> {
    let ledger = ledger.clone();
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        Ok(ledger.audit().await?)
    })
}

async fn run_seeds(ledger: &Ledger, seeds: std::ops::Range<u64>) -> Vec<(u64, Result<Tally>)> {
    let mut outcomes = Vec::new();
    let mut running = tokio::task::JoinSet::new();
    for seed in seeds {
        while running.len() >= SEEDS_AT_ONCE {
            outcomes.extend(running.join_next().await.and_then(Result::ok));
        }
        let ledger = ledger.clone();
        running.spawn(async move { (seed, run_seed(&ledger, seed).await) });
    }
    outcomes.extend(running.join_all().await);
    outcomes
}

async fn run_seed(ledger: &Ledger, seed: u64) -> Result<Tally> {
    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        let new = NewAccount { name: format!("seed {seed} account {number}"), plan: Plan::Trial };
        accounts.push(ledger.create_account(&new).await?);
    }
    // Most of the trial's credits go at once, so that the rest of the run is spent near zero.
    let mut events = Client::new(ledger, &accounts, seed, CLIENTS).drain().await?;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let client = Client::new(ledger, &accounts, seed, number);
        running.spawn(client.run(OPERATIONS / usize::try_from(CLIENTS)?));
    }
    for outcome in running.join_all().await {
        events.extend(outcome?);
    }
    for account in &accounts {
        let mine = events.iter().filter(|event| event.account == *account).collect();
        check_account(ledger, *account, mine).await.with_context(|| account.to_string())?;
    }
    Ok(Tally::of(&events))
}

/// Runs an account's operations again, in the order the ledger says it decided them.
async fn check_account(ledger: &Ledger, account: AccountId, mut events: Vec<&Event>) -> Result<()> {
    let mut stored = read_postings(ledger, account).await?;
    let mut model = Model::default();
    let trial = trial_grant(ledger, account).await?;
    model.check(&trial.sent, &trial.answer, &stored.remove(&1).unwrap_or_default())?;
    // Of the answers at one version, the one that made it comes first; the others only saw it. A client's own
    // operations keep their order.
    events.sort_by_key(|event| (version_of(&event.answer), !is_maker(event, &stored)));
    let mut version = 1;
    for event in events {
        let decided = version_of(&event.answer);
        let maker = is_maker(event, &stored);
        let seen_before = if maker { decided - 1 } else { decided };
        while version < seen_before {
            version += 1;
            let nobodys = stored.remove(&version).with_context(|| format!("version {version} is missing"))?;
            model.observe(version, &nobodys)?;
        }
        let made = if maker { stored.remove(&decided).unwrap_or_default() } else { Stored::default() };
        version = version.max(decided);
        model.check(&event.sent, &event.answer, &made).with_context(|| format!("{:?}", event.sent))?;
    }
    // What follows the last answer can only be lots whose end a repeated call noticed: it answers as it did before.
    while let Some(nobodys) = stored.remove(&(version + 1)) {
        version += 1;
        model.observe(version, &nobodys)?;
    }
    let rest: Vec<i64> = stored.keys().copied().collect();
    ensure!(rest.is_empty(), "versions {rest:?} were asked for by nobody");
    compare_balance(ledger, account, &model).await
}

fn version_of(answer: &Answer) -> i64 {
    match answer {
        Answer::Granted { version, .. }
        | Answer::Held { version, .. }
        | Answer::Released { version, .. }
        | Answer::Expired { version, .. }
        | Answer::Refunded { version, .. }
        | Answer::Refused { version, .. }
        | Answer::Settled(Settled { version, .. }) => *version,
    }
}

/// Whether the operation wrote the postings of the version it was answered at, or only saw it.
fn is_maker(event: &Event, stored: &HashMap<i64, Stored>) -> bool {
    match (&event.answer, &event.sent) {
        (Answer::Granted { repeated, .. } | Answer::Refunded { repeated, .. }, _) => !repeated,
        (Answer::Held { amount, .. } | Answer::Released { amount, .. }, _) => amount.is_positive(),
        (Answer::Settled(settled), Sent::Settle { request, hold, .. }) => {
            stored.get(&settled.version).is_some_and(|stored| {
                let of_hold = hold.is_some_and(|hold| stored.causes.contains(&hold.uuid()));
                of_hold || stored.causes.contains(&request.uuid())
            })
        }
        _ => false,
    }
}

async fn read_postings(ledger: &Ledger, account: AccountId) -> Result<HashMap<i64, Stored>> {
    let rows = sqlx::query(
        "select version, kind, from_side, to_side, amount, lot_id, at, coalesce(hold_id, request_id) as cause
         from posting where account_id = $1 order by version, ordinal",
    )
    .bind(account.uuid())
    .fetch_all(ledger.pool())
    .await?;
    let mut stored: HashMap<i64, Stored> = HashMap::new();
    for row in rows {
        let version = stored.entry(row.try_get("version")?).or_default();
        version.at = row.try_get("at")?;
        version.causes.extend(row.try_get::<Option<Uuid>, _>("cause")?);
        version.postings.push(Booked {
            kind: row.try_get("kind")?,
            from: row.try_get("from_side")?,
            to: row.try_get("to_side")?,
            amount: row.try_get("amount")?,
            lot: LotId::from_uuid(row.try_get("lot_id")?),
        });
    }
    Ok(stored)
}

/// The grant every new account starts with, as if a client had asked for it.
async fn trial_grant(ledger: &Ledger, account: AccountId) -> Result<Event> {
    let (lot, amount, expires_at): (Uuid, i64, _) = sqlx::query_as(
        "select id, granted, expires_at from credit_lot where account_id = $1 and reason = 'trial'",
    )
    .bind(account.uuid())
    .fetch_one(ledger.pool())
    .await?;
    let sent = Sent::Grant { lot: LotId::from_uuid(lot), reason: "trial".into(), amount, expires_at };
    let balance = Credits::from_thousandths(amount);
    Ok(Event { account, sent, answer: Answer::Granted { balance, version: 1, repeated: false } })
}

/// The stored balance, lot by lot, against the model's.
async fn compare_balance(ledger: &Ledger, account: AccountId, model: &Model) -> Result<()> {
    let overview = ledger.overview(account).await?.context("the account is gone")?;
    let lots: BTreeMap<LotId, i64> = overview.lots.iter().map(|lot| (lot.lot, lot.left)).collect();
    let (available, held) = (overview.available.thousandths(), overview.held.thousandths());
    ensure!(available == model.available(), "available is {available}, the model says {}", model.available());
    ensure!(held == model.held(), "held is {held}, the model says {}", model.held());
    ensure!(lots == model.lots(), "lots are {lots:?}, the model says {:?}", model.lots());
    Ok(())
}

/// I9: nothing that was booked can be changed or taken away.
async fn postings_are_append_only(ledger: &Ledger) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for statement in ["update posting set amount = amount + 1", "delete from posting", "truncate posting"] {
        if sqlx::query(statement).execute(ledger.pool()).await.is_ok() {
            broken.push(format!("I9: `{statement}` was allowed"));
        }
    }
    Ok(broken)
}
