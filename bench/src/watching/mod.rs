//! The bar `watch-once`: whatever happens to those who are watched is told once a list and billed once, by many runs at once, also
//! when nodes are killed, and finding and telling it takes at most one processor.
//!
//! Who watches whom, and what happens, is decided here, so what is to be told is known without asking. What watching takes is what
//! both nodes and PostgreSQL take of the processors while lists are matched and run beside a feed, less what they take for the same
//! feed before there is any list. What a node takes until it is ready is not counted. An answer that a kill swallowed is asked for
//! again by its idempotency key; where the caller gave none, it is read from the list's results.

mod book;
mod callers;
mod cast;
mod check;
mod making;
mod nodes;
mod story;

use crate::bar::{Verdict, grouped, progress};
use crate::rig::{Rig, RigOptions};
use crate::signals::teller::operator_key;
use anyhow::{Context, Result, ensure};
use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_store::Ledger;
use assay_testkit::{Deadline, PostgresOptions};
use callers::{Callers, Office, run_once};
use cast::Cast;
use check::Findings;
use nodes::Nodes;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use story::{Era, Story};

/// The bar.
const CORES_MAX: f64 = 1.0;
/// Of the pace that is meant: with less, too little happened for the bar.
const PACE_LEAST: f64 = 0.95;
/// A killed node is replaced after so long.
const REPLACED_AFTER: Duration = Duration::from_secs(1);
/// Schedules are of hours at least; here their time comes so often.
const SCHEDULES_EVERY: Duration = Duration::from_secs(2);
/// What a killed run had taken is free after its lease; then everything is told within this.
const TOLD_WITHIN: Duration = Duration::from_secs(240);
const TOPPED_UP: &str = "5000000";

struct Size {
    lists: usize,
    entries: usize,
    accounts: usize,
    people: u64,
    /// People to whom something may happen, and how many of them, and of the companies, a list has.
    people_active: u64,
    people_a_list: usize,
    companies_a_list: usize,
    /// Of those people, how many are talked about.
    engaged: usize,
    /// Of the lists.
    scheduled_one_of: usize,
    late_one_of: usize,
    a_second: usize,
    before_seconds: usize,
    seconds: usize,
    /// Within this time every list is run at both nodes.
    round: Duration,
    kills: usize,
    kill_every: Duration,
    node_settings: &'static [(&'static str, &'static str)],
    postgres_settings: &'static [(&'static str, &'static str)],
}

const FULL: Size = Size {
    lists: 1_000,
    entries: 5_000,
    accounts: 4,
    people: 20_000,
    people_active: 8_000,
    people_a_list: 130,
    companies_a_list: 12,
    engaged: 300,
    scheduled_one_of: 25,
    late_one_of: 50,
    a_second: 100,
    before_seconds: 60,
    seconds: 300,
    round: Duration::from_secs(40),
    kills: 11,
    kill_every: Duration::from_secs(25),
    node_settings: &[],
    postgres_settings: &[("shared_buffers", "2GB"), ("max_wal_size", "8GB")],
};

/// Calls, and so the leases of dead runs, are shorter. It shows everything but the processor's time.
const SHORT: Size = Size {
    lists: 20,
    entries: 200,
    accounts: 2,
    people: 1_000,
    people_active: 600,
    people_a_list: 60,
    companies_a_list: 8,
    engaged: 15,
    scheduled_one_of: 5,
    late_one_of: 10,
    a_second: 50,
    before_seconds: 3,
    seconds: 20,
    round: Duration::from_secs(2),
    kills: 3,
    kill_every: Duration::from_secs(5),
    node_settings: &[("ASSAY_CALLS_DEADLINE_SECONDS", "10"), ("ASSAY_BILLING_HOLD_LIFETIME_SECONDS", "10")],
    postgres_settings: &[],
};

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { &SHORT } else { &FULL };
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: size.accounts + 1,
        people: size.people,
        postgres: PostgresOptions::with_settings(size.postgres_settings),
        one_database: false,
    })?;
    let (operator, payers) = rig.accounts.split_last().context("no accounts")?;
    let operator = operator_key(&rig, operator)?;
    for account in payers {
        rig.cli(&["account", "topup", &account.id.to_string(), TOPPED_UP, "--reference", "bar"])?;
    }
    let cast = Arc::new(Cast::new(rig.world(), size)?);
    let nodes = Nodes::start(&rig, size.node_settings)?;
    let api_keys = payers.iter().map(|account| account.api_key.clone()).collect();
    let office = Arc::new(Office::new(Arc::clone(&cast), nodes.addresses(), api_keys));
    let story = Story::new(cast, size.engaged, Clock::system().now());
    let ledger = rig.ledger().await?;
    let mut scene = Scene { size, rig: &rig, nodes, office, operator, ledger };
    let (story, before) = scene.feed_alone(story).await?;
    scene.set_up().await?;
    let (story, during) = scene.feed_and_run(story).await?;
    scene.tell_the_rest(&story).await?;
    let findings = scene.judge(&story).await?;
    Ok(scene.verdict(&findings, (before, during), short))
}

