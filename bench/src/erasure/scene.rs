//! What there is before anybody is erased: two nodes, people in files, lists, jobs, searches, signals and messages about them.

use super::asks::{Ask, Caller};
use super::cast::{Somebody, draw, write_lines};
use crate::bar::progress;
use crate::rig::{Folder, Rig, RigOptions, Server};
use crate::upstream::stage::{NOTICED, Terms, enable, give_key, named, question_of, serve_names};
use crate::webhook_flaky::receiver::{Manner, Receiver};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::vendor::{VendorReply, VendorRequest, VendorServer};
use assay_testkit::{Deadline, PostgresOptions};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

pub const SOURCE: &str = "bar";
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(200);
/// The most a call of signals, and of bulk items, takes.
const SIGNALS_AT_ONCE: usize = 500;
const ITEMS_AT_ONCE: usize = 400;
/// Knows everything of everybody, and goes on knowing it.
const VENDOR: Terms = Terms {
    name: "bar-desk",
    lookups: &["work_email", "personal_email", "phone"],
    storable: true,
    shareable: true,
    price_micros: 10_000,
};

/// How large a run is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub people: usize,
    /// Of them, those whom only a deletion list names.
    pub listed: usize,
    pub world: u64,
    pub hashes: usize,
    /// People of the world whom the list names.
    pub listed_of_world: usize,
    /// Rows of the file that is imported meanwhile.
    pub rows: u64,
    /// For how long everything runs before anybody is erased, and after the last one was.
    pub run_up: Duration,
}

/// Who calls: for one account nobody does while people are erased.
#[derive(Debug, Clone)]
pub struct Callers {
    pub busy: Caller,
    pub keeper: Caller,
    pub quiet: Caller,
    pub operator: Caller,
}

pub struct Scene {
    pub rig: Rig,
    pub folder: Folder,
    pub nodes: Vec<Server>,
    pub receiver: Receiver,
    _vendor: VendorServer,
    pub people: Vec<Somebody>,
    pub callers: Callers,
    pub kept: Kept,
}

/// What accounts have of the people by then.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub lists: Vec<String>,
    pub icps: Vec<String>,
    pub jobs: Vec<String>,
    pub hook: String,
    /// Calls whose answers are stored, under their keys.
    pub replies: Vec<(Ask, String)>,
}

