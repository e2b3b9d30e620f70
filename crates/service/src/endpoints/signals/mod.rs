//! Live signals: the feed, and an operator's own way to add to it.

mod feed;
mod given;
mod ingest;
mod live;

pub use feed::Signals;
pub use given::read_signal;
pub use ingest::IngestSignals;
