//! The bar `signals-dedupe`: what three sources say of the rounds and purchases of the made-up world is put together as it belongs.
//!
//! Several writers at two nodes take the notices in at once, in no order, into a real graph that knows half of the companies. Whoever
//! made the notices knows of which event each is; every pair of notices is counted. The world gives figures that can be compared
//! from one version to the next, and says nothing about anybody's real data.

mod mistakes;
mod money;
mod sources;
mod spelling;
mod truth;

use crate::bar::{Verdict, grouped, number_in, progress};
use crate::resolution::pairs::Pairs;
use anyhow::{Result, ensure};
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_domain::{Clock, IdentityKey, NetworkHosts};
use assay_engine::Engine;
use assay_store::graph::{CompanyWrite, GraphBatch};
use assay_store::{Database, Graph, Ledger};
use assay_testkit::{Postgres, PostgresOptions, Stopwatch};
use assay_world::{DEMO_AS_OF, World};
use rand::RngExt;
use sources::Said;
use sqlx::PgPool;
use std::collections::HashMap;
use tokio::task::JoinSet;
use truth::{Event, Truth, company_write, dice};
use uuid::Uuid;

/// People of the world: rounds follow from companies, and those from people.
const PEOPLE: u64 = 1_000_000;
const ROUNDS_LEAST: usize = 5_000;
const SEED: u64 = 20_261_117;
/// Names another seed: what the rules were written by must not be all they are measured by.
const OTHER_SEED: &str = "ASSAY_BAR_SEED";
/// Names a file into which the notices are written that were put together wrongly.
const MISTAKES: &str = "ASSAY_BAR_MISTAKES";
const NODES: usize = 2;
const WRITERS: usize = 8;
/// Notices a source sends at once.
const BATCH: usize = 40;

/// The bars.
const PRECISION_LEAST: f64 = 0.98;
const RECALL_LEAST: f64 = 0.98;

/// Nothing here is measured in seconds.
const SETTINGS: [(&str, &str); 3] =
    [("fsync", "off"), ("full_page_writes", "off"), ("max_connections", "200")];

/// Which signal each notice is part of, by source and reference.
type Put = HashMap<(String, String), Uuid>;

/// Under a minute long, and a hundred purchases would say little: the short form is the whole.
pub async fn run(_short: bool) -> Result<Verdict> {
    let seed = SEED + number_in(OTHER_SEED)?.unwrap_or(0);
    let world = World::new(seed, PEOPLE, DEMO_AS_OF);
    let truth = Truth::draw(&world, seed)?;
    ensure!(truth.rounds() >= ROUNDS_LEAST, "the world has only {} rounds", truth.rounds());
    let said = sources::say(&truth, seed);
    progress(format!(
        "{} rounds and {} purchases of {} companies, {} notices",
        grouped(truth.rounds()),
        grouped(truth.events.len() - truth.rounds()),
        grouped(truth.firms.len()),
        grouped(said.len())
    ));
    let postgres = Postgres::start(PostgresOptions::with_settings(&SETTINGS))?;
    let nodes = nodes(&postgres, &truth).await?;
    let watch = Stopwatch::start();
    tell(&nodes, said.clone(), seed).await?;
    progress(format!("taken in within {} s", watch.elapsed().as_secs()));
    let pool = PgPool::connect(&postgres.url("graph")).await?;
    let put = put(&pool).await?;
    check_signals(&pool).await?;
    if let Ok(path) = std::env::var(MISTAKES) {
        mistakes::write(std::path::Path::new(&path), &truth, &said, &put)?;
    }
    let is_round = |event: usize| matches!(truth.events[event], Event::Round { .. });
    let rounds = pairs(&said, &put, is_round)?;
    let deals = pairs(&said, &put, |event| !is_round(event))?;
    let figure = format!(
        "signals-dedupe: {} rounds told of by three sources of the made-up world: precision {:.4}, recall {:.4} (bars \
         {PRECISION_LEAST}, {RECALL_LEAST}); {} purchases: {:.4}, {:.4}",
        grouped(truth.rounds()),
        rounds.precision(),
        rounds.recall(),
        grouped(truth.events.len() - truth.rounds()),
        deals.precision(),
        deals.recall(),
    );
    Ok(Verdict { figure, passed: is_enough(&rounds) && is_enough(&deals) })
}

fn is_enough(pairs: &Pairs) -> bool {
    pairs.records > 0 && pairs.precision() >= PRECISION_LEAST && pairs.recall() >= RECALL_LEAST
}

/// Of the notices of these events.
fn pairs(said: &[Said], put: &Put, counts: impl Fn(usize) -> bool) -> Result<Pairs> {
    let mut of_event: HashMap<(String, String), usize> = HashMap::new();
    for said in said.iter().filter(|said| counts(said.event)) {
        of_event.insert((said.source.to_owned(), said.notice.reference.clone()), said.event);
    }
    let pairs = Pairs::count(of_event.iter().filter_map(|(key, event)| Some((*event, *put.get(key)?))));
    ensure!(pairs.records == of_event.len(), "{} of {} notices are there", pairs.records, of_event.len());
    Ok(pairs)
}

