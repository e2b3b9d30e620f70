//! Confidence: how sure an answer is, in hundredths from 0 to 1. Kept as an integer, so that thresholds are exact.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Between 0 (no idea) and 100 (certain); JSON shows it as a number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u8);

impl Confidence {
    /// Below this an answer is not given unless asked for.
    pub const ENOUGH: Self = Self(60);

    pub const fn percent(percent: u8) -> Self {
        Self(if percent > 100 { 100 } else { percent })
    }

    pub const fn as_percent(self) -> u8 {
        self.0
    }

    /// The confidence in one of `count` equally good candidates.
    pub fn shared_by(self, count: usize) -> Self {
        let share = usize::from(self.0) / count.max(1);
        Self(u8::try_from(share).unwrap_or(self.0))
    }
}

impl Confidence {
    fn decimal(self) -> crate::Credits {
        crate::Credits::from_thousandths(i64::from(self.0) * 10)
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.decimal(), out)
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.decimal().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let outside = || serde::de::Error::custom("a confidence is a number from 0 to 1");
        let thousandths = crate::Credits::deserialize(deserializer).map_err(|_| outside())?.thousandths();
        let inside = (0..=1_000).contains(&thousandths);
        u8::try_from(thousandths / 10).ok().filter(|_| inside).map(Self).ok_or_else(outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hundredth_reads_back_and_nothing_outside_does() {
        for percent in 0..=100 {
            let json = serde_json::to_string(&Confidence::percent(percent)).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&json).unwrap(), Confidence::percent(percent));
        }
        for outside in ["-0.1", "-0.001", "1.001", "1.01", "2", "\"1\""] {
            assert!(serde_json::from_str::<Confidence>(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn candidates_share_the_confidence() {
        assert_eq!(Confidence::percent(90).shared_by(1), Confidence::percent(90));
        assert!(Confidence::percent(90).shared_by(2) < Confidence::ENOUGH);
    }
}
