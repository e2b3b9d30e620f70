//! How sources tell a sum.

use super::truth::chance;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Units of a currency for a hundred dollars, about.
const RATES: &[(&str, i64)] =
    &[("USD", 100), ("GBP", 80), ("EUR", 92), ("INR", 8_300), ("BRL", 500), ("JPY", 15_000), ("PLN", 400)];

/// Minor units of a currency.
pub type Sum = (i64, String);

/// To so many digits, as people tell sums.
pub fn rounded(amount: i64, digits: u32) -> i64 {
    let length = amount.max(1).ilog10() + 1;
    let step = 10_i64.pow(length.saturating_sub(digits));
    (amount + step / 2) / step * step
}

/// At the rate of somebody's day: over the years it moves by a tenth to each side, and more.
pub fn in_dollars((amount, currency): &Sum, dice: &mut ChaCha8Rng) -> Sum {
    if currency == "USD" {
        return (*amount, currency.clone());
    }
    let rate = RATES.iter().find(|(code, _)| code == currency).map_or(100, |(_, rate)| *rate);
    let minor = if currency == "JPY" { 100 } else { 1 };
    let of_day = dice.random_range(88..113);
    let dollars = i128::from(*amount) * 100 * of_day * minor / i128::from(rate) / 100;
    (i64::try_from(dollars).unwrap_or(i64::MAX), "USD".to_owned())
}

/// Sold to the cent: what comes of shares at a price.
pub fn exact(amount: i64, dice: &mut ChaCha8Rng) -> i64 {
    let off = amount / 200;
    amount - off + dice.random_range(0..=off.max(1) * 2)
}

/// What of a round is in when its first paper is filed: mostly all, else the first closing; sometimes notes that became shares
/// are counted too.
pub fn sold(amount: i64, dice: &mut ChaCha8Rng) -> i64 {
    let percent = match dice.random_range(0..100) {
        0..68 => 100,
        68..88 => dice.random_range(40..96),
        _ => dice.random_range(105..131),
    };
    exact(amount / 100 * percent, dice)
}

/// What a release or a row says of a sum: rounded, in its own currency or in dollars, with an earlier closing, as all that was
/// raised so far, or not at all.
pub struct Habits {
    pub silent: u32,
    pub dollars: u32,
    pub with_earlier: u32,
    pub all_so_far: u32,
    pub two_digits: u32,
}

pub fn told(sum: &Sum, raised: Option<i64>, habits: &Habits, dice: &mut ChaCha8Rng) -> Option<Sum> {
    if chance(dice, habits.silent) {
        return None;
    }
    let (mut amount, currency) = sum.clone();
    if chance(dice, habits.with_earlier) {
        amount = amount / 100 * dice.random_range(110..160);
    } else if chance(dice, habits.all_so_far) {
        amount = raised.unwrap_or(amount);
    }
    let mut sum = (amount, currency);
    if chance(dice, habits.dollars) {
        sum = in_dollars(&sum, dice);
    }
    sum.0 = rounded(sum.0, if chance(dice, habits.two_digits) { 2 } else { 3 });
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn sums_are_told_as_people_do() {
        assert_eq!(
            [rounded(1_234_567, 2), rounded(1_250_000, 3), rounded(7, 2), rounded(0, 2)],
            [1_200_000, 1_250_000, 7, 0]
        );
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        let (dollars, currency) = in_dollars(&(1_500_000_000, "JPY".to_owned()), &mut dice);
        assert_eq!(currency, "USD");
        assert!((880_000_000..1_130_000_000).contains(&dollars), "{dollars}");
    }
}
