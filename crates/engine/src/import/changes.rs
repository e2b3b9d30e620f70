//! What two snapshots of one source show of somebody's work: a new employer, a step up, or that they left.

use super::employers::{Employers, Meant};
use super::fuse::Testimony;
use super::record::{Imported, PersonRecord, RecordJob};
use assay_domain::PersonId;
use assay_domain::name::{fold_company, fold_text};
use assay_domain::title::read_title;
use assay_store::graph::{EmploymentChange, EmploymentChangeKind, WorkSide};
use chrono::NaiveDate;

/// A change, before it is known whose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorkChange {
    pub(super) kind: EmploymentChangeKind,
    from: WorkSide,
    to: WorkSide,
    observed_on: NaiveDate,
}

impl WorkChange {
    pub(super) fn of(self, person: PersonId, source: i16) -> EmploymentChange {
        EmploymentChange {
            person,
            kind: self.kind,
            source,
            from: self.from,
            to: self.to,
            observed_on: self.observed_on,
        }
    }
}

impl Imported {
    pub(super) fn count(&mut self, kind: EmploymentChangeKind) {
        match kind {
            EmploymentChangeKind::JobChange => self.job_changes += 1,
            EmploymentChangeKind::Promotion => self.promotions += 1,
            EmploymentChangeKind::Departure => self.departures += 1,
        }
    }
}

/// A snapshot that is older than the last one tells nothing new.
pub(super) fn employment_changes(
    before: &PersonRecord,
    now: &Testimony,
    employers: &Employers,
) -> Vec<WorkChange> {
    if now.record.observed_on < before.observed_on {
        return Vec::new();
    }
    let change = |kind, from: &RecordJob, to: Option<&RecordJob>| WorkChange {
        kind,
        from: side(from, &employers.of(from)),
        to: to.map(|job| side(job, &employers.of(job))).unwrap_or_default(),
        observed_on: now.record.observed_on,
    };
    let Some(old) = present(before) else { return Vec::new() };
    let Some(new) = present(&now.record) else {
        // Without any job the source merely no longer says.
        let has_left = !now.record.jobs.is_empty();
        return has_left.then(|| change(EmploymentChangeKind::Departure, old, None)).into_iter().collect();
    };
    if !is_same_company(old, new, employers) {
        return vec![change(EmploymentChangeKind::JobChange, old, Some(new))];
    }
    let is_step_up = is_step_up(old, new);
    is_step_up.then(|| change(EmploymentChangeKind::Promotion, old, Some(new))).into_iter().collect()
}

fn present(record: &PersonRecord) -> Option<&RecordJob> {
    record.jobs.iter().find(|job| job.ended_on.is_none())
}

fn side(job: &RecordJob, meant: &Meant) -> WorkSide {
    (meant.company.as_ref().map(|company| company.id), job.company_name.clone(), job.title.clone())
}

/// By the company where both are known, by the site or the name otherwise: a name written in another way is no new job.
fn is_same_company(old: &RecordJob, new: &RecordJob, employers: &Employers) -> bool {
    if let (Some(one), Some(other)) = (employers.of(old).company, employers.of(new).company) {
        return one.id == other.id;
    }
    if let (Some(one), Some(other)) = (&old.company_domain, &new.company_domain) {
        return one == other;
    }
    match (&old.company_name, &new.company_name) {
        (Some(one), Some(other)) => fold_company(one) == fold_company(other),
        // One of them does not say where.
        _ => true,
    }
}

fn is_step_up(old: &RecordJob, new: &RecordJob) -> bool {
    let (Some(one), Some(other)) = (&old.title, &new.title) else { return false };
    // The highest come first in their order.
    fold_text(one) != fold_text(other) && read_title(other).seniority < read_title(one).seniority
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::person::PersonFacts;

    fn record(day: u32, jobs: &[(&str, &str, bool)]) -> PersonRecord {
        let facts: PersonFacts = serde_json::from_str(r#"{"full_name":"Ada Example"}"#).unwrap();
        let date = |day| NaiveDate::from_ymd_opt(2026, 5, day).unwrap();
        let jobs = jobs.iter().map(|(company, title, is_over)| RecordJob {
            company_name: Some((*company).to_owned()),
            title: Some((*title).to_owned()),
            ended_on: is_over.then(|| date(1)),
            ..RecordJob::default()
        });
        PersonRecord { reference: "1".into(), facts, jobs: jobs.collect(), observed_on: date(day) }
    }

    fn kinds(before: &PersonRecord, now: PersonRecord) -> Vec<EmploymentChangeKind> {
        let now = Testimony {
            source: "file".into(),
            first_seen: now.observed_on,
            last_seen: now.observed_on,
            retention_days: None,
            confidence_percent: 95,
            companies: Vec::new(),
            record: now,
        };
        employment_changes(before, &now, &Employers::default())
            .into_iter()
            .map(|change| change.kind)
            .collect()
    }

    #[test]
    fn snapshots_show_job_changes_promotions_and_departures() {
        use EmploymentChangeKind::{Departure, JobChange, Promotion};
        let before = record(2, &[("Northwind GmbH", "Engineer", false)]);
        assert_eq!(kinds(&before, record(3, &[("Contoso", "Engineer", false)])), [JobChange]);
        assert_eq!(
            kinds(&before, record(3, &[("Northwind", "Director of Engineering", false)])),
            [Promotion]
        );
        assert_eq!(kinds(&before, record(3, &[("Northwind", "Engineer", true)])), [Departure]);
        assert_eq!(kinds(&before, record(3, &[("northwind", "engineer", false)])), []);
        assert_eq!(kinds(&before, record(3, &[])), []);
        assert_eq!(kinds(&before, record(1, &[("Contoso", "Engineer", false)])), [], "an older snapshot");
    }
}
