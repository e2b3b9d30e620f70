//! The bar `waterfall`: the learnt order of vendors against the best order anybody could have fixed beforehand, on vendors whose
//! hit rates and prices nobody knows, differ by segment and drift.
//!
//! Every vendor's answer to every question is drawn before anybody is asked, so that all orders meet the same luck.

use crate::bar::{Verdict, progress};
use anyhow::Result;
use assay_engine::upstream::order::{Candidate, Lesson, Tally, learn, order};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VENDORS: usize = 6;
const SEGMENTS: usize = 8;
const SEEDS: u64 = 20;
const QUESTIONS: usize = 30_000;
/// Each vendor becomes another in each segment after so many questions on average.
const REDRAWN_AFTER: f64 = 15_000.0;
/// Between these sudden changes rates wander by so much with every so many questions.
const WANDER: f64 = 0.02;
const WANDER_EVERY: usize = 100;

const SAVED_BAR: f64 = 0.25;
const WORSE_BAR: f64 = 0.05;

/// What a vendor is worth in one segment at one time.
#[derive(Clone, Copy)]
struct Worth {
    hits: f64,
    /// Of the hits.
    verified: f64,
    micros: f64,
}

/// What one vendor would answer to one question.
#[derive(Clone, Copy)]
struct Reply {
    verified: bool,
    micros: u32,
}

struct Vendor {
    /// Whether a miss costs as much as a hit.
    charges_misses: bool,
    list_price: u32,
}

/// One seed: the questions' segments, and all answers to them.
struct Market {
    vendors: Vec<Vendor>,
    segments: Vec<usize>,
    replies: Vec<[Reply; VENDORS]>,
}

/// What an order came to.
#[derive(Clone, Copy, Default)]
struct Bill {
    micros: u64,
    answers: u64,
}

impl Bill {
    fn per_answer(self) -> f64 {
        self.micros as f64 / self.answers.max(1) as f64
    }
}

/// Always whole: with fewer questions there is too little to learn from, and it takes seconds.
pub async fn run(_short: bool) -> Result<Verdict> {
    let mut saved = Vec::new();
    let mut lost_answers = 0;
    for seed in 0..SEEDS {
        let market = Market::draw(seed, QUESTIONS);
        let (fixed, learnt) = (market.best_fixed(), market.learnt(seed));
        lost_answers += fixed.answers.saturating_sub(learnt.answers);
        let share = 1.0 - learnt.per_answer() / fixed.per_answer();
        progress(format!(
            "seed {seed}: {:.0} a verified answer, {:.0} in the best fixed order: {:.1} % less",
            learnt.per_answer(),
            fixed.per_answer(),
            share * 100.0
        ));
        saved.push(share);
    }
    let mean = saved.iter().sum::<f64>() / saved.len() as f64;
    let least = saved.iter().copied().fold(f64::INFINITY, f64::min);
    let figure = format!(
        "waterfall: {SEEDS} seeds, {QUESTIONS} questions each: a verified answer costs {:.1} % less than in the best fixed order \
         (bar {:.0} %), {:.1} % less at worst (bar {:.0} %), {lost_answers} answers lost (bar 0)",
        mean * 100.0,
        SAVED_BAR * 100.0,
        least * 100.0,
        -WORSE_BAR * 100.0
    );
    let passed = mean >= SAVED_BAR && least >= -WORSE_BAR && lost_answers == 0;
    Ok(Verdict { figure, passed })
}

