//! What reports say in words. They are written by lawyers: the same few sentences again and again. Those are read, and nothing
//! is made of others.

mod companies;
mod deals;
mod moves;
mod officers;
mod people;
mod phrases;
mod words;

pub(super) use deals::read_deals;
pub(super) use moves::read_moves;

use super::super::moment;
use assay_domain::content_hash::content_hash;
use assay_domain::signal::Party;
use chrono::{DateTime, NaiveDate, Utc};

/// What is known of a report before its words are read.
#[derive(Debug)]
pub(super) struct Reported {
    pub(super) company: Party,
    pub(super) cik: String,
    /// The day of the earliest event.
    pub(super) period: NaiveDate,
    pub(super) filed_at: DateTime<Utc>,
    pub(super) filed_on: NaiveDate,
    pub(super) url: String,
}

impl Reported {
    /// When something happened: on its day, unless that is still to come.
    fn occurred_at(&self, day: Option<NaiveDate>) -> DateTime<Utc> {
        let day = day.unwrap_or(self.period);
        if day <= self.filed_on { moment::midnight(day) } else { self.filed_at }
    }

    /// The same for the report and its amendments, which repeat the company and the day. Names are not shown.
    fn reference(&self, kind: &str, name: &str) -> String {
        let hash = content_hash(name.as_bytes());
        let short = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect::<String>();
        format!("{}/{}/{kind}/{short}", self.cik, self.period)
    }
}
