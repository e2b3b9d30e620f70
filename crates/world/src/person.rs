//! The record of a person.

use assay_domain::person::{Education, Employment, PersonFacts};
use assay_domain::taxonomy::Seniority;
use assay_domain::{NetworkHosts, NetworkUrl, PersonId, Provenance};
use chrono::{DateTime, Utc};

use crate::career::{Career, career};
use crate::company::offices;
use crate::contact;
use crate::dice::{Aspect, Dice, uuid};
use crate::firm::{Base, Brand, Firm};
use crate::fold;
use crate::naming::{FullName, Naming};
use crate::origin;
use crate::role::{Role, role};
use crate::tables::{Country, Craft};

/// A person as the world makes them up.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticPerson {
    pub id: PersonId,
    pub facts: PersonFacts,
    /// Newest first; the first one is the present job.
    pub experience: Vec<Employment>,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
}

pub(crate) fn person(base: &Base, hosts: &NetworkHosts, index: u64) -> SyntheticPerson {
    let desk = base.roster.desk(index);
    let firm = base.firm(desk.company);
    let brand = base.brand(&firm);
    let mail = base.mail(&firm);
    let naming = Naming::new(base, &firm, mail.pattern);
    let name = naming.name(desk.position);
    let role = role(base, &firm, desk, index);
    let career = career(base, &firm, &brand, role, index);
    let origin = origin::of_person(base, index);
    let mailbox = naming.mailbox(desk);
    let craft = base.tables.craft(role.department, firm.sector);
    let mut dice = base.dice(Aspect::PersonFacts, index);
    let skills = skills(craft, role.seniority, &mut dice);
    let facts = PersonFacts {
        full_name: [name.given.text, " ", name.family.text].concat(),
        first_name: Some(name.given.text.to_owned()),
        last_name: Some(name.family.text.to_owned()),
        headline: Some(headline(&brand, &career, &skills, &mut dice)),
        emails: contact::email(base, (&brand, mail), &mailbox, origin.verified_at, index)
            .into_iter()
            .collect(),
        phones: contact::phone(base, &firm, desk, index).into_iter().collect(),
        network_url: NetworkUrl::parse(&network_page(&name, index), hosts).ok(),
        location: Some(location(base, &firm, index)),
        education: education(firm.country, craft, role, &career, &mut dice),
        languages: languages(firm.country, &mut dice),
        certifications: certifications(craft, role.seniority, &mut dice),
        last_job_change_on: Some(career.started_on),
        skills,
    };
    SyntheticPerson {
        id: PersonId::from_uuid(uuid(base.seed, Aspect::PersonId, index)),
        facts,
        experience: career.jobs,
        provenance: origin.provenance,
        refreshed_at: origin.refreshed_at,
    }
}

/// The index at the end makes the address unique.
fn network_page(name: &FullName<'_>, index: u64) -> String {
    // Pieces put together rather than formatted, here and below: this is done for each of millions.
    let number = fold::base36(index);
    ["https://network.example/in/", &name.given.slug, "-", &name.family.slug, "-", &number].concat()
}

fn skills(craft: &Craft, seniority: Seniority, dice: &mut Dice) -> Vec<String> {
    let count = match seniority {
        Seniority::Intern => dice.between(2, 4),
        Seniority::Entry => dice.between(3, 6),
        _ => dice.between(4, 8),
    };
    craft.skills.draw_some(dice, count).map(|skill| (*skill).to_owned()).collect()
}

fn headline(brand: &Brand, career: &Career, skills: &[String], dice: &mut Dice) -> String {
    let (title, company) = (career.title, &brand.name);
    match (dice.below(10), skills) {
        (0..3, [first, second, ..]) => [title, " at ", company, " | ", first, ", ", second].concat(),
        (3, [first, second, third, ..]) => [title, " | ", first, " | ", second, " | ", third].concat(),
        (4, _) => [title, ", ", company].concat(),
        _ => [title, " at ", company].concat(),
    }
}

/// Most people work at the seat, some at another office, a few from another city of the country.
fn location(base: &Base, firm: &Firm<'_>, index: u64) -> assay_domain::person::Location {
    let mut dice = base.dice(Aspect::PersonPlace, index);
    let place = match dice.below(100) {
        0..68 => firm.place,
        68..90 => {
            let offices = offices(base, firm);
            let at = dice.below(u64::try_from(offices.len()).unwrap_or(1));
            usize::try_from(at).ok().and_then(|at| offices.get(at)).copied().unwrap_or(firm.place)
        }
        _ => firm.country.places.draw(&mut dice),
    };
    place.location()
}

fn education(
    country: &Country,
    craft: &Craft,
    role: Role,
    career: &Career,
    dice: &mut Dice,
) -> Vec<Education> {
    if dice.percent(12) {
        return Vec::new();
    }
    let physician =
        ["Physician", "Medical Officer", "Medical Director"].iter().any(|word| career.title.contains(word));
    let field = match career.title {
        _ if physician => "Medicine",
        title if title.contains("Nurs") => "Nursing",
        title if title.contains("Physiotherap") => "Physiotherapy",
        _ => craft.fields.draw(dice),
    };
    let school = country.schools.draw(dice);
    if role.seniority == Seniority::Intern {
        return vec![degree(school, bachelor(field), field, None)];
    }
    if physician {
        return vec![degree(school, "Doctor of Medicine", field, Some(career.first_year))];
    }
    if !dice.percent(30) {
        return vec![degree(school, bachelor(field), field, Some(career.first_year))];
    }
    let master = match field {
        "Business Administration" => "Master of Business Administration",
        "Law" | "Business Law" => "Master of Laws",
        _ if bachelor(field) == "Bachelor of Arts" => "Master of Arts",
        _ => "Master of Science",
    };
    vec![
        degree(country.schools.draw(dice), master, field, Some(career.first_year)),
        degree(school, bachelor(field), field, Some(career.first_year.saturating_sub(2))),
    ]
}

fn bachelor(field: &str) -> &'static str {
    match field {
        "Law" | "Business Law" => "Bachelor of Laws",
        "Communication"
        | "Journalism"
        | "Languages"
        | "History"
        | "Social Sciences"
        | "Graphic Design"
        | "Education"
        | "Public Administration"
        | "Business Administration"
        | "Marketing" => "Bachelor of Arts",
        _ => "Bachelor of Science",
    }
}

fn degree(school: &str, degree: &str, field: &str, ended_year: Option<i32>) -> Education {
    Education {
        school: school.to_owned(),
        degree: Some(degree.to_owned()),
        field: Some(field.to_owned()),
        ended_year,
    }
}

/// The native language, English nearly everywhere, sometimes a third.
fn languages(country: &Country, dice: &mut Dice) -> Vec<String> {
    let native = *country.languages.at(0);
    let second = if native == "en" { 22 } else { 88 };
    let mut languages = vec![native.to_owned()];
    for (at, chance) in [(1, second), (2, 10)] {
        if dice.percent(chance) {
            languages.push((*country.languages.at(at)).to_owned());
        }
    }
    languages
}

fn certifications(craft: &Craft, seniority: Seniority, dice: &mut Dice) -> Vec<String> {
    if seniority == Seniority::Intern || !dice.percent(22) {
        return Vec::new();
    }
    let count = dice.lean(1, 2);
    craft.certificates.draw_some(dice, count).map(|certificate| (*certificate).to_owned()).collect()
}
