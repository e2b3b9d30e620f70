//! `GET /v1/bulk/{id}`: where a bulk job stands, and its results so far.

use super::view::{BulkView, EXAMPLE_ID};
use crate::bulk::{ItemView, ItemWord};
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, limits};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub enum BulkGet {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkGetRequest {
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: String,
    /// Only results that came to this.
    #[garde(skip)]
    status: Option<ItemWord>,
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct BulkGetQuestion {
    id: String,
    status: Option<ItemWord>,
    from: usize,
    limit: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkGetResponse {
    #[serde(flatten)]
    pub job: BulkView,
    pub metadata: Option<Map<String, Value>>,
    /// The message about the end of the job; null while there is none.
    pub webhook: Option<DeliveryShown>,
    /// In the order of the items; those that are not done yet are `pending`.
    pub results: Vec<ItemView>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BulkDelivery")]
pub struct DeliveryShown {
    #[schemars(extend("enum" = ["pending", "delivered", "failed", "canceled"]))]
    pub status: &'static str,
    /// How often it was tried.
    pub attempts: u32,
}

impl Endpoint for BulkGet {
    const SPEC: Spec = Spec {
        summary: "A bulk job and its results",
        description: "Where the job stands and a page of its results, in the order of its items. People are shown as the \
                      graph knows them today; one who was erased since is null.",
        ..Spec::free("bulk-get", Verb::Get, "/v1/bulk/{id}", Group::Bulk, Scope::Bulk)
    };
    type Request = BulkGetRequest;
    type Question = BulkGetQuestion;
    type Response = BulkGetResponse;

    fn parse(request: BulkGetRequest, _hosts: &NetworkHosts) -> Result<BulkGetQuestion, Fault> {
        let from: Option<usize> = cursor::read(request.cursor.as_deref())?;
        let limit = request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT);
        Ok(BulkGetQuestion {
            id: request.id,
            status: request.status,
            from: from.unwrap_or(0),
            limit: usize::try_from(limit).unwrap_or(1),
        })
    }

    fn example() -> (Value, BulkGetResponse) {
        let response = BulkGetResponse {
            job: BulkView::example(),
            metadata: json!({ "list": "spring fair" }).as_object().cloned(),
            webhook: None,
            results: ItemView::examples().into(),
            next_cursor: None,
        };
        (json!({ "id": EXAMPLE_ID, "limit": 100 }), response)
    }

    async fn run(context: &Context, question: BulkGetQuestion) -> Result<Outcome<BulkGetResponse>, Fault> {
        let bulks = context.memory.bulks();
        let row = bulks.find(&question.id).await?;
        let page = bulks.page(&context.engine, &row, question.from, question.limit, question.status).await?;
        Ok(Outcome::nothing(BulkGetResponse {
            job: BulkView::of(&row),
            metadata: bulks.metadata(&row)?,
            webhook: bulks.delivery(&row).await?.map(|(status, attempts)| DeliveryShown { status, attempts }),
            results: page.results,
            next_cursor: page.next.and_then(|next| cursor::write(&next)),
        }))
    }
}
