//! The bar `bulk-kill`: bulk jobs come to their end exactly once, and are paid for once, while workers die all the time.
//!
//! Lookups are made slow, so that a kill finds slices in every state: with credits held and nothing looked up, looked up and
//! not settled. The undisturbed time of the same jobs with the same workers is what the disturbed time is held against.

mod books;
mod claims;
mod crew;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::bulk::{self, Order};
use crate::http_client::Client;
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Context, Result, ensure};
use assay_domain::Clock;
use assay_store::Ledger;
use assay_testkit::PostgresOptions;
use chrono::{DateTime, Utc};
use claims::{Picked, picked_up};
use crew::Crew;
use std::time::Duration;
use uuid::Uuid;

const WORKERS: usize = 4;
const KILL_EVERY: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(50);
/// So long it is waited for jobs that do not end; then what there is is looked at.
const GIVE_UP: Duration = Duration::from_secs(300);

/// The bars.
const PICK_UP_MAX: Duration = Duration::from_secs(20);
const TIMES_MAX: f64 = 2.0;

/// How large a run is.
struct Size {
    accounts: usize,
    jobs: usize,
    items: usize,
    people: u64,
    /// At each of the two crash points of a slice.
    wait_ms: u64,
    /// The undisturbed time must be at least this: jobs that are over at once show nothing.
    undisturbed_least: Duration,
    /// Kills, if not until everything is done. The first of them then falls on somebody who works.
    kills_max: Option<usize>,
}

const FULL: Size = Size {
    accounts: 5,
    jobs: 20,
    items: 500,
    people: 2_500,
    wait_ms: 4_000,
    undisturbed_least: Duration::from_secs(30),
    kills_max: None,
};

/// A lease alone lasts longer than these few slices, so the short form shows everything but the time.
const SHORT: Size = Size {
    accounts: 2,
    jobs: 4,
    items: 100,
    people: 500,
    wait_ms: 1_500,
    undisturbed_least: Duration::from_secs(3),
    kills_max: Some(3),
};

struct Scene {
    rig: Rig,
    ledger: Ledger,
    api: Server,
    complaints: Complaints,
}

/// A job that was submitted.
struct Submitted {
    order: Order,
    id: String,
}

