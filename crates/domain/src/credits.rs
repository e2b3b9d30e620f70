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
        let decimals = if decimals.len() > 3 { decimals.trim_end_matches('0') } else { decimals };
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
}
