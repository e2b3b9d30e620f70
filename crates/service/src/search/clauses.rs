//! Filters as the index understands them: which of its fields a filter asks for, and in which spelling.

use super::page::Conditions;
use super::values::{DomainText, Phrase, TwoLetters, Values};
use crate::fault::Fault;
use assay_domain::Domain;
use assay_domain::name::fold_text;
use assay_index::{Clause, Number, Term, Text, fold_term};
use chrono::{Months, NaiveDate};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// From `min` to `max`, both included; either may be left out.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NumberRange")]
pub struct Range {
    #[garde(range(max = 10_000_000))]
    pub min: Option<u32>,
    #[garde(range(max = 10_000_000))]
    pub max: Option<u32>,
}

impl Range {
    pub fn check(self, pointer: &str) -> Result<(), Fault> {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min > max => {
                let fix = "swap min and max, or leave one out";
                Err(Fault::field(pointer, "max_below_min", "the highest is below the lowest", fix))
            }
            _ => Ok(()),
        }
    }

    pub fn clause(self, number: Number) -> Option<Clause> {
        let bounds = (self.min.map(i64::from), self.max.map(i64::from));
        (bounds != (None, None)).then_some(Clause::Between(number, bounds.0, bounds.1))
    }
}

/// Where somebody lives, or a company has a place. What is given must all fit.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
#[schemars(rename = "LocationFilter")]
pub struct LocationFilter {
    /// ISO 3166-1 alpha-2.
    pub country: Option<Values<TwoLetters>>,
    pub region: Option<Values<Phrase>>,
    pub city: Option<Values<Phrase>>,
}

impl LocationFilter {
    /// One clause, so that to leave out a city leaves out nothing but that city.
    pub fn clause(&self) -> Option<Clause> {
        let upper = |code: &TwoLetters| code.0.to_ascii_uppercase();
        let parts = [
            one_of(Term::Country, self.country.as_ref(), upper),
            one_of(Term::Region, self.region.as_ref(), |phrase| fold_text(&phrase.0)),
            one_of(Term::City, self.city.as_ref(), |phrase| fold_text(&phrase.0)),
        ];
        let parts: Vec<Clause> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then_some(Clause::All(parts))
    }
}

impl Conditions {
    pub fn add(&mut self, clauses: impl IntoIterator<Item = Option<Clause>>) {
        self.all.extend(clauses.into_iter().flatten());
    }
}

/// Has one of these values, written as the index has them.
pub fn one_of<T>(term: Term, values: Option<&Values<T>>, write: impl Fn(&T) -> String) -> Option<Clause> {
    values.map(|values| Clause::OneOf(term, values.iter().map(write).collect()))
}

/// The same where the index has values folded, so that case and accents do not matter.
pub fn folded(term: Term, values: Option<&Values<Phrase>>) -> Option<Clause> {
    one_of(term, values, |phrase| fold_term(&phrase.0))
}

pub fn language(values: Option<&Values<TwoLetters>>) -> Option<Clause> {
    one_of(Term::Language, values, |code| code.0.clone())
}

/// Has all words of one of these texts.
pub fn words(text: Text, values: Option<&Values<Phrase>>) -> Option<Clause> {
    let each = |values: &Values<Phrase>| {
        Clause::Any(values.iter().map(|phrase| Clause::Words(text, phrase.0.clone())).collect())
    };
    values.map(each)
}

/// Works at a company with one of these domains.
pub fn domains(values: Option<&Values<DomainText>>, pointer: &str) -> Result<Option<Vec<Domain>>, Fault> {
    let Some(values) = values else { return Ok(None) };
    let read = |(place, text): (String, &DomainText)| {
        Domain::parse(&text.0).map_err(|error| Fault::unreadable(&place, &error))
    };
    values.placed(pointer).map(read).collect::<Result<Vec<_>, _>>().map(Some)
}

/// Began to work so many whole years ago, seen from `on`.
pub fn years_of_work(years: Range, on: NaiveDate) -> Option<Clause> {
    let years_before = |years: u32| {
        let day = on.checked_sub_months(Months::new(years.saturating_mul(12)));
        // Longer ago than the calendar goes back.
        i64::from(day.unwrap_or(NaiveDate::MIN).to_epoch_days())
    };
    let latest = years.min.map(years_before);
    let earliest = years.max.map(|years| years_before(years.saturating_add(1)).saturating_add(1));
    ((earliest, latest) != (None, None)).then_some(Clause::Between(Number::CareerBeganOn, earliest, latest))
}

/// On that day or later.
pub fn since(number: Number, day: NaiveDate) -> Clause {
    Clause::Between(number, Some(i64::from(day.to_epoch_days())), None)
}