/// A process that was killed, and when.
#[derive(Debug, Clone)]
struct Death {
    life: String,
    at: DateTime<Utc>,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = Rig::start(RigOptions {
        failpoints: true,
        accounts: 2 * size.accounts,
        people: size.people,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let ledger = rig.ledger().await?;
    claims::watch(&ledger).await?;
    let api = rig.serve_roles("api", &[])?;
    let mut scene = Scene { rig, ledger, api, complaints: Complaints::default() };
    let mut crew = Crew::start(&scene.rig, WORKERS, size.wait_ms)?;
    let calm = scene.orders(&size, 0)?;
    let (_, undisturbed) = scene.all_jobs(calm, None).await.context("in the undisturbed jobs")?;
    ensure!(undisturbed >= size.undisturbed_least, "{undisturbed:?} is too short to show anything");
    progress(format!("undisturbed: {undisturbed:.1?}"));
    let orders = scene.orders(&size, size.accounts)?;
    let (jobs, took) =
        scene.all_jobs(orders, Some((&mut crew, &size))).await.context("in the disturbed jobs")?;
    let deaths = crew.deaths().to_vec();
    crew.stop()?;
    scene.verdict(&size, &jobs, (undisturbed, took), &deaths, short).await
}

impl Scene {
    /// The orders of one phase, dealt out over accounts of its own.
    fn orders(&self, size: &Size, first_account: usize) -> Result<Vec<Order>> {
        let order = |number: usize| {
            let account = first_account + number % size.accounts;
            let first = number / size.accounts * size.items;
            Order::mixed(&self.rig, account, first, size.items).context("the world is too small")
        };
        (0..size.jobs).map(order).collect()
    }

    fn accounts_of(&self, orders: &[Order]) -> Vec<Uuid> {
        let mut accounts: Vec<Uuid> =
            orders.iter().map(|order| self.rig.accounts[order.account].id.uuid()).collect();
        accounts.sort_unstable();
        accounts.dedup();
        accounts
    }

    /// Submits all orders at once and waits for the last to be finished, with or without kills; says how long that took,
    /// from the first job made to the last one finished.
    async fn all_jobs(
        &mut self,
        orders: Vec<Order>,
        killing: Option<(&mut Crew, &Size)>,
    ) -> Result<(Vec<Submitted>, Duration)> {
        let accounts = self.accounts_of(&orders);
        let submits = orders.into_iter().map(|order| {
            let (mut client, account) = (self.api.client(), self.rig.accounts[order.account].clone());
            async move {
                let id = bulk::submit(&mut client, &account, &order.body()).await?;
                Ok::<_, anyhow::Error>(Submitted { order, id })
            }
        });
        let jobs = futures_util::future::try_join_all(submits).await?;
        let finished = bulk::wait_finished(&self.ledger, &accounts, LOOK, GIVE_UP);
        let finished = match killing {
            None => finished.await?,
            Some((crew, size)) => {
                tokio::select! {
                    finished = finished => finished?,
                    died = kill_on(crew, &self.rig, &self.ledger, size) => return Err(died),
                }
            }
        };
        if !finished {
            self.complaints.add(format!("not all jobs were finished within {GIVE_UP:?}"));
        }
        // A job that is not finished is, for the time it took, finished now.
        let took: f64 = sqlx::query_scalar(
            "select extract(epoch from max(coalesce(finished_at, now())) - min(created_at))::float8
             from bulk_job where account_id = any($1)",
        )
        .bind(&accounts)
        .fetch_one(self.ledger.pool())
        .await?;
        Ok((jobs, Duration::try_from_secs_f64(took)?))
    }

    async fn verdict(
        mut self,
        size: &Size,
        jobs: &[Submitted],
        (undisturbed, took): (Duration, Duration),
        deaths: &[Death],
        short: bool,
    ) -> Result<Verdict> {
        let mut right = 0;
        let mut client = self.api.client();
        for job in jobs {
            right += self.read(&mut client, job).await?;
        }
        let charged = books::check(&self.ledger, &self.rig, jobs, &mut self.complaints).await?;
        let Picked { orphans, longest, given_back } =
            picked_up(&self.ledger, deaths, &mut self.complaints).await?;
        for violation in self.rig.audit().await? {
            self.complaints.add(violation);
        }
        let holds = books::open_holds(&self.ledger).await?;
        progress(format!(
            "{given_back} slices were put back by workers that live; {holds} holds wait for their end"
        ));
        let times = took.as_secs_f64() / undisturbed.as_secs_f64();
        let in_time = short || times <= TIMES_MAX;
        let passed = self.complaints.is_empty()
            && right == size.jobs * size.items
            && orphans > 0
            && longest <= PICK_UP_MAX
            && in_time;
        let figure = format!(
            "bulk-kill: {} of {} items right exactly once, {charged} charged once each, {} kills left {orphans} orphans, picked \
             up within {:.1} s (bar {} s); {:.1} s = {times:.2} x the undisturbed {:.1} s (bar {TIMES_MAX}{}); {} violations",
            grouped(right),
            grouped(size.jobs * size.items),
            deaths.len(),
            longest.as_secs_f64(),
            PICK_UP_MAX.as_secs(),
            took.as_secs_f64(),
            undisturbed.as_secs_f64(),
            if short { ", not judged" } else { "" },
            self.complaints.count()
        );
        Ok(Verdict { figure, passed })
    }

    /// Reads a job over the API, and says how many of its items are right.
    async fn read(&mut self, client: &mut Client, job: &Submitted) -> Result<usize> {
        let account = &self.rig.accounts[job.order.account];
        let view = bulk::read_job(client, account, &job.id).await?;
        let results = bulk::read_results(client, account, &job.id).await?;
        Ok(bulk::compare(&job.order, &view, &results, &mut self.complaints))
    }
}

/// Kills workers until it is dropped, and ends only with what went wrong about that.
async fn kill_on(crew: &mut Crew, rig: &Rig, ledger: &Ledger, size: &Size) -> anyhow::Error {
    let clock = Clock::system();
    let mut next = tokio::time::interval(KILL_EVERY);
    next.tick().await;
    while size.kills_max.is_none_or(|most| crew.deaths().len() < most) {
        next.tick().await;
        let busy = match size.kills_max {
            Some(_) if crew.deaths().is_empty() => claims::working(ledger).await,
            _ => Ok(None),
        };
        let replaced = busy.and_then(|busy| crew.replace_one(rig, busy.as_deref(), &clock));
        if let Err(error) = replaced {
            return error;
        }
    }
    std::future::pending().await
}
