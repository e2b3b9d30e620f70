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

use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::Plan;

/// What all of them have in common.
const fn spec(name: &'static str, verb: Verb, path: &'static str) -> Spec {
    Spec { plan: Plan::Pro, ..Spec::free(name, verb, path, Group::Webhooks, Scope::Webhooks) }
}
