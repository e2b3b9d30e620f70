//! Who of the made-up world the facts are told of: companies at which somebody decides, and people who can be reached.

use anyhow::{Context, Result, ensure};
use assay_domain::person::LineType;
use assay_domain::taxonomy::Seniority;
use assay_world::{SyntheticPerson, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Each is handed out once.
#[derive(Debug)]
pub struct Cast {
    /// All of them use one technology.
    users: Vec<Company>,
    others: Vec<Company>,
    small: Vec<Company>,
    people: Vec<Somebody>,
    pub technology: String,
}

#[derive(Debug, Clone)]
pub struct Company {
    name: String,
    pub domain: String,
}

#[derive(Debug, Clone)]
pub struct Somebody {
    pub name: String,
    pub url: String,
}

impl Company {
    pub fn named(&self) -> Value {
        json!({ "name": self.name, "domain": self.domain })
    }
}

impl Somebody {
    pub fn named(&self) -> Value {
        json!({ "fullName": self.name, "networkUrl": self.url })
    }
}

impl Cast {
    pub fn of(world: &World) -> Result<Self> {
        let led: Vec<u64> = (0..world.company_count()).filter(|company| is_led(world, *company)).collect();
        let mut uses: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for company in &led {
            for technology in world.company(*company).facts.technologies {
                uses.entry(technology.name).or_default().push(*company);
            }
        }
        let most = uses.into_iter().max_by_key(|(_, companies)| companies.len());
        let (technology, users) = most.context("nobody uses anything")?;
        let others = led.iter().filter(|company| !users.contains(company));
        let small = (0..world.company_count()).filter(|company| is_reachable(world, *company));
        let people = world.people(0..world.people_count()).filter(has_mobile).filter_map(somebody);
        Ok(Self {
            others: others.filter_map(|company| named(world, *company)).collect(),
            users: users.iter().filter_map(|company| named(world, *company)).collect(),
            small: small.filter_map(|company| named(world, company)).collect(),
            people: people.take(200).collect(),
            technology,
        })
    }

    pub fn user(&mut self) -> Result<Company> {
        self.users.pop().context("too few companies use one technology")
    }

    pub fn company(&mut self) -> Result<Company> {
        self.others.pop().context("too few companies")
    }

    pub fn small(&mut self) -> Result<Company> {
        self.small.pop().context("too few small businesses")
    }

    pub fn somebody(&mut self) -> Result<Somebody> {
        ensure!(!self.people.is_empty(), "too few people");
        Ok(self.people.remove(0))
    }
}

fn named(world: &World, company: u64) -> Option<Company> {
    let facts = world.company(company).facts;
    Some(Company { name: facts.name, domain: facts.domain?.to_string() })
}

fn somebody(person: SyntheticPerson) -> Option<Somebody> {
    Some(Somebody { name: person.facts.full_name, url: person.facts.network_url?.to_string() })
}

fn has_mobile(person: &SyntheticPerson) -> bool {
    person.facts.phones.iter().any(|phone| phone.line == LineType::Mobile)
}

/// Whether somebody stands at its top whose record says so.
fn is_led(world: &World, company: u64) -> bool {
    let top = world.truth().org_chart(company).first().map(|(top, _)| world.person(*top));
    let rank = top.and_then(|top| top.experience.first()?.seniority);
    !world.is_local_business(company) && rank.is_some_and(|rank| rank <= Seniority::Partner)
}

/// A business of the neighbourhood whose owner has a mobile.
fn is_reachable(world: &World, company: u64) -> bool {
    let owner = world.owner_index(company).filter(|_| world.is_local_business(company));
    owner.is_some_and(|owner| has_mobile(&world.person(owner)))
}
