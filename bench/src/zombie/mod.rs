//! The bar `zombie`: a worker that was stopped past its lease, and goes on when somebody else has done its work, changes
//! nothing.
//!
//! In every round some workers take slices up and are stopped in the middle of them: their credits are held, and what they
//! found is not settled. Another worker takes over and finishes. Then the stopped ones go on where they were. All rows they
//! could have changed are compared before and after, while nobody else works.

mod rows;

use crate::bar::{Complaints, Verdict, progress};
use crate::bulk::{self, Order};
use crate::http_client::{Client, Exchange};
use crate::rig::{Rig, RigOptions, Server, run_command};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::limits::{BULK_SLICE_ITEMS, BULK_SLICES_PER_NODE_MAX, JOB_HEARTBEAT};
use assay_store::Ledger;
use assay_testkit::{Deadline, PostgresOptions};
use rows::Rows;
use std::time::Duration;
use uuid::Uuid;

const ZOMBIES: usize = 4;
/// Slices that are stopped in a round: all that so many workers take up at once.
const SLICES: usize = ZOMBIES * BULK_SLICES_PER_NODE_MAX;
const JOBS: usize = 8;
const ACCOUNTS_A_ROUND: usize = 2;
/// 256 slices in all.
const ROUNDS: usize = 4;
const STOPPED_LEAST: usize = 100;
/// Long enough that all slices are taken up before the first goes on, and over long before a lease is.
const WAIT: Duration = Duration::from_secs(6);
/// Where a slice is stopped: with its credits held, before and after its lookups.
const POINTS: [&str; 2] = ["slice-held", "slice-looked-up"];
const TAKEN_UP_WAIT: Duration = Duration::from_secs(5);
/// The lookups of the last slice that was taken up.
const LOOKED_UP_WAIT: Duration = Duration::from_millis(300);
const FINISHED_WAIT: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);
/// Long enough for all of them to settle.
const HELD_UP: Duration = Duration::from_secs(2);
/// A zombie has renewed, settled and looked for more by then.
const AWAKE: Duration = Duration::from_secs(5);
const LOST: &str = "a job was lost to another worker";

struct Scene {
    rig: Rig,
    ledger: Ledger,
    api: Server,
    zombies: Vec<Server>,
    complaints: Complaints,
}

