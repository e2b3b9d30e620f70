//! Many lookups in one call, answered later.

mod cancel;
mod events;
mod get;
mod list;
mod results;
mod results_csv;
mod results_ndjson;
mod submit;
mod view;

pub use cancel::BulkCancel;
pub use events::BulkEvents;
pub use get::BulkGet;
pub use list::BulkList;
pub use results_csv::BulkResultsCsv;
pub use results_ndjson::BulkResultsNdjson;
pub use submit::BulkEnrich;

use assay_domain::{Credits, Price};

/// What history calls the lookups of bulk jobs.
pub(crate) const NAME: &str = "bulk-enrich";

/// A resolved item.
pub(crate) const PRICE: Price = Price::PerUnit(Credits::whole(1));
