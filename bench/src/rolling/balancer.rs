//! A small load balancer: it knows which nodes are ready, keeps connections to them, and counts what becomes of requests.

use crate::http_client::{Client, Exchange, Post};
use assay_store::task;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// As often a node is asked whether it is ready.
const PROBE_EVERY: Duration = Duration::from_millis(250);
const PROBE_WAIT: Duration = Duration::from_secs(2);
const COMPLAINTS_MAX: usize = 100;

struct Node {
    address: SocketAddr,
    operations: SocketAddr,
    ready: AtomicBool,
}

/// What became of all requests.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub requests: usize,
    pub by_node: Vec<usize>,
    /// Sent, and the connection ended before the first byte of an answer.
    pub lost: usize,
    pub half: usize,
    pub errors: usize,
    /// No node was there to connect to.
    pub unanswered: usize,
    /// Not failures: nobody listened, so the other node was asked.
    pub refused: usize,
    /// Connections closed after a `connection: close`, and while they rested, without one.
    pub announced: usize,
    pub closed: usize,
}

impl Tally {
    pub fn failed(&self) -> usize {
        self.lost + self.half + self.errors + self.unanswered
    }

    pub fn since(mut self, before: &Self) -> Self {
        self.requests -= before.requests;
        self.lost -= before.lost;
        self.half -= before.half;
        self.errors -= before.errors;
        self.unanswered -= before.unanswered;
        self.refused -= before.refused;
        self.announced -= before.announced;
        self.closed -= before.closed;
        self
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} requests, {} lost, {} half answered, {} server errors, {} answered by nobody; {} went to the other node; \
             connections closed: {} with notice, {} without",
            self.requests,
            self.lost,
            self.half,
            self.errors,
            self.unanswered,
            self.refused,
            self.announced,
            self.closed
        )
    }
}

