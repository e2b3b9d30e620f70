//! Files of the made-up world as an operator would have them: one row a person or a company, with the source's own ids.

use anyhow::{Context, Result};
use assay_world::{SyntheticPerson, World};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

const PEOPLE_HEADER: [&str; 18] = [
    "id",
    "first_name",
    "last_name",
    "email",
    "phone",
    "title",
    "company",
    "company_domain",
    "profile_url",
    "headline",
    "city",
    "region",
    "country",
    "started_on",
    "ended_on",
    "last_updated",
    "school",
    "personal_email",
];
const COMPANIES_HEADER: [&str; 9] =
    ["id", "name", "domain", "profile_url", "employees", "city", "region", "country", "last_updated"];

/// A row of a file of people. What is empty is not said.
#[derive(Debug, Clone, Default)]
pub struct PersonLine {
    pub id: String,
    pub first_name: String,
    pub last_name: String,
    pub email: String,
    pub phone: String,
    pub title: String,
    pub company: String,
    pub company_domain: String,
    pub profile_url: String,
    pub headline: String,
    pub city: String,
    pub region: String,
    pub country: String,
    pub started_on: String,
    pub ended_on: String,
    pub last_updated: String,
    pub school: String,
    pub personal_email: String,
}

impl PersonLine {
    fn cells(&self) -> [&str; PEOPLE_HEADER.len()] {
        [
            &self.id,
            &self.first_name,
            &self.last_name,
            &self.email,
            &self.phone,
            &self.title,
            &self.company,
            &self.company_domain,
            &self.profile_url,
            &self.headline,
            &self.city,
            &self.region,
            &self.country,
            &self.started_on,
            &self.ended_on,
            &self.last_updated,
            &self.school,
            &self.personal_email,
        ]
    }
}

/// The people of these indexes as rows, in order.
pub fn person_lines(world: &World, indexes: Range<u64>) -> impl Iterator<Item = PersonLine> {
    let mut employer: Option<(u64, String)> = None;
    indexes.clone().zip(world.people(indexes)).map(move |(index, person)| {
        let company = world.employer_index(index);
        // Colleagues follow each other.
        let known = employer.take().filter(|(known, _)| *known == company);
        let known = known.unwrap_or_else(|| {
            let domain = world.company(company).facts.domain;
            (company, domain.map(|domain| domain.to_string()).unwrap_or_default())
        });
        let line = person_line(index, person, known.1.clone());
        employer = Some(known);
        line
    })
}

fn person_line(index: u64, person: SyntheticPerson, company_domain: String) -> PersonLine {
    let facts = person.facts;
    let place = facts.location.unwrap_or_default();
    let job = person.experience.into_iter().next();
    PersonLine {
        id: format!("P{index:08}"),
        first_name: facts.first_name.unwrap_or_default(),
        last_name: facts.last_name.unwrap_or_default(),
        email: facts.emails.first().map(|email| email.address.to_string()).unwrap_or_default(),
        phone: facts.phones.first().map(|phone| phone.number.to_string()).unwrap_or_default(),
        title: job.as_ref().map(|job| job.title.clone()).unwrap_or_default(),
        company: job.as_ref().map(|job| job.company_name.clone()).unwrap_or_default(),
        company_domain,
        profile_url: facts.network_url.map(|url| url.to_string()).unwrap_or_default(),
        headline: facts.headline.unwrap_or_default(),
        city: place.city.unwrap_or_default(),
        region: place.region.unwrap_or_default(),
        country: place.country.unwrap_or_default(),
        started_on: job.and_then(|job| job.started_on).map(|day| day.to_string()).unwrap_or_default(),
        ended_on: String::new(),
        last_updated: person.refreshed_at.date_naive().to_string(),
        school: String::new(),
        personal_email: String::new(),
    }
}

pub fn write_people(path: &Path, lines: impl Iterator<Item = PersonLine>) -> Result<()> {
    let mut sheet = Sheet::create(path, &PEOPLE_HEADER)?;
    for line in lines {
        sheet.row(&line.cells())?;
    }
    sheet.finish()
}

/// All companies of the world.
pub fn write_companies(path: &Path, world: &World) -> Result<()> {
    let mut sheet = Sheet::create(path, &COMPANIES_HEADER)?;
    for index in 0..world.company_count() {
        let company = world.company(index);
        let facts = company.facts;
        let place = facts.headquarters.unwrap_or_default();
        sheet.row(&[
            &format!("C{index:08}"),
            &facts.name,
            &facts.domain.map(|domain| domain.to_string()).unwrap_or_default(),
            &facts.network_url.map(|url| url.to_string()).unwrap_or_default(),
            &facts.employee_count.map(|count| count.to_string()).unwrap_or_default(),
            &place.city.unwrap_or_default(),
            &place.region.unwrap_or_default(),
            &place.country.unwrap_or_default(),
            &company.refreshed_at.date_naive().to_string(),
        ])?;
    }
    sheet.finish()
}

struct Sheet(BufWriter<File>);

impl Sheet {
    fn create(path: &Path, header: &[&str]) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
        let mut sheet = Self(BufWriter::new(file));
        sheet.row(header)?;
        Ok(sheet)
    }

    fn row(&mut self, cells: &[&str]) -> Result<()> {
        for (at, cell) in cells.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if cell.contains([',', '"', '\n']) {
                write!(self.0, "{comma}\"{}\"", cell.replace('"', "\"\""))?;
            } else {
                write!(self.0, "{comma}{cell}")?;
            }
        }
        Ok(writeln!(self.0)?)
    }

    fn finish(mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}
