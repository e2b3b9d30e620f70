//! In which order vendors are asked: cheapest first, by what one verified answer of each costs, as far as that is known.
//!
//! Asking in ascending order of cost divided by chance is what costs least until the first success. Neither is known: both are
//! learnt for each kind of question and each segment, from what was paid and what came of it, and the recent counts more
//! than the old. Whoever is hardly known is sometimes asked earlier than the figures say, the less so the more is known of
//! them, which is how a vendor that has become better is noticed.
#![expect(clippy::float_arithmetic, reason = "estimates to sort by; what is paid is counted in integers")]

use assay_domain::limits::{ORDER_MEMORY_LOOKUP, ORDER_MEMORY_SEGMENT};
use rand::{Rng, RngExt};

/// As many charged questions of the whole lookup count as one segment's own, while it has few.
const PRIOR_CHARGES: f64 = 3.0;
/// A price is told by one bill: what holds elsewhere counts for little against it.
const PRIOR_PRICES: f64 = 0.25;
/// Of a vendor nobody has asked: two questions, one of them answered well, at the price of its list.
const UNKNOWN_CHARGES: f64 = 2.0;
const UNKNOWN_SHARE: f64 = 0.5;
/// No share is believed to be smaller; it is divided by.
const SHARE_MIN: f64 = 0.002;

/// What is remembered of one vendor: the recent weighs most.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Questions that cost something.
    pub charged: f64,
    /// Answers that were verified, or good enough to be given.
    pub verified: f64,
    /// In millionths of a US dollar.
    pub spent: f64,
}

/// What came of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lesson {
    pub verified: bool,
    pub micros: u32,
}

impl Tally {
    /// One question that is all there is to know.
    pub fn of(lesson: Lesson) -> Self {
        Self {
            charged: if lesson.micros > 0 { 1.0 } else { 0.0 },
            verified: if lesson.verified { 1.0 } else { 0.0 },
            spent: f64::from(lesson.micros),
        }
    }

    /// More of the same, and less of the old once there is enough.
    pub fn add(&mut self, more: Self, memory: f64) {
        self.charged += more.charged;
        self.verified += more.verified;
        self.spent += more.spent;
        let much = self.charged.max(self.verified);
        if much > memory {
            let kept = memory / much;
            self.charged *= kept;
            self.verified *= kept;
            self.spent *= kept;
        }
    }

    /// What one charged question costs, and how many answers it gives, where `prior` is believed as much as `weight` charged
    /// questions.
    fn estimate(&self, prior: Estimate, weight: f64) -> Estimate {
        let charges = self.charged + weight;
        Estimate {
            price: (self.spent + prior.price * PRIOR_PRICES) / (self.charged + PRIOR_PRICES),
            share: (self.verified + prior.share * weight) / charges,
            charges,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Estimate {
    /// Of one charged question.
    price: f64,
    /// Verified answers for each of them: more than one where a vendor gives some for nothing.
    share: f64,
    /// How many the estimate rests on.
    charges: f64,
}

/// A vendor that may be asked.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// In this segment.
    pub here: Tally,
    /// In all segments of the lookup.
    pub anywhere: Tally,
    /// By its list, in millionths of a US dollar.
    pub list_price: u32,
}

impl Candidate {
    /// What one verified answer costs, as a guess between the figures and what they may hide.
    fn cost_guess(&self, random: &mut impl Rng) -> f64 {
        let unknown =
            Estimate { price: f64::from(self.list_price), share: UNKNOWN_SHARE, charges: UNKNOWN_CHARGES };
        let anywhere = self.anywhere.estimate(unknown, UNKNOWN_CHARGES);
        let here = self.here.estimate(anywhere, PRIOR_CHARGES);
        let share = here.share.clamp(SHARE_MIN, 1.0);
        let spread = (share * (1.0 - share) / (here.charges + 1.0)).sqrt();
        let guessed = here.share + spread * about_normal(random);
        here.price / guessed.max(SHARE_MIN)
    }
}

/// Around zero, mostly within one: the sum of twelve even draws is as good as normal here.
fn about_normal(random: &mut impl Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

/// The places of the candidates, whom to ask first first. Equally good ones stay as they are.
pub fn order(candidates: &[Candidate], random: &mut impl Rng) -> Vec<usize> {
    let mut guessed: Vec<(usize, f64)> =
        candidates.iter().enumerate().map(|(place, one)| (place, one.cost_guess(random))).collect();
    guessed.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    guessed.into_iter().map(|(place, _)| place).collect()
}

/// What one question taught, told to the segment and to the lookup.
pub fn learn(here: &mut Tally, anywhere: &mut Tally, lesson: Lesson) {
    here.add(Tally::of(lesson), ORDER_MEMORY_SEGMENT);
    anywhere.add(Tally::of(lesson), ORDER_MEMORY_LOOKUP);
}
