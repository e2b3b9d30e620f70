//! The jobs and schools of a person: lists of objects, whose columns are put together entry by entry.

use std::fmt;

use assay_domain::Domain;
use chrono::NaiveDate;

use crate::field::PersonField as Field;
use crate::limits::{SCHOOL_CHARS_MAX, TITLE_CHARS_MAX};
use crate::reading::{EntryKey, Reading, limited, read_name};

/// A job beside the current one. It has a title or a company.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EmploymentRow {
    pub title: Option<String>,
    pub company_name: Option<String>,
    pub company_domain: Option<Domain>,
    pub started_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
}

#[derive(Clone, Default, PartialEq, Eq)]
pub struct EducationRow {
    pub school: String,
    pub degree: Option<String>,
    pub field: Option<String>,
    pub started_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
}

impl fmt::Debug for EmploymentRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("EmploymentRow(…)")
    }
}

impl fmt::Debug for EducationRow {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("EducationRow(…)")
    }
}

/// What is known of the entries so far.
struct Entries<T>(Vec<(EntryKey, T)>);

impl<T: Default> Entries<T> {
    fn put<V>(&mut self, values: Vec<(EntryKey, V)>, put: impl Fn(&mut T, V)) {
        for (key, value) in values {
            match self.0.iter_mut().find(|(known, _)| *known == key) {
                Some((_, entry)) => put(entry, value),
                None => {
                    let mut entry = T::default();
                    put(&mut entry, value);
                    self.0.push((key, entry));
                }
            }
        }
    }

    /// In the order of the file, which is not that of the columns: the first of them may be empty in some entries.
    fn finish(mut self, is_kept: impl Fn(&T) -> bool) -> Vec<T> {
        self.0.sort_by_key(|(key, _)| *key);
        self.0.into_iter().map(|(_, entry)| entry).filter(is_kept).collect()
    }
}

pub(crate) struct History {
    employments: Entries<EmploymentRow>,
    education: Entries<EducationRow>,
}

impl Default for History {
    fn default() -> Self {
        Self { employments: Entries(Vec::new()), education: Entries(Vec::new()) }
    }
}

impl History {
    /// False for a field that is not its own.
    pub(crate) fn set(&mut self, field: Field, slots: &[usize], reading: &mut Reading<'_>) -> bool {
        let (jobs, schools) = (&mut self.employments, &mut self.education);
        match field {
            Field::EmploymentTitle => {
                let titles = reading.entries(slots, |text| limited(text, TITLE_CHARS_MAX));
                jobs.put(titles, |job, title| job.title = Some(title));
            }
            Field::EmploymentCompanyName => {
                let names = reading.entries(slots, read_name);
                jobs.put(names, |job, name| job.company_name = Some(name));
            }
            Field::EmploymentCompanyDomain => {
                let domains = reading.entries(slots, |text| Ok(Domain::parse(text)?));
                jobs.put(domains, |job, domain| job.company_domain = Some(domain));
            }
            Field::EmploymentStartedOn => {
                jobs.put(reading.entry_dates(slots), |job, day| job.started_on = Some(day));
            }
            Field::EmploymentEndedOn => {
                jobs.put(reading.entry_dates(slots), |job, day| job.ended_on = Some(day));
            }
            Field::EducationSchool => {
                let names = reading.entries(slots, |text| limited(text, SCHOOL_CHARS_MAX));
                schools.put(names, |entry, name| entry.school = name);
            }
            Field::EducationDegree => {
                let degrees = reading.entries(slots, |text| limited(text, SCHOOL_CHARS_MAX));
                schools.put(degrees, |entry, degree| entry.degree = Some(degree));
            }
            Field::EducationField => {
                let fields = reading.entries(slots, |text| limited(text, SCHOOL_CHARS_MAX));
                schools.put(fields, |entry, field| entry.field = Some(field));
            }
            Field::EducationStartedOn => {
                schools.put(reading.entry_dates(slots), |entry, day| entry.started_on = Some(day));
            }
            Field::EducationEndedOn => {
                schools.put(reading.entry_dates(slots), |entry, day| entry.ended_on = Some(day));
            }
            _ => return false,
        }
        true
    }

    /// Dates or a degree alone say nothing that could be kept.
    pub(crate) fn finish(self) -> (Vec<EmploymentRow>, Vec<EducationRow>) {
        let jobs = self.employments.finish(|job| job.title.is_some() || job.company_name.is_some());
        (jobs, self.education.finish(|entry| !entry.school.is_empty()))
    }
}
