//! Finding the address of a person at a company: which addresses come into question, which to ask the mail server for, and how
//! sure the answer is.
//!
//! Nothing here reads or writes. Whoever searches brings the known addresses of the company along, asks the server what
//! [`next_step`] says, and comes back with what was heard until there is an answer.

mod belief;
mod candidates;
mod choice;
mod habits;
mod letters;
mod namesakes;
mod pattern;
mod probability;
mod spelling;
#[cfg(test)]
mod tests;

pub use belief::{Answer, CatchAll, Heard, MailServer, Next, next_step};
pub use candidates::{Candidate, candidates};
pub use choice::{Choice, Topic, Way};
pub use habits::{Example, Habits, Setting};
pub use pattern::{Pattern, PatternUse, Separator, Shape, read};
pub use probability::Probability;
