//! What is known about whether an email address receives mail.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{index_of, parse_term};
use crate::parse_error::ParseError;

/// The verdict on one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum EmailStatus {
    Valid,
    CatchAll,
    CatchAllValid,
    Invalid,
    Disposable,
    Risky,
    Unknown,
}

impl EmailStatus {
    pub const ALL: &[Self] = &[
        Self::Valid,
        Self::CatchAll,
        Self::CatchAllValid,
        Self::Invalid,
        Self::Disposable,
        Self::Risky,
        Self::Unknown,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::CatchAll => "catch_all",
            Self::CatchAllValid => "catch_all_valid",
            Self::Invalid => "invalid",
            Self::Disposable => "disposable",
            Self::Risky => "risky",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse_term(Self::ALL, Self::as_str, "email status", text)
    }

    pub fn index(self) -> u8 {
        index_of(Self::ALL, self)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl FromStr for EmailStatus {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for EmailStatus {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<EmailStatus> for &'static str {
    fn from(term: EmailStatus) -> Self {
        term.as_str()
    }
}

impl fmt::Display for EmailStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
