//! The record of a person.

use assay_domain::person::{Employment, PersonFacts};
use assay_domain::taxonomy::Seniority;
use assay_domain::{NetworkHosts, NetworkUrl, PersonId, Provenance};
use chrono::{DateTime, Utc};

use crate::career::{Career, career};
use crate::contact;
use crate::dice::{Aspect, Dice, uuid};
use crate::education::education;
use crate::firm::{Base, Brand, Firm};
use crate::fold;
use crate::naming::{FullName, Naming};
use crate::origin;
use crate::role::Role;
use crate::staff::Staff;
use crate::tables::{Country, Craft};
use crate::workplace::Workplace;

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

pub(crate) fn person(workplace: &Workplace<'_>, hosts: &NetworkHosts, index: u64) -> SyntheticPerson {
    let Workplace { base, firm, brand, mail, .. } = workplace;
    let desk = workplace.desk(index);
    let staff = Staff::new(base, firm);
    let naming = Naming::new(&staff, mail.pattern);
    let name = naming.name(desk.position);
    let role = staff.role(desk.position);
    let span = staff.span(desk.position, role);
    let career = career(&staff, brand, desk.position, role, span);
    let birth_year = staff.birth_year(desk.position, role, span);
    let origin = origin::of_person(base, index);
    let mailbox = naming.mailbox(desk.position, &name);
    let craft = craft(base, firm, role);
    let mut dice = base.dice(Aspect::PersonFacts, index);
    let skills = skills(craft, role.seniority, &mut dice);
    let facts = PersonFacts {
        full_name: [name.given.text, " ", name.family.text].concat(),
        first_name: Some(name.given.text.to_owned()),
        last_name: Some(name.family.text.to_owned()),
        headline: Some(headline(brand, &career, &skills, &mut dice)),
        emails: contact::email(base, (brand, *mail), &mailbox, origin.verified_at, index)
            .into_iter()
            .collect(),
        phones: contact::phone(base, firm, desk, index).into_iter().collect(),
        network_url: NetworkUrl::parse(&network_page(&name, index), hosts).ok(),
        location: Some(location(workplace, index)),
        education: education(firm, craft, role, &career, (birth_year, &mut dice)),
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

fn craft<'a>(base: &'a Base, firm: &Firm<'a>, role: Role) -> &'a Craft {
    match firm.trade {
        Some(trade) if trade.is_craft(role) => &trade.craft,
        Some(_) => base.tables.desk_craft(),
        None => base.tables.craft(role.department, firm.sector),
    }
}

/// The index at the end makes the address unique.
fn network_page(name: &FullName<'_>, index: u64) -> String {
    address("https://network.example/in/", name, index)
}

/// A place on the network that belongs to somebody. Pieces put together rather than formatted, here and below: this is
/// done for each of millions.
pub(crate) fn address(start: &str, name: &FullName<'_>, number: u64) -> String {
    let (given, family) = (&name.given.slug, &name.family.slug);
    let mut address = String::with_capacity(start.len() + given.len() + family.len() + 15);
    for part in [start, given, "-", family, "-"] {
        address.push_str(part);
    }
    fold::push_base36(number, &mut address);
    address
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
fn location(workplace: &Workplace<'_>, index: u64) -> assay_domain::person::Location {
    let Workplace { base, firm, offices, .. } = workplace;
    if firm.trade.is_some() {
        return firm.place.location();
    }
    let mut dice = base.dice(Aspect::PersonPlace, index);
    let place = match dice.below(100) {
        0..68 => firm.place,
        68..90 => {
            let at = dice.below(u64::try_from(offices.len()).unwrap_or(1));
            usize::try_from(at).ok().and_then(|at| offices.get(at)).copied().unwrap_or(firm.place)
        }
        _ => firm.country.places.draw(&mut dice),
    };
    place.location()
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
