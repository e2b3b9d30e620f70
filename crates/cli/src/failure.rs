//! Why a command failed: each reason one sentence, with what to do about it.

use assay_engine::EngineError;
use assay_store::StoreError;
use std::error::Error;
use std::fmt;

/// A failed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub reasons: Vec<Reason>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub what: String,
    pub fix: String,
}

impl Failure {
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { reasons: vec![Reason { what: what.into(), fix: fix.into() }] }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines =
            self.reasons.iter().map(|reason| format!("error: {}\n  fix: {}", reason.what, reason.fix));
        out.write_str(&lines.collect::<Vec<_>>().join("\n"))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let what = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let fix = match error {
            StoreError::Unavailable(_) => {
                "check that PostgreSQL runs and that the URL is right: assay doctor"
            }
            StoreError::Schema(_) => "assay doctor says what is wrong with the schema or the master key",
            StoreError::Overloaded => "try again when the database has less to do",
            StoreError::Conflict(_) => {
                "check that what the command names exists, and that what it makes does not"
            }
            StoreError::Corrupt(_) => "report it, with the output of assay doctor",
        };
        Self::new(what, fix)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
        }
    }
}
