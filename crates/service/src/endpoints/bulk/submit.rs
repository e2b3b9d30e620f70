//! `POST /v1/bulk/enrich`: up to 500 lookups in one call, answered later.

use super::view::EXAMPLE_ID;
use super::{NAME, PRICE};
use crate::bulk::{Asked, BulkStatus, Terms};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::endpoints::resolve::{Enrich, EnrichRequest};
use crate::fault::{Code, Fault, FieldError};
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{NetworkHosts, Plan, WebhookId, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Why an identifier cannot be read although the request around it is one.
const UNREADABLE: &[&str] = &[
    "invalid_domain",
    "invalid_email",
    "invalid_name",
    "invalid_network_url",
    "invalid_phone",
    "not_a_person",
];

#[derive(Debug)]
pub enum BulkEnrich {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct BulkEnrichRequest {
    /// Up to 500 `enrich` requests, each with an `id` of your own if you like.
    #[garde(length(min = 1, max = limits::BULK_ITEMS_MAX))]
    #[schemars(schema_with = "items")]
    items: Vec<Map<String, Value>>,
    /// Who is told when the job is over. Needs the plan Pro or a higher one.
    #[garde(dive)]
    webhook: Option<WebhookChoice>,
    /// Anything of yours that should come back with the job.
    #[garde(skip)]
    metadata: Option<Map<String, Value>>,
}

/// A webhook of yours by its `id`, or the `url` of one, which is made where there is none.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = one_of_both)]
pub struct WebhookChoice {
    #[garde(length(chars, max = limits::URL_CHARS_MAX))]
    url: Option<String>,
    #[garde(length(chars, max = limits::ID_CHARS_MAX))]
    id: Option<String>,
}

fn one_of_both(schema: &mut Schema) {
    crate::openapi::exactly_one_form(schema, &[("by URL", &["url"]), ("by id", &["id"])]);
}

#[derive(Debug)]
enum Told {
    At(String),
    Known(WebhookId),
}

#[derive(Debug)]
pub struct BulkEnrichQuestion {
    items: Vec<Asked>,
    told: Option<Told>,
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BulkEnrichResponse {
    pub id: String,
    #[schemars(extend("enum" = ["queued"]))]
    pub status: &'static str,
    pub total: i32,
    pub created_at: DateTime<Utc>,
    /// Where the job and its results can be read.
    pub poll_url: String,
    /// The webhook that is told when the job is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookShown>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BulkWebhook")]
pub struct WebhookShown {
    pub id: String,
    /// What its messages are signed with, when it was made by this call. It is shown here and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// The fields of an `enrich` request, and an id.
fn items(generator: &mut SchemaGenerator) -> Schema {
    let mut item = EnrichRequest::json_schema(generator);
    if let Some(fields) = item.get_mut("properties").and_then(Value::as_object_mut) {
        let id = json!({ "type": ["string", "null"], "maxLength": limits::BULK_ITEM_ID_CHARS_MAX,
            "description": "Your own id; it comes back with the result." });
        fields.insert("id".into(), id);
    }
    let items = json!({ "type": "array", "items": item, "minItems": 1, "maxItems": limits::BULK_ITEMS_MAX,
        "description": "Up to 500 `enrich` requests, each with an `id` of your own if you like." });
    Schema::try_from(items).unwrap_or_default()
}

impl Endpoint for BulkEnrich {
    const SPEC: Spec = Spec {
        name: NAME,
        verb: Verb::Post,
        path: "/v1/bulk/enrich",
        status: 202,
        group: Group::Bulk,
        price: PRICE,
        unit: "resolved item",
        units_max: 500,
        plan: Plan::Trial,
        scope: Scope::Bulk,
        spends_upstream: true,
        summary: "Look up to 500 people in one call",
        description: "Takes up to 500 `enrich` requests and answers at once with a job; poll it at `poll_url`. All items \
                      are checked before the job is made: one that is no `enrich` request refuses the whole call, with \
                      every reason; one whose identifier cannot be read (an email that is none) becomes an `invalid` \
                      result. The same identifier twice is looked up and charged once. Credits are held 50 items at a \
                      time; without credits the job pauses, goes on after a top-up, and is canceled after 7 days. Items \
                      beyond `max_credits` are `skipped`. Results are kept 30 days.",
    };
    type Request = BulkEnrichRequest;
    type Question = BulkEnrichQuestion;
    type Response = BulkEnrichResponse;

    fn parse(request: BulkEnrichRequest, hosts: &NetworkHosts) -> Result<BulkEnrichQuestion, Fault> {
        if let Some(metadata) = &request.metadata
            && Value::Object(metadata.clone()).to_string().len() > limits::BULK_METADATA_BYTES_MAX
        {
            let fix = format!("keep it below {} bytes", limits::BULK_METADATA_BYTES_MAX);
            return Err(Fault::field("/metadata", "too_long", "the metadata is too large", fix));
        }
        let mut items = Vec::with_capacity(request.items.len());
        let mut errors = Vec::new();
        for (index, fields) in request.items.into_iter().enumerate() {
            match read_item(fields, hosts) {
                Ok(item) => items.push(item),
                Err(wrong) => errors.extend(wrong.into_iter().map(|error| at_item(index, error))),
            }
        }
        let told = match request.webhook.map(read_choice).transpose() {
            Ok(told) => told,
            Err(error) => {
                errors.push(error);
                None
            }
        };
        if errors.is_empty() {
            return Ok(BulkEnrichQuestion { items, told, metadata: request.metadata });
        }
        errors.truncate(limits::BULK_ERRORS_MAX);
        Err(Fault::invalid(errors))
    }

    fn units_max(question: &BulkEnrichQuestion) -> u32 {
        u32::try_from(question.items.len()).unwrap_or(u32::MAX)
    }

    /// Whether one item fits is all that is asked for now; the slices hold for themselves.
    fn units_held(_question: &BulkEnrichQuestion) -> u32 {
        1
    }

    fn example() -> (Value, BulkEnrichResponse) {
        let request = json!({
            "items": [
                { "id": "1", "email": "ada.okafor@northwind-robotics.example" },
                { "id": "2", "fullName": "Nobody Known", "company_domain": "northwind-robotics.example" }
            ],
            "metadata": { "list": "spring fair" }
        });
        let response = BulkEnrichResponse {
            id: EXAMPLE_ID.into(),
            status: BulkStatus::Queued.as_str(),
            total: 2,
            created_at: crate::example::moment(),
            poll_url: format!("/v1/bulk/{EXAMPLE_ID}"),
            webhook: None,
        };
        (request, response)
    }

    async fn run(
        context: &Context,
        question: BulkEnrichQuestion,
    ) -> Result<Outcome<BulkEnrichResponse>, Fault> {
        let shown = match question.told {
            Some(told) => Some(who_is_told(context, told).await?),
            None => None,
        };
        let terms = Terms {
            metadata: question.metadata,
            webhook: shown.as_ref().map(|(id, _)| *id),
            max_credits: context.max_credits,
        };
        let bulks = context.memory.bulks();
        let submission = bulks.submission(&context.engine, question.items, terms, context.now)?;
        let id = submission.id.to_string();
        let body = BulkEnrichResponse {
            status: BulkStatus::Queued.as_str(),
            total: submission.counts.total(),
            created_at: context.now,
            poll_url: format!("/v1/bulk/{id}"),
            webhook: shown.map(|(id, secret)| WebhookShown { id: id.to_string(), secret }),
            id,
        };
        Ok(Outcome { deed: Some(submission.deed), ..Outcome::nothing(body) })
    }
}

fn read_choice(choice: WebhookChoice) -> Result<Told, FieldError> {
    match choice {
        WebhookChoice { url: Some(url), id: None } => Ok(Told::At(url)),
        WebhookChoice { url: None, id: Some(id) } => {
            id.parse().map(Told::Known).map_err(|_| unknown_webhook())
        }
        _ => Err(wrong_webhook("/webhook", "several_identifiers", "it names none, or two")),
    }
}

fn wrong_webhook(pointer: &str, code: &str, message: &str) -> FieldError {
    FieldError {
        pointer: pointer.into(),
        code: code.into(),
        message: message.into(),
        fix: "send the url to be told at, or the id of a webhook of yours".into(),
    }
}

/// The same for what is no id at all, what nobody has, and what another account has.
fn unknown_webhook() -> FieldError {
    wrong_webhook("/webhook/id", "unknown_webhook", "you have no webhook with this id")
}

async fn who_is_told(context: &Context, told: Told) -> Result<(WebhookId, Option<String>), Fault> {
    if !context.memory.key().plan.allows(Plan::Pro) {
        let detail = format!("webhooks need the plan {} or a higher one", Plan::Pro);
        return Err(Fault::new(Code::PlanRequired, detail));
    }
    let webhooks = context.memory.webhooks();
    match told {
        Told::At(url) => {
            let (id, secret) = webhooks.at_url(&url, context.now).await?;
            Ok((id, secret.map(|secret| secret.reveal().to_string())))
        }
        Told::Known(id) => match webhooks.find(id).await {
            Ok(webhook) => Ok((webhook.id, None)),
            Err(fault) if fault.code == Code::NotFound => Err(Fault::invalid(vec![unknown_webhook()])),
            Err(fault) => Err(fault),
        },
    }
}

/// An item that is a request at all. What its identifier is worth is the item's own affair, not the whole call's.
fn read_item(mut fields: Map<String, Value>, hosts: &NetworkHosts) -> Result<Asked, Vec<FieldError>> {
    let id = match fields.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) if id.chars().count() <= limits::BULK_ITEM_ID_CHARS_MAX => Some(id),
        Some(_) => {
            return Err(vec![FieldError {
                pointer: "/id".into(),
                code: "out_of_bounds".into(),
                message: "the id is no text, or too long".into(),
                fix: format!("send a text of at most {} characters", limits::BULK_ITEM_ID_CHARS_MAX),
            }]);
        }
    };
    match Enrich::read(fields.clone(), hosts) {
        Ok(question) => Ok(Asked { id, fields, question: Ok(question) }),
        Err(fault) => match fault.errors.as_slice() {
            [only] if is_about_its_meaning(only) => Ok(Asked { id, fields, question: Err(only.clone()) }),
            _ => Err(fault.errors),
        },
    }
}

/// A list has its share of texts that are no address; they are no reason to refuse the list.
fn is_about_its_meaning(error: &FieldError) -> bool {
    UNREADABLE.contains(&error.code.as_str())
}

fn at_item(index: usize, error: FieldError) -> FieldError {
    FieldError { pointer: format!("/items/{index}{}", error.pointer), ..error }
}
