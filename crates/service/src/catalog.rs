//! The whole public API on one screen. Router, prices, reference and the contract tests are read from it.

use crate::endpoint::Entry;
use crate::endpoints::{account, bulk, keys, operator, resolve, search, webhooks};

/// Every endpoint, in the order of the reference.
pub static CATALOG: &[Entry] = &[
    Entry::of::<resolve::Enrich>(),
    Entry::of::<resolve::Companies>(),
    Entry::of::<search::SearchPeople>(),
    Entry::of::<search::SearchCompanies>(),
    Entry::of::<search::Suggest>(),
    Entry::of::<bulk::BulkEnrich>(),
    Entry::of::<bulk::BulkList>(),
    Entry::of::<bulk::BulkGet>(),
    Entry::of::<bulk::BulkCancel>(),
    Entry::streaming::<bulk::BulkResultsNdjson>(),
    Entry::streaming::<bulk::BulkResultsCsv>(),
    Entry::streaming::<bulk::BulkEvents>(),
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
    Entry::of::<webhooks::WebhooksCreate>(),
    Entry::of::<webhooks::WebhooksList>(),
    Entry::of::<webhooks::WebhooksGet>(),
    Entry::of::<webhooks::WebhooksChange>(),
    Entry::of::<webhooks::WebhooksDelete>(),
    Entry::of::<webhooks::WebhooksRotate>(),
    Entry::of::<webhooks::WebhooksTest>(),
    Entry::of::<webhooks::WebhooksDeliveries>(),
    Entry::of::<webhooks::WebhooksRedeliver>(),
    Entry::of::<webhooks::WebhooksRedeliverOne>(),
    Entry::of::<operator::SuppressionsCreate>(),
    Entry::of::<operator::SuppressionsList>(),
    Entry::of::<operator::SuppressionsLift>(),
];