/// What rounds have shown.
#[derive(Debug, Default)]
struct Shown {
    stopped: usize,
    changed: usize,
    /// Slices the zombies went on with to the end, and those that were taken out of their hands before.
    tried: u64,
    abandoned: usize,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let rounds = if short { 1 } else { ROUNDS };
    let people = u64::try_from(SLICES * BULK_SLICE_ITEMS)?;
    let rig = Rig::start(RigOptions {
        failpoints: true,
        accounts: rounds * ACCOUNTS_A_ROUND,
        people,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let ledger = rig.ledger().await?;
    let api = rig.serve_roles("api", &[])?;
    let zombie = |point: &&str| {
        let orders = format!("{point}=return(wait:{})", WAIT.as_millis());
        rig.serve_roles("worker", &[("FAILPOINTS", &orders)])
    };
    let zombies = POINTS.iter().cycle().take(ZOMBIES).map(zombie).collect::<Result<Vec<_>>>()?;
    let mut scene = Scene { rig, ledger, api, zombies, complaints: Complaints::default() };
    let mut shown = Shown::default();
    for round in 0..rounds {
        let before = (shown.tried, shown.abandoned);
        scene.round(round, &mut shown).await.with_context(|| format!("in round {}", round + 1))?;
        let (tried, abandoned) = (shown.tried - before.0, shown.abandoned - before.1);
        progress(format!(
            "round {}: {SLICES} slices stopped; continued, {tried} were settled in vain and {abandoned} abandoned",
            round + 1
        ));
    }
    for violation in scene.rig.audit().await? {
        scene.complaints.add(violation);
    }
    let Shown { stopped, changed, tried, abandoned } = shown;
    let figure = format!(
        "zombie: {stopped} slices of workers stopped past their lease and continued: {changed} rows changed by them, though \
         {tried} were settled again and {abandoned} let go; {} violations",
        scene.complaints.count()
    );
    // A zombie that did nothing would prove nothing, and one that never settled next to nothing.
    let passed = scene.complaints.is_empty()
        && changed == 0
        && tried > 0
        && usize::try_from(tried)? + abandoned >= stopped
        && (short || stopped >= STOPPED_LEAST);
    Ok(Verdict { figure, passed })
}

impl Scene {
    async fn round(&mut self, round: usize, shown: &mut Shown) -> Result<()> {
        let accounts = self.accounts(round);
        let settled = self.settled().await?;
        let submitted = self.submit(round).await?;
        self.wait_taken_up(&accounts).await?;
        signal("STOP", &self.zombies)?;
        let stopped = Rows::read(&self.ledger, &accounts).await?;
        ensure!(stopped.count("job") == SLICES, "slices ended before their workers were stopped");
        let helper = tokio::task::block_in_place(|| self.rig.serve_roles("worker", &[]))?;
        ensure!(
            bulk::wait_finished(&self.ledger, &accounts, LOOK, FINISHED_WAIT).await?,
            "nobody took over what stopped workers had"
        );
        tokio::task::block_in_place(|| helper.stop())?;
        let before = Rows::read(&self.ledger, &accounts).await?;
        ensure!(
            before.count("job") == 0 && before.differing(&stopped) > 0,
            "what was taken over is not to be seen"
        );
        let lost = self.lost()?;
        self.wake(round.is_multiple_of(2)).await?;
        let after = Rows::read(&self.ledger, &accounts).await?;
        let changed = after.differing(&before);
        if changed > 0 {
            self.complaints.add(format!("round {round}: {}", after.describe(&before)));
        }
        shown.changed += changed;
        shown.stopped += SLICES;
        shown.tried += self.settled().await? - settled;
        shown.abandoned += self.lost()? - lost;
        self.check(&submitted).await
    }

    /// Lets the zombies go on. Their heartbeat tells them at once that they lost everything; held up, it leaves them to find
    /// out when they settle.
    async fn wake(&self, heartbeat_held_up: bool) -> Result<()> {
        let mut gate = self.ledger.pool().begin().await?;
        if heartbeat_held_up {
            // Nobody can renew a lease, or write anything about a job; whether a lease is held can be looked up.
            sqlx::query("lock table job in share mode").execute(&mut *gate).await?;
        }
        signal("CONT", &self.zombies)?;
        tokio::time::sleep(HELD_UP).await;
        gate.rollback().await?;
        tokio::time::sleep(AWAKE.max(JOB_HEARTBEAT)).await;
        Ok(())
    }

    fn accounts(&self, round: usize) -> Vec<Uuid> {
        let accounts = self.rig.accounts.iter().skip(round * ACCOUNTS_A_ROUND).take(ACCOUNTS_A_ROUND);
        accounts.map(|account| account.id.uuid()).collect()
    }

    async fn submit(&self, round: usize) -> Result<Vec<(Order, String)>> {
        let size = SLICES / JOBS * BULK_SLICE_ITEMS;
        let mut client = self.api.client();
        let mut submitted = Vec::new();
        for number in 0..JOBS {
            let account = round * ACCOUNTS_A_ROUND + number % ACCOUNTS_A_ROUND;
            let first = number / ACCOUNTS_A_ROUND * size;
            let order = Order::mixed(&self.rig, account, first, size).context("the world is too small")?;
            let id = bulk::submit(&mut client, &self.rig.accounts[account], &order.body()).await?;
            submitted.push((order, id));
        }
        Ok(submitted)
    }

    /// Until every slice is claimed by a zombie and has its credits held.
    async fn wait_taken_up(&self, accounts: &[Uuid]) -> Result<()> {
        let deadline = Deadline::after(TAKEN_UP_WAIT);
        loop {
            let (running, held): (i64, i64) = sqlx::query_as(
                "select (select count(*) from job where account_id = any($1) and state = 'running'),
                        (select count(*) from hold where account_id = any($1) and state = 'open')",
            )
            .bind(accounts)
            .fetch_one(self.ledger.pool())
            .await?;
            if usize::try_from(running)? == SLICES && usize::try_from(held)? == SLICES {
                tokio::time::sleep(LOOKED_UP_WAIT).await;
                return Ok(());
            }
            if deadline.passed() {
                bail!("{running} slices were claimed and {held} held, not {SLICES}");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Slices the zombies worked on to the end so far, whether it counted or not.
    async fn settled(&self) -> Result<u64> {
        let mut sum = 0;
        for zombie in &self.zombies {
            let mut client = Client::new(zombie.operations);
            let Exchange::Whole(reply) = client.get("/metrics", "").await else {
                bail!("a worker shows no metrics")
            };
            sum += settled_of(std::str::from_utf8(reply.body)?)?;
        }
        Ok(sum)
    }

    /// Slices that were taken out of somebody's hands so far.
    fn lost(&self) -> Result<usize> {
        Ok(std::fs::read_to_string(self.rig.log_file())?.matches(LOST).count())
    }

    async fn check(&mut self, submitted: &[(Order, String)]) -> Result<()> {
        let mut client = self.api.client();
        for (order, id) in submitted {
            let account = &self.rig.accounts[order.account];
            let view = bulk::read_job(&mut client, account, id).await?;
            let results = bulk::read_results(&mut client, account, id).await?;
            bulk::compare(order, &view, &results, &mut self.complaints);
        }
        Ok(())
    }
}

fn signal(name: &str, servers: &[Server]) -> Result<()> {
    let pids = servers.iter().map(|server| server.pid().to_string()).collect::<Vec<_>>();
    run_command("sh", &["-c", &format!("kill -s {name} {}", pids.join(" "))])
}

/// What a worker's metrics say about slices whose work came to its end.
fn settled_of(metrics: &str) -> Result<u64> {
    let line = metrics.lines().find(|line| {
        line.starts_with("assay_jobs_total{") && line.contains("\"bulk\"") && line.contains("\"settled\"")
    });
    let Some(line) = line else { return Ok(0) };
    line.rsplit(' ').next().context("a metric without a value")?.parse().context("no number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::limits::JOB_LEASE;

    #[test]
    fn the_wait_is_over_before_the_lease_is_and_the_settled_are_counted() {
        assert!(WAIT > TAKEN_UP_WAIT && WAIT + JOB_HEARTBEAT < JOB_LEASE);
        let metrics = "# TYPE assay_jobs_total counter\n\
            assay_jobs_total{queue=\"bulk\",ended=\"again\"} 3\nassay_jobs_total{queue=\"bulk\",ended=\"settled\"} 17\n";
        assert_eq!((settled_of(metrics).unwrap(), settled_of("").unwrap()), (17, 0));
    }
}