pub struct Balancer {
    nodes: Vec<Node>,
    next: AtomicUsize,
    tally: Mutex<Tally>,
    complaints: Mutex<Vec<String>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Balancer {
    /// Of nodes by the addresses of their API and their operations port.
    pub fn new(nodes: &[(SocketAddr, SocketAddr)]) -> Self {
        let node = |(address, operations): &(SocketAddr, SocketAddr)| Node {
            address: *address,
            operations: *operations,
            ready: AtomicBool::new(true),
        };
        let tally = Tally { by_node: vec![0; nodes.len()], ..Tally::default() };
        Self {
            nodes: nodes.iter().map(node).collect(),
            next: AtomicUsize::new(0),
            tally: Mutex::new(tally),
            complaints: Mutex::default(),
        }
    }

    pub fn tally(&self) -> Tally {
        lock(&self.tally).clone()
    }

    pub fn complain(&self, text: String) {
        let mut complaints = lock(&self.complaints);
        if complaints.len() < COMPLAINTS_MAX {
            complaints.push(text);
        }
    }

    pub fn complaints(&self) -> Vec<String> {
        lock(&self.complaints).clone()
    }

    /// The next node in turn that is ready, and if none is, the next one all the same.
    pub fn choose(&self) -> usize {
        let count = self.nodes.len();
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let turns = (0..count).map(|step| (first + step) % count);
        turns.clone().find(|number| self.nodes[*number].ready.load(Ordering::SeqCst)).unwrap_or(first % count)
    }

    /// Nobody listens there: it is left out until it says again that it is ready.
    pub fn leave_out(&self, number: usize) {
        self.nodes[number].ready.store(false, Ordering::SeqCst);
    }

    fn count(&self, what: impl FnOnce(&mut Tally)) {
        what(&mut lock(&self.tally));
    }
}

/// Asks the nodes whether they are ready, until it is dropped.
pub struct Watching(Vec<JoinHandle<()>>);

impl Watching {
    pub fn start(balancer: &Arc<Balancer>) -> Self {
        let probe = |number: usize| {
            let balancer = Arc::clone(balancer);
            task::spawn("probe", async move {
                loop {
                    let node = &balancer.nodes[number];
                    let mut client = Client::new(node.operations);
                    let asked = tokio::time::timeout(PROBE_WAIT, client.get("/readyz", "")).await;
                    let ready = matches!(asked, Ok(Exchange::Whole(reply)) if reply.status == 200);
                    node.ready.store(ready, Ordering::SeqCst);
                    tokio::time::sleep(PROBE_EVERY).await;
                }
            })
        };
        Self((0..balancer.nodes.len()).map(probe).collect())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// A request to be sent.
#[derive(Debug, Clone, Copy)]
pub enum Request<'a> {
    Post(Post<'a>),
    Get { path: &'a str, api_key: &'a str },
}

/// A whole answer that is no server error.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// One caller's connections through the balancer, one to each node.
pub struct Caller {
    balancer: Arc<Balancer>,
    clients: Vec<Client>,
    /// Whether the connection has answered before.
    used: Vec<bool>,
}

impl Caller {
    pub fn new(balancer: &Arc<Balancer>) -> Self {
        let clients: Vec<Client> = balancer.nodes.iter().map(|node| Client::new(node.address)).collect();
        let used = vec![false; clients.len()];
        Self { balancer: Arc::clone(balancer), clients, used }
    }

    /// Sends a request to one node, once. None: it failed, which is counted.
    pub async fn send(&mut self, request: Request<'_>) -> Option<Answer> {
        self.balancer.count(|tally| tally.requests += 1);
        let Some(number) = self.connected().await else {
            self.balancer.count(|tally| tally.unanswered += 1);
            return None;
        };
        let fresh = if self.used[number] { "used" } else { "new" };
        let client = &mut self.clients[number];
        let exchange = match request {
            Request::Post(post) => client.post(&post).await,
            Request::Get { path, api_key } => client.get(path, api_key).await,
        };
        let answer = match exchange {
            Exchange::Whole(reply) => {
                let announced = reply.header("connection").is_some_and(|it| it.eq_ignore_ascii_case("close"));
                self.balancer.count(|tally| {
                    tally.by_node[number] += 1;
                    tally.announced += usize::from(announced);
                });
                self.used[number] = !announced;
                Answer { status: reply.status, body: reply.body.to_vec() }
            }
            half_or_nothing => {
                let half = matches!(half_or_nothing, Exchange::Half);
                self.used[number] = false;
                self.balancer.count(|tally| *(if half { &mut tally.half } else { &mut tally.lost }) += 1);
                let what = if half { "half an answer" } else { "no answer" };
                self.balancer.complain(format!("{what} from node {} on a {fresh} connection", number + 1));
                return None;
            }
        };
        if answer.status >= 500 {
            self.balancer.count(|tally| tally.errors += 1);
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            self.balancer.complain(format!("node {} answered {}: {body}", number + 1, answer.status));
            return None;
        }
        Some(answer)
    }

    /// A node there is a connection to. Nothing has been sent when one is refused, so the next one is asked at once.
    async fn connected(&mut self) -> Option<usize> {
        for _ in 0..2 * self.clients.len() {
            let number = self.balancer.choose();
            let client = &mut self.clients[number];
            if client.is_connected() {
                return Some(number);
            }
            if std::mem::replace(&mut self.used[number], false) {
                // It was kept, and closed without a word while it rested.
                self.balancer.count(|tally| tally.closed += 1);
            }
            if client.connect().await.is_ok() {
                return Some(number);
            }
            self.balancer.leave_out(number);
            self.balancer.count(|tally| tally.refused += 1);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_take_turns_and_one_that_is_not_ready_is_left_out() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        let balancer = Balancer::new(&[(address, address), (address, address)]);
        assert_eq!([(); 4].map(|()| balancer.choose()), [0, 1, 0, 1]);
        balancer.nodes[0].ready.store(false, Ordering::SeqCst);
        assert_eq!([(); 4].map(|()| balancer.choose()), [1, 1, 1, 1]);
    }
}
