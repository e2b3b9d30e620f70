//! Saved ICPs: searches that are kept to be run again.

mod create;
mod delete;
mod fields;
mod get;
mod list;
mod results;
mod run;
mod view;

pub use create::SavedIcpsCreate;
pub use delete::SavedIcpsDelete;
pub(crate) use fields::{company_conditions, icp_id};
pub use get::SavedIcpsGet;
pub use list::SavedIcpsList;
pub use results::SavedIcpsResults;
pub use run::SavedIcpsRun;
