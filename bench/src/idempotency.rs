//! The bar `idempotency`: one key, one execution, one charge, whatever clients, nodes and kills do.

use crate::bar::{Complaints, Verdict, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Account, Known, Rig, RigOptions, Server};
use anyhow::{Context, bail};
use assay_domain::AccountId;
use assay_domain::limits::CLAIM_LEASE;
use assay_store::Ledger;
use assay_testkit::{Deadline, PostgresOptions, Stopwatch};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const PARALLEL: usize = 200;
const KEYS: usize = 20;
const KEYS_SHORT: usize = 3;
/// Further accounts, one for each of the other parts, so that each can count its own charges.
const PARTS: usize = 4;
const PEOPLE: u64 = 2_000;
const RETRY_PAUSE: Duration = Duration::from_millis(100);
const REPLY_WAIT: Duration = Duration::from_secs(60);
const CHANGED_TRIES: usize = 100;
const RUNNING_POSTS: usize = 50;
const SLOW: Duration = Duration::from_secs(30);
/// Longer than the lease of a claim, so that the heartbeat is what is tested.
const SLOW_SHORT: Duration = Duration::from_secs(15);

/// What one post came to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    status: u16,
    replayed: bool,
    charged: String,
    body: Vec<u8>,
}

/// A paid call under a key, ready to be sent from anywhere.
#[derive(Debug, Clone)]
struct Paid {
    account: Account,
    key: String,
    body: String,
}

struct Scene {
    rig: Rig,
    ledger: Ledger,
    complaints: Complaints,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let keys = if short { KEYS_SHORT } else { KEYS };
    let postgres = PostgresOptions::default();
    let options = RigOptions {
        failpoints: true,
        accounts: keys + PARTS,
        people: PEOPLE,
        postgres,
        one_database: false,
    };
    let rig = Rig::start(options)?;
    let ledger = rig.ledger().await?;
    let mut scene = Scene { rig, ledger, complaints: Complaints::default() };
    scene.parallel(keys).await.context("in the parallel posts")?;
    let changed = scene.changed(keys).await.context("in the changed bodies")?;
    scene.restarted(keys + 1).await.context("in the restart")?;
    let takeover = scene.killed(keys + 2).await.context("in the kill of a running call")?;
    let slow = if short { SLOW_SHORT } else { SLOW };
    scene.slow(keys + 3, slow).await.context("in the slow call")?;
    for violation in scene.rig.audit().await? {
        scene.complaints.add(violation);
    }
    let figure = format!(
        "idempotency: {keys} keys x {PARALLEL} parallel posts on 2 nodes, 1 execution and 1 charge each; {changed} changed \
         bodies refused; reply kept over kill -9; killed call taken over after {:.1} s; {} s call ran once; {} violations",
        takeover.as_secs_f64(),
        slow.as_secs(),
        scene.complaints.count()
    );
    Ok(Verdict { figure, passed: scene.complaints.is_empty() })
}

impl Scene {
    fn paid(&self, number: usize) -> anyhow::Result<Paid> {
        let account = self.rig.accounts.get(number).context("too few accounts")?.clone();
        let known = self.known(number)?;
        Ok(Paid { account, key: format!("bar-{number}"), body: body(&known) })
    }

    fn known(&self, number: usize) -> anyhow::Result<Known> {
        self.rig.known(u64::try_from(number)?).context("the world is too small")
    }

    /// 200 posts at once over two nodes, then each again until it has the reply.
    async fn parallel(&mut self, keys: usize) -> anyhow::Result<()> {
        let nodes = [self.rig.serve(&[])?, self.rig.serve(&[])?];
        for number in 0..keys {
            let paid = self.paid(number)?;
            let barrier = Arc::new(Barrier::new(PARALLEL));
            let mut posts = JoinSet::new();
            for node in nodes.iter().cycle().take(PARALLEL) {
                let (mut client, paid, barrier) = (node.client(), paid.clone(), Arc::clone(&barrier));
                posts.spawn(async move {
                    barrier.wait().await;
                    until_answered(&mut client, &paid).await
                });
            }
            let mut told = Vec::with_capacity(PARALLEL);
            while let Some(ended) = posts.join_next().await {
                told.push(ended??);
            }
            self.check_told(&paid, &told);
            self.check_one_charge(&paid).await?;
            progress(format!("key {}: {PARALLEL} replies", number + 1));
        }
        nodes.into_iter().try_for_each(Server::stop)
    }

