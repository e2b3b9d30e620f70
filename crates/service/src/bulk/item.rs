//! The items of a bulk job: what was asked, and what came of it.

use assay_domain::{AccountId, BulkId, Confidence, MasterKey, Sealed, Sealer};
use rand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use uuid::Uuid;

/// One item. Its place in the slice is its place in the request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Item {
    /// The client's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(flatten)]
    pub state: ItemState,
}

/// Where an item stands.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ItemState {
    Pending {
        /// The fields of an `enrich` request.
        ask: Map<String, Value>,
        /// Items further on that ask for the same.
        #[serde(default)]
        copies: u32,
    },
    /// Asks for the same as an item before it, and comes to the same.
    SameAs {
        index: usize,
    },
    Resolved {
        person: Uuid,
        confidence: Confidence,
        matched_on: Vec<String>,
    },
    NotFound,
    Invalid {
        pointer: String,
        code: String,
        message: String,
        fix: String,
    },
    Failed {
        code: String,
        message: String,
    },
}

/// What was asked for may name somebody.
impl fmt::Debug for ItemState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Pending { .. } => "Pending",
            Self::SameAs { .. } => "SameAs",
            Self::Resolved { .. } => "Resolved",
            Self::NotFound => "NotFound",
            Self::Invalid { .. } => "Invalid",
            Self::Failed { .. } => "Failed",
        })
    }
}

impl ItemState {
    pub const fn is_pending(&self) -> bool {
        matches!(self, Self::Pending { .. })
    }
}

/// Seals what customers send with a bulk job: the database cannot read it.
#[derive(Clone)]
pub struct BulkKeys(Sealer);

impl fmt::Debug for BulkKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("BulkKeys(***)")
    }
}

/// Why stored items cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a stored part of a bulk job is not what was stored")]
pub struct Unreadable;

/// The number that stands for the client's words about the whole job.
const METADATA: i16 = -1;

impl BulkKeys {
    pub fn new(master: &MasterKey) -> Self {
        Self(master.sealer("bulk"))
    }

    pub(crate) fn seal_items(
        &self,
        place: (AccountId, BulkId),
        number: i16,
        items: &[Item],
    ) -> Result<Vec<u8>, Unreadable> {
        self.seal(place, number, &serde_json::to_vec(items).map_err(|_| Unreadable)?)
    }

    pub(crate) fn open_items(
        &self,
        place: (AccountId, BulkId),
        number: i16,
        sealed: &[u8],
    ) -> Result<Vec<Item>, Unreadable> {
        let open = self.0.open(&owner(place, number), sealed).map_err(|_| Unreadable)?;
        serde_json::from_slice(&open).map_err(|_| Unreadable)
    }

    pub(crate) fn seal_metadata(
        &self,
        place: (AccountId, BulkId),
        metadata: &Map<String, Value>,
    ) -> Result<Vec<u8>, Unreadable> {
        self.seal(place, METADATA, &serde_json::to_vec(metadata).map_err(|_| Unreadable)?)
    }

    pub(crate) fn open_metadata(
        &self,
        place: (AccountId, BulkId),
        sealed: &[u8],
    ) -> Result<Map<String, Value>, Unreadable> {
        let open = self.0.open(&owner(place, METADATA), sealed).map_err(|_| Unreadable)?;
        serde_json::from_slice(&open).map_err(|_| Unreadable)
    }

    fn seal(&self, place: (AccountId, BulkId), number: i16, plain: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
        self.0.seal(&owner(place, number), plain, random).map(Sealed::into_bytes).map_err(|_| Unreadable)
    }
}

fn owner((account, bulk): (AccountId, BulkId), number: i16) -> Vec<u8> {
    [account.uuid().as_bytes().as_slice(), bulk.uuid().as_bytes(), &number.to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    #[test]
    fn items_open_only_in_their_own_place() {
        let keys = BulkKeys::new(&MasterKey::parse(&"5b".repeat(32)).unwrap());
        let (account, bulk) = (AccountId::mint(DateTime::UNIX_EPOCH), BulkId::mint(DateTime::UNIX_EPOCH));
        let ask = serde_json::from_str(r#"{"email":"ada@example.com"}"#).unwrap();
        let items = [Item { id: Some("7".into()), state: ItemState::Pending { ask, copies: 2 } }];
        let sealed = keys.seal_items((account, bulk), 3, &items).unwrap();
        assert!(!sealed.windows(3).any(|bytes| bytes == b"ada"));
        let open = keys.open_items((account, bulk), 3, &sealed).unwrap();
        assert!(
            matches!(open.as_slice(), [Item { id: Some(id), state: ItemState::Pending { copies: 2, .. } }] if id == "7")
        );
        assert!(keys.open_items((account, bulk), 4, &sealed).is_err());
        let other = BulkId::mint(DateTime::UNIX_EPOCH);
        assert!(keys.open_items((account, other), 3, &sealed).is_err());
    }
}
