//! `POST /v1/suppressions`: erases people, and keeps them out of every later import.

use super::view::{Reason, SuppressionView};
use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::{Fault, FieldError};
use crate::spec::{Group, Scope, Spec, Verb};
use crate::steps::account::read_network_url;
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::suppression::{HashList, LIST_HASH_CHARS, SuppressionReason};
use assay_domain::{Email, ListHash, NetworkHosts, NetworkUrl, PersonId, Phone, limits};
use assay_engine::Unwanted;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Entries of a long list that are told to be wrong; the others are found by correcting these.
const WRONG_TOLD_MAX: usize = 20;

#[derive(Debug)]
pub enum SuppressionsCreate {}

/// One or more of the identifiers, a list of hashes, or both.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = forms)]
pub struct SuppressionsCreateRequest {
    /// One record, `per_…`, whatever identifies it.
    #[garde(length(chars, max = 64))]
    #[schemars(regex(pattern = r"^per_[0-9a-f]{32}$"))]
    person_id: Option<String>,
    #[garde(length(chars, max = limits::EMAIL_CHARS_MAX))]
    #[schemars(email)]
    email: Option<String>,
    /// International format with a leading +. Like the lists, it keeps out every number that ends in the same ten digits.
    #[garde(length(chars, max = limits::PHONE_CHARS_MAX))]
    phone: Option<String>,
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = limits::URL_CHARS_MAX))]
    network_url: Option<String>,
    /// Entries of a deletion list.
    #[garde(length(min = 1, max = limits::SUPPRESSIONS_PER_CALL_MAX), dive)]
    hashes: Option<Vec<HashEntry>>,
    /// Default request.
    #[garde(skip)]
    reason: Option<Reason>,
}

/// What `parse` below asks for, told to the reference.
fn forms(schema: &mut schemars::Schema) {
    crate::openapi::at_least_one(schema, &["person_id", "email", "phone", "networkUrl", "hashes"]);
}

/// One entry of a deletion list.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
#[schemars(rename = "ListEntry")]
struct HashEntry {
    list: ListName,
    /// SHA-256 of the standardised identifier in base64: an email trimmed and in lower case, the last ten digits of a
    /// phone.
    #[schemars(
        length(min = LIST_HASH_CHARS, max = LIST_HASH_CHARS),
        regex(pattern = r"^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$")
    )]
    hash: String,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ListName {
    Email,
    Phone,
}

#[derive(Debug)]
pub struct SuppressionsQuestion {
    unwanted: Vec<Unwanted>,
    reason: SuppressionReason,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressionsCreateResponse {
    /// New suppressions: of what was asked for, and of all that identified the people who were erased.
    pub suppressed: u64,
    /// Asked for, but suppressed before.
    pub already_suppressed: u64,
    pub people_erased: u64,
    /// The first hundred of the suppressions, old and new; `GET /v1/suppressions` lists all.
    pub results: Vec<SuppressionView>,
}

impl Endpoint for SuppressionsCreate {
    const SPEC: Spec = Spec {
        status: 201,
        summary: "Erase people and keep them out",
        description: "Everybody behind the identifiers and hashes is erased: their record, what leads to it, stored \
                      answers that carry them, and every account's memory of having resolved them. What identified \
                      them is suppressed, so that no later import brings them back. To everybody they are then not \
                      found, and not charged. History keeps its figures. Sending it again changes nothing.",
        ..Spec::free("suppressions-create", Verb::Post, "/v1/suppressions", Group::Operator, Scope::Operator)
    };
    type Request = SuppressionsCreateRequest;
    type Question = SuppressionsQuestion;
    type Response = SuppressionsCreateResponse;

    fn parse(
        request: SuppressionsCreateRequest,
        hosts: &NetworkHosts,
    ) -> Result<SuppressionsQuestion, Fault> {
        let mut unwanted = Vec::new();
        if let Some(id) = &request.person_id {
            unwanted.push(Unwanted::Person(person_id(id)?));
        }
        if let Some(email) = &request.email {
            let email = Email::parse(email).map_err(|error| Fault::unreadable("/email", &error))?;
            unwanted.push(Unwanted::Email(email));
        }
        if let Some(phone) = &request.phone {
            let phone = Phone::parse(phone).map_err(|error| Fault::unreadable("/phone", &error))?;
            unwanted.push(Unwanted::Phone(phone));
        }
        if let Some(url) = &request.network_url {
            unwanted.push(Unwanted::NetworkUrl(profile_url(url, hosts)?));
        }
        unwanted.extend(hashes(request.hashes.as_deref().unwrap_or_default())?);
        if unwanted.is_empty() {
            let fix = "send person_id, email, phone, networkUrl or hashes";
            return Err(Fault::field("", "missing_identifier", "nobody is named", fix));
        }
        Ok(SuppressionsQuestion { unwanted, reason: request.reason.map(Into::into).unwrap_or_default() })
    }

    fn example() -> (Value, SuppressionsCreateResponse) {
        let request = json!({ "email": "ada.okafor@northwind-robotics.example", "reason": "request" });
        let response = SuppressionsCreateResponse {
            suppressed: 1,
            already_suppressed: 0,
            people_erased: 0,
            results: vec![SuppressionView::example()],
        };
        (request, response)
    }

    async fn run(
        context: &Context,
        question: SuppressionsQuestion,
    ) -> Result<Outcome<SuppressionsCreateResponse>, Fault> {
        let erased = context.engine.erase(&question.unwanted, question.reason, context.now).await?;
        let response = SuppressionsCreateResponse {
            suppressed: erased.suppressed,
            already_suppressed: erased.known,
            people_erased: erased.people,
            results: erased.rows.into_iter().map(Into::into).collect(),
        };
        Ok(Outcome::nothing(response))
    }
}

fn person_id(text: &str) -> Result<PersonId, Fault> {
    text.parse().map_err(|_| {
        Fault::field("/person_id", "invalid_id", "not the id of a person", "send the id of a record, per_…")
    })
}

fn profile_url(text: &str, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
    let url = read_network_url(text, hosts)?;
    if url.kind() == NetworkUrlKind::Person {
        return Ok(url);
    }
    let fix = "send the address of a person's profile; companies are not suppressed";
    Err(Fault::field("/networkUrl", "not_a_person", "the address is a company's", fix))
}

fn hashes(entries: &[HashEntry]) -> Result<Vec<Unwanted>, Fault> {
    let mut wrong = Vec::new();
    let mut unwanted = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let list = match entry.list {
            ListName::Email => HashList::Email,
            ListName::Phone => HashList::Phone,
        };
        match ListHash::parse(&entry.hash) {
            Ok(hash) => unwanted.push(Unwanted::Hash(list, hash)),
            Err(_) if wrong.len() == WRONG_TOLD_MAX => break,
            Err(error) => wrong.push(FieldError {
                pointer: format!("/hashes/{index}/hash"),
                code: error.code().into(),
                message: error.to_string(),
                fix: error.fix().into_owned(),
            }),
        }
    }
    if wrong.is_empty() { Ok(unwanted) } else { Err(Fault::invalid(wrong)) }
}
