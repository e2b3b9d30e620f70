//! The closed lists of words that records and filters use: seniority, department, size, stage, status, industry.
//!
//! Each word has an `index()` for compact storage, its place in `ALL`. New words are therefore added at the end of a
//! list only, and none is ever taken out.

mod email_status;
mod firm;
mod industry;
mod role;

pub use email_status::EmailStatus;
pub use firm::{FundingStage, SizeBand};
pub use industry::Industry;
pub use role::{Department, Seniority};

use crate::parse_error::ParseError;

/// Past this many characters no term is looked for that might have been meant: comparing costs the product of lengths.
const GUESSED_CHARS_MAX: usize = 64;

fn parse_term<T: Copy>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    kind: &'static str,
    text: &str,
) -> Result<T, ParseError> {
    all.iter()
        .copied()
        .find(|term| name(*term) == text)
        .ok_or_else(|| ParseError::Term { kind, nearest: nearest(all.iter().map(|term| name(*term)), text) })
}

fn index_of<T: Copy + PartialEq>(all: &[T], term: T) -> u8 {
    // Every value is in its list, and no list has 255 entries; both are tested.
    all.iter().position(|known| *known == term).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// The name with the fewest differences, if less than about a third of it differs.
fn nearest(names: impl Iterator<Item = &'static str>, text: &str) -> Option<&'static str> {
    if text.chars().count() > GUESSED_CHARS_MAX {
        return None;
    }
    // Terms use either separator, and callers mix them up more often than letters.
    let plain = |text: &str| text.trim().to_lowercase().replace([' ', '-'], "_");
    let wanted = plain(text);
    names
        .map(|name| (strsim::osa_distance(&plain(name), &wanted), name))
        .filter(|(distance, name)| *distance <= name.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}
