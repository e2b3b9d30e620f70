//! Randomness without state: every throw is a hash of the seed, the thing it is thrown for and a counter.

use uuid::Uuid;

/// 2^64 divided by the golden ratio: steps of it never come close to where they were.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a series of throws decides. Each aspect has its own series, so that a new throw in one shifts no other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Aspect {
    CompanyId,
    CompanySize,
    CompanyBase,
    CompanyName,
    CompanyMail,
    CompanyAge,
    CompanyBranch,
    CompanyFacts,
    CompanyTechnology,
    CompanyFunding,
    CompanyOffice,
    CompanyAbroad,
    CompanyRefresh,
    RootOrder,
    PersonId,
    PersonTwin,
    SurnameOrder,
    GivenStart,
    PersonRole,
    PersonCareer,
    PersonFacts,
    PersonPlace,
    PersonContact,
    PersonPhone,
    PersonRefresh,
    CompanyLocal,
    CompanyPulse,
    CompanyIntake,
    CompanyAcquisition,
    AcquisitionFacts,
    CompanyPosting,
    Posting,
    PersonSpan,
    PersonBirth,
    PersonGeneration,
    PersonManager,
    PersonPost,
}

impl Aspect {
    #[inline]
    const fn salt(self) -> u64 {
        #[allow(
            clippy::as_conversions,
            reason = "the only way to read the number of a variant in a const function"
        )]
        let number = self as u64;
        mix(number.wrapping_add(1).wrapping_mul(GOLDEN))
    }
}

/// The finaliser of splitmix64: a bijection, so distinct inputs never meet.
#[inline]
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A number for one aspect of one thing. For a fixed seed and aspect it is a bijection of the index.
#[inline]
pub(crate) const fn hash(seed: u64, aspect: Aspect, index: u64) -> u64 {
    mix(mix(seed.wrapping_add(aspect.salt())) ^ mix(index.wrapping_mul(GOLDEN).wrapping_add(GOLDEN)))
}

/// The throws for one aspect of one thing.
#[derive(Debug)]
pub(crate) struct Dice {
    key: u64,
    thrown: u64,
}

impl Dice {
    #[inline]
    pub(crate) const fn new(seed: u64, aspect: Aspect, index: u64) -> Self {
        Self { key: hash(seed, aspect, index), thrown: 0 }
    }

    #[inline]
    pub(crate) const fn throw(&mut self) -> u64 {
        self.thrown = self.thrown.wrapping_add(1);
        mix(self.key.wrapping_add(self.thrown.wrapping_mul(GOLDEN)))
    }

    /// 0 to `limit` - 1; 0 when there is no limit.
    #[inline]
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        scale(self.throw(), limit)
    }

    /// `least` to `most`, both included.
    #[inline]
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    #[inline]
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// A share of a whole, in percent, rounded up or down so that many of them add up to the share of all.
    pub(crate) fn share(&mut self, whole: u64, percent: u64) -> u64 {
        whole.saturating_mul(percent).saturating_add(self.below(100)) / 100
    }

    /// Like `between`, with small numbers more often than large ones.
    #[inline]
    pub(crate) fn lean(&mut self, least: u64, most: u64) -> u64 {
        let once = self.between(least, most);
        once.min(self.between(least, most))
    }
}

/// Maps a whole 64-bit number onto 0 to `limit` - 1, evenly.
#[inline]
pub(crate) fn scale(random: u64, limit: u64) -> u64 {
    u64::try_from((u128::from(random) * u128::from(limit)) >> 64).unwrap_or(0)
}

/// Primes above every count there is, so that none has a divisor in common with one.
const STEPS: [u64; 8] =
    [32_452_843, 49_979_687, 67_867_967, 86_028_121, 104_395_301, 122_949_823, 141_650_939, 160_481_183];

/// A permutation of 0 to `count` - 1 that can be asked for one element: an affine map with a step coprime to the count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    count: u64,
    step: u64,
    offset: u64,
}

impl Order {
    pub(crate) fn new(seed: u64, aspect: Aspect, index: u64, count: u64) -> Self {
        Self::throw(&mut Dice::new(seed, aspect, index), count)
    }

    /// For counts below 2^24: no table is longer and no company larger.
    pub(crate) fn throw(dice: &mut Dice, count: u64) -> Self {
        let count = count.max(1);
        let at = usize::try_from(dice.below(8)).unwrap_or(0);
        let step = STEPS.get(at).copied().unwrap_or(1) % count;
        Self { count, step, offset: dice.below(count) }
    }

