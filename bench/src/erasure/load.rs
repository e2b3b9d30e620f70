//! What goes on while people are erased: calls of every kind at both nodes, jobs, runs of lists and searches, signals that are
//! told again, exports, open streams, and an import of the same people.

use super::asks::{Ask, Caller, of_company, of_contacts, of_person};
use super::cast::{Somebody, write_lines};
use super::scene::{Kept, SOURCE, Scene, submit};
use crate::bar::progress;
use crate::import_files::person_lines;
use crate::signals::event_stream::EventStream;
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_world::{DEMO_AS_OF, World};
use rand::seq::IndexedRandom;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Not the demo world's.
const FILE_SEED: u64 = 20_261_118;
const CALLERS: usize = 3;
/// Stored answers that are asked for again afterwards.
const REPLIES_MAX: usize = 2_000;

/// What all of it shares.
struct Stage {
    stop: AtomicBool,
    people: Vec<Somebody>,
    kept: Mutex<Kept>,
    calls: AtomicUsize,
    statuses: Mutex<BTreeMap<u16, usize>>,
}

/// A row of a stream, and when it came.
type Streamed = (Duration, Vec<u8>);

/// Everything that runs.
pub struct Load {
    stage: Arc<Stage>,
    threads: Vec<JoinHandle<Result<()>>>,
    streams: Vec<tokio::task::JoinHandle<()>>,
    told: Arc<Mutex<Vec<Streamed>>>,
    importing: Child,
    pub clock: Stopwatch,
}

/// What came of it.
pub struct Ran {
    pub calls: usize,
    pub statuses: BTreeMap<u16, usize>,
    pub kept: Kept,
    pub streamed: Vec<Streamed>,
}

