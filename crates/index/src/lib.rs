//! Floor 1: the index. Documents of people or of companies in Tantivy, found by any filter, in one order.
//!
//! It knows neither people nor companies: whoever fills it says which terms, words and numbers a document has. What it
//! promises: a question is answered in the order of the documents, so that reading stops as soon as a page is full; a page
//! goes on where the last one ended, in this index or in any other that has read as much of the change log; what is deleted
//! is gone with the next commit.

mod alike;
mod columns;
mod document;
mod error;
mod files;
mod forward;
mod partition;
mod question;
mod schema;
mod search;
mod sifted;
mod snapshot;
mod suggest;
mod together;
mod walk;

pub use alike::{Candidate, Commonness, Feature, Sought};
pub use document::{Document, Number, Place, Term, Text, fold_term};
pub use error::IndexError;
pub use question::{Asker, Clause, Question};
pub use search::{Changes, Hits, Index, Mark, Page};
pub use snapshot::Manifest;
pub use suggest::Suggestion;
