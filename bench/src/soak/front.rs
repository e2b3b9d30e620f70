//! The way to the nodes: connections that are kept, the other node where one refuses them, and a client who asks again what it got
//! no answer to, under the same key.

use super::judge::Judge;
use super::weather::Mishap;
use crate::http_client::{Client, Cost, Exchange, Post, Reply};
use crate::rolling::balancer::Balancer;
use assay_domain::RequestId;
use assay_testkit::Stopwatch;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A connection that rests longer is not used again: the node may be about to close it.
const IDLE_MAX: Duration = Duration::from_secs(5);
/// What the nodes give a call. Longer than a vendor that hangs is waited for.
pub const DEADLINE: Duration = Duration::from_secs(25);
/// The longest stop of a node, the deadline behind it, and what a busy machine takes: an answer that takes longer hangs.
const ANSWER_MAX: Duration = Duration::from_secs(55);
/// So long somebody asks again and again.
const PATIENCE: Duration = Duration::from_secs(120);
const AGAIN_LEAST: Duration = Duration::from_millis(100);
const AGAIN_MAX: Duration = Duration::from_secs(4);

/// A request. Without a body it is a GET.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The path as the API document has it.
    pub template: &'a str,
    pub path: &'a str,
    pub api_key: &'a str,
    pub idempotency_key: Option<&'a str>,
    pub body: Option<&'a str>,
    /// Whether credits and rates of who asks are few.
    pub may_be_used_up: bool,
}

impl<'a> Ask<'a> {
    pub fn get(template: &'a str, path: &'a str, api_key: &'a str) -> Self {
        Self { template, path, api_key, idempotency_key: None, body: None, may_be_used_up: false }
    }

    pub fn name(&self) -> String {
        format!("{} {}", if self.body.is_some() { "POST" } else { "GET" }, self.template)
    }
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub node: usize,
    pub status: u16,
    pub request: Option<RequestId>,
    pub replayed: bool,
    /// In seconds.
    pub retry_after: Option<u64>,
    pub cost: Option<Cost>,
    /// Of a refusal.
    pub code: String,
    pub body: Vec<u8>,
    pub sent: Duration,
    pub ended: Duration,
}

impl Answer {
    fn of(reply: &Reply<'_>, node: usize, (sent, ended): (Duration, Duration)) -> Self {
        let problem: Option<Value> =
            if reply.status >= 400 { serde_json::from_slice(reply.body).ok() } else { None };
        let code = problem.as_ref().and_then(|problem| problem["code"].as_str()).unwrap_or_default();
        Self {
            node,
            status: reply.status,
            request: reply.request(),
            replayed: reply.is_replayed(),
            retry_after: reply.header("retry-after").and_then(|seconds| seconds.parse().ok()),
            cost: reply.cost(),
            code: code.to_owned(),
            body: reply.body.to_vec(),
            sent,
            ended,
        }
    }

    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What became of one sending.
#[derive(Debug)]
pub enum Came {
    Whole(Answer),
    /// It was sent to this node, and no whole answer came until then.
    Lost {
        node: usize,
        ended: Duration,
    },
    /// Nobody listened anywhere.
    Nowhere,
}

pub struct Front {
    balancer: Arc<Balancer>,
    addresses: Vec<SocketAddr>,
    /// By node: connections, and since when nobody uses them.
    idle: Vec<Mutex<Vec<(Client, Duration)>>>,
    pub judge: Judge,
    pub watch: Stopwatch,
}

impl Front {
    pub fn new(balancer: &Arc<Balancer>, addresses: Vec<SocketAddr>) -> Self {
        let idle = addresses.iter().map(|_| Mutex::default()).collect();
        let watch = Stopwatch::start();
        Self { balancer: Arc::clone(balancer), addresses, idle, judge: Judge::new(), watch }
    }

    /// Sends a request once, to one node.
    pub async fn send(&self, ask: &Ask<'_>) -> Came {
        self.judge.tally().requests += 1;
        let Some((node, mut client)) = self.connected().await else {
            self.judge.complain(format!("{}: no node took a connection", ask.name()));
            return Came::Nowhere;
        };
        let sent = self.watch.elapsed();
        let Ask { path, api_key, idempotency_key, .. } = *ask;
        let exchanged = match ask.body {
            None => tokio::time::timeout(ANSWER_MAX, client.get(path, api_key)).await,
            Some(body) => {
                let post = Post { path, api_key, idempotency_key, body: body.as_bytes() };
                tokio::time::timeout(ANSWER_MAX, client.post(&post)).await
            }
        };
        let Ok(exchange) = exchanged else {
            self.judge.complain(format!("{}: node {} did not answer in time", ask.name(), node + 1));
            return Came::Lost { node, ended: self.watch.elapsed() };
        };
        let ended = self.watch.elapsed();
        let Exchange::Whole(reply) = exchange else {
            let half = matches!(exchange, Exchange::Half);
            let what = format!("{} got {} answer", ask.name(), if half { "half an" } else { "no" });
            self.judge.tally().lost += 1;
            self.judge.mishap(Mishap { node, sent, ended, status: None, what });
            return Came::Lost { node, ended };
        };
        let answer = Answer::of(&reply, node, (sent, ended));
        self.judge.look(ask, &answer);
        self.idle(node, |idle| idle.push((client, ended)));
        Came::Whole(answer)
    }

    /// Asks until there is an answer, or one that does not change by asking again. None: there never was one.
    pub async fn insist(&self, ask: &Ask<'_>) -> Option<Answer> {
        let begun = self.watch.elapsed();
        let mut pause = AGAIN_LEAST;
        while self.watch.elapsed() < begun + PATIENCE {
            match self.send(ask).await {
                Came::Whole(answer) if answer.is_good() || answer.status == 402 => return Some(answer),
                Came::Whole(answer) if matches!(answer.status, 408 | 409 | 429 | 500..) => {
                    let told = Duration::from_secs(answer.retry_after.unwrap_or(0));
                    tokio::time::sleep(told.max(pause).min(PATIENCE)).await;
                    pause = (pause * 2).min(AGAIN_MAX);
                }
                // It was complained of.
                Came::Whole(_) => return None,
                Came::Lost { .. } | Came::Nowhere => tokio::time::sleep(AGAIN_LEAST).await,
            }
        }
        self.judge.complain(format!("{}: not answered within {} s", ask.name(), PATIENCE.as_secs()));
        None
    }

    /// A connection to a node that takes one. Nothing was sent when one is refused, so the next is asked at once.
    async fn connected(&self) -> Option<(usize, Client)> {
        for _ in 0..2 * self.addresses.len() {
            let node = self.balancer.choose();
            let now = self.watch.elapsed();
            let kept = self.idle(node, |idle| {
                idle.retain(|(_, since)| now.saturating_sub(*since) < IDLE_MAX);
                idle.pop()
            });
            if let Some((mut client, _)) = kept
                && client.is_connected()
            {
                return Some((node, client));
            }
            let mut client = Client::new(self.addresses[node]);
            if client.connect().await.is_ok() {
                return Some((node, client));
            }
            self.balancer.leave_out(node);
            self.judge.tally().elsewhere += 1;
        }
        None
    }

    fn idle<T>(&self, node: usize, with: impl FnOnce(&mut Vec<(Client, Duration)>) -> T) -> T {
        with(&mut self.idle[node].lock().unwrap_or_else(PoisonError::into_inner))
    }
}
