//! The load: callers that look people up one by one, and callers that submit bulk jobs and wait for them.

use super::balancer::{Answer, Balancer, Caller, Request};
use crate::billed::targets::Targets;
use crate::bulk::{JobView, Order};
use crate::http_client::Post;
use crate::rig::{Account, Rig};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const ENRICHERS: usize = 48;
pub const SUBMITTERS: usize = 4;
const JOB_ITEMS: usize = 100;
/// Between two calls of one caller, so that connections rest now and then, as they do in life.
const THINK_MS: std::ops::Range<u64> = 0..40;
const POLL: Duration = Duration::from_millis(100);
const AFTER_FAILURE: Duration = Duration::from_millis(50);

pub struct Callers {
    running: JoinSet<()>,
    stop: Arc<AtomicBool>,
    submitted: Arc<AtomicUsize>,
}

impl Callers {
    pub fn start(rig: &Rig, targets: &Arc<Targets>, balancer: &Arc<Balancer>) -> Result<Self> {
        let (stop, submitted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut running = JoinSet::new();
        for _ in 0..ENRICHERS {
            let (targets, stop) = (Arc::clone(targets), Arc::clone(&stop));
            let balancer = Arc::clone(balancer);
            running.spawn(async move { enrich_on(&balancer, &targets, &stop).await });
        }
        for (number, account) in rig.accounts.iter().cloned().enumerate() {
            let first = u64::try_from(number * JOB_ITEMS)?;
            let people: Vec<u64> = (first..first + u64::try_from(JOB_ITEMS)?).collect();
            let order = Order::known(rig, number, &people).context("a small world")?;
            let submitter = Submitter {
                caller: Caller::new(balancer),
                balancer: Arc::clone(balancer),
                account,
                body: order.body(),
            };
            running.spawn(submitter.work(Arc::clone(&stop), Arc::clone(&submitted)));
        }
        Ok(Self { running, stop, submitted })
    }

    /// Lets all of them finish what they are at, and says how many jobs were taken in.
    pub async fn finish(mut self) -> Result<usize> {
        self.stop.store(true, Ordering::SeqCst);
        while let Some(ended) = self.running.join_next().await {
            ended?;
        }
        Ok(self.submitted.load(Ordering::SeqCst))
    }
}

async fn enrich_on(balancer: &Arc<Balancer>, targets: &Targets, stop: &AtomicBool) {
    let mut caller = Caller::new(balancer);
    while !stop.load(Ordering::SeqCst) {
        let target = targets.draw();
        let body = format!("{{\"email\":\"{}\"}}", target.email);
        let post = Post {
            path: "/v1/enrich",
            api_key: &targets.payers[target.payer].secret,
            idempotency_key: None,
            body: body.as_bytes(),
        };
        let answer = caller.send(Request::Post(post)).await;
        if let Some(Answer { status, body }) = answer
            && (status != 200 || !body.starts_with(br#"{"found":true"#))
        {
            balancer.complain(format!("a call was answered {status}: {}", String::from_utf8_lossy(&body)));
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(THINK_MS))).await;
    }
}

struct Submitter {
    caller: Caller,
    balancer: Arc<Balancer>,
    account: Account,
    body: String,
}

impl Submitter {
    async fn work(mut self, stop: Arc<AtomicBool>, submitted: Arc<AtomicUsize>) {
        while !stop.load(Ordering::SeqCst) {
            match self.submit().await {
                Some(id) => {
                    submitted.fetch_add(1, Ordering::SeqCst);
                    self.wait_over(&id).await;
                }
                None => tokio::time::sleep(AFTER_FAILURE).await,
            }
        }
    }

    async fn submit(&mut self) -> Option<String> {
        #[derive(Deserialize)]
        struct Submitted {
            id: String,
        }
        let post = Post {
            path: "/v1/bulk/enrich",
            api_key: &self.account.api_key,
            idempotency_key: None,
            body: self.body.as_bytes(),
        };
        let answer = self.caller.send(Request::Post(post)).await?;
        match serde_json::from_slice::<Submitted>(&answer.body) {
            Ok(job) if answer.status == 202 => Some(job.id),
            _ => {
                let body = String::from_utf8_lossy(&answer.body).into_owned();
                self.balancer.complain(format!("a job was answered {}: {body}", answer.status));
                None
            }
        }
    }

    /// Polls until the job is over. A poll that fails is counted as any request, and asked for again.
    async fn wait_over(&mut self, id: &str) {
        let path = format!("/v1/bulk/{id}?limit=1");
        loop {
            tokio::time::sleep(POLL).await;
            let request = Request::Get { path: &path, api_key: &self.account.api_key };
            let Some(answer) = self.caller.send(request).await else { continue };
            match serde_json::from_slice::<JobView>(&answer.body) {
                Ok(job) if job.is_over() => return,
                Ok(_) => {}
                Err(_) => {
                    let body = String::from_utf8_lossy(&answer.body).into_owned();
                    self.balancer.complain(format!("a poll was answered {}: {body}", answer.status));
                    return;
                }
            }
        }
    }
}
