//! `POST /v1/reverse-phone`: whose number this is.

use super::reverse::{ReverseResponse, find};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use assay_domain::{Credits, NetworkHosts, Phone};
use assay_engine::PersonQuery;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum ReversePhone {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct ReversePhoneRequest {
    /// In international format.
    #[garde(length(chars, max = 64))]
    phone: String,
}

impl Endpoint for ReversePhone {
    const SPEC: Spec = Spec {
        summary: "Say whose a phone number is",
        description: "A phone number gives the person it belongs to, their profile and their company, from the graph or from a vendor \
                      the operator has connected. Charged only when a person is found.",
        ..Spec::lookup("reverse-phone", "/v1/reverse-phone", Group::Find, Credits::whole(2), "person")
    };
    type Request = ReversePhoneRequest;
    type Question = Phone;
    type Response = ReverseResponse;

    fn parse(request: ReversePhoneRequest, _: &NetworkHosts) -> Result<Phone, Fault> {
        Phone::parse(&request.phone).map_err(|error| Fault::unreadable("/phone", &error))
    }

    fn example() -> (Value, ReverseResponse) {
        (json!({ "phone": "+12025550143" }), ReverseResponse::example())
    }

    fn not_found() -> Option<ReverseResponse> {
        Some(ReverseResponse::default())
    }

    async fn run(context: &Context, phone: Phone) -> Result<Outcome<ReverseResponse>, Fault> {
        find(context, &PersonQuery::Phone(phone)).await
    }
}
