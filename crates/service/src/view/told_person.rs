//! A person as users see one, straight from the text that is kept: names of members are spelt for clients, and values are passed
//! on as they stand.
//!
//! A page of a search has twenty-five of them; to read each into a person and write it again took longer than finding them.
//! What is told is what [`super::PersonView`] of the same person says, which a test holds for every kind of value.

use super::meta::{MetaView, SourcesView};
use super::person::{PersonView, sourced_fields};
use super::told::{Place, Text, known_as_text};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{CompanyId, Person, PersonId, Provenance};
use assay_engine::{Engine, EngineError};
use assay_store::graph::{EmployerText, PersonText};
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// One person, found and then told.
#[derive(Debug, Clone)]
pub struct ToldPerson {
    pub id: PersonId,
    text: Told,
}

#[derive(Debug, Clone)]
enum Told {
    /// As it is kept: whoever is on a page is counted, and told while that is paid for.
    NotYet(Box<PersonText>),
    Json(Box<RawValue>),
}

impl From<PersonText> for ToldPerson {
    fn from(kept: PersonText) -> Self {
        Self { id: kept.id, text: Told::NotYet(Box::new(kept)) }
    }
}

impl Serialize for ToldPerson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.text {
            Told::Json(json) => json.serialize(serializer),
            Told::NotYet(_) => Err(S::Error::custom("somebody who was found was not told")),
        }
    }
}

impl ToldPerson {
    /// One that is at hand.
    pub fn write(person: Person) -> Option<Self> {
        Some(Self { id: person.id, text: Told::Json(to_raw_value(&PersonView::from(person)).ok()?) })
    }

    /// The company whose card is needed to tell this one.
    fn works_at(&self) -> Option<CompanyId> {
        match &self.text {
            Told::NotYet(kept) => kept.works_at(),
            Told::Json(_) => None,
        }
    }

    /// Whether it could be read. Where not, operators are told.
    fn tell(&mut self, employer: Option<&EmployerText>) -> bool {
        let Told::NotYet(kept) = &self.text else { return true };
        match told(kept, employer) {
            Ok(json) => self.text = Told::Json(json),
            // The error's own text may quote what was read.
            Err(_) => {
                tracing::error!(id = %kept.id, "a record does not read back and is left out");
                return false;
            }
        }
        true
    }
}

/// A row of an answer, which may be somebody.
pub trait Row: Send {
    fn person(&mut self) -> Option<&mut ToldPerson>;
}

impl Row for ToldPerson {
    fn person(&mut self) -> Option<&mut ToldPerson> {
        Some(self)
    }
}

/// Tells the people among some rows, each with its employer. How many could not be read, and are gone.
pub async fn tell_people(engine: &Engine, rows: &mut Vec<impl Row>) -> Result<u32, EngineError> {
    let works_at: Vec<_> = rows.iter_mut().map(|row| row.person()?.works_at()).collect();
    let companies: Vec<CompanyId> = works_at.iter().copied().flatten().collect();
    let employers = engine.employers_told(&companies).await?;
    let (found, mut works_at) = (rows.len(), works_at.into_iter());
    rows.retain_mut(|row| {
        let employer = works_at.next().flatten().and_then(|company| employers.get(&company));
        row.person().is_none_or(|person| person.tell(employer))
    });
    Ok(u32::try_from(found - rows.len()).unwrap_or(u32::MAX))
}

fn told(kept: &PersonText, employer: Option<&EmployerText>) -> serde_json::Result<Box<RawValue>> {
    let facts: Facts<'_> = serde_json::from_str(&kept.facts)?;
    let jobs: Vec<Job<'_>> = serde_json::from_str(&kept.experience)?;
    // An employer that does not read back must not take the person's record with it.
    let employer = employer.and_then(Employer::read);
    let provenance: Provenance = serde_json::from_str(&kept.provenance)?;
    to_raw_value(&Shown::of(kept, &facts, &jobs, employer.as_ref(), provenance))
}

/// As it is kept.
#[derive(Deserialize)]
struct Facts<'a> {
    #[serde(borrow)]
    full_name: Text<'a>,
    first_name: Option<Text<'a>>,
    last_name: Option<Text<'a>>,
    headline: Option<Text<'a>>,
    #[serde(default)]
    emails: Vec<Email<'a>>,
    #[serde(default)]
    phones: Vec<Phone<'a>>,
    network_url: Option<Text<'a>>,
    location: Option<Place<'a>>,
    #[serde(default)]
    education: Vec<School<'a>>,
    #[serde(default)]
    skills: Vec<Text<'a>>,
    #[serde(default)]
    languages: Vec<Text<'a>>,
    #[serde(default)]
    certifications: Vec<Text<'a>>,
    last_job_change_on: Option<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Email<'a> {
    #[serde(borrow)]
    address: Text<'a>,
    kind: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<Text<'a>>,
}

#[derive(Deserialize, Serialize)]
struct Phone<'a> {
    #[serde(borrow)]
    number: Text<'a>,
    #[serde(rename(serialize = "lineType"))]
    line: Text<'a>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct School<'a> {
    #[serde(borrow)]
    school: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    degree: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_year: Option<i32>,
}

/// With the short names that the store gives the members of a job.
#[derive(Deserialize)]
struct Job<'a> {
    #[serde(rename = "c")]
    company_id: Option<CompanyId>,
    #[serde(rename = "n", borrow)]
    company_name: Text<'a>,
    #[serde(rename = "t")]
    title: Text<'a>,
    #[serde(rename = "s")]
    seniority: Option<Text<'a>>,
    #[serde(rename = "d")]
    department: Option<Text<'a>>,
    #[serde(rename = "a")]
    started_on: Option<Text<'a>>,
    #[serde(rename = "z")]
    ended_on: Option<Text<'a>>,
}

