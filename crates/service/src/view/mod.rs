//! The JSON shapes of records, shared by all endpoints: the only serialisable person and company.

mod company;
mod meta;
mod person;
mod signal;
pub mod terms;
mod told;
mod told_person;

pub use company::{CompanyView, RoundView, TechnologyView};
pub use person::{EmployerView, PersonView};
pub use signal::{AcquisitionView, ChangeView, JobView, PartyView, PostView, SignalView, example_signal};
pub use told::ToldSignal;
pub use told_person::{Row, ToldPerson, tell_people};
