//! `GET /v1/saved-icps/{id}/results`: what runs of a saved ICP showed, read again.

use super::fields;
use super::run::{IcpResult, SavedIcpsRun, Shown};
use super::view::{EXAMPLE_ID, EXAMPLE_RUN};
use crate::account_icps::ShownRecord;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::lists::{ToldPage, ToldRequest};
use crate::fault::Fault;
use crate::spec::{Spec, Verb};
use crate::view::{ToldPerson, tell_people};
use assay_domain::watch::WatchKind;
use assay_domain::{Company, IcpId, NetworkHosts};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum SavedIcpsResults {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedIcpsResultsResponse {
    pub results: Vec<IcpResult>,
    pub next_cursor: Option<String>,
}

impl Endpoint for SavedIcpsResults {
    const SPEC: Spec = Spec {
        summary: "What a saved ICP showed before",
        description: "People or companies that runs of it have shown, the newest first, as they are known today; with `run_id` those \
                      that the run was the first to show. Whoever was erased since is gone. Free: it was paid for.",
        ..Spec::keeping("saved-icps-results", Verb::Get, "/v1/saved-icps/{id}/results")
    };
    type Request = ToldRequest;
    type Question = (IcpId, ToldPage<ShownRecord>);
    type Response = SavedIcpsResultsResponse;

    fn parse(request: ToldRequest, _: &NetworkHosts) -> Result<Self::Question, Fault> {
        Ok((fields::icp_id(&request.id), request.page()?))
    }

    fn example() -> (Value, SavedIcpsResultsResponse) {
        let (_, run) = SavedIcpsRun::example();
        let response = SavedIcpsResultsResponse { results: run.results, next_cursor: None };
        (json!({ "id": EXAMPLE_ID, "run_id": EXAMPLE_RUN }), response)
    }

    async fn run(
        context: &Context,
        (id, asked): Self::Question,
    ) -> Result<Outcome<SavedIcpsResultsResponse>, Fault> {
        let icps = context.memory.icps();
        let icp = icps.find(id).await?;
        let mut shown = icps.shown(icp.id, asked.run, asked.after, asked.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut shown, asked.limit, |record| *record);
        let ids: Vec<Uuid> = shown.into_iter().map(|record| record.id).collect();
        let results = match icp.target {
            WatchKind::People => as_known_today::<ToldPerson>(context, &ids).await?,
            WatchKind::Companies => as_known_today::<Company>(context, &ids).await?,
        };
        Ok(Outcome::nothing(SavedIcpsResultsResponse { results, next_cursor }))
    }

    async fn finish(context: &Context, answer: &mut SavedIcpsResultsResponse) -> Result<u32, Fault> {
        Ok(tell_people(&context.engine, &mut answer.results).await?)
    }
}

async fn as_known_today<R: Shown>(context: &Context, ids: &[Uuid]) -> Result<Vec<IcpResult>, Fault> {
    let records = R::read(&context.engine, context.memory.account(), ids).await?;
    Ok(records.into_iter().map(Shown::show).collect())
}