    /// The element at a position; positions past the end start over.
    pub(crate) fn at(&self, position: u64) -> u64 {
        // The product of two numbers below 2^24 fits; wrapping only says so to the compiler.
        (position % self.count).wrapping_mul(self.step).wrapping_add(self.offset) % self.count
    }

    /// The position of an element.
    pub(crate) fn position_of(&self, element: u64) -> u64 {
        let distance = (element % self.count + self.count - self.offset) % self.count;
        distance.wrapping_mul(inverse(self.step, self.count)) % self.count
    }
}

/// What gives 1 when multiplied by `number`, modulo `modulus`; by Euclid's steps, with signs kept apart.
fn inverse(number: u64, modulus: u64) -> u64 {
    let (mut divisor, mut rest) = (modulus, number % modulus.max(1));
    let (mut before, mut factor) = (0_u64, 1_u64);
    while rest > 0 {
        let quotient = divisor / rest;
        let next = (before + modulus - quotient * factor % modulus) % modulus;
        (divisor, rest) = (rest, divisor % rest);
        (before, factor) = (factor, next);
    }
    before
}

/// A permutation of 0 to 2^bits - 1 that is asked both ways at the same speed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring {
    mask: u64,
    step: u64,
    back: u64,
    offset: u64,
}

impl Ring {
    pub(crate) const fn new(seed: u64, aspect: Aspect, index: u64, bits: u32) -> Self {
        let mut dice = Dice::new(seed, aspect, index);
        let step = dice.throw() | 1;
        // Newton's rule: an odd number is its own inverse in three bits, and each round doubles them.
        let mut back = step;
        let mut known = 3;
        while known < bits {
            back = back.wrapping_mul(2_u64.wrapping_sub(step.wrapping_mul(back)));
            known *= 2;
        }
        Self { mask: (1 << bits) - 1, step, back, offset: dice.throw() }
    }

    #[inline]
    pub(crate) const fn at(&self, position: u64) -> u64 {
        position.wrapping_mul(self.step).wrapping_add(self.offset) & self.mask
    }

    /// The first position of an element; it comes again a whole round later.
    #[inline]
    pub(crate) const fn position_of(&self, element: u64) -> u64 {
        element.wrapping_sub(self.offset).wrapping_mul(self.back) & self.mask
    }
}

/// An id of the shape of UUIDv7. The time part grows with the index, which keeps inserts in index order cheap; the rest
/// holds all 64 bits of a bijection of the index, which keeps ids of one kind apart.
pub(crate) fn uuid(seed: u64, aspect: Aspect, index: u64) -> Uuid {
    // 2026-01-01T00:00:00Z
    const EPOCH_MS: u64 = 1_767_225_600_000;
    const TIME_BITS: u64 = (1 << 48) - 1;
    let random = hash(seed, aspect, index);
    let time = EPOCH_MS.wrapping_add(index) & TIME_BITS;
    let more = mix(random.wrapping_add(GOLDEN)) & 0x3ff;
    let high = (time << 16) | 0x7000 | (more << 2) | (random >> 62);
    let low = (0b10 << 62) | (random & ((1 << 62) - 1));
    Uuid::from_u64_pair(high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_rings_are_permutations_that_can_be_asked_both_ways() {
        for count in [1, 2, 3, 7, 40, 1_000, 2_047, 65_537] {
            let order = Order::new(7, Aspect::RootOrder, count, count);
            let mut seen = vec![false; usize::try_from(count).unwrap()];
            for position in 0..count {
                let element = order.at(position);
                assert_eq!(order.position_of(element), position);
                assert!(!std::mem::replace(&mut seen[usize::try_from(element).unwrap()], true));
            }
        }
        for bits in [4, 11, 16] {
            let ring = Ring::new(7, Aspect::SurnameOrder, 1, bits);
            assert!((0..1 << bits).all(|position| ring.position_of(ring.at(position)) == position));
        }
    }

    #[test]
    fn shares_add_up() {
        let sum: u64 = (0..10_000).map(|index| Dice::new(1, Aspect::CompanyIntake, index).share(5, 9)).sum();
        assert!((4_200..4_800).contains(&sum), "{sum}");
    }
}
