//! `POST /v1/bundles/recruiter-pack`: a candidate, and eight like them at other companies.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::combos::SimilarPerson;
use crate::endpoints::resolve::profile_url;
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::account::found_person;
use crate::steps::similarity::people_like;
use crate::view::PersonView;
use assay_domain::limits::CANDIDATES_SHOWN_MAX;
use assay_domain::{Credits, NetworkHosts, NetworkUrl, Price};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum RecruiterPack {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct RecruiterPackRequest {
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RecruiterPackResponse {
    /// Whether the candidate is known; else nothing is charged.
    pub found: bool,
    pub candidate: Option<PersonView>,
    /// The most alike first, at other companies; eight at most.
    pub similar_candidates: Vec<SimilarPerson>,
}

impl Endpoint for RecruiterPack {
    const SPEC: Spec = Spec {
        units_max: 1,
        spends_upstream: true,
        summary: "A candidate, and eight like them",
        description: "A profile gives the person and up to eight people like them at other companies, with the reasons. Charged only when \
                      the person is known.",
        ..Spec::research(
            "recruiter-pack",
            "/v1/bundles/recruiter-pack",
            Group::Bundles,
            Price::Flat(Credits::whole(30)),
            "person",
        )
    };
    type Request = RecruiterPackRequest;
    type Question = NetworkUrl;
    type Response = RecruiterPackResponse;

    fn parse(request: RecruiterPackRequest, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
        profile_url(&request.network_url, hosts)
    }

    fn example() -> (Value, RecruiterPackResponse) {
        let response = RecruiterPackResponse {
            found: true,
            candidate: Some(example::person().into()),
            similar_candidates: SimilarPerson::examples(),
        };
        (json!({ "networkUrl": "https://network.example/in/ada-okafor" }), response)
    }

    fn not_found() -> Option<RecruiterPackResponse> {
        Some(RecruiterPackResponse::default())
    }

    async fn run(context: &Context, url: NetworkUrl) -> Result<Outcome<RecruiterPackResponse>, Fault> {
        let (person, mut trace) = found_person(context, &url).await?;
        let Some(person) = person else {
            return Ok(Outcome::found(RecruiterPackResponse::default(), 0, trace));
        };
        let alike = people_like(context, &person, CANDIDATES_SHOWN_MAX).await?;
        trace.people.extend(alike.iter().map(|alike| alike.record.id));
        let body = RecruiterPackResponse {
            found: true,
            candidate: Some(person.into()),
            similar_candidates: alike.into_iter().map(SimilarPerson::from).collect(),
        };
        Ok(Outcome::found(body, 1, trace))
    }
}
