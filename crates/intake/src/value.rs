//! Single values out of the text of a cell.

pub(crate) mod country;
pub(crate) mod date;
pub(crate) mod industry;
pub(crate) mod language;
pub(crate) mod list;
pub(crate) mod number;
pub(crate) mod phone;
pub(crate) mod place;
