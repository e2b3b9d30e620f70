//! `POST /v1/prospect-package`: somebody, how to reach them, who works beside them, and what there is to say to them.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::resolve::profile_url;
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec};
use crate::steps::account::{employer_of, found_person};
use crate::steps::committee::MemberView;
use crate::steps::contact::contact;
use crate::steps::people::peers;
use assay_domain::limits::PEERS_SHOWN_MAX;
use assay_domain::{Credits, NetworkHosts, NetworkUrl, Person, Price};
use assay_engine::research::{Occasion, hooks};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum ProspectPackage {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ProspectPackageRequest {
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ProspectPackageResponse {
    /// Whether they are known; else nothing is charged.
    pub found: bool,
    pub person: Option<ProspectView>,
    /// Their mobile, in international format.
    pub phone: Option<String>,
    /// Who works beside them; three at most.
    pub peers_at_company: Vec<MemberView>,
    /// Sentences to begin with, four at most; each stands on one fact.
    pub personalization_hooks: Vec<String>,
    /// The field of the record that each of them stands on.
    pub hook_facts: Vec<&'static str>,
    /// Whether something could not be asked for, which may be found another time.
    pub partial: bool,
    /// What that is.
    pub failed_parts: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Prospect")]
pub struct ProspectView {
    pub id: String,
    pub full_name: String,
    pub email: Option<String>,
    pub email_verified: Option<bool>,
    pub title: Option<String>,
    pub network_url: Option<String>,
    pub company: Option<ProspectCompany>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ProspectCompany {
    pub name: String,
    pub domain: Option<String>,
}

impl ProspectView {
    fn new(person: Person, email: Option<String>, is_verified: bool) -> Self {
        let job = person.current();
        let company = person.company.as_ref();
        let domain = company.and_then(|company| company.domain.as_ref()).map(ToString::to_string);
        Self {
            id: person.id.to_string(),
            title: job.map(|job| job.title.clone()),
            company: job.map(|job| ProspectCompany { name: job.company_name.clone(), domain }),
            email_verified: email.is_some().then_some(is_verified),
            email,
            network_url: person.facts.network_url.as_ref().map(ToString::to_string),
            full_name: person.facts.full_name,
        }
    }
}

impl Endpoint for ProspectPackage {
    const SPEC: Spec = Spec {
        scope: Scope::Lookup,
        units_max: 1,
        spends_upstream: true,
        summary: "Everything to write to somebody with",
        description: "A profile gives the person, their verified business address and mobile, three who work beside them, and up to four \
                      sentences to begin with, each of which stands on one fact of the record and says nothing else. Charged only \
                      when the person is known; what could not be asked for is named.",
        ..Spec::research(
            "prospect-package",
            "/v1/prospect-package",
            Group::Combos,
            Price::Flat(Credits::whole(12)),
            "person",
        )
    };
    type Request = ProspectPackageRequest;
    type Question = NetworkUrl;
    type Response = ProspectPackageResponse;

    fn parse(request: ProspectPackageRequest, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
        profile_url(&request.network_url, hosts)
    }

    fn example() -> (Value, ProspectPackageResponse) {
        let (person, company) = (example::person(), example::company());
        let said = hooks(&person, Some(&company), example::moment().date_naive());
        let email = Some("ada.okafor@northwind-robotics.example".to_owned());
        let response = ProspectPackageResponse {
            found: true,
            peers_at_company: vec![MemberView::from(person.clone())],
            person: Some(ProspectView::new(person, email, true)),
            phone: Some("+12025550123".to_owned()),
            hook_facts: said.iter().map(|hook| hook.fact).collect(),
            personalization_hooks: said.into_iter().map(|hook| hook.text).collect(),
            ..ProspectPackageResponse::default()
        };
        (json!({ "networkUrl": "https://network.example/in/ada-okafor" }), response)
    }

    fn not_found() -> Option<ProspectPackageResponse> {
        Some(ProspectPackageResponse::default())
    }

    async fn run(context: &Context, url: NetworkUrl) -> Result<Outcome<ProspectPackageResponse>, Fault> {
        let (person, mut trace) = found_person(context, &url).await?;
        let Some(person) = person else {
            return Ok(Outcome::found(ProspectPackageResponse::default(), 0, trace));
        };
        let (contact, peers, company) = tokio::try_join!(
            contact(context, &person),
            peers(context, &person, PEERS_SHOWN_MAX),
            employer_of(context, &person)
        )?;
        let said: Vec<Occasion> = hooks(&person, company.as_ref(), context.now.date_naive());
        trace.steps.extend(contact.trace.steps);
        trace.people = peers.iter().map(|peer| peer.id).chain([person.id]).collect();
        let body = ProspectPackageResponse {
            found: true,
            person: Some(ProspectView::new(person, contact.email, contact.is_email_verified)),
            phone: contact.phone,
            peers_at_company: peers.into_iter().map(MemberView::from).collect(),
            hook_facts: said.iter().map(|hook| hook.fact).collect(),
            personalization_hooks: said.into_iter().map(|hook| hook.text).collect(),
            partial: !contact.failed_parts.is_empty(),
            failed_parts: contact.failed_parts,
        };
        Ok(Outcome::found(body, 1, trace))
    }
}
