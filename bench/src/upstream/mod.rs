//! The bars of vendors: in which order they are asked, what an outage of one costs, what is done with their answers, and how
//! little it takes to add one.

pub mod contacts;
pub mod provider_outage;
pub mod stage;
pub mod vendor_size;
#[expect(clippy::as_conversions, reason = "drawn figures, which need not be exact, become prices and places")]
pub mod waterfall;
