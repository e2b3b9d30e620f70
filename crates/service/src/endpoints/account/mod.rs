//! What an account may know about itself.

mod history;
mod me;
mod people;

pub use history::History;
pub use me::Me;
pub use people::People;
