//! The made-up world as careless sources have it: with slips of the finger, gaps, pet names, employers of yesterday, and
//! the same person twice.
//!
//! Deterministic: what a source says of a person is a function of the seed, the source and the person. Nothing here is
//! shared with the matcher that is judged by it: the pet names are a table of their own.

mod spelling;

use crate::import_files::PersonLine;
use assay_domain::person::Employment;
use assay_world::{SyntheticPerson, World};
use chrono::{Days, NaiveDate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
pub use spelling::{nickname, with_slip};

pub const TYPO_PERCENT: u32 = 10;
pub const MISSING_PERCENT: u32 = 20;
pub const NICKNAME_PERCENT: u32 = 15;
pub const STALE_PERCENT: u32 = 15;
/// Of the people of a source, how many it has twice.
const TWICE_PERCENT: u32 = 4;
/// Of all people, how many a source knows.
const KNOWN_PERCENT: u32 = 80;
/// Jobs before the present one that a page of the network tells of.
const PAST_JOBS_MAX: usize = 2;

/// A source, by what it writes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pages: a career, a school, and no way to reach anybody.
    Network,
    /// A list of customers: addresses and numbers, and the page.
    Customers,
    /// Lists of who came to what: the same, with fewer words.
    Events,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Network, Self::Customers, Self::Events];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Customers => "customers",
            Self::Events => "events",
        }
    }
}

/// A row, and whom it is about.
#[derive(Debug, Clone)]
pub struct DirtyRow {
    pub who: u64,
    pub line: PersonLine,
    /// Jobs before, newest first; only pages have them.
    pub past: Vec<Employment>,
}

/// What a source says of everybody it knows, in an order of its own.
pub fn rows(world: &World, kind: Kind, seed: u64) -> Vec<DirtyRow> {
    let mut rows = Vec::new();
    for (who, person) in (0..world.people_count()).zip(world.people(0..world.people_count())) {
        let mut dice = dice(seed, kind, who);
        if !chance(&mut dice, KNOWN_PERCENT) {
            continue;
        }
        let times = if chance(&mut dice, TWICE_PERCENT) { 2 } else { 1 };
        for _ in 0..times {
            rows.push(row(world, kind, (who, &person), &mut dice));
        }
    }
    shuffle(&mut rows, &mut dice(seed, kind, u64::MAX));
    for (number, row) in rows.iter_mut().enumerate() {
        row.line.id = format!("{}-{number:07}", kind.name());
    }
    rows
}

fn dice(seed: u64, kind: Kind, who: u64) -> ChaCha8Rng {
    let kind =
        Kind::ALL.iter().position(|one| *one == kind).and_then(|at| u64::try_from(at).ok()).unwrap_or(0);
    let mut dice = ChaCha8Rng::seed_from_u64(seed ^ (kind << 56));
    dice.set_stream(who);
    dice
}

pub fn chance(dice: &mut ChaCha8Rng, percent: u32) -> bool {
    dice.random_ratio(percent, 100)
}

fn shuffle<T>(items: &mut [T], dice: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, dice.random_range(0..=at));
    }
}

