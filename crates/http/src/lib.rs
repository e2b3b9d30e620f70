//! Floor 5: HTTP. Turns requests into calls and replies into responses; decides nothing about either.

mod admission;
mod client_address;
mod connections;
#[cfg(feature = "failpoints")]
mod half_reply;
mod meter;
mod open_files;
mod operations;
mod patient_stream;
mod reference;
mod request;
mod response;
mod router;
mod sandbox;
mod server;

pub use admission::Admission;
pub use client_address::TrustedProxies;
pub use open_files::connections_that_fit;
pub use operations::{Check, Probe, Readiness, operations};
pub use router::{Front, router};
pub use server::{Bounds, serve};
