//! Input: one struct a request. GET takes its fields from the query, POST from the JSON body; unknown ones are refused.

use crate::fault::{Code, Fault, FieldError};
use crate::query;
use assay_domain::{Credits, limits};
use garde::Validate;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Words of a list that are told one by one; those of longer ones are in the API document.
pub(crate) const WORDS_TOLD_MAX: usize = 40;

/// The fields of a request before they have types, and the options every call takes.
#[derive(Debug)]
pub enum RawInput {
    Body(Map<String, Value>),
    Query(Vec<(String, String)>),
}

/// A request that decoded and fits its own rules.
#[derive(Debug)]
pub struct Decoded<T>(pub T);

/// What a caller may say about any paid call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub max_credits: Option<Credits>,
    pub explain: bool,
    pub dry_run: bool,
}

impl RawInput {
    /// Reads a JSON body. An empty one is an empty object.
    pub fn from_body(body: &[u8]) -> Result<Self, Fault> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::Body(Map::new()));
        }
        match serde_json::from_slice(body) {
            Ok(Value::Object(mut fields)) => {
                fields.values_mut().for_each(write_whole_numbers);
                Ok(Self::Body(fields))
            }
            Ok(_) => Err(Fault::field(
                "",
                "not_an_object",
                "the body is not a JSON object",
                "wrap the fields in { }",
            )),
            // The error's own text may quote the body, which may hold personal data: only the place is told.
            Err(error) => Err(Fault::new(
                Code::InvalidJson,
                format!("reading stopped at line {} column {}", error.line(), error.column()),
            )),
        }
    }

    /// Reads a query string's pairs.
    pub fn from_query(pairs: Vec<(String, String)>) -> Result<Self, Fault> {
        for (index, (name, _)) in pairs.iter().enumerate() {
            if pairs.iter().skip(index + 1).any(|(other, _)| other == name) {
                let fix = "give it once; lists are comma-separated";
                return Err(Fault::field(&pointer_to(name), "repeated", "the parameter is given twice", fix));
            }
        }
        Ok(Self::Query(pairs))
    }

    /// Adds a field of the path; it has no second place.
    pub fn with_path_field(mut self, name: &str, value: &str) -> Result<Self, Fault> {
        let is_given = match &mut self {
            Self::Body(fields) => fields.insert(name.to_owned(), Value::String(value.to_owned())).is_some(),
            Self::Query(pairs) => {
                let is_given = pairs.iter().any(|(other, _)| other == name);
                pairs.push((name.to_owned(), value.to_owned()));
                is_given
            }
        };
        if is_given {
            let fix = "leave it out: it is told by the path";
            return Err(Fault::field(&pointer_to(name), "unknown_field", "the field is given twice", fix));
        }
        Ok(self)
    }

    /// Takes out the options that every paid call accepts beside its own fields.
    pub fn take_options(&mut self) -> Result<Options, Fault> {
        let Self::Body(fields) = self else { return Ok(Options::default()) };
        let explain = fields.shift_remove("explain").map(|value| read_bool("explain", &value)).transpose()?;
        let max_credits = match fields.shift_remove("max_credits") {
            None | Some(Value::Null) => None,
            Some(value) => Some(read_credits(&value)?),
        };
        Ok(Options { max_credits, explain: explain.unwrap_or(false), dry_run: false })
    }

    pub fn decode<T: DeserializeOwned + Validate<Context = ()>>(self) -> Result<Decoded<T>, Fault> {
        let read: Result<T, FieldError> = match self {
            Self::Body(fields) => {
                serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| unfit(&error))
            }
            Self::Query(pairs) => {
                serde_path_to_error::deserialize(query::deserializer(pairs)).map_err(|error| unfit(&error))
            }
        };
        let request = read.map_err(|error| Fault::invalid(vec![error]))?;
        request.validate().map_err(|report| Fault::invalid(broken_rules(&report)))?;
        Ok(Decoded(request))
    }
}

/// To JSON, 7.0 and 7 are one number, and some languages write only the first.
fn write_whole_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.to_string().strip_suffix(".0").and_then(|digits| digits.parse::<i64>().ok());
            if let Some(whole) = whole {
                *number = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_whole_numbers),
        Value::Object(fields) => fields.values_mut().for_each(write_whole_numbers),
        _ => {}
    }
}

fn read_bool(name: &str, value: &Value) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| {
        Fault::field(&format!("/{name}"), "invalid_type", "neither true nor false", "send true or false")
    })
}

fn read_credits(value: &Value) -> Result<Credits, Fault> {
    let credits = value.as_number().and_then(|number| number.to_string().parse::<Credits>().ok());
    credits.filter(|credits| *credits >= Credits::ZERO).ok_or_else(|| {
        let fix = "send a number of credits, zero or more, with at most 3 decimals";
        Fault::field("/max_credits", "invalid_credits", "not an amount of credits", fix)
    })
}

