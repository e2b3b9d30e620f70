//! People by conditions, as the node's index finds them and the graph shows them.

use crate::context::Context;
use crate::fault::Fault;
use assay_domain::taxonomy::Seniority;
use assay_domain::{Company, Person, PersonId};
use assay_index::{Asker, Clause, Page, Question, Term};
use assay_replica::Side;
use std::sync::Arc;

/// The ranks of those who lead, the highest first.
const LEADERS: [&[Seniority]; 2] = [
    &[Seniority::Owner, Seniority::Founder, Seniority::CSuite, Seniority::Partner],
    &[Seniority::Vp, Seniority::Head],
];

/// Those who meet all of these, who is known best first; at most `limit`.
pub async fn find_people(context: &Context, all: Vec<Clause>, limit: usize) -> Result<Vec<Person>, Fault> {
    let account = context.memory.account();
    let (indexes, _) = context.replica.newest()?;
    let question = Question { all, none: Vec::new(), asker: Asker::Account(account.uuid()) };
    let page = Page { after: None, limit, count_to: 0, unchanged_since: None };
    let hits = indexes.search(Side::People, &Arc::new(question), page).await?;
    let ids: Vec<PersonId> = hits.rows.iter().map(|place| PersonId::from_uuid(place.id)).collect();
    Ok(context.engine.people_seen_by(account, &ids).await?)
}

/// Works at this company now.
pub fn works_at(company: &Company) -> Clause {
    Clause::OneOf(Term::Employer, vec![company.id.uuid().to_string()])
}

/// Has one of these terms; every one will do where none is named.
pub fn has_one<T: Copy + Into<&'static str>>(term: Term, values: &[T]) -> Option<Clause> {
    let values: Vec<String> =
        values.iter().map(|value| Into::<&'static str>::into(*value).to_owned()).collect();
    (!values.is_empty()).then_some(Clause::OneOf(term, values))
}

/// Who leads a company, the highest first.
pub async fn leaders(context: &Context, company: &Company, most: usize) -> Result<Vec<Person>, Fault> {
    let mut leaders = Vec::new();
    for ranks in LEADERS {
        let wanted =
            [Some(works_at(company)), has_one(Term::Seniority, ranks)].into_iter().flatten().collect();
        leaders.extend(find_people(context, wanted, most).await?);
    }
    leaders.truncate(most);
    Ok(leaders)
}

/// Who works beside somebody: at the same company, of the same rank first, and of the same department before others.
pub async fn peers(context: &Context, person: &Person, most: usize) -> Result<Vec<Person>, Fault> {
    let Some(employer) = &person.company else { return Ok(Vec::new()) };
    let colleagues = Clause::OneOf(Term::Employer, vec![employer.id.uuid().to_string()]);
    let job = person.current();
    let beside = job.and_then(|job| job.department).and_then(|it| has_one(Term::Department, &[it]));
    let alike = job.and_then(|job| job.seniority).and_then(|it| has_one(Term::Seniority, &[it]));
    let mut found: Vec<Person> = Vec::new();
    for also in [vec![&alike, &beside], vec![&alike], vec![&beside], Vec::new()] {
        if also.iter().any(|clause| clause.is_none()) {
            continue;
        }
        let also = also.into_iter().flatten().cloned();
        let wanted = std::iter::once(colleagues.clone()).chain(also).collect();
        let more = find_people(context, wanted, 2 * most + 1).await?;
        let is_new = |one: &Person| one.id != person.id && found.iter().all(|known| known.id != one.id);
        let more: Vec<Person> = more.into_iter().filter(is_new).collect();
        found.extend(more);
        if found.len() >= most {
            break;
        }
    }
    found.truncate(most);
    Ok(found)
}
