//! Indexes over a real database, and what is asked of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be set up cannot be tested")]

mod alike;
mod bucket;
mod kept;
mod replica;
mod s3_server;
mod setting;
mod shelf;
mod snapshots;
#[path = "../../../store/tests/support/mod.rs"]
mod support;
