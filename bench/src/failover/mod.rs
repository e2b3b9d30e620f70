//! The bar `failover`: the primary of a pair of databases is lost, and nothing that was answered is.
//!
//! Patroni and etcd keep two PostgreSQL servers, one of which follows the other synchronously. Two nodes that answer calls and one
//! that works are told both servers and find the primary themselves. While clients pay and signals are told, the primary is killed
//! as a dead machine is, or stands still as a hung one does and wakes up later, believing that it is the primary.

mod callers;
mod cluster;
mod cost;
mod fence;
mod told;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::crash::check::{self, Findings};
use crate::crash::journal::Journal;
use crate::crash::load::drain;
use crate::rig::{Account, Rig, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_testkit::{Deadline, Postgres};
use callers::Callers;
use cluster::Cluster;
use fence::{Fence, Fenced};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use told::Told;

/// The bar.
const RESUMED_WITHIN: Duration = Duration::from_secs(30);
/// After so long it is not worth waiting any more.
const RESUMED_MAX: Duration = Duration::from_secs(90);
const REJOINED_WITHIN: Duration = Duration::from_secs(90);
/// The clients have the pair to themselves for so long before it is broken.
const BEFORE: Duration = Duration::from_secs(4);
/// So long the old primary is awake before its Patroni is, which would have it follow the new one.
const ALONE: Duration = Duration::from_secs(3);
/// So many charges the standby of the control lacks, and so long they may take.
const BEHIND: usize = 10;
const BEHIND_WITHIN: Duration = Duration::from_secs(30);
const DRAIN_WAIT: Duration = Duration::from_secs(60);

const PAYING: usize = 10;
const CONTROL_PAYING: usize = 4;
const WATCHER: usize = PAYING + CONTROL_PAYING;
const TELLER: usize = WATCHER + 1;

/// How the primary is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Killed,
    Frozen,
}

struct Size {
    people: u64,
    losses: &'static [Loss],
    cost_turns: usize,
    cost_length: Duration,
    has_control: bool,
}

const FULL: Size = Size {
    people: 4_000,
    losses: &[Loss::Killed, Loss::Frozen, Loss::Killed, Loss::Frozen],
    cost_turns: 5,
    cost_length: Duration::from_secs(10),
    has_control: true,
};
const SHORT: Size = Size {
    people: 2_000,
    losses: &[Loss::Killed],
    cost_turns: 1,
    cost_length: Duration::from_secs(4),
    has_control: false,
};

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    progress("starting etcd and two servers under Patroni");
    let cluster = tokio::task::block_in_place(Cluster::start)?;
    progress(cluster::versions());
    let leader = cluster.leader().context("nobody leads")?;
    let first = &cluster.members[leader].postgres;
    fence::prepare(first)?;
    let first = Postgres::of_another(first.data_dir(), first.port())?;
    let rig = Rig::over(first, cluster.servers(), TELLER + 1, size.people)?;
    let nodes = [rig.serve_roles("api", &[])?, rig.serve_roles("api", &[])?];
    let worker = rig.serve_roles("worker", &[])?;
    let length = size.cost_length;
    let cost = cost::measure(&cluster, &rig, nodes[0].address, size.cost_turns, length).await?;
    let mut scene = Scene::open(&rig, cluster, &nodes)?;
    let tally = scene.lose_primaries(size.losses).await?;
    let epoch_kept = scene.end().await?;
    let control = if size.has_control { Some(control(&rig, &mut scene).await?) } else { None };
    drop((nodes, worker));
    Ok(verdict(&scene, &tally, epoch_kept, control, &cost.to_string()))
}

/// What the losses came to.
#[derive(Debug, Default)]
struct Tally {
    killed: usize,
    frozen: usize,
    resumed_max: Duration,
    rejoined_max: Duration,
    fenced: Fenced,
    acknowledged: usize,
    told: usize,
    observers: usize,
}

struct Scene<'a> {
    rig: &'a Rig,
    cluster: Cluster,
    nodes: [SocketAddr; 2],
    clock: Stopwatch,
    people: Vec<crate::rig::Known>,
    epoch: String,
    findings: Findings,
    complaints: Complaints,
}

impl<'a> Scene<'a> {
    fn open(rig: &'a Rig, cluster: Cluster, nodes: &[Server; 2]) -> Result<Self> {
        let people = (0..rig.world().people_count()).filter_map(|index| rig.known(index)).collect();
        let mut scene = Self {
            rig,
            cluster,
            nodes: [nodes[0].address, nodes[1].address],
            clock: Stopwatch::start(),
            people,
            epoch: String::new(),
            findings: Findings::default(),
            complaints: Complaints::default(),
        };
        scene.epoch = scene.graph("select log_epoch from graph_meta")?;
        Ok(scene)
    }

