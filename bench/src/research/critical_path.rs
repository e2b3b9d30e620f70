//! The bar `critical-path`: how long research workflows wait for others, and how often they ask them.
//!
//! Every vendor answers after the same delay. What a call takes longer than one at which they answer at once is compared with the
//! longest chain of questions of which each needs the answer to the one before. Then one kind of question fails at a time. Mail servers
//! are not asked here: how long those take is up to their pace.

mod cast;
mod desks;
mod score;
mod workflows;

use crate::bar::{Complaints, Verdict, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, RigOptions};
use crate::signals::teller::Teller;
use crate::upstream::stage::{NOTICED, serve};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::limits::SOURCE_BREAKER_ROW;
use assay_testkit::{PostgresOptions, Stopwatch};
use cast::{Cast, ROWS};
use desks::{Arrivals, Desks};
use score::{TIMES_MOST, Times, Told, calls, calls_most};
use serde_json::Value;
use std::time::Duration;
use workflows::{WORKFLOWS, Workflow, uncovered};

/// How often each workflow is called with the delay, and as often without.
const FULL: usize = 7;
const SHORT: usize = 3;
const PEOPLE: u64 = 4_000;
const DELAY: Duration = Duration::from_millis(400);
const PATIENCE: Duration = Duration::from_secs(30);
/// As many as the feed shows at once.
const FEED_ROWS_MAX: usize = 100;

/// A vendor that failed so often in a row is left alone for a while. One row less keeps every case fair: each vendor that fails in it is
/// asked as ever, which is counted, and answers again in the next case, so that nothing adds up.
const FAILING_ROWS: usize = 4;
const _: () = assert!(FAILING_ROWS < widened(SOURCE_BREAKER_ROW));

#[expect(clippy::as_conversions, reason = "there is no other way in a constant")]
const fn widened(number: u32) -> usize {
    number as usize
}

/// What is counted over all workflows.
#[derive(Debug, Default)]
struct Tally {
    slowest: f64,
    most_calls: f64,
    wrong: Complaints,
}

/// Everything a call needs, and what every account has paid so far.
struct Scene {
    rig: Rig,
    client: Client,
    desks: Desks,
    cast: Cast,
    paid: Vec<i64>,
    /// Accounts nobody has asked with yet begin here.
    fresh: usize,
}

pub async fn run(short: bool) -> Result<Verdict> {
    ensure!(uncovered().is_empty(), "workflows without a call: {:?}", uncovered());
    let turns = if short { SHORT } else { FULL };
    let accounts = 1 + WORKFLOWS.iter().map(accounts_of).sum::<usize>();
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        // A world in two databases may be one that is kept for other bars, and this one adds to it.
        one_database: true,
    })?;
    // One page for each timed call, and one for those that fail.
    let cast = Cast::draw(rig.world(), 2 * turns + 1)?;
    progress("importing businesses, opening vendors");
    cast.import(&rig)?;
    let desks = Desks::open(&rig)?;
    let before = balances(&rig).await?;
    let server = serve(&rig)?;
    let (client, paid) = (server.client(), vec![0; accounts]);
    let mut scene = Scene { rig, client, desks, cast, paid, fresh: 1 };
    let mut teller = Teller::new(&scene.rig, &server)?;
    scene.tell(&mut teller).await?;
    tokio::time::sleep(NOTICED).await;
    let mut tally = Tally::default();
    for workflow in WORKFLOWS {
        let account = if workflow.chain == 0 { 0 } else { scene.next_account() };
        scene.time(workflow, account, turns, &mut tally).await?;
        if workflow.chain > 0 {
            scene.fail(workflow, account, 2 * turns, &mut tally).await?;
        }
    }
    server.stop()?;
    for (place, (before, left)) in before.iter().zip(balances(&scene.rig).await?).enumerate() {
        let paid = scene.paid[place];
        if left != before - paid {
            tally.wrong.add(format!("account {place} has {left} left, of {before} less {paid}"));
        }
    }
    let figure = format!(
        "critical-path: {} endpoints, slowest {:.2} times its chain (bar {TIMES_MOST}), upstream calls at most {:.2} times those of a \
         healthy run when a step fails (bar {TIMES_MOST}), {} wrong (bar 0)",
        WORKFLOWS.len(),
        tally.slowest,
        tally.most_calls,
        tally.wrong.count(),
    );
    Ok(Verdict { figure, passed: tally.wrong.is_empty() })
}

/// One for the healthy calls, and one for each kind of question that fails: what one was told is kept for it alone.
fn accounts_of(workflow: &Workflow) -> usize {
    if workflow.chain == 0 { 0 } else { 1 + workflow.asks.len() }
}

