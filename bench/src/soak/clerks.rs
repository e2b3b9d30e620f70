//! Bulk jobs, submitted and read to their end, and the messages about them that have to arrive.

use super::books::BULK;
use super::stage::{BULK_BUYERS, Stage, id_of};
use crate::bar::Complaints;
use crate::bulk::{JobView, Order, ResultView, compare};
use crate::rig::Rig;
use crate::webhook_flaky::receiver::Receiver;
use anyhow::{Context, Result, ensure};
use assay_store::Ledger;
use assay_testkit::Deadline;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

const ITEMS: usize = 60;
const ORDERS: usize = 12;
const POLL: Duration = Duration::from_millis(400);
const BETWEEN: Duration = Duration::from_secs(2);
/// Leases run out, nodes come back: a job that takes longer than this does not end.
const JOB_MAX: Duration = Duration::from_secs(180);
const ARRIVED_MAX: Duration = Duration::from_secs(60);

/// Whoever buys in bulk.
pub struct Clerk {
    stage: Arc<Stage>,
    payer: usize,
    orders: Vec<Order>,
    webhook: String,
}

/// What a clerk can tell at the end.
#[derive(Debug, Default)]
pub struct Report {
    /// Jobs that were taken in, and how many items of each are paid for.
    pub jobs: Vec<(String, usize)>,
    pub payer: usize,
    pub right: usize,
    pub wrong: Complaints,
    /// Test messages that were promised to be sent.
    pub messages: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Page {
    results: Vec<ResultView>,
    next_cursor: Option<String>,
}

impl Clerk {
    pub async fn hire(stage: &Arc<Stage>, rig: &Rig, payer: usize, receiver: SocketAddr) -> Result<Self> {
        let order = |number: usize| {
            let first = (payer * ORDERS + number) * ITEMS;
            Order::mixed(rig, payer, first % (ITEMS * ORDERS), ITEMS).context("the world is too small")
        };
        let wish = json!({ "url": format!("http://{receiver}/{payer}") });
        let made = stage.call(payer, "/v1/webhooks", "/v1/webhooks", &wish).await;
        Ok(Self {
            stage: Arc::clone(stage),
            payer,
            orders: (0..ORDERS).map(order).collect::<Result<_>>()?,
            webhook: id_of(made.as_ref())?,
        })
    }

    pub fn all() -> [usize; 2] {
        BULK_BUYERS
    }

