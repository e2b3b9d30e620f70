//! The bars of signals: what is read of the news, what is one event, what a page of the feed costs, and thousands who are told as it
//! happens.

pub mod cost;
pub mod dedupe;
pub mod event_stream;
pub mod extract;
pub mod freshness;
mod heap;
mod score;
pub mod streams;
pub mod teller;
