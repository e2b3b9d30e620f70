//! `POST /v1/search/companies`: companies by what they do, use, raised and need.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::input::{Decoded, RawInput};
use crate::search::clauses::{LocationFilter, Range, folded, one_of, since, words};
use crate::search::values::{Phrase, Values};
use crate::search::{
    Conditions, Count, FoundPage, PageWish, Sort, TotalRelation, TruncatedBy, find_telling, foreseen,
};
use crate::spec::{Group, Spec};
use crate::view::CompanyView;
use assay_domain::limits::AMOUNT_MAX;
use assay_domain::taxonomy::{FundingStage, Industry};
use assay_domain::{Company, Credits, NetworkHosts, Price};
use assay_index::{Clause, Number, Term, Text};
use chrono::NaiveDate;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What amounts are in where nobody says otherwise.
const CURRENCY: &str = "USD";

#[derive(Debug)]
pub enum SearchCompanies {}

/// The latest round of a company. What is given must all fit.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
#[schemars(rename = "FundingFilter")]
pub struct FundingFilter {
    stage: Option<Values<FundingStage>>,
    /// In minor units of `currency`.
    #[garde(range(min = 0, max = AMOUNT_MAX))]
    min_amount: Option<i64>,
    /// ISO 4217; USD if left out.
    #[garde(custom(is_currency))]
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: Option<String>,
    /// Announced on this day or later.
    since: Option<NaiveDate>,
}

fn is_currency(text: &Option<String>, (): &()) -> garde::Result {
    let fits = |text: &String| text.len() == 3 && text.chars().all(|letter| letter.is_ascii_uppercase());
    if text.as_ref().is_none_or(fits) { Ok(()) } else { Err(garde::Error::new("not three capital letters")) }
}

