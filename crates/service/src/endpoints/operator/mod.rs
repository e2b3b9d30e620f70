//! What only an operator may do. It acts on the whole installation, not on the account of the key.

mod lift;
mod list;
mod suppress;
mod view;

pub use lift::SuppressionsLift;
pub use list::SuppressionsList;
pub use suppress::SuppressionsCreate;
