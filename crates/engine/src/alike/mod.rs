//! Who is like whom, and why: companies by what they do and are, people by their work.
//!
//! Records are compared in a few aspects, each of which is a reason that can be told. [`Sketch`] is what is compared of a
//! record, [`Profile`] what is sought, weighed by how rare it is; both are pure. [`Lookout`] asks an index for candidates,
//! and the [`Engine`](crate::Engine) reads their records and ranks them.

mod aspect;
mod find;
mod profile;
mod rarity;
mod reason;
mod sketch;
#[cfg(test)]
mod tests;

pub use aspect::Aspect;
pub use find::{Alike, Lookout, Shortlist};
pub use profile::{Likeness, Profile};
pub use rarity::Rarity;
pub use reason::Reason;
pub use sketch::Sketch;
