//! The JSON shapes of records, shared by all endpoints: the only serialisable person and company.

mod company;
mod meta;
mod person;
mod signal;
mod terms;

pub use company::CompanyView;
pub use person::{EmployerView, PersonView};
pub use signal::{ChangeView, JobView, PartyView, PostView, SignalView, example_signal};