/// What a person's record shows of a company.
#[derive(Deserialize)]
struct Card<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    domain: Option<Text<'a>>,
    network_url: Option<Text<'a>>,
    employee_count: Option<u32>,
    industry: Option<Text<'a>>,
}

struct Employer<'a> {
    id: CompanyId,
    card: Card<'a>,
}

impl<'a> Employer<'a> {
    fn read(kept: &'a EmployerText) -> Option<Self> {
        Some(Self { id: kept.id, card: serde_json::from_str(&kept.card).ok()? })
    }
}

/// As it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    #[serde(serialize_with = "as_text")]
    id: PersonId,
    full_name: &'a Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_name: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_name: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seniority: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    department: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email_verified: Option<bool>,
    emails: &'a [Email<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<&'a Text<'a>>,
    phones: &'a [Phone<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    network_url: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a Place<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company: Option<Firm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_on: Option<&'a Text<'a>>,
    experience: Vec<Experience<'a>>,
    education: &'a [School<'a>],
    skills: &'a [Text<'a>],
    languages: &'a [Text<'a>],
    certifications: &'a [Text<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    last_job_change_on: Option<&'a Text<'a>>,
    meta: MetaView,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Firm<'a> {
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "known_as_text")]
    id: Option<CompanyId>,
    name: &'a Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network_url: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    employee_count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    industry: Option<&'a Text<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Experience<'a> {
    title: &'a Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seniority: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    department: Option<&'a Text<'a>>,
    company: Firm<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_on: Option<&'a Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_on: Option<&'a Text<'a>>,
}

impl<'a> Shown<'a> {
    fn of(
        kept: &PersonText,
        facts: &'a Facts<'a>,
        jobs: &'a [Job<'a>],
        employer: Option<&'a Employer<'a>>,
        provenance: Provenance,
    ) -> Self {
        let current = jobs.iter().find(|job| job.ended_on.is_none());
        let best_email = facts.emails.first();
        let sources = SourcesView::new(provenance, Vec::new());
        let mut shown = Self {
            id: kept.id,
            full_name: &facts.full_name,
            first_name: facts.first_name.as_ref(),
            last_name: facts.last_name.as_ref(),
            headline: facts.headline.as_ref(),
            title: current.map(|job| &job.title),
            seniority: current.and_then(|job| job.seniority.as_ref()),
            department: current.and_then(|job| job.department.as_ref()),
            email: best_email.map(|known| &known.address),
            email_verified: best_email.map(Email::is_valid),
            emails: &facts.emails,
            phone: facts.phones.first().map(|known| &known.number),
            phones: &facts.phones,
            network_url: facts.network_url.as_ref(),
            location: facts.location.as_ref(),
            company: employer.map(Firm::of).or_else(|| current.map(|job| Firm::of_job(job, None))),
            started_on: current.and_then(|job| job.started_on.as_ref()),
            experience: jobs.iter().map(|job| Experience::of(job, employer)).collect(),
            education: &facts.education,
            skills: &facts.skills,
            languages: &facts.languages,
            certifications: &facts.certifications,
            last_job_change_on: facts.last_job_change_on.as_ref(),
            meta: MetaView {
                sources,
                refreshed_at: kept.refreshed_at,
                cached: false,
                cache_age_seconds: None,
            },
        };
        shown.meta.sources.set_fields(shown.sourced_fields());
        shown
    }

    fn sourced_fields(&self) -> Vec<&'static str> {
        sourced_fields([
            true,
            self.headline.is_some(),
            self.title.is_some(),
            self.email.is_some(),
            self.phone.is_some(),
            self.network_url.is_some(),
            self.location.is_some(),
            self.company.is_some(),
            !self.experience.is_empty(),
            !self.education.is_empty(),
            !self.skills.is_empty(),
            !self.languages.is_empty(),
            !self.certifications.is_empty(),
        ])
    }
}

impl Email<'_> {
    fn is_valid(&self) -> bool {
        self.status.as_ref().is_some_and(|Text(status)| status == EmailStatus::Valid.as_str())
    }
}

impl<'a> Firm<'a> {
    fn of(employer: &'a Employer<'a>) -> Self {
        let Employer { id, card } = employer;
        Self {
            id: Some(*id),
            name: &card.name,
            domain: card.domain.as_ref(),
            network_url: card.network_url.as_ref(),
            employee_count: card.employee_count,
            industry: card.industry.as_ref(),
        }
    }

    /// As the job tells it.
    fn of_job(job: &'a Job<'a>, known: Option<&'a Employer<'a>>) -> Self {
        Self {
            id: job.company_id,
            name: &job.company_name,
            domain: known.and_then(|employer| employer.card.domain.as_ref()),
            network_url: None,
            employee_count: None,
            industry: None,
        }
    }
}

impl<'a> Experience<'a> {
    fn of(job: &'a Job<'a>, employer: Option<&'a Employer<'a>>) -> Self {
        let known = employer.filter(|employer| Some(employer.id) == job.company_id);
        Self {
            title: &job.title,
            seniority: job.seniority.as_ref(),
            department: job.department.as_ref(),
            company: Firm::of_job(job, known),
            started_on: job.started_on.as_ref(),
            ended_on: job.ended_on.as_ref(),
        }
    }
}

fn as_text<S: Serializer>(id: &PersonId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

#[cfg(test)]
mod tests;
