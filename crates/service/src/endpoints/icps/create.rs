//! `POST /v1/saved-icps`: saves a search.

use super::fields;
use super::view::{IcpAnswer, example_filters};
use crate::account_icps::IcpTerms;
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::lists::{KindAsked, ScheduleAsked, list_name};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use assay_domain::NetworkHosts;
use assay_domain::limits::LIST_NAME_CHARS_MAX;
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub enum SavedIcpsCreate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct SavedIcpsCreateRequest {
    #[garde(length(chars, min = 1, max = LIST_NAME_CHARS_MAX))]
    #[schemars(length(min = 1, max = LIST_NAME_CHARS_MAX))]
    name: String,
    target: KindAsked,
    /// As `search/people` or `search/companies` take them, `exclude` too.
    filters: Map<String, Value>,
    /// Runs it without being asked, and tells your webhooks what is new. Without one it runs only when asked.
    #[garde(dive)]
    schedule: Option<ScheduleAsked>,
}

impl Endpoint for SavedIcpsCreate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Save a search",
        description: "Keeps the filters of a search for people or companies, to be run again by their id. Filters are checked as the \
                      search checks them. With a `schedule` it runs by itself, each time for at most `max_credits`, shows what no run has \
                      shown before, and the event `saved_icp.new_results` tells your webhooks where to read it.",
        ..Spec::keeping("saved-icps-create", Verb::Post, "/v1/saved-icps")
    };
    type Request = SavedIcpsCreateRequest;
    type Question = IcpTerms;
    type Response = IcpAnswer;

    fn parse(request: SavedIcpsCreateRequest, hosts: &NetworkHosts) -> Result<IcpTerms, Fault> {
        let (name, target) = (list_name(&request.name)?, request.target.into());
        fields::check(target, &request.filters, hosts)?;
        let schedule = request.schedule.map(ScheduleAsked::read).transpose()?;
        Ok(IcpTerms { name, target, filters: request.filters, schedule })
    }

    fn example() -> (Value, IcpAnswer) {
        let view = IcpAnswer::example();
        let IcpAnswer { icp } = &view;
        (json!({ "name": icp.name, "target": icp.target, "filters": example_filters() }), view)
    }

    async fn run(context: &Context, terms: IcpTerms) -> Result<Outcome<IcpAnswer>, Fault> {
        Ok(Outcome::nothing(IcpAnswer::of(context.memory.icps().create(terms, context.now).await?)))
    }
}
