//! Combos: several questions behind one call, one answer.

mod find_similar_people;
mod lookalike_accounts;
mod similarity;

pub use find_similar_people::FindSimilarPeople;
pub use lookalike_accounts::LookalikeAccounts;
