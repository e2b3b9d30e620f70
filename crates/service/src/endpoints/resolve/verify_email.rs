//! `POST /v1/verify-email`: whether mail to an address arrives, and why that is believed.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step, Trace};
use crate::example;
use crate::fault::Fault;
use crate::spec::{Group, Spec};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::EMAIL_TEXT_CHARS_MAX;
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Credits, NetworkHosts};
use assay_engine::mail::{Freshness, Verification};
use assay_mailbox::{Checked, Reason, Verdict, check};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// When the mail server of the worked example is asked again.
const EXAMPLE_RETRY: Duration = Duration::from_mins(5);

#[derive(Debug)]
pub enum VerifyEmail {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct VerifyEmailRequest {
    /// What is no address at all has a verdict too.
    #[garde(length(chars, min = 1, max = EMAIL_TEXT_CHARS_MAX))]
    email: String,
    /// A verdict older than this is not given: the mail server is asked again. Default and most: 90.
    #[garde(range(min = 1, max = 90))]
    max_age_days: Option<u32>,
}

#[derive(Debug)]
pub struct VerifyEmailQuestion {
    text: String,
    /// None for a text that is no address.
    checked: Option<Box<Checked>>,
    freshness: Freshness,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyEmailResponse {
    /// As it is written to mail servers; a text that is no address as it was sent.
    pub email: String,
    /// `valid`, `catch_all`, `catch_all_valid`, `invalid`, `disposable`, `risky` or `unknown`; `unknown` is free.
    #[schemars(with = "String")]
    pub status: EmailStatus,
    /// One word for why: `accepted`, `no_such_mailbox`, `greylisted` and others.
    pub reason: &'static str,
    /// How likely mail arrives, of 100.
    #[schemars(range(min = 0, max = 100))]
    pub score: u8,
    pub syntax_valid: bool,
    /// Whether somebody takes the domain's mail.
    pub mx_found: Option<bool>,
    /// Who keeps the domain's mail, as far as can be seen.
    pub provider: Option<String>,
    pub mailbox_exists: Option<bool>,
    /// Whether the domain takes mail for whatever stands before the @.
    pub catch_all: Option<bool>,
    pub disposable: bool,
    pub free_provider: bool,
    /// Whether it belongs to a post or a team rather than to a person.
    pub generic: bool,
    pub full_inbox: Option<bool>,
    pub disabled: Option<bool>,
    /// The address that was probably meant.
    pub did_you_mean: Option<String>,
    pub verified_at: DateTime<Utc>,
    /// When the mail server is asked again, if it put us off: a call after that has the finished verdict.
    pub retry_at: Option<DateTime<Utc>>,
}

impl VerifyEmailResponse {
    fn new(text: String, verification: Verification) -> Self {
        let Verification { verdict, verified_at, retry_at, .. } = verification;
        Self {
            email: text,
            status: verdict.status,
            reason: verdict.reason.as_str(),
            score: verdict.score,
            syntax_valid: verdict.reason != Reason::Syntax,
            mx_found: verdict.mx_found,
            provider: verdict.provider,
            mailbox_exists: verdict.mailbox_exists,
            catch_all: verdict.catch_all,
            disposable: verdict.disposable,
            free_provider: verdict.free_provider,
            generic: verdict.generic,
            full_inbox: verdict.full_inbox,
            disabled: verdict.disabled,
            did_you_mean: verdict.did_you_mean.map(String::from),
            verified_at,
            retry_at,
        }
    }
}

impl Endpoint for VerifyEmail {
    const SPEC: Spec = Spec {
        spends_upstream: true,
        summary: "Say whether mail to an address arrives",
        description: "Checks the form of an address, what kind of mailbox it names, who takes its mail, and whether their \
                      server has it; no mail is sent. A verdict is kept for 90 days. Where a server puts us off, the answer \
                      is `unknown` and says when it is asked again. `unknown` costs nothing.",
        ..Spec::lookup(
            "verify-email",
            "/v1/verify-email",
            Group::Resolve,
            Credits::from_thousandths(500),
            "verdict",
        )
    };
    type Request = VerifyEmailRequest;
    type Question = VerifyEmailQuestion;
    type Response = VerifyEmailResponse;

    fn parse(request: VerifyEmailRequest, _: &NetworkHosts) -> Result<VerifyEmailQuestion, Fault> {
        let checked = check(&request.email).ok().map(Box::new);
        let text = checked.as_ref().map_or(request.email, |checked| checked.email.as_str().to_owned());
        Ok(VerifyEmailQuestion { text, checked, freshness: Freshness::to_verify(days(request.max_age_days)) })
    }

    fn example() -> (Value, VerifyEmailResponse) {
        let email = "ada.okafor@northwind-robotics.example".to_owned();
        let response = VerifyEmailResponse {
            email: email.clone(),
            status: EmailStatus::Valid,
            reason: Reason::Accepted.as_str(),
            score: Reason::Accepted.score(),
            syntax_valid: true,
            mx_found: Some(true),
            provider: Some("google".to_owned()),
            mailbox_exists: Some(true),
            catch_all: Some(false),
            disposable: false,
            free_provider: false,
            generic: false,
            full_inbox: Some(false),
            disabled: Some(false),
            did_you_mean: None,
            verified_at: example::moment(),
            retry_at: None,
        };
        (json!({ "email": email }), response)
    }

    /// The mail server puts us off: no verdict, and when there is one.
    fn not_found() -> Option<VerifyEmailResponse> {
        Some(VerifyEmailResponse {
            status: EmailStatus::Unknown,
            reason: Reason::Greylisted.as_str(),
            score: Reason::Greylisted.score(),
            mailbox_exists: None,
            catch_all: None,
            full_inbox: None,
            disabled: None,
            retry_at: Some(example::moment() + EXAMPLE_RETRY),
            ..Self::example().1
        })
    }

    async fn run(
        context: &Context,
        question: VerifyEmailQuestion,
    ) -> Result<Outcome<VerifyEmailResponse>, Fault> {
        let watch = Stopwatch::start();
        let VerifyEmailQuestion { text, checked, freshness } = question;
        let verification = match checked {
            None => Verification::of(Verdict::of_text(&text), context.now),
            Some(checked) => {
                let asker = context.memory.account();
                let verifying = context.engine.verify_email(&checked, freshness, asker, context.now);
                context.slot.aside(verifying).await?
            }
        };
        let trace = trace(&verification, watch, context.now);
        let units = u32::from(verification.verdict.status != EmailStatus::Unknown);
        Ok(Outcome::found(VerifyEmailResponse::new(text, verification), units, trace))
    }
}

fn trace(verification: &Verification, watch: Stopwatch, now: DateTime<Utc>) -> Trace {
    let outcome = verification.verdict.reason.as_str();
    let own = if verification.is_kept { "verdicts" } else { "mailbox" };
    // A vendor speaks only where our own question told nothing.
    let outcome = if verification.provider.is_some() { "unknown" } else { outcome };
    let age = verification.is_kept.then(|| (now - verification.verified_at).num_seconds().max(0));
    let mut trace = Trace {
        steps: vec![Step::own(own, outcome, watch.elapsed())],
        cache_age_seconds: age,
        is_own_key: verification.is_own_key,
        ..Trace::default()
    };
    trace.add_vendors(&verification.trail);
    trace
}

fn days(days: Option<u32>) -> Option<Duration> {
    days.map(|days| Duration::from_hours(24 * u64::from(days)))
}
