//! Sums of different currencies beside each other, roughly: whether two can be one, not what one is worth.

use assay_sources::money::decimals;

/// Units of a currency for a hundred dollars, in the middle of what it was over the last years.
const RATES: &[(&str, i64)] = &[
    ("AED", 367),
    ("AUD", 145),
    ("BRL", 500),
    ("CAD", 133),
    ("CHF", 93),
    ("CNY", 690),
    ("CZK", 2_250),
    ("DKK", 675),
    ("EUR", 91),
    ("GBP", 78),
    ("HKD", 780),
    ("IDR", 1_500_000),
    ("ILS", 355),
    ("INR", 8_000),
    ("JPY", 13_500),
    ("KRW", 127_000),
    ("MXN", 1_900),
    ("NOK", 980),
    ("NZD", 157),
    ("PLN", 400),
    ("SEK", 980),
    ("SGD", 136),
    ("TRY", 2_500),
    ("USD", 100),
    ("ZAR", 1_700),
];

/// The larger of two sums in per cent of the lesser, and whether they are of one currency; nothing where they cannot be compared.
pub(super) fn ratio(one: (i64, Option<&str>), other: (i64, Option<&str>)) -> Option<(i64, bool)> {
    let is_one_currency = one.1 == other.1;
    let (one, other) =
        if is_one_currency { (one.0.into(), other.0.into()) } else { (cents(one)?, cents(other)?) };
    let (less, more) = (one.min(other), one.max(other));
    if less <= 0 {
        return None;
    }
    let percent = more.saturating_mul(100) / less;
    Some((i64::try_from(percent).unwrap_or(i64::MAX), is_one_currency))
}

fn cents((amount, currency): (i64, Option<&str>)) -> Option<i128> {
    let currency = currency?;
    let (_, rate) = RATES.iter().find(|(code, _)| *code == currency)?;
    let units = 10_i128.pow(decimals(currency));
    Some(i128::from(amount) * 10_000 / units / i128::from(*rate))
}
