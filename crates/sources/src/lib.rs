//! Floor 1: asking others. A vendor is two pure functions: the question as a request, and the answer read from what came
//! back. One client does the rest for all of them: keys, deadlines, retries, breakers, limits. A feed is a public source that
//! is looked at again and again; it is as pure.

mod answer;
mod client;
mod declarative;
pub mod feeds;
pub mod money;
pub mod press;
mod question;
mod reading;
mod vendor;
pub mod vendors;

pub use answer::{Answer, FoundEmail, FoundPhone, JobSaid, Line, PersonSaid, Reading, VerdictSaid};
pub use client::{
    Asked, Client, ClientSettings, Got, NoPages, NotAsked, Pages, Rest, SetupError, Shown, SourceGuard,
    Uptime, Validators, VendorPlace,
};
pub use declarative::{DeclarationError, DeclarativeVendor};
pub use question::{Question, Subject};
pub use vendor::{AskedFor, Credentials, HttpAnswer, HttpQuestion, Price, Rights, Vendor, VendorFacts};
