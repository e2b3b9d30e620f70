//! A request for one row of the catalog, as any transport may bring it.

use crate::endpoint::{Entry, Prepared};
use crate::fault::Fault;
use crate::idempotency::check_key;
use crate::input::{Options, RawInput};
use crate::slot::Slot;
use crate::spec::Verb;
use assay_domain::NetworkHosts;
use bytes::Bytes;
use std::net::IpAddr;

/// What was asked, by whom and from where.
#[derive(Debug)]
pub struct Call {
    pub entry: &'static Entry,
    /// The path as sent, which is part of an idempotency key's scope.
    pub path: String,
    pub path_fields: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub body: Bytes,
    pub authorization: Option<String>,
    pub idempotency_key: Option<String>,
    /// Whether the caller wants to be told as it happens, where that can be.
    pub wants_events: bool,
    /// The answer a caller of the sandbox wants to see; live calls take no notice of it.
    pub sandbox_outcome: Option<String>,
    /// The client's own address, whatever proxies stand between.
    pub client: IpAddr,
    /// Whether it was made by a schedule, and nobody waits for the answer.
    pub unattended: bool,
    /// The call's place among those being worked on: whoever waits for an upstream steps aside.
    pub slot: Slot,
}

impl Call {
    /// The request, decoded as the row wants it.
    pub(crate) fn prepare(&self, input: RawInput, hosts: &NetworkHosts) -> Result<Prepared, Fault> {
        let watch = self.entry.watch.filter(|_| self.wants_events);
        watch.unwrap_or(self.entry.prepare)(input, hosts)
    }

    /// The fields of the request, and what the caller says about the call itself.
    pub(crate) fn input(&self) -> Result<(RawInput, Options), Fault> {
        let spec = &self.entry.spec;
        if let Some(key) = self.idempotency_key.as_deref().filter(|_| spec.verb == Verb::Post) {
            check_key(key)?;
        }
        let (mut input, dry_run) = if spec.verb.has_body() {
            (RawInput::from_body(&self.body)?, read_dry_run(&self.query)?)
        } else {
            (RawInput::from_query(self.query.clone())?, false)
        };
        let options = if spec.price.is_free() { Options::default() } else { input.take_options()? };
        for (name, value) in &self.path_fields {
            input = input.with_path_field(name, value)?;
        }
        Ok((input, Options { dry_run, ..options }))
    }
}

fn read_dry_run(query: &[(String, String)]) -> Result<bool, Fault> {
    match query {
        [] => Ok(false),
        [(name, value)] if name == "dry_run" => match value.as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => {
                Err(Fault::field("/dry_run", "invalid_type", "neither true nor false", "send ?dry_run=true"))
            }
        },
        [(name, _), ..] => {
            let fix = "send the fields in the JSON body; only dry_run goes into the query";
            Err(Fault::field(
                &crate::input::pointer_to(name),
                "unknown_field",
                "the query parameter is not known here",
                fix,
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CATALOG;
    use crate::fault::Code;
    use std::net::Ipv4Addr;

    fn call(name: &str, body: &'static str) -> Call {
        Call {
            entry: CATALOG.iter().find(|entry| entry.spec.name == name).unwrap(),
            path: String::new(),
            path_fields: Vec::new(),
            query: Vec::new(),
            body: Bytes::from_static(body.as_bytes()),
            authorization: None,
            idempotency_key: None,
            wants_events: false,
            sandbox_outcome: None,
            client: IpAddr::V4(Ipv4Addr::LOCALHOST),
            unattended: false,
            slot: Slot::default(),
        }
    }

    #[test]
    fn a_key_that_cannot_be_one_is_refused_also_when_only_the_price_is_asked() {
        let dry_run = vec![("dry_run".to_owned(), "true".to_owned())];
        let mut asked = Call { query: dry_run, ..call("enrich", "{}") };
        assert!(asked.input().is_ok_and(|(_, options)| options.dry_run));
        asked.idempotency_key = Some("\u{e9}".to_owned());
        assert_eq!(asked.input().unwrap_err().code, Code::InvalidIdempotencyKey);
        // Other methods take no key, so none can be wrong.
        assert!(Call { idempotency_key: asked.idempotency_key, ..call("keys-change", "{}") }.input().is_ok());
    }

    #[test]
    fn a_field_of_the_path_is_given_once() {
        let id = || vec![("id".to_owned(), "key_a1B2c3D4e5F6".to_owned())];
        assert!(Call { path_fields: id(), ..call("keys-change", "{}") }.input().is_ok());
        let twice = Call { path_fields: id(), ..call("keys-change", "{\"id\":\"other\"}") };
        assert_eq!(twice.input().unwrap_err().errors[0].pointer, "/id");
        let twice = Call { path_fields: id(), query: id(), ..call("keys-get", "") };
        assert_eq!(twice.input().unwrap_err().errors[0].pointer, "/id");
    }
}
