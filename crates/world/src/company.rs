//! The record of a company.

use assay_domain::company::{CompanyFacts, CompanyKind, MailFacts, Technology};
use assay_domain::person::Location;
use assay_domain::{CompanyId, Domain, NetworkHosts, NetworkUrl, Provenance};
use chrono::{DateTime, Datelike, NaiveDate, Utc};

use crate::calendar::{Month, days_before};
use crate::dice::{Aspect, Dice, uuid};
use crate::firm::{Base, Brand, Firm, Mail, TOP_LEVEL};
use crate::funding;
use crate::origin;
use crate::tables::Place;

/// A company as the world makes it up.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticCompany {
    pub id: CompanyId,
    pub facts: CompanyFacts,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
}

pub(crate) fn company_id(seed: u64, index: u64) -> CompanyId {
    CompanyId::from_uuid(uuid(seed, Aspect::CompanyId, index))
}

pub(crate) fn company(base: &Base, hosts: &NetworkHosts, index: u64) -> SyntheticCompany {
    let firm = base.firm(index);
    let brand = base.brand(&firm);
    let origin = origin::of_company(base, index);
    SyntheticCompany {
        id: company_id(base.seed, index),
        facts: facts(base, hosts, &firm, brand),
        provenance: origin.provenance,
        refreshed_at: origin.refreshed_at,
    }
}

fn facts(base: &Base, hosts: &NetworkHosts, firm: &Firm<'_>, brand: Brand) -> CompanyFacts {
    let mut dice = base.dice(Aspect::CompanyFacts, firm.index);
    let employees = employee_count(firm.people, &mut dice);
    let kind = kind(firm, employees, &mut dice);
    let mail = base.mail(firm);
    let rounds = funding::rounds(base, firm, kind, employees);
    let growth = growth_percent(firm, !rounds.is_empty(), base.as_of, &mut dice);
    CompanyFacts {
        legal_name: Some(legal_name(firm, &brand, kind)),
        domain: Domain::parse(&[&brand.label, TOP_LEVEL].concat()).ok(),
        domains: Vec::new(),
        network_url: NetworkUrl::parse(&format!("https://network.example/company/{}", brand.label), hosts)
            .ok(),
        description: Some(description(firm, &brand, &mut dice)),
        industry: firm.branch.industry,
        keywords: keywords(firm, &mut dice),
        employee_count: u32::try_from(employees).ok(),
        employee_growth_percent: Some(growth),
        revenue_range: Some(revenue_range(firm, employees, &mut dice).to_owned()),
        founded_year: Some(firm.founded_year),
        kind: Some(kind),
        headquarters: Some(firm.place.location()),
        locations: locations(base, firm),
        technologies: technologies(base, firm, mail),
        funding_rounds: rounds,
        open_roles: u32::try_from(open_roles(employees, growth, &mut dice)).ok(),
        mail: Some(MailFacts {
            provider: mail.provider.to_owned(),
            pattern: Some(mail.pattern.as_str().to_owned()),
            catch_all: Some(mail.catch_all),
        }),
        name: brand.name,
    }
}

/// Of a small company the world knows everybody; of a large one only a part, as any source of contacts does.
fn employee_count(people: u64, dice: &mut Dice) -> u64 {
    let percent = match people {
        0..=10 => 100,
        11..=100 => dice.between(100, 150),
        101..=400 => dice.between(110, 250),
        _ => dice.between(180, 700),
    };
    (people * percent / 100).max(1)
}

fn kind(firm: &Firm<'_>, employees: u64, dice: &mut Dice) -> CompanyKind {
    let industry = firm.branch.industry.map_or("", |industry| industry.as_str());
    match (firm.sector.name, industry) {
        (_, "Nonprofit Organization Management") => CompanyKind::Nonprofit,
        ("public", _) => CompanyKind::Government,
        (_, "Higher Education" | "Primary / Secondary Education") => CompanyKind::Education,
        ("professional" | "media", _) if employees == 1 => CompanyKind::SelfEmployed,
        _ if employees > 800 && dice.percent(55) => CompanyKind::Public,
        _ => CompanyKind::Private,
    }
}

fn legal_name(firm: &Firm<'_>, brand: &Brand, kind: CompanyKind) -> String {
    let form = match kind {
        CompanyKind::Government | CompanyKind::Education | CompanyKind::SelfEmployed => {
            return brand.name.clone();
        }
        CompanyKind::Nonprofit if firm.country.code != "US" => return brand.name.clone(),
        CompanyKind::Public => 2,
        _ if firm.people > 25 => 1,
        _ => 0,
    };
    format!("{} {}", brand.name, firm.country.legal_forms.at(form))
}

