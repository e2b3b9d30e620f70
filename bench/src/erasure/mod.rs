//! The bar `erasure`: people are erased while everything runs, and afterwards nothing shows them any more.
//!
//! Made-up people whose names, addresses, numbers and words exist nowhere else are imported, found, watched, searched for, listed
//! in jobs and told of, and some of the made-up world are shown by every endpoint there is. Then they are erased in all ways there
//! are while calls, jobs, runs, streams and an import of the same people go on. What can be asked is asked again; databases are
//! dumped and indexes read. Some are named by a deletion list alone. Whoever is imported again stays out.

mod again;
mod asks;
mod cast;
mod check;
mod drop_list;
mod dumps;
mod load;
mod scene;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::research::coverage::cast::Cast;
use crate::rig::BOTH;
use crate::signals::teller::Teller;
use again::come_again;
use anyhow::{Context, Result, ensure};
use asks::Ask;
use assay_domain::{Email, ListHash};
use assay_testkit::Deadline;
use cast::Somebody;
use check::Check;
use drop_list::Applied;
use dumps::{look_at_index, sums};
use load::{Load, Ran};
use scene::{Scene, Size, submit};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

const FULL: Size = Size {
    people: 1_000,
    listed: 100,
    world: 20_000,
    hashes: 1_000_000,
    listed_of_world: 5_000,
    rows: 20_000,
    run_up: Duration::from_secs(5),
};
const SHORT: Size = Size {
    people: 50,
    listed: 10,
    world: 2_000,
    hashes: 20_000,
    listed_of_world: 300,
    rows: 1_000,
    run_up: Duration::from_secs(1),
};
/// The bar for a list of a million hashes.
const LIST_WITHIN: Duration = Duration::from_secs(60);
/// What a node had read of the feed before somebody was erased is with its listeners by then.
const STREAMED_WITHIN: Duration = Duration::from_secs(1);
/// Of everybody so many are asked for by everything before; afterwards everybody is.
const ASKED_BEFORE: usize = 20;
const ERASERS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let mut scene = Scene::set(&size).await?;
    let cast = Cast::of(scene.rig.world())?;
    Teller::new(&scene.rig, &scene.nodes[0])?.tell(&cast.news()?).await?;
    let shown = look_before(&scene, &cast)?;
    let mut tally = Tally::default();
    let ran = erase_meanwhile(&scene, &size, &shown, &mut tally).await?;
    scene.kept = ran.kept.clone();
    finish_erasures(&scene).await?;
    let (asked, listed) = scene.people.split_at(size.people - size.listed);
    let (asked, everybody): (Vec<_>, Vec<_>) = (asked.iter().collect(), scene.people.iter().collect());
    wait_for_indexes(&scene, &asked).await?;
    progress("looking for those who were asked for");
    let mut check = Check::of(&scene, &asked, &shown)?;
    look_everywhere(&mut check, &scene, &asked, &cast)?;
    let left: HashSet<&str> = asked.iter().map(|one| one.domain.as_str()).collect();
    let in_feed = scene.feed()?.iter().filter(|domain| left.contains(domain.as_str())).count();
    tally.expect("signals of the erased are in the feed", in_feed);
    tally.add(check);
    let world = world_people(&scene, &shown, size.listed_of_world);
    let applied = apply_lists(&scene, &size, listed, &world, &mut tally).await?;
    wait_for_indexes(&scene, &everybody).await?;
    progress("looking for everybody");
    let mut check = Check::of(&scene, &everybody, &shown)?;
    look_everywhere(&mut check, &scene, &everybody, &cast)?;
    tally.expect("signals of the listed are in the feed", scene.feed()?.len());
    tally.add(check);
    let left_out = come_again(&scene, &everybody, &world, &mut tally, (&cast, &shown)).await?;
    for violation in scene.rig.audit().await? {
        tally.complaints.add(violation);
    }
    Ok(verdict(&size, &ran, &applied, left_out, tally))
}

