//! Whoever was erased is imported and told of again: they stay out, and neither databases nor indexes have anything of them.

use super::asks::Ask;
use super::cast::{Somebody, latecomers, write_lines};
use super::check::Check;
use super::dumps::{Dump, generations, look_at_index};
use super::scene::{SOURCE, Scene};
use super::{PATIENCE, Tally, look_everywhere};
use crate::bar::{grouped, progress};
use crate::research::coverage::cast::Cast;
use anyhow::{Context, Result, ensure};
use assay_testkit::Deadline;
use assay_world::DEMO_SEED;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// The same people are imported and told of again, with others who have the published numbers; then databases and indexes are read.
pub async fn come_again(
    scene: &Scene,
    people: &[&Somebody],
    world: &[String],
    tally: &mut Tally,
    (cast, shown): (&Cast, &BTreeSet<String>),
) -> Result<u64> {
    progress("importing everybody again");
    let late = latecomers();
    let everybody: Vec<&Somebody> = people.iter().copied().chain(&late).collect();
    let file = scene.folder.path.join("again.jsonl");
    write_lines(&file, everybody.iter().map(|one| one.line(0)))?;
    let file = file.to_str().context("a path that is no text")?;
    scene.rig.cli(&["source", "add", "again", "--licence", "made up"])?;
    let mut left_out = 0;
    for source in [SOURCE, "again"] {
        let told = scene.rig.cli(&["import", "people", file, "--source", source, "--yes", "--json"])?;
        let told: Value = serde_json::from_str(&told)?;
        let count = told["suppressed"].as_u64().with_context(|| format!("no figure in {told}"))?;
        ensure!(count == u64::try_from(everybody.len())?, "not all were left out: {told}");
        left_out += count;
    }
    let world_size = scene.rig.world().people_count().to_string();
    let loaded = scene.rig.cli(&[
        "world",
        "load",
        "--people",
        &world_size,
        "--seed",
        &DEMO_SEED.to_string(),
        "--json",
    ])?;
    let loaded: Value = serde_json::from_str(&loaded)?;
    ensure!(loaded["people"] == json!(0), "people of the world came back: {loaded}");
    left_out += loaded["suppressed"].as_u64().context("no figure")?;
    // Not of the others: nothing that a signal says of them is what they are kept out by.
    for part in people.chunks(500) {
        let signals: Vec<Value> =
            part.iter().map(|one| one.moved(&format!("later-{}", one.number))).collect();
        let body = json!({ "source": SOURCE, "signals": signals });
        scene.callers.operator.ask(&Ask::post("/v1/ingest/signals", body))?;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut check = Check::of(scene, &everybody, shown)?;
    look_everywhere(&mut check, scene, &everybody, cast)?;
    tally.expect("signals of people who are kept out are in the feed", scene.feed()?.len());
    rebuild_indexes(scene, &mut check).await?;
    progress("dumping both databases");
    let mut words: HashSet<String> = world.iter().cloned().collect();
    words.extend(pages_of(scene, world));
    // The others are kept out by their numbers alone: whoever asks for their names asks for somebody never known.
    let mut dump = Dump::of(&mut check.scanner, people, words)?;
    dump.look(scene)?;
    ensure!(dump.traces_found > 5 * people.len(), "a dump has hardly a trace of who is kept out");
    progress(format!("{} bytes of dumps", grouped(dump.bytes)));
    tally.add(check);
    Ok(left_out)
}

/// The ends of the addresses of their profiles.
fn pages_of(scene: &Scene, emails: &[String]) -> Vec<String> {
    let emails: HashSet<&str> = emails.iter().map(String::as_str).collect();
    let world = scene.rig.world();
    let people = (0..world.people_count()).map(|index| world.person(index).facts);
    let erased = people
        .filter(|facts| facts.emails.first().is_some_and(|email| emails.contains(email.address.as_str())));
    let urls = erased.filter_map(|facts| Some(facts.network_url?.to_string()));
    urls.filter_map(|url| Some(url.split("/in/").nth(1)?.to_owned())).collect()
}

/// Until then words of the erased lie in the files of an index, though nothing finds anybody by them.
async fn rebuild_indexes(scene: &Scene, check: &mut Check<'_>) -> Result<()> {
    let folders: Vec<_> = (1..=scene.nodes.len()).map(|number| scene.index_folder(number)).collect();
    let old = folders.iter().map(|folder| generations(folder)).collect::<Result<Vec<_>>>()?;
    progress("rebuilding the indexes");
    scene.rig.cli(&["index", "rebuild"])?;
    let deadline = Deadline::after(PATIENCE);
    for (folder, old) in folders.iter().zip(&old) {
        while generations(folder)?.iter().any(|generation| old.contains(generation)) {
            ensure!(!deadline.passed(), "a node keeps its old index");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        look_at_index(folder, &mut check.scanner)?;
    }
    Ok(())
}
