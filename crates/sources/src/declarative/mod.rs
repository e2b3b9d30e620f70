//! A vendor from one TOML file: how it is asked by templates, how its answers are read by a jq filter. The keys are
//! explained in docs/providers.md.

mod answer;
mod error;
mod filter;
mod parse;
mod section;
mod template;

pub use error::DeclarationError;

use crate::reading::{self, Piece};
use crate::{Credentials, HttpAnswer, HttpQuestion, Question, Reading, Vendor, VendorFacts};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use filter::{Filter, Stopped};
use http::Method;
use serde_json::Value;
use std::fmt;
use template::{Known, Template};

/// A vendor an operator has written down.
pub struct DeclarativeVendor {
    facts: VendorFacts,
    auth: Auth,
    lookups: Vec<Declared>,
}

enum Auth {
    Header(String),
    Bearer,
    Basic,
    Query(String),
}

/// How one lookup is asked and read; it is the one of the facts at the same place.
struct Declared {
    method: Method,
    path: Template,
    query: Vec<(String, Template)>,
    headers: Vec<(String, Template)>,
    body: Option<Shape>,
    answer: Filter,
    miss_statuses: Vec<u16>,
    miss_when: Option<Filter>,
    errors: Vec<(u16, Outcome)>,
}

/// A body with templates for texts.
enum Shape {
    Fixed(Value),
    Text(Template),
    List(Vec<Shape>),
    Object(Vec<(String, Shape)>),
}

/// What an operator says a status means.
#[derive(Clone, Copy)]
enum Outcome {
    RateLimited,
    Quota,
    Unauthorized,
    Pending,
    Suppressed,
    Refused,
    Failed,
}

impl DeclarativeVendor {
    /// Reads a file. Its templates and filters are compiled here, so that what is wrong is told here.
    pub fn parse(text: &str) -> Result<Self, DeclarationError> {
        parse::parse(text)
    }

    fn declared(&self, question: &Question) -> Option<&Declared> {
        let at = self.facts.lookups.iter().position(|asked| asked.lookup == question.lookup)?;
        self.lookups.get(at)
    }
}

impl fmt::Debug for DeclarativeVendor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DeclarativeVendor({})", self.facts.name)
    }
}

impl Vendor for DeclarativeVendor {
    fn facts(&self) -> &VendorFacts {
        &self.facts
    }

    fn request(&self, question: &Question, key: &Credentials) -> Option<HttpQuestion> {
        let declared = self.declared(question)?;
        let known = Known::of(&question.subject);
        let path = declared.path.render(&known)?;
        // Dots are letters in a name, but in a path they lead out of it.
        if path.split('/').any(|segment| matches!(segment, "." | "..")) {
            return None;
        }
        let mut request = HttpQuestion::get(path);
        request.method = declared.method.clone();
        for (name, template) in &declared.query {
            let value = template.render(&known)?;
            request = request.query(name, Some(value).filter(|value| !value.is_empty()));
        }
        for (name, template) in &declared.headers {
            request = request.header(name, template.render(&known)?);
        }
        if let Some(shape) = &declared.body {
            request.body = Some(fill(shape, &known)??);
        }
        let key = key.expose();
        Some(match &self.auth {
            Auth::Header(name) => request.header(name, key),
            Auth::Bearer => request.header("Authorization", format!("Bearer {key}")),
            Auth::Basic => request.header("Authorization", format!("Basic {}", STANDARD.encode(key))),
            Auth::Query(name) => request.query(name, Some(key)),
        })
    }

    fn read(&self, question: &Question, response: &HttpAnswer<'_>) -> Reading {
        let Some(declared) = self.declared(question) else { return Reading::Refused };
        let status = response.status.as_u16();
        if let Some((_, outcome)) = declared.errors.iter().find(|(code, _)| *code == status) {
            return outcome.reading(response);
        }
        let is_miss_status = declared.miss_statuses.contains(&status);
        if let Some(refusal) = reading::refusal(response).filter(|_| !is_miss_status) {
            return refusal;
        }
        // A miss too must be one of theirs: a page of something in between says nothing.
        let Some(body) = reading::parse(response) else { return Reading::Failed("unreadable") };
        if is_miss_status {
            return Reading::Miss;
        }
        match declared.read(question, &body, response) {
            Ok(reading) => reading,
            Err(Stopped::TooMuch) => Reading::Failed("filter_too_costly"),
            Err(Stopped::Failed) => Reading::Failed("filter_failed"),
        }
    }
}

impl Declared {
    fn read(&self, question: &Question, body: &Value, response: &HttpAnswer<'_>) -> Result<Reading, Stopped> {
        if let Some(filter) = &self.miss_when
            && filter.run(response.body, body)? == Value::Bool(true)
        {
            return Ok(Reading::Miss);
        }
        let made = self.answer.run(response.body, body)?;
        let answer = answer::read(question.lookup, Piece::new(&made, response.hosts));
        Ok(match (answer.is_empty(), &self.miss_when) {
            (false, _) => Reading::hit(answer),
            (true, None) => Reading::Miss,
            // Whoever says how a miss looks means that nothing else is one.
            (true, Some(_)) => Reading::Failed("unreadable"),
        })
    }
}

/// Twice optional: it cannot be asked, or there is nothing to send at this place.
fn fill(shape: &Shape, known: &Known) -> Option<Option<Value>> {
    Some(match shape {
        Shape::Fixed(value) => Some(value.clone()),
        Shape::Text(template) => {
            Some(template.render(known)?).filter(|text| !text.is_empty()).map(Value::String)
        }
        Shape::List(items) => {
            let mut filled = Vec::new();
            for item in items {
                filled.extend(fill(item, known)?);
            }
            Some(Value::Array(filled))
        }
        Shape::Object(fields) => {
            let mut filled = serde_json::Map::new();
            for (name, shape) in fields {
                if let Some(value) = fill(shape, known)? {
                    filled.insert(name.clone(), value);
                }
            }
            Some(Value::Object(filled))
        }
    })
}

impl Outcome {
    fn reading(self, response: &HttpAnswer<'_>) -> Reading {
        match self {
            Self::RateLimited => Reading::RateLimited(reading::retry_after(response.headers)),
            Self::Quota => Reading::QuotaExhausted,
            Self::Unauthorized => Reading::Unauthorized,
            Self::Pending => Reading::Pending,
            Self::Suppressed => Reading::Suppressed,
            Self::Refused => Reading::Refused,
            Self::Failed => Reading::Failed("their_failure"),
        }
    }
}
