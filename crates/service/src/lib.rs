//! Floor 4: the API as one table, and one pipeline from key to cost. Knows nothing of HTTP beyond status numbers.

mod account_icps;
mod account_keys;
mod account_webhooks;
mod authenticate;
mod bulk;
mod call;
pub mod catalog;
mod context;
mod csv;
mod cursor;
mod done;
mod endpoint;
mod endpoints;
mod example;
mod exports;
mod failed_auth;
pub mod fault;
mod feeds;
mod foresight;
mod idempotency;
mod input;
mod key_bounds;
mod key_desk;
mod key_epoch;
mod lists;
mod memory;
pub mod openapi;
mod pipeline;
mod problem;
mod query;
mod rate;
pub mod reference;
mod reply;
pub mod sandbox;
mod scheduled;
mod search;
mod settle;
mod slot;
pub mod spec;
mod steps;
#[cfg(test)]
mod test_ledger;
mod upstream;
mod view;
mod webhook_rules;
mod written;

pub use bulk::{BULK_PRICE, BulkDesk, BulkKeys, SliceEnd};
pub use call::Call;
pub use catalog::CATALOG;
pub use endpoint::{AnswerShape, Chunks, EVENT_STREAM, Entry};
pub use endpoints::signals::read_signal;
pub use idempotency::ReplyKeys;
pub use key_desk::{Issue, KeyDesk};
pub use lists::{ListDesk, ListKeys};
pub use pipeline::{HoldPolicy, Service, Settings};
pub use reply::{RateState, Reply, ReplyBody};
pub use settle::Billing;
pub use slot::{Slot, Slots};
pub use webhook_rules::{WebhookRules, WebhookSeal};

/// A place where a test may strike; see `assay_store::crash`. Nothing in a normal build.
pub use assay_store::crash::point as crash_point;
