//! What the bars share that verify addresses over HTTP: mail servers, nodes that ask them, and callers who come back when they
//! are told to.

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Rig, RigOptions, Server};
use anyhow::{Context, Result, bail};
use assay_testkit::mail::{MailRig, MailRigOptions};
use assay_testkit::{PostgresOptions, Stopwatch};
use chrono::{DateTime, Utc};
use futures_util::future::try_join_all;
use serde::Deserialize;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Nobody is looked up: the world is as small as it can be.
const PEOPLE: u64 = 50;
/// Callers share them: with one, they would wait for its balance.
const ACCOUNTS: usize = 20;
const CREDITS: &str = "1000000";
const PATH: &str = "/v1/verify-email";
/// How often a caller without work looks for some.
const LOOK: Duration = Duration::from_millis(50);

/// An installation and its mail servers.
pub struct Scene {
    rig: Rig,
    pub mail: MailRig,
    pace: String,
}

impl Scene {
    /// `records` are for the zone of the mail servers, none of which is there yet; `pace` is a setting of nodes.
    pub async fn start(records: Vec<String>, pace: &str) -> Result<Self> {
        super::install_servers()?;
        let mail =
            MailRig::start(&MailRigOptions { servers: Vec::new(), records, ..MailRigOptions::default() })?;
        let options = RigOptions {
            failpoints: false,
            accounts: ACCOUNTS,
            people: PEOPLE,
            postgres: PostgresOptions::default(),
            one_database: false,
        };
        let rig = Rig::start(options)?;
        for account in &rig.accounts {
            rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
        }
        let ledger = rig.ledger().await?;
        // What is measured is how fast mail servers are asked, not how fast one account may ask.
        sqlx::query("update plan set requests_per_minute = 1000000").execute(ledger.pool()).await?;
        Ok(Self { rig, mail, pace: pace.to_owned() })
    }

    pub fn serve(&self) -> Result<Server> {
        let (names, port) = (self.mail.dns().to_string(), self.mail.smtp_port().to_string());
        self.rig.serve(&[
            ("ASSAY_MAIL_HELO", "verifier.test"),
            ("ASSAY_MAIL_SENDER", "probe@verifier.test"),
            ("ASSAY_MAIL_NAMESERVERS", &names),
            ("ASSAY_MAIL_PORT", &port),
            ("ASSAY_MAIL_ALLOW_RANGES", "127.0.0.0/8"),
            ("ASSAY_MAIL_PACE", &self.pace),
        ])
    }

    pub fn accounts(&self) -> &[Account] {
        &self.rig.accounts
    }
}

/// Whether callers come back when they are told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    Once,
    UntilSettled,
}

/// How addresses are asked for.
pub struct Asking<'a> {
    pub nodes: &'a [Server],
    pub accounts: &'a [Account],
    /// Calls at a time, at each node.
    pub at_once: usize,
    pub persistence: Persistence,
    /// When it is given up.
    pub patience: Duration,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Heard {
    /// The last word on each address, in the order they were given: status and reason.
    pub verdicts: Vec<(String, String)>,
    pub calls: usize,
    /// Calls that were turned away for too much work.
    pub refused: usize,
    /// Until the last verdict was there.
    pub took: Duration,
}

impl Heard {
    /// How many there are of each reason.
    pub fn reasons(&self) -> BTreeMap<&str, usize> {
        let mut reasons = BTreeMap::new();
        for (_, reason) in &self.verdicts {
            *reasons.entry(reason.as_str()).or_default() += 1;
        }
        reasons
    }
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    reason: String,
    retry_at: Option<DateTime<Utc>>,
}

/// What is still to be asked.
struct Todo {
    fresh: VecDeque<usize>,
    later: BinaryHeap<Reverse<(DateTime<Utc>, usize)>>,
    unsettled: usize,
    heard: Heard,
    watch: Stopwatch,
}

