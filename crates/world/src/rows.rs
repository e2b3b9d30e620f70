//! Tables of rows to draw from, and the reader of the text files they are written in.

use crate::dice::{Dice, Order, scale};

/// How flat the start of a ranking is: the first is about seven times as common as the hundredth.
const RANK_SHIFT: u64 = 15;

/// Rows with weights. Drawing always gives a row: an empty table gives the row's default.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    rows: Vec<T>,
    /// The sum of the weights up to and with each row; empty when all weigh the same.
    sums: Vec<u64>,
    fallback: T,
}

impl<T: Default> Rows<T> {
    pub(crate) fn even(rows: Vec<T>) -> Self {
        Self { rows, sums: Vec::new(), fallback: T::default() }
    }

    pub(crate) fn weighted(weighted: impl IntoIterator<Item = (u64, T)>) -> Self {
        let mut sum = 0_u64;
        let (sums, rows) = weighted
            .into_iter()
            .map(|(weight, row)| {
                sum = sum.saturating_add(weight);
                (sum, row)
            })
            .unzip();
        Self { rows, sums, fallback: T::default() }
    }

    /// The most common first; the weight falls with the rank as it does with names.
    pub(crate) fn ranked(rows: Vec<T>) -> Self {
        Self::weighted((1..).map(rank_weight).zip(rows))
    }

    #[inline]
    pub(crate) fn at(&self, index: u64) -> &T {
        usize::try_from(index).ok().and_then(|index| self.rows.get(index)).unwrap_or(&self.fallback)
    }

    #[inline]
    pub(crate) fn draw(&self, dice: &mut Dice) -> &T {
        self.pick(dice.throw())
    }

    /// The number of a random row.
    pub(crate) fn draw_number(&self, dice: &mut Dice) -> u64 {
        self.pick_number(dice.throw())
    }

    /// The row of a random number; near numbers give the same row or near ones.
    #[inline]
    pub(crate) fn pick(&self, random: u64) -> &T {
        self.at(self.pick_number(random))
    }

    #[inline]
    fn pick_number(&self, random: u64) -> u64 {
        let Some(total) = self.sums.last() else {
            return scale(random, self.len());
        };
        let thrown = scale(random, *total);
        u64::try_from(self.sums.partition_point(|sum| *sum <= thrown)).unwrap_or(0)
    }

    /// `count` different rows, or all when there are fewer.
    pub(crate) fn draw_some<'a>(&'a self, dice: &mut Dice, count: u64) -> impl Iterator<Item = &'a T> {
        let order = Order::throw(dice, self.len());
        (0..count.min(self.len())).map(move |position| self.at(order.at(position)))
    }

    pub(crate) fn len(&self) -> u64 {
        u64::try_from(self.rows.len()).unwrap_or(u64::MAX)
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }
}

impl<T: Default> Default for Rows<T> {
    fn default() -> Self {
        Self::even(Vec::new())
    }
}

/// How common the name of a rank is, the first rank being 1.
pub(crate) const fn rank_weight(rank: u64) -> u64 {
    1_000_000 / (rank + RANK_SHIFT)
}

/// The lines of a data file as columns; comments and blank lines left out.
pub(crate) fn columns<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).filter_map(|line| {
        let cells: Vec<&'static str> = line.split('|').map(str::trim).collect();
        cells.try_into().ok()
    })
}

/// The parts of one cell, as a table of their own.
pub(crate) fn list(cell: &'static str, separator: char) -> Rows<&'static str> {
    Rows::even(cell.split(separator).map(str::trim).collect())
}

/// A range as the files write it; a missing bound is the furthest.
pub(crate) fn range(cell: &str) -> std::ops::RangeInclusive<u64> {
    let (least, most) = cell.split_once("..").unwrap_or_default();
    number(least)..=if most.is_empty() { u64::MAX } else { number(most) }
}

pub(crate) fn number(cell: &str) -> u64 {
    cell.trim().parse().unwrap_or(0)
}
