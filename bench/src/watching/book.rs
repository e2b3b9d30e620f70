//! What was told by which list, as those who asked saw it.

use super::cast::Cast;
use crate::bar::Complaints;
use crate::http_client::Cost;
use anyhow::{Result, ensure};
use assay_domain::Credits;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What one entry costs.
pub(super) const PRICE: Credits = Credits::whole(2);

#[derive(Debug, Deserialize)]
pub(super) struct RunAnswer {
    results: Vec<Hit>,
    pub has_more: bool,
    cost: Cost,
}

#[derive(Debug, Deserialize)]
pub(super) struct Hit {
    entry: String,
    signals: Vec<ToldSignal>,
    signal_count: usize,
}

#[derive(Debug, Deserialize)]
struct ToldSignal {
    #[serde(rename = "occurredAt")]
    occurred_at: DateTime<Utc>,
}

/// Something that happened to somebody: the number of whom, and when.
pub(super) type Transition = (usize, i64);

/// What was told of one list.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub told: Vec<Transition>,
    /// Entries: these are charged for.
    pub entries: usize,
}

impl Page {
    pub(super) fn add(&mut self, hits: &[Hit], cast: &Cast) -> Result<()> {
        for hit in hits {
            let subject = cast.subject_of(&hit.entry)?;
            ensure!(hit.signal_count == hit.signals.len(), "not all signals of {} are shown", hit.entry);
            ensure!(!hit.signals.is_empty(), "{} is told of without a signal", hit.entry);
            self.told.extend(hit.signals.iter().map(|it| (subject, it.occurred_at.timestamp_micros())));
        }
        self.entries += hits.len();
        Ok(())
    }
}

/// What those who asked know of one list.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub page: Page,
    /// Answers that never came, and that nobody can ask for again by their key.
    pub lost: usize,
}

/// Shared by all who ask.
#[derive(Debug)]
pub(super) struct Book {
    lists: Mutex<Vec<Seen>>,
    complaints: Mutex<Complaints>,
}

impl Book {
    pub(super) fn new(lists: usize) -> Self {
        Self { lists: Mutex::new(vec![Seen::default(); lists]), complaints: Mutex::default() }
    }

    /// Writes an answer down; whether more is to be told.
    pub(super) fn note(&self, cast: &Cast, list: usize, body: &[u8]) -> Result<bool> {
        let RunAnswer { results, has_more, cost } = serde_json::from_slice(body)?;
        let due = i64::try_from(results.len())? * PRICE.thousandths();
        if cost.credits.thousandths() != due {
            lock(&self.complaints).add(format!(
                "{} for {} entries of list {list}",
                cost.credits,
                results.len()
            ));
        }
        lock(&self.lists)[list].page.add(&results, cast)?;
        Ok(has_more)
    }

    pub(super) fn note_lost(&self, list: usize) {
        lock(&self.lists)[list].lost += 1;
    }

    pub(super) fn close(&self) -> (Vec<Seen>, Complaints) {
        (std::mem::take(&mut *lock(&self.lists)), std::mem::take(&mut *lock(&self.complaints)))
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
