//! `POST /v1/multi-source-phone`: somebody's telephone of any kind, and who was asked for it.

use super::telephone::TelephoneView;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step};
use crate::endpoints::resolve::profile_url;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use crate::steps::somebody::Who;
use crate::steps::telephone::{Wanted, search};
use assay_domain::person::LineType;
use assay_domain::{Credits, NetworkHosts};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum MultiSourcePhone {}

/// Somebody, by `networkUrl`, or by `firstName`, `lastName` and `domain`.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = forms)]
pub struct MultiSourcePhoneRequest {
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: Option<String>,
    #[serde(rename = "firstName")]
    #[garde(length(chars, max = 200))]
    first_name: Option<String>,
    #[serde(rename = "lastName")]
    #[garde(length(chars, max = 200))]
    last_name: Option<String>,
    /// Of the company they work for.
    #[garde(length(chars, max = 253))]
    domain: Option<String>,
    /// A number found longer ago than this is looked for again. Default and most: 365.
    #[garde(range(min = 1, max = 365))]
    max_age_days: Option<u32>,
}

/// What `parse` below accepts, told to the reference.
fn forms(schema: &mut schemars::Schema) {
    crate::openapi::exactly_one_form(
        schema,
        &[("by network URL", &["networkUrl"]), ("by name and domain", &["firstName", "lastName", "domain"])],
    );
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MultiSourcePhoneResponse {
    #[serde(flatten)]
    telephone: TelephoneView,
    /// In the order they were asked.
    sources_tried: Vec<SourceTried>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceTried {
    source: String,
    /// `found`, `not_found`, or why it told nothing.
    outcome: String,
}

impl SourceTried {
    fn of(step: &Step) -> Self {
        Self { source: step.provider.to_string(), outcome: step.outcome.to_owned() }
    }
}

impl Endpoint for MultiSourcePhone {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Find somebody's phone of any kind, source by source",
        description: "A profile, or a name and the domain of a company, gives a phone number of any line type, and says which \
                      sources were tried for it and what each said. Charged only when one is found.",
        ..Spec::lookup(
            "multi-source-phone",
            "/v1/multi-source-phone",
            Group::NicheCombos,
            Credits::whole(14),
            "phone",
        )
    };
    type Request = MultiSourcePhoneRequest;
    type Question = Wanted;
    type Response = MultiSourcePhoneResponse;

    fn parse(request: MultiSourcePhoneRequest, hosts: &NetworkHosts) -> Result<Wanted, Fault> {
        let MultiSourcePhoneRequest { network_url, first_name, last_name, domain, max_age_days } = request;
        let who = match (network_url, first_name, last_name, domain) {
            (Some(url), None, None, None) => Who::Network(profile_url(&url, hosts)?),
            (None, Some(first), Some(last), Some(domain)) => Who::named(&first, &last, &domain)?,
            (Some(_), _, _, _) => {
                let fix = "send networkUrl alone, or firstName, lastName and domain";
                let what = "more than one identifier form is given";
                return Err(Fault::field("", "several_identifiers", what, fix));
            }
            _ => {
                let fix = "send networkUrl, or firstName, lastName and domain";
                return Err(Fault::field("", "missing_identifier", "nobody is named in full", fix));
            }
        };
        Ok(Wanted::new(who, true, max_age_days))
    }

    fn example() -> (Value, MultiSourcePhoneResponse) {
        let telephone = TelephoneView::example("+442079460123", LineType::Landline, "Example Telecom", "GB");
        let tried = SourceTried { source: "graph".to_owned(), outcome: "found".to_owned() };
        let request = json!({ "networkUrl": "https://network.example/in/ada-okafor" });
        (request, MultiSourcePhoneResponse { telephone, sources_tried: vec![tried] })
    }

    fn not_found() -> Option<MultiSourcePhoneResponse> {
        Some(MultiSourcePhoneResponse::default())
    }

    async fn run(context: &Context, wanted: Wanted) -> Result<Outcome<MultiSourcePhoneResponse>, Fault> {
        let (found, trace) = search(context, wanted).await?;
        let units = u32::from(found.is_some());
        let telephone = TelephoneView::of(found);
        let sources_tried = trace.steps.iter().map(SourceTried::of).collect();
        Ok(Outcome::found(MultiSourcePhoneResponse { telephone, sources_tried }, units, trace))
    }
}
