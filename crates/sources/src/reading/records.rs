//! Records with nothing in them yet but what every record has, and the pieces most answers are made of.

use super::Piece;
use crate::{FoundEmail, JobSaid};
use assay_domain::Email;
use assay_domain::person::{EmailKind, Location, PersonFacts};
use assay_domain::taxonomy::EmailStatus;

/// An address at work, as good as the source says.
pub(crate) fn business(address: Email, status: Option<EmailStatus>) -> FoundEmail {
    FoundEmail { address, kind: EmailKind::Business, status, confidence: None }
}

/// A person with a name; first and last name are joined where there is no full one.
pub(crate) fn person(full: Piece<'_>, first: Piece<'_>, last: Piece<'_>) -> Option<PersonFacts> {
    let joined = || Some(format!("{} {}", first.text()?, last.text()?));
    Some(PersonFacts {
        full_name: full.owned().or_else(joined)?,
        first_name: first.owned(),
        last_name: last.owned(),
        headline: None,
        emails: Vec::new(),
        phones: Vec::new(),
        network_url: None,
        location: None,
        education: Vec::new(),
        skills: Vec::new(),
        languages: Vec::new(),
        certifications: Vec::new(),
        last_job_change_on: None,
    })
}

/// A job, from the places of its company's name, site and page, its title and its two dates.
pub(crate) fn job(from: Piece<'_>, [name, site, page, title, start, end]: [&str; 6]) -> JobSaid {
    JobSaid {
        company_name: from.at(name).owned(),
        company_domain: from.at(site).domain(),
        company_url: from.at(page).page(),
        title: from.at(title).owned(),
        started_on: from.at(start).date(),
        ended_on: from.at(end).date(),
    }
}

/// Where somebody or something is, from the places of city, region and country.
pub(crate) fn place(from: Piece<'_>, [city, region, country]: [&str; 3]) -> Option<Location> {
    let (city, region) = (from.at(city).owned(), from.at(region).owned());
    let place = Location { city, region, country: from.at(country).country() };
    (place != Location::default()).then_some(place)
}
