//! An account's keys: made, seen, changed, rotated and revoked by the account itself.

mod change;
mod create;
mod fields;
mod get;
mod list;
mod revoke;
mod rotate;
mod view;

pub use change::KeysChange;
pub use create::KeysCreate;
pub use get::KeysGet;
pub use list::KeysList;
pub use revoke::KeysRevoke;
pub use rotate::KeysRotate;
