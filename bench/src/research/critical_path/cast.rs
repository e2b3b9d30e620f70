//! Whom the graph knows: a made-up world, and beside it small businesses whose owners nobody has an address or a number of; and what
//! is told of all of them.

use super::desks::titled;
use crate::rig::{Folder, Rig};
use anyhow::{Context, Result, ensure};
use assay_domain::Clock;
use assay_domain::taxonomy::Seniority;
use assay_world::World;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

/// A page of rows: so many owners of businesses in one city, so many of whom left one company.
pub const ROWS: usize = 5;
/// Beside them whom no row can be of, so that whoever looks at as many as there are rows finds too few: businesses of which no owner
/// is known, rounds of companies elsewhere, people who came to the company that others left.
const OTHERS: usize = 2;
const SOURCE: &str = "bar";

/// Somebody of whom only a page is known.
#[derive(Debug, Clone)]
pub struct Somebody {
    pub first: String,
    pub last: String,
}

impl Somebody {
    /// One whom no graph knows.
    pub fn stranger(number: usize) -> Self {
        Self::of(&format!("stranger {number}"))
    }

    fn of(seed: &str) -> Self {
        Self { first: word(&format!("first {seed}")), last: word(&format!("last {seed}")) }
    }

    pub fn page(&self) -> String {
        format!("https://network.example/in/{}-{}", self.first, self.last)
    }

    fn name(&self) -> String {
        format!("{} {}", titled(&self.first), titled(&self.last))
    }
}

#[derive(Debug)]
struct Business {
    name: String,
    domain: String,
    owner: Option<Somebody>,
}

/// What one call of each workflow is about.
#[derive(Debug)]
pub struct Page {
    pub city: String,
    /// The domain of the company they left.
    pub left: String,
    businesses: Vec<Business>,
}

#[derive(Debug)]
pub struct Cast {
    pub pages: Vec<Page>,
    /// Domain of a company of the world that raised money, hires, was led by somebody known, and bought another.
    pub account: String,
    pub technology: String,
    /// The page of somebody of the world.
    pub known: String,
    signals: Vec<Value>,
}

impl Cast {
    pub fn draw(world: &World, pages: usize) -> Result<Self> {
        let led = led(world);
        ensure!(led.len() > pages + 2 + OTHERS * pages, "the world has too few companies");
        let (account, rest) = led.split_first().context("nobody leads a company")?;
        let pages: Vec<Page> = (0..pages).map(|number| Page::draw(number, world, rest)).collect();
        let strangers = people_with_pages(world, OTHERS * pages.len());
        ensure!(strangers.len() == OTHERS * pages.len(), "too few people have a page");
        let mut signals = tell_of_account(world, *account, rest);
        for (number, page) in pages.iter().enumerate() {
            let others = rest.iter().skip(OTHERS * number).take(OTHERS);
            signals.extend(rounds(page, number, others.map(|of| company(world, *of))));
            signals.extend(moves(page, number, strangers.iter().skip(OTHERS * number).take(OTHERS)));
        }
        let technology = world.company(*account).facts.technologies.into_iter().next();
        Ok(Self {
            pages,
            account: domain(world, *account),
            technology: technology.context("it uses nothing")?.name,
            known: strangers.into_iter().next().context("nobody has a page")?.1,
            signals,
        })
    }

    /// The domain of a small business with an owner.
    pub fn small(&self) -> String {
        let businesses = self.pages.first().map(|page| page.businesses.as_slice()).unwrap_or_default();
        let owned = businesses.iter().find(|business| business.owner.is_some());
        owned.map(|business| business.domain.clone()).unwrap_or_default()
    }

    /// All of one kind.
    pub fn signals(&self, kind: &str) -> Vec<Value> {
        self.signals.iter().filter(|signal| signal["kind"] == kind).cloned().collect()
    }

    pub fn kinds(&self) -> [&'static str; 4] {
        ["funding", "acquisition", "hiring", "job-change"]
    }

