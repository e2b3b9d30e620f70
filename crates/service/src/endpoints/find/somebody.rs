//! What both searches for an address share: who is asked for, and what an address in the answer says.

use crate::context::Context;
use crate::endpoint::{Outcome, Step, Trace};
use crate::endpoints::resolve::profile_url;
use crate::example;
use crate::fault::{Fault, FieldError};
use crate::steps::somebody::Who;
use crate::upstream::not_silent;
use assay_domain::clock::Stopwatch;
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Confidence, NetworkHosts, Person};
use assay_engine::mail::{AddressSearch, Freshness};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;

/// Which of the two forms is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FindKind")]
pub enum Kind {
    Network,
    Name,
}

/// Somebody, by `kind: "network"` with `networkUrl`, or by `kind: "name"` with `firstName`, `lastName` and `domain`.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = forms)]
pub struct FindEmailRequest {
    #[garde(skip)]
    kind: Kind,
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
    /// An address validated longer ago than this is validated again. Default and most: 30.
    #[garde(range(min = 1, max = 30))]
    max_age_days: Option<u32>,
}

/// What `read` below accepts, told to the reference.
fn forms(schema: &mut schemars::Schema) {
    crate::openapi::exactly_one_form(
        schema,
        &[
            ("by network URL", &["kind", "networkUrl"]),
            ("by name and domain", &["kind", "firstName", "lastName", "domain"]),
        ],
    );
    let kinds = ["network", "name"];
    let forms = schema.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten();
    for (form, kind) in forms.zip(kinds) {
        if let Some(rule) = form.pointer_mut("/properties/kind") {
            *rule = json!({ "const": kind });
        }
    }
}

#[derive(Debug)]
pub struct FindEmailQuestion {
    who: Who,
    freshness: Freshness,
}

impl FindEmailQuestion {
    pub(super) fn read(request: &FindEmailRequest, hosts: &NetworkHosts) -> Result<Self, Fault> {
        let max_age = request.max_age_days.map(|days| Duration::from_hours(24 * u64::from(days)));
        Ok(Self { who: who(request, hosts)?, freshness: Freshness::to_find(max_age) })
    }

    /// Begins with the person meant, if the graph knows them well enough.
    pub(super) async fn begin(self, context: &Context) -> Result<Looking, Fault> {
        let watch = Stopwatch::start();
        let Self { who, freshness } = self;
        Ok(Looking { person: who.person(context).await?, who, freshness, watch })
    }
}

/// A search for an address that has begun.
#[derive(Debug)]
pub(super) struct Looking {
    pub who: Who,
    pub freshness: Freshness,
    pub person: Option<Person>,
    watch: Stopwatch,
}

fn who(request: &FindEmailRequest, hosts: &NetworkHosts) -> Result<Who, Fault> {
    let FindEmailRequest { kind, network_url, first_name, last_name, domain, .. } = request;
    let of_name = [("firstName", first_name), ("lastName", last_name), ("domain", domain)];
    let other = |field: &str, kind: &str| {
        let fix = format!("leave it out; `kind` is \"{kind}\"");
        Fault::field(&format!("/{field}"), "other_form", "the field belongs to the other form", fix)
    };
    let missing = |field: &&str| FieldError {
        pointer: format!("/{field}"),
        code: "missing".into(),
        message: "the field is required".into(),
        fix: format!("add `{field}`, or choose the other `kind`"),
    };
    match (kind, network_url) {
        (Kind::Network, Some(url)) => match of_name.iter().find(|(_, value)| value.is_some()) {
            Some((field, _)) => Err(other(field, "network")),
            None => profile_url(url, hosts).map(Who::Network),
        },
        (Kind::Network, None) => Err(Fault::invalid(vec![missing(&"networkUrl")])),
        (Kind::Name, Some(_)) => Err(other("networkUrl", "name")),
        (Kind::Name, None) => match (first_name, last_name, domain) {
            (Some(first), Some(last), Some(domain)) => Who::named(first, last, domain),
            _ => {
                let absent = of_name.iter().filter(|(_, value)| value.is_none());
                Err(Fault::invalid(absent.map(|(field, _)| missing(field)).collect()))
            }
        },
    }
}