struct Scene<'a> {
    size: &'static Size,
    rig: &'a Rig,
    nodes: Nodes<'a>,
    office: Arc<Office>,
    operator: String,
    ledger: Ledger,
}

/// What a stretch of the feed took.
#[derive(Debug, Clone, Copy)]
struct Took {
    /// Of nodes and PostgreSQL together.
    cores: f64,
    signals_a_second: f64,
}

impl Scene<'_> {
    /// The feed before anybody watches.
    async fn feed_alone(&self, mut story: Story) -> Result<(Story, Took)> {
        let (spent, watch) = (self.nodes.spent_ms()?, Stopwatch::start());
        let pace = (self.size.before_seconds, self.size.a_second);
        let nodes = self.nodes.addresses();
        let signals_a_second = story.tell(nodes, &self.operator, Era::Before, pace).await?;
        let cores = (self.nodes.spent_ms()? - spent) / 1e3 / watch.elapsed().as_secs_f64();
        progress(format!("the feed alone, {signals_a_second:.0} signals a second: {cores:.2} cores"));
        Ok((story, Took { cores, signals_a_second }))
    }

    /// All lists but the late ones are made and run once: that looks back for what was before.
    async fn set_up(&self) -> Result<()> {
        let lists = self.lists(false);
        let (count, watch) = (lists.len(), Stopwatch::start());
        making::make(&self.office, lists.clone()).await?;
        progress(format!("{} lists made in {:.1?}", grouped(count), watch.elapsed()));
        let watch = Stopwatch::start();
        run_once(&self.office, lists).await?;
        progress(format!("and run for the first time in {:.1?}", watch.elapsed()));
        Ok(())
    }

    fn lists(&self, late: bool) -> Vec<usize> {
        let lists = self.office.cast.lists.iter().enumerate();
        lists.filter(|(_, list)| list.is_late == late).map(|(number, _)| number).collect()
    }

    /// The feed goes on, everybody runs, and one node after the other dies.
    async fn feed_and_run(&mut self, mut story: Story) -> Result<(Story, Took)> {
        let Size { seconds, a_second, .. } = *self.size;
        let time = Duration::from_secs(u64::try_from(seconds)?);
        let (spent, watch) = (self.nodes.spent_ms()?, Stopwatch::start());
        let callers = Callers::start(&self.office, time, self.size.round)?;
        let schedules = tokio::spawn(bring_schedules_forward(self.ledger.clone(), time));
        let (office, late) = (Arc::clone(&self.office), self.lists(true));
        let late = tokio::spawn(async move {
            tokio::time::sleep(time / 3).await;
            making::make(&office, late).await
        });
        let (nodes, operator) = (self.nodes.addresses(), self.operator.clone());
        let telling = tokio::spawn(async move {
            let pace = story.tell(nodes, &operator, Era::Now, (seconds, a_second)).await?;
            anyhow::Ok((story, pace))
        });
        for turn in 0..self.size.kills {
            let due = self.size.kill_every * u32::try_from(turn + 1)?;
            tokio::time::sleep(due.saturating_sub(watch.elapsed())).await;
            self.nodes.kill(turn % 2)?;
            tokio::time::sleep(REPLACED_AFTER).await;
            self.nodes.revive(turn % 2)?;
        }
        let (story, signals_a_second) = telling.await??;
        callers.end().await?;
        let cores = (self.nodes.spent_ms()? - spent) / 1e3 / watch.elapsed().as_secs_f64();
        late.await??;
        schedules.await??;
        progress(format!(
            "the feed and {} runs, {signals_a_second:.0} signals a second, {} kills: {cores:.2} cores",
            grouped(self.office.tally.runs.load(Ordering::Relaxed)),
            self.nodes.kills
        ));
        Ok((story, Took { cores, signals_a_second }))
    }

    /// Runs all lists until as much is told as there is to tell, or for as long as that may take.
    async fn tell_the_rest(&self, story: &Story) -> Result<()> {
        let lists = check::expected(&self.office.cast, &story.events);
        let due = i64::try_from(lists.iter().map(std::collections::HashSet::len).sum::<usize>())?;
        let (deadline, watch) = (Deadline::after(TOLD_WITHIN), Stopwatch::start());
        loop {
            run_once(&self.office, (0..self.size.lists).collect()).await?;
            // When to stop looking. What was told is compared afterwards.
            let told: i64 = sqlx::query_scalar("select count(*) from watch_match where told_at is not null")
                .fetch_one(self.ledger.pool())
                .await?;
            if told >= due || deadline.passed() {
                progress(format!("the rest was told within {:.1?}", watch.elapsed()));
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn judge(&self, story: &Story) -> Result<Findings> {
        let (seen, other) = self.office.book.close();
        let expected = check::expected(&self.office.cast, &story.events);
        let findings = Findings { other, ..Findings::default() };
        let mut findings = check::compare(&self.office, &expected, &seen, findings).await?;
        check::check_bills(&self.ledger, self.rig, &mut findings).await?;
        ensure!(findings.transitions > 0 && findings.by_schedule > 0, "too little was told to show anything");
        Ok(findings)
    }

    fn verdict(&self, findings: &Findings, (before, during): (Took, Took), short: bool) -> Verdict {
        let Findings { twice, never, other, recovered, by_schedule, entries, transitions } = findings;
        let cores = during.cores - before.cores * during.signals_a_second / before.signals_a_second;
        let tally = &self.office.tally;
        progress(format!("refused and asked again: {}", tally.refusals()));
        let figure = format!(
            "watch-once: {} lists of {} entries, {:.0} signals a second for {} s, {} runs and {} kills: {} transitions in {} entries, {} of \
             them by schedules; {} told twice, {} lost (bars 0), {} billed or told wrongly (bar 0); {} answers repeated by their key, {} \
             entries of lost ones read again; {cores:.2} cores (bar {CORES_MAX}{})",
            grouped(self.size.lists),
            grouped(self.size.entries),
            during.signals_a_second,
            self.size.seconds,
            grouped(tally.runs.load(Ordering::Relaxed)),
            self.nodes.kills,
            grouped(*transitions),
            grouped(entries.iter().sum()),
            grouped(*by_schedule),
            twice.count(),
            never.count(),
            other.count(),
            tally.repeated.load(Ordering::Relaxed),
            recovered,
            if short { " in the full form" } else { "" },
        );
        let is_right = twice.is_empty() && never.is_empty() && other.is_empty();
        let a_second = f64::from(u32::try_from(self.size.a_second).unwrap_or(u32::MAX));
        let is_quick = cores <= CORES_MAX && during.signals_a_second >= a_second * PACE_LEAST;
        Verdict { figure, passed: is_right && (short || is_quick) }
    }
}

/// The time of every schedule comes again and again, also while another node is about it.
async fn bring_schedules_forward(ledger: Ledger, time: Duration) -> Result<()> {
    let watch = Stopwatch::start();
    while watch.elapsed() < time {
        sqlx::query("update watch_list set next_run_at = now() where next_run_at is not null")
            .execute(ledger.pool())
            .await?;
        tokio::time::sleep(SCHEDULES_EVERY).await;
    }
    Ok(())
}
