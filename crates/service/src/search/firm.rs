//! The filters that many questions share: which companies are meant, or people at which companies.

use super::clauses::{LocationFilter, Range, one_of};
use super::page::Conditions;
use super::values::{Phrase, TwoLetters, Values};
use crate::fault::Fault;
use assay_domain::company::CompanyFacts;
use assay_domain::name::fold_text;
use assay_domain::person::Location;
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_index::{Number, Term};

/// What is given must all fit. A place is that of the company, or that of the person.
#[derive(Debug, Default)]
pub struct FirmFilters {
    pub industry: Option<Values<Industry>>,
    pub country: Option<Values<TwoLetters>>,
    pub city: Option<Values<Phrase>>,
    pub company_size: Option<Values<SizeBand>>,
    pub employee_count: Option<Range>,
}

impl FirmFilters {
    /// As a request has them, one field each.
    pub fn of(
        industry: &Option<Values<Industry>>,
        country: &Option<Values<TwoLetters>>,
        city: &Option<Values<Phrase>>,
        company_size: &Option<Values<SizeBand>>,
        employee_count: Option<Range>,
    ) -> Result<Self, Fault> {
        let (industry, country) = (industry.clone(), country.clone());
        let (city, company_size) = (city.clone(), company_size.clone());
        Self { industry, country, city, company_size, employee_count }.checked()
    }

    /// Refuses what can fit nobody.
    pub fn checked(self) -> Result<Self, Fault> {
        self.employee_count.unwrap_or_default().check("/employee_count")?;
        Ok(self)
    }

    pub fn conditions(self) -> Conditions {
        let place = LocationFilter { country: self.country, region: None, city: self.city };
        let mut conditions = Conditions::default();
        conditions.add([
            one_of(Term::Industry, self.industry.as_ref(), ToString::to_string),
            place.clause(),
            one_of(Term::CompanySize, self.company_size.as_ref(), ToString::to_string),
            self.employee_count.and_then(|range| range.clause(Number::EmployeeCount)),
        ]);
        conditions
    }

    /// Whether a company is meant, without an index to ask.
    pub fn fit(&self, facts: &CompanyFacts) -> bool {
        let places = || facts.headquarters.iter().chain(&facts.locations);
        let count = facts.employee_count;
        let band = count.and_then(SizeBand::of_count);
        let is_within = |range: Range| {
            let bounds = (range.min, range.max);
            bounds == (None, None)
                || count.is_some_and(|count| {
                    range.min.is_none_or(|min| count >= min) && range.max.is_none_or(|max| count <= max)
                })
        };
        has(self.industry.as_ref(), facts.industry.as_ref(), |wanted, is| wanted == is)
            && (self.country.is_none() && self.city.is_none() || places().any(|place| self.fit_place(place)))
            && has(self.company_size.as_ref(), band.as_ref(), |wanted, is| wanted == is)
            && self.employee_count.is_none_or(is_within)
    }

    fn fit_place(&self, place: &Location) -> bool {
        let (country, city) = (place.country.as_ref(), place.city.as_ref());
        has(self.country.as_ref(), country, |wanted, is| wanted.0.eq_ignore_ascii_case(is))
            && has(self.city.as_ref(), city, |wanted, is| fold_text(&wanted.0) == fold_text(is))
    }
}

/// Whether it is one of the values asked for; all are where none is.
fn has<T, V>(wanted: Option<&Values<T>>, is: Option<&V>, fits: impl Fn(&T, &V) -> bool) -> bool {
    wanted.is_none_or(|wanted| is.is_some_and(|is| wanted.iter().any(|one| fits(one, is))))
}