    /// Asks the graph at whoever is the primary.
    fn graph(&self, sql: &str) -> Result<String> {
        let leader = self.cluster.leader().context("nobody leads")?;
        self.cluster.members[leader].postgres.psql(self.rig.graph_name(), sql)
    }

    async fn lose_primaries(&mut self, losses: &[Loss]) -> Result<Tally> {
        let mut tally = Tally::default();
        let accounts = Arc::new(self.rig.accounts[..PAYING].to_vec());
        let journal = Arc::new(Journal::new(self.people.clone(), PAYING));
        let told = Told::start(self.rig, self.nodes, WATCHER, TELLER)?;
        let callers = Callers::start(self.nodes, &journal, &accounts, self.clock);
        for loss in losses {
            tokio::time::sleep(BEFORE).await;
            self.lose_primary(*loss, &callers, &mut tally).await?;
        }
        tokio::time::sleep(BEFORE).await;
        tally.acknowledged = callers.acknowledged();
        callers.end().await;
        progress("waiting until everybody saw what was told");
        let count = told.end(&mut self.complaints).await?;
        (tally.told, tally.observers) = (count.told, count.observers);
        let mut findings = self.compare(journal, &accounts).await?;
        for violation in self.rig.audit().await? {
            findings.other.add(violation);
        }
        self.findings = findings;
        Ok(tally)
    }

    /// One loss, from a whole pair to a whole pair.
    async fn lose_primary(&mut self, loss: Loss, callers: &Callers, tally: &mut Tally) -> Result<()> {
        let old = tokio::task::block_in_place(|| self.cluster.wait_pair(REJOINED_WITHIN))?;
        let moment = fence::moment(&self.cluster.members[old].postgres)?;
        let at = self.clock.elapsed();
        tokio::task::block_in_place(|| match loss {
            Loss::Killed => self.cluster.members[old].kill(),
            Loss::Frozen => self.cluster.members[old].freeze(),
        })?;
        let fence = Fence::watch(&self.cluster.members[old].postgres);
        let resumed = callers.resumed(at, RESUMED_MAX).await?;
        let back = self.clock.elapsed();
        if loss == Loss::Killed {
            self.cluster.members[old].start()?;
            tally.killed += 1;
        } else {
            self.wake(old, &moment).await?;
            tally.frozen += 1;
        }
        let new = tokio::task::block_in_place(|| self.cluster.wait_pair(REJOINED_WITHIN))?;
        let rejoined = self.clock.elapsed().saturating_sub(back);
        let fenced = tokio::task::block_in_place(|| fence.end())?;
        if new == old {
            self.complaints.add("the old primary is the primary again, though it was lost");
        }
        progress(format!(
            "the primary was {}: paid calls again after {:.1} s, a standby again {:.1} s after it was back; {} of {} writes taken by it",
            if loss == Loss::Killed { "killed" } else { "frozen" },
            resumed.as_secs_f64(),
            rejoined.as_secs_f64(),
            fenced.taken,
            fenced.tried
        ));
        tally.resumed_max = tally.resumed_max.max(resumed);
        tally.rejoined_max = tally.rejoined_max.max(rejoined);
        tally.fenced.tried += fenced.tried;
        tally.fenced.taken += fenced.taken;
        Ok(())
    }

    /// The old primary goes on where it stood, at first without anybody to tell it that it is not the primary any more.
    async fn wake(&mut self, old: usize, moment: &str) -> Result<()> {
        let member = &self.cluster.members[old];
        member.postgres.thaw()?;
        tokio::time::sleep(ALONE).await;
        let believes = member.postgres.psql("postgres", "select not pg_is_in_recovery()")?;
        ensure!(believes == "t", "the old primary did not wake up as one: nothing was shown");
        let workers = fence::workers_since(&member.postgres, moment)?;
        if workers > 0 {
            self.complaints.add(format!("{workers} connections of nodes lead to the old primary"));
        }
        self.cluster.members[old].thaw_patroni()
    }

