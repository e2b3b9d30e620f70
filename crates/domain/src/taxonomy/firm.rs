//! What kind of company it is: size and funding stage.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{index_of, parse_term};
use crate::parse_error::ParseError;

/// A range of employee counts, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum SizeBand {
    UpTo10,
    UpTo50,
    UpTo200,
    UpTo500,
    UpTo1000,
    UpTo5000,
    UpTo10000,
    Above10000,
}

impl SizeBand {
    pub const ALL: &[Self] = &[
        Self::UpTo10,
        Self::UpTo50,
        Self::UpTo200,
        Self::UpTo500,
        Self::UpTo1000,
        Self::UpTo5000,
        Self::UpTo10000,
        Self::Above10000,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UpTo10 => "1-10",
            Self::UpTo50 => "11-50",
            Self::UpTo200 => "51-200",
            Self::UpTo500 => "201-500",
            Self::UpTo1000 => "501-1000",
            Self::UpTo5000 => "1001-5000",
            Self::UpTo10000 => "5001-10000",
            Self::Above10000 => "10001+",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse_term(Self::ALL, Self::as_str, "company size", text)
    }

    pub fn index(self) -> u8 {
        index_of(Self::ALL, self)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }

    /// The band of a head count; nobody has no band.
    pub fn of_count(employees: u32) -> Option<Self> {
        Some(match employees {
            0 => return None,
            1..=10 => Self::UpTo10,
            11..=50 => Self::UpTo50,
            51..=200 => Self::UpTo200,
            201..=500 => Self::UpTo500,
            501..=1_000 => Self::UpTo1000,
            1_001..=5_000 => Self::UpTo5000,
            5_001..=10_000 => Self::UpTo10000,
            _ => Self::Above10000,
        })
    }
}

impl FromStr for SizeBand {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for SizeBand {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<SizeBand> for &'static str {
    fn from(term: SizeBand) -> Self {
        term.as_str()
    }
}

impl fmt::Display for SizeBand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind of a funding round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum FundingStage {
    PreSeed,
    Seed,
    SeriesA,
    SeriesB,
    SeriesC,
    SeriesD,
    SeriesE,
    SeriesF,
    SeriesG,
    SeriesH,
    PrivateEquity,
    Debt,
    Grant,
    Ipo,
    Other,
}

impl FundingStage {
    pub const ALL: &[Self] = &[
        Self::PreSeed,
        Self::Seed,
        Self::SeriesA,
        Self::SeriesB,
        Self::SeriesC,
        Self::SeriesD,
        Self::SeriesE,
        Self::SeriesF,
        Self::SeriesG,
        Self::SeriesH,
        Self::PrivateEquity,
        Self::Debt,
        Self::Grant,
        Self::Ipo,
        Self::Other,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreSeed => "pre_seed",
            Self::Seed => "seed",
            Self::SeriesA => "series_a",
            Self::SeriesB => "series_b",
            Self::SeriesC => "series_c",
            Self::SeriesD => "series_d",
            Self::SeriesE => "series_e",
            Self::SeriesF => "series_f",
            Self::SeriesG => "series_g",
            Self::SeriesH => "series_h",
            Self::PrivateEquity => "private_equity",
            Self::Debt => "debt",
            Self::Grant => "grant",
            Self::Ipo => "ipo",
            Self::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse_term(Self::ALL, Self::as_str, "funding stage", text)
    }

    pub fn index(self) -> u8 {
        index_of(Self::ALL, self)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl FromStr for FundingStage {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for FundingStage {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<FundingStage> for &'static str {
    fn from(term: FundingStage) -> Self {
        term.as_str()
    }
}

impl fmt::Display for FundingStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
