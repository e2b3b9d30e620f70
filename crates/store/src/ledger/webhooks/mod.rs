//! Webhooks: the endpoints an account wants to be told at, the messages to them, and how each try to deliver one went.
//!
//! A message is written by the transaction that makes it true ([`announce`]), together with the job of the queue that sends
//! it. Rows are always taken in this order: the job, the endpoint, its deliveries, the queue's shares. Whoever took them in
//! another would wait for somebody who waits for him.

pub(crate) mod announce;
mod attempts;
mod deliveries;
mod endpoints;
mod low_credits;
mod redeliver;
mod sweep;

pub(crate) use announce::announce;
pub use attempts::{AttemptEnd, Noted, Parcel, Then};
pub use deliveries::{AttemptRow, DeliveryRow, DeliveryState};
pub use endpoints::{
    Disabled, DisabledReason, NewWebhook, WebhookChange, WebhookCursor, WebhookMade, WebhookRow, WebhookTerms,
};
pub use redeliver::{Again, Redelivered, TimeRange};
pub use sweep::WebhooksSwept;