/// What was found in the whole run.
#[derive(Debug, Default)]
struct Tally {
    complaints: Complaints,
    /// Of the checks, which told of them already.
    hits: usize,
    calls: usize,
    bytes: usize,
    places: BTreeSet<String>,
    erased_of_world: usize,
}

impl Tally {
    fn add(&mut self, check: Check<'_>) {
        self.hits += check.scanner.complaints.count();
        self.calls += check.calls;
        self.bytes += check.scanner.bytes;
        self.places.extend(check.seen.into_keys());
    }

    fn expect(&mut self, what: &str, count: usize) {
        if count > 0 {
            self.complaints.add(format!("{what}: {count}"));
        }
    }

    fn wrong(&self) -> usize {
        self.complaints.count() + self.hits
    }
}

fn verdict(size: &Size, ran: &Ran, applied: &Applied, left_out: u64, tally: Tally) -> Verdict {
    let calls: usize = ran.calls;
    let figure = format!(
        "erasure: {} people erased during {} calls, {} more of the made-up world: {} hits or other wrongs (bar 0) in {} answers of {} \
         places and {} bytes of answers, dumps and indexes, sums of the ledger unchanged; {} hashes applied in {:.1} s (bar {} s for a \
         million), {} people erased by them; imported again, {} rows left out",
        grouped(size.people),
        grouped(calls),
        grouped(tally.erased_of_world),
        tally.wrong(),
        grouped(tally.calls),
        tally.places.len(),
        grouped(tally.bytes),
        grouped(size.hashes),
        applied.took.as_secs_f64(),
        LIST_WITHIN.as_secs(),
        grouped(usize::try_from(applied.people).unwrap_or(usize::MAX)),
        left_out,
    );
    Verdict { figure, passed: tally.wrong() == 0 && applied.took <= LIST_WITHIN }
}

/// Everything shows people now, or would prove nothing later. Gives whom the made-up world shows.
fn look_before(scene: &Scene, cast: &Cast) -> Result<BTreeSet<String>> {
    progress("looking for them before");
    // From both ends: some pages show the newest, others the oldest.
    let ends = scene.people.iter().take(ASKED_BEFORE / 2);
    let some: Vec<&Somebody> = ends.chain(scene.people.iter().rev().take(ASKED_BEFORE / 2)).collect();
    let mut before = Check::of(scene, &some, &BTreeSet::new())?;
    before.scanner.complaints = Complaints::silent();
    before.people(&some)?;
    before.indexes(&some)?;
    before.kept(&scene.kept)?;
    before.must_have_seen()?;
    for number in 1..=scene.nodes.len() {
        let words = look_at_index(&scene.index_folder(number), &mut before.scanner)?;
        ensure!(words >= some.len(), "an index has only {words} of their words");
    }
    let mut world = Check::of(scene, &[], &BTreeSet::new())?;
    let shown = world.world(cast)?;
    ensure!(shown.len() > 20, "the made-up world shows only {} people", shown.len());
    Ok(shown.into_iter().filter(|id| scene.people.iter().all(|one| one.id != *id)).collect())
}

