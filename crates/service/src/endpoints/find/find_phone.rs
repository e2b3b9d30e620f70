//! `POST /v1/find-phone`: somebody's mobile.

use super::telephone::TelephoneView;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::somebody::Who;
use crate::steps::telephone::{Wanted, search};
use assay_domain::person::LineType;
use assay_domain::{Credits, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FindPhone {}

/// Somebody, by name and the domain of the company they work for.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct FindPhoneRequest {
    /// Of the company they work for.
    #[garde(length(chars, max = 253))]
    domain: String,
    #[serde(rename = "firstName")]
    #[garde(length(chars, max = 200))]
    first_name: String,
    #[serde(rename = "lastName")]
    #[garde(length(chars, max = 200))]
    last_name: String,
    /// A number found longer ago than this is looked for again. Default and most: 365.
    #[garde(range(min = 1, max = 365))]
    max_age_days: Option<u32>,
}

impl Endpoint for FindPhone {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Find somebody's mobile phone",
        description: "A name and the domain of a company give a mobile number: from the graph, from what was found within a year, \
                      or from vendors the operator has connected, the cheapest for a good answer first. That it is a mobile is \
                      told by its country's numbering plan or by its carrier. Charged only when one is found.",
        ..Spec::lookup("find-phone", "/v1/find-phone", Group::Find, Credits::whole(12), "mobile")
    };
    type Request = FindPhoneRequest;
    type Question = Wanted;
    type Response = TelephoneView;

    fn parse(request: FindPhoneRequest, _: &NetworkHosts) -> Result<Wanted, Fault> {
        let FindPhoneRequest { domain, first_name, last_name, max_age_days } = request;
        let who = Who::named(&first_name, &last_name, &domain)?;
        Ok(Wanted::new(who, false, max_age_days))
    }

    fn example() -> (Value, TelephoneView) {
        let request =
            json!({ "firstName": "Ada", "lastName": "Okafor", "domain": "northwind-robotics.example" });
        (request, TelephoneView::example("+447700900123", LineType::Mobile, "Example Mobile", "GB"))
    }

    fn not_found() -> Option<TelephoneView> {
        Some(TelephoneView::default())
    }

    async fn run(context: &Context, wanted: Wanted) -> Result<Outcome<TelephoneView>, Fault> {
        let (found, trace) = search(context, wanted).await?;
        let units = u32::from(found.is_some());
        Ok(Outcome::found(TelephoneView::of(found), units, trace))
    }
}
