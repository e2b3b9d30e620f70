//! Floor 1: telling customers' servers what happened. Signatures, the guard that keeps deliveries out of private
//! networks, one delivery, and when to try again. What is delivered, and its log, is kept elsewhere.

mod connector;
mod guard;
mod outcome;
mod refusal;
mod resolver;
mod schedule;
mod sender;
mod signature;
mod target;

pub use assay_trust::RootsError;
pub use guard::{Guard, Judged};
pub use outcome::{Outcome, Trouble, Verdict};
pub use refusal::Refusal;
pub use resolver::{Lookup, Resolver, SystemResolver};
pub use schedule::Schedule;
pub use sender::{Sender, SenderSettings};
pub use signature::{Secret, SecretError, SignatureError, sign, verify};
pub use target::Target;
