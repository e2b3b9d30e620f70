//! What each mark is worth, as it was counted, and how likely that makes each of several candidates.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The marks of one kind, with as many weights as it has columns: hundredths of a logarithm of odds.
pub(super) type Table = HashMap<&'static str, Vec<i64>>;

#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Of a side as one that raises, that buys, that is bought.
    pub side: Table,
    pub pair: Table,
    /// Of a release as one of a round, of a purchase.
    pub text: Table,
    /// Of a sum as the one raised, as the one paid.
    pub sum: Table,
    pub form: Table,
}

pub(super) static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    let mut weights = Weights::default();
    let mut kind = "";
    for line in include_str!("weights.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((mark, worth)) = line.rsplit_once('\t') else {
            kind = line;
            continue;
        };
        let table = match kind {
            "side" => &mut weights.side,
            "pair" => &mut weights.pair,
            "text" => &mut weights.text,
            "sum" => &mut weights.sum,
            _ => &mut weights.form,
        };
        table.insert(mark, worth.split(' ').filter_map(|it| it.parse().ok()).collect());
    }
    weights
});

/// What all marks together are worth in a column.
pub(super) fn worth(table: &Table, marks: &[String], column: usize) -> i64 {
    let weights = marks.iter().filter_map(|mark| table.get(mark.as_str())?.get(column));
    weights.sum()
}

/// A certain event.
pub(super) const WHOLE: i64 = 1_000_000;

/// e to the power of minus so many hundredths, in millionths.
static POWERS: LazyLock<Vec<i64>> = LazyLock::new(|| {
    const STEPS: usize = 1_400;
    const EXACT: i64 = 1_000_000_000_000;
    // e to the power of minus one hundredth.
    const STEP: i64 = 990_050;
    let mut power = EXACT;
    let mut found = Vec::with_capacity(STEPS);
    for _ in 0..STEPS {
        found.push(power / (EXACT / WHOLE));
        power = power / WHOLE * STEP;
    }
    found
});

/// How likely each of the candidates is, in millionths, when one of them is right.
pub(super) fn shares(worths: &[i64]) -> Vec<i64> {
    let most = worths.iter().copied().max().unwrap_or_default();
    let power = |worth: &i64| {
        let less = usize::try_from(most - worth).unwrap_or(usize::MAX);
        POWERS.get(less).copied().unwrap_or_default()
    };
    let powers = worths.iter().map(power).collect::<Vec<_>>();
    let total = powers.iter().sum::<i64>().max(1);
    powers.into_iter().map(|power| power * WHOLE / total).collect()
}

/// The most likely one.
pub(super) fn likeliest(shares: &[i64]) -> Option<(usize, i64)> {
    let all = shares.iter().copied().enumerate();
    all.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_become_shares() {
        assert_eq!(shares(&[0, 0]), [500_000, 500_000]);
        // Odds of ten to one.
        let [first, second] = shares(&[0, -230])[..] else { panic!() };
        assert!((905_000..913_000).contains(&first) && first + second >= WHOLE - 2);
        assert_eq!(shares(&[0, -9_999]), [WHOLE, 0]);
        assert_eq!(likeliest(&[1, 5, 5]), Some((1, 5)));
        assert_eq!(likeliest(&[]), None);
    }

    #[test]
    fn every_mark_has_a_weight_for_each_column() {
        let Weights { side, pair, text, sum, form } = &*WEIGHTS;
        for (table, columns) in [(side, 3), (pair, 1), (text, 2), (sum, 2), (form, 1)] {
            assert!(!table.is_empty() && table.values().all(|row| row.len() == columns));
        }
    }
}
