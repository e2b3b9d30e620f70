//! Whom and what of the made-up world is asked for, and what is told of them beforehand.

use anyhow::{Context, Result, ensure};
use assay_domain::Clock;
use assay_domain::person::LineType;
use assay_domain::taxonomy::Seniority;
use assay_world::{SyntheticPerson, World};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Nobody has it, in the world or at a vendor.
pub const NOBODY: &str = "nobody.example";
/// At a company with so many people, somebody has peers.
const COLLEAGUES_LEAST: usize = 5;
const LED_LEAST: usize = 5;
const MOVERS: usize = 3;
const DAY: Duration = Duration::from_hours(24);
/// Enough of one department within a quarter.
const DATA_JOBS: [&str; 6] = [
    "Data Engineer",
    "Senior Data Engineer",
    "Data Analyst",
    "Senior Data Analyst",
    "Data Scientist",
    "Senior Data Scientist",
];

/// A company, as a signal names it and as a question does.
#[derive(Debug, Clone)]
pub struct Firm {
    pub name: String,
    pub domain: String,
    technologies: Vec<String>,
    staff: usize,
}

/// Somebody by everything they can be asked for by.
#[derive(Debug, Clone)]
pub struct Somebody {
    pub full_name: String,
    pub first_name: String,
    pub last_name: String,
    pub url: String,
    pub email: String,
    pub phone: String,
    pub employer: Firm,
}

#[derive(Debug)]
pub struct Cast {
    /// Companies at which somebody stands at the top, and of which is known what they use.
    pub led: Vec<Firm>,
    /// A small business whose owner has a mobile.
    pub business: Firm,
    pub somebody: Somebody,
    /// Those who change jobs: name, page.
    movers: Vec<(String, String)>,
    /// Who rises where they are: name, page.
    pub risen: (String, String),
    pub technology: String,
}

impl Cast {
    pub fn of(world: &World) -> Result<Self> {
        let mut staff: BTreeMap<u64, Vec<SyntheticPerson>> = BTreeMap::new();
        for number in 0..world.people_count() {
            staff.entry(world.employer_index(number)).or_default().push(world.person(number));
        }
        let mut led = Vec::new();
        for (company, people) in &staff {
            let is_led =
                people.iter().any(|person| rank(person).is_some_and(|rank| rank <= Seniority::Partner));
            let firm = firm(world, *company, people.len());
            led.extend(firm.filter(|firm| {
                is_led && !world.is_local_business(*company) && !firm.technologies.is_empty()
            }));
        }
        led.sort_by_key(|firm| std::cmp::Reverse(firm.staff));
        ensure!(led.len() >= LED_LEAST, "the world has only {} companies that are led", led.len());
        let owned = staff.iter().find(|(company, people)| {
            let owner = people.iter().find(|person| rank(person) == Some(Seniority::Owner));
            world.is_local_business(**company) && owner.is_some_and(|owner| mobile(owner).is_some())
        });
        let (business, people) = owned.context("no owner of the world has a mobile")?;
        let business = firm(world, *business, people.len()).context("a business without a domain")?;
        let somebody = staff.iter().find_map(|(company, people)| {
            let employer = firm(world, *company, people.len())?;
            people.iter().find_map(|person| Somebody::of(person, &employer))
        });
        let somebody = somebody.context("nobody of the world can be reached")?;
        let pages = staff.values().flatten().filter_map(|person| {
            let url = person.facts.network_url.as_ref()?.to_string();
            (url != somebody.url).then(|| (person.facts.full_name.clone(), url))
        });
        let mut movers: Vec<_> = pages.take(MOVERS + 1).collect();
        let risen = movers.pop().context("nobody is left to rise")?;
        let technology = led.first().and_then(|firm| firm.technologies.first().cloned());
        let technology = technology.context("nothing is used")?;
        Ok(Self { led, business, somebody, movers, risen, technology })
    }

    /// A company that somebody may be said to have left: not the one where they are.
    pub fn left(&self) -> Result<&Firm> {
        let elsewhere = self.led.iter().skip(1).find(|firm| firm.domain != self.somebody.employer.domain);
        elsewhere.context("no company to leave")
    }

