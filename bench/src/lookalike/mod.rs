//! The bar `lookalike`: of the ten companies most like one, how many are of its kind, and how long it takes to find them.
//!
//! The companies of the made-up world have hidden kinds, which decide what their visible facts have in common and which no
//! record names. They are described and indexed as a node does it, in this process; where a node reads records from
//! PostgreSQL, the world makes them anew. The figures compare one version with the next and say nothing of real companies.

mod market;

use crate::bar::{Verdict, grouped, number_in, progress, quantile};
use anyhow::Result;
use market::Market;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Duration;

const PRECISION_LEAST: f64 = 0.85;
const P95_MOST: Duration = Duration::from_millis(100);
/// Results of one question.
const WANTED: usize = 10;
/// Draws other questions than the usual ones, about another world.
const OTHER_SEED: &str = "ASSAY_BAR_SEED";
const OTHER_COMPANIES: &str = "ASSAY_BAR_COMPANIES";
/// Kinds of which fewer than so many of ten are found are told.
const TOLD_BELOW: f64 = 0.9;

struct Size {
    companies: u64,
    questions: usize,
}

const FULL: Size = Size { companies: 1_000_000, questions: 1_000 };
const SHORT: Size = Size { companies: 20_000, questions: 400 };

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let companies = number_in(OTHER_COMPANIES)?.unwrap_or(size.companies);
    let seed = number_in(OTHER_SEED)?.unwrap_or(0);
    let market = Market::fill(seed, companies)?;
    let mut dice = ChaCha8Rng::seed_from_u64(0xa11e ^ seed);
    progress(format!("asking {} questions", grouped(size.questions)));
    let mut answers = Vec::with_capacity(size.questions);
    for _ in 0..size.questions {
        answers.push(market.ask(dice.random_range(0..market.companies()), WANTED)?);
    }
    Ok(Figures::of(&answers).verdict(market.companies()))
}

/// What came of one question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The hidden kind of the company asked about.
    kind: u16,
    /// Results of the same kind.
    right: usize,
    took: Duration,
}

#[derive(Debug)]
struct Figures {
    questions: usize,
    precision: f64,
    p50: Duration,
    p95: Duration,
}

impl Figures {
    fn of(answers: &[Answer]) -> Self {
        let mut took: Vec<Duration> = answers.iter().map(|answer| answer.took).collect();
        took.sort_unstable();
        let mut kinds: BTreeMap<u16, Vec<Answer>> = BTreeMap::new();
        for answer in answers {
            kinds.entry(answer.kind).or_default().push(answer.clone());
        }
        for (kind, answers) in kinds {
            if precision(&answers) < TOLD_BELOW {
                progress(format!("kind {kind}: {:.2} of {} questions", precision(&answers), answers.len()));
            }
        }
        Self {
            questions: answers.len(),
            precision: precision(answers),
            p50: quantile(&took, 500),
            p95: quantile(&took, 950),
        }
    }

    fn verdict(&self, companies: u64) -> Verdict {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let figure = format!(
            "lookalike: {} questions about {} companies of the made-up world (a regression figure, not one of real companies): \
             precision@{WANTED} {:.3} against its hidden kinds (bar {PRECISION_LEAST}), p50 {:.1} ms, p95 {:.1} ms (bar {} ms)",
            grouped(self.questions),
            grouped(usize::try_from(companies).unwrap_or(usize::MAX)),
            self.precision,
            milliseconds(self.p50),
            milliseconds(self.p95),
            P95_MOST.as_millis(),
        );
        Verdict { figure, passed: self.precision >= PRECISION_LEAST && self.p95 <= P95_MOST }
    }
}

/// Of the results wanted; one that is missing is wrong.
fn precision(answers: &[Answer]) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let right: usize = answers.iter().map(|answer| answer.right).sum();
    count(right) / count((answers.len() * WANTED).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(right: usize, milliseconds: u64) -> Answer {
        Answer { kind: 1, right, took: Duration::from_millis(milliseconds) }
    }

    #[test]
    fn too_few_of_a_kind_or_too_slow_is_told_and_fails() {
        let good = Figures::of(&[answer(10, 1), answer(8, 90)]);
        assert!((good.precision - 0.9).abs() < 1e-9 && good.verdict(5).passed);
        assert!(!Figures::of(&[answer(10, 1), answer(6, 1)]).verdict(5).passed);
        assert!(!Figures::of(&[answer(10, 1), answer(10, 101)]).verdict(5).passed);
    }
}