/// What serde found unfit, told with the nearest known name where a name is unknown. The value itself is never told.
fn unfit<E: std::fmt::Display>(error: &serde_path_to_error::Error<E>) -> FieldError {
    let message = error.inner().to_string();
    let mut pointer = pointer(error.path());
    if let Some((unknown, known)) = unknown_name(&message) {
        let kind = if message.starts_with("unknown field") { "field" } else { "value" };
        let unknown_pointer = pointer_to(unknown);
        if kind == "field" && !pointer.ends_with(&unknown_pointer) {
            pointer.push_str(&unknown_pointer);
        }
        let nearest = nearest(unknown, &known);
        let fix = match nearest {
            Some(name) => format!("did you mean `{name}`?"),
            None if known.len() > WORDS_TOLD_MAX => "use one that the reference lists".to_owned(),
            None => format!("use one of {}", known.join(", ")),
        };
        return FieldError {
            pointer,
            code: format!("unknown_{kind}"),
            message: format!("the {kind} is not known here"),
            fix,
        };
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        let fix = format!("add `{name}`");
        return FieldError {
            pointer: format!("{pointer}/{name}"),
            code: "missing".into(),
            message: "the field is required".into(),
            fix,
        };
    }
    let expected =
        message.rsplit_once("expected ").map_or("another type", |(_, expected)| in_words(expected));
    FieldError {
        pointer,
        code: "invalid_type".into(),
        message: "the value has the wrong type or form".into(),
        fix: format!("send {expected}"),
    }
}

/// What a program calls a type, as a caller knows it.
fn in_words(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        named if named.starts_with("struct ") => "an object",
        other => other,
    }
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } | Segment::Enum { variant: key } => pointer.push_str(&pointer_to(key)),
            Segment::Unknown => {}
        }
    }
    pointer
}

/// Points at a field by the name the caller gave it. What does not look like a field's name (an address, a number, a
/// key) is personal data or a secret in the wrong place: it is not repeated.
pub(crate) fn pointer_to(name: &str) -> String {
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let plain = name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.'));
    if starts_well && plain && name.len() <= limits::FIELD_NAME_TOLD_CHARS_MAX {
        return format!("/{name}");
    }
    "/?".to_owned()
}

/// Reads serde's "unknown field `x`, expected one of `a`, `b`", and the same for enum values. The name is the caller's,
/// who may have put anything into it, also what looks like the rest of the message.
fn unknown_name(message: &str) -> Option<(&str, Vec<&str>)> {
    let rest =
        message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (unknown, expected) = rest
        .rsplit_once("`, expected ")
        .or_else(|| Some((rest.strip_suffix("`, there are no fields")?, "")))?;
    let known = expected.split('`').skip(1).step_by(2).collect();
    Some((unknown, known))
}

pub(crate) fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let unknown = plain(unknown);
    let likeness = |name: &str| {
        let score = strsim::jaro_winkler(&plain(name), &unknown);
        (score > 0.75).then_some(score)
    };
    let scored = known.iter().filter_map(|name| Some((likeness(name)?, *name)));
    scored.max_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, name)| name)
}

fn broken_rules(report: &garde::Report) -> Vec<FieldError> {
    report
        .iter()
        .map(|(path, error)| FieldError {
            pointer: format!("/{}", path.to_string().replace(['.', '['], "/").replace(']', "")),
            code: "out_of_bounds".into(),
            message: error.message().to_owned(),
            fix: "keep within the bounds the reference gives".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, Validate)]
    #[serde(deny_unknown_fields)]
    struct Asked {
        #[serde(default)]
        #[garde(skip)]
        email: Option<String>,
        #[serde(default)]
        #[garde(skip)]
        count: Option<u32>,
    }

    fn refused(body: &str) -> String {
        let input = RawInput::from_body(body.as_bytes()).unwrap();
        match input.decode::<Asked>() {
            Err(fault) => format!("{} {:?}", fault.detail, fault.errors),
            Ok(Decoded(Asked { email, count })) => panic!("{email:?} and {count:?} are taken"),
        }
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        for body in ["{\"count\": 7}", "{\"count\": 7.0}", "{\"count\": 0.7e1}"] {
            let input = RawInput::from_body(body.as_bytes()).unwrap();
            assert_eq!(input.decode::<Asked>().unwrap().0.count, Some(7), "{body}");
        }
        for body in ["{\"count\": 7.5}", "{\"count\": -7.0}", "{\"count\": 1e30}", "{\"count\": \"7\"}"] {
            assert!(refused(body).contains("/count"), "{body}");
        }
    }

    #[test]
    fn a_mistyped_name_is_repeated_and_what_is_no_name_is_not() {
        let told = refused(r#"{"emial": "x"}"#);
        assert!(told.contains("/emial") && told.contains("did you mean `email`?"), "{told}");
        for name in [
            "ada@acme.example",
            "+12025550123",
            "12025550123",
            "Ada Okafor",
            "https://network.example/in/ada-secret",
            "assay_live_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUV012345",
            "x`, expected `ada@acme.example` or `secret@acme.example",
            "secret`, there are no fields",
        ] {
            let told = refused(&json_of(name));
            let parts = name.split(['`', ' ', '/', '@', '+']).filter(|part| part.len() > 5);
            assert!(parts.clone().all(|part| !told.contains(part) || part == "expected"), "{told}");
            assert!(told.contains("/?") && told.contains("email"), "{told}");
        }
        let told = refused(r#"{"count": "ada@acme.example, expected secret"}"#);
        assert!(told.contains("/count") && !told.contains("acme") && !told.contains("secret"), "{told}");
    }

    fn json_of(name: &str) -> String {
        serde_json::json!({ name: 1 }).to_string()
    }
}
