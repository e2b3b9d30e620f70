//! `POST /v1/reverse-email`: whose address this is.

use super::reverse::{ReverseResponse, find};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use assay_domain::{Credits, Email, NetworkHosts};
use assay_engine::PersonQuery;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum ReverseEmail {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ReverseEmailRequest {
    /// Business or personal.
    #[garde(length(chars, max = 320))]
    email: String,
}

impl Endpoint for ReverseEmail {
    const SPEC: Spec = Spec {
        summary: "Say whose an email address is",
        description: "An email address gives the person it belongs to, their profile and their company, from the graph or from a vendor \
                      the operator has connected. Charged only when a person is found.",
        ..Spec::lookup("reverse-email", "/v1/reverse-email", Group::Find, Credits::whole(1), "person")
    };
    type Request = ReverseEmailRequest;
    type Question = Email;
    type Response = ReverseResponse;

    fn parse(request: ReverseEmailRequest, _: &NetworkHosts) -> Result<Email, Fault> {
        Email::parse(&request.email).map_err(|error| Fault::unreadable("/email", &error))
    }

    fn example() -> (Value, ReverseResponse) {
        (json!({ "email": "ada.okafor@northwind-robotics.example" }), ReverseResponse::example())
    }

    fn not_found() -> Option<ReverseResponse> {
        Some(ReverseResponse::default())
    }

    async fn run(context: &Context, email: Email) -> Result<Outcome<ReverseResponse>, Fault> {
        find(context, &PersonQuery::Email(email)).await
    }
}
