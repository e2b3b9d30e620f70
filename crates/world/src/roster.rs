//! Who works where: the people of the world cut into one block of indexes for each company.

use crate::dice::{Aspect, Dice};
use crate::tables::{Country, Place, Tables};

const PEOPLE_PER_COMPANY: u64 = 40;
const COMPANIES_LEAST: u64 = 20;

/// What cannot be worked out for one company alone. Some 20 bytes a company, thus half a byte a person.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The index of each company's first person, then the number of people.
    starts: Vec<u64>,
    /// For each company, how many people before it draw from the same stock of telephone numbers.
    dialled: Vec<u32>,
    /// The companies of each country.
    by_country: Vec<Vec<u32>>,
}

/// A person's desk: the company and the place in it, counted from the top.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Desk {
    pub(crate) company: u64,
    pub(crate) position: u64,
}

impl Roster {
    pub(crate) fn new(seed: u64, people: u64, tables: &Tables) -> Self {
        let companies = company_count(people);
        let total: u128 = (0..companies).map(|company| u128::from(weight(seed, company))).sum();
        let mut roster = Self {
            starts: vec![0],
            dialled: Vec::new(),
            by_country: tables.countries.iter().map(|_| Vec::new()).collect(),
        };
        let (mut sum, mut start) = (0_u128, 0_u64);
        let mut stocks: Vec<u32> = Vec::new();
        for company in 0..companies {
            sum += u128::from(weight(seed, company));
            // Scaled sums rather than scaled sizes: the blocks fill the range of people without a rest.
            let end = u64::try_from(sum * u128::from(people) / total.max(1)).unwrap_or(people);
            let (country, place) = seat(seed, tables, company);
            let stock = usize::try_from(stock_number(country, place)).unwrap_or(0);
            if stocks.len() <= stock {
                stocks.resize(stock + 1, 0);
            }
            let block = u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX);
            if let Some(used) = stocks.get_mut(stock) {
                roster.dialled.push(*used);
                *used = used.saturating_add(block);
            }
            let listed = usize::try_from(country.number).ok().and_then(|at| roster.by_country.get_mut(at));
            if let (Some(listed), Ok(company)) = (listed, u32::try_from(company)) {
                listed.push(company);
            }
            roster.starts.push(end);
            start = end;
        }
        roster
    }

    /// The desk of a person. Indexes past the last person sit in the last company.
    pub(crate) fn desk(&self, person: u64) -> Desk {
        let after = self.starts.partition_point(|start| *start <= person);
        let company = after.saturating_sub(1).min(self.starts.len().saturating_sub(2));
        let start = self.starts.get(company).copied().unwrap_or(0);
        Desk { company: u64::try_from(company).unwrap_or(0), position: person.saturating_sub(start) }
    }

    /// How many people of the world work at a company.
    pub(crate) fn people_at(&self, company: u64) -> u64 {
        let bound = |at: u64| usize::try_from(at).ok().and_then(|at| self.starts.get(at)).copied();
        match (bound(company), bound(company.saturating_add(1))) {
            (Some(start), Some(end)) => end.saturating_sub(start),
            _ => 0,
        }
    }

    /// The place of somebody in the queue for telephone numbers; none for people outside the blocks.
    pub(crate) fn dial_rank(&self, desk: Desk) -> Option<u64> {
        let before = usize::try_from(desk.company).ok().and_then(|at| self.dialled.get(at))?;
        (desk.position < self.people_at(desk.company))
            .then(|| u64::from(*before).saturating_add(desk.position))
    }

    /// A random company of a country.
    pub(crate) fn draw_company(&self, country: &Country, dice: &mut Dice) -> Option<u64> {
        let listed = self.by_country.get(usize::try_from(country.number).ok()?)?;
        let at = dice.below(u64::try_from(listed.len()).ok()?);
        listed.get(usize::try_from(at).ok()?).map(|company| u64::from(*company))
    }
}

pub(crate) fn company_count(people: u64) -> u64 {
    (people / PEOPLE_PER_COMPANY).max(COMPANIES_LEAST)
}

/// Where a company sits.
pub(crate) fn seat(seed: u64, tables: &Tables, company: u64) -> (&Country, &Place) {
    let mut dice = Dice::new(seed, Aspect::CompanyBase, company);
    let country = tables.countries.draw(&mut dice);
    (country, country.places.draw(&mut dice))
}

/// Telephone numbers come from one range for all of Britain, and from the area codes of each city in the US.
fn stock_number(country: &Country, place: &Place) -> u64 {
    if country.code == "GB" { 0 } else { 1 + place.number }
}

/// The relative size of a company: many small, a few large.
fn weight(seed: u64, company: u64) -> u64 {
    let mut dice = Dice::new(seed, Aspect::CompanySize, company);
    match dice.below(1_000) {
        0..350 => dice.between(3, 12),
        350..650 => dice.between(13, 35),
        650..850 => dice.between(36, 80),
        850..960 => dice.between(81, 220),
        960..995 => dice.lean(221, 800),
        _ => dice.lean(801, 4_000),
    }
}