/// What companies are asked for by, and what those have that are left out: whatever meets one of the fields of `exclude` is.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
#[schemars(rename = "CompanyFilters")]
pub struct CompanyFilters {
    industry: Option<Values<Industry>>,
    technologies: Option<Values<Phrase>>,
    #[garde(dive)]
    employee_count: Option<Range>,
    #[garde(dive)]
    funding: Option<FundingFilter>,
    /// Of the headquarters or another place.
    #[garde(dive)]
    location: Option<LocationFilter>,
    /// The year.
    #[garde(dive)]
    founded: Option<Range>,
    /// Words of the name, the description, the industry and the keywords.
    keywords: Option<Values<Phrase>>,
    /// Whether there are open roles.
    hiring: Option<bool>,
}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
pub struct SearchCompaniesRequest {
    #[garde(skip)]
    industry: Option<Values<Industry>>,
    #[garde(skip)]
    technologies: Option<Values<Phrase>>,
    #[garde(dive)]
    employee_count: Option<Range>,
    #[garde(dive)]
    funding: Option<FundingFilter>,
    /// Of the headquarters or another place.
    #[garde(dive)]
    location: Option<LocationFilter>,
    /// The year.
    #[garde(dive)]
    founded: Option<Range>,
    /// Words of the name, the description, the industry and the keywords.
    #[garde(skip)]
    keywords: Option<Values<Phrase>>,
    /// Whether there are open roles.
    #[garde(skip)]
    hiring: Option<bool>,
    /// Leaves out whatever meets one of these.
    #[garde(dive)]
    exclude: Option<CompanyFilters>,
    /// Those of whom most is known come first.
    #[garde(skip)]
    sort: Option<Sort>,
    /// How far `total` is counted: to 10,000, or to the end, which takes longer the more there are.
    #[garde(skip)]
    count: Option<Count>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[garde(length(chars, max = 512))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct SearchCompaniesQuestion {
    filters: CompanyFilters,
    exclude: CompanyFilters,
    page: PageWish,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchCompaniesResponse {
    pub results: Vec<CompanyView>,
    /// How many meet the filters, as of the first page.
    pub total: u64,
    pub total_relation: TotalRelation,
    /// `credits` when the page would have been longer if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    pub next_cursor: Option<String>,
}

impl Endpoint for SearchCompanies {
    const SPEC: Spec = Spec {
        summary: "Find companies by what they are",
        description: "Companies by industry, technologies, size, funding, place and more. Filters take a text or an array and \
                      are met all together; of the values of one filter, any. The base price is charged for every page, \
                      whatever it finds. Pages never show a company twice, and what changes while you read may be left out.",
        ..Spec::research(
            "search-companies",
            "/v1/search/companies",
            Group::Search,
            Price::BasePlus { base: Credits::whole(1), unit: Credits::from_thousandths(500) },
            "company",
        )
    };
    type Request = SearchCompaniesRequest;
    type Question = SearchCompaniesQuestion;
    type Response = SearchCompaniesResponse;

    fn parse(
        request: SearchCompaniesRequest,
        _hosts: &NetworkHosts,
    ) -> Result<SearchCompaniesQuestion, Fault> {
        let (cursor, limit, count) = (request.cursor, request.limit, request.count);
        let (sort, exclude) = (request.sort.unwrap_or_default(), request.exclude.unwrap_or_default());
        let filters = CompanyFilters {
            industry: request.industry,
            technologies: request.technologies,
            employee_count: request.employee_count,
            funding: request.funding,
            location: request.location,
            founded: request.founded,
            keywords: request.keywords,
            hiring: request.hiring,
        };
        filters.check("")?;
        exclude.check("/exclude")?;
        let asked = (Self::SPEC.name, &filters, &exclude, sort);
        let page = PageWish::read(&asked, cursor.as_deref(), limit, count)?;
        Ok(SearchCompaniesQuestion { filters, exclude, page })
    }

    fn units_max(question: &SearchCompaniesQuestion) -> u32 {
        question.page.limit()
    }

    fn example() -> (Value, SearchCompaniesResponse) {
        let request = json!({
            "industry": "Industrial Automation",
            "technologies": ["PostgreSQL", "Kafka"],
            "employee_count": { "min": 50, "max": 500 },
            "funding": { "stage": ["series_a", "series_b"], "since": "2025-01-01" },
            "limit": 10
        });
        let response = SearchCompaniesResponse {
            results: vec![example::company().into()],
            total: 1,
            total_relation: TotalRelation::Eq,
            truncated_by: None,
            next_cursor: None,
        };
        (request, response)
    }

    fn not_found() -> Option<SearchCompaniesResponse> {
        Some(SearchCompaniesResponse {
            results: Vec::new(),
            total: 0,
            total_relation: TotalRelation::Eq,
            truncated_by: None,
            next_cursor: None,
        })
    }

    async fn run(
        context: &Context,
        question: SearchCompaniesQuestion,
    ) -> Result<Outcome<SearchCompaniesResponse>, Fault> {
        let (conditions, page) = (question.conditions(), question.page);
        let FoundPage { rows, total, total_relation, truncated_by, next_cursor, steps } =
            find_telling::<Company>(context, conditions, &page, |ids| {
                context.foresight.foresee(ids.len(), || foreseen(ids, Vec::new()));
            })
            .await?;
        let results: Vec<CompanyView> = rows.into_iter().map(Into::into).collect();
        let units = u32::try_from(results.len()).unwrap_or(u32::MAX);
        let body = SearchCompaniesResponse { results, total, total_relation, truncated_by, next_cursor };
        Ok(Outcome::found(body, units, Trace { steps, ..Trace::default() }))
    }
}

impl SearchCompanies {
    /// Reads the fields of a request that came by another way than a call of its own.
    pub(crate) fn read(
        fields: Map<String, Value>,
        hosts: &NetworkHosts,
    ) -> Result<SearchCompaniesQuestion, Fault> {
        let Decoded(request) = RawInput::Body(fields).decode::<SearchCompaniesRequest>()?;
        Self::parse(request, hosts)
    }
}

impl SearchCompaniesQuestion {
    pub(crate) fn page(&self) -> &PageWish {
        &self.page
    }

    pub(crate) fn conditions(&self) -> Conditions {
        self.filters.conditions().without(self.exclude.conditions())
    }
}

impl CompanyFilters {
    pub(crate) fn check(&self, pointer: &str) -> Result<(), Fault> {
        for (range, name) in [(self.employee_count, "employee_count"), (self.founded, "founded")] {
            range.unwrap_or_default().check(&format!("{pointer}/{name}"))?;
        }
        Ok(())
    }

    pub(crate) fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        conditions.add([
            one_of(Term::Industry, self.industry.as_ref(), ToString::to_string),
            folded(Term::Technology, self.technologies.as_ref()),
            self.employee_count.and_then(|range| range.clause(Number::EmployeeCount)),
            self.funding.as_ref().and_then(FundingFilter::clause),
            self.location.as_ref().and_then(LocationFilter::clause),
            self.founded.and_then(|range| range.clause(Number::FoundedYear)),
            words(Text::Keywords, self.keywords.as_ref()),
        ]);
        let is_hiring = Clause::Between(Number::OpenRoles, Some(1), None);
        match self.hiring {
            Some(true) => conditions.all.push(is_hiring),
            Some(false) => conditions.none.push(is_hiring),
            None => {}
        }
        conditions
    }
}

impl FundingFilter {
    /// One clause: the same round has it all.
    fn clause(&self) -> Option<Clause> {
        let currency = self.currency.clone().or_else(|| self.min_amount.map(|_| CURRENCY.to_owned()));
        let parts = [
            one_of(Term::FundingStage, self.stage.as_ref(), ToString::to_string),
            self.min_amount.map(|amount| Clause::Between(Number::FundingAmount, Some(amount), None)),
            currency.map(|currency| Clause::OneOf(Term::FundingCurrency, vec![currency])),
            self.since.map(|day| since(Number::FundedOn, day)),
        ];
        let parts: Vec<Clause> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then_some(Clause::All(parts))
    }
}
