//! The index against the plainest way to answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be set up cannot be tested")]

mod alike;
mod pair;
mod search;