    fn check_told(&mut self, paid: &Paid, told: &[Told]) {
        let first = told.iter().filter(|told| !told.replayed).count();
        if first != 1 {
            self.complaints.add(format!("{} was run {first} times", paid.key));
        }
        let Some(wanted) = told.iter().find(|told| !told.replayed) else { return };
        for told in told {
            let charged = if told.replayed { "0" } else { "1" };
            if told.status != 200 || told.body != wanted.body || told.charged != charged {
                self.complaints.add(format!("{}: {told:?} is not {wanted:?}", paid.key));
            }
        }
    }

    /// One call in history that succeeded, and one posting that charges one credit for it.
    async fn check_one_charge(&mut self, paid: &Paid) -> anyhow::Result<()> {
        let (answered, charges, charged) = self.charges(paid.account.id).await?;
        if (answered, charges, charged) != (1, 1, 1_000) {
            let text = format!("{answered} calls answered, {charges} charges of {charged} thousandths");
            self.complaints.add(format!("{}: {text}", paid.key));
        }
        Ok(())
    }

    async fn charges(&self, account: AccountId) -> anyhow::Result<(i64, i64, i64)> {
        let counted = sqlx::query_as(
            "select (select count(*) from history where account_id = $1 and status = 200),
                    count(*), coalesce(sum(amount), 0)::bigint
             from posting where account_id = $1 and kind in (2, 4)",
        )
        .bind(account.uuid())
        .fetch_one(self.ledger.pool())
        .await?;
        Ok(counted)
    }

    /// Another body under the same key is refused, while the first runs and after it.
    async fn changed(&mut self, number: usize) -> anyhow::Result<usize> {
        let paid = self.paid(number)?;
        let node = self.rig.serve(&[("FAILPOINTS", "call-running=1*return(wait:4000)")])?;
        let mut first = Underway::start(node.client(), &paid);
        self.wait_running(&paid).await?;
        let mut refused = self.refuse_changed(&node, &paid, number + 1).await?;
        if first.is_over() {
            bail!("the first call ended before the changed bodies were sent");
        }
        let told = first.told().await?.context("no reply to the first call")?;
        self.check_told(&paid, &[told]);
        refused += self.refuse_changed(&node, &paid, number + 1).await?;
        self.check_one_charge(&paid).await?;
        node.stop()?;
        Ok(refused)
    }

    async fn refuse_changed(&mut self, node: &Server, paid: &Paid, from: usize) -> anyhow::Result<usize> {
        let mut refused = 0;
        for attempt in 0..CHANGED_TRIES / 2 {
            let other = Paid { body: body(&self.known(from + attempt)?), ..paid.clone() };
            let told = post(&mut node.client(), &other).await.context("no reply to a changed body")?;
            refused += usize::from(told.status == 422);
            if told.status != 422 {
                self.complaints.add(format!("a changed body was answered {told:?}"));
            }
        }
        Ok(refused)
    }

    /// What was answered before kill -9 is answered after it.
    async fn restarted(&mut self, number: usize) -> anyhow::Result<()> {
        let paid = self.paid(number)?;
        let node = self.rig.serve(&[])?;
        let before = until_answered(&mut node.client(), &paid).await?;
        node.kill_dash_nine()?;
        let node = self.rig.serve(&[])?;
        let after = post(&mut node.client(), &paid).await.context("no reply after the restart")?;
        self.check_told(&paid, &[before, after]);
        self.check_one_charge(&paid).await?;
        node.stop()
    }

    /// A call that died with its server runs again once its lease is over, and is paid once. Says how long it took.
    async fn killed(&mut self, number: usize) -> anyhow::Result<Duration> {
        let paid = self.paid(number)?;
        let node = self.rig.serve(&[("FAILPOINTS", "call-running=1*return(wait:60000)")])?;
        let first = Underway::start(node.client(), &paid);
        self.wait_running(&paid).await?;
        let watch = Stopwatch::start();
        node.kill_dash_nine()?;
        if first.told().await?.is_some() {
            bail!("a killed call was answered");
        }
        let node = self.rig.serve(&[])?;
        let told = until_answered(&mut node.client(), &paid).await?;
        let took = watch.elapsed();
        if took > CLAIM_LEASE + Duration::from_secs(5) {
            self.complaints.add(format!("a killed call was taken over only after {took:?}"));
        }
        self.check_told(&paid, &[told]);
        self.check_one_charge(&paid).await?;
        progress(format!("a killed call was taken over after {took:?}"));
        node.stop()?;
        Ok(took)
    }

