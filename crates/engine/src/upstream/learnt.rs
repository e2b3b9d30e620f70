//! What is learnt of vendors, by this node and by the others.

use super::Upstreams;
use super::order::{Candidate, Lesson, Tally, order};
use super::roster::Able;
use crate::EngineError;
use assay_domain::Lookup;
use assay_domain::limits::{ORDER_MEMORY_LOOKUP, ORDER_MEMORY_SEGMENT, VENDOR_TALLIES_MAX};
use assay_store::graph::TallyRow;
use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

/// Of all segments of a lookup together.
const ANYWHERE: &str = "";

type Place = (Lookup, Arc<str>, Arc<str>);

/// What is known by lookup, segment and vendor, and what of it the others do not know yet.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    known: HashMap<Place, Tally>,
    fresh: HashMap<Place, Tally>,
}

impl Learnt {
    fn at(&self, lookup: Lookup, segment: &Arc<str>, vendor: &Arc<str>) -> Tally {
        self.known.get(&(lookup, Arc::clone(segment), Arc::clone(vendor))).copied().unwrap_or_default()
    }

    fn add(&mut self, place: Place, lesson: Lesson, memory: f64) {
        if self.known.len() >= VENDOR_TALLIES_MAX && !self.known.contains_key(&place) {
            return;
        }
        self.known.entry(place.clone()).or_default().add(Tally::of(lesson), memory);
        self.fresh.entry(place).or_default().add(Tally::of(lesson), memory);
    }
}

impl Upstreams {
    fn learnt(&self) -> MutexGuard<'_, Learnt> {
        self.0.learnt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the cheapest first, as far as that is known.
    pub(super) fn sort(&self, lookup: Lookup, segment: &Arc<str>, able: Vec<Able>) -> Vec<Able> {
        let anywhere: Arc<str> = Arc::from(ANYWHERE);
        let learnt = self.learnt();
        let candidates: Vec<Candidate> = able
            .iter()
            .map(|able| Candidate {
                here: learnt.at(lookup, segment, &able.provider.name),
                anywhere: learnt.at(lookup, &anywhere, &able.provider.name),
                list_price: able.list_price(lookup),
            })
            .collect();
        drop(learnt);
        let mut able: Vec<Option<Able>> = able.into_iter().map(Some).collect();
        let places = order(&candidates, &mut rand::rng());
        places.into_iter().filter_map(|place| able.get_mut(place)?.take()).collect()
    }

    pub(super) fn learn(&self, lookup: Lookup, segment: &Arc<str>, vendor: &Arc<str>, lesson: Lesson) {
        let mut learnt = self.learnt();
        learnt.add((lookup, Arc::clone(segment), Arc::clone(vendor)), lesson, ORDER_MEMORY_SEGMENT);
        learnt.add((lookup, Arc::from(ANYWHERE), Arc::clone(vendor)), lesson, ORDER_MEMORY_LOOKUP);
    }

    /// Tells the others what is new, and hears what they know.
    pub(super) async fn share_lessons(&self) -> Result<(), EngineError> {
        let fresh = std::mem::take(&mut self.learnt().fresh);
        if !fresh.is_empty() {
            let rows: Vec<TallyRow> = fresh.into_iter().map(|(place, tally)| row_of(&place, tally)).collect();
            self.0.graph.add_vendor_tallies(&rows).await?;
        }
        let most = i64::try_from(VENDOR_TALLIES_MAX).unwrap_or(i64::MAX);
        let told = self.0.graph.vendor_tallies(most).await?;
        let mut learnt = self.learnt();
        // What was learnt during the look is not in it yet.
        let Learnt { known, fresh } = &mut *learnt;
        *known = told.into_iter().filter_map(place_of).collect();
        for (place, tally) in fresh.iter() {
            known.entry(place.clone()).or_default().add(*tally, ORDER_MEMORY_LOOKUP);
        }
        Ok(())
    }
}

fn row_of((lookup, segment, vendor): &Place, tally: Tally) -> TallyRow {
    TallyRow {
        lookup: lookup.as_str().to_owned(),
        segment: segment.to_string(),
        vendor: vendor.to_string(),
        charged: tally.charged,
        verified: tally.verified,
        spent: tally.spent,
    }
}

fn place_of(row: TallyRow) -> Option<(Place, Tally)> {
    let TallyRow { lookup, segment, vendor, charged, verified, spent } = row;
    let place = (Lookup::named(&lookup)?, Arc::from(segment), Arc::from(vendor));
    Some((place, Tally { charged, verified, spent }))
}