    /// Job after job, and a test message between them.
    pub async fn work(self) -> Result<Report> {
        let mut report = Report { payer: self.payer, ..Report::default() };
        for order in self.orders.iter().cycle() {
            if self.stage.is_stopped() {
                break;
            }
            self.job(order, &mut report).await?;
            self.test(&mut report).await?;
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(report)
    }

    async fn job(&self, order: &Order, report: &mut Report) -> Result<()> {
        let mut body: Value = serde_json::from_str(&order.body())?;
        body["webhook"] = json!({ "id": self.webhook });
        let submitted = self.stage.call(self.payer, "/v1/bulk/enrich", "/v1/bulk/enrich", &body).await;
        let id = id_of(submitted.as_ref()).context("a bulk job")?;
        report.jobs.push((id.clone(), order.paid()));
        let deadline = Deadline::after(JOB_MAX);
        let job = loop {
            tokio::time::sleep(POLL).await;
            let job: Option<JobView> = self.read(&format!("/v1/bulk/{id}?limit=1")).await?;
            match job {
                Some(job) if job.is_over() => break job,
                Some(job) if deadline.passed() => {
                    report.wrong.add(format!("{id} is {} after {} s", job.status, JOB_MAX.as_secs()));
                    return Ok(());
                }
                _ => {}
            }
            ensure!(!deadline.passed(), "{id} cannot be read");
        };
        let mut results = Vec::new();
        let mut path = format!("/v1/bulk/{id}?limit=50");
        loop {
            let page: Page = self.read(&path).await?.context("results of a job that cannot be read")?;
            results.extend(page.results);
            let Some(cursor) = page.next_cursor else { break };
            path = format!("/v1/bulk/{id}?limit=50&cursor={cursor}");
        }
        report.right += compare(order, &job, &results, &mut report.wrong);
        Ok(())
    }

    async fn read<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<Option<T>> {
        let Some(answer) = self.stage.read(self.payer, "/v1/bulk/{id}", path).await else { return Ok(None) };
        Ok(Some(serde_json::from_slice(&answer.body).context("a job of another form")?))
    }

    async fn test(&self, report: &mut Report) -> Result<()> {
        let path = format!("/v1/webhooks/{}/test", self.webhook);
        let sent = self.stage.call(self.payer, "/v1/webhooks/{id}/test", &path, &json!({})).await;
        report.messages.push(id_of(sent.as_ref()).context("a test message")?);
        Ok(())
    }
}

/// Every job is there once, is over, and was charged for as its items say.
pub async fn check_jobs(
    ledger: &Ledger,
    stage: &Stage,
    report: &Report,
    complaints: &mut Complaints,
) -> Result<()> {
    let payer = stage.payers.get(report.payer).context("no such account")?;
    let booked: (i64, i64, i64, i64) = sqlx::query_as(
        "select (select count(*) from bulk_job where account_id = $1),
                (select count(*) from bulk_job where account_id = $1 and finished_at is not null and pending = 0),
                (select coalesce(sum(charged), 0)::bigint from bulk_job where account_id = $1),
                (select coalesce(sum(credits), 0)::bigint from history where account_id = $1 and endpoint = $2)",
    )
    .bind(payer.id.uuid())
    .bind(BULK)
    .fetch_one(ledger.pool())
    .await?;
    let jobs = i64::try_from(report.jobs.len())?;
    let paid: usize = report.jobs.iter().map(|(_, paid)| paid).sum();
    let charged = i64::try_from(paid)? * assay_service::BULK_PRICE.thousandths();
    let right = (jobs, jobs, charged, charged);
    if booked != right {
        complaints.add(format!(
            "account {}: {booked:?} jobs made, jobs over, charged by jobs, charged by history; {right:?} would be right",
            report.payer
        ));
    }
    Ok(())
}

/// Waits for every message that is due; how many came. One job is told of under one id, however often it comes.
pub async fn check_messages(
    receiver: &Receiver,
    reports: &[Report],
    complaints: &mut Complaints,
) -> Result<usize> {
    let jobs: Vec<&String> = reports.iter().flat_map(|report| &report.jobs).map(|(id, _)| id).collect();
    let tests: Vec<&String> = reports.iter().flat_map(|report| &report.messages).collect();
    let deadline = Deadline::after(ARRIVED_MAX);
    loop {
        let (ids, told) = sort(receiver);
        let missing = jobs.iter().filter(|job| !told.contains_key(**job)).count()
            + tests.iter().filter(|id| !ids.contains(**id)).count();
        if missing > 0 && !deadline.passed() {
            tokio::time::sleep(POLL).await;
            continue;
        }
        if missing > 0 {
            complaints.add(format!("{missing} messages never arrived"));
        }
        for (job, messages) in told.iter().filter(|(_, messages)| messages.len() > 1) {
            complaints.add(format!("{job} was told of by {} messages", messages.len()));
        }
        return Ok(ids.len());
    }
}

/// The ids of all messages, and those about each job.
fn sort(receiver: &Receiver) -> (HashSet<String>, HashMap<String, HashSet<String>>) {
    let (mut ids, mut told): (HashSet<String>, HashMap<String, HashSet<String>>) = Default::default();
    for arrival in receiver.arrivals() {
        let message: Value = serde_json::from_slice(&arrival.body).unwrap_or_default();
        if let Some(job) = message["data"]["id"].as_str()
            && message["type"].as_str().is_some_and(|kind| kind.starts_with("bulk."))
        {
            told.entry(job.to_owned()).or_default().insert(arrival.id.clone());
        }
        ids.insert(arrival.id);
    }
    (ids, told)
}
