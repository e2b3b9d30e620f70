//! How an identifier looks in Debug output, which may reach a log: recognisable in a test, useless to a reader.

use std::fmt;

/// Prints the first character and hides the rest; a text too short to hide anything behind it is hidden whole.
pub(crate) struct Masked<'a>(pub(crate) &'a str);

impl fmt::Display for Masked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chars = self.0.chars();
        match (chars.next(), chars.nth(1)) {
            (Some(first), Some(_)) => write!(f, "{first}***"),
            _ => f.write_str("***"),
        }
    }
}