fn row(world: &World, kind: Kind, (who, person): (u64, &SyntheticPerson), dice: &mut ChaCha8Rng) -> DirtyRow {
    let facts = &person.facts;
    let first = facts.first_name.clone().unwrap_or_default();
    let last = facts.last_name.clone().unwrap_or_default();
    let (first_name, last_name) = written(&first, &last, dice);
    let jobs = &person.experience;
    let is_stale = jobs.len() > 1 && chance(dice, STALE_PERCENT);
    let at = usize::from(is_stale);
    let job = jobs.get(at);
    // Whoever does not know of the new job saw the person before it began.
    let newer = is_stale.then(|| jobs.first().and_then(|job| job.started_on)).flatten();
    let seen = newer.and_then(|began| began.checked_sub_days(Days::new(30)));
    let place = facts.location.clone().unwrap_or_default();
    let mut company = job.map(|job| job.company_name.clone()).unwrap_or_default();
    if chance(dice, TYPO_PERCENT) {
        company = with_slip(&company, dice);
    }
    let mut city = place.city.unwrap_or_default();
    if chance(dice, TYPO_PERCENT) {
        city = with_slip(&city, dice);
    }
    let reachable = kind != Kind::Network;
    let email = facts.emails.first().map(|email| email.address.to_string()).unwrap_or_default();
    let phone = facts.phones.first().map(|phone| phone.number.to_string()).unwrap_or_default();
    let domain = domain(world, who, is_stale);
    let school = facts.education.first().map(|education| education.school.clone()).unwrap_or_default();
    let is_page = kind == Kind::Network;
    let line = PersonLine {
        id: String::new(),
        first_name,
        last_name,
        email: gap(dice, if reachable && !is_stale { email } else { String::new() }),
        phone: gap(dice, if reachable { phone } else { String::new() }),
        title: gap(dice, job.map(|job| job.title.clone()).unwrap_or_default()),
        company: gap(dice, company),
        company_domain: gap(dice, if kind == Kind::Customers { domain } else { String::new() }),
        profile_url: gap(dice, facts.network_url.as_ref().map(ToString::to_string).unwrap_or_default()),
        headline: String::new(),
        city: gap(dice, city),
        region: String::new(),
        country: gap(dice, place.country.unwrap_or_default()),
        started_on: String::new(),
        ended_on: String::new(),
        last_updated: seen.unwrap_or_else(|| day(person)).to_string(),
        personal_email: String::new(),
        school: gap(dice, if is_page { school } else { String::new() }),
    };
    DirtyRow { who, line, past: if is_page { past(jobs, at, dice) } else { Vec::new() } }
}

fn past(jobs: &[Employment], present: usize, dice: &mut ChaCha8Rng) -> Vec<Employment> {
    let earlier = jobs.iter().skip(present + 1).take(PAST_JOBS_MAX);
    earlier.filter(|_| !chance(dice, MISSING_PERCENT)).cloned().collect()
}

fn day(person: &SyntheticPerson) -> NaiveDate {
    person.refreshed_at.date_naive()
}

/// The site of the present employer; of earlier ones it is not written down.
fn domain(world: &World, who: u64, is_stale: bool) -> String {
    if is_stale {
        return String::new();
    }
    let domain = world.company(world.employer_index(who)).facts.domain;
    domain.map(|domain| domain.to_string()).unwrap_or_default()
}

/// A name as somebody in a hurry has it.
pub fn written(first: &str, last: &str, dice: &mut ChaCha8Rng) -> (String, String) {
    let (mut first, mut last) = (first.to_owned(), last.to_owned());
    if chance(dice, NICKNAME_PERCENT)
        && let Some(short) = nickname(&first, dice)
    {
        first = short;
    }
    if chance(dice, TYPO_PERCENT) {
        let slipped = if dice.random_bool(0.5) { &mut first } else { &mut last };
        *slipped = with_slip(slipped, dice);
    }
    (first, last)
}

fn gap(dice: &mut ChaCha8Rng, text: String) -> String {
    if chance(dice, MISSING_PERCENT) { String::new() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_world::DEMO_AS_OF;
    use std::collections::HashSet;

    #[test]
    fn a_source_is_as_dirty_as_it_says_and_always_the_same() {
        let world = World::new(7, 4_000, DEMO_AS_OF);
        let made = rows(&world, Kind::Customers, 1);
        let again = rows(&world, Kind::Customers, 1);
        assert!(made.iter().zip(&again).all(|(one, other)| one.line.id == other.line.id
            && one.line.email == other.line.email
            && one.who == other.who));
        let share = |count: usize| 100 * count / made.len();
        let people: HashSet<u64> = made.iter().map(|row| row.who).collect();
        assert!((78..=82).contains(&(people.len() * 100 / 4_000)), "{}", people.len());
        assert!((2..=6).contains(&share(made.len() - people.len())));
        let titles = made.iter().filter(|row| row.line.title.is_empty()).count();
        assert!((18..=22).contains(&share(titles)), "{titles}");
        let other_names = made.iter().filter(|row| {
            let facts = world.person(row.who).facts;
            facts.first_name.as_deref() != Some(&row.line.first_name)
                || facts.last_name.as_deref() != Some(&row.line.last_name)
        });
        // A slip in a tenth, a pet name in the share of 15 that has one.
        assert!((14..=25).contains(&share(other_names.count())));
    }
}
