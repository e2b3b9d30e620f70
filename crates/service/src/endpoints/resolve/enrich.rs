//! `POST /v1/enrich`: a network URL, an email, a phone number or a name with a company gives a person.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::{Fault, FieldError};
use crate::input::{Decoded, RawInput};
use crate::spec::{Group, Spec};
use crate::steps::account::read_network_url;
use crate::upstream::ask_for_person;
use crate::view::PersonView;
use assay_domain::clock::Stopwatch;
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::{
    AccountId, Confidence, Credits, Domain, Email, NetworkHosts, NetworkUrl, Person, PersonName, Phone,
};
use assay_engine::{Engine, Found, PersonQuery, Sighting};
use chrono::{DateTime, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub enum Enrich {}

/// One identifier: `networkUrl`, `email`, `phone`, or a name (`fullName`, or `firstName` and `lastName`) with a company
/// (`company_domain` or `company_name`).
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = forms)]
pub struct EnrichRequest {
    /// Address of a profile on the professional network.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: Option<String>,
    #[garde(length(chars, max = 254))]
    #[schemars(email)]
    email: Option<String>,
    /// International format with a leading +.
    #[garde(length(chars, max = 32))]
    phone: Option<String>,
    #[serde(rename = "fullName")]
    #[garde(length(chars, max = 200))]
    full_name: Option<String>,
    #[serde(rename = "firstName")]
    #[garde(length(chars, max = 200))]
    first_name: Option<String>,
    #[serde(rename = "lastName")]
    #[garde(length(chars, max = 200))]
    last_name: Option<String>,
    #[garde(length(chars, max = 253))]
    company_domain: Option<String>,
    #[garde(length(chars, max = 200))]
    company_name: Option<String>,
    /// An answer less sure than this is not given, and not charged. Default 0.6.
    #[garde(skip)]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0), extend("multipleOf" = 0.001))]
    min_confidence: Option<Confidence>,
    /// A record last refreshed longer ago than this is not given, and not charged.
    #[garde(range(min = 1, max = 3650))]
    max_age_days: Option<u32>,
}

/// What `query` below accepts, told to the reference.
fn forms(schema: &mut schemars::Schema) {
    crate::openapi::exactly_one_form(
        schema,
        &[
            ("by network URL", &["networkUrl"]),
            ("by email", &["email"]),
            ("by phone", &["phone"]),
            ("by full name and domain", &["fullName", "company_domain"]),
            ("by full name and company", &["fullName", "company_name"]),
            ("by first name, last name and domain", &["firstName", "lastName", "company_domain"]),
            ("by first name, last name and company", &["firstName", "lastName", "company_name"]),
        ],
    );
}

#[derive(Debug)]
pub struct EnrichQuestion {
    query: PersonQuery,
    min_confidence: Confidence,
    max_age_days: Option<u32>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct EnrichResponse {
    pub found: bool,
    pub person: Option<PersonView>,
    /// How sure it is that this is the person meant.
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub confidence: Option<Confidence>,
    /// The request's fields the person was found by.
    pub matched_on: Vec<&'static str>,
}

impl Endpoint for Enrich {
    const SPEC: Spec = Spec {
        summary: "Find a person by one identifier",
        description: "A network URL, an email, a phone number, or a name plus company gives a person, from the graph or from a \
                      vendor the operator has connected. Charged only when a person is found.",
        ..Spec::lookup("enrich", "/v1/enrich", Group::Resolve, Credits::whole(1), "person")
    };
    type Request = EnrichRequest;
    type Question = EnrichQuestion;
    type Response = EnrichResponse;

    fn parse(request: EnrichRequest, hosts: &NetworkHosts) -> Result<EnrichQuestion, Fault> {
        let min_confidence = request.min_confidence.unwrap_or(Confidence::ENOUGH);
        let max_age_days = request.max_age_days;
        Ok(EnrichQuestion { query: query(&request, hosts)?, min_confidence, max_age_days })
    }

    fn example() -> (Value, EnrichResponse) {
        let person = example::person();
        let request = json!({ "email": "ada.okafor@northwind-robotics.example" });
        let response = EnrichResponse {
            found: true,
            person: Some(person.into()),
            confidence: Some(Confidence::percent(98)),
            matched_on: vec!["email"],
        };
        (request, response)
    }

