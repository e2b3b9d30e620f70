//! Small businesses: who owns one, and how they can be reached.

use super::buyers::BuyerView;
use super::committee::fill_seats;
use super::contact::{Contact, contact};
use super::firms::{FirmRow, walk_firms};
use super::rows::{Failures, Rows};
use crate::context::Context;
use crate::endpoint::Outcome;
use crate::fault::Fault;
use crate::search::{Conditions, PageWish};
use crate::view::CompanyView;
use assay_domain::limits::SMALL_BUSINESS_EMPLOYEES_MAX;
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Company, Confidence, Person, PersonId};
use assay_engine::research::{Buyer, small_committee};
use assay_index::{Clause, Number};

/// A business whose owner can be reached.
#[derive(Debug)]
pub struct OwnedBusiness {
    pub company: Company,
    owner: Person,
    contact: Contact,
}

pub fn is_small(company: &Company) -> bool {
    company.facts.employee_count.is_some_and(|count| count <= SMALL_BUSINESS_EMPLOYEES_MAX)
}

/// Few work there.
fn only_small(conditions: &mut Conditions) {
    let most = i64::from(SMALL_BUSINESS_EMPLOYEES_MAX);
    conditions.all.push(Clause::Between(Number::EmployeeCount, Some(1), Some(most)));
}

/// Who owns it; nobody where that is not known.
pub async fn owner_of(context: &Context, company: &Company) -> Result<Option<Person>, Fault> {
    let mut seats = small_committee();
    seats.truncate(1);
    let filled = fill_seats(context, company, &seats, 1, 1).await?;
    Ok(filled.into_iter().flat_map(|(_, people)| people).next())
}

/// With a way to reach its owner; none where there is none.
pub async fn reach_owner(
    context: &Context,
    failures: &Failures,
    company: Company,
    owner: Person,
) -> Result<Option<OwnedBusiness>, Fault> {
    let contact = contact(context, &owner).await?;
    failures.note(&contact.failed_parts);
    Ok(contact.is_enough().then_some(OwnedBusiness { company, owner, contact }))
}

impl FirmRow for OwnedBusiness {
    type Sieve = Failures;
    type Draft = (Company, Person);

    async fn draft(
        context: &Context,
        _: &Failures,
        company: Company,
    ) -> Result<Option<(Company, Person)>, Fault> {
        Ok(owner_of(context, &company).await?.map(|owner| (company, owner)))
    }

    async fn complete(
        context: &Context,
        failures: &Failures,
        (company, owner): (Company, Person),
    ) -> Result<Option<Self>, Fault> {
        reach_owner(context, failures, company, owner).await
    }
}

/// A page of the small businesses that meet the conditions.
pub async fn small_businesses<T: From<OwnedParts>>(
    context: &Context,
    mut conditions: Conditions,
    page: &PageWish,
) -> Result<Outcome<Rows<T>>, Fault> {
    only_small(&mut conditions);
    let failures = Failures::default();
    let found = walk_firms::<OwnedBusiness>(context, &conditions, page, &failures).await?;
    found.outcome(&failures, |row| Some(row.owner_id()), |row| row.show().into())
}

/// What of it is shown: the business, its owner, their phone and their address.
pub type OwnedParts = (CompanyView, BuyerView, Option<String>, Option<String>);

impl OwnedBusiness {
    pub fn owner_id(&self) -> PersonId {
        self.owner.id
    }

    pub fn show(self) -> OwnedParts {
        let Self { company, owner, contact } = self;
        let job = owner.current();
        let (seniority, department) = (job.and_then(|job| job.seniority), job.and_then(|job| job.department));
        let seniority = seniority.unwrap_or(Seniority::Owner);
        let owner = Buyer {
            title: job.map(|job| job.title.clone()).unwrap_or_default(),
            seniority,
            department: department.unwrap_or(Department::Executive),
            score: Confidence::percent(if seniority == Seniority::Owner { 100 } else { 85 }),
            reasons: vec![format!("has the rank {seniority} there")],
            person: owner,
        };
        let owner = BuyerView::new(owner, &company);
        (company.into(), owner, contact.phone, contact.email)
    }
}

/// Of the worked examples.
pub fn example() -> OwnedParts {
    let email = Some("ada.okafor@northwind-robotics.example".to_owned());
    (crate::example::company().into(), BuyerView::example(), Some("+12025550123".to_owned()), email)
}