    /// Makes the businesses and their owners known, as an operator would.
    pub fn import(&self, rig: &Rig) -> Result<()> {
        let folder = Folder::make("critical-path")?;
        let businesses = || {
            self.pages.iter().flat_map(|page| page.businesses.iter().map(move |business| (page, business)))
        };
        let companies = businesses().map(|(page, Business { name, domain, .. })| {
            json!({
                "id": domain, "name": name, "domain": domain, "employees": 12, "revenue": "$1M-$5M",
                "city": page.city, "country": "US",
            })
        });
        let people = businesses().filter_map(|(page, business)| {
            let owner = business.owner.as_ref()?;
            Some(json!({
                "id": owner.page(), "first_name": titled(&owner.first), "last_name": titled(&owner.last),
                "title": "Owner", "company": business.name, "company_domain": business.domain,
                "profile_url": owner.page(), "city": page.city, "country": "US",
            }))
        });
        rig.cli(&["source", "add", SOURCE, "--licence", "made up"])?;
        import(rig, "companies", &folder.path.join("companies.jsonl"), companies)?;
        import(rig, "people", &folder.path.join("people.jsonl"), people)
    }
}

fn import(rig: &Rig, kind: &str, path: &Path, lines: impl Iterator<Item = Value>) -> Result<()> {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    std::fs::write(path, lines.join("\n"))?;
    let path = path.to_str().context("a path that is no text")?;
    let told = rig.cli(&["import", kind, path, "--source", SOURCE, "--yes", "--json"])?;
    let told: Value = serde_json::from_str(&told).context("the import printed no JSON")?;
    ensure!(told["rejected"] == 0, "rows of {kind} were rejected: {told}");
    Ok(())
}

impl Page {
    fn draw(number: usize, world: &World, led: &[u64]) -> Self {
        let business = |place: usize| {
            let seed = format!("business {number} {place}");
            let label = word(&seed);
            let owner = (place < ROWS).then(|| Somebody::of(&seed));
            Business {
                name: format!("{} Plumbing", titled(&label)),
                domain: format!("{label}.example"),
                owner,
            }
        };
        Self {
            city: titled(&word(&format!("city {number}"))),
            left: led.get(number).map(|company| domain(world, *company)).unwrap_or_default(),
            businesses: (0..ROWS + OTHERS).map(business).collect(),
        }
    }

    fn owned(&self) -> impl Iterator<Item = (&Business, &Somebody)> {
        self.businesses.iter().filter_map(|business| Some((business, business.owner.as_ref()?)))
    }
}

/// Companies with a domain at which somebody stands at the top.
fn led(world: &World) -> Vec<u64> {
    let is_led = |company: &u64| {
        let facts = world.company(*company).facts;
        let staff = || world.truth().org_chart(*company);
        facts.domain.is_some()
            && !facts.technologies.is_empty()
            && staff().iter().any(|(person, _)| world.truth().role_of(*person).1 <= Seniority::Partner)
    };
    (0..world.company_count()).filter(is_led).collect()
}

/// Name and page.
fn people_with_pages(world: &World, count: usize) -> Vec<(String, String)> {
    let facts = (0..world.people_count()).map(|person| world.person(person).facts);
    facts.filter_map(|facts| Some((facts.full_name, facts.network_url?.to_string()))).take(count).collect()
}

/// Everything that workflows without a question to vendors need to have something to tell.
fn tell_of_account(world: &World, account: u64, rest: &[u64]) -> Vec<Value> {
    let own = company(world, account);
    let mut signals = vec![
        round("account-1", days_ago(3), own.clone()),
        // Half a year and more later its money is spent.
        round("account-2", days_ago(366), own.clone()),
    ];
    for (number, title) in
        ["Data Engineer", "Data Analyst", "Data Scientist", "Senior Data Engineer", "Senior Data Analyst"]
            .iter()
            .enumerate()
    {
        // Of this quarter, whenever that began.
        signals.push(json!({
            "id": format!("account-h{number}"), "kind": "hiring", "occurredAt": minutes_ago(10), "company": own,
            "job": { "title": title, "applicants": 3 },
        }));
    }
    let target = rest.last().map(|of| company(world, *of));
    signals.push(json!({
        "id": "account-a", "kind": "acquisition", "occurredAt": days_ago(1), "company": target,
        "acquisition": { "acquirer": own, "announcedOn": day(&days_ago(1)) },
    }));
    signals
}