    fn not_found() -> Option<EnrichResponse> {
        Some(EnrichResponse::default())
    }

    async fn run(context: &Context, question: EnrichQuestion) -> Result<Outcome<EnrichResponse>, Fault> {
        let (found, trace) = find_anywhere(context, &question).await?;
        let Some(found) = found else {
            return Ok(Outcome::found(EnrichResponse::default(), 0, trace));
        };
        let body = EnrichResponse {
            found: true,
            confidence: Some(found.confidence),
            matched_on: found.matched_on.to_vec(),
            person: Some(found.record.into()),
        };
        Ok(Outcome::found(body, 1, trace))
    }
}

impl Enrich {
    /// Reads the fields of a request that came by another way than a call of its own.
    pub(crate) fn read(fields: Map<String, Value>, hosts: &NetworkHosts) -> Result<EnrichQuestion, Fault> {
        let Decoded(request) = RawInput::Body(fields).decode::<EnrichRequest>()?;
        Self::parse(request, hosts)
    }

    /// The person meant, if the graph knows them as surely and as freshly as is asked.
    pub(crate) async fn find(
        engine: &Engine,
        (asker, now): (AccountId, DateTime<Utc>),
        question: &EnrichQuestion,
    ) -> Result<Option<Found<Person>>, Fault> {
        let found = engine.resolve_person(&question.query, asker).await?;
        Ok(found.filter(|found| question.takes(found.confidence, found.record.refreshed_at, now)))
    }

    /// Who is meant by each of many questions, under the same conditions.
    pub(crate) async fn sight(
        engine: &Engine,
        (asker, now): (AccountId, DateTime<Utc>),
        questions: &[EnrichQuestion],
    ) -> Result<Vec<Option<Found<Sighting>>>, Fault> {
        let queries: Vec<&PersonQuery> = questions.iter().map(|question| &question.query).collect();
        let found = engine.sight_people(&queries, asker).await?.into_iter().zip(questions);
        Ok(found
            .map(|(found, question)| {
                found.filter(|found| question.takes(found.confidence, found.record.refreshed_at, now))
            })
            .collect())
    }
}

/// The person in the graph, or else by whoever of the vendors knows them.
async fn find_anywhere(
    context: &Context,
    question: &EnrichQuestion,
) -> Result<(Option<Found<Person>>, Trace), Fault> {
    let asker = context.memory.account();
    let watch = Stopwatch::start();
    let known = Enrich::find(&context.engine, (asker, context.now), question).await?;
    let mut trace = Trace::graph(known.is_some(), watch.elapsed());
    let found = match known {
        Some(known) => Some(known),
        None => ask_for_person(context, &question.query, &mut trace).await?,
    };
    let found =
        found.filter(|found| question.takes(found.confidence, found.record.refreshed_at, context.now));
    trace.people.extend(found.iter().map(|found| found.record.id));
    Ok((found, trace))
}

impl EnrichQuestion {
    fn takes(&self, confidence: Confidence, refreshed_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let age = now - refreshed_at;
        confidence >= self.min_confidence
            && self.max_age_days.is_none_or(|days| age.num_days() <= i64::from(days))
    }

