//! The people who are erased: made up so that whatever is found of them can be of nobody else.

use crate::canaries::seeds::{Canary, Kind, letters};
use anyhow::{Context, Result};
use assay_domain::{
    Clock, Domain, Email, IdentityKey, ListHash, MasterKey, NetworkHosts, NetworkUrl, PersonName, Phone,
};
use chrono::{Days, TimeDelta};
use serde_json::{Value, json};
use std::path::Path;

/// With so many at a company, somebody has a say in whatever is asked for.
const STAFF: usize = 10;
const TITLES: [&str; STAFF] = [
    "Founder and Chief Executive Officer",
    "Chief Financial Officer",
    "Chief Technology Officer",
    "VP of Sales",
    "VP of Marketing",
    "Head of Procurement",
    "Director of Human Resources",
    "Data Engineer",
    "Account Executive",
    "General Counsel",
];
/// A mobile in Brazil whose last ten digits are those of the published example of a hash.
const EXAMPLE_PHONES: [&str; 2] = ["+14155559317", "+5514901234567"];

/// Somebody by everything that is known of them.
#[derive(Debug, Clone)]
pub struct Somebody {
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub personal_email: String,
    pub phone: String,
    pub url: String,
    /// Stands in the headline and is a skill: the index finds them by it.
    pub word: String,
    pub title: &'static str,
    pub company: String,
    pub domain: String,
    /// The place in the file.
    pub number: usize,
    /// As answers name them, once they were imported.
    pub id: String,
}

/// Others with the published numbers, who come later.
pub fn latecomers() -> Vec<Somebody> {
    let mut people = draw(EXAMPLE_PHONES.len());
    // Not the numbers in the file before.
    people.iter_mut().for_each(|one| one.number += 1_000_000);
    people
}

/// All of them, company by company; the last two have the published numbers.
pub fn draw(count: usize) -> Vec<Somebody> {
    let first_phone = rand::random_range(20_000_000..80_000_000_u32);
    let mut employer = (String::new(), String::new());
    let everybody = (0..count).map(|number| {
        if number.is_multiple_of(STAFF) {
            let word = letters(11);
            employer = (capital(&word), format!("{word}.example"));
        }
        let (first_name, last_name) = (capital(&letters(8)), capital(&letters(9)));
        let step = u32::try_from(number).unwrap_or_default() * 7;
        let example = EXAMPLE_PHONES.get(count - 1 - number).map(|phone| (*phone).to_owned());
        Somebody {
            email: format!("{}@{}", letters(10), employer.1),
            personal_email: format!("{}@gmail.com", letters(12)),
            phone: example.unwrap_or_else(|| format!("+55149{}", first_phone + step)),
            url: format!("https://network.example/in/{}-{}", letters(6), letters(8)),
            word: letters(12),
            title: TITLES[number % STAFF],
            company: employer.0.clone(),
            domain: employer.1.clone(),
            number,
            id: String::new(),
            first_name,
            last_name,
        }
    });
    everybody.collect()
}

impl Somebody {
    pub fn full_name(&self) -> String {
        format!("{} {}", self.first_name, self.last_name)
    }

    /// A line of a file of people, seen so many days ago.
    pub fn line(&self, days_ago: u64) -> Value {
        let today = Clock::system().now().date_naive();
        let seen = today.checked_sub_days(Days::new(days_ago)).unwrap_or(today);
        json!({
            "id": format!("canary-{}", self.number), "first_name": self.first_name, "last_name": self.last_name,
            "email": self.email, "personal_email": self.personal_email, "phone": self.phone, "title": self.title,
            "company": self.company, "company_domain": self.domain, "profile_url": self.url,
            "headline": format!("{} and {}", self.title, self.word), "skills": [self.word], "city": "Austin",
            "country": "US", "started_on": "2023-02-01", "last_updated": seen.to_string(),
        })
    }

    pub fn company_line(&self) -> Value {
        json!({
            "id": self.domain, "name": self.company, "domain": self.domain, "employees": 40, "city": "Austin",
            "country": "US", "last_updated": "2026-11-01",
        })
    }