    /// Lets everything that has a key be answered, and lays what clients saw beside what is booked.
    async fn compare(&self, journal: Arc<Journal>, accounts: &Arc<Vec<Account>>) -> Result<Findings> {
        drain(self.nodes[0], &journal, accounts, DRAIN_WAIT).await;
        let ledger = self.rig.ledger().await?;
        let failed = journal.failed_requests();
        let deadline = Deadline::after(DRAIN_WAIT);
        while check::charges_kept(&ledger, accounts, &failed).await? > 0 && !deadline.passed() {
            tokio::time::sleep(BEFORE / 10).await;
        }
        progress(format!("{} calls; statuses seen: {}", grouped(journal.calls()), journal.statuses()));
        let journal = Arc::into_inner(journal).context("a client still writes to the journal")?;
        let (tickets, complaints) = journal.close();
        let mut findings = Findings { other: complaints, ..Findings::default() };
        check::check(&ledger, accounts, &tickets, &mut findings).await?;
        progress(format!("what the losses brought about: {:?}", findings.seen));
        Ok(findings)
    }

    /// Whether the log went on as the same one, without a hole.
    async fn end(&mut self) -> Result<bool> {
        let holes = self.graph("select coalesce(max(seq) - min(seq) + 1 - count(*), 0) from change_log")?;
        if holes != "0" {
            self.complaints.add(format!("the log lacks {holes} numbers"));
        }
        Ok(self.graph("select log_epoch from graph_meta")? == self.epoch)
    }
}

/// What the control lost.
#[derive(Debug, Clone, Copy)]
struct Control {
    acknowledged: usize,
    lost: usize,
}

/// The same without the synchronous standby: while the standby is behind, the primary dies. Were nothing missing then, the bar
/// could not see what is.
async fn control(rig: &Rig, scene: &mut Scene<'_>) -> Result<Control> {
    progress("the control: without a synchronous standby, and the standby is behind");
    tokio::task::block_in_place(|| scene.cluster.set_synchronous(false))?;
    let accounts = Arc::new(rig.accounts[PAYING..PAYING + CONTROL_PAYING].to_vec());
    let journal = Arc::new(Journal::new(scene.people.clone(), CONTROL_PAYING));
    let callers = Callers::start(scene.nodes, &journal, &accounts, scene.clock);
    tokio::time::sleep(BEFORE).await;
    let old = scene.cluster.leader().context("nobody leads")?;
    scene.cluster.members[old].stop_sending()?;
    let (before, deadline) = (callers.acknowledged(), Deadline::after(BEHIND_WITHIN));
    while callers.acknowledged() < before + BEHIND && !deadline.passed() {
        tokio::time::sleep(BEFORE / 40).await;
    }
    let (at, acknowledged) = (scene.clock.elapsed(), callers.acknowledged());
    tokio::task::block_in_place(|| scene.cluster.members[old].kill())?;
    callers.resumed(at, RESUMED_MAX).await?;
    callers.end().await;
    let findings = scene.compare(journal, &accounts).await?;
    Ok(Control { acknowledged, lost: findings.lost.count() })
}

fn verdict(
    scene: &Scene<'_>,
    tally: &Tally,
    epoch_kept: bool,
    control: Option<Control>,
    cost: &str,
) -> Verdict {
    let Findings { double, lost, other, .. } = &scene.findings;
    let broken = other.count() + scene.complaints.count();
    let epoch = if epoch_kept { "the same log" } else { "ANOTHER log" };
    let told = control.map_or_else(String::new, |control| {
        format!(
            "; the control without one lost {} answered calls, free ones among them, after {} charges",
            grouped(control.lost),
            grouped(control.acknowledged)
        )
    });
    let figure = format!(
        "failover: the primary lost {} times ({} killed, {} frozen), {} charges acknowledged, {} lost (bar 0), {} charged twice (bar 0); \
         paid calls on every node again after {:.1} s at most (bar {} s), the old primary a standby again {:.1} s after it was back, \
         {} of {} writes taken by it (bar 0); {} signals seen once by each of {} observers of {epoch}; {broken} other violations (bar 0); \
         {cost}{told}",
        tally.killed + tally.frozen,
        tally.killed,
        tally.frozen,
        grouped(tally.acknowledged),
        lost.count(),
        double.count(),
        tally.resumed_max.as_secs_f64(),
        RESUMED_WITHIN.as_secs(),
        tally.rejoined_max.as_secs_f64(),
        tally.fenced.taken,
        tally.fenced.tried,
        grouped(tally.told),
        tally.observers,
    );
    let kept = lost.is_empty() && double.is_empty() && broken == 0 && epoch_kept;
    let was_tried = tally.acknowledged > 0 && tally.told > 0 && tally.fenced.tried > 0;
    let passed = kept
        && was_tried
        && tally.resumed_max <= RESUMED_WITHIN
        && tally.fenced.taken == 0
        && control.is_none_or(|control| control.lost > 0);
    Verdict { figure, passed }
}
