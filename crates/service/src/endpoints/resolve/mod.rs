//! Resolve: one identifier in, one record out.

mod companies;
mod enrich;
mod verify_email;

pub use companies::Companies;
pub use enrich::Enrich;
pub(crate) use enrich::{EnrichQuestion, EnrichRequest, profile_url};
pub use verify_email::VerifyEmail;
