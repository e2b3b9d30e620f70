//! Namesakes: how many colleagues would get the same mailbox, and what that does to whose it is.

use assay_domain::PersonName;

use super::pattern::Shape;
use super::probability::Probability;
use crate::likeness::NameParts;

/// Of a family name on no list: so many of 100,000 people have it.
const RARE_BEARERS: u64 = 15;
/// So many of 100,000 people have the given name of somebody who is asked for: common names are asked for more often.
const GIVEN_BEARERS: u64 = 800;
/// So many of 100,000 family names begin with the same letter.
const FAMILY_INITIAL_BEARERS: u64 = 7_000;
/// So many of 100,000 people with the same first and last letters have the same middle initial, or none.
const MIDDLE_BEARERS: u64 = 15_000;
/// A colleague who is known still has the mailbox, unless they have left.
const KNOWN_STAYS: Probability = Probability::per_mille(950);
/// Where nobody knows how many work at a company.
const PEOPLE_ASSUMED: u32 = 150;

/// How many of 100,000 given names begin with a letter, across Western languages, from A to Z.
const GIVEN_INITIALS: [u64; 26] = [
    11_500, 5_000, 8_000, 6_500, 6_000, 3_500, 4_500, 4_000, 2_500, 12_500, 5_500, 6_500, 12_000, 4_000,
    1_500, 6_000, 200, 7_000, 9_500, 6_000, 700, 3_500, 2_500, 300, 1_500, 1_300,
];

/// How many are expected to compete for one mailbox beside the one who is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rivals {
    millionths: u64,
    /// So many of them are not only expected but known.
    known: u32,
}

/// What of a name decides how many share it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Commonness {
    family: u64,
    initial: u64,
}

impl Commonness {
    pub(super) fn of(name: &PersonName) -> Self {
        let parts = NameParts::of(name);
        let letter = parts.given().bytes().next().unwrap_or_default();
        let place = usize::from(letter.to_ascii_lowercase().saturating_sub(b'a'));
        Self {
            family: u64::from(parts.family_bearers()).max(RARE_BEARERS),
            initial: GIVEN_INITIALS.get(place).copied().unwrap_or(GIVEN_BEARERS),
        }
    }

    /// Those who would get the same mailbox in a company of so many, `scale` being how many times more namesakes it was seen to
    /// have than its size suggests, in thousandths.
    pub(super) fn rivals(self, shape: Shape, people: Option<u32>, scale: u64) -> Rivals {
        // The share of all people, in billionths.
        let share = match shape {
            Shape::FirstLast | Shape::LastFirst => self.family * GIVEN_BEARERS / 10,
            Shape::InitialLast | Shape::LastInitial => self.family * self.initial / 10,
            Shape::First => GIVEN_BEARERS * 10_000,
            Shape::Last => self.family * 10_000,
            Shape::FirstInitial => GIVEN_BEARERS * FAMILY_INITIAL_BEARERS / 10,
            Shape::Initials => self.initial * FAMILY_INITIAL_BEARERS / 10,
            Shape::FirstMiddleLast => self.family * GIVEN_BEARERS / 10 * MIDDLE_BEARERS / 100_000,
            Shape::InitialMiddleLast => self.family * self.initial / 10 * MIDDLE_BEARERS / 100_000,
        };
        let others = u64::from(people.unwrap_or(PEOPLE_ASSUMED)).saturating_sub(1);
        Rivals { millionths: others.saturating_mul(share) / 1_000 * scale / 1_000, known: 0 }
    }
}

impl Rivals {
    pub(super) const fn millionths(self) -> u64 {
        self.millionths
    }

    /// The same where so many are known at least.
    pub(super) fn with_known(self, known: u32) -> Self {
        Self { known: self.known.max(known), ..self }
    }

    /// That at least one of them is there and has the mailbox, when each has one of this pattern with a probability. For a
    /// count that is expected to be x this is 1 - e^-x, here x / (1 + x), which differs only where x is large.
    pub(super) fn any(self, use_pattern: Probability) -> Probability {
        let expected = use_pattern.part_of(u128::from(self.millionths));
        let any = Probability::of(expected, expected + 1_000_000);
        if self.known > 0 { any.max(use_pattern.times(KNOWN_STAYS)) } else { any }
    }

    /// That there is another one behind the one of a rank, counted from one: of a Poisson count the ratio of neighbouring
    /// tails, nearly.
    pub(super) fn another(self, rank: u32) -> Probability {
        if rank <= self.known { KNOWN_STAYS } else { self.unknown_another(rank) }
    }

    /// That one of them has a place behind the one of a rank, when that one has the rank; or, if displaced, a namesake has it.
    pub(super) fn behind(self, rank: u32, place: u32, is_displaced: bool) -> Probability {
        let needed = if is_displaced { place } else { place.saturating_sub(1) };
        if needed <= self.known { KNOWN_STAYS } else { self.unknown_another(rank) }
    }

    fn unknown_another(self, rank: u32) -> Probability {
        let expected = u128::from(self.millionths);
        Probability::of(expected, expected + u128::from(rank + 1) * 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rivals(name: &str, shape: Shape, people: u32) -> u64 {
        let name = PersonName::parse(name).unwrap();
        Commonness::of(&name).rivals(shape, Some(people), 1_000).millionths()
    }

    #[test]
    fn a_common_name_in_a_large_company_has_namesakes_and_a_rare_one_in_a_small_one_has_none() {
        assert!(rivals("John Smith", Shape::InitialLast, 20_000) > 10_000_000);
        assert!((500_000..2_000_000).contains(&rivals("John Smith", Shape::FirstLast, 20_000)));
        assert!(rivals("Ines Quetzalbach", Shape::InitialLast, 50) < 1_000);
        assert!(rivals("Ines Quetzalbach", Shape::First, 10) > 10_000);
    }

    #[test]
    fn who_is_alone_has_no_rivals() {
        assert_eq!(rivals("John Smith", Shape::Last, 1), 0);
        assert_eq!(Rivals { millionths: 0, known: 0 }.any(Probability::CERTAIN), Probability::NEVER);
    }
}
