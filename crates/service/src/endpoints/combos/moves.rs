//! What both questions for people who changed jobs have in common: which changes are meant, and who is behind them.

use crate::context::Context;
use crate::fault::Fault;
use crate::search::clauses::domains;
use crate::search::values::{DomainText, OneValue, TwoLetters, Values};
use crate::steps::recent::{Row, WalkWish};
use crate::steps::window::{Since, Window};
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::signal::{Content, Move, MoveKind};
use assay_domain::taxonomy::{Department, Seniority};
use assay_domain::{Person, Signal, SignalKind};
use assay_engine::signals::{Part, RecentFilter, rank_of};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
pub struct MovesRequest {
    /// Of the job they go to, or of the one they leave where nothing is told of another.
    seniority: Option<Values<Seniority>>,
    department: Option<Values<Department>>,
    /// ISO 3166-1 alpha-2, of the company they go to.
    country: Option<Values<TwoLetters>>,
    /// Of the company they go to, or of the one they leave.
    company_domain: Option<Values<DomainText>>,
    /// Changes of the last so many times 24 hours; 30 if nothing is said.
    #[garde(range(min = 1, max = WINDOW_DAYS_MAX))]
    #[serde(skip_serializing)]
    days: Option<u32>,
    /// Changes of this day or time and since then, in place of `days`.
    #[serde(skip_serializing)]
    since: Option<OneValue<Since>>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    #[serde(skip_serializing)]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    #[serde(skip_serializing)]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct MovesQuestion {
    pub wish: WalkWish,
    pub sieve: MoveSieve,
    filter: RecentFilter,
}

impl MovesQuestion {
    pub fn read(name: &str, part: Part, asked: MovesRequest) -> Result<Self, Fault> {
        let window = Window::read(asked.days, asked.since)?;
        let wish = WalkWish::read(&(name, &asked), Some(window), asked.cursor.as_deref(), asked.limit)?;
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
