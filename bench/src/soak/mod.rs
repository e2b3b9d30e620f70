//! The bar `soak`: traffic of every kind on two nodes, and a fault again and again: a node killed or stopped, PostgreSQL restarted, a
//! vendor that fails or hangs. Every request is answered or cleanly refused, the books are right to the end, everything is told once,
//! and memory does not grow.
//!
//! Clients are careful: they go to the other node where one refuses connections, and ask again under the same idempotency key what
//! they got no answer to. What a fault cannot explain is a violation: a connection that was cut by a node that was not killed just
//! then, a refusal long after all was well again. `ASSAY_BAR_SEED` draws the faults of an earlier run again.

mod books;
mod clerks;
mod front;
mod judge;
mod memory;
mod news;
mod nodes;
mod stage;
mod traffic;
mod watching;
mod weather;

use crate::bar::{Complaints, Verdict, grouped, number_in, progress};
use crate::rig::{Rig, RigOptions};
use crate::rolling::balancer::{Balancer, Watching as Probing};
use crate::signals::freshness::observers::Observers;
use crate::upstream::stage::{NOTICED, serve_names, settings};
use crate::webhook_flaky::receiver::{Manner, Receiver};
use anyhow::{Context, Result, bail};
use assay_domain::limits::BULK_HOLD_LIFETIME;
use assay_store::Ledger;
use assay_testkit::{Deadline, PostgresOptions};
use books::Balance;
use clerks::{Clerk, Report, check_jobs, check_messages};
use front::{DEADLINE, Front};
use memory::{GROWTH_MAX, Growth};
use nodes::Nodes;
use serde_json::json;
use stage::{ACCOUNTS, OPERATOR, READER, Stage};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use traffic::Traffic;
use watching::Watching;
use weather::{Climate, Spell};

const SEED: &str = "ASSAY_BAR_SEED";
const PEOPLE: u64 = 2_000;
const PER_SECOND: u32 = 15;
/// Longer than a call may take.
const HOLD_SECONDS: u64 = 40;
/// A hold whose time is over by more than this was left lying.
const SWEPT_WITHIN: &str = "5 seconds";
/// Retries of messages need not be waited for as long as in life.
const WEBHOOK_SCALE: &str = "60";
const SEEN_MAX: Duration = Duration::from_secs(60);

struct Size {
    climate: Climate,
    /// So long it is waited for holds to end.
    holds: Duration,
    /// Long enough that memory can be judged, and what a dead worker held waited for.
    is_full: bool,
}

fn full() -> Size {
    let climate = Climate {
        length: Duration::from_secs(1_800),
        every: Duration::from_secs(60),
        begins_ms: 5_000..20_000,
        away_ms: 0..5_000,
        stopped_ms: 2_000..15_000,
        vendor_ms: 5_000..20_000,
        brief: false,
    };
    Size { climate, holds: BULK_HOLD_LIFETIME + Duration::from_secs(20), is_full: true }
}

fn short() -> Size {
    let climate = Climate {
        length: Duration::from_secs(40),
        every: Duration::from_secs(10),
        begins_ms: 1_000..2_000,
        away_ms: 0..2_000,
        stopped_ms: 2_000..5_000,
        vendor_ms: 3_000..5_000,
        brief: true,
    };
    Size { climate, holds: Duration::from_secs(5), is_full: false }
}

/// Everything that runs.
struct Scene {
    nodes: Nodes,
    stage: Arc<Stage>,
    receiver: Receiver,
    /// Asks as long as the scene stands.
    _probing: Probing,
    spells: Vec<Spell>,
}

/// What was brought to its end.
struct Outcome {
    calls: usize,
    reports: Vec<Report>,
    signals: usize,
    messages: usize,
    balance: Balance,
    open_holds: i64,
    growth: Growth,
}

pub async fn run(short_form: bool) -> Result<Verdict> {
    let size = if short_form { short() } else { full() };
    let seed = number_in(SEED)?.unwrap_or_else(|| rand::random_range(0..1_000_000));
    progress(format!("{SEED}={seed}"));
    let (mut scene, observers) = Scene::set().await?;
    let sampling = scene.nodes.memory.sample(scene.stage.front.watch);
    let ended = scene.play(&size, seed, observers).await;
    sampling.abort();
    let (outcome, mut complaints) = ended?;
    let Scene { stage, spells, .. } = scene;
    let stage = Arc::into_inner(stage).context("somebody still calls")?;
    let (tally, wrong) = stage.front.judge.sentence(&spells);
    complaints.merge(&wrong);
    progress(tally.to_string());
    progress(format!("memory: {}", outcome.growth.told));
    progress(format!("seed {seed}: {}", if complaints.is_empty() { "nothing wrong" } else { "violations" }));
    Ok(verdict(&size, &outcome, &spells, tally.requests, &complaints))
}

