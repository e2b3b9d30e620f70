//! What accounts keep to be asked again: watch lists.

mod add;
mod change;
mod create;
mod delete;
mod fields;
mod get;
mod list;
mod remove;
mod results;
mod run;
mod view;

pub use add::WatchListsAdd;
pub use change::WatchListsChange;
pub use create::WatchListsCreate;
pub use delete::WatchListsDelete;
pub(crate) use fields::{KindAsked, ScheduleAsked, ToldPage, ToldRequest, name as list_name};
pub use get::WatchListsGet;
pub use list::WatchListsList;
pub use remove::WatchListsRemove;
pub use results::WatchListsResults;
pub use run::{RUN_NAME, RUN_PRICE, WatchListsRun};
pub(crate) use view::ScheduleView;
