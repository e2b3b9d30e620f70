//! The whole public API on one screen. Router, prices, reference and the contract tests are read from it.

use crate::endpoint::Entry;
use crate::endpoints::{account, keys, operator, resolve};

/// Every endpoint, in the order of the reference.
pub static CATALOG: &[Entry] = &[
    Entry::of::<resolve::Enrich>(),
    Entry::of::<resolve::Companies>(),
    Entry::of::<account::Me>(),
    Entry::of::<account::History>(),
    Entry::streaming::<account::HistoryExport>(),
    Entry::of::<account::People>(),
    Entry::of::<keys::KeysCreate>(),
    Entry::of::<keys::KeysList>(),
    Entry::of::<keys::KeysGet>(),
    Entry::of::<keys::KeysChange>(),
    Entry::of::<keys::KeysRotate>(),
    Entry::of::<keys::KeysRevoke>(),
    Entry::of::<operator::SuppressionsCreate>(),
    Entry::of::<operator::SuppressionsList>(),
    Entry::of::<operator::SuppressionsLift>(),
];