impl Scene {
    /// Gives the feed what happened, and waits until it is there.
    async fn tell(&mut self, teller: &mut Teller) -> Result<()> {
        for kind in self.cast.kinds() {
            let signals = self.cast.signals(kind);
            teller.tell(&signals).await?;
            let watch = Stopwatch::start();
            while self.fed(kind).await? < signals.len().min(FEED_ROWS_MAX) {
                ensure!(watch.elapsed() < PATIENCE, "the feed does not show what happened: {kind}");
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
        }
        Ok(())
    }

    async fn fed(&mut self, kind: &str) -> Result<usize> {
        let path = format!("/v1/signals?kind={kind}&limit={FEED_ROWS_MAX}");
        let key = &self.rig.accounts.first().context("no account")?.api_key;
        let Exchange::Whole(reply) = self.client.get(&path, key).await else {
            bail!("{path}: no whole answer")
        };
        let page: Value = serde_json::from_slice(reply.body)?;
        Ok(page["results"].as_array().map_or(0, Vec::len))
    }

    fn next_account(&mut self) -> usize {
        self.fresh += 1;
        self.fresh - 1
    }

    /// Calls one workflow, about other people each time, by turns without and with the delay.
    async fn time(
        &mut self,
        workflow: &Workflow,
        account: usize,
        turns: usize,
        tally: &mut Tally,
    ) -> Result<()> {
        let mut times = Times::default();
        for turn in 0..turns {
            for (late, delay) in [Duration::ZERO, DELAY].into_iter().enumerate() {
                self.desks.set(delay, None);
                let (told, took) = self.ask(workflow, account, 2 * turn + late, ROWS).await?;
                let arrivals = self.desks.arrivals();
                self.check_healthy(workflow, &told, &arrivals, ROWS, tally);
                if late == 0 { times.at_once.push(took) } else { times.delayed.push(took) }
            }
        }
        // Whoever asks nobody waits for nobody: that no question came was counted.
        if let Some(in_chains) = times.in_chains(workflow.chain, DELAY) {
            progress(format!("{}: {in_chains:.2} times its chain of {}", workflow.path, workflow.chain));
            tally.slowest = tally.slowest.max(in_chains);
            if in_chains > TIMES_MOST {
                tally.wrong.add(format!("{} took {in_chains:.2} times its chain", workflow.path));
            }
            if times.is_overstated(workflow.chain, DELAY) {
                tally.wrong.add(format!("{}: its chain is shorter than {}", workflow.path, workflow.chain));
            }
        }
        Ok(())
    }

    /// What is said to be asked for is, as often as is said, and nothing else.
    fn check_healthy(
        &self,
        workflow: &Workflow,
        told: &Told,
        arrivals: &Arrivals,
        rows: usize,
        tally: &mut Tally,
    ) {
        let expected: Arrivals =
            workflow.asks.iter().map(|kind| ((*kind).to_owned(), workflow.asks_each(rows))).collect();
        if *arrivals != expected {
            tally.wrong.add(format!("{} asked {arrivals:?}, not {expected:?}", workflow.path));
        }
        if let Some(fault) = told.when_healthy() {
            tally.wrong.add(format!("{}: {fault}", workflow.path));
        }
    }

    /// The same call when nothing fails, and when one kind of question does, each kind in turn.
    async fn fail(
        &mut self,
        workflow: &Workflow,
        account: usize,
        turn: usize,
        tally: &mut Tally,
    ) -> Result<()> {
        self.desks.set(Duration::ZERO, None);
        let (healthy, _) = self.ask(workflow, account, turn, FAILING_ROWS).await?;
        let usual = self.desks.arrivals();
        self.check_healthy(workflow, &healthy, &usual, FAILING_ROWS, tally);
        for kind in workflow.asks {
            self.desks.set(Duration::ZERO, Some(kind));
            let account = self.next_account();
            let (told, _) = self.ask(workflow, account, turn, FAILING_ROWS).await?;
            let arrivals = self.desks.arrivals();
            if let Some(fault) = told.when_failing(kind, &healthy) {
                tally.wrong.add(format!("{} when {kind} fails: {fault}", workflow.path));
            }
            if arrivals.get(*kind) < usual.get(*kind) {
                tally.wrong.add(format!("{} when {kind} fails: it was spared, {arrivals:?}", workflow.path));
            }
            let (more, most) = (calls(&arrivals), calls_most(calls(&usual)));
            if more > most {
                tally
                    .wrong
                    .add(format!("{} when {kind} fails: asked {more} times, not {most}", workflow.path));
            }
            tally.most_calls = tally.most_calls.max(times(more, calls(&usual)));
        }
        Ok(())
    }

    /// Asks, and tells how many seconds that took.
    async fn ask(
        &mut self,
        workflow: &Workflow,
        account: usize,
        turn: usize,
        rows: usize,
    ) -> Result<(Told, f64)> {
        let body = workflow.body(&self.cast, turn, account, rows).to_string();
        let Account { api_key, .. } = &self.rig.accounts[account];
        let post = Post { path: workflow.path, api_key, idempotency_key: None, body: body.as_bytes() };
        let watch = Stopwatch::start();
        let Exchange::Whole(reply) = self.client.post(&post).await else {
            bail!("{}: no whole answer", workflow.path)
        };
        let took = watch.elapsed().as_secs_f64();
        let price = reply.cost().map_or(0, |cost| cost.credits.thousandths());
        let told = Told::read(reply.status, price, &serde_json::from_slice(reply.body).unwrap_or_default());
        self.paid[account] += price;
        Ok((told, took))
    }
}

fn times(some: u64, of: u64) -> f64 {
    let count = |number: u64| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    count(some) / count(of.max(1))
}

/// What every account has, in thousandths of a credit. Nothing may be held back.
async fn balances(rig: &Rig) -> Result<Vec<i64>> {
    let ledger = rig.ledger().await?;
    let mut balances = Vec::new();
    for account in &rig.accounts {
        let overview = ledger.overview(account.id).await?.context("an account is gone")?;
        ensure!(overview.held.is_zero(), "credits are held although no call is under way");
        balances.push(overview.available.thousandths());
    }
    Ok(balances)
}
