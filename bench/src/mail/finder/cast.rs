//! Whom the bar asks for: people of the made-up world, what the graph is left with of their colleagues, and their servers.

use anyhow::{Result, ensure};
use assay_testkit::mail::{HostedDomain, Hosting};
use assay_world::{SyntheticPerson, World};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::HashMap;
use uuid::Uuid;

const SEED: u64 = 95;
/// Else a few large companies would be most of the bar.
const ASKED_AT_ONE_MAX: usize = 40;
/// Of ten companies one takes everything and one keeps strangers waiting.
const HOSTINGS: usize = 10;

/// How many addresses of a company the graph has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    Nothing,
    One,
    Three,
    /// Half of all.
    Many,
}

impl Known {
    const ALL: [Self; 4] = [Self::Nothing, Self::One, Self::Three, Self::Many];

    /// Of a company of so many people; somebody must be left to ask for.
    fn count(self, people: usize) -> usize {
        let count = match self {
            Self::Nothing => 0,
            Self::One => 1,
            Self::Three => 3,
            Self::Many => people / 2,
        };
        count.min(people.saturating_sub(1))
    }
}

/// Somebody who is asked for.
#[derive(Debug)]
pub struct Asked {
    pub first_name: String,
    pub last_name: String,
    pub domain: String,
    /// The address the world gives them.
    pub address: String,
    pub hosting: Hosting,
    pub known: Known,
    /// Somebody else there has the very same name: nobody can say who of them is meant.
    pub has_double: bool,
}

impl Asked {
    /// Whether anything can tell their address: a server that tells mailboxes apart, or else a colleague's address.
    pub fn is_findable(&self) -> bool {
        self.hosting != Hosting::CatchAll || self.known != Known::Nothing
    }
}

/// Everybody the bar needs.
#[derive(Debug)]
pub struct Cast {
    pub asked: Vec<Asked>,
    /// Whose address the graph must not have.
    pub stripped: Vec<Uuid>,
    pub hosted: Vec<HostedDomain>,
}

impl Cast {
    /// Asks for so many people of the world, at all its companies that have room for a colleague.
    pub fn draw(world: &World, wanted: usize) -> Result<Self> {
        let mut dice = ChaCha8Rng::seed_from_u64(SEED);
        let mut companies = companies(world);
        companies.shuffle(&mut dice);
        let mut cast = Self { asked: Vec::new(), stripped: Vec::new(), hosted: Vec::new() };
        for (number, (domain, staff)) in companies.into_iter().enumerate() {
            let hosting = match number % HOSTINGS {
                0 => Hosting::CatchAll,
                1 => Hosting::Greylisted,
                _ => Hosting::Plain,
            };
            // All four of each kind of server in turn.
            let known = Known::ALL[(number + number / HOSTINGS) % Known::ALL.len()];
            cast.add(domain, staff, (hosting, known), &mut dice);
        }
        cast.asked.shuffle(&mut dice);
        ensure!(cast.asked.len() >= wanted, "the world has only {} people to ask for", cast.asked.len());
        cast.asked.truncate(wanted);
        Ok(cast)
    }

    fn add(
        &mut self,
        domain: String,
        mut staff: Vec<Employee>,
        (hosting, known): (Hosting, Known),
        dice: &mut ChaCha8Rng,
    ) {
        let mailboxes = staff.iter().map(|one| one.local.clone()).collect();
        let mut namesakes: HashMap<(String, String), usize> = HashMap::new();
        for Employee { name, .. } in &staff {
            *namesakes.entry(name.clone()).or_default() += 1;
        }
        staff.shuffle(dice);
        let unknown = staff.split_off(known.count(staff.len()));
        self.stripped.extend(unknown.iter().map(|one| one.id));
        self.asked.extend(unknown.into_iter().take(ASKED_AT_ONE_MAX).map(|one| Asked {
            has_double: namesakes.get(&one.name).is_some_and(|bearers| *bearers > 1),
            address: format!("{}@{domain}", one.local),
            first_name: one.name.0,
            last_name: one.name.1,
            domain: domain.clone(),
            hosting,
            known,
        }));
        self.hosted.push(HostedDomain { domain, hosting, mailboxes });
    }
}

/// Somebody who works at a company.
struct Employee {
    id: Uuid,
    name: (String, String),
    /// What stands before the @.
    local: String,
}

/// Everybody with an address, by the domain of the address; companies of one person apart.
fn companies(world: &World) -> Vec<(String, Vec<Employee>)> {
    let mut companies: Vec<(String, Vec<Employee>)> = Vec::new();
    // Colleagues follow each other.
    for person in world.people(0..world.people_count()) {
        let Some((domain, employee)) = employee(person) else { continue };
        match companies.last_mut().filter(|(last, _)| *last == domain) {
            Some((_, staff)) => staff.push(employee),
            None => companies.push((domain, vec![employee])),
        }
    }
    companies.retain(|(_, staff)| staff.len() > 1);
    companies
}

fn employee(person: SyntheticPerson) -> Option<(String, Employee)> {
    let facts = person.facts;
    let address = facts.emails.into_iter().next()?.address;
    let (local, domain) = address.as_str().split_once('@')?;
    let name = (facts.first_name?, facts.last_name?);
    Some((domain.to_owned(), Employee { id: person.id.uuid(), name, local: local.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_world::{DEMO_AS_OF, DEMO_SEED};
    use std::collections::HashSet;

    #[test]
    fn the_cast_has_every_kind_of_server_with_every_number_of_known_addresses() {
        let world = World::new(DEMO_SEED, 3_000, DEMO_AS_OF);
        let cast = Cast::draw(&world, 300).unwrap();
        let kinds: HashSet<(Hosting, Known)> =
            cast.asked.iter().map(|asked| (asked.hosting, asked.known)).collect();
        assert_eq!((cast.asked.len(), kinds.len()), (300, 12));
        let mailboxes: HashSet<String> = cast
            .hosted
            .iter()
            .flat_map(|it| it.mailboxes.iter().map(move |local| format!("{local}@{}", it.domain)))
            .collect();
        assert!(cast.asked.iter().all(|asked| mailboxes.contains(&asked.address)));
        assert!(cast.stripped.len() < mailboxes.len() && cast.stripped.len() >= cast.asked.len());
    }
}
