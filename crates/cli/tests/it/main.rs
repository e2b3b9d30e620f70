//! The built program against real databases: the contract over HTTP, the commands, and how it starts and stops.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking; clippy spares only the functions marked as tests"
)]

mod bulk;
mod catalog;
mod commands;
mod feeds;
mod history;
mod import;
mod keys;
mod lately;
mod lifecycle;
mod lists;
mod mail;
mod money;
mod overload;
mod privacy;
mod rates;
mod reference;
mod research;
mod sandbox;
mod schemas;
mod search;
mod signals;
mod similar;
mod snapshots;
mod support;
mod upstreams;
mod webhooks;
