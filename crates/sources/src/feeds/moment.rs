//! Days and moments, as sources write them.

use chrono::{DateTime, Datelike as _, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};

/// Before that year none of the sources told of anything.
const YEAR_MIN: i32 = 1990;
/// Clocks differ, and days begin earlier in the east: what is dated further ahead is a mistake.
const AHEAD: Days = Days::new(2);

/// Names of zones in feeds, with their distance from UTC in minutes. The Americans come first: a wire from New York says EST.
const ZONES: &[(&str, i32)] = &[
    ("Z", 0),
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("EST", -300),
    ("EDT", -240),
    ("ET", -300),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("BST", 60),
    ("WEST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("EET", 120),
    ("EEST", 180),
    ("JST", 540),
    ("AEST", 600),
    ("AEDT", 660),
];

pub(super) const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The number of a month that is spelled out, or cut to three letters or more.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = word.trim_end_matches('.').to_lowercase();
    let at = MONTHS.iter().position(|month| word.len() >= 3 && month.starts_with(word.as_str()))?;
    u32::try_from(at + 1).ok()
}

/// A moment that can be true of something seen then.
pub(super) fn told<Zone: chrono::TimeZone>(
    moment: &DateTime<Zone>,
    seen_at: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let moment = moment.with_timezone(&Utc);
    let latest = seen_at.checked_add_days(AHEAD)?;
    (moment.year() >= YEAR_MIN && moment <= latest).then_some(moment)
}

/// A day that can be true of something seen then.
pub(super) fn told_day(day: NaiveDate, seen_at: DateTime<Utc>) -> Option<NaiveDate> {
    told(&midnight(day), seen_at).map(|_| day)
}

pub(super) fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

pub(super) fn from_millis(millis: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(millis)
}

/// `2026-03-02`, and nothing else.
pub(super) fn day(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    // Otherwise `+2026-3-2` is one, too.
    let plain = text.len() == 10 && text.starts_with(|c: char| c.is_ascii_digit());
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| plain)
}

/// `20260302`, as headers of filings have it.
pub(super) fn packed_day(text: &str) -> Option<NaiveDate> {
    let text = text.trim().get(..8)?;
    let year = text.get(..4)?.parse().ok()?;
    NaiveDate::from_ymd_opt(year, text.get(4..6)?.parse().ok()?, text.get(6..)?.parse().ok()?)
}

/// A moment in one of the forms of ISO 8601 that are met: with an offset or a zone, or with none, which is UTC; or a day.
pub(super) fn iso(text: &str) -> Option<DateTime<FixedOffset>> {
    let text = text.trim();
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment);
    }
    if let Some(day) = day(text) {
        return Some(midnight(day).fixed_offset());
    }
    if let Ok(moment) = DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z") {
        return Some(moment);
    }
    let bare = text.trim_end_matches("UTC").trim_end_matches('Z').trim_end();
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(bare, form).ok())
        .map(|moment| moment.and_utc().fixed_offset())
}

/// `Mon, 02 Mar 2026 16:05:00 -0500`, the weekday right, wrong or missing, and the zone by number or name.
pub(super) fn mail_date(text: &str) -> Option<DateTime<FixedOffset>> {
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_whitespace();
    let day: u32 = words.next()?.parse().ok()?;
    let month = month(words.next()?)?;
    let year: i32 = words.next()?.parse().ok()?;
    let year = if (0..70).contains(&year) { year + 2_000 } else { year };
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (clock.next()??, clock.next()??);
    let second = clock.next().map_or(Some(0), |second| second)?.min(59);
    let local = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(hour, minute, second)?;
    // One that nobody knows is taken for UTC: hours wrong are better than none told.
    let minutes = words.next().and_then(offset_minutes).unwrap_or(0);
    let offset = FixedOffset::east_opt(minutes.checked_mul(60)?)?;
    local.and_local_timezone(offset).single()
}

fn offset_minutes(zone: &str) -> Option<i32> {
    if let Some((_, minutes)) = ZONES.iter().find(|(name, _)| name.eq_ignore_ascii_case(zone)) {
        return Some(*minutes);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?.replace(':', "");
    let number: i32 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    Some(sign * (number / 100 * 60 + number % 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(moment: Option<DateTime<FixedOffset>>) -> Option<String> {
        moment.map(|moment| moment.with_timezone(&Utc).format("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    #[test]
    fn moments_are_read_in_their_zones() {
        for (text, moment) in [
            ("2026-03-02T16:05:17-05:00", "2026-03-02T21:05:17Z"),
            ("2026-03-02T16:05:17.123Z", "2026-03-02T16:05:17Z"),
            ("2026-03-02T16:05:17.000+0100", "2026-03-02T15:05:17Z"),
            ("2026-03-02 16:05:17 UTC", "2026-03-02T16:05:17Z"),
            ("2026-03-02T16:05:17", "2026-03-02T16:05:17Z"),
            ("2026-03-02", "2026-03-02T00:00:00Z"),
        ] {
            assert_eq!(utc(iso(text)).as_deref(), Some(moment), "{text}");
        }
        for text in ["", "soon", "2026-02-30", "2026-13-01T00:00:00Z", "+2026-1-01", "1772467517"] {
            assert_eq!(iso(text), None, "{text}");
        }
    }

    #[test]
    fn dates_of_mail_are_read_with_any_weekday_and_zone() {
        for (text, moment) in [
            ("Mon, 02 Mar 2026 16:05:17 -0500", "2026-03-02T21:05:17Z"),
            ("Fri, 2 Mar 2026 16:05:17 EST", "2026-03-02T21:05:17Z"),
            ("02 Mar 2026 16:05 GMT", "2026-03-02T16:05:00Z"),
            ("Mon, 02 March 2026 16:05:17 +05:30", "2026-03-02T10:35:17Z"),
            ("Mon, 02 Mar 26 16:05:60 CEST", "2026-03-02T14:05:59Z"),
            ("Mon, 02 Mar 2026 16:05:17 MARS", "2026-03-02T16:05:17Z"),
        ] {
            assert_eq!(utc(mail_date(text)).as_deref(), Some(moment), "{text}");
        }
        for text in ["", "Mon,", "Mon, 32 Mar 2026 16:05:17 GMT", "Mon, 02 Foo 2026 16:05:17 GMT"] {
            assert_eq!(mail_date(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_that_cannot_be_is_not_told() {
        let seen = "2026-03-02T00:00:00Z".parse().unwrap();
        let told = |text| iso(text).and_then(|moment| told(&moment, seen)).is_some();
        assert!(told("2026-03-03") && told("1999-01-01") && !told("2026-03-09") && !told("0001-01-01"));
    }
}
