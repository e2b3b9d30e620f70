//! `POST /v1/bundles/competitive-intel`: a competitor: who leads it, who comes and goes, what it uses, and who is like it.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::endpoints::combos::LookalikeAccount;
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::{known_company, read_domain};
use crate::steps::committee::MemberView;
use crate::steps::moves::{MoveView, moves_at};
use crate::steps::people::leaders;
use crate::steps::similarity::companies_like;
use crate::view::{CompanyView, TechnologyView};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{DOMAIN_CHARS_MAX, LEADERS_SHOWN_MAX, LOOKALIKES_SHOWN_MAX};
use assay_domain::{Credits, Domain, NetworkHosts, Price};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum CompetitiveIntel {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct CompetitiveIntelRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CompetitiveIntelResponse {
    /// Whether the company is known; else nothing is charged.
    pub found: bool,
    pub company: Option<CompanyView>,
    /// The highest first; ten at most.
    pub leadership: Vec<MemberView>,
    /// Who came and who left in the last 90 days, the newest first.
    pub recent_moves: Vec<MoveView>,
    pub technologies: Vec<TechnologyView>,
    /// Companies like it, the most alike first; three at most.
    pub lookalikes: Vec<LookalikeAccount>,
}

impl Endpoint for CompetitiveIntel {
    const SPEC: Spec = Spec {
        units_max: 1,
        summary: "A competitor on one page",
        description: "A domain gives the company, up to ten who lead it, who came and who left in the last 90 days, the technologies it \
                      was seen using, and three companies like it. Charged only when the company is known.",
        ..Spec::research(
            "competitive-intel",
            "/v1/bundles/competitive-intel",
            Group::Bundles,
            Price::Flat(Credits::whole(25)),
            "company",
        )
    };
    type Request = CompetitiveIntelRequest;
    type Question = Domain;
    type Response = CompetitiveIntelResponse;

    fn parse(request: CompetitiveIntelRequest, _: &NetworkHosts) -> Result<Domain, Fault> {
        read_domain(&request.company_domain, "/company_domain")
    }

    fn example() -> (Value, CompetitiveIntelResponse) {
        let company = example::company();
        let response = CompetitiveIntelResponse {
            found: true,
            leadership: vec![MemberView::from(example::person())],
            technologies: company.facts.technologies.iter().cloned().map(TechnologyView::from).collect(),
            company: Some(company.into()),
            lookalikes: vec![LookalikeAccount::example()],
            ..CompetitiveIntelResponse::default()
        };
        (json!({ "company_domain": "northwind-robotics.example" }), response)
    }

    fn not_found() -> Option<CompetitiveIntelResponse> {
        Some(CompetitiveIntelResponse::default())
    }

    async fn run(context: &Context, domain: Domain) -> Result<Outcome<CompetitiveIntelResponse>, Fault> {
        let watch = Stopwatch::start();
        let Some(company) = known_company(context, &domain).await? else {
            return Ok(Outcome::nothing(CompetitiveIntelResponse::default()));
        };
        let (leadership, moves, alike) = tokio::try_join!(
            leaders(context, &company, LEADERS_SHOWN_MAX),
            moves_at(context, &company),
            companies_like(context, &company, LOOKALIKES_SHOWN_MAX)
        )?;
        let people = leadership.iter().map(|person| person.id).chain(moves.iter().map(|(person, _)| *person));
        let people = people.collect();
        let body = CompetitiveIntelResponse {
            found: true,
            leadership: leadership.into_iter().map(MemberView::from).collect(),
            recent_moves: moves.into_iter().map(|(_, view)| view).collect(),
            technologies: company.facts.technologies.iter().cloned().map(TechnologyView::from).collect(),
            lookalikes: alike.into_iter().map(LookalikeAccount::from).collect(),
            company: Some(company.into()),
        };
        Ok(Outcome::found(body, 1, Trace { people, ..Trace::graph(true, watch.elapsed()) }))
    }
}