    /// The same for two questions that must come to the same answer.
    pub(crate) fn sameness(&self, engine: &Engine) -> Vec<u8> {
        // A digest takes only the end of a number.
        let number = if let PersonQuery::Phone(phone) = &self.query { phone.as_str() } else { "" };
        let terms = format!("{:?} {:?} {number}", self.min_confidence, self.max_age_days);
        [engine.person_key(&self.query).as_bytes().as_slice(), terms.as_bytes()].concat()
    }
}

/// The one identifier a request names; two forms at once are refused, because they may mean two people.
fn query(request: &EnrichRequest, hosts: &NetworkHosts) -> Result<PersonQuery, Fault> {
    let named = request.full_name.is_some() || request.first_name.is_some() || request.last_name.is_some();
    let company = request.company_domain.is_some() || request.company_name.is_some();
    let forms =
        [request.network_url.is_some(), request.email.is_some(), request.phone.is_some(), named || company];
    if forms.into_iter().filter(|given| *given).count() > 1 {
        let fix = "send one of networkUrl, email, phone, or a name with a company";
        return Err(Fault::field("", "several_identifiers", "more than one identifier form is given", fix));
    }
    if let Some(url) = &request.network_url {
        return profile_url(url, hosts).map(PersonQuery::NetworkUrl);
    }
    if let Some(email) = &request.email {
        return Email::parse(email)
            .map(PersonQuery::Email)
            .map_err(|error| Fault::unreadable("/email", &error));
    }
    if let Some(phone) = &request.phone {
        return Phone::parse(phone)
            .map(PersonQuery::Phone)
            .map_err(|error| Fault::unreadable("/phone", &error));
    }
    let (name, company) = (written_name(request)?, written_company(request)?);
    let name = name.read()?;
    match company {
        WrittenCompany::Domain(domain) => {
            let domain =
                Domain::parse(domain).map_err(|error| Fault::unreadable("/company_domain", &error))?;
            Ok(PersonQuery::NameAtDomain(name, domain))
        }
        WrittenCompany::Name(company) => Ok(PersonQuery::NameAtCompany(name, company.to_owned())),
    }
}

/// The company as the request names it. Whether it does at all is asked before anything is read.
enum WrittenCompany<'a> {
    Domain(&'a str),
    Name(&'a str),
}

fn written_company(request: &EnrichRequest) -> Result<WrittenCompany<'_>, Fault> {
    match (&request.company_domain, &request.company_name) {
        (Some(_), Some(_)) => {
            let fix = "send company_domain alone; it is the surer of the two";
            Err(Fault::field("/company_name", "several_identifiers", "the company is named twice", fix))
        }
        (Some(domain), None) => Ok(WrittenCompany::Domain(domain)),
        (None, Some(company)) => Ok(WrittenCompany::Name(company)),
        (None, None) => Err(Fault::field(
            "/company_domain",
            "missing",
            "a name needs the company it belongs to",
            "add company_domain or company_name",
        )),
    }
}

pub(crate) fn profile_url(url: &str, hosts: &NetworkHosts) -> Result<NetworkUrl, Fault> {
    let url = read_network_url(url, hosts)?;
    if url.kind() == NetworkUrlKind::Person {
        return Ok(url);
    }
    let fix = "send the address of a person's profile; companies are found by /v1/companies";
    Err(Fault::field("/networkUrl", "not_a_person", "the address is a company's", fix))
}

/// The name as the request gives it.
enum WrittenName<'a> {
    Full(&'a str),
    Parts(&'a str, &'a str),
}

impl WrittenName<'_> {
    fn read(self) -> Result<PersonName, Fault> {
        match self {
            Self::Full(full) => {
                PersonName::parse(full).map_err(|error| Fault::unreadable("/fullName", &error))
            }
            Self::Parts(first, last) => {
                PersonName::from_parts(first, last).map_err(|error| Fault::unreadable("/lastName", &error))
            }
        }
    }
}

fn written_name(request: &EnrichRequest) -> Result<WrittenName<'_>, Fault> {
    let missing = |field: &str| FieldError {
        pointer: format!("/{field}"),
        code: "missing".into(),
        message: "the field is required".into(),
        fix: format!("add `{field}`, or use another identifier"),
    };
    match (&request.full_name, &request.first_name, &request.last_name) {
        (Some(full), None, None) => Ok(WrittenName::Full(full)),
        (None, Some(first), Some(last)) => Ok(WrittenName::Parts(first, last)),
        (None, Some(_), None) => Err(Fault::invalid(vec![missing("lastName")])),
        (None, None, Some(_)) => Err(Fault::invalid(vec![missing("firstName")])),
        (Some(_), _, _) => Err(Fault::field(
            "/fullName",
            "several_identifiers",
            "the name is given twice",
            "send fullName, or firstName and lastName",
        )),
        (None, None, None) => Err(Fault::field(
            "",
            "missing_identifier",
            "no identifier is given",
            "send one of networkUrl, email, phone, or a name with a company",
        )),
    }
}
