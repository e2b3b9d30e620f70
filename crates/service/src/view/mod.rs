//! The JSON shapes of records, shared by all endpoints: the only serialisable person and company.

mod company;
mod meta;
mod person;
mod terms;

pub use company::CompanyView;
pub use person::PersonView;