/// Engines over one graph that knows some of the companies.
async fn nodes(postgres: &Postgres, truth: &Truth) -> Result<Vec<Engine>> {
    let key = IdentityKey::new([9; 32]);
    for name in ["graph", "ledger"] {
        postgres.create_database(name)?;
    }
    let (graph, ledger) = (Database::at(&postgres.url("graph")), Database::at(&postgres.url("ledger")));
    Graph::migrate(&graph).await?;
    Ledger::migrate(&ledger).await?;
    let mut nodes = Vec::new();
    for _ in 0..NODES {
        let ledger = Ledger::connect(&ledger, Clock::system()).await?;
        let graph = Graph::connect(&graph).await?;
        nodes.push((graph.clone(), Engine::new(graph, ledger, key.clone(), NetworkHosts::default())));
    }
    let known: Vec<CompanyWrite> =
        truth.firms.iter().filter(|firm| firm.is_known).map(|firm| company_write(&key, firm)).collect();
    for some in known.chunks(WRITE_BATCH_MAX) {
        if let Some((graph, _)) = nodes.first() {
            graph.write(GraphBatch { companies: some.to_vec(), people: Vec::new() }).await?;
        }
    }
    Ok(nodes.into_iter().map(|(_, engine)| engine).collect())
}

/// In no order, by several writers at once.
async fn tell(nodes: &[Engine], mut said: Vec<Said>, seed: u64) -> Result<()> {
    let mut dice = dice(seed, u64::MAX);
    for at in (1..said.len()).rev() {
        said.swap(at, dice.random_range(0..=at));
    }
    let mut writers = JoinSet::new();
    for (number, said) in said.chunks(said.len().div_ceil(WRITERS)).enumerate() {
        let (engine, said) = (nodes[number % nodes.len()].clone(), said.to_vec());
        writers.spawn(async move {
            for some in said.chunks(BATCH) {
                for source in [sources::FILINGS, sources::WIRE, sources::DATABASE] {
                    let notices = some.iter().filter(|said| said.source == source);
                    let notices = notices.map(|said| said.notice.clone()).collect();
                    for told in engine.take_notices(source, notices, Clock::system().now()).await {
                        told?;
                    }
                }
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = writers.join_next().await {
        done??;
    }
    Ok(())
}

async fn put(pool: &PgPool) -> Result<Put> {
    let rows: Vec<(String, String, Uuid)> =
        sqlx::query_as("select source, reference, signal_id from signal_notice").fetch_all(pool).await?;
    Ok(rows.into_iter().map(|(source, reference, signal)| ((source, reference), signal)).collect())
}

/// Each signal shows all notices that it is made of, and each notice is part of one.
async fn check_signals(pool: &PgPool) -> Result<()> {
    let (odd, lost): (i64, i64) = sqlx::query_as(
        "select (select count(*) from signal s where json_array_length(s.body -> 'sources') <>
                    (select count(*) from signal_notice n where n.signal_id = s.id)),
                (select count(*) from signal_notice n where not exists (select from signal s where s.id = n.signal_id))",
    )
    .fetch_one(pool)
    .await?;
    ensure!(
        odd == 0 && lost == 0,
        "{odd} signals show other notices than they have, {lost} notices have none"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn one_seed_tells_one_story() {
        let world = World::new(5, 4_000, DEMO_AS_OF);
        let stories = [1, 1, 2].map(|seed| {
            let truth = Truth::draw(&world, seed).unwrap();
            sources::say(&truth, seed).into_iter().map(|said| (said.event, said.notice)).collect::<Vec<_>>()
        });
        assert!(stories[0] == stories[1] && stories[0] != stories[2]);
        let truth = Truth::draw(&world, 1).unwrap();
        let told: HashSet<(usize, &str)> =
            sources::say(&truth, 1).iter().map(|said| (said.event, said.source)).collect();
        // But for loans, of which few are filed, each source tells of each event.
        assert!(told.len() <= truth.events.len() * 3 && told.len() * 100 >= truth.events.len() * 290);
    }

    #[test]
    fn a_bar_that_found_nothing_is_missed() {
        let put = |number| Uuid::from_u128(number);
        assert!(!is_enough(&Pairs::default()));
        let right = [(1, put(1)), (1, put(1)), (2, put(2))];
        assert!(is_enough(&Pairs::count(right.into_iter())));
        let wrong = [(1, put(1)), (1, put(2)), (2, put(2))];
        assert!(!is_enough(&Pairs::count(wrong.into_iter())));
    }
}