fn description(firm: &Firm<'_>, brand: &Brand, dice: &mut Dice) -> String {
    let offer = firm.branch.offers.draw(dice);
    let (city, year) = (firm.place.city, firm.founded_year);
    match dice.below(3) {
        0 => format!("{} {offer}. Founded in {year}, based in {city}.", brand.name),
        1 => format!("Based in {city}, {} {offer}.", brand.name),
        _ => format!("{} {offer}. The company was founded in {city} in {year}.", brand.name),
    }
}

fn keywords(firm: &Firm<'_>, dice: &mut Dice) -> Vec<String> {
    let count = dice.between(3, 5);
    firm.branch.keywords.draw_some(dice, count).map(|word| (*word).to_owned()).collect()
}

fn growth_percent(firm: &Firm<'_>, funded: bool, as_of: NaiveDate, dice: &mut Dice) -> i32 {
    let age = as_of.year().saturating_sub(firm.founded_year);
    let (loss, gain) = match (funded, age) {
        (true, _) => (8, 75),
        (false, ..10) => (12, 45),
        (false, _) => (14, 26),
    };
    // The middle of two throws: extremes are rare.
    let (one, other) = (dice.between(0, loss + gain), dice.between(0, loss + gain));
    i32::try_from(one.midpoint(other)).unwrap_or(0) - i32::try_from(loss).unwrap_or(0)
}

const REVENUE_RANGES: [(u64, &str); 9] = [
    (1_000, "$0-$1M"),
    (10_000, "$1M-$10M"),
    (25_000, "$10M-$25M"),
    (50_000, "$25M-$50M"),
    (100_000, "$50M-$100M"),
    (250_000, "$100M-$250M"),
    (500_000, "$250M-$500M"),
    (1_000_000, "$500M-$1B"),
    (10_000_000, "$1B-$10B"),
];

fn revenue_range(firm: &Firm<'_>, employees: u64, dice: &mut Dice) -> &'static str {
    let thousands = employees * firm.sector.revenue_thousand * dice.between(60, 150) / 100;
    REVENUE_RANGES.iter().find(|(limit, _)| thousands < *limit).map_or("$10B+", |(_, range)| range)
}

fn open_roles(employees: u64, growth: i32, dice: &mut Dice) -> u64 {
    let percent = if growth > 15 { 12 } else { 5 };
    dice.below(employees * percent / 100 + 2)
}

/// The cities in the country of the seat where a company has offices, the seat first.
pub(crate) fn offices<'a>(base: &'a Base, firm: &Firm<'a>) -> Vec<&'a Place> {
    let count = match firm.people {
        0..=40 => 0,
        41..=120 => 1,
        121..=400 => 2,
        _ => 4,
    };
    let mut dice = base.dice(Aspect::CompanyOffice, firm.index);
    let mut offices = vec![firm.place];
    for _ in 0..count {
        let place = firm.country.places.draw(&mut dice);
        if offices.iter().all(|known| known.number != place.number) {
            offices.push(place);
        }
    }
    offices
}

fn locations(base: &Base, firm: &Firm<'_>) -> Vec<Location> {
    let mut places: Vec<Location> = offices(base, firm).into_iter().map(Place::location).collect();
    if firm.people > 250 {
        let mut dice = base.dice(Aspect::CompanyAbroad, firm.index);
        let abroad = base.tables.countries.draw(&mut dice);
        if abroad.number != firm.country.number {
            places.push(abroad.places.draw(&mut dice).location());
        }
    }
    places
}

fn technologies(base: &Base, firm: &Firm<'_>, mail: Mail) -> Vec<Technology> {
    let mut dice = base.dice(Aspect::CompanyTechnology, firm.index);
    let count = match firm.people {
        0..=10 => dice.between(3, 6),
        11..=100 => dice.between(5, 10),
        _ => dice.between(8, 14),
    };
    let founded = Month::january(firm.founded_year).first_day();
    let seen = |name: &str, category: &str, dice: &mut Dice| Technology {
        name: name.to_owned(),
        category: category.to_owned(),
        first_seen: days_before(base.as_of, dice.between(90, 1_800)).max(founded),
        last_seen: days_before(base.as_of, dice.between(1, 60)),
    };
    let mut technologies = vec![seen(mail.provider, "Email", &mut dice)];
    let categories: Vec<_> = firm.sector.technologies.draw_some(&mut dice, count).collect();
    for category in categories {
        let product = category.products.draw(&mut dice);
        technologies.push(seen(product, category.name, &mut dice));
    }
    technologies
}
