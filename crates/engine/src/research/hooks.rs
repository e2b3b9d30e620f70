//! What there is to say to somebody: each sentence stands on one fact of the record or the feed, and says nothing else.

use assay_domain::company::{CompanyFacts, Round};
use assay_domain::{Company, Person};
use chrono::{Months, NaiveDate};

/// How many are told.
const MOST: usize = 4;
/// What happened longer ago is no news.
const NEWS_MONTHS: u32 = 12;
const NEW_JOB_MONTHS: u32 = 9;
const ROLES_MIN: u32 = 5;
const GROWTH_MIN: i32 = 10;
const TENURE_YEARS_MIN: u32 = 5;

/// A sentence, and the fact it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// The field of the record.
    pub fact: &'static str,
    pub text: String,
}

/// The most telling first, four at most.
pub fn hooks(person: &Person, company: Option<&Company>, today: NaiveDate) -> Vec<Occasion> {
    let mut all = Vec::new();
    all.extend(new_job(person, today));
    all.extend(company.and_then(|company| round(&company.facts, today)));
    all.extend(company.and_then(|company| hiring(&company.facts)));
    all.extend(company.and_then(|company| growth(&company.facts)));
    all.extend(tenure(person, today));
    all.extend(rise(person));
    all.extend(company.and_then(|company| technology(&company.facts)));
    all.extend(school(person));
    all.extend(skill(person));
    all.truncate(MOST);
    all
}

fn employer(person: &Person) -> Option<(&str, &str)> {
    let job = person.current()?;
    Some((job.title.as_str(), job.company_name.as_str()))
}

fn new_job(person: &Person, today: NaiveDate) -> Option<Occasion> {
    let (title, company) = employer(person)?;
    let since = person.current()?.started_on.filter(|since| *since <= today)?;
    let is_new = since.checked_add_months(Months::new(NEW_JOB_MONTHS))? >= today;
    let text = format!("Became {title} at {company} in {}", month(since));
    is_new.then_some(Occasion { fact: "startedOn", text })
}

fn round(facts: &CompanyFacts, today: NaiveDate) -> Option<Occasion> {
    let last: &Round = facts.funding_rounds.iter().max_by_key(|round| round.announced_on)?;
    let is_news = last.announced_on <= today
        && last.announced_on.checked_add_months(Months::new(NEWS_MONTHS))? >= today;
    let stage = last.stage.as_str().replace('_', " ");
    let led = last.lead_investors.first().map(|lead| format!(", led by {lead}")).unwrap_or_default();
    let text = format!("{} announced a {stage} round in {}{led}", facts.name, month(last.announced_on));
    is_news.then_some(Occasion { fact: "fundingSummary", text })
}

fn hiring(facts: &CompanyFacts) -> Option<Occasion> {
    let open = facts.open_roles.filter(|open| *open >= ROLES_MIN)?;
    Some(Occasion { fact: "openRoles", text: format!("{} has {open} open roles", facts.name) })
}

fn growth(facts: &CompanyFacts) -> Option<Occasion> {
    let growth = facts.employee_growth_percent.filter(|growth| *growth >= GROWTH_MIN)?;
    let text = format!("{} grew its team by {growth} % within a year", facts.name);
    Some(Occasion { fact: "employeeGrowth", text })
}

fn tenure(person: &Person, today: NaiveDate) -> Option<Occasion> {
    let (_, company) = employer(person)?;
    let years = today.years_since(person.current()?.started_on?)?;
    let text = format!("Has been in this role at {company} for {years} years");
    (years >= TENURE_YEARS_MIN).then_some(Occasion { fact: "startedOn", text })
}

/// From a lower post at the same company.
fn rise(person: &Person) -> Option<Occasion> {
    let now = person.current()?;
    let before = person.experience.iter().find(|job| {
        job.ended_on.is_some()
            && job.company_id.is_some()
            && job.company_id == now.company_id
            && job.title != now.title
    })?;
    let text = format!("Rose at {} from {} to {}", now.company_name, before.title, now.title);
    Some(Occasion { fact: "experience", text })
}

fn technology(facts: &CompanyFacts) -> Option<Occasion> {
    let newest = facts.technologies.iter().max_by_key(|technology| technology.first_seen)?;
    let text = format!("{} uses {}, first seen in {}", facts.name, newest.name, month(newest.first_seen));
    Some(Occasion { fact: "technologies", text })
}

fn school(person: &Person) -> Option<Occasion> {
    let education = person.facts.education.first()?;
    let field = education.field.as_ref().map(|field| format!("{field} ")).unwrap_or_default();
    Some(Occasion { fact: "education", text: format!("Studied {field}at {}", education.school) })
}

fn skill(person: &Person) -> Option<Occasion> {
    let skills: Vec<&str> = person.facts.skills.iter().take(2).map(String::as_str).collect();
    let text = format!("Lists {} among their skills", skills.join(" and "));
    (!skills.is_empty()).then_some(Occasion { fact: "skills", text })
}

/// As people say it.
fn month(day: NaiveDate) -> String {
    day.format("%B %Y").to_string()
}
