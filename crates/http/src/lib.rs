//! Floor 5: HTTP. Turns requests into calls and replies into responses; decides nothing about either.

#[cfg(feature = "failpoints")]
mod half_reply;
mod meter;
mod operations;
mod request;
mod response;
mod router;
mod server;

pub use operations::{Check, Probe, Readiness, operations};
pub use router::router;
pub use server::serve;
