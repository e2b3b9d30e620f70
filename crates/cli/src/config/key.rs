//! The shape of a setting: its name, how it is written, and what it means.

use super::Config;

/// How a value is written in the file, and how much of it may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    /// true or false.
    Switch,
    /// In the file an array of texts, in the environment comma-separated.
    List,
    /// A text that may carry a password, which is never shown.
    Url,
    /// Never shown.
    Secret,
}

/// One setting.
#[derive(Debug)]
pub struct Key {
    pub section: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    /// As it would be typed into the environment; empty when there is none.
    pub default: fn() -> String,
    pub doc: &'static [&'static str],
    /// Reads a value as typed into the environment.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
}

impl Key {
    /// The name in the environment, which wins over the file.
    pub fn variable(&self) -> String {
        format!("ASSAY_{}_{}", self.section.to_uppercase(), self.name.to_uppercase())
    }

    /// The name in messages.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Whether the value may be the name of a file that holds the value: `file:/run/secrets/master_key`.
    pub const fn may_be_file(&self) -> bool {
        matches!(self.kind, Kind::Url | Kind::Secret)
    }
}
