//! How far back a question goes: all in UTC, both ends included.

use crate::fault::Fault;
use crate::search::values::{FilterValue, OneValue};
use assay_domain::limits::WINDOW_DAYS_DEFAULT;
use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveTime, TimeDelta, Utc};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// A time; or a day, which begins at midnight UTC.
#[derive(Debug, Clone, Copy)]
pub struct Since(DateTime<Utc>);

impl Since {
    pub fn given(asked: Option<OneValue<Self>>) -> Option<DateTime<Utc>> {
        asked.map(|OneValue(Self(at))| at)
    }
}

impl FilterValue for Since {
    fn read(text: &str) -> Result<Self, String> {
        // Days are read no less strictly: the calendar goes further back than the database can count.
        let read = |text: &str| DateTime::parse_from_rfc3339(text).map(|at| at.to_utc());
        let reason = |_| "invalid time, expected a day or a time as RFC 3339 writes them".to_owned();
        read(text).or_else(|_| read(&format!("{text}T00:00:00Z"))).map(Self).map_err(reason)
    }

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "string", "format": "date" }]
        })
    }
}

/// How far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Window {
    /// So many times 24 hours.
    Days(u32),
    Since(DateTime<Utc>),
    /// The calendar quarter to date.
    Quarter,
    /// From so many calendar months ago to so many, both days included.
    Months {
        from: u32,
        to: u32,
    },
}

impl Window {
    pub fn read(days: Option<u32>, since: Option<OneValue<Since>>) -> Result<Self, Fault> {
        match (days, since) {
            (Some(_), Some(_)) => {
                let fix = "send days or since, not both";
                Err(Fault::field("/since", "several_windows", "the window is given twice", fix))
            }
            (None, Some(OneValue(Since(at)))) => Ok(Self::Since(at)),
            (days, None) => Ok(Self::Days(days.unwrap_or(WINDOW_DAYS_DEFAULT))),
        }
    }

    pub fn begin(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Days(days) => now - TimeDelta::days(days.into()),
            Self::Since(at) => at,
            Self::Quarter => midnight(first_of_quarter(now.date_naive())),
            Self::Months { from, .. } => midnight(months_before(now.date_naive(), from)),
        }
    }

    /// What happened after it is not of the window.
    pub fn end(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Months { to, .. } => {
                midnight(months_before(now.date_naive(), to)) + TimeDelta::days(1)
                    - TimeDelta::microseconds(1)
            }
            Self::Days(_) | Self::Since(_) | Self::Quarter => now,
        }
    }

    /// Whether something of this time is of the window. What is known by its day alone (midnight) is compared as a day.
    pub fn holds(self, at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let begin = self.begin(now);
        let is_of_first_day = at == midnight(begin.date_naive());
        (at >= begin || is_of_first_day) && at <= self.end(now)
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

fn first_of_quarter(day: NaiveDate) -> NaiveDate {
    NaiveDate::from_ymd_opt(day.year(), day.month0() / 3 * 3 + 1, 1).unwrap_or(day)
}

/// The same day of an earlier month, or its last where it has no such day.
pub fn months_before(day: NaiveDate, months: u32) -> NaiveDate {
    day.checked_sub_months(Months::new(months)).unwrap_or(NaiveDate::MIN)
}

/// The same day of a later month, or its last where it has no such day.
pub fn months_after(day: NaiveDate, months: u32) -> NaiveDate {
    day.checked_add_months(Months::new(months)).unwrap_or(NaiveDate::MAX)
}

/// The last day of which the day so many months before is this one or an earlier one: the last of a month where this is the last of
/// its own.
pub fn months_after_at_most(day: NaiveDate, months: u32) -> NaiveDate {
    let after = months_after(day, months);
    let is_last = day.succ_opt().is_none_or(|next| next.month() != day.month());
    if is_last { after.with_day(u32::from(after.num_days_in_month())).unwrap_or(after) } else { after }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_so_many_times_24_hours_or_begins_with_a_day_or_a_time() {
        let now = DateTime::from_timestamp(1_793_527_200, 0).unwrap();
        assert_eq!(Window::read(None, None).unwrap(), Window::Days(30));
        assert_eq!(Window::Days(2).begin(now), now - TimeDelta::hours(48));
        let since = |text: &str| Since::read(text).map(|Since(at)| at.to_rfc3339());
        assert_eq!(since("2026-11-02").as_deref(), Ok("2026-11-02T00:00:00+00:00"));
        assert_eq!(since("2026-11-02T01:30:00+02:00").as_deref(), Ok("2026-11-01T23:30:00+00:00"));
        for wrong in ["", "yesterday", "2026-13-01", "2026-11-02T25:00:00Z", "2026-1-2", "-9999-01-01"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
        assert!(Window::read(Some(3), Some(OneValue(Since(now)))).is_err());
    }

    #[test]
    fn a_day_is_as_many_months_ago_until_the_last_day_that_says_so() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let first = day("2024-01-01");
        for day in first.iter_days().take(1_500) {
            let last = months_after_at_most(day, 18);
            assert!(months_before(last, 18) <= day, "{day} {last}");
            assert!(months_before(last.succ_opt().unwrap(), 18) > day, "{day} {last}");
        }
        assert_eq!(months_after_at_most(day("2025-09-30"), 18), day("2027-03-31"));
        assert_eq!(months_after_at_most(day("2025-09-29"), 18), day("2027-03-29"));
        assert_eq!(months_after_at_most(day("2028-02-28"), 18), day("2029-08-28"));
    }

    #[test]
    fn quarters_and_months_are_those_of_the_calendar() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let begin = |window: Window, now: &str| window.begin(at(now)).to_rfc3339();
        assert_eq!(begin(Window::Quarter, "2026-11-17T12:00:00Z"), "2026-10-01T00:00:00+00:00");
        assert_eq!(begin(Window::Quarter, "2026-01-01T00:00:00Z"), "2026-01-01T00:00:00+00:00");
        assert_eq!(begin(Window::Quarter, "2026-03-31T23:59:59Z"), "2026-01-01T00:00:00+00:00");
        let budget = Window::Months { from: 18, to: 6 };
        assert_eq!(begin(budget, "2026-08-31T12:00:00Z"), "2025-02-28T00:00:00+00:00");
        let end = budget.end(at("2026-08-31T12:00:00Z")).to_rfc3339();
        assert_eq!(end, "2026-02-28T23:59:59.999999+00:00");
        assert_eq!(Window::Days(3).end(at("2026-08-31T12:00:00Z")), at("2026-08-31T12:00:00Z"));
    }
}
