//! Randomness without state: every throw is a hash of the seed, the thing it is thrown for and a counter.

use uuid::Uuid;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

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
    PersonName,
    PersonTwin,
    SurnameOrder,
    GivenOrder,
    PersonRole,
    PersonCareer,
    PersonFacts,
    PersonPlace,
    PersonContact,
    PersonPhone,
    PersonRefresh,
}

impl Aspect {
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
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A number for one aspect of one thing. For a fixed seed and aspect it is a bijection of the index.
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
    pub(crate) const fn new(seed: u64, aspect: Aspect, index: u64) -> Self {
        Self { key: hash(seed, aspect, index), thrown: 0 }
    }

    pub(crate) const fn throw(&mut self) -> u64 {
        self.thrown = self.thrown.wrapping_add(1);
        mix(self.key.wrapping_add(self.thrown.wrapping_mul(GOLDEN)))
    }

    /// 0 to `limit` - 1; 0 when there is no limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        scale(self.throw(), limit)
    }

    /// `least` to `most`, both included.
    pub(crate) fn between(&mut self, least: u64, most: u64) -> u64 {
        least.saturating_add(self.below(most.saturating_sub(least).saturating_add(1)))
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// Like `between`, with small numbers more often than large ones.
    pub(crate) fn lean(&mut self, least: u64, most: u64) -> u64 {
        let once = self.between(least, most);
        once.min(self.between(least, most))
    }
}

/// Maps a whole 64-bit number onto 0 to `limit` - 1, evenly.
fn scale(random: u64, limit: u64) -> u64 {
    u64::try_from((u128::from(random) * u128::from(limit)) >> 64).unwrap_or(0)
}

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

    pub(crate) fn throw(dice: &mut Dice, count: u64) -> Self {
        let count = count.max(1);
        let mut step = 1 + dice.below(count);
        while common_divisor(step, count) != 1 {
            step += 1;
        }
        Self { count, step, offset: dice.below(count) }
    }

    /// The element at a position; positions past the end start over.
    pub(crate) fn at(&self, position: u64) -> u64 {
        // No table has 2^31 rows, so the product fits; wrapping only says so to the compiler.
        (position % self.count).wrapping_mul(self.step).wrapping_add(self.offset) % self.count
    }
}

const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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
