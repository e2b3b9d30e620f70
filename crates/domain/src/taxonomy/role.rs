//! What somebody does at work: seniority and department.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{index_of, parse_term};
use crate::parse_error::ParseError;

/// How high somebody stands, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Seniority {
    Owner,
    Founder,
    CSuite,
    Partner,
    Vp,
    Head,
    Director,
    Manager,
    Senior,
    Entry,
    Intern,
}

impl Seniority {
    pub const ALL: &[Self] = &[
        Self::Owner,
        Self::Founder,
        Self::CSuite,
        Self::Partner,
        Self::Vp,
        Self::Head,
        Self::Director,
        Self::Manager,
        Self::Senior,
        Self::Entry,
        Self::Intern,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Founder => "founder",
            Self::CSuite => "c_suite",
            Self::Partner => "partner",
            Self::Vp => "vp",
            Self::Head => "head",
            Self::Director => "director",
            Self::Manager => "manager",
            Self::Senior => "senior",
            Self::Entry => "entry",
            Self::Intern => "intern",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse_term(Self::ALL, Self::as_str, "seniority", text)
    }

    pub fn index(self) -> u8 {
        index_of(Self::ALL, self)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl FromStr for Seniority {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Seniority {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Seniority> for &'static str {
    fn from(term: Seniority) -> Self {
        term.as_str()
    }
}

impl fmt::Display for Seniority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What part of a company somebody works in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Department {
    Executive,
    Engineering,
    It,
    Data,
    Security,
    Product,
    Design,
    Sales,
    CustomerSuccess,
    Marketing,
    Finance,
    Hr,
    Legal,
    Operations,
    Support,
    Education,
    Health,
    Consulting,
    Research,
    Other,
}

impl Department {
    pub const ALL: &[Self] = &[
        Self::Executive,
        Self::Engineering,
        Self::It,
        Self::Data,
        Self::Security,
        Self::Product,
        Self::Design,
        Self::Sales,
        Self::CustomerSuccess,
        Self::Marketing,
        Self::Finance,
        Self::Hr,
        Self::Legal,
        Self::Operations,
        Self::Support,
        Self::Education,
        Self::Health,
        Self::Consulting,
        Self::Research,
        Self::Other,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Executive => "executive",
            Self::Engineering => "engineering",
            Self::It => "it",
            Self::Data => "data",
            Self::Security => "security",
            Self::Product => "product",
            Self::Design => "design",
            Self::Sales => "sales",
            Self::CustomerSuccess => "customer_success",
            Self::Marketing => "marketing",
            Self::Finance => "finance",
            Self::Hr => "hr",
            Self::Legal => "legal",
            Self::Operations => "operations",
            Self::Support => "support",
            Self::Education => "education",
            Self::Health => "health",
            Self::Consulting => "consulting",
            Self::Research => "research",
            Self::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse_term(Self::ALL, Self::as_str, "department", text)
    }

    pub fn index(self) -> u8 {
        index_of(Self::ALL, self)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl FromStr for Department {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Department {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        Self::parse(&text)
    }
}

impl From<Department> for &'static str {
    fn from(term: Department) -> Self {
        term.as_str()
    }
}

impl fmt::Display for Department {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
