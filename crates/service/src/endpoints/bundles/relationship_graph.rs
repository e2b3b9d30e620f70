//! `POST /v1/bundles/relationship-graph`: somebody, who worked with them before, and who of those could introduce you.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::resolve::profile_url;
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::{found_person, read_domain};
use crate::steps::committee::MemberView;
use crate::steps::coworkers::{Coworker, coworkers};
use crate::view::PersonView;
use assay_domain::limits::DOMAIN_CHARS_MAX;
use assay_domain::{Credits, Domain, NetworkHosts, NetworkUrl, Price};
use chrono::NaiveDate;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum RelationshipGraph {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct RelationshipGraphRequest {
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: String,
    /// Of a company: then only former coworkers who are there now can introduce you.
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    target_domain: Option<String>,
}

#[derive(Debug)]
pub struct RelationshipGraphQuestion {
    url: NetworkUrl,
    target: Option<Domain>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RelationshipGraphResponse {
    /// Whether the person is known; else nothing is charged.
    pub found: bool,
    pub person: Option<PersonView>,
    /// Who was longest with them first.
    pub coworkers: Vec<CoworkerView>,
    /// From the person through a former coworker to where that one is now; to the target where one is asked for.
    pub intro_paths: Vec<IntroPath>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Coworker")]
pub struct CoworkerView {
    pub person: MemberView,
    /// Where they worked together.
    pub company: String,
    pub overlap: OverlapView,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Overlap")]
pub struct OverlapView {
    pub from: NaiveDate,
    /// Null where both are still there.
    pub to: Option<NaiveDate>,
    pub months: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntroPath {
    /// Names: who is asked, and who introduces.
    pub through: Vec<String>,
    /// Where the last of them works now.
    pub company: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How long the two worked together.
    pub months: u32,
}

impl From<Coworker> for CoworkerView {
    fn from(coworker: Coworker) -> Self {
        let Coworker { person, overlap } = coworker;
        let times = OverlapView { from: overlap.from, to: overlap.to, months: overlap.months };
        Self { person: person.into(), company: overlap.company_name, overlap: times }
    }
}

/// Through whoever is elsewhere now.
fn path(from: &str, coworker: &Coworker, target: Option<&Domain>) -> Option<IntroPath> {
    let there = coworker.person.company.as_ref().filter(|there| there.id != coworker.overlap.company)?;
    let is_target = target.is_none_or(|target| there.domain.as_ref() == Some(target));
    is_target.then(|| IntroPath {
        through: vec![from.to_owned(), coworker.person.facts.full_name.clone()],
        company: there.name.clone(),
        domain: there.domain.as_ref().map(ToString::to_string),
        months: coworker.overlap.months,
    })
}

impl Endpoint for RelationshipGraph {
    const SPEC: Spec = Spec {
        units_max: 1,
        spends_upstream: true,
        summary: "Somebody, and who worked with them",
        description: "A profile gives the person, who worked at the same companies at the same time, the longest first, and the paths that \
                      lead through them to where they are now, or to one company. Charged only when the person is known.",
        ..Spec::research(
            "relationship-graph",
            "/v1/bundles/relationship-graph",
            Group::Bundles,
            Price::Flat(Credits::whole(15)),
            "person",
        )
    };
    type Request = RelationshipGraphRequest;
    type Question = RelationshipGraphQuestion;
    type Response = RelationshipGraphResponse;

    fn parse(
        request: RelationshipGraphRequest,
        hosts: &NetworkHosts,
    ) -> Result<RelationshipGraphQuestion, Fault> {
        let target =
            request.target_domain.as_deref().map(|text| read_domain(text, "/target_domain")).transpose()?;
        Ok(RelationshipGraphQuestion { url: profile_url(&request.network_url, hosts)?, target })
    }

    fn example() -> (Value, RelationshipGraphResponse) {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap_or_default();
        let coworker = CoworkerView {
            person: example::person().into(),
            company: "Alder Systems".to_owned(),
            overlap: OverlapView { from: day("2020-06-01"), to: Some(day("2025-02-01")), months: 56 },
        };
        let response = RelationshipGraphResponse {
            found: true,
            person: Some(example::person().into()),
            coworkers: vec![coworker],
            intro_paths: Vec::new(),
        };
        (json!({ "networkUrl": "https://network.example/in/ada-okafor" }), response)
    }

    fn not_found() -> Option<RelationshipGraphResponse> {
        Some(RelationshipGraphResponse::default())
    }

    async fn run(
        context: &Context,
        asked: RelationshipGraphQuestion,
    ) -> Result<Outcome<RelationshipGraphResponse>, Fault> {
        let (person, mut trace) = found_person(context, &asked.url).await?;
        let Some(person) = person else {
            return Ok(Outcome::found(RelationshipGraphResponse::default(), 0, trace));
        };
        let known = coworkers(context, &person).await?;
        trace.people.extend(known.iter().map(|coworker| coworker.person.id));
        let name = person.facts.full_name.clone();
        let body = RelationshipGraphResponse {
            found: true,
            person: Some(person.into()),
            intro_paths: known.iter().filter_map(|one| path(&name, one, asked.target.as_ref())).collect(),
            coworkers: known.into_iter().map(CoworkerView::from).collect(),
        };
        Ok(Outcome::found(body, 1, trace))
    }
}