impl Scene {
    pub async fn set(size: &Size) -> Result<Self> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: 3,
            people: size.world,
            postgres: PostgresOptions::default(),
            one_database: true,
        })?;
        let ledger = rig.ledger().await?;
        // Erasing is what is looked at, not rates.
        sqlx::query("update plan set requests_per_minute = 1000000").execute(ledger.pool()).await?;
        let folder = Folder::make("erasure")?;
        let people = draw(size.people);
        let vendor = VendorServer::start(desk(&people))?;
        VENDOR.add(&rig, &vendor.url())?;
        give_key(&rig, VENDOR.name, None, "bar-key")?;
        enable(&rig, VENDOR.name, None)?;
        let receiver = Receiver::start(|_, _, _| Manner::Take).await?;
        import(&rig, &folder, &people)?;
        progress("starting two nodes");
        let nodes = vec![serve(&rig, &folder, &receiver, 1)?, serve(&rig, &folder, &receiver, 2)?];
        tokio::time::sleep(NOTICED).await;
        let callers = callers(&rig, &nodes)?;
        let kept = Kept::default();
        let mut scene = Self { rig, folder, nodes, receiver, _vendor: vendor, people, callers, kept };
        scene.find_everybody()?;
        scene.tell_signals().await?;
        scene.keep_everybody().await?;
        Ok(scene)
    }

    /// The same caller at another node.
    pub fn at_node(&self, caller: &Caller, number: usize) -> Caller {
        Caller { node: self.nodes[number % self.nodes.len()].address, key: caller.key.clone() }
    }

    pub fn index_folder(&self, number: usize) -> std::path::PathBuf {
        self.folder.path.join(format!("index-{number}"))
    }

    /// Everybody is resolved and their answers are stored.
    fn find_everybody(&mut self) -> Result<()> {
        let busy = &self.callers.busy;
        for somebody in &mut self.people {
            let ask = Ask::post("/v1/enrich", json!({ "email": somebody.email }));
            let key = format!("before-{}", somebody.number);
            let told = busy.ask_as(&ask, Some(&key))?;
            let answer: Value = serde_json::from_slice(told.body())?;
            let id = answer["person"]["id"].as_str();
            somebody.id =
                id.with_context(|| format!("an imported person is not found: {answer}"))?.to_owned();
            self.kept.replies.push((ask, key));
        }
        for somebody in self.people.iter().take(50) {
            self.callers.quiet.post("/v1/enrich", json!({ "networkUrl": somebody.url }))?;
        }
        Ok(())
    }

    async fn tell_signals(&self) -> Result<()> {
        let signals: Vec<Value> =
            self.people.iter().map(|one| one.moved(&format!("moved-{}", one.number))).collect();
        for part in signals.chunks(SIGNALS_AT_ONCE) {
            let body = json!({ "source": SOURCE, "signals": part });
            let told = self.callers.operator.post("/v1/ingest/signals", body)?;
            ensure!(told["accepted"].as_u64() == u64::try_from(part.len()).ok(), "not all taken: {told}");
        }
        let deadline = Deadline::after(PATIENCE);
        while self.feed()?.len() < self.people.len() {
            ensure!(!deadline.passed(), "the feed never had all signals");
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// The companies of the people of whose moves the feed tells.
    pub fn feed(&self) -> Result<Vec<String>> {
        let path = "/v1/signals?kind=job-change&limit=100&since=2026-01-01T00:00:00Z";
        let employers: HashSet<&str> = self.people.iter().map(|one| one.domain.as_str()).collect();
        let mut told = Vec::new();
        for page in self.callers.busy.pages(path)? {
            let page: Value = serde_json::from_slice(page.body())?;
            let rows = page["results"].as_array().into_iter().flatten();
            let domains = rows.filter_map(|row| row["company"]["domain"].as_str());
            told.extend(domains.filter(|domain| employers.contains(domain)).map(str::to_owned));
        }
        Ok(told)
    }

    /// Watched, searched for again and again, listed in jobs; and a webhook is told.
    async fn keep_everybody(&mut self) -> Result<()> {
        let keeper = &self.callers.keeper;
        let hook = json!({ "url": format!("http://{}/keeper", self.receiver.address) });
        self.kept.hook = text(&keeper.post("/v1/webhooks", hook)?, "id")?;
        let pages: Vec<&str> = self.people.iter().map(|one| one.url.as_str()).collect();
        let schedule = json!({ "every_hours": 1, "max_credits": 100 });
        for list in [
            json!({ "name": "everybody", "kind": "people", "entries": pages }),
            json!({ "name": "by itself", "kind": "people", "entries": pages, "schedule": schedule }),
        ] {
            self.kept.lists.push(text(&keeper.post("/v1/watch-lists", list)?, "id")?);
        }
        let mut domains: Vec<&str> = self.people.iter().map(|one| one.domain.as_str()).collect();
        domains.dedup();
        for part in domains.chunks(10).take(10) {
            let icp = json!({ "name": "theirs", "target": "people", "filters": { "company_domain": part } });
            self.kept.icps.push(text(&keeper.post("/v1/saved-icps", icp)?, "id")?);
        }
        for part in self.people.chunks(ITEMS_AT_ONCE) {
            self.kept.jobs.push(submit(keeper, &self.kept.hook, part)?);
        }
        let deadline = Deadline::after(PATIENCE);
        for job in &self.kept.jobs {
            loop {
                let shown = keeper.answer(&Ask::get(format!("/v1/bulk/{job}?limit=1")))?;
                if shown["status"] == json!("completed") {
                    break;
                }
                ensure!(!deadline.passed(), "a job is not done: {shown}");
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok(())
    }

    /// Waits until a statement says so.
    pub async fn wait_until(&self, what: &str, statement: &str) -> Result<()> {
        let deadline = Deadline::after(PATIENCE);
        loop {
            let said = self.rig.postgres.psql(self.rig.graph_name(), statement)?;
            if said.trim() == "t" {
                return Ok(());
            }
            if deadline.passed() {
                bail!("{what}: not within {} s", PATIENCE.as_secs());
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// A job about these people; the webhook is told of its end.
pub fn submit(caller: &Caller, hook: &str, people: &[Somebody]) -> Result<String> {
    let items: Vec<Value> = people.iter().map(item).collect();
    let body = json!({ "items": items, "webhook": { "id": hook } });
    text(&caller.post("/v1/bulk/enrich", body)?, "id")
}

/// One after the other by all that leads to somebody.
fn item(somebody: &Somebody) -> Value {
    match somebody.number % 4 {
        0 => json!({ "email": somebody.email }),
        1 => json!({ "phone": somebody.phone }),
        2 => json!({ "networkUrl": somebody.url }),
        _ => json!({ "fullName": somebody.full_name(), "company_domain": somebody.domain }),
    }
}

pub fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {value}"))
}

/// A vendor's answers: the person's own address and number, whether anybody was erased or not.
fn desk(people: &[Somebody]) -> impl Fn(&VendorRequest) -> VendorReply + Send + Sync + 'static {
    let mut book = HashMap::new();
    for one in people {
        let who = named(&one.first_name, &one.last_name, &one.domain);
        let valid = |address: &str| json!({ "email": address, "email_status": "valid" });
        book.insert(format!("work_email {who}"), valid(&one.email));
        book.insert(format!("personal_email {who}"), valid(&one.personal_email));
        book.insert(format!("phone {who}"), json!({ "phone": one.phone, "line_type": "mobile" }));
    }
    move |request| match book.get(&question_of(request)) {
        Some(answer) => VendorReply::json(200, answer.to_string()),
        None => VendorReply::json(404, "{}"),
    }
}

fn import(rig: &Rig, folder: &Folder, people: &[Somebody]) -> Result<()> {
    let (companies, file) = (folder.path.join("companies.jsonl"), folder.path.join("people.jsonl"));
    let mut firms: Vec<&Somebody> = people.iter().collect();
    firms.dedup_by(|one, other| one.domain == other.domain);
    write_lines(&companies, firms.iter().map(|one| one.company_line()))?;
    write_lines(&file, people.iter().map(|one| one.line(10)))?;
    rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
    for (kind, file) in [("companies", &companies), ("people", &file)] {
        let file = file.to_str().context("a path that is no text")?;
        rig.cli(&["import", kind, file, "--source", SOURCE, "--yes"])?;
    }
    Ok(())
}

/// A node that may send to receivers and ask vendors on this machine.
fn serve(rig: &Rig, folder: &Folder, receiver: &Receiver, number: usize) -> Result<Server> {
    let index = folder.path.join(format!("index-{number}"));
    let (port, nameserver) = (receiver.address.port().to_string(), serve_names()?.to_string());
    rig.serve(&[
        ("ASSAY_INDEX_FOLDER", index.to_str().context("a path that is no text")?),
        ("ASSAY_WEBHOOKS_ALLOW_RANGES", "127.0.0.0/8"),
        ("ASSAY_WEBHOOKS_ALLOW_HTTP", "true"),
        ("ASSAY_WEBHOOKS_ALLOW_PORTS", &port),
        ("ASSAY_UPSTREAMS_ALLOWED_RANGES", "127.0.0.1/32"),
        ("ASSAY_UPSTREAMS_ALLOW_HTTP", "true"),
        ("ASSAY_MAIL_NAMESERVERS", &nameserver),
    ])
}

fn callers(rig: &Rig, nodes: &[Server]) -> Result<Callers> {
    let [busy, keeper, quiet] = rig.accounts.as_slice() else { bail!("three accounts were asked for") };
    let node = |number: usize| nodes[number % nodes.len()].address;
    let operator =
        ["key", "create", "--account", &busy.id.to_string(), "--scopes", "operator"].map(str::to_owned);
    let operator = rig.cli(&operator.each_ref().map(String::as_str))?.trim().to_owned();
    let caller = |number: usize, key: &str| Caller { node: node(number), key: key.to_owned() };
    Ok(Callers {
        busy: caller(0, &busy.api_key),
        keeper: caller(1, &keeper.api_key),
        quiet: caller(0, &quiet.api_key),
        operator: caller(1, &operator),
    })
}
