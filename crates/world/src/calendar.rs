//! Months as plain numbers, so that careers can be reckoned without a calendar.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

/// Months since the year 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Month(i64);

impl Month {
    pub(crate) fn of(date: NaiveDate) -> Self {
        Self(i64::from(date.year()) * 12 + i64::from(date.month0()))
    }

    pub(crate) const fn january(year: i32) -> Self {
        #[allow(clippy::as_conversions, reason = "widening; From is not const")]
        Self(year as i64 * 12)
    }

    pub(crate) fn year(self) -> i32 {
        i32::try_from(self.0.div_euclid(12)).unwrap_or(0)
    }

    pub(crate) fn back(self, months: u64) -> Self {
        Self(self.0.saturating_sub_unsigned(months))
    }

    pub(crate) fn forward(self, months: u64) -> Self {
        Self(self.0.saturating_add_unsigned(months))
    }

    /// How many months this one lies after `earlier`; 0 when it does not.
    pub(crate) fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    pub(crate) fn first_day(self) -> NaiveDate {
        let month = u32::try_from(self.0.rem_euclid(12)).unwrap_or(0) + 1;
        NaiveDate::from_ymd_opt(self.year(), month, 1).unwrap_or_default()
    }

    pub(crate) fn last_day(self) -> NaiveDate {
        self.forward(1).first_day().pred_opt().unwrap_or_default()
    }
}

pub(crate) fn days_before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

/// The moment so many seconds before midnight at the start of a day.
pub(crate) fn seconds_before(date: NaiveDate, seconds: u64) -> DateTime<Utc> {
    let midnight = date.and_time(NaiveTime::MIN).and_utc();
    let span = i64::try_from(seconds).ok().and_then(TimeDelta::try_seconds).unwrap_or_default();
    midnight.checked_sub_signed(span).unwrap_or(midnight)
}