/// An address, and how sure it is.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FindEmailResponse {
    pub found: bool,
    pub email: Option<String>,
    /// Whether its mail server says that the mailbox exists.
    pub email_verified: Option<bool>,
    /// Whether somebody takes the domain's mail.
    pub mx_found: Option<bool>,
    /// Who keeps the domain's mail, as far as can be seen.
    pub provider: Option<String>,
    pub free_provider: Option<bool>,
    /// Whether it belongs to a post or a team rather than to a person.
    pub generic: Option<bool>,
    /// How sure it is that the address is theirs.
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub confidence: Option<Confidence>,
    /// Whether the domain takes mail for whatever stands before the @.
    pub catch_all: Option<bool>,
    /// `valid`, `catch_all_valid` or `catch_all`.
    #[schemars(with = "Option<String>")]
    pub status: Option<EmailStatus>,
    /// When its mail server was last asked: less than 30 days ago.
    pub verified_at: Option<DateTime<Utc>>,
    /// `graph` for an address they were listed with, `mailbox` for one that was worked out and asked for, else a vendor's name.
    pub source: Option<Cow<'static, str>>,
    /// When a mail server that put us off is asked again: a call after that may find more.
    pub retry_at: Option<DateTime<Utc>>,
}

impl FindEmailResponse {
    pub(super) fn example(email: &str, provider: &str, free_provider: bool) -> Self {
        Self {
            found: true,
            email: Some(email.to_owned()),
            email_verified: Some(true),
            mx_found: Some(true),
            provider: Some(provider.to_owned()),
            free_provider: Some(free_provider),
            generic: Some(false),
            confidence: Some(Confidence::percent(97)),
            catch_all: Some(false),
            status: Some(EmailStatus::Valid),
            verified_at: Some(example::moment()),
            source: Some(Cow::Borrowed("graph")),
            retry_at: None,
        }
    }
}

impl Looking {
    /// The answer to what a search came to.
    pub fn outcome(
        self,
        search: AddressSearch,
        now: DateTime<Utc>,
    ) -> Result<Outcome<FindEmailResponse>, Fault> {
        let AddressSearch { found, retry_at, has_asked, trail, .. } = search;
        let provider = if has_asked { "mailbox" } else { "verdicts" };
        let is_own = found.as_ref().is_some_and(|found| found.provider.is_none());
        let word = if is_own { "found" } else { "not_found" };
        let mut trace =
            Trace { steps: vec![Step::own(provider, word, self.watch.elapsed())], ..Trace::default() };
        trace.add_vendors(&trail);
        let Some(found) = found else {
            not_silent(&trail)?;
            let body = FindEmailResponse { retry_at, ..FindEmailResponse::default() };
            return Ok(Outcome::found(body, 0, trace));
        };
        let verified_at = found.verification.verified_at;
        let is_kept = !has_asked && trail.steps.is_empty();
        trace.cache_age_seconds = is_kept.then(|| (now - verified_at).num_seconds().max(0));
        trace.is_own_key = found.is_own_key;
        trace.people.extend(self.person.map(|person| person.id));
        let source = match found.provider {
            Some(vendor) => Cow::Owned(vendor.to_string()),
            None => Cow::Borrowed(if found.is_known { "graph" } else { "mailbox" }),
        };
        let verdict = found.verification.verdict;
        let body = FindEmailResponse {
            found: true,
            email: Some(String::from(found.email)),
            email_verified: Some(found.is_verified),
            mx_found: verdict.mx_found,
            provider: verdict.provider,
            free_provider: Some(verdict.free_provider),
            generic: Some(verdict.generic),
            confidence: Some(found.confidence),
            catch_all: verdict.catch_all,
            status: Some(verdict.status),
            verified_at: Some(verified_at),
            source: Some(source),
            retry_at: None,
        };
        Ok(Outcome::found(body, 1, trace))
    }
}