    /// That they took the job they have; some of them by a promotion.
    pub fn moved(&self, id: &str) -> Value {
        let company = json!({ "name": self.company, "domain": self.domain });
        let elsewhere = json!({ "name": "Elsewhere" });
        let (kind, left) =
            if self.number % 3 == 1 { ("promotion", &company) } else { ("new_company", &elsewhere) };
        // The first of them last: pages show the newest, and they are who is looked for before.
        let seconds = TimeDelta::seconds(i64::try_from(self.number % 100_000).unwrap_or_default());
        let yesterday = Clock::system().now() - Days::new(1) - seconds;
        json!({
            "id": id, "kind": "job-change", "occurredAt": yesterday.to_rfc3339(), "company": company,
            "person": { "fullName": self.full_name(), "networkUrl": self.url },
            "change": {
                "kind": kind, "from": { "title": "Analyst", "company": left },
                "to": { "title": self.title, "company": company, "on": yesterday.date_naive() },
            },
            "announcement_text": format!("{} is happy to share: {}", self.full_name(), self.word),
        })
    }

    /// Everything that would give them away, wherever it stands.
    pub fn canaries(&self) -> Result<Vec<Canary>> {
        let hash = ListHash::of_phone(&Phone::parse(&self.phone)?);
        let hex: String = hash.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(vec![
            Canary::new(Kind::Email, &*self.email),
            Canary::new(Kind::Email, &*self.personal_email),
            Canary::new(Kind::Name, self.full_name()),
            Canary::new(Kind::Name, &*self.last_name),
            Canary::new(Kind::NetworkUrl, &*self.url),
            Canary::new(Kind::Name, &*self.word),
            // Not by its last ten digits alone, which a long number may have by chance.
            Canary::new(Kind::Name, self.phone.trim_start_matches('+')),
            Canary::new(Kind::Name, hash.to_base64().trim_end_matches('=')),
            Canary::new(Kind::Name, hex),
        ])
    }

    /// The keyed digests of all that identifies them, as a dump shows them.
    pub fn digests(&self, key: &IdentityKey) -> Result<Vec<String>> {
        let (name, domain) = (PersonName::parse(&self.full_name())?, Domain::parse(&self.domain)?);
        let url = NetworkUrl::parse(&self.url, &NetworkHosts::default())?;
        let digests = [
            key.digest_email(&Email::parse(&self.email)?),
            key.digest_email(&Email::parse(&self.personal_email)?),
            key.digest_phone(&Phone::parse(&self.phone)?),
            key.digest_network_url(&url),
            key.digest_name_at_domain(&name, &domain),
            key.digest_name_at_company(&name, &self.company),
        ];
        let hex = |digest: &assay_domain::Digest| {
            digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
        };
        Ok(digests.iter().map(hex).collect())
    }

    /// How a dump writes the id of their record.
    pub fn uuid(&self) -> Result<String> {
        let id: assay_domain::PersonId = self.id.parse().context("an id that is none")?;
        Ok(id.uuid().to_string())
    }
}

/// The key that the program makes digests with.
pub fn identity_key(master: &str) -> Result<IdentityKey> {
    Ok(IdentityKey::new(MasterKey::parse(master)?.derive("identity")))
}

pub fn write_lines(path: &Path, lines: impl Iterator<Item = Value>) -> Result<()> {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_can_be_told_from_everybody_else_and_two_have_the_published_numbers() {
        let people = draw(30);
        let mut seen = std::collections::HashSet::new();
        for somebody in &people {
            for canary in somebody.canaries().unwrap() {
                assert!(seen.insert(canary.text), "twice");
            }
        }
        let hashes: Vec<String> = people[28..]
            .iter()
            .map(|somebody| ListHash::of_phone(&Phone::parse(&somebody.phone).unwrap()).to_base64())
            .collect();
        assert_eq!(
            hashes,
            ["ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U=", "vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E="]
        );
    }
}