/// A page's businesses raised money, and between them others.
fn rounds(page: &Page, number: usize, others: impl Iterator<Item = Value>) -> Vec<Value> {
    let small = page.owned().map(|(business, _)| json!({ "name": business.name, "domain": business.domain }));
    let at = TimeDelta::minutes(i64::try_from(number).unwrap_or_default() * 20);
    let place = |(place, of): (usize, Value)| {
        let id = format!("round-{number}-{place}");
        round(&id, days_ago(5) - at - TimeDelta::minutes(i64::try_from(place).unwrap_or_default()), of)
    };
    between(small.collect(), others.collect()).into_iter().enumerate().map(place).collect()
}

/// Owners of a page who left one company, and between them others who came to it.
fn moves<'a>(page: &Page, number: usize, others: impl Iterator<Item = &'a (String, String)>) -> Vec<Value> {
    let there = json!({ "name": "There", "domain": page.left });
    let left = page.owned().map(|(_, owner)| {
        let post = json!({ "title": "Sales Manager", "company": there, "on": day(&days_ago(6)) });
        json!({
            "person": { "fullName": owner.name(), "networkUrl": owner.page() },
            "change": { "kind": "left", "from": post },
        })
    });
    let came = others.map(|(name, url)| {
        let post = json!({ "title": "Head of Sales", "company": there, "on": day(&days_ago(6)) });
        let before =
            json!({ "title": "Analyst", "company": { "name": "Elsewhere", "domain": "elsewhere.example" } });
        json!({
            "person": { "fullName": name, "networkUrl": url }, "announcement_text": "I am happy to share",
            "change": { "kind": "new_company", "from": before, "to": post },
        })
    });
    let mut told = between(left.collect(), came.collect());
    for (place, signal) in told.iter_mut().enumerate() {
        let minutes = TimeDelta::minutes(i64::try_from(number * 20 + place).unwrap_or_default());
        signal["id"] = json!(format!("move-{number}-{place}"));
        signal["kind"] = json!("job-change");
        signal["occurredAt"] = json!((days_ago(5) - minutes).to_rfc3339());
        signal["company"] = there.clone();
    }
    told
}

/// The others stand after the first and the second.
fn between(mut rows: Vec<Value>, others: Vec<Value>) -> Vec<Value> {
    for (place, other) in others.into_iter().enumerate() {
        rows.insert((2 * place + 1).min(rows.len()), other);
    }
    rows
}

fn round(id: &str, at: DateTime<Utc>, of: Value) -> Value {
    json!({
        "id": id, "kind": "funding", "occurredAt": at.to_rfc3339(), "company": of,
        "funding": { "stage": "seed", "amount": 200_000_000, "currency": "USD", "announcedOn": day(&at) },
    })
}

fn company(world: &World, number: u64) -> Value {
    let facts = world.company(number).facts;
    json!({ "name": facts.name, "domain": facts.domain })
}

fn domain(world: &World, number: u64) -> String {
    world.company(number).facts.domain.map(|domain| domain.to_string()).unwrap_or_default()
}

fn days_ago(days: i64) -> DateTime<Utc> {
    Clock::system().now() - TimeDelta::days(days)
}

fn minutes_ago(minutes: i64) -> String {
    (Clock::system().now() - TimeDelta::minutes(minutes)).to_rfc3339()
}

fn day(at: &DateTime<Utc>) -> String {
    at.date_naive().to_string()
}

/// A word that can be spoken and is like no other: who is taken for whom is not what is measured here.
fn word(seed: &str) -> String {
    const SOUNDS: [&[u8]; 2] = [b"bdfgklmnprstvz", b"aeiou"];
    let digest = Sha256::digest(seed.as_bytes());
    let letter = |(place, byte): (usize, &u8)| {
        let sounds = SOUNDS[place % 2];
        char::from(sounds[usize::from(*byte) % sounds.len()])
    };
    digest.iter().take(10).enumerate().map(letter).collect()
}
