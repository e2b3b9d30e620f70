//! Who worked with somebody, at the same company at the same time.

use super::people::find_people;
use crate::context::Context;
use crate::fault::Fault;
use assay_domain::limits::{COWORKERS_READ_MAX, COWORKERS_SHOWN_MAX};
use assay_domain::{CompanyId, Person};
use assay_engine::research::{Overlap, overlaps};
use assay_index::{Clause, Term};
use std::collections::BTreeSet;

/// Somebody, and the longest time they had in common with another.
#[derive(Debug)]
pub struct Coworker {
    pub person: Person,
    pub overlap: Overlap,
}

/// Who was longest with them first.
pub async fn coworkers(context: &Context, person: &Person) -> Result<Vec<Coworker>, Fault> {
    let companies: BTreeSet<CompanyId> = person.experience.iter().filter_map(|job| job.company_id).collect();
    let ids: Vec<String> = companies.iter().map(|id| id.uuid().to_string()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let was_there = Clause::OneOf(Term::FormerEmployer, ids.clone());
    let is_there = Clause::OneOf(Term::Employer, ids);
    let found =
        find_people(context, vec![Clause::Any(vec![was_there, is_there])], COWORKERS_READ_MAX).await?;
    let today = context.now.date_naive();
    let together = |other: Person| {
        let longest = overlaps(person, &other, today).into_iter().next()?;
        Some(Coworker { person: other, overlap: longest })
    };
    let others = found.into_iter().filter(|other| other.id != person.id);
    let mut coworkers: Vec<Coworker> = others.filter_map(together).collect();
    coworkers.sort_by_key(|one| (std::cmp::Reverse(one.overlap.months), one.person.id));
    coworkers.truncate(COWORKERS_SHOWN_MAX);
    Ok(coworkers)
}
