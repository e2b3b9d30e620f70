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

    #[test]
    fn every_model_charges_what_it_says() {
        let charges = |price: Price| [0, 1, 2, 7].map(|units| price.charge(true, units).thousandths());
        let [free, flat, unit, base] = PRICES.map(charges);
        assert_eq!(free, [0; 4]);
        assert_eq!(flat, [0, 12_000, 12_000, 12_000]);
        assert_eq!(unit, [0, 600, 1_200, 4_200]);
        assert_eq!(base, [1_000, 1_800, 2_600, 6_600]);
        assert_eq!(
            Price::PerUnit(Credits::whole(1)).charge(true, u32::MAX),
            Credits::whole(i64::from(u32::MAX))
        );
    }

    #[test]
    fn the_units_that_fit_are_counted_exactly() {
        let within =
            |price: Price, funds: i64, wanted| price.units_within(Credits::from_thousandths(funds), wanted);
        let [free, flat, unit, base] = PRICES;
        assert_eq!(within(free, 0, 9), Some(9));
        assert_eq!((within(flat, 11_999, 3), within(flat, 12_000, 3)), (None, Some(3)));
        assert_eq!(
            (within(unit, 599, 3), within(unit, 600, 3), within(unit, 1_799, 3)),
            (None, Some(1), Some(2))
        );
        // Who asks for nothing needs nothing.
        assert_eq!((within(unit, 0, 0), within(unit, 6_000, 0)), (Some(0), Some(0)));
        assert_eq!((within(unit, 60_000, 3), within(unit, -600, 3)), (Some(3), None));
        assert_eq!(
            (within(base, 1_799, 3), within(base, 1_800, 3), within(base, 2_600, 3)),
            (None, Some(1), Some(2))
        );
        assert_eq!(within(base, 60_000, 3), Some(3));
    }

    #[test]
    fn the_price_list_tells_every_model() {
        assert_eq!(PRICES.map(Price::is_free), [true, false, false, false]);
        assert_eq!(PRICES.map(Price::model), ["free", "flat", "per_unit", "base_plus"]);
        assert_eq!(PRICES.map(|price| price.unit().thousandths()), [0, 12_000, 600, 800]);
        assert_eq!(PRICES.map(|price| price.base().thousandths()), [0, 0, 0, 1_000]);
    }
}
