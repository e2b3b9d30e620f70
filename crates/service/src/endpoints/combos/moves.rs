//! What both questions for people who changed jobs have in common: which changes are meant, and which page of them.

use crate::context::Context;
use crate::fault::Fault;
use crate::search::clauses::domains;
use crate::search::values::{DomainText, OneValue, TwoLetters, Values};
use crate::steps::recent::WalkWish;
use crate::steps::unmasked::MoveSieve;
use crate::steps::window::{Since, Window};
use assay_domain::SignalKind;
use assay_domain::limits::{CURSOR_CHARS_MAX, PAGE_ROWS_MAX, WINDOW_DAYS_MAX};
use assay_domain::taxonomy::{Department, Seniority};
use assay_engine::signals::{Part, RecentFilter};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        let wish = WalkWish::of(name, &asked, window, &asked.cursor, asked.limit)?;
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
