//! The record of a company.

use assay_domain::company::{CompanyFacts, CompanyKind, MailFacts, Technology};
use assay_domain::person::Location;
use assay_domain::{CompanyId, Domain, NetworkHosts, NetworkUrl, Provenance};
use chrono::{DateTime, Utc};

use crate::calendar::{Month, days_before};
use crate::dice::{Aspect, Dice, uuid};
use crate::firm::{Base, Brand, Firm, Mail, TOP_LEVEL};
use crate::funding;
use crate::origin;
use crate::pulse::pulse;
use crate::segments::Product;
use crate::tables::Place;

/// How many of the technologies that are usual in its segment a company has.
const COMMON_PERCENT: u64 = 70;

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
    let pulse = pulse(base, firm);
    let mail = base.mail(firm);
    CompanyFacts {
        legal_name: Some(legal_name(firm, &brand, pulse.kind)),
        domain: Domain::parse(&[&brand.label, TOP_LEVEL].concat()).ok(),
        domains: Vec::new(),
        network_url: NetworkUrl::parse(&format!("https://network.example/company/{}", brand.label), hosts)
            .ok(),
        description: Some(description(firm, &brand, &mut dice)),
        industry: firm.branch.industry,
        keywords: keywords(firm, &mut dice),
        employee_count: u32::try_from(pulse.employees).ok(),
        employee_growth_percent: Some(pulse.growth_percent),
        revenue_range: Some(revenue_range(pulse.revenue_thousand).to_owned()),
        founded_year: Some(firm.founded_year),
        kind: Some(pulse.kind),
        headquarters: Some(firm.place.location()),
        locations: locations(base, firm),
        technologies: technologies(base, firm, mail),
        funding_rounds: funding::rounds(base, firm, pulse.kind, pulse.employees),
        open_roles: u32::try_from(pulse.open_roles).ok(),
        mail: Some(MailFacts {
            provider: mail.provider.to_owned(),
            pattern: Some(mail.pattern.as_str().to_owned()),
            catch_all: Some(mail.catch_all),
        }),
        name: brand.name,
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
    let offer = firm.segment.offers.draw(dice);
    let (name, city, year) = (&brand.name, firm.place.city, firm.founded_year);
    match (dice.below(3), firm.trade.is_some()) {
        (0, true) if !name.ends_with(city) => {
            format!("{name} {offer}. Locally owned, in {city} since {year}.")
        }
        (1, true) if !name.ends_with(city) => format!("Based in {city}, {name} {offer}."),
        (_, true) => format!("{name} {offer}. Since {year}."),
        (0, false) => format!("{name} {offer}. Founded in {year}, based in {city}."),
        (1, false) => format!("Based in {city}, {name} {offer}."),
        (_, false) => format!("{name} {offer}. The company was founded in {city} in {year}."),
    }
}

/// Mostly those of the segment, and now and then one of the branch.
fn keywords(firm: &Firm<'_>, dice: &mut Dice) -> Vec<String> {
    let count = dice.between(3, 5);
    let mut words: Vec<&str> = firm.segment.keywords.draw_some(dice, count).copied().collect();
    let of_branch = *firm.branch.keywords.draw(dice);
    if dice.percent(40) && !of_branch.is_empty() && !words.contains(&of_branch) {
        words.push(of_branch);
    }
    words.into_iter().map(str::to_owned).collect()
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

fn revenue_range(thousands: u64) -> &'static str {
    REVENUE_RANGES.iter().find(|(limit, _)| thousands < *limit).map_or("$10B+", |(_, range)| range)
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
    let founded = Month::january(firm.founded_year).first_day();
    let mut technologies: Vec<Technology> = Vec::new();
    for Product { name, category } in products(firm, mail, &mut dice) {
        technologies.push(Technology {
            name: name.to_owned(),
            category: category.to_owned(),
            first_seen: days_before(base.as_of, dice.between(90, 1_800)).max(founded),
            last_seen: days_before(base.as_of, dice.between(1, 60)),
        });
    }
    technologies
}

/// What the companies of a segment have in common, and what each chose for itself.
fn products(firm: &Firm<'_>, mail: Mail, dice: &mut Dice) -> Vec<Product> {
    let mut products = vec![Product { name: mail.provider, category: "Email" }];
    let common = &firm.segment.products;
    let more = match firm.people {
        _ if firm.trade.is_some() => dice.between(1, 4),
        0..=10 => dice.between(0, 2),
        11..=100 => dice.between(2, 5),
        _ => dice.between(4, 8),
    };
    if firm.trade.is_some() {
        // The tools of a trade do the same work: a business has one of them, or two.
        let count = u64::try_from(common.len()).unwrap_or(0);
        let tool = |at: u64| usize::try_from(at).ok().and_then(|at| common.get(at)).copied();
        products.extend(tool(dice.below(count)));
        add_new(&mut products, tool(dice.below(count * 2)));
    } else {
        products.extend(common.iter().filter(|_| dice.percent(COMMON_PERCENT)));
    }
    let categories: Vec<_> = firm.sector.technologies.draw_some(dice, more).collect();
    for category in categories {
        let name = category.products.draw(dice);
        add_new(&mut products, Some(Product { name, category: category.name }));
    }
    products
}

/// Nobody has two things for one purpose by chance.
fn add_new(products: &mut Vec<Product>, product: Option<Product>) {
    products.extend(product.filter(|new| products.iter().all(|known| known.category != new.category)));
}
