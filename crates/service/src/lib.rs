//! Floor 4: the API as one table, and one pipeline from key to cost. Knows nothing of HTTP beyond status numbers.

mod authenticate;
mod call;
pub mod catalog;
mod context;
mod cursor;
mod endpoint;
mod endpoints;
mod example;
pub mod fault;
mod idempotency;
mod input;
mod memory;
pub mod openapi;
mod pipeline;
mod problem;
mod query;
mod rate;
mod reply;
mod settle;
pub mod spec;
mod view;

pub use call::Call;
pub use catalog::CATALOG;
pub use endpoint::{AnswerShape, Chunks, Entry};
pub use pipeline::{HoldPolicy, Service, Settings};
pub use reply::{RateState, Reply, ReplyBody};

/// A place where a test may strike; see `assay_store::crash`. Nothing in a normal build.
pub use assay_store::crash::point as crash_point;
