//! The bar `search-scale`: what a search costs among ten times as many people, and beside Tantivy itself.
//!
//! The same searches over HTTP, with rows read and paid for, and asked of Tantivy on the node's own files in this process, a
//! round of all of them by turns, so that neither finds the processor's caches full of what the other has just read, while people
//! change. Both sizes are there at once and measured by turns. Tantivy's part is its plain collectors: the best rows by order, and how many there are. The world is made up: these
//! are regression figures.

use super::bare::Bare;
use super::icp::{self, Class, Icp};
use super::updates::Updates;
use super::{PEOPLE, big_rig};
use crate::bar::{Verdict, grouped, median, number_in, progress, quantile};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Folder, Rig, Server, index_folder, people_with_room};
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task;

const ACCOUNTS: usize = 40;
const CHANGES_A_SECOND: usize = 200;
const PAGE: u32 = 25;
const SEED: u64 = 61;
/// With the index beside the tables.
const PERSON_BYTES: u64 = 3_600;
/// Changes go on for so long before a round begins.
const SETTLING: Duration = Duration::from_secs(2);
/// The bars.
const P50_MAX: f64 = 1.5;
const P95_MAX: f64 = 2.0;
const GROWTH_MAX: f64 = 1.5;
const SLOWEST_MAX: Duration = Duration::from_millis(200);
/// Names another larger size.
const OTHER_PEOPLE: &str = "ASSAY_BAR_PEOPLE";

#[derive(Clone, Copy)]
struct Size {
    small: u64,
    large: u64,
    of_each: usize,
    rounds: usize,
}

const FULL: Size = Size { small: 1_000_000, large: 10_000_000, of_each: 67, rounds: 7 };
const SHORT: Size = Size { small: 4_000, large: 40_000, of_each: 20, rounds: 5 };

/// One search asked both ways.
struct Timed {
    class: Class,
    http: Duration,
    bare: Duration,
    /// What the service says of a part of the call, in milliseconds: finding, and then what is left of charging.
    parts: [f64; PARTS.len()],
}

/// As `Server-Timing` names them.
const PARTS: [&str; 2] = ["find", "settle"];

pub async fn run(short: bool) -> Result<Verdict> {
    progress("the world is made up: these are regression figures, not claims about real data");
    let size = if short { SHORT } else { FULL };
    let wanted = number_in(OTHER_PEOPLE)?.unwrap_or(size.large);
    let large = people_with_room(wanted, PERSON_BYTES)?;
    ensure!(large > size.small, "the disk has no room for more than {} people", size.small);
    let (few, many) = task::spawn(measure_both(size, large)).await??;
    let growth = Class::ALL[..2].iter().map(|class| {
        let p50 = |timed: &[Timed]| http_quantile(timed, Some(*class), 500).as_secs_f64();
        p50(&many) / p50(&few)
    });
    let growth = growth.fold(0.0, f64::max);
    let ratio = |timed: &[Timed], of_1000| {
        let bare = sorted(timed.iter().map(|one| one.bare), of_1000);
        http_quantile(timed, None, of_1000).as_secs_f64() / bare.as_secs_f64()
    };
    let (few_p50, few_p95) = (ratio(&few, 500), ratio(&few, 950));
    let (p50, p95) = (ratio(&many, 500), ratio(&many, 950));
    let slowest = http_quantile(&many, None, 950);
    let figure = format!(
        "search-scale: {} people, {} changes a second: p50 {:.1} ms = {p50:.2} x Tantivy alone (bar {P50_MAX}), p95 {:.1} ms = \
         {p95:.2} x (bar {P95_MAX} x and {} ms); p50 of searches for up to 10,000 grew {growth:.2} x from {} people (bar \
         {GROWTH_MAX}), among whom they take {few_p50:.2} x and {few_p95:.2} x (the same bars) (made-up world: a regression figure)",
        grouped(usize::try_from(large)?),
        CHANGES_A_SECOND,
        milliseconds(http_quantile(&many, None, 500)),
        milliseconds(slowest),
        SLOWEST_MAX.as_millis(),
        grouped(usize::try_from(size.small)?),
    );
    let near = p50.max(few_p50) <= P50_MAX && p95.max(few_p95) <= P95_MAX;
    let passed = near && growth <= GROWTH_MAX && slowest <= SLOWEST_MAX;
    Ok(Verdict { figure, passed })
}

/// To be run as a task of its own: there an answer is read by the thread that hears of it, elsewhere by another that it wakes.
async fn measure_both(size: Size, large: u64) -> Result<(Vec<Timed>, Vec<Timed>)> {
    let mut few = Scene::set(size.small, size).await?;
    let mut many = Scene::set(large, size).await?;
    for round in 0..size.rounds {
        few.measure(round).await?;
        many.measure(round).await?;
    }
    Ok((few.end()?, many.end()?))
}

/// An installation of one size, and both ways to ask it. What a machine that others share does meanwhile meets both sizes alike,
/// since they are measured by turns.
struct Scene {
    rig: Rig,
    server: Server,
    bare: Bare,
    searches: Vec<Icp>,
    timed: Vec<Timed>,
    changes: usize,
    _index: Folder,
}

impl Scene {
    async fn set(people: u64, size: Size) -> Result<Self> {
        let rig = big_rig(people, ACCOUNTS)?;
        let index = index_folder(people)?;
        let watch = Stopwatch::start();
        let server = rig.serve(&[("ASSAY_INDEX_FOLDER", &index.path.display().to_string())])?;
        progress(format!("ready after {:.0} s", watch.elapsed().as_secs_f64()));
        let mut client = server.client();
        let searches = icp::draw(&rig, &mut client, size.of_each, SEED).await?;
        let bare = Bare::open(&index.path)?;
        compare(&rig, &mut client, &bare, &searches).await?;
        Ok(Self { rig, server, bare, searches, timed: Vec::new(), changes: 0, _index: index })
    }

