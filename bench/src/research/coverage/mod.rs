//! The bar `coverage`: every endpoint of the specification, asked over HTTP for something that is there and for something that is
//! not, and its twin in the sandbox.
//!
//! Of what a mail server or a vendor would say, one vendor on a loopback socket says all; everything else is of the made-up world and
//! of what is told about it beforehand. The bars of each trade measure how good the answers are; this one that there is one to
//! every row, and that it costs what it says.

pub mod cast;
mod judge;
mod kept;
pub mod questions;
pub mod rows;
mod twins;

use crate::bar::{Complaints, Verdict, progress};
use crate::canaries::wire::{Parts, send};
use crate::rig::{Rig, RigOptions, Server};
use crate::signals::teller::Teller;
use crate::upstream::stage::{NOTICED, Terms, enable, give_key, question_of, serve};
use anyhow::{Context, Result, ensure};
use assay_service::CATALOG;
use assay_testkit::vendor::{VendorReply, VendorRequest, VendorServer};
use assay_testkit::{PostgresOptions, Stopwatch};
use cast::{Cast, NOBODY};
use judge::Told;
use questions::questions;
use rows::{ROWS, Row, credits};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::net::SocketAddr;
use std::time::Duration;

const PEOPLE: u64 = 2_000;
const FEED_PATIENCE: Duration = Duration::from_secs(30);
pub const VENDOR: Terms = Terms {
    name: "bar-desk",
    lookups: &["work_email", "personal_email", "phone", "verify", "person"],
    storable: true,
    shareable: true,
    price_micros: 10_000,
};

/// How many rows there is an answer to, of each sort.
#[derive(Debug, Default)]
struct Tally {
    live: usize,
    twins: usize,
    billed: usize,
    fed: usize,
    misses: usize,
    kept: usize,
    /// Everybody whom an answer has shown.
    shown: BTreeSet<String>,
    wrong: Complaints,
}

impl Tally {
    /// Whether it holds; what does not is told.
    fn note(&mut self, row: &Row, what: &str, judged: Result<(), String>) -> bool {
        if let Err(fault) = &judged {
            self.wrong.add(format!("{} {} {}, {what}: {fault}", row.section, row.method, row.path));
        }
        judged.is_ok()
    }
}

pub async fn run(_short: bool) -> Result<Verdict> {
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 1,
        people: PEOPLE,
        postgres: PostgresOptions::default(),
        // A world in two databases may be one that is kept for other bars, and this one is told news.
        one_database: true,
    })?;
    let vendor = VendorServer::start(vendor_answer)?;
    VENDOR.add(&rig, &vendor.url())?;
    give_key(&rig, VENDOR.name, None, "bar-key")?;
    enable(&rig, VENDOR.name, None)?;
    let server = serve(&rig)?;
    tokio::time::sleep(NOTICED).await;
    let caller =
        Caller { node: server.address, key: rig.accounts.first().context("no account")?.api_key.clone() };
    let cast = Cast::of(rig.world())?;
    tell(&rig, &server, &caller, &cast).await?;
    let mut tally = Tally::default();
    ask_all(&caller, &cast, &mut tally)?;
    twins::rehearse_all(&rig, &mut tally)?;
    let shown = std::mem::take(&mut tally.shown);
    tally.kept = kept::walk(&caller, &cast, shown, &mut tally.wrong)?;
    for violation in rig.audit().await? {
        tally.wrong.add(violation);
    }
    server.stop()?;
    Ok(verdict(&tally))
}

fn verdict(tally: &Tally) -> Verdict {
    let Tally { live, twins, billed, fed, misses, kept, wrong, .. } = tally;
    let all = ROWS.len();
    let endpoints = ROWS.iter().map(Row::place).collect::<HashSet<_>>().len();
    let figure = format!(
        "coverage: {all} rows of the specification ({endpoints} endpoints): {live} live, {twins} twins, {billed} billed to the \
         thousandth and {fed} feeds read, {misses} misses free or at the base of a search; {kept} rows of what is kept walked; {} \
         wrong or missing (bar 0)",
        wrong.count()
    );
    let is_whole = [*live, *twins, billed + fed, *misses].iter().all(|count| *count == all);
    Verdict { figure, passed: wrong.is_empty() && is_whole }
}

/// Whoever calls with a key.
struct Caller {
    node: SocketAddr,
    key: String,
}

impl Caller {
    fn ask(&self, method: &str, target: &str, body: Option<&Value>) -> Result<(u16, Value)> {
        let body = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let parts =
            Parts { method, target: target.to_owned(), key: Some(&self.key), body, ..Parts::default() };
        answer_to(self.node, &parts)
    }

    /// In thousandths.
    fn balance(&self) -> Result<i64> {
        let (_, me) = self.ask("GET", "/v1/me", None)?;
        credits(&me["balance"]["available"]).with_context(|| format!("no balance: {me}"))
    }

    /// A question to a row, and what the balance lost by it.
    fn put(&self, row: &Row, question: &Value) -> Result<Told> {
        let before = self.balance()?;
        let (status, answer) = match question.as_str() {
            Some(query) => self.ask(row.method, &format!("{}{query}", row.path), None)?,
            None => self.ask(row.method, row.path, Some(question))?,
        };
        Ok(Told { status, answer, spent: before - self.balance()? })
    }
}