enum Next {
    Ask(usize),
    Wait,
    Over,
}

impl Todo {
    fn next(&mut self) -> Next {
        if self.unsettled == 0 {
            return Next::Over;
        }
        if let Some(Reverse((due, address))) = self.later.peek().copied()
            && due <= Utc::now()
        {
            self.later.pop();
            return Next::Ask(address);
        }
        self.fresh.pop_front().map_or(Next::Wait, Next::Ask)
    }

    fn note(&mut self, address: usize, answer: Answer, persistence: Persistence) {
        self.heard.calls += 1;
        match answer.retry_at.filter(|_| persistence == Persistence::UntilSettled) {
            Some(retry_at) => self.later.push(Reverse((retry_at, address))),
            None => {
                self.unsettled -= 1;
                self.heard.took = self.watch.elapsed();
            }
        }
        self.heard.verdicts[address] = (answer.status, answer.reason);
    }
}

impl Asking<'_> {
    /// Asks for all addresses.
    pub async fn ask(&self, addresses: &[String]) -> Result<Heard> {
        let verdicts = vec![(String::new(), String::new()); addresses.len()];
        let todo = Mutex::new(Todo {
            fresh: (0..addresses.len()).collect(),
            later: BinaryHeap::new(),
            unsettled: addresses.len(),
            heard: Heard { verdicts, ..Heard::default() },
            watch: Stopwatch::start(),
        });
        let places = self.nodes.iter().flat_map(|node| std::iter::repeat_n(node.address, self.at_once));
        let accounts = self.accounts.iter().cycle();
        let callers = places
            .zip(accounts)
            .map(|(node, account)| Box::pin(self.call(Client::new(node), account, addresses, &todo)));
        let callers = try_join_all(callers);
        let Ok(done) = tokio::time::timeout(self.patience, callers).await else {
            let todo = lock(&todo);
            bail!("{} of {} have no verdict: {:?}", todo.unsettled, addresses.len(), todo.heard.reasons());
        };
        done?;
        Ok(todo.into_inner().unwrap_or_else(PoisonError::into_inner).heard)
    }

    async fn call(
        &self,
        mut client: Client,
        account: &Account,
        addresses: &[String],
        todo: &Mutex<Todo>,
    ) -> Result<()> {
        loop {
            let next = lock(todo).next();
            let address = match next {
                Next::Ask(address) => address,
                Next::Wait => {
                    tokio::time::sleep(LOOK).await;
                    continue;
                }
                Next::Over => return Ok(()),
            };
            let body = json!({ "email": addresses.get(address).context("no such address")? }).to_string();
            let answer = loop {
                match Self::post(&mut client, account, &body).await? {
                    Posted::Answer(answer) => break answer,
                    Posted::Later(wait) => {
                        lock(todo).heard.refused += 1;
                        tokio::time::sleep(wait).await;
                    }
                }
            };
            lock(todo).note(address, answer, self.persistence);
        }
    }

    async fn post(client: &mut Client, account: &Account, body: &str) -> Result<Posted> {
        let post =
            Post { path: PATH, api_key: &account.api_key, idempotency_key: None, body: body.as_bytes() };
        match client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => {
                Ok(Posted::Answer(serde_json::from_slice(reply.body)?))
            }
            Exchange::Whole(reply) if reply.status == 503 => {
                let seconds = reply.header("retry-after").context("no Retry-After")?.parse()?;
                Ok(Posted::Later(Duration::from_secs(seconds)))
            }
            Exchange::Whole(reply) => {
                bail!("{PATH} {body}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{PATH}: no whole answer"),
        }
    }
}

enum Posted {
    Answer(Answer),
    /// The node has too much to do, and callers do as it says.
    Later(Duration),
}

fn lock(todo: &Mutex<Todo>) -> MutexGuard<'_, Todo> {
    todo.lock().unwrap_or_else(PoisonError::into_inner)
}
