//! What every company is, in a few bytes each: careers look at several companies for each job, so drawing the same
//! again for each look would be most of the work.

use chrono::{Datelike, NaiveDate};

use crate::dice::{Aspect, Dice};
use crate::roster::{Roster, is_local, seat};
use crate::tables::Tables;

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) founded_year: i16,
    pub(crate) country: u8,
    /// The number of the place in the country.
    pub(crate) place: u8,
    pub(crate) is_local: bool,
    /// The number of the trade of a local business, of the segment of others.
    pub(crate) kind: u8,
    /// Unused by local businesses.
    pub(crate) branch: u8,
}

#[derive(Debug)]
pub(crate) struct Register(Vec<Entry>);

impl Register {
    pub(crate) fn new(seed: u64, as_of: NaiveDate, tables: &Tables, roster: &Roster) -> Self {
        let entry = |index: u64| {
            let people = roster.people_at(index);
            let (country, place) = seat(seed, tables, index);
            let is_local = is_local(seed, index);
            let mut dice = Dice::new(seed, Aspect::CompanyBranch, index);
            let (kind, branch) = if is_local {
                (trade(tables, people, &mut dice), 0)
            } else {
                segment(tables, people, &mut dice)
            };
            let age = age_years(people, &mut Dice::new(seed, Aspect::CompanyAge, index));
            let founded_year = i64::from(as_of.year()).saturating_sub_unsigned(age);
            let founded_year = i16::try_from(founded_year).unwrap_or(0);
            Entry {
                founded_year,
                country: byte(country),
                place: byte(place),
                is_local,
                kind: byte(kind),
                branch: byte(branch),
            }
        };
        Self((0..roster.companies()).map(entry).collect())
    }

    /// Past the last company, one that is like no other.
    #[inline]
    pub(crate) fn entry(&self, company: u64) -> Entry {
        usize::try_from(company).ok().and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }
}

/// No table of which a number is kept is longer, as a test makes sure.
fn byte(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn trade(tables: &Tables, people: u64, dice: &mut Dice) -> u64 {
    let mut drawn = (0..8).map(|_| tables.trades.draw_number(dice));
    drawn.find(|trade| tables.trades.at(*trade).segment.suits(people)).unwrap_or(0)
}

/// The hidden kind of an ordinary company, and which of its branches the company is in.
fn segment(tables: &Tables, people: u64, dice: &mut Dice) -> (u64, u64) {
    let drawn = (0..12).find_map(|_| {
        let number = tables.segments.draw_number(dice);
        let segment = tables.segments.at(number);
        let branch = *segment.branches.draw(dice);
        (segment.suits(people) && tables.branches.at(branch).suits(people)).then_some((number, branch))
    });
    drawn.unwrap_or((0, 0))
}

fn age_years(people: u64, dice: &mut Dice) -> u64 {
    match people {
        0..=10 => dice.lean(1, 24),
        11..=60 => dice.lean(3, 40),
        61..=300 => dice.lean(6, 70),
        _ => dice.between(9, 110),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_which_a_number_is_kept_fits_in_a_byte() {
        let tables = Tables::read();
        let most = tables.countries.iter().map(|country| country.places.len()).max().unwrap();
        for rows in
            [most, tables.countries.len(), tables.trades.len(), tables.segments.len(), tables.branches.len()]
        {
            assert!(rows <= u64::from(u8::MAX), "{rows}");
        }
    }
}
