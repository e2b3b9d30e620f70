//! The filters that many questions share: which companies are meant, or people at which companies.

use super::clauses::{LocationFilter, Range, one_of};
use super::page::Conditions;
use super::values::{Phrase, TwoLetters, Values};
use crate::fault::Fault;
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
}