/// Erases all but the listed while everything runs.
async fn erase_meanwhile(
    scene: &Scene,
    size: &Size,
    shown: &BTreeSet<String>,
    tally: &mut Tally,
) -> Result<Ran> {
    let quiet = [account(scene, 2)?];
    let before = sums(scene, &quiet, &mut tally.complaints)?;
    let load = Load::start(scene, size.rows).await?;
    tokio::time::sleep(size.run_up).await;
    scene
        .rig
        .postgres
        .psql(BOTH, "update ledger.watch_list set next_run_at = now() where next_run_at is not null")?;
    let asked = &scene.people[..size.people - size.listed];
    progress(format!("erasing {} people and {} of the world", asked.len(), shown.len()));
    let mut wishes: Vec<Value> = asked.iter().map(wish).collect();
    wishes.extend(shown.iter().map(|id| json!({ "person_id": id })));
    let watch = Instant::now();
    let erased = erase(scene, &wishes)?;
    let (ended, streamed_until) = (Instant::now(), load.clock.elapsed() + STREAMED_WITHIN);
    progress(format!("{} erased in {:.1} s", erased, watch.elapsed().as_secs_f64()));
    ensure!(erased >= asked.len(), "only {erased} people were erased of {}", wishes.len());
    tally.erased_of_world += shown.len();
    tokio::time::sleep(size.run_up).await;
    let ran = load.end().await?;
    progress(format!("{} calls meanwhile, answered {:?}", grouped(ran.calls), ran.statuses));
    let failed: usize = ran
        .statuses
        .iter()
        .filter(|(status, _)| **status == 0 || **status >= 500)
        .map(|(_, count)| count)
        .sum();
    tally.expect("calls that failed meanwhile", failed);
    let domains: Vec<&str> = asked.iter().map(|one| one.domain.as_str()).collect();
    let late = ran.streamed.iter().filter(|(at, line)| {
        let line = String::from_utf8_lossy(line);
        *at > streamed_until && domains.iter().any(|domain| line.contains(domain))
    });
    tally.expect("events of the erased came over streams", late.count());
    let all: Vec<&Somebody> = asked.iter().collect();
    let mut check = Check::of(scene, &all, shown)?;
    look_at_messages(scene, &mut check, ended).await?;
    tally.add(check);
    if sums(scene, &quiet, &mut tally.complaints)? != before {
        tally.complaints.add("the sums of an account changed that called nobody");
    }
    Ok(ran)
}

/// Everything that webhooks were told since then, of a new job about the erased too, and what they are told again.
async fn look_at_messages(scene: &Scene, check: &mut Check<'_>, since: Instant) -> Result<()> {
    submit(&scene.callers.keeper, &scene.kept.hook, &scene.people[..30])?;
    let again = Ask::post(
        format!("/v1/webhooks/{}/redeliver", scene.kept.hook),
        json!({ "since": "2026-01-01T00:00:00Z" }),
    );
    scene.callers.keeper.ask(&again)?;
    let done = "select not exists (select from ledger.webhook_delivery where state = 'pending')
        and not exists (select from ledger.bulk_job where finished_at is null)";
    scene.wait_until("messages to webhooks", done).await?;
    let messages = scene.receiver.arrivals();
    let after: Vec<_> = messages.iter().filter(|message| message.at > since).collect();
    let states = "select event, state, last_status, count(*) from ledger.webhook_delivery group by 1, 2, 3";
    ensure!(
        !after.is_empty(),
        "no message came after the erasure, {} before: {}",
        messages.len(),
        scene.rig.postgres.psql(BOTH, states)?
    );
    after.iter().for_each(|message| check.look("a message to a webhook", &message.body));
    Ok(())
}

/// In all ways there are.
fn wish(somebody: &Somebody) -> Value {
    match somebody.number % 5 {
        0 => json!({ "email": somebody.email }),
        1 => json!({ "phone": somebody.phone }),
        2 => json!({ "networkUrl": somebody.url }),
        3 => json!({ "person_id": somebody.id }),
        _ => {
            let hash = Email::parse(&somebody.email).map(|email| ListHash::of_email(&email).to_base64());
            json!({ "reason": "drop", "hashes": [{ "list": "email", "hash": hash.unwrap_or_default() }] })
        }
    }
}

