//! `POST /v1/companies`: a domain, a network URL or a name gives a company.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::read_network_url;
use crate::upstream::not_silent;
use crate::view::CompanyView;
use assay_domain::clock::Stopwatch;
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::{Company, Confidence, Credits, Domain, Lookup, NetworkHosts, NetworkUrl};
use assay_engine::{CompanyQuery, Found};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum Companies {}

/// One of `domain`, `networkUrl` or `name`; `country` narrows a name down.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = forms)]
pub struct CompaniesRequest {
    /// A domain or web address of the company.
    #[garde(length(chars, max = 253))]
    domain: Option<String>,
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: Option<String>,
    #[garde(length(chars, min = 1, max = 200))]
    name: Option<String>,
    /// ISO 3166-1 alpha-2, only together with `name`.
    #[garde(length(chars, min = 2, max = 2))]
    country: Option<String>,
    /// A record last refreshed longer ago than this is not given, and not charged.
    #[garde(range(min = 1, max = 3650))]
    max_age_days: Option<u32>,
}

/// What `query` below accepts, told to the reference.
fn forms(schema: &mut schemars::Schema) {
    crate::openapi::exactly_one_form(
        schema,
        &[
            ("by domain", &["domain"]),
            ("by network URL", &["networkUrl"]),
            ("by name", &["name"]),
            ("by name in a country", &["name", "country"]),
        ],
    );
}

#[derive(Debug)]
pub struct CompaniesQuestion {
    query: CompanyQuery,
    max_age_days: Option<u32>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CompaniesResponse {
    pub found: bool,
    pub company: Option<CompanyView>,
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub confidence: Option<Confidence>,
    pub matched_on: Vec<&'static str>,
}

impl Endpoint for Companies {
    const SPEC: Spec = Spec {
        summary: "Find a company by one identifier",
        description: "A domain, a network URL or a name gives a company. Charged only when a company is found.",
        ..Spec::lookup("companies", "/v1/companies", Group::Resolve, Credits::whole(1), "company")
    };
    type Request = CompaniesRequest;
    type Question = CompaniesQuestion;
    type Response = CompaniesResponse;

    fn parse(request: CompaniesRequest, hosts: &NetworkHosts) -> Result<CompaniesQuestion, Fault> {
        let max_age_days = request.max_age_days;
        Ok(CompaniesQuestion { query: query(request, hosts)?, max_age_days })
    }

    fn example() -> (Value, CompaniesResponse) {
        let response = CompaniesResponse {
            found: true,
            company: Some(example::company().into()),
            confidence: Some(Confidence::percent(99)),
            matched_on: vec!["domain"],
        };
        (json!({ "domain": "northwind-robotics.example" }), response)
    }

    fn not_found() -> Option<CompaniesResponse> {
        Some(CompaniesResponse::default())
    }

    async fn run(
        context: &Context,
        question: CompaniesQuestion,
    ) -> Result<Outcome<CompaniesResponse>, Fault> {
        let watch = Stopwatch::start();
        let known = context.engine.resolve_company(&question.query, context.memory.account()).await?;
        let known = known.filter(|found| question.takes(found, context.now));
        let mut trace = Trace::graph(known.is_some(), watch.elapsed());
        let found = match known {
            Some(known) => Some(known),
            None => ask_vendors(context, &question.query, &mut trace).await?,
        };
        let found = found.filter(|found| question.takes(found, context.now));
        let units = u32::from(found.is_some());
        let body = match found {
            Some(found) => CompaniesResponse {
                found: true,
                confidence: Some(found.confidence),
                matched_on: found.matched_on.to_vec(),
                company: Some(found.record.into()),
            },
            None => CompaniesResponse::default(),
        };
        Ok(Outcome::found(body, units, trace))
    }
}

impl CompaniesQuestion {
    fn takes(&self, found: &Found<Company>, now: DateTime<Utc>) -> bool {
        let age = now - found.record.refreshed_at;
        found.confidence >= Confidence::ENOUGH
            && self.max_age_days.is_none_or(|days| age.num_days() <= i64::from(days))
    }
}

/// A company the graph does not know, by a vendor that does.
async fn ask_vendors(
    context: &Context,
    query: &CompanyQuery,
    trace: &mut Trace,
) -> Result<Option<Found<Company>>, Fault> {
    let asker = context.memory.account();
    if !context.engine.can_ask(Lookup::Company, asker) {
        return Ok(None);
    }
    context.before_spending()?;
    let search = context.slot.aside(context.engine.ask_for_company(query, asker, context.now)).await?;
    trace.add_vendors(&search.trail);
    trace.is_own_key |= search.is_own_key;
    if search.found.is_none() {
        not_silent(&search.trail)?;
    }
    Ok(search.found)
}

fn query(request: CompaniesRequest, hosts: &NetworkHosts) -> Result<CompanyQuery, Fault> {
    let CompaniesRequest { domain, network_url, name, country, .. } = request;
    if country.is_some() && name.is_none() {
        let fix = "leave country out, or send name";
        return Err(Fault::field("/country", "needs_name", "country only narrows down a name", fix));
    }
    match (domain, network_url, name) {
        (Some(domain), None, None) => Domain::parse(&domain)
            .map(CompanyQuery::Domain)
            .map_err(|error| Fault::unreadable("/domain", &error)),
        (None, Some(url), None) => company_url(&url, hosts).map(CompanyQuery::NetworkUrl),
        (None, None, Some(name)) => Ok(CompanyQuery::Name { name, country }),
        (None, None, None) => Err(Fault::field(
            "",
            "missing_identifier",
            "no identifier is given",
            "send one of domain, networkUrl or name",
        )),
        _ => Err(Fault::field(
            "",
            "several_identifiers",
            "more than one identifier form is given",
            "send one of domain, networkUrl or name",
        )),
    }
}

fn company_url(url: &str, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
    let url = read_network_url(url, hosts)?;
    if url.kind() == NetworkUrlKind::Company {
        return Ok(url);
    }
    let fix = "send the address of a company's page; people are found by /v1/enrich";
    Err(Fault::field("/networkUrl", "not_a_company", "the address is a person's", fix))
}
