//! `POST /v1/ad-audience`: a list of addresses, hashed as ad platforms want them.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Step, Trace};
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::AD_AUDIENCE_EMAILS_MAX;
use assay_domain::{Confidence, Credits, Email, NetworkHosts, Plan, Price};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

#[derive(Debug)]
pub enum AdAudience {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct AdAudienceRequest {
    /// Addresses; what is no address has no hash, and costs nothing.
    #[garde(length(min = 1, max = AD_AUDIENCE_EMAILS_MAX), inner(length(chars, max = 512)))]
    emails: Vec<String>,
}

/// One line of the list.
#[derive(Debug)]
enum Line {
    Invalid,
    /// The number of the distinct address it is.
    Valid(usize),
}

#[derive(Debug)]
pub struct AdAudienceQuestion {
    lines: Vec<Line>,
    distinct: Vec<(Email, String)>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct AdAudienceResponse {
    /// Lower-case hex SHA-256 of the trimmed, lower-cased address, in the order of the list; null where there is no address.
    pub hashes: Vec<Option<String>>,
    pub stats: AudienceStats,
    /// `credits` when the balance did not cover the whole list: then the rest of the hashes are null.
    pub truncated_by: Option<TruncatedBy>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct AudienceStats {
    pub submitted: usize,
    /// Distinct addresses.
    pub valid: usize,
    pub invalid: usize,
    pub duplicates: usize,
    /// Distinct addresses of people the graph knows.
    pub matched: usize,
    /// Of the valid ones.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub match_rate: Confidence,
}

impl AudienceStats {
    fn of(question: &AdAudienceQuestion, matched: usize) -> Self {
        let (submitted, valid) = (question.lines.len(), question.distinct.len());
        let invalid = question.lines.iter().filter(|line| matches!(line, Line::Invalid)).count();
        let percent = matched.saturating_mul(100).checked_div(valid).unwrap_or(0);
        Self {
            submitted,
            valid,
            invalid,
            duplicates: submitted - invalid - valid,
            matched,
            match_rate: Confidence::percent(u8::try_from(percent).unwrap_or(100)),
        }
    }
}

impl Endpoint for AdAudience {
    const SPEC: Spec = Spec {
        name: "ad-audience",
        verb: Verb::Post,
        path: "/v1/ad-audience",
        status: 200,
        group: Group::Find,
        price: Price::PerUnit(Credits::from_thousandths(100)),
        unit: "distinct valid address",
        units_max: 10_000,
        plan: Plan::Trial,
        scope: Scope::Lookup,
        spends_upstream: false,
        summary: "Hash a list of addresses for an ad platform",
        description: "Each address of a list as the lower-case hex SHA-256 that ad platforms match custom audiences by, and how \
                      many of them belong to people the graph knows. Charged for each distinct valid address.",
    };
    type Request = AdAudienceRequest;
    type Question = AdAudienceQuestion;
    type Response = AdAudienceResponse;

    fn parse(request: AdAudienceRequest, _: &NetworkHosts) -> Result<AdAudienceQuestion, Fault> {
        let mut question = AdAudienceQuestion { lines: Vec::new(), distinct: Vec::new() };
        let mut seen: HashMap<String, usize> = HashMap::new();
        for text in &request.emails {
            let Ok(email) = Email::parse(text) else {
                question.lines.push(Line::Invalid);
                continue;
            };
            let hash = hash_of(text);
            let place = *seen.entry(hash.clone()).or_insert_with(|| {
                question.distinct.push((email, hash));
                question.distinct.len() - 1
            });
            question.lines.push(Line::Valid(place));
        }
        Ok(question)
    }

    fn units_max(question: &AdAudienceQuestion) -> u32 {
        u32::try_from(question.distinct.len()).unwrap_or(u32::MAX)
    }

    fn example() -> (Value, AdAudienceResponse) {
        let emails = ["Ada.Okafor@northwind-robotics.example", "not an address"];
        let hash = hash_of("ada.okafor@northwind-robotics.example");
        let stats = AudienceStats {
            submitted: 2,
            valid: 1,
            invalid: 1,
            duplicates: 0,
            matched: 1,
            match_rate: Confidence::percent(100),
        };
        let response = AdAudienceResponse { hashes: vec![Some(hash), None], stats, truncated_by: None };
        (json!({ "emails": emails }), response)
    }

    /// Not one of them is an address.
    fn not_found() -> Option<AdAudienceResponse> {
        let stats = AudienceStats {
            submitted: 2,
            valid: 0,
            invalid: 2,
            duplicates: 0,
            matched: 0,
            match_rate: Confidence::percent(0),
        };
        Some(AdAudienceResponse { hashes: vec![None, None], stats, truncated_by: None })
    }

    async fn run(
        context: &Context,
        mut question: AdAudienceQuestion,
    ) -> Result<Outcome<AdAudienceResponse>, Fault> {
        let watch = Stopwatch::start();
        let affordable = usize::try_from(context.units_affordable).unwrap_or(usize::MAX);
        let is_short = question.distinct.len() > affordable;
        question.distinct.truncate(affordable);
        let emails: Vec<Email> = question.distinct.iter().map(|(email, _)| email.clone()).collect();
        let matched = context.engine.count_known(&emails, context.memory.account()).await?;
        let hash_at = |line: &Line| match line {
            Line::Invalid => None,
            Line::Valid(place) => question.distinct.get(*place).map(|(_, hash)| hash.clone()),
        };
        let body = AdAudienceResponse {
            hashes: question.lines.iter().map(hash_at).collect(),
            stats: AudienceStats::of(&question, matched),
            truncated_by: is_short.then_some(TruncatedBy::Credits),
        };
        let step = Step::own("graph", if matched > 0 { "found" } else { "not_found" }, watch.elapsed());
        let units = u32::try_from(question.distinct.len()).unwrap_or(u32::MAX);
        Ok(Outcome::found(body, units, Trace { steps: vec![step], ..Trace::default() }))
    }
}

/// As the platforms ask for it: trimmed, in lower case, SHA-256, in hex.
fn hash_of(address: &str) -> String {
    hex::encode(Sha256::digest(address.trim().to_lowercase().as_bytes()))
}
