//! How much it says that two records have the same: the more, the fewer others have it.

use assay_index::{Commonness, Feature};
use std::collections::BTreeMap;

/// Beyond this, rarer is not more telling: a word that a handful of records have is as likely a slip.
const MOST: u64 = 1_000;
/// Digits of a ratio behind the point, as powers of two.
const POINT: u32 = 16;

/// Hundredths of a bit, for each feature that anybody else may have.
#[derive(Debug, Clone, Default)]
pub struct Rarity(BTreeMap<Feature, u64>);

impl Rarity {
    /// By how many documents of an index have each of them. What one alone has cannot be shared, and is left out.
    pub fn of(features: Vec<Feature>, commonness: &Commonness) -> Self {
        let known = features.into_iter().zip(&commonness.counts).filter(|(_, count)| **count > 1);
        Self(known.map(|(feature, count)| (feature, bits(*count, commonness.documents))).collect())
    }

    /// None of what nobody else has.
    pub fn weight(&self, feature: &Feature) -> Option<u64> {
        self.0.get(feature).copied()
    }
}

/// What it says to have what `count` of `all` have. Never nothing: where everybody has it, all have that in common.
fn bits(count: u64, all: u64) -> u64 {
    let count = u128::from(count.max(1));
    let ratio = ((u128::from(all) + count) << POINT) / count;
    let whole = ratio.ilog2();
    let rest = ((ratio - (1 << whole)) * 100) >> whole;
    let hundredths = u64::from(whole.saturating_sub(POINT)) * 100 + u64::try_from(rest).unwrap_or(0);
    hundredths.clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_thousandth_says_ten_bits_and_what_all_have_says_one() {
        assert_eq!([bits(1_000, 1_000), bits(500, 1_500), bits(1, 1_000_000)], [100, 200, MOST]);
    }

    proptest! {
        #[test]
        fn what_fewer_have_never_says_less(all in 1_u64..10_000_000, one in 1_u64.., other in 1_u64..) {
            let (few, many) = (one.min(other) % all + 1, one.max(other) % all + 1);
            let (few, many) = (few.min(many), few.max(many));
            prop_assert!(bits(few, all) >= bits(many, all));
            prop_assert!((1..=MOST).contains(&bits(few, all)));
        }
    }
}
