//! `POST /v1/find-email`: somebody's address at the company they work for.

use super::somebody::{FindEmailQuestion, FindEmailRequest, FindEmailResponse};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::address::business_address;
use assay_domain::{Credits, NetworkHosts};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FindEmail {}

impl Endpoint for FindEmail {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Find somebody's business address",
        description: "A profile, or a name and the domain of a company, gives a business address whose mail server was asked less \
                      than 30 days ago. An address somebody is listed with is validated again; else one is worked out from how \
                      the company writes its addresses, and asked for; else vendors the operator has connected are asked. Charged \
                      only when one is found.",
        ..Spec::lookup("find-email", "/v1/find-email", Group::Find, Credits::whole(2), "address")
    };
    type Request = FindEmailRequest;
    type Question = FindEmailQuestion;
    type Response = FindEmailResponse;

    fn parse(request: FindEmailRequest, hosts: &NetworkHosts) -> Result<FindEmailQuestion, Fault> {
        FindEmailQuestion::read(&request, hosts)
    }

    fn example() -> (Value, FindEmailResponse) {
        let request = json!({ "kind": "network", "networkUrl": "https://network.example/in/ada-okafor" });
        let response = FindEmailResponse::example("ada.okafor@northwind-robotics.example", "google", false);
        (request, response)
    }

    fn not_found() -> Option<FindEmailResponse> {
        Some(FindEmailResponse::default())
    }

    async fn run(context: &Context, asked: FindEmailQuestion) -> Result<Outcome<FindEmailResponse>, Fault> {
        let looking = asked.begin(context).await?;
        match business_address(context, &looking.who, looking.freshness, looking.person.as_ref()).await? {
            Some(search) => looking.outcome(search, context.now),
            None => Ok(Outcome::nothing(FindEmailResponse::default())),
        }
    }
}
