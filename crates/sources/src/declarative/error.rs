//! What is wrong with a declaration: where, what, and how to mend it.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclarationError {
    /// The key in the file, with dots between tables.
    pub place: String,
    pub what: String,
    pub fix: String,
}

impl fmt::Display for DeclarationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` {} (to mend it: {})", self.place, self.what, self.fix)
    }
}

impl std::error::Error for DeclarationError {}
