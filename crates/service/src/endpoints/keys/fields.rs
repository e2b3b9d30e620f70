//! The fields that requests about keys share: read once, with one way to say what is wrong with them.

use crate::fault::{Fault, FieldError};
use crate::spec::Scope;
use assay_domain::{Credits, IpRange, KeyId, limits};
use chrono::{DateTime, TimeDelta, Utc};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

const ID_CHARS: usize = 12;

/// The id as listed, with or without its prefix. A text that can be no id becomes one that nothing has: how an absent
/// key is told must not depend on why it is absent.
pub fn key_id(text: &str) -> KeyId {
    let id = text.strip_prefix("key_").unwrap_or(text);
    let is_id = id.len() == ID_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    KeyId::new(if is_id { id } else { "" })
}

/// Names are printed on terminals and in lists.
pub fn name(text: &str) -> Result<String, Fault> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.chars().any(char::is_control) {
        let fix = "send some visible characters on one line";
        return Err(Fault::field("/name", "invalid_name", "the name is empty or not one line of text", fix));
    }
    Ok(trimmed.to_owned())
}

/// Each once, in the order of the reference.
pub fn scopes(given: &[Scope]) -> Vec<String> {
    let wanted = Scope::ALL.iter().filter(|scope| given.contains(scope));
    wanted.map(|scope| scope.as_str().to_owned()).collect()
}

pub fn ip_allow(given: &[String]) -> Result<Vec<IpRange>, Fault> {
    let (mut ranges, mut errors) = (Vec::new(), Vec::new());
    for (index, text) in given.iter().enumerate() {
        match text.parse::<IpRange>() {
            Ok(range) if ranges.contains(&range) => {}
            Ok(range) => ranges.push(range),
            Err(error) => errors.push(FieldError {
                pointer: format!("/ip_allow/{index}"),
                code: error.code().to_owned(),
                message: error.to_string(),
                fix: error.fix().into_owned(),
            }),
        }
    }
    if errors.is_empty() { Ok(ranges) } else { Err(Fault::invalid(errors)) }
}

pub fn monthly_cap(cap: Credits) -> Result<Credits, Fault> {
    if cap >= Credits::ZERO {
        return Ok(cap);
    }
    let fix = "send a number of credits, zero or more";
    Err(Fault::field("/monthly_cap", "invalid_credits", "a cap cannot be negative", fix))
}

/// When a key ends, as a caller may say it.
#[derive(Debug, Clone, Copy)]
pub enum End {
    InDays(u32),
    At(DateTime<Utc>),
}

impl End {
    pub fn read(in_days: Option<u32>, at: Option<DateTime<Utc>>) -> Result<Option<Self>, Fault> {
        match (in_days, at) {
            (Some(_), Some(_)) => {
                let fix = "send `expires_in_days` or `expires_at`";
                Err(Fault::field("/expires_at", "conflicting", "the end is given twice", fix))
            }
            (Some(days), None) => Ok(Some(Self::InDays(days))),
            (None, Some(at)) => Ok(Some(Self::At(at))),
            (None, None) => Ok(None),
        }
    }

    pub fn moment(self, now: DateTime<Utc>) -> Result<DateTime<Utc>, Fault> {
        match self {
            Self::InDays(days) => Ok(now + TimeDelta::days(i64::from(days))),
            Self::At(at) => future(at, now),
        }
    }
}

/// An end that is still to come, and that a database can hold.
pub fn future(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<DateTime<Utc>, Fault> {
    if at <= now {
        let fix = "send a time to come; to end a key now, revoke it";
        return Err(Fault::field("/expires_at", "in_the_past", "the time is over", fix));
    }
    if at > now + TimeDelta::days(i64::from(limits::KEY_LIFETIME_DAYS_MAX)) {
        let fix = "send a nearer time, or null for a key without an end";
        return Err(Fault::field("/expires_at", "out_of_bounds", "the time is too far away", fix));
    }
    Ok(at)
}

/// One that is born dead helps nobody.
pub fn end_of_successor(
    end: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, Fault> {
    if end.is_none_or(|at| at > now) {
        return Ok(end);
    }
    let fix = "send `expires_in_days` or `expires_at` for the new key";
    Err(Fault::field("/expires_at", "in_the_past", "the key has expired, and so would its successor", fix))
}

/// Tells `null` from a field that was left out.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub fn nullable_credits(_: &mut SchemaGenerator) -> Schema {
    let most = Credits::from_thousandths(i64::MAX).thousandths() / 1_000;
    json_schema!({ "type": ["number", "null"], "minimum": 0, "maximum": most, "multipleOf": 0.001 })
}

pub fn nullable_rate(_: &mut SchemaGenerator) -> Schema {
    let most = limits::KEY_REQUESTS_PER_MINUTE_MAX;
    json_schema!({ "type": ["integer", "null"], "minimum": 1, "maximum": most })
}

pub fn nullable_moment(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "format": "date-time" })
}

/// An end is given in one way or not at all, told to the reference.
pub fn one_end(schema: &mut Schema) {
    crate::openapi::exactly_one_form(
        schema,
        &[
            ("without an end of its own", &[]),
            ("ending after days", &["expires_in_days"]),
            ("ending at a time", &["expires_at"]),
        ],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_no_id_is_the_id_of_nothing() {
        assert_eq!(key_id("key_a1B2c3D4e5F6"), key_id("a1B2c3D4e5F6"));
        assert_eq!(key_id("a1B2c3D4e5F6").as_str(), "a1B2c3D4e5F6");
        for text in
            ["", "key_", "none", "key_a1B2c3D4e5F", "a1B2c3D4e5F\0", "key_key_a1B2c3D4", "é1B2c3D4e5F"]
        {
            assert_eq!(key_id(text).as_str(), "", "{text:?}");
        }
    }

    #[test]
    fn an_end_lies_ahead_and_is_given_once() {
        let now = crate::example::moment();
        let at = |days| now + TimeDelta::days(days);
        assert!(End::read(Some(1), Some(now)).is_err());
        assert_eq!(End::InDays(3).moment(now).unwrap(), at(3));
        assert_eq!(End::At(at(3)).moment(now).unwrap(), at(3));
        assert!(End::At(now).moment(now).is_err() && End::At(at(-1)).moment(now).is_err());
        assert!(End::At(at(i64::from(limits::KEY_LIFETIME_DAYS_MAX) + 1)).moment(now).is_err());
    }

    #[test]
    fn every_wrong_range_is_named() {
        let texts: Vec<String> = ["10.0.0.0/8", "x", "10.0.0.0/8", "10.0.0.1/8"].map(str::to_owned).to_vec();
        let fault = ip_allow(&texts).unwrap_err();
        let pointers: Vec<&str> = fault.errors.iter().map(|error| &*error.pointer).collect();
        assert_eq!(pointers, ["/ip_allow/1", "/ip_allow/3"]);
        assert_eq!(ip_allow(&["::1".into(), "::1/128".into()]).unwrap().len(), 1);
    }

    #[test]
    fn names_are_one_visible_line() {
        assert_eq!(name("  crm sync ").unwrap(), "crm sync");
        for text in ["", "   ", "a\nb", "\u{1b}[31m"] {
            assert!(name(text).is_err(), "{text:?}");
        }
    }
}
