//! `POST /v1/find-personal-email`: somebody's address at a provider where anybody can have one. Such addresses are known or not;
//! none is ever guessed.

use super::somebody::{FindEmailQuestion, FindEmailRequest, FindEmailResponse};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::somebody::ask;
use assay_domain::person::EmailKind;
use assay_domain::{Credits, Email, Lookup, NetworkHosts, Person};
use assay_mailbox::check_email;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FindPersonalEmail {}

impl Endpoint for FindPersonalEmail {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Find somebody's personal address",
        description: "A profile, or a name and the domain of a company, gives an address at a free mail provider that somebody is \
                      listed with, or that a vendor knows, and whose mail server was asked less than 30 days ago. None is ever \
                      guessed. Charged only when one is found.",
        ..Spec::lookup(
            "find-personal-email",
            "/v1/find-personal-email",
            Group::Find,
            Credits::whole(2),
            "address",
        )
    };
    type Request = FindEmailRequest;
    type Question = FindEmailQuestion;
    type Response = FindEmailResponse;

    fn parse(request: FindEmailRequest, hosts: &NetworkHosts) -> Result<FindEmailQuestion, Fault> {
        FindEmailQuestion::read(&request, hosts)
    }

    fn example() -> (Value, FindEmailResponse) {
        let request = json!({
            "kind": "name", "firstName": "Ada", "lastName": "Okafor", "domain": "northwind-robotics.example"
        });
        (request, FindEmailResponse::example("ada.okafor@freemail.example", "freemail", true))
    }

    fn not_found() -> Option<FindEmailResponse> {
        Some(FindEmailResponse::default())
    }

    async fn run(context: &Context, asked: FindEmailQuestion) -> Result<Outcome<FindEmailResponse>, Fault> {
        let looking = asked.begin(context).await?;
        let person = looking.person.as_ref();
        let known = person.map(personal).unwrap_or_default();
        let ask = ask(context, Lookup::PersonalEmail, &looking.who, person, looking.freshness);
        let searching = Box::pin(context.engine.find_known_address(&known, &ask, context.now));
        let search = context.slot.aside(searching).await?;
        looking.outcome(search, context.now)
    }
}

fn personal(person: &Person) -> Vec<Email> {
    let is_personal = |email: &Email, kind: EmailKind| {
        kind == EmailKind::Personal || check_email(email.clone()).free_provider
    };
    let listed = person.facts.emails.iter().filter(|known| is_personal(&known.address, known.kind));
    listed.map(|known| known.address.clone()).collect()
}
