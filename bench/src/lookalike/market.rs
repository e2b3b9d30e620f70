//! The companies of a made-up world in an index, and what is asked about them.

use super::Answer;
use crate::bar::{grouped, progress};
use crate::rig::Folder;
use anyhow::{Context, Result};
use assay_domain::Company;
use assay_engine::alike::{Lookout, Sketch};
use assay_index::{Changes, Document, Index, Mark, Question};
use assay_replica::describe;
use assay_testkit::Stopwatch;
use assay_world::{DEMO_AS_OF, World};
use std::collections::HashMap;
use uuid::Uuid;

/// The world has one for each so many people.
const PEOPLE_PER_COMPANY: u64 = 40;
const WORLD_SEED: u64 = 73;
const BATCH: usize = 5_000;

pub struct Market {
    world: World,
    index: Index,
    numbers: HashMap<Uuid, u64>,
    /// Goes when all is asked.
    _folder: Folder,
}

impl Market {
    pub fn fill(seed: u64, companies: u64) -> Result<Self> {
        let watch = Stopwatch::start();
        let world = World::new(WORLD_SEED + seed, companies * PEOPLE_PER_COMPANY, DEMO_AS_OF);
        let folder = Folder::make("lookalike")?;
        let partitions = std::thread::available_parallelism().map_or(1, usize::from);
        let index = Index::open(&folder.path, partitions)?;
        let numbers: HashMap<Uuid, u64> =
            (0..world.company_count()).map(|number| (world.company(number).id.uuid(), number)).collect();
        progress(format!("a world of {} companies after {:.0?}", grouped(numbers.len()), watch.elapsed()));
        let mut batch: Vec<Document> = Vec::with_capacity(BATCH);
        for number in 0..world.company_count() {
            batch.push(describe::company(&company(&world, number), 0));
            if batch.len() == BATCH {
                index.fill(&batch)?;
                batch.clear();
            }
        }
        index.fill(&batch)?;
        index.apply(&Changes { put: &[], delete: &[], mark: Mark { epoch: Uuid::nil(), seq: 0 } })?;
        progress(format!("indexed after {:.0?}", watch.elapsed()));
        Ok(Self { world, index, numbers, _folder: folder })
    }

    pub fn companies(&self) -> u64 {
        self.world.company_count()
    }

    /// Asks for the companies most like one.
    pub fn ask(&self, number: u64, wanted: usize) -> Result<Answer> {
        let source = company(&self.world, number);
        let watch = Stopwatch::start();
        let lookout = Lookout::companies(&[source], Question::default(), wanted);
        let shortlist = lookout.find(&self.index)?;
        let mut records = Vec::with_capacity(shortlist.ids().len());
        for id in shortlist.ids() {
            let number = self.numbers.get(id).context("a company that nobody made")?;
            records.push(company(&self.world, *number));
        }
        let ranked = shortlist.rank(records, |company| Sketch::of_company(&company.facts));
        let took = watch.elapsed();
        let truth = self.world.truth();
        let kind = truth.segment_of(number);
        let kinds = ranked.iter().filter_map(|alike| self.numbers.get(&alike.record.id.uuid()));
        let right = kinds.filter(|number| truth.segment_of(**number) == kind).count();
        Ok(Answer { kind, right, took })
    }
}

/// The record a node would read.
fn company(world: &World, number: u64) -> Company {
    let made = world.company(number);
    Company {
        id: made.id,
        version: 1,
        facts: made.facts,
        provenance: made.provenance,
        refreshed_at: made.refreshed_at,
        owner: None,
    }
}