impl Market {
    fn draw(seed: u64, questions: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let vendors: Vec<Vendor> = (0..VENDORS)
            .map(|_| Vendor {
                charges_misses: random.random_bool(0.5),
                list_price: draw_price(&mut random) as u32,
            })
            .collect();
        let mut worth: Vec<Vec<Worth>> =
            vendors.iter().map(|_| (0..SEGMENTS).map(|_| Worth::draw(&mut random)).collect()).collect();
        let mut market = Self { vendors, segments: Vec::new(), replies: Vec::new() };
        for number in 0..questions {
            for one in worth.iter_mut().flatten() {
                if random.random_bool(1.0 / REDRAWN_AFTER) {
                    *one = Worth::draw(&mut random);
                } else if number % WANDER_EVERY == 0 {
                    let step = (random.random::<f64>() - 0.5) * 2.0 * WANDER;
                    one.hits = (one.hits + step).clamp(0.02, 0.95);
                }
            }
            // Small numbers are more frequent: the first segment is asked for about five times as often as the last.
            let segment = ((SEGMENTS as f64 + 1.0).powf(random.random::<f64>()) - 1.0) as usize;
            // Some people are hard to find for everybody.
            let ease = 0.5 + random.random::<f64>();
            let reply = |place: usize, random: &mut ChaCha8Rng| {
                let (vendor, worth) = (&market.vendors[place], worth[place][segment]);
                let hit = random.random::<f64>() < worth.hits * ease;
                let verified = hit && random.random::<f64>() < worth.verified;
                let micros = if hit || vendor.charges_misses { worth.micros as u32 } else { 0 };
                Reply { verified, micros }
            };
            market.replies.push(std::array::from_fn(|place| reply(place, &mut random)));
            market.segments.push(segment);
        }
        market
    }

    /// The cheapest of all orders that never change, found with hindsight.
    fn best_fixed(&self) -> Bill {
        let mut best: Option<Bill> = None;
        each_order(&mut (0..VENDORS).collect::<Vec<_>>(), 0, &mut |order| {
            let mut bill = Bill::default();
            for replies in &self.replies {
                ask(replies, order, &mut bill, |_, _| {});
            }
            if best.is_none_or(|best| bill.per_answer() < best.per_answer()) {
                best = Some(bill);
            }
        });
        best.unwrap_or_default()
    }

    fn learnt(&self, seed: u64) -> Bill {
        let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0xa55a);
        let mut anywhere = [Tally::default(); VENDORS];
        let mut here = vec![[Tally::default(); VENDORS]; SEGMENTS];
        let mut bill = Bill::default();
        for (replies, segment) in self.replies.iter().zip(&self.segments) {
            let here = &mut here[*segment];
            let candidates: Vec<Candidate> = (0..VENDORS)
                .map(|place| Candidate {
                    here: here[place],
                    anywhere: anywhere[place],
                    list_price: self.vendors[place].list_price,
                })
                .collect();
            let order = order(&candidates, &mut random);
            ask(replies, &order, &mut bill, |place, reply| {
                let lesson = Lesson { verified: reply.verified, micros: reply.micros };
                learn(&mut here[place], &mut anywhere[place], lesson);
            });
        }
        bill
    }
}

impl Worth {
    fn draw(random: &mut ChaCha8Rng) -> Self {
        Self {
            hits: 0.02 + 0.9 * random.random::<f64>(),
            verified: 0.6 + 0.4 * random.random::<f64>(),
            micros: draw_price(random),
        }
    }
}

/// From 0.2 to 8 cents, half of them below 1.3. What is paid in a segment has little to do with the list.
fn draw_price(random: &mut ChaCha8Rng) -> f64 {
    2_000.0 * 40_f64.powf(random.random::<f64>())
}

/// Until one is verified, as the product does.
fn ask(replies: &[Reply; VENDORS], order: &[usize], bill: &mut Bill, mut noted: impl FnMut(usize, Reply)) {
    for place in order {
        let reply = replies[*place];
        bill.micros += u64::from(reply.micros);
        noted(*place, reply);
        if reply.verified {
            bill.answers += 1;
            return;
        }
    }
}

fn each_order(places: &mut Vec<usize>, from: usize, seen: &mut impl FnMut(&[usize])) {
    if from == places.len() {
        return seen(places);
    }
    for other in from..places.len() {
        places.swap(from, other);
        each_order(places, from + 1, seen);
        places.swap(from, other);
    }
}
