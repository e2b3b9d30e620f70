//! Prices: what a call costs as a pure function of what it found.

use crate::Credits;

/// How an endpoint is billed. `units` is the number of things found that the endpoint promises; `ran` is whether
/// the search itself took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    Free,
    /// One price when the call found what it exists to find.
    Flat(Credits),
    PerUnit(Credits),
    /// The base whenever the search ran, and a price for each row.
    BasePlus {
        base: Credits,
        unit: Credits,
    },
}

impl Price {
    pub const fn charge(self, ran: bool, units: u32) -> Credits {
        if !ran {
            return Credits::ZERO;
        }
        match self {
            Self::Free => Credits::ZERO,
            Self::Flat(price) => {
                if units == 0 {
                    Credits::ZERO
                } else {
                    price
                }
            }
            Self::PerUnit(unit) => unit.times(widen(units)),
            Self::BasePlus { base, unit } => base.plus(unit.times(widen(units))),
        }
    }

    /// The largest number of units, at most `wanted`, whose charge fits into `funds`; `None` when not even the
    /// smallest billable answer does.
    pub fn units_within(self, funds: Credits, wanted: u32) -> Option<u32> {
        let fitting = |funds: Credits, unit: Credits| u32::try_from(funds.count_of(unit)).unwrap_or(u32::MAX);
        match self {
            Self::Free => Some(wanted),
            Self::Flat(price) => (price <= funds).then_some(wanted),
            Self::PerUnit(unit) => {
                Some(fitting(funds, unit).min(wanted)).filter(|units| *units > 0 || wanted == 0)
            }
            Self::BasePlus { base, unit } => {
                (base.plus(unit) <= funds).then(|| fitting(funds.minus(base), unit).min(wanted))
            }
        }
    }

    pub const fn is_free(self) -> bool {
        matches!(self, Self::Free)
    }

    /// The name of the model in the API document's `x-price`.
    pub const fn model(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Flat(_) => "flat",
            Self::PerUnit(_) => "per_unit",
            Self::BasePlus { .. } => "base_plus",
        }
    }

    /// The price of one unit.
    pub const fn unit(self) -> Credits {
        match self {
            Self::Free => Credits::ZERO,
            Self::Flat(price) | Self::PerUnit(price) => price,
            Self::BasePlus { unit, .. } => unit,
        }
    }

    /// What is charged for having searched at all.
    pub const fn base(self) -> Credits {
        match self {
            Self::BasePlus { base, .. } => base,
            _ => Credits::ZERO,
        }
    }
}

const fn widen(units: u32) -> i64 {
    #[expect(clippy::as_conversions, reason = "u32 always fits i64, and From is not const")]
    let wide = units as i64;
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: [Price; 4] = [
        Price::Free,
        Price::Flat(Credits::whole(12)),
        Price::PerUnit(Credits::from_thousandths(600)),
        Price::BasePlus { base: Credits::whole(1), unit: Credits::from_thousandths(800) },
    ];

    #[test]
    fn what_did_not_run_costs_nothing() {
        for price in PRICES {
            for units in 0..5 {
                assert_eq!(price.charge(false, units), Credits::ZERO);
            }
        }
    }

    #[test]
    fn only_a_base_is_charged_for_nothing_found() {
        for price in PRICES {
            assert_eq!(price.charge(true, 0), price.base());
        }
    }

    #[test]
    fn affordable_units_are_the_most_that_fit() {
        for price in PRICES {
            for funds in (0..20_000).step_by(100).map(Credits::from_thousandths) {
                match price.units_within(funds, 10) {
                    Some(units) => {
                        assert!(price.charge(true, units) <= funds);
                        let more = price.charge(true, units + 1);
                        assert!(units == 10 || more > funds, "{price:?} {funds}: {units}");
                    }
                    None => assert!(price.charge(true, 1) > funds, "{price:?} {funds}"),
                }
            }
        }
    }

    #[test]
    fn flat_prices_do_not_grow_with_units() {
        let flat = Price::Flat(Credits::whole(25));
        assert_eq!(flat.charge(true, 1), flat.charge(true, 7));
    }
}
