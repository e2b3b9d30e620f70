//! A request for one row of the catalog, as any transport may bring it.

use crate::endpoint::Entry;
use crate::fault::Fault;
use crate::input::{Options, RawInput};
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
    /// The client's own address, whatever proxies stand between.
    pub client: IpAddr,
}

impl Call {
    /// The fields of the request, and what the caller says about the call itself.
    pub(crate) fn input(&self) -> Result<(RawInput, Options), Fault> {
        let spec = &self.entry.spec;
        let (mut input, dry_run) = if spec.verb.has_body() {
            (RawInput::from_body(&self.body)?, read_dry_run(&self.query)?)
        } else {
            (RawInput::from_query(self.query.clone())?, false)
        };
        let options = if spec.price.is_free() { Options::default() } else { input.take_options()? };
        for (name, value) in &self.path_fields {
            input = input.with_path_field(name, value);
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
                &format!("/{name}"),
                "unknown_field",
                "the query parameter is not known here",
                fix,
            ))
        }
    }
}