fn verdict(
    size: &Size,
    outcome: &Outcome,
    spells: &[Spell],
    requests: usize,
    complaints: &Complaints,
) -> Verdict {
    let Outcome { calls, reports, signals, messages, balance, open_holds, growth } = outcome;
    let jobs: usize = reports.iter().map(|report| report.jobs.len()).sum();
    let memory = if size.is_full {
        format!(
            "memory {:.2} x from the middle to the last third of {} lives (bar {GROWTH_MAX}), {:.0} MiB at most",
            growth.most, growth.judged, growth.peak_mib
        )
    } else {
        format!("memory {:.0} MiB at most (not judged)", growth.peak_mib)
    };
    let figure = format!(
        "soak: {} s, {} faults, {} calls begun and {} requests sent on two nodes; {} charges told once each ({} by a replay, {} to \
         nobody, {} given back), {jobs} bulk jobs ended once, {signals} signals seen once by everybody and told once by the watch \
         list, {messages} messages arrived, {open_holds} holds wait for their time; {memory}; {} violations (bar 0)",
        size.climate.length.as_secs(),
        spells.len(),
        grouped(*calls),
        grouped(requests),
        grouped(balance.charges),
        balance.replayed,
        balance.unseen,
        balance.given_back,
        complaints.count()
    );
    // A run in which nothing of it happened would prove nothing.
    let is_whole = balance.charges > 0 && jobs > 0 && *signals > 0 && *messages > 0 && !spells.is_empty();
    let is_flat = !size.is_full || growth.judged > 0 && growth.most <= GROWTH_MAX;
    Verdict { figure, passed: is_whole && is_flat && complaints.is_empty() }
}