/// How many people went.
fn erase(scene: &Scene, wishes: &[Value]) -> Result<usize> {
    let erased = std::thread::scope(|scope| {
        let share = wishes.len().div_ceil(ERASERS).max(1);
        let erase = |part: &[Value]| -> Result<u64> {
            let mut erased = 0;
            for wish in part {
                let told = scene.callers.operator.post("/v1/suppressions", wish.clone())?;
                erased += told["people_erased"].as_u64().context("no figure")?;
            }
            Ok(erased)
        };
        let threads: Vec<_> = wishes.chunks(share).map(|part| scope.spawn(move || erase(part))).collect();
        let joined = threads.into_iter().map(|thread| thread.join().ok().context("an eraser broke down")?);
        joined.sum::<Result<u64>>()
    })?;
    Ok(usize::try_from(erased)?)
}

/// Ten minutes later, when every call that had read somebody before has ended, the ledger is asked once more. Nobody calls by
/// now, so that the time may be left out.
async fn finish_erasures(scene: &Scene) -> Result<()> {
    let earlier =
        "update graph.erasure set asked_at = asked_at - interval '11 minutes' where done_at is null";
    scene.rig.postgres.psql(BOTH, earlier)?;
    let done = "select not exists (select from graph.erasure where done_at is null)";
    scene.wait_until("the second time of forgetting", done).await
}

/// Suggestions come of a node's index alone: until it has taken the people out.
async fn wait_for_indexes(scene: &Scene, people: &[&Somebody]) -> Result<()> {
    let deadline = Deadline::after(PATIENCE);
    for node in 0..scene.nodes.len() {
        let caller = scene.at_node(&scene.callers.busy, node);
        for somebody in people.iter().rev().take(20) {
            let ask = Ask::get(format!("/v1/suggest?field=skills&text={}", somebody.word));
            while caller.answer(&ask)?["results"].as_array().is_some_and(|rows| !rows.is_empty()) {
                ensure!(!deadline.passed(), "a node's index keeps an erased person");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    Ok(())
}

fn look_everywhere(check: &mut Check<'_>, scene: &Scene, people: &[&Somebody], cast: &Cast) -> Result<()> {
    check.people(people)?;
    check.indexes(people)?;
    check.kept(&scene.kept)?;
    check.world(cast).map(drop)
}

/// People of the world whom a list shall name: those whom nobody has asked for yet.
fn world_people(scene: &Scene, shown: &BTreeSet<String>, count: usize) -> Vec<String> {
    let world = scene.rig.world();
    let people = (0..world.people_count()).map(|index| world.person(index));
    let others = people.filter(|person| !shown.contains(&person.id.to_string()));
    others.filter_map(|person| Some(person.facts.emails.first()?.address.to_string())).take(count).collect()
}

/// Those whom only a list names, and many of the world. Nobody calls meanwhile: not one credit may move.
async fn apply_lists(
    scene: &Scene,
    size: &Size,
    listed: &[Somebody],
    world: &[String],
    tally: &mut Tally,
) -> Result<Applied> {
    let accounts = [account(scene, 0)?, account(scene, 1)?, account(scene, 2)?];
    let before = sums(scene, &accounts, &mut tally.complaints)?;
    progress(format!("applying a list of {} hashes", grouped(size.hashes)));
    let applied = drop_list::emails(scene, listed, world, size.hashes)?;
    progress(format!("{applied:?}"));
    let phones = drop_list::phones(scene, listed)?;
    let people = usize::try_from(applied.people + phones.people)?;
    // Somebody may have been erased with a namesake or by an address that two of the world share.
    ensure!(people >= listed.len() + world.len() * 9 / 10, "the lists erased only {people} people");
    ensure!(usize::try_from(applied.suppressed)? >= size.hashes, "a hash of the list was not kept");
    tally.erased_of_world += people - listed.len();
    finish_erasures(scene).await?;
    if sums(scene, &accounts, &mut tally.complaints)? != before {
        tally.complaints.add("the sums of the ledger changed");
    }
    Ok(applied)
}

fn account(scene: &Scene, number: usize) -> Result<String> {
    let account = scene.rig.accounts.get(number).context("no such account")?;
    Ok(account.id.uuid().to_string())
}
