//! Who works where: the people of the world cut into one block of indexes for each company.

use crate::dice::{Aspect, Dice, hash};
use crate::tables::{Country, Tables};

const PEOPLE_PER_COMPANY: u64 = 40;
const COMPANIES_LEAST: u64 = 20;
/// Of all companies.
const LOCAL_PERCENT: u64 = 12;

/// What cannot be worked out for one company alone. Some 20 bytes a company, thus half a byte a person.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The index of each company's first person, then the number of people.
    starts: Vec<u64>,
    /// For each company, how many people before it draw from the same stock of telephone numbers.
    dialled: Vec<u32>,
    /// The companies of each country that are not local businesses.
    by_country: Vec<Vec<u32>>,
}

/// How large a company is before all of them are fitted to the number of people.
#[derive(Debug, Clone, Copy)]
enum Size {
    /// A share of those that local businesses leave over.
    Share(u64),
    /// So many people, whatever the size of the world.
    Heads(u64),
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
        let cut = Cut::new(seed, people, companies);
        let by_country = tables.countries.iter().map(|_| Vec::new()).collect();
        let mut roster = Self { starts: vec![0], dialled: Vec::new(), by_country };
        let (mut shares, mut heads, mut start) = (0_u128, 0_u128, 0_u64);
        let mut stocks: Vec<u32> = Vec::new();
        for company in 0..companies {
            match size(seed, company) {
                Size::Share(share) => shares += u128::from(share),
                Size::Heads(count) => heads += u128::from(count),
            }
            let end = cut.end(shares, heads);
            let (country, place) = seat(seed, tables, company);
            let country = tables.countries.at(country);
            let stock = usize::try_from(country.places.at(place).stock).unwrap_or(0);
            if stocks.len() <= stock {
                stocks.resize(stock + 1, 0);
            }
            let block = u32::try_from(end.saturating_sub(start)).unwrap_or(u32::MAX);
            if let Some(used) = stocks.get_mut(stock) {
                roster.dialled.push(*used);
                *used = used.saturating_add(block);
            }
            let listed = usize::try_from(country.number).ok().and_then(|at| roster.by_country.get_mut(at));
            let listed = listed.filter(|_| !is_local(seed, company));
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
    #[inline]
    pub(crate) fn people_at(&self, company: u64) -> u64 {
        let end = self.bound(company.saturating_add(1));
        end.zip(self.bound(company)).map_or(0, |(end, start)| end.saturating_sub(start))
    }

    /// The index of a company's first person.
    pub(crate) fn first_at(&self, company: u64) -> u64 {
        self.bound(company).unwrap_or(0)
    }

    #[inline]
    fn bound(&self, company: u64) -> Option<u64> {
        usize::try_from(company).ok().and_then(|at| self.starts.get(at)).copied()
    }

    pub(crate) fn companies(&self) -> u64 {
        u64::try_from(self.starts.len()).unwrap_or(1).saturating_sub(1)
    }

    /// The place of somebody in the queue for telephone numbers; none for people outside the blocks.
    pub(crate) fn dial_rank(&self, desk: Desk) -> Option<u64> {
        let before = usize::try_from(desk.company).ok().and_then(|at| self.dialled.get(at))?;
        (desk.position < self.people_at(desk.company))
            .then(|| u64::from(*before).saturating_add(desk.position))
    }

    /// A random company of a country that is not a local business.
    pub(crate) fn draw_company(&self, country: &Country, dice: &mut Dice) -> Option<u64> {
        draw(self.by_country.get(usize::try_from(country.number).ok()?)?, dice)
    }
}

/// One of a list of companies.
pub(crate) fn draw(companies: &[u32], dice: &mut Dice) -> Option<u64> {
    let at = dice.below(u64::try_from(companies.len()).ok()?);
    companies.get(usize::try_from(at).ok()?).map(|company| u64::from(*company))
}

/// How the people are divided between ordinary companies and local businesses.
#[derive(Debug)]
struct Cut {
    shares: u128,
    share_people: u128,
    heads: u128,
    head_people: u128,
}

impl Cut {
    fn new(seed: u64, people: u64, companies: u64) -> Self {
        let (mut shares, mut heads) = (0_u128, 0_u128);
        for company in 0..companies {
            match size(seed, company) {
                Size::Share(share) => shares += u128::from(share),
                Size::Heads(count) => heads += u128::from(count),
            }
        }
        // A world with hardly anybody in it would otherwise be all plumbers.
        let head_people = heads.min(u128::from(people / 4));
        let share_people = u128::from(people).saturating_sub(head_people);
        Self { shares: shares.max(1), share_people, heads: heads.max(1), head_people }
    }

    /// Where a block ends, by the sums up to it. Scaled sums rather than scaled sizes: the blocks fill the range of
    /// people without a rest.
    fn end(&self, shares: u128, heads: u128) -> u64 {
        let end = shares * self.share_people / self.shares + heads * self.head_people / self.heads;
        u64::try_from(end).unwrap_or(u64::MAX)
    }
}

pub(crate) fn company_count(people: u64) -> u64 {
    (people / PEOPLE_PER_COMPANY).max(COMPANIES_LEAST)
}

/// Where a company sits: the number of its country, and of the place in that country.
pub(crate) fn seat(seed: u64, tables: &Tables, company: u64) -> (u64, u64) {
    let mut dice = Dice::new(seed, Aspect::CompanyBase, company);
    let country = tables.countries.draw_number(&mut dice);
    (country, tables.countries.at(country).places.draw_number(&mut dice))
}

#[inline]
pub(crate) fn is_local(seed: u64, company: u64) -> bool {
    hash(seed, Aspect::CompanyLocal, company) % 100 < LOCAL_PERCENT
}

/// Many small companies, a few large ones.
fn size(seed: u64, company: u64) -> Size {
    let mut dice = Dice::new(seed, Aspect::CompanySize, company);
    if is_local(seed, company) {
        return Size::Heads(match dice.below(100) {
            0..30 => dice.between(1, 3),
            30..75 => dice.between(3, 9),
            _ => dice.lean(8, 25),
        });
    }
    Size::Share(match dice.below(1_000) {
        0..350 => dice.between(3, 12),
        350..650 => dice.between(13, 35),
        650..850 => dice.between(36, 80),
        850..960 => dice.between(81, 220),
        960..995 => dice.lean(221, 800),
        _ => dice.lean(801, 4_000),
    })
}
