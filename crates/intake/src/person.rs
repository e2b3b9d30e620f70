//! A person as one row of a file tells.

use std::fmt;

use assay_domain::network_url::NetworkUrlKind;
use assay_domain::person::EmailKind;
use assay_domain::{Domain, Email, NetworkUrl, Phone};
use chrono::NaiveDate;

use crate::external_ref;
use crate::field::PersonField as Field;
use crate::history::{EducationRow, EmploymentRow, History};
use crate::limits::{
    DESCRIPTION_CHARS_MAX, EXTERNAL_REF_CHARS_MAX, HEADLINE_CHARS_MAX, LANGUAGES_MAX, NAME_CHARS_MAX,
    PLACE_CHARS_MAX, TITLE_CHARS_MAX,
};
use crate::note::Reason;
use crate::reading::{Reading, limited};
use crate::text::fold;
use crate::value::country::CountryCode;
use crate::value::language::LanguageCode;

/// What a row says about a person. It has a name, or an identifier: an email, a phone or a network url.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PersonRow {
    /// What the file calls the row, else made from what it says: the same for the same person in the next file.
    pub external_ref: String,
    /// As the file has it, else first, middle and last name joined.
    pub full_name: Option<String>,
    pub first_name: Option<String>,
    pub middle_name: Option<String>,
    pub last_name: Option<String>,
    pub headline: Option<String>,
    pub summary: Option<String>,
    /// Those for work first, then private ones, then those of which neither is known; each once.
    pub emails: Vec<EmailRow>,
    pub phones: Vec<Phone>,
    pub network_url: Option<NetworkUrl>,
    /// The current job: what its own columns say, else the first of the employments that has not ended.
    pub title: Option<String>,
    pub company_name: Option<String>,
    pub company_domain: Option<Domain>,
    pub company_network_url: Option<NetworkUrl>,
    pub started_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
    /// The other jobs, in the order of the file.
    pub employments: Vec<EmploymentRow>,
    pub education: Vec<EducationRow>,
    pub city: Option<String>,
    pub region: Option<String>,
    pub country: Option<CountryCode>,
    pub skills: Vec<String>,
    pub languages: Vec<LanguageCode>,
    pub certifications: Vec<String>,
    /// When the file's owner last looked at the person.
    pub observed_on: Option<NaiveDate>,
}

/// An address, and what it is for if the file says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailRow {
    pub address: Email,
    pub kind: Option<EmailKind>,
}

/// Debug output may reach a log, and every fact here is personal.
impl fmt::Debug for PersonRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PersonRow(…)")
    }
}

const NOBODY: Reason = Reason::Plain("names nobody: give it a name, an email, a phone or a network url");

impl PersonRow {
    /// `plan` is the fields in their order, each with the slots of its columns.
    pub(crate) fn read(plan: &[(Field, Vec<usize>)], reading: &mut Reading<'_>) -> Result<Self, Reason> {
        let mut row = Self::default();
        let mut history = History::default();
        for (field, slots) in plan {
            if !history.set(*field, slots, reading) {
                row.set(*field, slots, reading);
            }
        }
        row.country = row.country.or(reading.settings.country_default);
        row.full_name = row.full_name.take().or_else(|| row.joined_name());
        if !row.names_somebody() {
            return Err(NOBODY);
        }
        let (employments, education) = history.finish();
        row.education = education;
        row.settle_jobs(employments);
        if row.external_ref.is_empty() {
            row.external_ref = external_ref::of_person(&row);
        }
        Ok(row)
    }

