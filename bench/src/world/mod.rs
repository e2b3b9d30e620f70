//! The bar `world`: the same seed makes the same world, byte for byte, and a person of it takes little room.
//!
//! The world is made up, so its figures tell whether a change made things worse, and nothing about real data.

mod disk;
mod print;
mod sample;

use crate::bar::{Complaints, Verdict, a_second, grouped, number_in, progress};
use crate::rig::{Rig, RigOptions};
use anyhow::{Context, Result, ensure};
use assay_testkit::{PostgresOptions, Stopwatch};
use assay_world::{DEMO_AS_OF, World};
pub use disk::people_that_fit;
use print::{Direction, Print};
use std::process::Stdio;
use std::time::Duration;

const PEOPLE: u64 = 10_000_000;
const PEOPLE_SHORT: u64 = 20_000;
/// Not the demo world's: an installation brings some companies of that one along.
const SEED: u64 = 20_261_107;
/// The bar: bytes a person takes in PostgreSQL, with indexes, companies and the change log.
pub const PERSON_BYTES_MAX: u64 = 3_072;
/// What is measured does not depend on the disk. Digests are random: with whole pages in its log, PostgreSQL would write
/// some 8 KB of log for each of them.
pub const LOAD_SETTINGS: [(&str, &str); 6] = [
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("autovacuum", "off"),
    ("shared_buffers", "3GB"),
    ("max_wal_size", "4GB"),
    ("checkpoint_timeout", "30min"),
];
/// Names another number of people, to try other sizes.
const OTHER_PEOPLE: &str = "ASSAY_BAR_PEOPLE";
/// How many people are read back and compared with what the generator makes.
const SAMPLE: u64 = 20_000;
/// How many people are made to see how quick that is.
const TIMED: u64 = 500_000;

pub async fn run(short: bool) -> Result<Verdict> {
    progress("the world is made up: these are regression figures, not claims about real data");
    let usual = if short { PEOPLE_SHORT } else { PEOPLE };
    let wanted = number_in(OTHER_PEOPLE)?.unwrap_or(usual);
    let room = people_that_fit(&std::env::temp_dir(), PERSON_BYTES_MAX)?;
    let people = wanted.min(room);
    ensure!(people > 0, "the disk is full");
    let cut = if people < wanted {
        format!(" (the disk has no room for {})", grouped(usize::try_from(wanted)?))
    } else {
        String::new()
    };
    progress(format!("{} people{cut}", grouped(usize::try_from(people)?)));
    let mut complaints = Complaints::default();
    let made = make_twice(people, &mut complaints)?;
    let loaded = load(people, &mut complaints).await?;
    let bytes = loaded.bytes / people;
    let figure = format!(
        "world: {} people{cut}, {} bytes each in PostgreSQL with indexes (bar {}), loaded at {}/s, made at {}/s a core; \
         made twice the same, {} (made-up world: a regression figure, not a claim about real data)",
        grouped(usize::try_from(people)?),
        grouped(usize::try_from(bytes)?),
        grouped(usize::try_from(PERSON_BYTES_MAX)?),
        grouped(usize::try_from(loaded.people_a_second)?),
        grouped(usize::try_from(made.people_a_second)?),
        made.print,
    );
    Ok(Verdict { figure, passed: complaints.is_empty() && bytes <= PERSON_BYTES_MAX })
}

struct Made {
    print: String,
    people_a_second: u64,
}

/// Two worlds, made apart from each other: one in order, one from its end and person by person.
fn make_twice(people: u64, complaints: &mut Complaints) -> Result<Made> {
    progress("making the world twice");
    let make = move |direction| {
        std::thread::spawn(move || Print::of(&World::new(SEED, people, DEMO_AS_OF), direction))
    };
    let (one, other) = (make(Direction::Forward), make(Direction::Backward));
    let joined = |made: std::thread::JoinHandle<Result<Print>>| {
        made.join().ok().context("making the world broke down")?
    };
    let (one, other) = (joined(one)?, joined(other)?);
    for part in one.differing_parts(&other) {
        complaints.add(format!("{part} are not the same when they are made again"));
    }
    let another = Print::of(&World::new(SEED + 1, people.min(1_000), DEMO_AS_OF), Direction::Forward)?;
    if another.starts_like(&one) {
        complaints.add("another seed makes the same people");
    }
    let timed = people.min(TIMED);
    let world = World::new(SEED, timed, DEMO_AS_OF);
    let before = processor_time()?;
    world.people(0..timed).for_each(|person| drop(std::hint::black_box(person)));
    let people_a_second = a_second(timed, processor_time()?.saturating_sub(before));
    Ok(Made { print: one.to_string(), people_a_second })
}

/// What this thread has had of a processor: others at work do not make it longer, as they do the time on the wall.
fn processor_time() -> Result<Duration> {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").context("this is not Linux")?;
    let nanoseconds = counted.split_whitespace().next().context("a thread without a count")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

struct Loaded {
    bytes: u64,
    people_a_second: u64,
}

/// Loads the world with the program, as an operator would, and looks at what is there then.
async fn load(people: u64, complaints: &mut Complaints) -> Result<Loaded> {
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 0,
        people: 0,
        postgres: PostgresOptions::with_settings(&LOAD_SETTINGS),
        one_database: false,
    })?;
    let pool = sqlx::PgPool::connect(&rig.graph_url()).await?;
    let before = sample::database_bytes(&pool).await?;
    progress(format!("loading {} people", grouped(usize::try_from(people)?)));
    let watch = Stopwatch::start();
    let status = rig
        .command(&["world", "load", "--people", &people.to_string(), "--seed", &SEED.to_string()])
        .stdout(Stdio::null())
        .status()
        .context("cannot run the program")?;
    ensure!(status.success(), "the world was not loaded");
    let people_a_second = a_second(people, watch.elapsed());
    let after = sample::database_bytes(&pool).await?;
    sample::tell_tables(&pool, people).await?;
    let world = World::new(SEED, people, DEMO_AS_OF);
    sample::compare(&pool, &world, SAMPLE.min(people), complaints).await?;
    pool.close().await;
    Ok(Loaded { bytes: after.saturating_sub(before), people_a_second })
}