fn answer_to(node: SocketAddr, parts: &Parts<'_>) -> Result<(u16, Value)> {
    let told = send(node, &parts.shot("a call"))?;
    let answer = serde_json::from_slice(told.body());
    Ok((told.status, answer.with_context(|| format!("{} {}: no JSON", parts.method, parts.target))?))
}

/// Knows everybody but those of one domain; people and companies it leaves to the graph.
pub fn vendor_answer(request: &VendorRequest) -> VendorReply {
    let question = question_of(request);
    let answer = match question.split_once(' ') {
        Some((_, by)) if by.ends_with(NOBODY) => None,
        Some(("work_email", by)) => by.rsplit_once(' ').map(
            |(_, domain)| json!({ "email": format!("found.by.desk@{domain}"), "email_status": "valid" }),
        ),
        Some(("personal_email", _)) => {
            Some(json!({ "personal_email": "found.by.desk@gmail.com", "personal_email_status": "valid" }))
        }
        Some(("phone", _)) => Some(json!({ "phone": "+4915112345678" })),
        Some(("verify", _)) => Some(json!({ "verdict": { "status": "valid" } })),
        _ => None,
    };
    answer.map_or_else(|| VendorReply::json(404, "{}"), |answer| VendorReply::json(200, answer.to_string()))
}

/// Tells what happened, and waits until every feed has all of it.
async fn tell(rig: &Rig, server: &Server, caller: &Caller, cast: &Cast) -> Result<()> {
    let news = cast.news()?;
    Teller::new(rig, server)?.tell(&news).await?;
    progress(format!("told {} signals", news.len()));
    let watch = Stopwatch::start();
    for kind in ["funding", "acquisition", "hiring", "job-change"] {
        let told = news.iter().filter(|signal| signal["kind"] == json!(kind)).count();
        loop {
            let (_, page) = caller.ask("GET", &format!("/v1/signals?kind={kind}&limit=100"), None)?;
            if page["results"].as_array().map_or(0, Vec::len) >= told {
                break;
            }
            ensure!(watch.elapsed() < FEED_PATIENCE, "the feed of {kind} never had all: {page}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    Ok(())
}

fn ask_all(caller: &Caller, cast: &Cast, tally: &mut Tally) -> Result<()> {
    let (_, document) = caller.ask("GET", "/openapi.json", None)?;
    for row in ROWS {
        let is_live = tally.note(row, "the catalog", is_listed(row, &document));
        tally.live += usize::from(is_live);
        let asked = questions(row, cast)?;
        let hit = caller.put(row, &asked.hit)?;
        kept::people_in(&hit.answer, &mut tally.shown);
        let is_hit = tally.note(row, "asked for what is there", judge::hit(row, &hit));
        let count = if row.method == "GET" { &mut tally.fed } else { &mut tally.billed };
        *count += usize::from(is_hit);
        let miss = caller.put(row, &asked.miss)?;
        let is_miss = tally.note(row, "asked for what is not there", judge::miss(row, &miss));
        tally.misses += usize::from(is_miss);
    }
    Ok(())
}

/// It is in the catalog and in the document that users see.
fn is_listed(row: &Row, document: &Value) -> Result<(), String> {
    let has_row = |entry: &&assay_service::Entry| {
        entry.spec.path == row.place() && entry.spec.verb.as_str() == row.method
    };
    CATALOG.iter().find(has_row).ok_or("it is not in the catalog")?;
    let is_told = is_in_document(document, row.method, row.place());
    if is_told { Ok(()) } else { Err("it is not in the API document".to_owned()) }
}

fn is_in_document(document: &Value, method: &str, path: &str) -> bool {
    document["paths"][path][method.to_lowercase()].is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_without_an_answer_fails_the_bar() {
        let all = ROWS.len();
        let whole =
            || Tally { live: all, twins: all, billed: all - 4, fed: 4, misses: all, ..Tally::default() };
        assert!(verdict(&whole()).passed);
        assert!(!verdict(&Tally { live: all - 1, ..whole() }).passed);
        assert!(!verdict(&Tally { twins: all - 1, ..whole() }).passed);
        assert!(!verdict(&Tally { fed: 3, ..whole() }).passed);
        assert!(!verdict(&Tally { misses: 0, ..whole() }).passed);
        let mut wrong = whole();
        let row = ROWS.first().unwrap();
        assert!(!wrong.note(row, "asked", Err("it is wrong".to_owned())) && !verdict(&wrong).passed);
    }

    #[test]
    fn a_row_has_to_be_in_the_document() {
        let document = assay_service::openapi::document();
        let row = ROWS.first().unwrap();
        assert_eq!(is_listed(row, &document), Ok(()));
        assert!(is_listed(row, &json!({ "paths": {} })).is_err());
        assert!(is_listed(&Row { path: "/v1/no-such", ..*row }, &document).is_err());
        assert!(is_listed(&Row { method: "GET", ..*row }, &document).is_err());
    }
}
