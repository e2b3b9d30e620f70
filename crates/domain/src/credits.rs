//! Credits: exact decimals kept as integer thousandths. No floating point touches money.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::iter::Sum;
use std::str::FromStr;

/// How many thousandths make one credit.
const SCALE: i64 = 1_000;

/// An amount of credits, in thousandths. Arithmetic saturates: a saturated amount can never be affordable, so an
/// overflow can refuse a call but never make it cheaper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Credits(i64);

impl Credits {
    pub const ZERO: Self = Self(0);

    pub const fn whole(credits: i64) -> Self {
        Self(credits.saturating_mul(SCALE))
    }

    pub const fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths)
    }

    pub const fn thousandths(self) -> i64 {
        self.0
    }

    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub const fn times(self, count: i64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// How many times `unit` fits, zero when the unit is not positive or nothing fits.
    pub const fn count_of(self, unit: Self) -> i64 {
        if unit.0 <= 0 || self.0 <= 0 { 0 } else { self.0 / unit.0 }
    }
}

impl Sum for Credits {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Self::plus)
    }
}

impl fmt::Display for Credits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let (credits, thousandths) = (magnitude / 1_000, magnitude % 1_000);
        if thousandths == 0 {
            return write!(out, "{sign}{credits}");
        }
        let decimals = format!("{thousandths:03}");
        write!(out, "{sign}{credits}.{}", decimals.trim_end_matches('0'))
    }
}

impl fmt::Debug for Credits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Credits({self})")
    }
}

/// Why a text is not an amount of credits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("credits are a decimal number with at most 3 decimals")]
pub struct CreditsError;

impl FromStr for Credits {
    type Err = CreditsError;

    fn from_str(text: &str) -> Result<Self, CreditsError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (credits, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        if decimals.is_empty() {
            return Err(CreditsError);
        }
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let decimals = decimals.trim_end_matches('0');
        if !all_digits(credits) || (!decimals.is_empty() && !all_digits(decimals)) || decimals.len() > 3 {
            return Err(CreditsError);
        }
        let credits: i64 = credits.parse().map_err(|_| CreditsError)?;
        let thousandths: i64 = format!("{decimals:0<3}").parse().map_err(|_| CreditsError)?;
        let magnitude = credits
            .checked_mul(SCALE)
            .and_then(|whole| whole.checked_add(thousandths))
            .ok_or(CreditsError)?;
        Ok(Self(if negative { -magnitude } else { magnitude }))
    }
}

