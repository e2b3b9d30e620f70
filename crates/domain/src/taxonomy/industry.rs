//! The 147 industries that companies on the professional network choose from.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::nearest;
use crate::parse_error::ParseError;

/// One name a line; the line number is the index. The names are those of the crate `fake` 5.1.0 (MIT OR Apache-2.0),
/// one misspelling corrected.
static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| include_str!("../../data/industries.txt").lines().collect());

/// An industry, kept as its place in the list. Read without regard to case, written as the list has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct Industry(u8);

impl Industry {
    /// Every industry, in the order of the list.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..=u8::MAX).map_while(Self::from_index)
    }

    pub fn as_str(self) -> &'static str {
        NAMES.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let wanted = text.trim();
        Self::all().find(|industry| industry.as_str().eq_ignore_ascii_case(wanted)).ok_or_else(|| {
            ParseError::Term { kind: "industry", nearest: nearest(NAMES.iter().copied(), wanted) }
        })
    }

    pub fn index(self) -> u8 {
        self.0
    }

    pub fn from_index(index: u8) -> Option<Self> {
        NAMES.get(usize::from(index)).map(|_| Self(index))
    }
}

impl FromStr for Industry {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Industry {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Industry> for &'static str {
    fn from(industry: Industry) -> Self {
        industry.as_str()
    }
}

impl fmt::Display for Industry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Industry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Industry({})", self.as_str())
    }
}
