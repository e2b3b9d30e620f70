//! People who change at a steady rate while something is measured, each to a headline with a word that nobody has yet.

use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_domain::PersonId;
use assay_domain::clock::Stopwatch;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sqlx::{Connection, PgConnection};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

/// So often a second some of them change.
const STEPS_A_SECOND: usize = 10;
/// Fewer than this of a hundred wanted changes are not the load that was asked for.
const MADE_LEAST_PERCENT: usize = 90;

/// Gives people, by their ids, these headlines.
pub const CHANGE: &str = "with changed as (
        update person p set version = version + 1,
            facts = (facts::jsonb || jsonb_build_object('headline', drawn.word))::json
        from unnest($1::uuid[], $2::text[]) as drawn (id, word) where p.id = drawn.id
        returning p.id, p.version)
    insert into change_inbox (entity_kind, entity_id, version) select 1, id, version from changed";

/// A change that is committed.
#[derive(Debug, Clone)]
pub struct Made {
    pub person: PersonId,
    /// The one word of the headline.
    pub word: String,
    pub at: Stopwatch,
}

/// Changes under way; they end when this is dropped or asked to.
pub struct Updates {
    stop: Arc<AtomicBool>,
    running: JoinHandle<Result<usize>>,
    began: Stopwatch,
    a_second: usize,
    /// What was committed, in the order it was.
    pub made: mpsc::UnboundedReceiver<Made>,
}

impl Updates {
    pub async fn start(rig: &Rig, a_second: usize, seed: u64) -> Result<Self> {
        let connection = PgConnection::connect(&rig.graph_url()).await.context("cannot reach the graph")?;
        let stop = Arc::new(AtomicBool::new(false));
        let (told, made) = mpsc::unbounded_channel();
        let changer = Changer {
            connection,
            stop: Arc::clone(&stop),
            dice: ChaCha8Rng::seed_from_u64(seed),
            people: ids(rig, seed),
            told,
        };
        let running = tokio::spawn(changer.run(a_second / STEPS_A_SECOND));
        Ok(Self { stop, running, began: Stopwatch::start(), a_second, made })
    }

    /// Ends them; how many there were, and those nobody has taken yet. Fails if it was not the rate that was asked for.
    pub async fn stop(mut self) -> Result<(usize, Vec<Made>)> {
        self.stop.store(true, Ordering::Relaxed);
        let seconds = usize::try_from(self.began.elapsed().as_secs())?;
        let made = (&mut self.running).await??;
        anyhow::ensure!(
            made * 100 >= self.a_second * seconds * MADE_LEAST_PERCENT,
            "only {made} changes in {seconds} s where {} a second were wanted",
            self.a_second
        );
        let mut left = Vec::new();
        while let Ok(one) = self.made.try_recv() {
            left.push(one);
        }
        Ok((made, left))
    }
}

impl Drop for Updates {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Some people of the world, each once; drawing from all of them would take making them.
fn ids(rig: &Rig, seed: u64) -> Vec<PersonId> {
    const DRAWN: usize = 20_000;
    let mut dice = ChaCha8Rng::seed_from_u64(seed ^ 0x1d5);
    // Not the last one: a bar may have another use for somebody.
    let everybody = usize::try_from(rig.world().people_count()).unwrap_or(usize::MAX).saturating_sub(1);
    let drawn = rand::seq::index::sample(&mut dice, everybody, DRAWN.min(everybody));
    drawn
        .iter()
        .filter_map(|index| u64::try_from(index).ok())
        .map(|index| rig.world().person(index).id)
        .collect()
}

struct Changer {
    connection: PgConnection,
    stop: Arc<AtomicBool>,
    dice: ChaCha8Rng,
    people: Vec<PersonId>,
    told: mpsc::UnboundedSender<Made>,
}

impl Changer {
    async fn run(mut self, in_one_step: usize) -> Result<usize> {
        let steps = u64::try_from(STEPS_A_SECOND)?;
        let mut tick = tokio::time::interval(Duration::from_millis(1_000 / steps));
        // What the machine held up is made up for: the rate is an average.
        tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut count = 0;
        while !self.stop.load(Ordering::Relaxed) {
            tick.tick().await;
            // In turn, so that nobody changes again before it was looked whether they are found.
            let next = self.people.iter().cycle().skip(count % self.people.len()).take(in_one_step);
            let mut drawn: Vec<(Uuid, String)> =
                next.map(|one| (one.uuid(), format!("w{:016x}", self.dice.random::<u64>()))).collect();
            // In one order, so that two who change people at once do not wait for each other.
            drawn.sort_unstable();
            let (people, words): (Vec<Uuid>, Vec<String>) = drawn.iter().cloned().unzip();
            sqlx::query(CHANGE).bind(&people).bind(&words).execute(&mut self.connection).await?;
            let at = Stopwatch::start();
            count += drawn.len();
            for (id, word) in drawn {
                // Nobody may be listening.
                drop(self.told.send(Made { person: PersonId::from_uuid(id), word, at }));
            }
        }
        Ok(count)
    }
}
