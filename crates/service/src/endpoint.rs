//! The shape of an endpoint, and its row in the catalog: types are erased once, here, by function pointers.

use crate::context::Context;
use crate::fault::Fault;
use crate::input::{Decoded, RawInput};
use crate::spec::Spec;
use assay_domain::{NetworkHosts, PersonId};
use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::time::Duration;

/// An endpoint. It never sees HTTP, keys, the ledger or history: it answers, and says how many units it found.
pub trait Endpoint: 'static {
    const SPEC: Spec;
    type Request: DeserializeOwned + JsonSchema + garde::Validate<Context = ()> + Send + 'static;
    /// The request with every identifier parsed.
    type Question: Send + 'static;
    /// Never carries `cost`: the pipeline adds it.
    type Response: Serialize + JsonSchema + Send + 'static;

    /// Turns texts into identifiers; says which field is wrong and how to mend it.
    fn parse(request: Self::Request, hosts: &NetworkHosts) -> Result<Self::Question, Fault>;

    /// The most units this request can bill: the size of its hold.
    fn units_max(_question: &Self::Question) -> u32 {
        1
    }

    /// A worked example: what the reference shows, and what a test sends.
    fn example() -> (Value, Self::Response);

    fn run(
        context: &Context,
        question: Self::Question,
    ) -> impl Future<Output = Result<Outcome<Self::Response>, Fault>> + Send;
}

/// What a run found.
#[derive(Debug, Clone)]
pub struct Outcome<T> {
    pub body: T,
    /// Whether the work took place at all; what did not run costs nothing, whatever its price.
    pub ran: bool,
    pub units: u32,
    pub trace: Trace,
}

impl<T> Outcome<T> {
    pub fn found(body: T, units: u32, trace: Trace) -> Self {
        Self { body, ran: true, units, trace }
    }

    /// An answer that is no find: it bills no unit.
    pub fn nothing(body: T) -> Self {
        Self::found(body, 0, Trace::default())
    }
}

/// How an answer came about.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub steps: Vec<Step>,
    /// The age of the stored answer that was served, if one was.
    pub cache_age_seconds: Option<i64>,
    /// People the account has resolved by this call.
    pub people: Vec<PersonId>,
}

/// One source that was asked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Step {
    pub provider: &'static str,
    pub outcome: &'static str,
    #[serde(serialize_with = "as_milliseconds")]
    #[schemars(with = "u64", rename = "latency_ms")]
    #[serde(rename = "latency_ms")]
    pub latency: Duration,
    /// What the source charged, in minor units; our own sources charge nothing.
    pub upstream_cost: i64,
}

fn as_milliseconds<S: serde::Serializer>(latency: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(latency.as_millis()).unwrap_or(u64::MAX))
}

/// An answer with its type erased.
#[derive(Debug)]
pub struct Answered {
    /// A JSON object without `cost`.
    pub body: Vec<u8>,
    pub ran: bool,
    pub units: u32,
    pub trace: Trace,
}

type Run = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<Answered, Fault>> + Send>;

/// A decoded, valid request that has not run yet.
pub struct Prepared {
    pub units_max: u32,
    pub run: Run,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Prepared({} units)", self.units_max)
    }
}

/// A row of the catalog.
#[derive(Debug)]
pub struct Entry {
    pub spec: Spec,
    pub request_schema: fn(&mut SchemaGenerator) -> Schema,
    pub response_schema: fn(&mut SchemaGenerator) -> Schema,
    pub example: fn() -> (Value, Value),
    pub prepare: fn(RawInput, &NetworkHosts) -> Result<Prepared, Fault>,
}

impl Entry {
    pub const fn of<E: Endpoint>() -> Self {
        Self {
            spec: E::SPEC,
            request_schema: |generator| generator.subschema_for::<E::Request>(),
            response_schema: |generator| generator.subschema_for::<E::Response>(),
            example: || {
                let (request, response) = E::example();
                (request, serde_json::to_value(response).unwrap_or(Value::Null))
            },
            prepare: prepare::<E>,
        }
    }
}

fn prepare<E: Endpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Prepared, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    let question = E::parse(request, hosts)?;
    let units_max = E::units_max(&question);
    let run: Run = Box::new(move |context| {
        Box::pin(async move {
            let Outcome { body, ran, units, trace } = E::run(&context, question).await?;
            let body = serde_json::to_vec(&body).map_err(|error| {
                tracing::error!(%error, endpoint = E::SPEC.name, "an answer could not be written as JSON");
                Fault::new(crate::fault::Code::Internal, "the answer could not be written")
            })?;
            Ok(Answered { body, ran, units, trace })
        })
    });
    Ok(Prepared { units_max, run })
}
