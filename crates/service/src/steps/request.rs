//! The fields that requests for companies share. Each request is one flat list of fields, so they are written into it here.

use super::recent::WalkWish;
use super::window::Window;
use crate::fault::Fault;
use crate::search::PageWish;
use crate::search::firm::FirmFilters;
use serde::Serialize;

/// Adds which companies are meant, and which page, to a request's own fields. What decides which rows there are is written into the
/// fingerprint of a cursor.
macro_rules! companies_request {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema, garde::Validate)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($own)*
            /// Of the company.
            #[serde(default)]
            #[garde(skip)]
            industry: Option<$crate::search::values::Values<assay_domain::taxonomy::Industry>>,
            /// ISO 3166-1 alpha-2, of the company's headquarters or another place.
            #[serde(default)]
            #[garde(skip)]
            country: Option<$crate::search::values::Values<$crate::search::values::TwoLetters>>,
            /// Of the company's headquarters or another place.
            #[serde(default)]
            #[garde(skip)]
            city: Option<$crate::search::values::Values<$crate::search::values::Phrase>>,
            #[serde(default)]
            #[garde(skip)]
            company_size: Option<$crate::search::values::Values<assay_domain::taxonomy::SizeBand>>,
            #[serde(default)]
            #[garde(dive)]
            employee_count: Option<$crate::search::clauses::Range>,
            #[serde(default, skip_serializing)]
            #[garde(range(min = 1, max = assay_domain::limits::PAGE_ROWS_MAX))]
            #[schemars(range(min = 1, max = assay_domain::limits::PAGE_ROWS_MAX))]
            limit: Option<u32>,
            /// `next_cursor` of the page before, sent with the same filters.
            #[serde(default, skip_serializing)]
            #[garde(length(chars, max = assay_domain::limits::CURSOR_CHARS_MAX))]
            cursor: Option<String>,
        }

        impl $crate::steps::request::CompaniesRequest for $name {
            fn firm_fields(&self) -> $crate::search::firm::FirmFilters {
                $crate::search::firm::FirmFilters {
                    industry: self.industry.clone(),
                    country: self.country.clone(),
                    city: self.city.clone(),
                    company_size: self.company_size.clone(),
                    employee_count: self.employee_count,
                }
            }

            fn page_fields(&self) -> (Option<&str>, Option<u32>) {
                (self.cursor.as_deref(), self.limit)
            }
        }
    };
}

/// Adds the window of time.
macro_rules! windowed_request {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $crate::steps::request::companies_request! {
            $(#[$about])*
            pub struct $name {
                $($own)*
                /// The last so many times 24 hours; 30 if nothing is said.
                #[serde(default, skip_serializing)]
                #[garde(range(min = 1, max = assay_domain::limits::WINDOW_DAYS_MAX))]
                #[schemars(range(min = 1, max = assay_domain::limits::WINDOW_DAYS_MAX))]
                days: Option<u32>,
                /// This day or time and since then, in place of `days`.
                #[serde(default, skip_serializing)]
                #[garde(skip)]
                since: Option<$crate::search::values::OneValue<$crate::steps::window::Since>>,
            }
        }

        impl $name {
            fn window(&self) -> Result<$crate::steps::window::Window, $crate::fault::Fault> {
                $crate::steps::window::Window::read(self.days, self.since)
            }
        }
    };
}

/// Adds which rounds are meant.
macro_rules! funding_request {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $crate::steps::request::windowed_request! {
            $(#[$about])*
            pub struct $name {
                $($own)*
                /// Of the round.
                #[serde(default)]
                #[garde(skip)]
                stage: Option<$crate::search::values::Values<assay_domain::taxonomy::FundingStage>>,
                /// Of the round, in minor units of `currency`.
                #[serde(default)]
                #[garde(range(min = 0, max = 1_000_000_000_000_000))]
                #[schemars(range(min = 0, max = 1_000_000_000_000_000_u64))]
                min_amount: Option<i64>,
                /// ISO 4217, of `min_amount`; USD if left out.
                #[serde(default)]
                #[garde(skip)]
                currency: Option<$crate::search::values::OneValue<$crate::steps::funded::Currency>>,
            }
        }

        impl $name {
            fn rounds(&self) -> $crate::steps::funded::RoundFilter {
                $crate::steps::funded::RoundFilter::new(self.stage.as_ref(), self.min_amount, self.currency.as_ref())
            }
        }
    };
}

pub(crate) use {companies_request, funding_request, windowed_request};

/// A request for companies, however they are found.
pub trait CompaniesRequest: Serialize + Sized {
    fn firm_fields(&self) -> FirmFilters;

    /// Cursor and limit.
    fn page_fields(&self) -> (Option<&str>, Option<u32>);

    fn firm(&self) -> Result<FirmFilters, Fault> {
        self.firm_fields().checked()
    }

    /// A page of what happened.
    fn walk_wish(&self, endpoint: &str, window: Window) -> Result<WalkWish, Fault> {
        let (cursor, limit) = self.page_fields();
        WalkWish::read(&(endpoint, self), Some(window), cursor, limit)
    }

    /// A page of what there is.
    fn page_wish(&self, endpoint: &str) -> Result<PageWish, Fault> {
        let (cursor, limit) = self.page_fields();
        PageWish::read(&(endpoint, self), cursor, limit, None)
    }
}