impl Scene {
    async fn set() -> Result<(Self, Observers)> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: ACCOUNTS,
            people: PEOPLE,
            postgres: PostgresOptions::default(),
            // A world in two databases may be one that is kept for other bars, and this one is told news.
            one_database: true,
        })?;
        let receiver = Receiver::start(|_, _, _| Manner::Take).await?;
        let nodes = start_nodes(rig, receiver.address)?;
        tokio::time::sleep(NOTICED).await;
        let balancer = Arc::new(Balancer::new(nodes.places()));
        let probing = Probing::start(&balancer);
        let addresses: Vec<SocketAddr> = nodes.places().iter().map(|(address, _)| *address).collect();
        let stage = Arc::new(Stage::new(&nodes.rig, Front::new(&balancer, addresses.clone()))?);
        let [first, second] = addresses[..] else { bail!("not two nodes") };
        let api_key = &stage.payers[READER].api_key;
        let clock = assay_domain::clock::Stopwatch::start();
        let observers = Observers::start([first, second], api_key, clock);
        let news = json!({ "source": "bar", "signals": stage.cast.news()? });
        let ingest = "/v1/ingest/signals";
        stage.call(OPERATOR, ingest, ingest, &news).await.context("no news were taken")?;
        Ok((Self { nodes, stage, receiver, _probing: probing, spells: Vec::new() }, observers))
    }

    /// The whole run: traffic and faults, then rest, then the books.
    async fn play(&mut self, size: &Size, seed: u64, observers: Observers) -> Result<(Outcome, Complaints)> {
        let mut complaints = Complaints::default();
        let stage = Arc::clone(&self.stage);
        let mut clerks = Vec::new();
        for payer in Clerk::all() {
            let clerk = Clerk::hire(&stage, &self.nodes.rig, payer, self.receiver.address).await?;
            clerks.push(tokio::spawn(clerk.work()));
        }
        let watching = tokio::spawn(Watching::begin(&stage).await?.work());
        let telling = tokio::spawn(news::tell(Arc::clone(&stage)));
        let (last, is_last) = watch::channel(false);
        let polling = tokio::spawn(news::poll(Arc::clone(&stage), is_last));
        let length = size.climate.length;
        let driving = tokio::spawn(Traffic::new(&stage)?.drive(PER_SECOND, length));
        self.suffer_all(&size.climate, seed).await?;
        let calls = driving.await??;
        stage.stop();
        progress("the traffic is over");
        let mut reports = Vec::new();
        for clerk in clerks {
            reports.push(clerk.await??);
        }
        let told = telling.await?;
        let (watching, mut shown) = watching.await?;
        watching.tell_the_rest(&told.jobs, &mut shown).await;
        drop(watching);
        shown.check(&told.jobs, &mut complaints);
        observers.wait_for(&told.rounds, &told.jobs_published(), SEEN_MAX).await;
        last.send_replace(true);
        let polled = polling.await?;
        told.check(&observers.end().await, &polled, &mut complaints);
        let messages = check_messages(&self.receiver, &reports, &mut complaints).await?;
        let ledger = self.nodes.rig.ledger().await?;
        let open_holds = wait_for_holds(&ledger, size, &mut complaints).await?;
        let growth = self.nodes.memory.growth();
        if self.nodes.questions_to_vendor() == 0 {
            complaints.add("nobody asked the vendor");
        }
        self.nodes.stop()?;
        let balance = self.balance(&ledger, &reports, &mut complaints).await?;
        let signals = told.rounds.len() + told.jobs.len();
        Ok((Outcome { calls, reports, signals, messages, balance, open_holds, growth }, complaints))
    }

    /// One fault after the other, each when its time has come.
    async fn suffer_all(&mut self, climate: &Climate, seed: u64) -> Result<()> {
        let watch = self.stage.front.watch;
        let begun = watch.elapsed();
        for (at, fault) in climate.plan(seed) {
            tokio::time::sleep((begun + at).saturating_sub(watch.elapsed())).await;
            progress(format!("{:.0} s: {fault}", (watch.elapsed() - begun).as_secs_f64()));
            let spell = self.nodes.suffer(fault, &watch).await.with_context(|| fault.to_string())?;
            self.spells.push(spell);
        }
        Ok(())
    }

    /// What everybody was told, against what the ledger has.
    async fn balance(
        &self,
        ledger: &Ledger,
        reports: &[Report],
        complaints: &mut Complaints,
    ) -> Result<Balance> {
        for report in reports {
            complaints.merge(&report.wrong);
            check_jobs(ledger, &self.stage, report, complaints).await?;
        }
        let accounts: Vec<_> = self.stage.payers.iter().map(|payer| payer.id).collect();
        let balance = self.stage.books.check(ledger, &accounts, &self.spells, complaints).await?;
        for violation in self.nodes.rig.audit().await? {
            complaints.add(violation);
        }
        Ok(balance)
    }
}

fn start_nodes(rig: Rig, receiver: SocketAddr) -> Result<Nodes> {
    let nameserver = serve_names()?.to_string();
    let (deadline, hold) = (DEADLINE.as_secs().to_string(), HOLD_SECONDS.to_string());
    let port = receiver.port().to_string();
    let mut all = settings(&nameserver).to_vec();
    all.extend([
        ("ASSAY_CALLS_DEADLINE_SECONDS", &*deadline),
        ("ASSAY_BILLING_HOLD_LIFETIME_SECONDS", &*hold),
        ("ASSAY_SANDBOX_DAILY_LIMIT", "1000000"),
        ("ASSAY_WEBHOOKS_ALLOW_RANGES", "127.0.0.0/8"),
        ("ASSAY_WEBHOOKS_ALLOW_HTTP", "true"),
        ("ASSAY_WEBHOOKS_ALLOW_PORTS", &*port),
        ("ASSAY_WEBHOOKS_TIME_SCALE", WEBHOOK_SCALE),
    ]);
    Nodes::start(rig, &all)
}

/// Nothing is held when nobody calls and leases have run out; what is left waits for its time, and no longer.
async fn wait_for_holds(ledger: &Ledger, size: &Size, complaints: &mut Complaints) -> Result<i64> {
    let deadline = Deadline::after(size.holds);
    loop {
        let (open, overdue): (i64, i64) = sqlx::query_as(
            "select count(*), count(*) filter (where expires_at < now() - $1::interval) from hold where state = 'open'",
        )
        .bind(SWEPT_WITHIN)
        .fetch_one(ledger.pool())
        .await?;
        if open > 0 && !deadline.passed() {
            tokio::time::sleep(Duration::from_millis(500)).await;
            continue;
        }
        // The short form does not wait as long as a dead worker's hold lives.
        if overdue > 0 || open > 0 && size.is_full {
            complaints.add(format!("{open} holds are open, {overdue} of them past their time"));
        }
        return Ok(open);
    }
}
