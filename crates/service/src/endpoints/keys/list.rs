//! `GET /v1/keys`: the account's keys, newest first, without their secrets.

use super::view::KeyView;
use crate::context::Context;
use crate::cursor;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::KeyCursor;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{KeyId, NetworkHosts, limits};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum KeysList {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct KeysListRequest {
    #[garde(range(min = 1, max = limits::PAGE_ROWS_MAX))]
    limit: Option<u32>,
    #[garde(length(chars, max = limits::CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct KeysListQuestion {
    after: Option<KeyCursor>,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysListResponse {
    pub results: Vec<KeyView>,
    pub next_cursor: Option<String>,
}

/// What a cursor holds: ids and times only.
#[derive(Debug, Serialize, Deserialize)]
struct Place {
    at: DateTime<Utc>,
    id: String,
}

impl Endpoint for KeysList {
    const SPEC: Spec = Spec {
        summary: "Your keys",
        description: "The account's keys, newest first, without their secrets. The last 400 expired and revoked ones \
                      stay listed.",
        ..Spec::free("keys-list", Verb::Get, "/v1/keys", Group::Keys, Scope::Keys)
    };
    type Request = KeysListRequest;
    type Question = KeysListQuestion;
    type Response = KeysListResponse;

    fn parse(request: KeysListRequest, _hosts: &NetworkHosts) -> Result<KeysListQuestion, Fault> {
        let place: Option<Place> = cursor::read(request.cursor.as_deref())?;
        // The id goes into a query as it is: what a client made up may be no text a database takes.
        let after =
            place.map(|place| KeyCursor { created_at: place.at, id: super::fields::key_id(&place.id) });
        Ok(KeysListQuestion { after, limit: request.limit.unwrap_or(limits::PAGE_ROWS_DEFAULT) })
    }

    fn example() -> (Value, KeysListResponse) {
        let response = KeysListResponse { results: vec![KeyView::example()], next_cursor: None };
        (json!({ "limit": 25 }), response)
    }

    async fn run(context: &Context, question: KeysListQuestion) -> Result<Outcome<KeysListResponse>, Fault> {
        let keys = context.memory.keys();
        // One more than asked for tells whether there is a next page.
        let mut rows = keys.page(question.after.as_ref(), question.limit.saturating_add(1)).await?;
        let next_cursor = cursor::cut(&mut rows, question.limit, |row| {
            let KeyCursor { created_at, id } = row.record.cursor();
            Place { at: created_at, id: name_of(&id) }
        });
        let results = rows.into_iter().map(|row| KeyView::of(row, context.now)).collect();
        Ok(Outcome::nothing(KeysListResponse { results, next_cursor }))
    }
}

fn name_of(id: &KeyId) -> String {
    id.as_str().to_owned()
}
