//! `POST /v1/bundles/founder-research`: a company, who founded it, what it raised, and what it uses.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::{known_company, read_domain};
use crate::steps::funded::all_rounds;
use crate::steps::people::{find_people, has_one, works_at};
use crate::view::{CompanyView, PersonView, RoundView, TechnologyView};
use assay_domain::clock::Stopwatch;
use assay_domain::company::Round;
use assay_domain::limits::{DOMAIN_CHARS_MAX, LEADERS_SHOWN_MAX};
use assay_domain::taxonomy::Seniority;
use assay_domain::{Company, Credits, Domain, NetworkHosts, Person, Price};
use assay_index::Term;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FounderResearch {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct FounderResearchRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FounderResearchResponse {
    /// Whether the company is known; else nothing is charged.
    pub found: bool,
    pub company: Option<CompanyView>,
    /// Who founded it or owns it, and is there.
    pub founders: Vec<PersonView>,
    /// The newest first.
    pub funding_history: Vec<RoundView>,
    pub technologies: Vec<TechnologyView>,
}

impl FounderResearchResponse {
    fn new(company: Company, founders: Vec<Person>, rounds: Vec<Round>) -> Self {
        Self {
            found: true,
            founders: founders.into_iter().map(PersonView::from).collect(),
            funding_history: rounds.into_iter().map(RoundView::from).collect(),
            technologies: company.facts.technologies.iter().cloned().map(TechnologyView::from).collect(),
            company: Some(company.into()),
        }
    }
}

impl Endpoint for FounderResearch {
    const SPEC: Spec = Spec {
        units_max: 1,
        summary: "A company, its founders, its rounds, its technologies",
        description: "A domain gives the company, who founded or owns it and is still there, every round that is known, the newest first, \
                      and the technologies it was seen using. Charged only when the company is known.",
        ..Spec::research(
            "founder-research",
            "/v1/bundles/founder-research",
            Group::Bundles,
            Price::Flat(Credits::whole(20)),
            "company",
        )
    };
    type Request = FounderResearchRequest;
    type Question = Domain;
    type Response = FounderResearchResponse;

    fn parse(request: FounderResearchRequest, _: &NetworkHosts) -> Result<Domain, Fault> {
        read_domain(&request.company_domain, "/company_domain")
    }

    fn example() -> (Value, FounderResearchResponse) {
        let (company, round) = example::funded();
        let response = FounderResearchResponse::new(company, vec![example::person()], vec![round]);
        (json!({ "company_domain": "northwind-robotics.example" }), response)
    }

    fn not_found() -> Option<FounderResearchResponse> {
        Some(FounderResearchResponse::default())
    }

    async fn run(context: &Context, domain: Domain) -> Result<Outcome<FounderResearchResponse>, Fault> {
        let watch = Stopwatch::start();
        let Some(company) = known_company(context, &domain).await? else {
            return Ok(Outcome::nothing(FounderResearchResponse::default()));
        };
        let ranks = has_one(Term::Seniority, &[Seniority::Founder, Seniority::Owner]);
        let wanted = [Some(works_at(&company)), ranks].into_iter().flatten().collect();
        let (founders, rounds) =
            tokio::try_join!(find_people(context, wanted, LEADERS_SHOWN_MAX), all_rounds(context, &company))?;
        let people = founders.iter().map(|person| person.id).collect();
        let trace = Trace { people, ..Trace::graph(true, watch.elapsed()) };
        Ok(Outcome::found(FounderResearchResponse::new(company, founders, rounds), 1, trace))
    }
}
