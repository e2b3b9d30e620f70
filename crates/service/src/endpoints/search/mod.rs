//! Search: people and companies by what they are, and the values there are to ask for.

mod companies;
mod people;
mod suggest;

pub use companies::{CompanyFilters, SearchCompanies};
pub use people::SearchPeople;
pub use suggest::Suggest;
