//! Questions as people ask them.

use crate::dirt::{MISSING_PERCENT, STALE_PERCENT, TYPO_PERCENT, chance, with_slip, written};
use assay_domain::PersonName;
use assay_engine::PersonQuery;
use assay_world::World;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One of so many people is not there, and as many questions are about them.
const ABSENT_EACH: u64 = 5;

pub struct Question {
    /// Who is meant.
    pub who: u64,
    pub query: PersonQuery,
}

/// Colleagues follow each other, so everybody who is missing has some who are there.
pub const fn is_there(who: u64) -> bool {
    !who.is_multiple_of(ABSENT_EACH)
}

pub fn draw(world: &World, count: usize, seed: u64) -> Vec<Question> {
    let mut dice = ChaCha8Rng::seed_from_u64(0x5eed ^ seed);
    std::iter::repeat_with(|| question(world, &mut dice)).flatten().take(count).collect()
}

/// None where a name cannot be asked for at all.
fn question(world: &World, dice: &mut ChaCha8Rng) -> Option<Question> {
    let who = dice.random_range(0..world.people_count());
    let person = world.person(who);
    let facts = &person.facts;
    let (first, last) = written(facts.first_name.as_deref()?, facts.last_name.as_deref()?, dice);
    let name = PersonName::from_parts(&first, &last).ok()?;
    let is_stale = person.experience.len() > 1 && chance(dice, STALE_PERCENT);
    let company = &person.experience.get(usize::from(is_stale))?.company_name;
    let company = if chance(dice, TYPO_PERCENT) { with_slip(company, dice) } else { company.clone() };
    // Half of them know the site, unless it is missing; of earlier companies nobody does.
    let by_site = dice.random_bool(0.5) && !chance(dice, MISSING_PERCENT) && !is_stale;
    let site = world.company(world.employer_index(who)).facts.domain.filter(|_| by_site);
    let query = match site {
        Some(domain) => PersonQuery::NameAtDomain(name, domain),
        None => PersonQuery::NameAtCompany(name, company),
    };
    Some(Question { who, query })
}