    /// A round of all searches, each way, while people change.
    async fn measure(&mut self, round: usize) -> Result<()> {
        // The node hangs up on whoever says nothing while the other installation is measured.
        let mut client = self.server.client();
        // Others each time, so that they are not at hand already.
        let seed = SEED + u64::try_from(round)?;
        let updates = Updates::start(&self.rig, CHANGES_A_SECOND, seed).await?;
        // What the round before has left to be done is done, and what these changes make to do has begun.
        tokio::time::sleep(SETTLING).await;
        let mut over_http = Vec::new();
        for (number, icp) in self.searches.iter().enumerate() {
            let account = &self.rig.accounts[(number + round) % self.rig.accounts.len()];
            let one = Stopwatch::start();
            let (_, parts) = call(&mut client, &account.api_key, icp).await?;
            over_http.push((one.elapsed(), parts));
        }
        self.bare.reload()?;
        let alone = task::block_in_place(|| ask_alone(&self.bare, &self.searches))?;
        let (changes, _) = updates.stop().await?;
        self.changes += changes;
        let both = self.searches.iter().zip(over_http.into_iter().zip(alone));
        self.timed.extend(both.map(|(icp, ((http, parts), bare))| Timed {
            class: icp.class,
            http,
            bare,
            parts,
        }));
        Ok(())
    }

    fn end(self) -> Result<Vec<Timed>> {
        tell(self.rig.world().people_count(), self.changes, &self.timed);
        self.server.stop()?;
        Ok(self.timed)
    }
}

/// How long Tantivy takes for each.
fn ask_alone(bare: &Bare, searches: &[Icp]) -> Result<Vec<Duration>> {
    let timed = searches.iter().map(|icp| {
        let one = Stopwatch::start();
        bare.search(icp, usize::try_from(PAGE)? + 1)?;
        Ok(one.elapsed())
    });
    timed.collect()
}

/// Before anything changes, both find the same.
async fn compare(rig: &Rig, client: &mut Client, bare: &Bare, searches: &[Icp]) -> Result<()> {
    bare.reload()?;
    for (number, icp) in searches.iter().enumerate() {
        let account = &rig.accounts[number % rig.accounts.len()];
        let answer: Value = serde_json::from_slice(&call(client, &account.api_key, icp).await?.0)?;
        let shown: Vec<String> = answer["results"]
            .as_array()
            .context("an answer without rows")?
            .iter()
            .filter_map(|row| row["id"].as_str().map(str::to_owned))
            .collect();
        let found = bare.search(icp, usize::try_from(PAGE)?)?;
        let found: Vec<String> = found.ids.iter().map(|id| format!("per_{}", id.simple())).collect();
        ensure!(shown == found, "{}: the service shows {} rows, Tantivy others", icp.body, shown.len());
    }
    Ok(())
}

async fn call(client: &mut Client, api_key: &str, icp: &Icp) -> Result<(Vec<u8>, [f64; PARTS.len()])> {
    let mut body = icp.body.clone();
    body["limit"] = json!(PAGE);
    let body = body.to_string();
    let post = Post { path: PEOPLE, api_key, idempotency_key: None, body: body.as_bytes() };
    match client.post(&post).await {
        Exchange::Whole(reply) if reply.status == 200 => {
            let told = reply.header("server-timing").unwrap_or_default();
            Ok((reply.body.to_vec(), PARTS.map(|part| part_of(told, part))))
        }
        Exchange::Whole(reply) => bail!("{body}: {} {}", reply.status, String::from_utf8_lossy(reply.body)),
        Exchange::Half | Exchange::Nothing => bail!("no whole answer"),
    }
}

/// `find;dur=1.2, settle;dur=0.4, total;dur=1.9`.
fn part_of(told: &str, part: &str) -> f64 {
    let parts = told.split(", ").filter_map(|it| it.split_once(";dur="));
    parts.filter(|(name, _)| *name == part).find_map(|(_, took)| took.parse().ok()).unwrap_or(f64::NAN)
}

fn tell(people: u64, changes: usize, timed: &[Timed]) {
    for class in Class::ALL.into_iter().filter(|class| timed.iter().any(|one| one.class == *class)) {
        let bare =
            |of_1000| sorted(timed.iter().filter(|one| one.class == class).map(|one| one.bare), of_1000);
        let of_class = || timed.iter().filter(|one| one.class == class);
        let [find, settle] = [0, 1].map(|part| median(of_class().map(|one| one.parts[part])));
        progress(format!(
            "{people} people, {}: over HTTP p50 {:.1} ms, of which {find:.2} ms finding and {settle:.2} ms charging; p95 {:.1} ms; \
             Tantivy alone p50 {:.2} ms, p95 {:.2} ms",
            class.name(),
            milliseconds(http_quantile(timed, Some(class), 500)),
            milliseconds(http_quantile(timed, Some(class), 950)),
            milliseconds(bare(500)),
            milliseconds(bare(950)),
        ));
    }
    progress(format!("{people} people: {changes} changes meanwhile"));
}

fn http_quantile(timed: &[Timed], class: Option<Class>, of_1000: usize) -> Duration {
    let of_class = timed.iter().filter(|one| class.is_none_or(|class| one.class == class));
    sorted(of_class.map(|one| one.http), of_1000)
}

fn sorted(times: impl Iterator<Item = Duration>, of_1000: usize) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    quantile(&times, of_1000)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
