//! The whole public API on one screen. Router, prices, reference and the contract tests are read from it.

use crate::endpoint::Entry;
use crate::endpoints::{account, resolve};

/// Every endpoint, in the order of the reference.
pub static CATALOG: &[Entry] = &[
    Entry::of::<resolve::Enrich>(),
    Entry::of::<resolve::Companies>(),
    Entry::of::<account::Me>(),
    Entry::of::<account::History>(),
    Entry::of::<account::People>(),
];
