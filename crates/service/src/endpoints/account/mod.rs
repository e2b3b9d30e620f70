//! What an account may know about itself.

mod export;
mod history;
mod me;
mod people;

pub use export::HistoryExport;
pub use history::History;
pub use me::Me;
pub use people::People;