    /// All that happened lately, of every kind.
    pub fn news(&self) -> Result<Vec<Value>> {
        let [first, second, third, ..] = self.led.as_slice() else { anyhow::bail!("too few companies") };
        let mut news = vec![
            round("f-1", 3 * DAY, first),
            round("f-2", DAY, &self.business),
            // Half-way between 6 and 18 months ago.
            round("f-3", 365 * DAY, second),
            json!({
                "id": "a-1", "kind": "acquisition", "occurredAt": ago(DAY), "company": told(third),
                "acquisition": { "acquirer": told(first), "announcedOn": day(DAY) },
            }),
            job("h-0", second, "Baker"),
        ];
        news.extend(
            DATA_JOBS.iter().zip(1..).map(|(title, number)| job(&format!("h-{number}"), first, title)),
        );
        for (number, (name, url)) in self.movers.iter().enumerate() {
            news.push(moved(&format!("c-{number}"), (name, url), second, third));
        }
        let Somebody { full_name, url, employer, .. } = &self.somebody;
        news.push(moved("c-9", (full_name, url), self.left()?, employer));
        let mut rise = moved("c-8", (&self.risen.0, &self.risen.1), second, second);
        rise["change"]["kind"] = json!("promotion");
        news.push(rise);
        Ok(news)
    }
}

impl Somebody {
    fn of(person: &SyntheticPerson, employer: &Firm) -> Option<Self> {
        let facts = &person.facts;
        (employer.staff >= COLLEAGUES_LEAST).then_some(())?;
        Some(Self {
            full_name: facts.full_name.clone(),
            first_name: facts.first_name.clone()?,
            last_name: facts.last_name.clone()?,
            url: facts.network_url.as_ref()?.to_string(),
            email: facts.emails.first()?.address.to_string(),
            phone: mobile(person)?,
            employer: employer.clone(),
        })
    }
}

fn rank(person: &SyntheticPerson) -> Option<Seniority> {
    person.experience.first()?.seniority
}

fn mobile(person: &SyntheticPerson) -> Option<String> {
    let phone = person.facts.phones.iter().find(|phone| phone.line == LineType::Mobile)?;
    Some(phone.number.to_string())
}

fn firm(world: &World, number: u64, staff: usize) -> Option<Firm> {
    let facts = world.company(number).facts;
    let technologies = facts.technologies.into_iter().map(|technology| technology.name).collect();
    Some(Firm { name: facts.name, domain: facts.domain?.to_string(), technologies, staff })
}

fn ago(time: Duration) -> Value {
    json!((Clock::system().now() - time).to_rfc3339())
}

fn day(time: Duration) -> Value {
    json!((Clock::system().now() - time).date_naive())
}

fn told(firm: &Firm) -> Value {
    json!({ "name": firm.name, "domain": firm.domain })
}

fn round(id: &str, time: Duration, firm: &Firm) -> Value {
    json!({
        "id": id, "kind": "funding", "occurredAt": ago(time), "company": told(firm),
        "funding": { "stage": "seed", "amount": 100_000_000, "currency": "USD", "announcedOn": day(time) },
    })
}

/// Few apply for it. Of today, so that it is of this quarter.
fn job(id: &str, firm: &Firm, title: &str) -> Value {
    json!({
        "id": id, "kind": "hiring", "occurredAt": ago(Duration::from_mins(5)), "company": told(firm),
        "job": { "title": title, "applicants": 3 },
    })
}

fn moved(id: &str, (name, url): (&str, &str), from: &Firm, to: &Firm) -> Value {
    json!({
        "id": id, "kind": "job-change", "occurredAt": ago(2 * DAY), "company": told(to),
        "person": { "fullName": name, "networkUrl": url },
        "change": {
            "kind": "new_company",
            "from": { "title": "Sales Manager", "company": told(from), "on": day(3 * DAY) },
            "to": { "title": "Head of Sales", "company": told(to), "on": day(2 * DAY) },
        },
        "announcement_text": "I am happy to share that I have a new job.",
    })
}
