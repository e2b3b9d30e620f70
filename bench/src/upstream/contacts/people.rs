//! People for the bar `contacts`: acquaintances whom the graph knows, and strangers whom it does not.

use super::cast::VARIANTS;
use crate::upstream::stage::named;
use anyhow::{Context, Result};
use assay_domain::Phone;
use assay_domain::person::LineType;
use assay_world::{SyntheticPerson, World};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// Lines at these area codes that begin with 555 01 are kept for fiction.
const AREAS: [u16; 40] = [
    201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229,
    231, 234, 239, 240, 248, 251, 252, 253, 254, 256, 260, 262, 267, 269, 270, 276, 281, 301, 302,
];

/// Somebody of the world whom name and company tell from everybody else.
pub struct Acquaintance {
    pub person: SyntheticPerson,
    first: String,
    last: String,
    domain: String,
}

/// Draws without repeating.
pub struct Deck {
    mobile: Vec<Acquaintance>,
    fixed: Vec<Acquaintance>,
    numbers: Vec<String>,
    strangers: usize,
}

impl Acquaintance {
    pub fn of(person: SyntheticPerson) -> Option<Self> {
        let domain = person.facts.emails.first()?.address.domain().as_str().to_owned();
        let (first, last) = (person.facts.first_name.clone()?, person.facts.last_name.clone()?);
        Some(Self { person, first, last, domain })
    }

    pub fn who(&self, lookup: &str) -> String {
        format!("{lookup} {}", named(&self.first, &self.last, &self.domain))
    }

    pub fn named_phone(&self) -> Value {
        json!({ "firstName": self.first, "lastName": self.last, "domain": self.domain })
    }

    pub fn named_email(&self) -> Value {
        json!({ "kind": "name", "firstName": self.first, "lastName": self.last, "domain": self.domain })
    }

    pub fn email(&self) -> String {
        self.person.facts.emails.first().map(|known| known.address.to_string()).unwrap_or_default()
    }

    pub fn phone(&self) -> Result<String> {
        Ok(self.person.facts.phones.first().context("no phone")?.number.to_string())
    }
}

/// Somebody the graph does not know.
pub struct Stranger {
    first: String,
    pub last: String,
    pub domain: String,
}

impl Stranger {
    pub fn draw(deck: &mut Deck) -> Self {
        let number = deck.stranger();
        Self {
            first: made_up(&format!("first {number}")),
            last: made_up(&format!("last {number}")),
            domain: format!("{}.example", made_up(&format!("domain {number}")).to_lowercase()),
        }
    }

    pub fn who(&self, lookup: &str) -> String {
        format!("{lookup} {}", named(&self.first, &self.last, &self.domain))
    }

    pub fn named_phone(&self) -> Value {
        json!({ "firstName": self.first, "lastName": self.last, "domain": self.domain })
    }

    pub fn named_email(&self) -> Value {
        json!({ "kind": "name", "firstName": self.first, "lastName": self.last, "domain": self.domain })
    }

    pub fn email(&self) -> String {
        format!("{}@{}", self.first.to_lowercase(), self.domain)
    }

    /// Each time the vendor is asked, the headline is another.
    pub fn headlines() -> Vec<String> {
        (0..VARIANTS).map(|number| format!("Answer {number}")).collect()
    }

    pub fn records(&self, contact: &Value, page: Option<&str>) -> Vec<Value> {
        let own = format!("https://network.example/in/{}", self.domain.replace('.', "-"));
        self.said(contact, Some(page.unwrap_or(&own)))
    }

    /// With neither a profile nor a job.
    pub fn bare_records(&self, contact: &Value) -> Vec<Value> {
        self.said(contact, None)
    }

    fn said(&self, contact: &Value, page: Option<&str>) -> Vec<Value> {
        let jobs = page.map(
            |_| json!([{ "company_name": self.domain, "company_domain": self.domain, "title": "Buyer" }]),
        );
        let said = Self::headlines().into_iter().map(|headline| {
            let mut answer = contact.clone();
            answer["person"] = json!({
                "first_name": self.first, "last_name": self.last, "full_name": format!("{} {}", self.first, self.last),
                "network_url": page, "headline": headline, "jobs": jobs.clone(),
            });
            answer
        });
        said.collect()
    }
}

/// A word that can be spoken and is like no other: who is taken for whom is not what is measured here.
fn made_up(seed: &str) -> String {
    const SOUNDS: [&[u8]; 2] = [b"bdfgklmnprstvz", b"aeiou"];
    let digest = Sha256::digest(seed.as_bytes());
    let letter = |(place, byte): (usize, &u8)| {
        let sounds = SOUNDS[place % 2];
        char::from(sounds[usize::from(*byte) % sounds.len()])
    };
    let word: String = digest.iter().take(10).enumerate().map(letter).collect();
    word[..1].to_uppercase() + &word[1..]
}

impl Deck {
    pub fn of(world: &World) -> Self {
        let people: Vec<Acquaintance> =
            (0..world.people_count()).filter_map(|index| Acquaintance::of(world.person(index))).collect();
        let mut names: HashMap<String, usize> = HashMap::new();
        for person in &people {
            *names.entry(person.who("")).or_default() += 1;
        }
        let taken: HashSet<String> =
            people.iter().flat_map(|it| &it.person.facts.phones).map(|it| it.number.to_string()).collect();
        let numbers =
            AREAS.iter().flat_map(|area| (0..100).map(move |line| format!("+1{area}55501{line:02}")));
        let numbers =
            numbers.filter(|number| Phone::parse(number).is_ok() && !taken.contains(number)).collect();
        let (mut mobile, mut fixed) = (Vec::new(), Vec::new());
        for person in people.into_iter().filter(|person| names.get(&person.who("")) == Some(&1)) {
            let Some(known) = person.person.facts.phones.first() else { continue };
            let line = match known.number.line_type() {
                LineType::Unknown => known.line,
                planned => planned,
            };
            if line == LineType::Mobile { mobile.push(person) } else { fixed.push(person) }
        }
        Self { mobile, fixed, numbers, strangers: 0 }
    }

    pub fn mobile(&mut self) -> Result<Acquaintance> {
        self.mobile.pop().context("the world has too few mobiles")
    }

    pub fn fixed(&mut self) -> Result<Acquaintance> {
        self.fixed.pop().context("the world has too few landlines")
    }

    pub fn number(&mut self) -> Result<String> {
        self.numbers.pop().context("too few numbers")
    }

    pub fn numbers(&mut self, count: usize) -> Result<Vec<String>> {
        (0..count).map(|_| self.number()).collect()
    }

    pub fn stranger(&mut self) -> usize {
        self.strangers += 1;
        self.strangers
    }
}
