//! The results of a bulk job, in the order of its items, page by page.

use super::item::{Item, ItemState};
use super::{AccountBulks, BulkRow};
use crate::endpoints;
use crate::example;
use crate::fault::Fault;
use crate::reply::Cost;
use crate::view::PersonView;
use assay_domain::limits::{BULK_ITEMS_MAX, BULK_SLICE_ITEMS};
use assay_domain::{Confidence, Credits, Person, PersonId};
use assay_engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BulkItemStatus")]
pub enum ItemWord {
    Pending,
    Resolved,
    NotFound,
    Invalid,
    Failed,
    Skipped,
}

impl ItemWord {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Resolved => "resolved",
            Self::NotFound => "not_found",
            Self::Invalid => "invalid",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// An item with what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BulkResult")]
pub struct ItemView {
    /// The item's place in the request, from 0.
    pub index: usize,
    /// The id the item was sent with.
    pub id: Option<String>,
    pub status: ItemWord,
    /// The person as the graph knows them today; null too for one who was erased since.
    pub person: Option<PersonView>,
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub confidence: Option<Confidence>,
    pub matched_on: Vec<String>,
    pub cost: Cost,
    pub error: Option<ItemError>,
}

impl ItemView {
    /// Those of the worked examples: somebody, and nobody.
    pub fn examples() -> [Self; 2] {
        let nobody = Self {
            index: 1,
            id: Some("2".into()),
            status: ItemWord::NotFound,
            person: None,
            confidence: None,
            matched_on: Vec::new(),
            cost: Cost { credits: Credits::ZERO, balance_remaining: None },
            error: None,
        };
        let found = Self {
            index: 0,
            id: Some("1".into()),
            status: ItemWord::Resolved,
            person: Some(example::person().into()),
            confidence: Some(Confidence::percent(98)),
            matched_on: vec!["email".into()],
            cost: Cost { credits: endpoints::bulk::PRICE.unit(), balance_remaining: None },
            error: None,
        };
        [found, nobody]
    }
}

/// Why an item has no answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BulkItemError")]
pub struct ItemError {
    pub code: String,
    pub message: String,
    /// The field that is wrong, where one is.
    pub pointer: Option<String>,
    pub fix: Option<String>,
}

/// Some of a job's results, and where the next ones begin.
#[derive(Debug)]
pub struct Page {
    pub results: Vec<ItemView>,
    pub next: Option<usize>,
}

/// An item that is shown, before its person is read.
struct Shown {
    index: usize,
    id: Option<String>,
    state: ItemState,
    /// Whether another item was looked up and paid for in its place.
    copied: bool,
}

impl AccountBulks<'_> {
    /// Results from the item `from` on.
    pub(crate) async fn page(
        &self,
        engine: &Engine,
        row: &BulkRow,
        from: usize,
        limit: usize,
        only: Option<ItemWord>,
    ) -> Result<Page, Fault> {
        let total = usize::try_from(row.counts.total()).unwrap_or(0);
        let over = row.status.is_final();
        let mut slices = Slices { desk: self, row, known: BTreeMap::new() };
        let mut shown: Vec<Shown> = Vec::new();
        let mut index = from;
        while index < total && shown.len() < limit {
            let next = slices.shown(index).await?;
            if let Some(next) = next.filter(|next| only.is_none_or(|only| word(&next.state, over) == only)) {
                shown.push(next);
            }
            index += 1;
        }
        let people = read_people(engine, &shown).await?;
        let results = shown.into_iter().map(|item| view(item, over, &people)).collect();
        Ok(Page { results, next: (index < total).then_some(index) })
    }
}

/// The slices of a job that were read so far.
struct Slices<'a> {
    desk: &'a AccountBulks<'a>,
    row: &'a BulkRow,
    known: BTreeMap<i16, Vec<Item>>,
}

impl Slices<'_> {
    async fn shown(&mut self, index: usize) -> Result<Option<Shown>, Fault> {
        let Some(item) = self.item(index).await? else { return Ok(None) };
        let ItemState::SameAs { index: original } = item.state else {
            return Ok(Some(Shown { index, id: item.id, state: item.state, copied: false }));
        };
        let state = self.item(original).await?.map_or(ItemState::NotFound, |item| item.state);
        Ok(Some(Shown { index, id: item.id, state, copied: true }))
    }

    async fn item(&mut self, index: usize) -> Result<Option<Item>, Fault> {
        let number = i16::try_from(index.min(BULK_ITEMS_MAX) / BULK_SLICE_ITEMS).unwrap_or(i16::MAX);
        if !self.known.contains_key(&number) {
            let (account, id) = (self.row.account, self.row.id);
            for slice in self.desk.ledger.bulk_slices(account, id, &[number]).await? {
                let items = self.desk.keys.open_items((account, id), slice.number, &slice.content)?;
                self.known.insert(slice.number, items);
            }
        }
        let items = self.known.get(&number);
        Ok(items.and_then(|items| items.get(index % BULK_SLICE_ITEMS)).cloned())
    }
}

async fn read_people(engine: &Engine, shown: &[Shown]) -> Result<HashMap<Uuid, Person>, Fault> {
    let ids: BTreeSet<Uuid> = shown.iter().filter_map(|item| person_of(&item.state)).collect();
    let ids: Vec<PersonId> = ids.into_iter().map(PersonId::from_uuid).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let people = engine.people(&ids).await?;
    Ok(people.into_iter().map(|person| (person.id.uuid(), person)).collect())
}

fn person_of(state: &ItemState) -> Option<Uuid> {
    match state {
        ItemState::Resolved { person, .. } => Some(*person),
        _ => None,
    }
}

/// What is pending in a job that is over will never be done.
const fn word(state: &ItemState, over: bool) -> ItemWord {
    match state {
        ItemState::Pending { .. } | ItemState::SameAs { .. } if over => ItemWord::Skipped,
        ItemState::Pending { .. } | ItemState::SameAs { .. } => ItemWord::Pending,
        ItemState::Resolved { .. } => ItemWord::Resolved,
        ItemState::NotFound => ItemWord::NotFound,
        ItemState::Invalid { .. } => ItemWord::Invalid,
        ItemState::Failed { .. } => ItemWord::Failed,
    }
}

fn view(item: Shown, over: bool, people: &HashMap<Uuid, Person>) -> ItemView {
    let status = word(&item.state, over);
    let person = person_of(&item.state).and_then(|id| people.get(&id)).cloned();
    let paid = status == ItemWord::Resolved && !item.copied;
    let credits = if paid { endpoints::bulk::PRICE.unit() } else { Credits::ZERO };
    let (confidence, matched_on, error) = match item.state {
        ItemState::Resolved { confidence, matched_on, .. } => (Some(confidence), matched_on, None),
        ItemState::Invalid { pointer, code, message, fix } => {
            (None, Vec::new(), Some(ItemError { code, message, pointer: Some(pointer), fix: Some(fix) }))
        }
        ItemState::Failed { code, message } => {
            (None, Vec::new(), Some(ItemError { code, message, pointer: None, fix: None }))
        }
        _ => (None, Vec::new(), None),
    };
    ItemView {
        index: item.index,
        id: item.id,
        status,
        person: person.map(Into::into),
        confidence,
        matched_on,
        cost: Cost { credits, balance_remaining: None },
        error,
    }
}
