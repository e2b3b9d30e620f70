//! What a run of a filter may use, and the calls that take it.

use jaq_core::data::HasLut;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{DataT, Lut};
use jaq_json::{Error, Val};
use std::cell::Cell;

/// About a fifth of a second at worst: a step or 64 bytes looked at cost one each.
const FUEL: u64 = 500_000;
const BYTES_A_UNIT: usize = 64;

/// One run's. Once empty it stays so: no `?` of a filter brings it back.
pub(super) struct Fuel(Cell<u64>);

impl Fuel {
    pub(super) fn full() -> Self {
        Self(Cell::new(FUEL))
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.0.get() == 0
    }

    fn take(&self, units: u64) -> Result<(), Error> {
        self.0.set(self.0.get().saturating_sub(units));
        if self.is_used_up() { Err(Error::str("too many steps")) } else { Ok(()) }
    }

    /// Takes for everything within a value, as looking at it costs; stops at the end of the fuel.
    fn weigh(&self, value: &Val) -> Result<(), Error> {
        match value {
            Val::TStr(bytes) | Val::BStr(bytes) => {
                self.take(1 + u64::try_from(bytes.len() / BYTES_A_UNIT).unwrap_or(u64::MAX))
            }
            Val::Arr(items) => {
                self.take(1)?;
                items.iter().try_for_each(|item| self.weigh(item))
            }
            Val::Obj(fields) => {
                self.take(1)?;
                fields.iter().try_for_each(|(name, value)| self.weigh(name).and_then(|()| self.weigh(value)))
            }
            Val::Null | Val::Bool(_) | Val::Num(_) => self.take(1),
        }
    }
}

/// What filters work on, and with.
pub(super) struct Metered;

#[derive(Clone)]
pub(super) struct Tank<'a> {
    pub(super) lut: &'a Lut<Metered>,
    pub(super) fuel: &'a Fuel,
}

impl DataT for Metered {
    type V<'a> = Val;
    type Data<'a> = Tank<'a>;
}

impl<'a> HasLut<'a, Metered> for Tank<'a> {
    fn lut(&self) -> &'a Lut<Metered> {
        self.lut
    }
}

/// One step, however large the value: it is only handed on.
pub(super) const STEP: &str = "metered_step";
/// A value that is about to be looked at, or was just made.
pub(super) const WEIGH: &str = "metered_weigh";
/// What arithmetic other than addition takes: with texts and lists it multiplies.
pub(super) const NUMBER: &str = "metered_number";

pub(super) fn funs() -> Vec<Fun<Metered>> {
    vec![
        run((STEP, v(0), |(context, value)| bome(context.data().fuel.take(1).map(|()| value)))),
        run((WEIGH, v(0), |(context, value)| bome(context.data().fuel.weigh(&value).map(|()| value)))),
        run((NUMBER, v(0), |(context, value)| {
            let number = if matches!(value, Val::Num(_)) { Ok(()) } else { Err(Error::str("not a number")) };
            bome(number.and_then(|()| context.data().fuel.take(1)).map(|()| value))
        })),
    ]
}
