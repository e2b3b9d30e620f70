//! From a record to the document that is found: which of its values are met by which filter.
//!
//! Nothing here depends on the day: who asks for people that changed their jobs within a month asks for days.

use assay_domain::company::{Company, revenue_band};
use assay_domain::name::fold_text;
use assay_domain::person::{Location, Person};
use assay_domain::taxonomy::SizeBand;
use assay_domain::title::read_title;
use assay_index::{Document, Number, Place, Term, Text, fold_term};
use chrono::NaiveDate;
use uuid::Uuid;

/// How much each thing known adds to a record's rank: whom one can reach comes first, then who is known well.
const REACHABLE: u64 = 64;
const CALLABLE: u64 = 32;
const EMPLOYED: u64 = 32;
const LISTED: u64 = 16;
const DESCRIBED: u64 = 8;

/// Below the rank stand random bits of the id, so that hardly two documents have one order.
const ID_BITS: u32 = 48;

pub fn person(person: &Person, seq: u64) -> Document {
    let facts = &person.facts;
    let job = person.current();
    let mut terms = Vec::new();
    let mut add = |term: Term, value: Option<String>| terms.extend(value.map(|value| (term, value)));
    add(Term::Owner, person.owner.map(|owner| owner.uuid().to_string()));
    if let Some(company) = &person.company {
        add(Term::Employer, Some(company.id.uuid().to_string()));
        add(Term::CompanyDomain, company.domain.as_ref().map(ToString::to_string));
        add(Term::CompanySize, size(company.employee_count));
        add(Term::Industry, company.industry.map(|industry| industry.as_str().to_owned()));
    }
    for former in former_employers(person) {
        add(Term::FormerEmployer, Some(former));
    }
    add(Term::Seniority, job.and_then(|job| job.seniority).map(|it| it.as_str().to_owned()));
    add(Term::Department, job.and_then(|job| job.department).map(|it| it.as_str().to_owned()));
    terms.extend(folded(Term::Skill, &facts.skills));
    terms.extend(folded(Term::Certification, &facts.certifications));
    terms.extend(facts.languages.iter().map(|language| (Term::Language, language.to_lowercase())));
    terms.extend(facts.location.iter().flat_map(place_terms));
    let title = job.map(|job| job.title.as_str()).unwrap_or_default();
    let company = job.map(|job| job.company_name.as_str()).unwrap_or_default();
    let headline = facts.headline.as_deref().unwrap_or_default();
    let keywords: Vec<&str> = [headline, title, company]
        .into_iter()
        .chain(facts.skills.iter().chain(&facts.certifications).map(String::as_str))
        .collect();
    let began = person.experience.iter().filter_map(|job| job.started_on).min();
    let employees = person.company.as_ref().and_then(|company| company.employee_count);
    let numbers = [
        (Number::CareerBeganOn, began.map(day)),
        (Number::JobChangedOn, facts.last_job_change_on.map(day)),
        (Number::EmployeeCount, employees.map(i64::from)),
    ];
    let known = [
        (!facts.emails.is_empty(), REACHABLE),
        (!facts.phones.is_empty(), CALLABLE),
        (job.is_some(), EMPLOYED),
        (facts.network_url.is_some(), LISTED),
        (!facts.skills.is_empty(), DESCRIBED),
        (facts.location.is_some(), DESCRIBED),
        (!facts.education.is_empty(), DESCRIBED),
    ];
    let rank = worth(&known) + job.and_then(|job| job.seniority).map_or(0, |rank| u64::from(rank.index()));
    Document {
        place: place(person.id.uuid(), rank),
        seq,
        terms,
        texts: vec![
            (Text::Title, title.to_owned()),
            (Text::Role, read_title(title).normalised),
            (Text::Keywords, keywords.join(" ")),
        ],
        numbers: numbers.into_iter().filter_map(|(of, number)| Some((of, number?))).collect(),
    }
}