    /// A call that takes longer than its lease still runs once: nobody else gets the key meanwhile.
    async fn slow(&mut self, number: usize, slow: Duration) -> anyhow::Result<()> {
        let paid = self.paid(number)?;
        let orders = format!("call-running=1*return(wait:{})", slow.as_millis());
        let nodes = [self.rig.serve(&[("FAILPOINTS", &orders)])?, self.rig.serve(&[])?];
        let [slow_node, other_node] = &nodes;
        let mut first = Underway::start(slow_node.client(), &paid);
        self.wait_running(&paid).await?;
        let watch = Stopwatch::start();
        let pause = slow.mul_f64(0.85) / u32::try_from(RUNNING_POSTS)?;
        for node in [slow_node, other_node].into_iter().cycle().take(RUNNING_POSTS) {
            let told = post(&mut node.client(), &paid).await.context("no reply while a call runs")?;
            if told.status != 409 {
                self.complaints.add(format!("while a call ran, another was answered {told:?}"));
            }
            tokio::time::sleep(pause).await;
        }
        if first.is_over() {
            bail!("the slow call took only {:?}", watch.elapsed());
        }
        let told = first.told().await?.context("no reply to the slow call")?;
        let replay = post(&mut other_node.client(), &paid).await.context("no replay of a slow call")?;
        self.check_told(&paid, &[told, replay]);
        self.check_one_charge(&paid).await?;
        nodes.into_iter().try_for_each(Server::stop)
    }

    /// Waits until the first post with the key has claimed it.
    async fn wait_running(&self, paid: &Paid) -> anyhow::Result<()> {
        let deadline = Deadline::after(REPLY_WAIT);
        loop {
            let running: i64 =
                sqlx::query_scalar("select count(*) from reply where account_id = $1 and state = 'running'")
                    .bind(paid.account.id.uuid())
                    .fetch_one(self.ledger.pool())
                    .await?;
            if running > 0 {
                return Ok(());
            }
            if deadline.passed() {
                bail!("{} never started to run", paid.key);
            }
            tokio::time::sleep(RETRY_PAUSE / 10).await;
        }
    }
}

fn body(known: &Known) -> String {
    format!("{{\"email\":\"{}\"}}", known.email)
}

/// Sends from the side. The call goes on while the value is waited for, and ends when it is dropped.
struct Underway(JoinSet<Option<Told>>);

impl Underway {
    fn start(mut client: Client, paid: &Paid) -> Self {
        let paid = paid.clone();
        let mut one = JoinSet::new();
        one.spawn(async move { post(&mut client, &paid).await });
        Self(one)
    }

    /// Whether it has ended, which it may not yet have at this point.
    fn is_over(&mut self) -> bool {
        self.0.try_join_next().is_some()
    }

    async fn told(mut self) -> anyhow::Result<Option<Told>> {
        Ok(self.0.join_next().await.context("the call was waited for before")??)
    }
}

async fn post(client: &mut Client, paid: &Paid) -> Option<Told> {
    let post = Post {
        path: "/v1/enrich",
        api_key: &paid.account.api_key,
        idempotency_key: Some(&paid.key),
        body: paid.body.as_bytes(),
    };
    match client.post(&post).await {
        Exchange::Whole(reply) => Some(Told {
            status: reply.status,
            replayed: reply.is_replayed(),
            charged: reply.header("x-credits-charged").unwrap_or_default().to_owned(),
            body: reply.body.to_vec(),
        }),
        Exchange::Half | Exchange::Nothing => None,
    }
}

/// Sends until the reply is there; on the way only "still running" may be said.
async fn until_answered(client: &mut Client, paid: &Paid) -> anyhow::Result<Told> {
    let deadline = Deadline::after(REPLY_WAIT);
    while !deadline.passed() {
        match post(client, paid).await {
            Some(told) if told.status == 409 => tokio::time::sleep(RETRY_PAUSE).await,
            Some(told) => return Ok(told),
            None => bail!("{}: no whole reply", paid.key),
        }
    }
    bail!("{}: no reply within {REPLY_WAIT:?}", paid.key)
}
