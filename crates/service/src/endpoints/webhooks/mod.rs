//! Webhooks: where an account is told what happened, and the log of what it was told.

mod change;
mod create;
mod delete;
mod deliveries;
mod fields;
mod get;
mod list;
mod redeliver;
mod redeliver_one;
mod rotate;
mod test;
mod view;

pub use change::WebhooksChange;
pub use create::WebhooksCreate;
pub use delete::WebhooksDelete;
pub use deliveries::WebhooksDeliveries;
pub use get::WebhooksGet;
pub use list::WebhooksList;
pub use redeliver::WebhooksRedeliver;
pub use redeliver_one::WebhooksRedeliverOne;
pub use rotate::WebhooksRotate;
pub use test::WebhooksTest;