/// A JSON number written from the decimal text, so that no float is involved.
impl Serialize for Credits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % SCALE == 0 {
            return serializer.serialize_i64(self.0 / SCALE);
        }
        serde_json::value::RawValue::from_string(self.to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Credits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        number.to_string().parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amount_survives_text_and_json() {
        for thousandths in
            (-2_500..2_500).chain([999_999, 1_000_001, 123_456_789_012, i64::MAX / 2_000 * 1_000])
        {
            let credits = Credits::from_thousandths(thousandths);
            assert_eq!(credits.to_string().parse(), Ok(credits));
            let json = serde_json::to_string(&credits).unwrap();
            assert_eq!(json, credits.to_string());
            assert_eq!(serde_json::from_str::<Credits>(&json).unwrap(), credits);
        }
    }

    #[test]
    fn texts_that_are_no_amount_are_refused() {
        for text in ["", ".", "1.", "-", "1.2345", "1e3", "0.0001", "one", "1,5", "99999999999999999999"] {
            assert!(text.parse::<Credits>().is_err(), "{text}");
        }
    }

    #[test]
    fn overflow_never_makes_an_amount_smaller() {
        let huge = Credits::from_thousandths(i64::MAX);
        assert_eq!(huge.plus(Credits::whole(1)), huge);
        assert_eq!(huge.times(3), huge);
    }

    #[test]
    fn units_are_counted_rounded_down() {
        let unit = Credits::from_thousandths(600);
        for (have, want) in [(-5, 0), (0, 0), (599, 0), (600, 1), (1_199, 1), (1_200, 2)] {
            assert_eq!(Credits::from_thousandths(have).count_of(unit), want);
        }
        assert_eq!(Credits::whole(5).count_of(Credits::ZERO), 0);
    }

    #[test]
    fn thousandths_are_told_as_they_were_given() {
        for thousandths in [i64::MIN, -1_500, -1, 0, 1, 999, 1_000, i64::MAX] {
            assert_eq!(Credits::from_thousandths(thousandths).thousandths(), thousandths);
        }
        assert_eq!(Credits::whole(7).thousandths(), 7_000);
        assert_eq!(Credits::whole(-7).thousandths(), -7_000);
        assert_eq!(Credits::whole(i64::MAX).thousandths(), i64::MAX);
    }

    #[test]
    fn only_zero_is_zero_and_only_more_is_positive() {
        for (thousandths, zero, positive) in
            [(-1_000, false, false), (-1, false, false), (0, true, false), (1, false, true), (5, false, true)]
        {
            let credits = Credits::from_thousandths(thousandths);
            assert_eq!((credits.is_zero(), credits.is_positive()), (zero, positive), "{credits}");
        }
    }

    #[test]
    fn amounts_add_up() {
        let amounts = [1_500, -200, 0, 7].map(Credits::from_thousandths);
        assert_eq!(amounts.into_iter().sum::<Credits>().thousandths(), 1_307);
        assert_eq!(Vec::<Credits>::new().into_iter().sum::<Credits>(), Credits::ZERO);
        let (left, right) = (Credits::from_thousandths(1_500), Credits::from_thousandths(700));
        assert_eq!(left.plus(right).thousandths(), 2_200);
        assert_eq!(left.minus(right).thousandths(), 800);
        assert_eq!(right.minus(left).thousandths(), -800);
        assert_eq!(right.times(3).thousandths(), 2_100);
        assert_eq!(right.times(-3).thousandths(), -2_100);
    }

    #[test]
    fn amounts_are_written_with_the_decimals_they_need() {
        for (thousandths, text) in [
            (0, "0"),
            (1, "0.001"),
            (-1, "-0.001"),
            (10, "0.01"),
            (100, "0.1"),
            (999, "0.999"),
            (1_000, "1"),
            (1_050, "1.05"),
            (-12_500, "-12.5"),
            (i64::MAX, "9223372036854775.807"),
            (i64::MIN, "-9223372036854775.808"),
        ] {
            let credits = Credits::from_thousandths(thousandths);
            assert_eq!(credits.to_string(), text);
            assert_eq!(format!("{credits:?}"), format!("Credits({text})"));
            assert_eq!(serde_json::to_string(&credits).unwrap(), text);
        }
    }

    #[test]
    fn texts_are_read_to_the_thousandth() {
        for (text, thousandths) in [
            ("0", 0),
            ("-0", 0),
            ("7", 7_000),
            ("-7", -7_000),
            ("0.1", 100),
            ("0.05", 50),
            ("0.005", 5),
            ("1.234", 1_234),
            ("-1.234", -1_234),
            // What a float of a JSON document may bring with it.
            ("2.0", 2_000),
            ("2.000", 2_000),
            ("2.5000", 2_500),
            ("2.00000", 2_000),
            ("9223372036854775.807", i64::MAX),
        ] {
            assert_eq!(text.parse::<Credits>().map(Credits::thousandths), Ok(thousandths), "{text}");
        }
        for text in
            ["1.00001", "1.x", "1.-1", "x.1", ".5", "--1", "+1", " 1", "1 ", "1.1.1", "9223372036854775.808"]
        {
            assert!(text.parse::<Credits>().is_err(), "{text}");
        }
    }

    #[test]
    fn whole_amounts_need_no_json_to_be_written() {
        struct Shown(Credits);
        impl fmt::Display for Shown {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.serialize(out)
            }
        }
        for credits in [-3, 0, 1, 2_500] {
            assert_eq!(Shown(Credits::whole(credits)).to_string(), credits.to_string());
        }
    }

    #[test]
    fn json_that_is_no_number_is_no_amount() {
        for json in ["\"1\"", "null", "true", "1e-4", "1.0001", "[1]"] {
            assert!(serde_json::from_str::<Credits>(json).is_err(), "{json}");
        }
        assert_eq!(serde_json::from_str::<Credits>("1.5").unwrap().thousandths(), 1_500);
    }
}
