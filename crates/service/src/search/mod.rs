//! Searching: filters as requests write them and as the index understands them, and pages that any node can go on with.

pub mod clauses;
pub mod firm;
pub mod page;
pub mod values;

pub use page::{
    Conditions, Count, FoundPage, PageWish, Sort, TotalRelation, TruncatedBy, find, find_telling, foreseen,
};
