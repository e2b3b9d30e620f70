//! Moments at which windows are looked at, and where those begin then. All of it is worked out by hand: no calendar arithmetic of the
//! service has a part in what is right.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use std::collections::BTreeSet;

/// A moment the clock is stopped at.
#[derive(Debug)]
pub struct Moment {
    pub now: &'static str,
    /// So many times 24 hours before.
    pub day_before: &'static str,
    pub days_30_before: &'static str,
    pub days_90_before: &'static str,
    pub days_365_before: &'static str,
    /// The first day of its quarter.
    pub quarter: &'static str,
    /// The days so many calendar months before, or the last of their months.
    pub months_18_before: &'static str,
    pub months_6_before: &'static str,
    /// Some time within the last 30 days.
    pub since: &'static str,
}

/// The first two are those of the short run.
pub const MOMENTS: &[Moment] = &[
    // No 31st of September, neither half a year ago nor the year before.
    Moment {
        now: "2027-03-31T12:00:00Z",
        day_before: "2027-03-30T12:00:00Z",
        days_30_before: "2027-03-01T12:00:00Z",
        days_90_before: "2026-12-31T12:00:00Z",
        days_365_before: "2026-03-31T12:00:00Z",
        quarter: "2027-01-01",
        months_18_before: "2025-09-30",
        months_6_before: "2026-09-30",
        since: "2027-03-09T03:25:17.250001Z",
    },
    // A leap day, at midnight: every window begins with a whole day.
    Moment {
        now: "2028-02-29T00:00:00Z",
        day_before: "2028-02-28T00:00:00Z",
        days_30_before: "2028-01-30T00:00:00Z",
        days_90_before: "2027-12-01T00:00:00Z",
        days_365_before: "2027-03-01T00:00:00Z",
        quarter: "2028-01-01",
        months_18_before: "2026-08-29",
        months_6_before: "2027-08-29",
        since: "2028-02-11T20:00:00.000001Z",
    },
    // The last microsecond of a month; half a year before, and a year and a half, February ends with its 28th.
    Moment {
        now: "2027-08-31T23:59:59.999999Z",
        day_before: "2027-08-30T23:59:59.999999Z",
        days_30_before: "2027-08-01T23:59:59.999999Z",
        days_90_before: "2027-06-02T23:59:59.999999Z",
        days_365_before: "2026-08-31T23:59:59.999999Z",
        quarter: "2027-07-01",
        months_18_before: "2026-02-28",
        months_6_before: "2027-02-28",
        since: "2027-08-15T23:59:59Z",
    },
    // The first instant of a quarter and of a year: the quarter to date is this instant.
    Moment {
        now: "2027-01-01T00:00:00Z",
        day_before: "2026-12-31T00:00:00Z",
        days_30_before: "2026-12-02T00:00:00Z",
        days_90_before: "2026-10-03T00:00:00Z",
        days_365_before: "2026-01-01T00:00:00Z",
        quarter: "2027-01-01",
        months_18_before: "2025-07-01",
        months_6_before: "2026-07-01",
        since: "2026-12-20T10:59:59.999999Z",
    },
    // A year and a half before, February ends with its 29th, half a year before with its 28th.
    Moment {
        now: "2029-08-31T00:00:01Z",
        day_before: "2029-08-30T00:00:01Z",
        days_30_before: "2029-08-01T00:00:01Z",
        days_90_before: "2029-06-02T00:00:01Z",
        days_365_before: "2028-08-31T00:00:01Z",
        quarter: "2029-07-01",
        months_18_before: "2028-02-29",
        months_6_before: "2029-02-28",
        since: "2029-08-12T00:00:00.5Z",
    },
    // The last second of a quarter; 365 days before, a leap day ago, is not the same day of the year.
    Moment {
        now: "2028-06-30T23:59:59Z",
        day_before: "2028-06-29T23:59:59Z",
        days_30_before: "2028-05-31T23:59:59Z",
        days_90_before: "2028-04-01T23:59:59Z",
        days_365_before: "2027-07-01T23:59:59Z",
        quarter: "2028-04-01",
        months_18_before: "2026-12-30",
        months_6_before: "2027-12-30",
        since: "2028-06-15T12:34:56.789012Z",
    },
];

pub fn time(text: &str) -> anyhow::Result<DateTime<Utc>> {
    Ok(text.parse()?)
}

/// The beginning of a day.
pub fn day(text: &str) -> anyhow::Result<DateTime<Utc>> {
    Ok(text.parse::<NaiveDate>()?.and_time(NaiveTime::MIN).and_utc())
}

const TICK: TimeDelta = TimeDelta::microseconds(1);

/// Around where a window begins: the time itself and one microsecond to either side; its day alone, the day before alone, and times one
/// microsecond to either side of midnight, which are no days.
pub fn around_begin(begin: DateTime<Utc>) -> BTreeSet<DateTime<Utc>> {
    let day = begin.date_naive().and_time(NaiveTime::MIN).and_utc();
    let day_before = day - TimeDelta::days(1);
    [begin - TICK, begin, begin + TICK, day - TICK, day, day + TICK, day_before].into()
}

/// Around where a window ends: the same, and the next day alone.
pub fn around_end(end: DateTime<Utc>) -> BTreeSet<DateTime<Utc>> {
    let day = end.date_naive().and_time(NaiveTime::MIN).and_utc();
    let next_day = day + TimeDelta::days(1);
    [end - TICK, end, end + TICK, day, next_day, next_day + TICK].into()
}

/// The last moment of a day.
pub fn last_of(day: DateTime<Utc>) -> DateTime<Utc> {
    day + TimeDelta::days(1) - TICK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_by_hand_is_what_the_calendar_says() {
        for moment in MOMENTS {
            let now = time(moment.now).unwrap();
            let before = [
                (1, moment.day_before),
                (30, moment.days_30_before),
                (90, moment.days_90_before),
                (365, moment.days_365_before),
            ];
            for (days, text) in before {
                assert_eq!((now - time(text).unwrap()).num_microseconds(), Some(days * 86_400_000_000));
            }
            let since = now - time(moment.since).unwrap();
            assert!(since > TimeDelta::days(1) && since < TimeDelta::days(30), "{moment:?}");
            assert!(day(moment.quarter).unwrap() <= now && day(moment.months_6_before).unwrap() < now);
        }
    }

    #[test]
    fn there_is_something_on_both_sides_of_every_edge() {
        let edge = time("2027-03-01T12:00:00Z").unwrap();
        let begin = around_begin(edge);
        assert!(begin.contains(&edge) && begin.len() == 7);
        assert!(begin.contains(&time("2027-03-01T11:59:59.999999Z").unwrap()));
        assert!(begin.contains(&day("2027-03-01").unwrap()) && begin.contains(&day("2027-02-28").unwrap()));
        // At midnight some of them are the same.
        assert_eq!(around_begin(day("2027-03-01").unwrap()).len(), 4);
        assert!(around_end(edge).contains(&day("2027-03-02").unwrap()));
    }
}
