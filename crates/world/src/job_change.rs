//! Who changed jobs lately: the newest step of careers, as an event.

use assay_domain::person::Employment;
use chrono::NaiveDate;

use crate::career::{Career, career};
use crate::firm::{Base, Brand};
use crate::staff::Staff;

/// A step in somebody's career near the day on which the world is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// The index of the person.
    pub person: u64,
    pub kind: JobChangeKind,
    /// The job before; nothing when the new one is the first that is known.
    pub from: Option<Employment>,
    /// The job after; nothing when somebody left without one.
    pub to: Option<Employment>,
    pub on: NaiveDate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobChangeKind {
    NewCompany,
    /// A higher rank at the same company.
    Promotion,
    /// Another title of the same rank at the same company.
    NewRole,
    /// Left a company; the next job came weeks or months later and is a change of its own.
    Left,
}

impl JobChangeKind {
    pub const ALL: &[Self] = &[Self::NewCompany, Self::Promotion, Self::NewRole, Self::Left];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NewCompany => "new_company",
            Self::Promotion => "promotion",
            Self::NewRole => "new_role",
            Self::Left => "left",
        }
    }
}

/// The change at a place among those of a company: the newcomers in order, then what those after a break left.
pub(crate) fn job_change(base: &Base, company: u64, place: u64) -> Option<JobChange> {
    let firm = base.firm(company);
    let staff = Staff::new(base, &firm);
    let brand = base.brand(&firm);
    match place.checked_sub(staff.intake.newcomers) {
        None => arrival(&staff, &brand, staff.intake.position(place)).map(|(change, _)| change),
        Some(leaver) => departure(&staff, &brand, staff.intake.position(leaver)),
    }
}

/// The present job of somebody new in it, as a change, and the career it is from.
pub(crate) fn arrival(staff: &Staff<'_>, brand: &Brand, position: u64) -> Option<(JobChange, Career)> {
    let career = career_at(staff, brand, position);
    let to = career.jobs.first()?;
    let from = career.jobs.get(1);
    let same_company = from.filter(|from| from.company_id == to.company_id);
    let kind = match same_company {
        None => JobChangeKind::NewCompany,
        Some(from) if from.seniority > to.seniority => JobChangeKind::Promotion,
        Some(_) => JobChangeKind::NewRole,
    };
    let change = JobChange {
        person: staff.who(position),
        kind,
        from: from.cloned(),
        to: Some(to.clone()),
        on: career.started_on,
    };
    Some((change, career))
}

fn departure(staff: &Staff<'_>, brand: &Brand, position: u64) -> Option<JobChange> {
    let career = career_at(staff, brand, position);
    let from = career.jobs.get(1);
    let on = from.and_then(|job| job.ended_on).or_else(|| career.started_on.pred_opt())?;
    let kind = JobChangeKind::Left;
    Some(JobChange { person: staff.who(position), kind, from: from.cloned(), to: None, on })
}

fn career_at(staff: &Staff<'_>, brand: &Brand, position: u64) -> Career {
    let role = staff.role(position);
    career(staff, brand, position, role, staff.span(position, role))
}