    fn set(&mut self, field: Field, slots: &[usize], reading: &mut Reading<'_>) {
        match field {
            Field::ExternalRef => {
                self.external_ref = reading.text(slots, EXTERNAL_REF_CHARS_MAX).unwrap_or_default();
            }
            Field::FullName => self.full_name = reading.name(slots),
            Field::FirstName => self.first_name = reading.name(slots),
            Field::MiddleName => self.middle_name = reading.name(slots),
            Field::LastName => self.last_name = reading.name(slots),
            Field::Headline => self.headline = reading.text(slots, HEADLINE_CHARS_MAX),
            Field::Summary => self.summary = reading.text(slots, DESCRIPTION_CHARS_MAX),
            Field::Title => self.title = reading.text(slots, TITLE_CHARS_MAX),
            Field::CompanyName => self.company_name = reading.name(slots),
            Field::CompanyDomain => self.company_domain = reading.domain(slots, &self.emails),
            Field::CompanyNetworkUrl => {
                self.company_network_url = reading.network_url(slots, NetworkUrlKind::Company);
            }
            Field::Location => {
                let place = reading.place(slots);
                (self.city, self.region, self.country) = (place.city, place.region, place.country);
            }
            Field::City => self.city = reading.text(slots, PLACE_CHARS_MAX).or(self.city.take()),
            Field::Region => self.region = reading.text(slots, PLACE_CHARS_MAX).or(self.region.take()),
            Field::Country => self.country = reading.country(slots).or(self.country),
            Field::WorkEmails => reading.emails(slots, Some(EmailKind::Business), &mut self.emails),
            Field::PersonalEmails => reading.emails(slots, Some(EmailKind::Personal), &mut self.emails),
            Field::Emails => reading.emails(slots, None, &mut self.emails),
            Field::Phones => self.phones = reading.phones(slots, self.country),
            Field::NetworkUrl => self.network_url = reading.network_url(slots, NetworkUrlKind::Person),
            Field::StartedOn => self.started_on = reading.date(slots),
            Field::EndedOn => self.ended_on = reading.date(slots),
            Field::Skills => self.skills = reading.terms(slots),
            Field::Languages => self.languages = reading.all(slots, LANGUAGES_MAX, LanguageCode::parse),
            Field::Certifications => self.certifications = reading.terms(slots),
            Field::ObservedOn => self.observed_on = reading.date(slots),
            // The history's, which has taken them.
            Field::EmploymentTitle
            | Field::EmploymentCompanyName
            | Field::EmploymentCompanyDomain
            | Field::EmploymentStartedOn
            | Field::EmploymentEndedOn
            | Field::EducationSchool
            | Field::EducationDegree
            | Field::EducationField
            | Field::EducationStartedOn
            | Field::EducationEndedOn => {}
        }
    }

    fn joined_name(&self) -> Option<String> {
        let parts = [&self.first_name, &self.middle_name, &self.last_name];
        let joined = parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
        limited(&joined, NAME_CHARS_MAX).ok().filter(|name| !name.is_empty())
    }

    fn names_somebody(&self) -> bool {
        self.full_name.is_some()
            || !self.emails.is_empty()
            || !self.phones.is_empty()
            || self.network_url.is_some()
    }

    /// A list of jobs mostly holds the current one too, whose own columns may say less of it.
    fn settle_jobs(&mut self, mut jobs: Vec<EmploymentRow>) {
        let has_job = self.title.is_some() || self.company_name.is_some();
        let is_current = |job: &EmploymentRow| job.ended_on.is_none() && (!has_job || self.is_same_job(job));
        if let Some(at) = jobs.iter().position(is_current) {
            let job = jobs.remove(at);
            self.title = self.title.take().or(job.title);
            self.company_name = self.company_name.take().or(job.company_name);
            self.company_domain = self.company_domain.take().or(job.company_domain);
            self.started_on = self.started_on.or(job.started_on);
        }
        self.employments = jobs;
    }

    /// They agree in what both say, and both say something.
    fn is_same_job(&self, job: &EmploymentRow) -> bool {
        let same = |own: &Option<String>, its: &Option<String>| {
            own.as_deref().zip(its.as_deref()).map(|(own, its)| fold(own) == fold(its))
        };
        let agreements = [same(&self.title, &job.title), same(&self.company_name, &job.company_name)];
        agreements.contains(&Some(true)) && !agreements.contains(&Some(false))
    }
}
