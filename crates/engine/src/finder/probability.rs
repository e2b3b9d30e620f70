//! `Probability`: a share of one in billionths. An integer, so that the same knowledge gives the same answer on every machine.

use assay_domain::Confidence;

const WHOLE: u32 = 1_000_000_000;

/// From 0 (never) to 1,000,000,000 (certain).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probability(u32);

impl Probability {
    pub const NEVER: Self = Self(0);
    pub const CERTAIN: Self = Self(WHOLE);

    pub const fn per_mille(thousandths: u32) -> Self {
        Self(if thousandths > 1_000 { WHOLE } else { thousandths * 1_000_000 })
    }

    /// The share of a part in a whole; none of a whole that is nothing.
    pub fn of(part: u128, whole: u128) -> Self {
        let share = (part.min(whole)).saturating_mul(u128::from(WHOLE)).checked_div(whole).unwrap_or(0);
        Self(u32::try_from(share).unwrap_or(WHOLE))
    }

    pub const fn billionths(self) -> u32 {
        self.0
    }

    /// That both happen, where one does not depend on the other.
    pub fn times(self, other: Self) -> Self {
        let product = u64::from(self.0) * u64::from(other.0) / u64::from(WHOLE);
        Self(u32::try_from(product).unwrap_or(WHOLE))
    }

    /// That one of two happens which exclude each other.
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0).min(WHOLE))
    }

    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub fn complement(self) -> Self {
        Self::CERTAIN.minus(self)
    }

    /// What is left of an amount.
    pub fn part_of(self, amount: u128) -> u128 {
        amount.saturating_mul(u128::from(self.0)) / u128::from(WHOLE)
    }

    /// The same of a smaller amount, quicker; ten billion at most.
    pub(super) fn of_mass(self, mass: u64) -> u64 {
        mass.saturating_mul(u64::from(self.0)) / u64::from(WHOLE)
    }

    /// Rounded down: an answer at the limit is not given. Nothing of this kind is certain.
    pub fn confidence(self) -> Confidence {
        let percent = u8::try_from(self.0 / (WHOLE / 100)).unwrap_or(0);
        Confidence::percent(percent.min(99))
    }
}

impl From<Confidence> for Probability {
    fn from(confidence: Confidence) -> Self {
        Self::per_mille(u32::from(confidence.as_percent()) * 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_multiply_add_and_stay_within_one() {
        let half = Probability::per_mille(500);
        assert_eq!(half.times(half), Probability::per_mille(250));
        assert_eq!(half.plus(half).plus(half), Probability::CERTAIN);
        assert_eq!(half.minus(Probability::CERTAIN), Probability::NEVER);
        assert_eq!(Probability::of(3, 4).complement(), Probability::per_mille(250));
        assert_eq!(Probability::of(1, 0), Probability::NEVER);
        assert_eq!(Probability::of(9, 3), Probability::CERTAIN);
        assert_eq!(Probability::from(Confidence::percent(70)), Probability::per_mille(700));
    }

    #[test]
    fn a_confidence_is_rounded_down_and_never_certain() {
        assert_eq!(Probability::per_mille(799).confidence(), Confidence::percent(79));
        assert_eq!(Probability::CERTAIN.confidence(), Confidence::percent(99));
    }
}
