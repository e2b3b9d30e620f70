//! Who worked at the same company at the same time.

use assay_domain::person::Employment;
use assay_domain::{CompanyId, Person};
use chrono::{Datelike, NaiveDate};

/// A time two people had in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    pub company: CompanyId,
    pub company_name: String,
    pub from: NaiveDate,
    /// None where both are still there.
    pub to: Option<NaiveDate>,
    /// Whole months, one at least.
    pub months: u32,
}

/// Where two people worked together, the longest first. A job whose beginning nobody tells is with nobody.
pub fn overlaps(one: &Person, other: &Person, today: NaiveDate) -> Vec<Overlap> {
    let mut all: Vec<Overlap> = one
        .experience
        .iter()
        .flat_map(|job| other.experience.iter().filter_map(move |theirs| overlap(job, theirs, today)))
        .collect();
    all.sort_by(|a, b| {
        b.months.cmp(&a.months).then_with(|| a.company.cmp(&b.company)).then_with(|| a.from.cmp(&b.from))
    });
    let mut seen = Vec::new();
    all.retain(|overlap| {
        let is_new = !seen.contains(&overlap.company);
        seen.push(overlap.company);
        is_new
    });
    all
}

fn overlap(one: &Employment, other: &Employment, today: NaiveDate) -> Option<Overlap> {
    let company = one.company_id.filter(|company| other.company_id == Some(*company))?;
    let from = one.started_on?.max(other.started_on?);
    let to = match (one.ended_on, other.ended_on) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (end, other) => end.or(other),
    };
    let until = to.unwrap_or(today);
    let months = (until.year() - from.year()) * 12 + i32::try_from(until.month0()).ok()?
        - i32::try_from(from.month0()).ok()?;
    // Who leaves on the day the other comes never met them.
    let months = u32::try_from(months).ok().filter(|_| until > from)?.max(1);
    Some(Overlap { company, company_name: one.company_name.clone(), from, to, months })
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn job(company: u128, from: Option<&str>, to: Option<&str>) -> Employment {
        Employment {
            company_id: Some(CompanyId::from_uuid(Uuid::from_u128(company))),
            company_name: format!("Company {company}"),
            title: "Engineer".to_owned(),
            seniority: None,
            department: None,
            started_on: from.map(day),
            ended_on: to.map(day),
        }
    }

    #[test]
    fn two_who_were_there_at_once_worked_together() {
        let today = day("2026-11-01");
        let both =
            |a: &Employment, b: &Employment| overlap(a, b, today).map(|it| (it.from, it.to, it.months));
        let first = job(1, Some("2020-01-01"), Some("2022-06-01"));
        assert_eq!(
            both(&first, &job(1, Some("2021-06-01"), None)),
            Some((day("2021-06-01"), Some(day("2022-06-01")), 12))
        );
        assert_eq!(both(&first, &job(2, Some("2021-06-01"), None)), None);
        assert_eq!(both(&first, &job(1, Some("2022-06-01"), None)), None);
        assert_eq!(both(&first, &job(1, None, None)), None);
        let open = job(1, Some("2026-10-20"), None);
        assert_eq!(both(&open, &open), Some((day("2026-10-20"), None, 1)));
    }
}
