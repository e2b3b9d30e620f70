//! Money, in minor units of its currency: cents of a dollar, yen of a yen.

/// Currencies whose minor unit is not a hundredth, with the decimals they have (ISO 4217).
const DECIMALS: &[(&str, u32)] = &[
    ("BHD", 3),
    ("BIF", 0),
    ("CLP", 0),
    ("DJF", 0),
    ("GNF", 0),
    ("IQD", 3),
    ("ISK", 0),
    ("JOD", 3),
    ("JPY", 0),
    ("KMF", 0),
    ("KRW", 0),
    ("KWD", 3),
    ("LYD", 3),
    ("OMR", 3),
    ("PYG", 0),
    ("RWF", 0),
    ("TND", 3),
    ("UGX", 0),
    ("VND", 0),
    ("VUV", 0),
    ("XAF", 0),
    ("XOF", 0),
    ("XPF", 0),
];

/// An amount, in minor units of its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Money {
    pub amount: i64,
    /// ISO 4217.
    pub currency: &'static str,
}

/// How many digits of a currency are minor units.
pub fn decimals(currency: &str) -> u32 {
    DECIMALS.iter().find(|(name, _)| *name == currency).map_or(2, |(_, decimals)| *decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_currencies_have_hundredths() {
        assert_eq!(["USD", "JPY", "KWD", "ISK", "XYZ"].map(decimals), [2, 0, 3, 0, 2]);
        assert!(DECIMALS.is_sorted_by_key(|(name, _)| *name));
    }
}
