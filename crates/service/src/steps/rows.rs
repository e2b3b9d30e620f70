//! Rows of an answer: what each shows, whom it names, and what was missing.

use crate::endpoint::{Outcome, Step, Trace};
use crate::fault::{Code, Fault};
use crate::search::TruncatedBy;
use assay_domain::PersonId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// An answer of rows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Rows")]
pub struct Rows<T> {
    pub results: Vec<T>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    /// Where to go on; null at the end. A page may be short although more is there.
    pub next_cursor: Option<String>,
    /// Whether something could not be asked for, which may be found another time.
    pub partial: bool,
    /// What that is.
    pub failed_parts: Vec<&'static str>,
}

impl<T> Rows<T> {
    pub fn of(results: Vec<T>) -> Self {
        Self { results, truncated_by: None, next_cursor: None, partial: false, failed_parts: Vec::new() }
    }
}

/// Parts that nobody could be asked for, noted by whoever completes rows.
#[derive(Debug, Default)]
pub struct Failures(Mutex<BTreeSet<&'static str>>);

impl Failures {
    pub fn note(&self, parts: &[&'static str]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(parts);
    }

    fn all(&self) -> Vec<&'static str> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

/// A page that was found.
#[derive(Debug)]
pub struct FoundRows<R> {
    pub rows: Vec<R>,
    pub units: u32,
    pub truncated_by: Option<TruncatedBy>,
    pub next_cursor: Option<String>,
    pub steps: Vec<Step>,
}

impl<R> FoundRows<R> {
    /// The answer; `people` are those whom the caller has come to know by a row. That nothing was found is said only if everybody
    /// could be asked.
    pub fn outcome<T>(
        self,
        failures: &Failures,
        people: impl Fn(&R) -> Option<PersonId>,
        show: impl FnMut(R) -> T,
    ) -> Result<Outcome<Rows<T>>, Fault> {
        let failed_parts = failures.all();
        if self.rows.is_empty() && !failed_parts.is_empty() {
            let detail = format!("no source could be asked for {}", failed_parts.join(" and "));
            return Err(Fault::new(Code::UpstreamError, detail));
        }
        let people: BTreeSet<PersonId> = self.rows.iter().filter_map(people).collect();
        let trace = Trace { steps: self.steps, people: people.into_iter().collect(), ..Trace::default() };
        let body = Rows {
            results: self.rows.into_iter().map(show).collect(),
            truncated_by: self.truncated_by,
            next_cursor: self.next_cursor,
            partial: !failed_parts.is_empty(),
            failed_parts,
        };
        Ok(Outcome::found(body, self.units, trace))
    }
}
