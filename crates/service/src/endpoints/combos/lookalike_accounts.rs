//! `POST /v1/lookalike-accounts`: companies like one to five others, and why.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::clauses::{Range, domains};
use crate::search::firm::FirmFilters;
use crate::search::values::{DomainText, Phrase, TwoLetters, Values};
use crate::spec::{Group, Spec};
use crate::steps::similarity::{ReasonView, affordable, candidates, question, step};
use crate::view::CompanyView;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{ALIKE_SOURCES_MAX, DOMAIN_CHARS_MAX, PAGE_ROWS_DEFAULT};
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{AccountId, Company, Confidence, Credits, Domain, NetworkHosts, Price, Similarity};
use assay_engine::alike::{Alike, Aspect, Lookout};
use assay_engine::{CompanyQuery, Engine, EngineError};
use assay_index::{Clause, Term};
use assay_replica::Side;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum LookalikeAccounts {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct LookalikeAccountsRequest {
    /// The companies that others shall be like.
    #[garde(length(min = 1, max = ALIKE_SOURCES_MAX), inner(length(chars, max = DOMAIN_CHARS_MAX)))]
    domains: Vec<String>,
    /// Domains of companies that are left out, beside those of `domains`.
    exclude: Option<Values<DomainText>>,
    industry: Option<Values<Industry>>,
    /// ISO 3166-1 alpha-2, of the headquarters or another place.
    country: Option<Values<TwoLetters>>,
    city: Option<Values<Phrase>>,
    company_size: Option<Values<SizeBand>>,
    #[garde(dive)]
    employee_count: Option<Range>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Debug)]
pub struct LookalikeAccountsQuestion {
    sources: Vec<Domain>,
    exclude: Vec<Domain>,
    filters: FirmFilters,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct LookalikeAccountsResponse {
    /// The most alike first.
    pub results: Vec<LookalikeAccount>,
    /// Those of `domains` that no company is known by.
    pub unknown_domains: Vec<String>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct LookalikeAccount {
    pub company: CompanyView,
    /// 1 where all that is compared is the same.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub similarity: Similarity,
    /// What the similarity consists of, the largest share first.
    pub reasons: Vec<ReasonView>,
}

impl From<Alike<Company>> for LookalikeAccount {
    fn from(alike: Alike<Company>) -> Self {
        Self {
            company: alike.record.into(),
            similarity: alike.likeness.similarity,
            reasons: alike.likeness.reasons.into_iter().map(Into::into).collect(),
        }
    }
}

impl LookalikeAccount {
    /// Of the worked examples.
    pub fn example() -> Self {
        let reason = |aspect: Aspect, share: u64, text: &str, shared: &[&str]| ReasonView {
            aspect: aspect.as_str(),
            share: Similarity::of(share, 100),
            text: text.to_owned(),
            shared: shared.iter().map(|value| (*value).to_owned()).collect(),
        };
        Self {
            company: example::company().into(),
            similarity: Similarity::of(71, 100),
            reasons: vec![
                reason(Aspect::Technologies, 40, "2 of 3 technologies shared", &["Kafka", "PostgreSQL"]),
                reason(Aspect::Industry, 35, "same industry", &["Industrial Automation"]),
                reason(Aspect::Size, 25, "similar size", &[]),
            ],
        }
    }
}

impl Endpoint for LookalikeAccounts {
    const SPEC: Spec = Spec {
        summary: "Find companies like yours",
        description: "Companies like one to five others, by what they do, their technologies, industry, size, place and growth, \
                      with the reasons and how much each counts. What few companies have counts more than what many have. \
                      The sources themselves never come. Charged for each result.",
        ..Spec::research(
            "lookalike-accounts",
            "/v1/lookalike-accounts",
            Group::Combos,
            Price::PerUnit(Credits::from_thousandths(600)),
            "company",
        )
    };
    type Request = LookalikeAccountsRequest;
    type Question = LookalikeAccountsQuestion;
    type Response = LookalikeAccountsResponse;

    fn parse(
        request: LookalikeAccountsRequest,
        _hosts: &NetworkHosts,
    ) -> Result<LookalikeAccountsQuestion, Fault> {
        let read = |(place, text): (usize, &String)| {
            Domain::parse(text).map_err(|error| Fault::unreadable(&format!("/domains/{place}"), &error))
        };
        let sources = request.domains.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let filters = FirmFilters {
            industry: request.industry,
            country: request.country,
            city: request.city,
            company_size: request.company_size,
            employee_count: request.employee_count,
        };
        Ok(LookalikeAccountsQuestion {
            sources,
            exclude: domains(request.exclude.as_ref(), "/exclude")?.unwrap_or_default(),
            filters: filters.checked()?,
            limit: request.limit.unwrap_or(PAGE_ROWS_DEFAULT),
        })
    }

    fn units_max(question: &LookalikeAccountsQuestion) -> u32 {
        question.limit
    }

    fn example() -> (Value, LookalikeAccountsResponse) {
        let request = json!({ "domains": ["alder-systems.example"], "country": "US", "limit": 10 });
        let response = LookalikeAccountsResponse {
            results: vec![LookalikeAccount::example()],
            unknown_domains: Vec::new(),
            truncated_by: None,
        };
        (request, response)
    }

    fn not_found() -> Option<LookalikeAccountsResponse> {
        Some(LookalikeAccountsResponse {
            results: Vec::new(),
            unknown_domains: Vec::new(),
            truncated_by: None,
        })
    }

    async fn run(
        context: &Context,
        asked: LookalikeAccountsQuestion,
    ) -> Result<Outcome<LookalikeAccountsResponse>, Fault> {
        let watch = Stopwatch::start();
        let account = context.memory.account();
        let (sources, unknown_domains) = resolve(&context.engine, &asked.sources, account).await?;
        let mut conditions = asked.filters.conditions();
        let excluded = asked.exclude.iter().map(ToString::to_string).collect();
        conditions.none.push(Clause::OneOf(Term::CompanyDomain, excluded));
        let wanted = usize::try_from(asked.limit).unwrap_or(usize::MAX);
        let lookout = Lookout::companies(&sources, question(context, conditions), wanted);
        let shortlist = candidates(context, Side::Companies, lookout).await?;
        let mut found = context.engine.companies_alike(&sources, &shortlist, account).await?;
        let truncated_by = affordable(context, &mut found);
        let trace = Trace { steps: vec![step(&found, watch)], ..Trace::default() };
        let results: Vec<LookalikeAccount> = found.into_iter().map(Into::into).collect();
        let units = u32::try_from(results.len()).unwrap_or(u32::MAX);
        Ok(Outcome::found(LookalikeAccountsResponse { results, unknown_domains, truncated_by }, units, trace))
    }
}

/// The companies of the domains, each once, and the domains that none is known by.
async fn resolve(
    engine: &Engine,
    domains: &[Domain],
    asker: AccountId,
) -> Result<(Vec<Company>, Vec<String>), EngineError> {
    let (mut known, mut unknown): (Vec<Company>, Vec<String>) = (Vec::new(), Vec::new());
    for domain in domains {
        let found = engine.resolve_company(&CompanyQuery::Domain(domain.clone()), asker).await?;
        match found.filter(|found| found.confidence >= Confidence::ENOUGH) {
            Some(found) if known.iter().any(|company| company.id == found.record.id) => {}
            Some(found) => known.push(found.record),
            None => unknown.push(domain.to_string()),
        }
    }
    Ok((known, unknown))
}
