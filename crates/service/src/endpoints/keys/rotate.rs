//! `POST /v1/keys/{id}/rotate`: a new key in place of another, which goes on for a while.

use super::fields::{self, End};
use super::view::{EXAMPLE_ID, EXAMPLE_NEXT_ID, EXAMPLE_NEXT_KEY, KeyView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::memory::KeyTerms;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::{KeyId, NetworkHosts, limits};
use chrono::{DateTime, TimeDelta, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum KeysRotate {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
#[schemars(transform = fields::one_end)]
pub struct KeysRotateRequest {
    /// The key's id, `key_…`.
    id: String,
    /// How long the old key goes on. Default 24.
    #[garde(range(max = limits::KEY_OVERLAP_HOURS_MAX))]
    overlap_hours: Option<u32>,
    /// When the new key ends. Default: when the old one would have ended.
    #[garde(range(min = 1, max = limits::KEY_LIFETIME_DAYS_MAX))]
    expires_in_days: Option<u32>,
    /// In place of `expires_in_days`.
    expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug)]
pub struct KeysRotateQuestion {
    id: KeyId,
    overlap_hours: u32,
    end: Option<End>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeysRotateResponse {
    #[serde(flatten)]
    pub view: KeyView,
    /// The whole new key. It is shown here and never again.
    pub key: String,
    pub replaces: ReplacedKey,
}

/// The old key, and when it ends.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplacedKey {
    pub id: String,
    pub expires_at: Option<DateTime<Utc>>,
}

impl Endpoint for KeysRotate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Replace a key",
        description: "Makes a key with the properties of another and answers the whole of it, once. The old key goes \
                      on for `overlap_hours` (0 to 168, default 24), then it expires. Both spend from one monthly cap. \
                      Since the answer shows a secret, the rules of making a key hold: a key rotates itself, or a key \
                      that it could have made (403 `insufficient_scope`, `key_bounds_exceeded`). At most 3 keys of one \
                      line live at a time (409 `too_many_keys`). A revoked key cannot be rotated: 404.",
        ..Spec::free("keys-rotate", Verb::Post, "/v1/keys/{id}/rotate", Group::Keys, Scope::Keys)
    };
    type Request = KeysRotateRequest;
    type Question = KeysRotateQuestion;
    type Response = KeysRotateResponse;

    fn parse(request: KeysRotateRequest, _hosts: &NetworkHosts) -> Result<KeysRotateQuestion, Fault> {
        Ok(KeysRotateQuestion {
            id: fields::key_id(&request.id),
            overlap_hours: request.overlap_hours.unwrap_or(limits::KEY_OVERLAP_HOURS_DEFAULT),
            end: End::read(request.expires_in_days, request.expires_at)?,
        })
    }

    fn example() -> (Value, KeysRotateResponse) {
        let ends_at = crate::example::moment() + TimeDelta::hours(48);
        let response = KeysRotateResponse {
            view: KeyView { id: EXAMPLE_NEXT_ID.into(), ..KeyView::example() },
            key: EXAMPLE_NEXT_KEY.into(),
            replaces: ReplacedKey { id: EXAMPLE_ID.into(), expires_at: Some(ends_at) },
        };
        (json!({ "id": EXAMPLE_ID, "overlap_hours": 48 }), response)
    }

    async fn run(
        context: &Context,
        question: KeysRotateQuestion,
    ) -> Result<Outcome<KeysRotateResponse>, Fault> {
        let end = question.end.map(|end| end.moment(context.now)).transpose()?;
        let revise = |before: KeyTerms| {
            let expires_at = fields::end_of_successor(end.or(before.expires_at), context.now)?;
            Ok(KeyTerms { expires_at, ..before })
        };
        let ends_at = context.now + TimeDelta::hours(i64::from(question.overlap_hours));
        let (fresh, old) = context.memory.keys().rotate(&question.id, ends_at, revise).await?;
        let body = KeysRotateResponse {
            view: KeyView::of(fresh.listed, context.now),
            key: fresh.secret.reveal().to_owned(),
            replaces: ReplacedKey { id: old.record.id.to_string(), expires_at: old.record.expires_at },
        };
        Ok(Outcome::nothing(body))
    }
}
