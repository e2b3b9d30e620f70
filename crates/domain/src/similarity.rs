//! Similarity: how alike two records are, in thousandths from 0 to 1. Kept as an integer, so that ranks are exact.

use serde::{Serialize, Serializer};

/// Between 0 (nothing in common) and 1,000 (alike in all that is compared); JSON shows it as a number from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Similarity(u16);

impl Similarity {
    pub const WHOLE: Self = Self(1_000);

    /// The share of a part in a whole; none of a whole that is nothing.
    pub fn of(part: u64, whole: u64) -> Self {
        let thousandths = u128::from(part.min(whole)) * 1_000;
        let share = thousandths.checked_div(u128::from(whole)).unwrap_or(0);
        Self(u16::try_from(share).unwrap_or(0))
    }

    pub const fn thousandths(self) -> u16 {
        self.0
    }
}

impl Serialize for Similarity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::Credits::from_thousandths(i64::from(self.0)).serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_number_from_nothing_to_one() {
        let json = |part, whole| serde_json::to_string(&Similarity::of(part, whole)).unwrap();
        assert_eq!(
            [json(0, 7), json(1, 8), json(7, 7), json(9, 7), json(1, 0)],
            ["0", "0.125", "1", "1", "0"]
        );
        assert_eq!(Similarity::of(u64::MAX, u64::MAX), Similarity::WHOLE);
    }
}