impl Load {
    pub async fn start(scene: &Scene, rows: u64) -> Result<Self> {
        let file = scene.folder.path.join("meanwhile.jsonl");
        write_meanwhile(&file, &scene.people, rows)?;
        let file = file.to_str().context("a path that is no text")?;
        scene.rig.cli(&["source", "add", "meanwhile", "--licence", "made up"])?;
        let importing = scene
            .rig
            .command(&["import", "people", file, "--source", "meanwhile", "--yes", "--batch", "100"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let stage = Arc::new(Stage {
            stop: AtomicBool::new(false),
            people: scene.people.clone(),
            kept: Mutex::new(scene.kept.clone()),
            calls: AtomicUsize::new(0),
            statuses: Mutex::default(),
        });
        let mut load = Self {
            stage,
            threads: Vec::new(),
            streams: Vec::new(),
            told: Arc::default(),
            importing,
            clock: Stopwatch::start(),
        };
        for number in 0..CALLERS {
            load.spawn(scene.at_node(&scene.callers.busy, number), call);
        }
        load.spawn(scene.at_node(&scene.callers.keeper, 0), run_lists);
        load.spawn(scene.at_node(&scene.callers.keeper, 1), run_jobs);
        load.spawn(scene.at_node(&scene.callers.keeper, 0), read_exports);
        load.spawn(scene.callers.operator.clone(), tell_again);
        for number in 0..scene.nodes.len() {
            load.listen(scene.at_node(&scene.callers.busy, number)).await?;
        }
        Ok(load)
    }

    fn spawn(&mut self, caller: Caller, work: fn(&Stage, &Caller) -> Result<()>) {
        let stage = Arc::clone(&self.stage);
        self.threads.push(std::thread::spawn(move || {
            while !stage.stop.load(Ordering::Relaxed) {
                work(&stage, &caller)?;
            }
            Ok(())
        }));
    }

    async fn listen(&mut self, caller: Caller) -> Result<()> {
        let mut stream = EventStream::open(caller.node, "/v1/signals?kind=job-change", &caller.key).await?;
        let (told, clock) = (Arc::clone(&self.told), self.clock);
        self.streams.push(tokio::spawn(async move {
            // It ends with the node, or when it is told to.
            while stream.read(|line| keep_line(&told, clock, line)).await.is_ok() {}
        }));
        Ok(())
    }

    /// Lets the import and every call end.
    pub async fn end(mut self) -> Result<Ran> {
        self.stage.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            tokio::task::spawn_blocking(move || thread.join())
                .await?
                .ok()
                .context("a part of the load broke down")??;
        }
        progress("waiting for the import");
        let status = tokio::task::spawn_blocking(move || self.importing.wait()).await??;
        ensure!(status.success(), "the import failed");
        self.streams.iter().for_each(tokio::task::JoinHandle::abort);
        let stage = &self.stage;
        Ok(Ran {
            calls: stage.calls.load(Ordering::Relaxed),
            statuses: lock(&stage.statuses).clone(),
            kept: lock(&stage.kept).clone(),
            streamed: std::mem::take(&mut *lock(&self.told)),
        })
    }
}

fn keep_line(told: &Mutex<Vec<Streamed>>, clock: Stopwatch, line: &[u8]) {
    if line.starts_with(b"data:") {
        lock(told).push((clock.elapsed(), line.to_vec()));
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    fn somebody(&self) -> &Somebody {
        self.people.choose(&mut rand::rng()).unwrap_or(&self.people[0])
    }

    fn send(&self, caller: &Caller, ask: &Ask, key: Option<&str>) -> Result<Vec<u8>> {
        let told = caller.ask_as(ask, key)?;
        self.calls.fetch_add(1, Ordering::Relaxed);
        *lock(&self.statuses).entry(told.status).or_default() += 1;
        Ok(told.body().to_vec())
    }
}

/// One call about somebody, some of them under a key that keeps the answer.
fn call(stage: &Stage, caller: &Caller) -> Result<()> {
    let somebody = stage.somebody();
    let mut asks = of_person(somebody);
    asks.extend(of_company(&somebody.domain));
    asks.extend(of_contacts(&[somebody]));
    let Some(ask) = asks.choose(&mut rand::rng()) else { return Ok(()) };
    if ask.method == "GET" {
        return stage.send(caller, ask, None).map(drop);
    }
    let key = format!("during-{:016x}", rand::random::<u64>());
    stage.send(caller, ask, Some(&key))?;
    let mut kept = lock(&stage.kept);
    if kept.replies.len() < REPLIES_MAX + stage.people.len() {
        kept.replies.push((ask.clone(), key));
    }
    Ok(())
}

/// Lists and searches are run, entries added and removed.
fn run_lists(stage: &Stage, caller: &Caller) -> Result<()> {
    let kept = lock(&stage.kept).clone();
    // The other one runs by itself.
    for list in kept.lists.iter().take(1) {
        stage.send(
            caller,
            &Ask::post(format!("/v1/watch-lists/{list}/run"), json!({ "limit": 20 })),
            None,
        )?;
        stage.send(caller, &Ask::get(format!("/v1/watch-lists/{list}/results?limit=100")), None)?;
    }
    let somebody = stage.somebody();
    if let Some(list) = kept.lists.first() {
        let entries = json!({ "entries": [somebody.url] });
        stage.send(caller, &Ask::post(format!("/v1/watch-lists/{list}/entries/remove"), entries), None)?;
    }
    for icp in &kept.icps {
        stage.send(caller, &Ask::post(format!("/v1/saved-icps/{icp}/run"), json!({ "limit": 50 })), None)?;
    }
    Ok(())
}

fn run_jobs(stage: &Stage, caller: &Caller) -> Result<()> {
    let start = rand::random_range(0..stage.people.len());
    let part = &stage.people[start..(start + 60).min(stage.people.len())];
    let hook = lock(&stage.kept).hook.clone();
    let job = submit(caller, &hook, part)?;
    lock(&stage.kept).jobs.push(job.clone());
    std::thread::sleep(Duration::from_millis(300));
    stage.send(caller, &Ask::get(format!("/v1/bulk/{job}?limit=100")), None).map(drop)
}

fn read_exports(stage: &Stage, caller: &Caller) -> Result<()> {
    let job = lock(&stage.kept).jobs.first().cloned().unwrap_or_default();
    for path in [
        format!("/v1/bulk/{job}/results.csv"),
        format!("/v1/bulk/{job}/results.ndjson"),
        "/v1/me/history/export".to_owned(),
        "/v1/me/people?limit=100".to_owned(),
    ] {
        stage.send(caller, &Ask::get(path), None)?;
    }
    std::thread::sleep(Duration::from_millis(100));
    Ok(())
}

/// What was told of somebody is told again, as another source's.
fn tell_again(stage: &Stage, caller: &Caller) -> Result<()> {
    let somebody = stage.somebody();
    let id = format!("again-{:016x}", rand::random::<u64>());
    let body = json!({ "source": SOURCE, "signals": [somebody.moved(&id)] });
    stage.send(caller, &Ask::post("/v1/ingest/signals", body), None)?;
    std::thread::sleep(Duration::from_millis(20));
    Ok(())
}

/// The same people among many others, so that batches come and go for as long as people are erased.
fn write_meanwhile(path: &std::path::Path, people: &[Somebody], rows: u64) -> Result<()> {
    let world = World::new(FILE_SEED, rows, DEMO_AS_OF);
    let others = person_lines(&world, 0..rows).map(|line| {
        json!({
            "id": line.id, "first_name": line.first_name, "last_name": line.last_name, "email": line.email,
            "title": line.title, "company": line.company, "company_domain": line.company_domain,
            "profile_url": line.profile_url, "last_updated": line.last_updated,
        })
    });
    let every = (usize::try_from(rows)? / people.len().max(1)).max(1);
    let mut theirs = people.iter();
    let mixed = others.enumerate().flat_map(|(place, other)| {
        let canary = place.is_multiple_of(every).then(|| theirs.next().map(|one| one.line(3))).flatten();
        canary.into_iter().chain([other]).collect::<Vec<Value>>()
    });
    write_lines(path, mixed)
}
