//! Making a bulk job of the items of a request: duplicates found, slices cut and sealed.

use super::item::{Item, ItemState};
use super::{AccountBulks, BulkCounts};
use crate::endpoints::resolve::EnrichQuestion;
use crate::fault::{Fault, FieldError};
use assay_domain::limits::BULK_SLICE_ITEMS;
use assay_domain::{BulkId, Credits, JobId, WebhookId};
use assay_engine::Engine;
use assay_store::ledger::bulk::{NewBulk, NewSlice};
use assay_store::ledger::op::Deed;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// One item of a request.
#[derive(Debug)]
pub(crate) struct Asked {
    pub id: Option<String>,
    pub fields: Map<String, Value>,
    /// What the fields mean, or why they mean nothing.
    pub question: Result<EnrichQuestion, FieldError>,
}

/// A bulk job that becomes one when its call is settled.
#[derive(Debug)]
pub(crate) struct Submission {
    pub id: BulkId,
    pub counts: BulkCounts,
    pub deed: Deed,
}

/// What a job is submitted with beside its items.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub metadata: Option<Map<String, Value>>,
    pub webhook: Option<WebhookId>,
    pub max_credits: Option<Credits>,
}

impl AccountBulks<'_> {
    pub(crate) fn submission(
        &self,
        engine: &Engine,
        asked: Vec<Asked>,
        terms: Terms,
        now: DateTime<Utc>,
    ) -> Result<Submission, Fault> {
        let id = BulkId::mint(now);
        let place = (self.account(), id);
        let items = with_duplicates_marked(engine, asked);
        let count = |items: usize| i32::try_from(items).unwrap_or(i32::MAX);
        let invalid =
            count(items.iter().filter(|item| matches!(item.state, ItemState::Invalid { .. })).count());
        let pending = count(items.len()) - invalid;
        let counts = BulkCounts { pending, invalid, ..BulkCounts::default() };
        let mut slices = Vec::new();
        for (part, number) in items.chunks(BULK_SLICE_ITEMS).zip(0_i16..) {
            let content = self.keys.seal_items(place, number, part)?;
            let work = part.iter().any(|item| item.state.is_pending());
            slices.push(NewSlice { content, job: work.then(|| JobId::mint(now)) });
        }
        let seal = |metadata: &Map<String, Value>| self.keys.seal_metadata(place, metadata);
        let bulk = NewBulk {
            id,
            key: self.caller.id.clone(),
            line: self.caller.line.clone(),
            monthly_cap: self.caller.monthly_cap,
            max_credits: terms.max_credits,
            counts,
            metadata: terms.metadata.as_ref().map(seal).transpose()?,
            webhook: terms.webhook,
            slices,
            at: now,
        };
        Ok(Submission { id, counts, deed: Deed::SubmitBulk(Box::new(bulk)) })
    }
}

/// The first of several that ask for the same is looked up; the others come to what it comes to.
fn with_duplicates_marked(engine: &Engine, asked: Vec<Asked>) -> Vec<Item> {
    let mut first: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut items: Vec<Item> = Vec::with_capacity(asked.len());
    for (index, Asked { id, fields, question }) in asked.into_iter().enumerate() {
        let state = match question {
            Err(FieldError { pointer, code, message, fix }) => {
                ItemState::Invalid { pointer, code, message, fix }
            }
            Ok(question) => match first.entry(question.sameness(engine)) {
                Entry::Vacant(place) => {
                    place.insert(index);
                    ItemState::Pending { ask: fields, copies: 0 }
                }
                Entry::Occupied(place) => {
                    if let Some(Item { state: ItemState::Pending { copies, .. }, .. }) =
                        items.get_mut(*place.get())
                    {
                        *copies += 1;
                    }
                    ItemState::SameAs { index: *place.get() }
                }
            },
        };
        items.push(Item { id, state });
    }
    items
}
