//! Weights by which the right one of several candidates is likeliest: a logistic model, held small by a square penalty.

use std::collections::VecDeque;
use std::ops::Range;

/// A list of marks with a place for the weights of its column.
#[derive(Debug)]
struct Part {
    marks: Range<usize>,
    offset: usize,
}

/// One choice among candidates, each the sum of some parts.
#[derive(Debug, Default)]
pub struct Case {
    /// Numbers of marks, list after list.
    marks: Vec<u32>,
    parts: Vec<Part>,
    candidates: Vec<Vec<usize>>,
    right: Vec<bool>,
    weight: f64,
}

impl Case {
    pub fn new(weight: f64) -> Self {
        Self { weight, ..Self::default() }
    }

    /// A candidate of these parts.
    pub fn choose(&mut self, parts: Vec<usize>, is_right: bool) {
        self.candidates.push(parts);
        self.right.push(is_right);
    }

    /// Whether the right one is among the candidates.
    pub fn is_answered(&self) -> bool {
        self.right.contains(&true)
    }

    pub fn add(&mut self, marks: &[u32], offset: usize) -> usize {
        let from = self.marks.len();
        self.marks.extend_from_slice(marks);
        self.parts.push(Part { marks: from..self.marks.len(), offset });
        self.parts.len() - 1
    }

    /// The same marks in another column.
    pub fn again(&mut self, part: usize, offset: usize) -> usize {
        let marks = self.parts[part].marks.clone();
        self.parts.push(Part { marks, offset });
        self.parts.len() - 1
    }

    fn places(&self, part: &Part) -> impl Iterator<Item = usize> {
        let offset = part.offset;
        self.marks[part.marks.clone()].iter().map(move |mark| offset + *mark as usize)
    }

    fn worths(&self, weights: &[f64]) -> Vec<f64> {
        let part = |part: &Part| self.places(part).map(|place| weights[place]).sum::<f64>();
        let parts = self.parts.iter().map(part).collect::<Vec<_>>();
        self.candidates.iter().map(|all| all.iter().map(|at| parts[*at]).sum()).collect()
    }

    /// How likely each candidate is.
    pub fn shares(&self, weights: &[f64]) -> Vec<f64> {
        let worths = self.worths(weights);
        let most = worths.iter().copied().fold(f64::MIN, f64::max);
        let powers = worths.iter().map(|worth| (worth - most).exp()).collect::<Vec<_>>();
        let total = powers.iter().sum::<f64>();
        powers.into_iter().map(|power| power / total).collect()
    }

    /// Adds the slope of the loss, and returns the loss.
    fn slope(&self, weights: &[f64], slope: &mut [f64]) -> f64 {
        let shares = self.shares(weights);
        let right = shares.iter().zip(&self.right).filter(|(_, right)| **right).map(|(it, _)| it);
        let right = right.sum::<f64>().max(1e-12);
        let mut parts = vec![0.0; self.parts.len()];
        for ((share, is_right), all) in shares.iter().zip(&self.right).zip(&self.candidates) {
            let aim = if *is_right { share / right } else { 0.0 };
            all.iter().for_each(|at| parts[*at] += (share - aim) * self.weight);
        }
        for (part, by) in self.parts.iter().zip(&parts).filter(|(_, by)| by.abs() > 1e-9) {
            self.places(part).for_each(|place| slope[place] += by);
        }
        -right.ln() * self.weight
    }
}

/// How unlikely what is right is held, and its slope.
fn loss(cases: &[Case], weights: &[f64], penalty: f64) -> (f64, Vec<f64>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = cases.len().div_ceil(threads).max(1);
    let sums = std::thread::scope(|scope| {
        let part = |cases: &[Case]| {
            let mut slope = vec![0.0; weights.len()];
            let loss = cases.iter().map(|case| case.slope(weights, &mut slope)).sum::<f64>();
            (loss, slope)
        };
        let threads = cases.chunks(size).map(|cases| scope.spawn(move || part(cases))).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().expect("a thread broke")).collect::<Vec<_>>()
    });
    let mut slope = weights.iter().map(|weight| weight * penalty).collect::<Vec<_>>();
    let mut total = weights.iter().map(|weight| weight * weight).sum::<f64>() * penalty / 2.0;
    for (loss, part) in sums {
        total += loss;
        add(&mut slope, &part, 1.0);
    }
    (total, slope)
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn add(one: &mut [f64], two: &[f64], times: f64) {
    one.iter_mut().zip(two).for_each(|(one, two)| *one += two * times);
}

fn minus(one: &[f64], two: &[f64]) -> Vec<f64> {
    one.iter().zip(two).map(|(one, two)| one - two).collect()
}

/// Steps that were made, by which the shape of the loss is known: how the weights moved, how the slope turned, and both together.
#[derive(Debug, Default)]
struct Memory(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

const STEPS_MAX: usize = 120;
const STEPS_MIN: usize = 10;
const MEMORY: usize = 8;
/// A step that gains less, as a part of the loss, is the last.
const GAIN_MIN: f64 = 1e-5;

impl Memory {
    fn keep(&mut self, moved: Vec<f64>, turned: Vec<f64>) {
        let product = dot(&moved, &turned);
        if product > 1e-10 {
            self.0.push_back((moved, turned, product));
        }
        if self.0.len() > MEMORY {
            self.0.pop_front();
        }
    }

    /// Against the slope, corrected by the shape.
    fn way(&self, slope: &[f64]) -> Vec<f64> {
        let mut way = slope.to_vec();
        let mut used = Vec::new();
        for (moved, turned, product) in self.0.iter().rev() {
            let share = dot(moved, &way) / product;
            add(&mut way, turned, -share);
            used.push(share);
        }
        let scale = match self.0.back() {
            Some((_, turned, product)) => product / dot(turned, turned),
            None => 1.0 / dot(slope, slope).sqrt().max(1e-9),
        };
        way.iter_mut().for_each(|way| *way *= scale);
        for ((moved, turned, product), share) in self.0.iter().zip(used.into_iter().rev()) {
            let back = dot(turned, &way) / product;
            add(&mut way, moved, share - back);
        }
        way
    }
}

/// The weights of least loss, by the method of Broyden, Fletcher, Goldfarb and Shanno with limited memory.
pub fn fit(cases: &[Case], length: usize, penalty: f64) -> Vec<f64> {
    let mut weights = vec![0.0; length];
    let (mut value, mut slope) = loss(cases, &weights, penalty);
    let mut memory = Memory::default();
    for step in 0..STEPS_MAX {
        let way = memory.way(&slope);
        let falls = dot(&slope, &way);
        let mut size = 1.0;
        let (next, next_value, next_slope) = loop {
            let mut next = weights.clone();
            add(&mut next, &way, -size);
            let (next_value, next_slope) = loss(cases, &next, penalty);
            if next_value <= value - 1e-4 * size * falls || size < 1e-6 {
                break (next, next_value, next_slope);
            }
            size /= 2.0;
        };
        let gained = value - next_value;
        memory.keep(minus(&next, &weights), minus(&next_slope, &slope));
        (weights, value, slope) = (next, next_value, next_slope);
        if gained < value * GAIN_MIN && step > STEPS_MIN {
            break;
        }
    }
    weights
}
