//! Who has a say at a company: each part filled with whoever fits it first, and nobody in two parts.

use super::account::known_company;
use super::people::{find_people, has_one, works_at};
use crate::context::Context;
use crate::endpoint::{Outcome, Step, Trace};
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::view::terms;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::COMMITTEE_CANDIDATES_MIN;
use assay_domain::{Company, Domain, Person, PersonId};
use assay_engine::research::{Seat, Wanted};
use assay_index::{Clause, Term, Text};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Whom each part was filled with, in the order of the parts.
pub type Filled = Vec<(&'static str, Vec<Person>)>;

/// At most `per_seat` in each part, and `most` in all.
pub async fn fill_seats(
    context: &Context,
    company: &Company,
    seats: &[Seat],
    per_seat: usize,
    most: usize,
) -> Result<Filled, Fault> {
    let (mut seen, mut filled): (HashSet<PersonId>, Filled) = (HashSet::new(), Vec::new());
    for seat in seats {
        let mut sitting = Vec::new();
        for wanted in &seat.wanted {
            let free = per_seat.saturating_sub(sitting.len()).min(most.saturating_sub(seen.len()));
            if free == 0 {
                break;
            }
            // Some of them may sit already.
            let limit = free + seen.len() + COMMITTEE_CANDIDATES_MIN;
            let found = find_people(context, clauses(company, wanted), limit).await?;
            let is_new = |person: &Person| person.company.as_ref().is_some_and(|at| at.id == company.id);
            let found = found.into_iter().filter(is_new).filter(|person| seen.insert(person.id)).take(free);
            sitting.extend(found.collect::<Vec<_>>());
        }
        filled.push((seat.role, sitting));
    }
    Ok(filled)
}

fn clauses(company: &Company, wanted: &Wanted) -> Vec<Clause> {
    let words = wanted.words.iter().map(|word| Clause::Words(Text::Title, (*word).to_owned()));
    let words: Vec<Clause> = words.collect();
    let clauses = [
        Some(works_at(company)),
        has_one(Term::Department, &wanted.departments),
        has_one(Term::Seniority, &wanted.ranks),
        (!words.is_empty()).then_some(Clause::Any(words)),
    ];
    clauses.into_iter().flatten().collect()
}

/// Somebody in a committee.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Member")]
pub struct MemberView {
    pub id: String,
    pub full_name: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::seniorities()))]
    pub seniority: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::departments()))]
    pub department: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
}

impl From<Person> for MemberView {
    fn from(person: Person) -> Self {
        let job = person.current();
        Self {
            id: person.id.to_string(),
            title: job.map(|job| job.title.clone()).unwrap_or_default(),
            seniority: job.and_then(|job| job.seniority).map(|rank| rank.as_str()),
            department: job.and_then(|job| job.department).map(|department| department.as_str()),
            network_url: person.facts.network_url.as_ref().map(ToString::to_string),
            full_name: person.facts.full_name,
        }
    }
}

/// By their part.
pub type CommitteeView = BTreeMap<&'static str, Vec<MemberView>>;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Committee")]
pub struct CommitteeResponse {
    pub total_people: u32,
    /// People by their role.
    pub committee: CommitteeView,
    /// `credits` when there would have been more people if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
}

impl CommitteeResponse {
    pub fn of(committee: CommitteeView) -> Self {
        let people = committee.values().map(Vec::len).sum::<usize>();
        Self { total_people: u32::try_from(people).unwrap_or(u32::MAX), committee, truncated_by: None }
    }

    /// Every part, empty.
    pub fn nobody(seats: &[Seat]) -> Self {
        Self::of(seats.iter().map(|seat| (seat.role, Vec::new())).collect())
    }
}

pub fn per_role(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// The answer for a company: its committee, or empty parts where it is not known.
pub async fn committee(
    context: &Context,
    domain: &Domain,
    seats: &[Seat],
    per_seat: usize,
) -> Result<Outcome<CommitteeResponse>, Fault> {
    let watch = Stopwatch::start();
    let Some(company) = known_company(context, domain).await? else {
        return Ok(Outcome::nothing(CommitteeResponse::nobody(seats)));
    };
    let most = usize::try_from(context.units_affordable).unwrap_or(usize::MAX);
    // One more than can be paid for tells whether there would have been more; whoever is found last is left out again.
    let mut filled = fill_seats(context, &company, seats, per_seat, most.saturating_add(1)).await?;
    let is_short = filled.iter().map(|(_, people)| people.len()).sum::<usize>() > most;
    let last = filled.iter_mut().rev().find(|(_, people)| !people.is_empty());
    last.filter(|_| is_short).and_then(|(_, people)| people.pop());
    let people: Vec<PersonId> =
        filled.iter().flat_map(|(_, people)| people.iter().map(|person| person.id)).collect();
    let show = |(role, people): (&'static str, Vec<Person>)| {
        (role, people.into_iter().map(MemberView::from).collect())
    };
    let body = CommitteeResponse {
        truncated_by: is_short.then_some(TruncatedBy::Credits),
        ..CommitteeResponse::of(filled.into_iter().map(show).collect())
    };
    let steps =
        vec![Step::own("index", if people.is_empty() { "not_found" } else { "found" }, watch.elapsed())];
    let units = body.total_people;
    Ok(Outcome::found(body, units, Trace { steps, people, ..Trace::default() }))
}
