//! A person as users see one. Unknown attributes are left out; lists are always there.

use super::meta::{MetaView, SourcesView};
use super::terms;
use assay_domain::Person;
use assay_domain::person::{
    Education, EmailKind, Employer, Employment, KnownEmail, KnownPhone, LineType, Location,
};
use assay_domain::taxonomy::EmailStatus;
use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Person")]
pub struct PersonView {
    pub id: String,
    pub full_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::seniorities()))]
    pub seniority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::departments()))]
    pub department: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    pub emails: Vec<EmailView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    pub phones: Vec<PhoneView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<LocationView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<EmployerView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<NaiveDate>,
    pub experience: Vec<ExperienceView>,
    pub education: Vec<EducationView>,
    pub skills: Vec<String>,
    pub languages: Vec<String>,
    pub certifications: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_job_change_on: Option<NaiveDate>,
    pub meta: MetaView,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PersonEmail")]
pub struct EmailView {
    pub address: String,
    #[schemars(extend("enum" = ["business", "personal"]))]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::email_statuses()))]
    pub status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PersonPhone")]
pub struct PhoneView {
    pub number: String,
    #[schemars(extend("enum" = ["mobile", "landline", "voip", "unknown"]))]
    pub line_type: &'static str,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Location")]
pub struct LocationView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// The company a person works for, as far as their own record shows it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PersonCompany")]
pub struct EmployerView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub industry: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Experience")]
pub struct ExperienceView {
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::seniorities()))]
    pub seniority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::departments()))]
    pub department: Option<&'static str>,
    pub company: EmployerView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_on: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_on: Option<NaiveDate>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Education")]
pub struct EducationView {
    pub school: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_year: Option<i32>,
}

impl PersonView {
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

/// The fields whose sources are told, in the order they are shown.
const SOURCED_FIELDS: [&str; 13] = [
    "fullName",
    "headline",
    "title",
    "email",
    "phone",
    "networkUrl",
    "location",
    "company",
    "experience",
    "education",
    "skills",
    "languages",
    "certifications",
];

/// Those of them that a record has.
pub(super) fn sourced_fields(has: [bool; SOURCED_FIELDS.len()]) -> Vec<&'static str> {
    SOURCED_FIELDS.into_iter().zip(has).filter_map(|(field, has)| has.then_some(field)).collect()
}

impl From<Person> for PersonView {
    fn from(person: Person) -> Self {
        let current = person.current().cloned();
        let employer = person.company.clone().map(EmployerView::from);
        let best_email = person.facts.emails.first();
        let email = best_email.map(|known| known.address.to_string());
        let email_verified = best_email.map(|known| known.status == Some(EmailStatus::Valid));
        let phone = person.facts.phones.first().map(|known| known.number.to_string());
        let facts = person.facts;
        let mut view = Self {
            id: person.id.to_string(),
            full_name: facts.full_name,
            first_name: facts.first_name,
            last_name: facts.last_name,
            headline: facts.headline,
            title: current.as_ref().map(|job| job.title.clone()),
            seniority: current.as_ref().and_then(|job| job.seniority).map(|value| value.as_str()),
            department: current.as_ref().and_then(|job| job.department).map(|value| value.as_str()),
            email,
            email_verified,
            emails: facts.emails.into_iter().map(EmailView::from).collect(),
            phone,
            phones: facts.phones.into_iter().map(PhoneView::from).collect(),
            network_url: facts.network_url.map(|url| url.to_string()),
            location: facts.location.map(LocationView::from),
            company: employer.or_else(|| current.as_ref().map(|job| employer_of(job, None))),
            started_on: current.as_ref().and_then(|job| job.started_on),
            experience: person
                .experience
                .into_iter()
                .map(|job| experience(job, person.company.as_ref()))
                .collect(),
            education: facts.education.into_iter().map(EducationView::from).collect(),
            skills: facts.skills,
            languages: facts.languages,
            certifications: facts.certifications,
            last_job_change_on: facts.last_job_change_on,
            meta: MetaView {
                sources: SourcesView::new(person.provenance, Vec::new()),
                refreshed_at: person.refreshed_at,
                cached: false,
                cache_age_seconds: None,
            },
        };
        view.meta.sources.set_fields(view.sourced_fields());
        view
    }
}

fn experience(job: Employment, employer: Option<&Employer>) -> ExperienceView {
    let known = employer.filter(|employer| Some(employer.id) == job.company_id);
    let company = employer_of(&job, known);
    ExperienceView {
        seniority: job.seniority.map(|value| value.as_str()),
        department: job.department.map(|value| value.as_str()),
        company,
        title: job.title,
        started_on: job.started_on,
        ended_on: job.ended_on,
    }
}

fn employer_of(job: &Employment, known: Option<&Employer>) -> EmployerView {
    EmployerView {
        id: job.company_id.map(|id| id.to_string()),
        name: job.company_name.clone(),
        domain: known.and_then(|employer| employer.domain.as_ref()).map(ToString::to_string),
        network_url: None,
        employee_count: None,
        industry: None,
    }
}

impl From<Employer> for EmployerView {
    fn from(employer: Employer) -> Self {
        Self {
            id: Some(employer.id.to_string()),
            name: employer.name,
            domain: employer.domain.map(|domain| domain.to_string()),
            network_url: employer.network_url.map(|url| url.to_string()),
            employee_count: employer.employee_count,
            industry: employer.industry.map(|industry| industry.as_str()),
        }
    }
}

impl From<KnownEmail> for EmailView {
    fn from(known: KnownEmail) -> Self {
        let kind = match known.kind {
            EmailKind::Business => "business",
            EmailKind::Personal => "personal",
        };
        let status = known.status.map(|status| status.as_str());
        Self { address: known.address.to_string(), kind, status, verified_at: known.verified_at }
    }
}

impl From<KnownPhone> for PhoneView {
    fn from(known: KnownPhone) -> Self {
        let line_type = match known.line {
            LineType::Mobile => "mobile",
            LineType::Landline => "landline",
            LineType::Voip => "voip",
            LineType::Unknown => "unknown",
        };
        Self { number: known.number.to_string(), line_type }
    }
}

impl From<Location> for LocationView {
    fn from(location: Location) -> Self {
        Self { city: location.city, region: location.region, country: location.country }
    }
}

impl From<Education> for EducationView {
    fn from(education: Education) -> Self {
        let Education { school, degree, field, ended_year } = education;
        Self { school, degree, field, ended_year }
    }
}
