//! Resolve: one identifier in, one record out.

mod companies;
mod enrich;

pub use companies::Companies;
pub use enrich::Enrich;
pub(crate) use enrich::{EnrichQuestion, EnrichRequest, profile_url};