pub fn company(company: &Company, seq: u64) -> Document {
    let facts = &company.facts;
    let latest = facts.funding_rounds.iter().max_by_key(|round| round.announced_on);
    let mut terms = Vec::new();
    let mut add = |term: Term, value: Option<String>| terms.extend(value.map(|value| (term, value)));
    add(Term::Owner, company.owner.map(|owner| owner.uuid().to_string()));
    for domain in facts.domain.iter().chain(&facts.domains) {
        add(Term::CompanyDomain, Some(domain.to_string()));
    }
    add(Term::CompanySize, size(facts.employee_count));
    add(Term::Industry, facts.industry.map(|industry| industry.as_str().to_owned()));
    add(Term::FundingStage, latest.map(|round| round.stage.as_str().to_owned()));
    add(Term::FundingCurrency, latest.and_then(|round| round.currency.clone()));
    let technologies: Vec<String> = facts.technologies.iter().map(|one| one.name.clone()).collect();
    terms.extend(folded(Term::Technology, &technologies));
    terms.extend(facts.headquarters.iter().chain(&facts.locations).flat_map(place_terms));
    let industry = facts.industry.map(|industry| industry.as_str()).unwrap_or_default();
    let described = facts.description.as_deref().unwrap_or_default();
    let keywords: Vec<&str> = [facts.name.as_str(), described, industry]
        .into_iter()
        .chain(facts.keywords.iter().map(String::as_str))
        .collect();
    let revenue = facts.revenue_range.as_deref().and_then(revenue_band);
    let numbers = [
        (Number::EmployeeCount, facts.employee_count.map(i64::from)),
        (Number::FoundedYear, facts.founded_year.map(i64::from)),
        (Number::FundingAmount, latest.and_then(|round| round.amount)),
        (Number::FundedOn, latest.map(|round| day(round.announced_on))),
        (Number::OpenRoles, facts.open_roles.map(i64::from)),
        (Number::RevenueFrom, revenue.map(|(from, _)| from)),
        (Number::RevenueTo, revenue.map(|(_, to)| to)),
    ];
    let known = [
        (facts.domain.is_some(), REACHABLE),
        (facts.employee_count.is_some(), EMPLOYED),
        (facts.network_url.is_some(), LISTED),
        (facts.description.is_some(), DESCRIBED),
        (!facts.technologies.is_empty(), DESCRIBED),
        (!facts.funding_rounds.is_empty(), DESCRIBED),
    ];
    // Of companies known equally well the larger first.
    let rank =
        worth(&known) + u64::from(facts.employee_count.unwrap_or(0).checked_ilog2().unwrap_or(0).min(7));
    Document {
        place: place(company.id.uuid(), rank),
        seq,
        terms,
        texts: vec![(Text::Keywords, keywords.join(" "))],
        numbers: numbers.into_iter().filter_map(|(of, number)| Some((of, number?))).collect(),
    }
}

/// Each once, but for the one of now.
fn former_employers(person: &Person) -> Vec<String> {
    let now = person.company.as_ref().map(|company| company.id);
    let ended = person.experience.iter().filter(|job| job.ended_on.is_some());
    let mut former: Vec<Uuid> =
        ended.filter_map(|job| job.company_id).filter(|id| Some(*id) != now).map(|id| id.uuid()).collect();
    former.sort_unstable();
    former.dedup();
    former.into_iter().map(|id| id.to_string()).collect()
}

/// Days since 1970, as the index counts them.
fn day(on: NaiveDate) -> i64 {
    i64::from(on.to_epoch_days())
}

fn worth(known: &[(bool, u64)]) -> u64 {
    known.iter().filter(|(is_known, _)| *is_known).map(|(_, worth)| worth).sum()
}

fn place(id: Uuid, rank: u64) -> Place {
    let (_, low) = id.as_u64_pair();
    Place { order: (rank << ID_BITS) | (low & ((1 << ID_BITS) - 1)), id }
}

fn size(employees: Option<u32>) -> Option<String> {
    employees.and_then(SizeBand::of_count).map(|band| band.as_str().to_owned())
}

fn folded(term: Term, values: &[String]) -> impl Iterator<Item = (Term, String)> {
    values.iter().map(move |value| (term, fold_term(value)))
}

fn place_terms(location: &Location) -> impl Iterator<Item = (Term, String)> + use<> {
    let Location { city, region, country } = location;
    [
        (Term::Country, country.as_ref().map(|country| country.to_uppercase())),
        (Term::Region, region.as_deref().map(fold_text)),
        (Term::City, city.as_deref().map(fold_text)),
    ]
    .into_iter()
    .filter_map(|(term, value)| Some((term, value?)))
}
