//! What both questions for people who changed jobs have in common: which changes are meant, and who is behind them.

use super::recent::{Row, Since, WalkWish, Window};
use crate::context::Context;
use crate::fault::Fault;
use crate::search::clauses::domains;
use crate::search::values::{DomainText, OneValue, TwoLetters, Values};
use assay_domain::signal::{Content, Move, MoveKind};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Person, PersonId, Signal, SignalKind};
use assay_engine::signals::{Part, RecentFilter, rank_of};
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// The fields of a request.
#[derive(Debug, Serialize)]
pub struct MoveFilters {
    pub seniority: Option<Values<Seniority>>,
    pub department: Option<Values<Department>>,
    pub country: Option<Values<TwoLetters>>,
    pub company_domain: Option<Values<DomainText>>,
}

/// Which of them, and which page.
#[derive(Debug)]
pub struct PageFields {
    pub days: Option<u32>,
    pub since: Option<OneValue<Since>>,
    pub limit: Option<u32>,
    pub cursor: Option<String>,
}

#[derive(Debug)]
pub struct MovesQuestion {
    pub wish: WalkWish,
    pub sieve: MoveSieve,
    filter: RecentFilter,
}

impl MovesQuestion {
    pub fn read(name: &str, part: Part, asked: MoveFilters, page: PageFields) -> Result<Self, Fault> {
        let window = Window::read(page.days, page.since)?;
        let wish = WalkWish::read(&(name, &asked), Some(window), page.cursor.as_deref(), page.limit)?;
        let domains = domains(asked.company_domain.as_ref(), "/company_domain")?.unwrap_or_default();
        let countries = asked.country.iter().flat_map(Values::iter);
        let departments = asked.department.iter().flat_map(Values::iter);
        let filter = RecentFilter {
            kind: SignalKind::JobChange,
            since: None,
            domains: domains.iter().map(ToString::to_string).collect(),
            countries: countries.map(|code| code.0.to_ascii_uppercase()).collect(),
            departments: departments.map(|department| department.as_str().to_owned()).collect(),
            part: Some(part),
        };
        let is_announced = part == Part::Announcement;
        Ok(Self { wish, filter, sieve: MoveSieve { seniority: asked.seniority, is_announced } })
    }

    /// With the window of this call.
    pub fn filter(&self, context: &Context) -> RecentFilter {
        RecentFilter { since: self.wish.since(context), ..self.filter.clone() }
    }
}

#[derive(Debug)]
pub struct MoveSieve {
    seniority: Option<Values<Seniority>>,
    /// Whether somebody must have told of their new job.
    is_announced: bool,
}

impl MoveSieve {
    fn takes(&self, signal: &Signal, change: &Move) -> bool {
        let has_rank = self
            .seniority
            .as_ref()
            .is_none_or(|wanted| rank_of(signal).is_some_and(|rank| wanted.iter().any(|one| *one == rank)));
        let has_text = change.announcement_text.as_ref().is_some_and(|text| !text.trim().is_empty());
        let has_job = change.to.is_some() && change.kind != MoveKind::Left;
        has_rank && (!self.is_announced || has_text && has_job)
    }
}

/// A change of jobs, and who it is that changed.
#[derive(Debug)]
pub struct UnmaskedMove {
    pub signal: Signal,
    pub change: Move,
    pub person: Person,
}

impl Row for UnmaskedMove {
    type Sieve = MoveSieve;

    async fn complete(context: &Context, sieve: &MoveSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Content::JobChange(change) = &signal.content else { return Ok(None) };
        if !sieve.takes(&signal, change) {
            return Ok(None);
        }
        let change = change.clone();
        let person = context.engine.unmask(&signal, context.memory.account()).await?;
        Ok(person.map(|person| Self { signal, change, person }))
    }

    fn unit(&self) -> Uuid {
        self.person.id.uuid()
    }
}

/// Each once: who changed jobs twice is one person.
pub fn distinct(people: impl Iterator<Item = PersonId>) -> Vec<PersonId> {
    people.collect::<BTreeSet<_>>().into_iter().collect()
}
