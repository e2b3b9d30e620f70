//! How alike two names are: the ground on which records of one person are recognised as such.
//!
//! Pure functions over folded text. Whoever decides weighs what they say; nothing here knows of thresholds.

mod company;
mod given;
mod name;
mod spelling;
mod surname;

pub use company::{CompanyLikeness, CompanyWords, compare_companies};
pub use given::{GivenLikeness, compare_given, given_forms};
pub use name::{FamilyLikeness, MiddleLikeness, NameLikeness, NameParts, compare_family, compare_names};
pub use spelling::{is_abbreviated, is_slip, skeleton};
