//! The shape of an endpoint, and its row in the catalog: types are erased once, here, by function pointers.

use crate::context::Context;
use crate::fault::Fault;
use crate::input::{Decoded, RawInput};
use crate::spec::Spec;
use crate::written::{Rest, Written};
use assay_domain::{NetworkHosts, PersonId};
use assay_store::ledger::op::Deed;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
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

    /// How many of them are held for while the call itself runs; a call whose work is done later holds less.
    fn units_held(question: &Self::Question) -> u32 {
        Self::units_max(question)
    }

    /// A worked example: what the reference shows, and what a test sends.
    fn example() -> (Value, Self::Response);

    /// What the sandbox answers to this question: the worked example, unless the question chooses among several.
    fn example_for(_question: &Self::Question) -> Self::Response {
        Self::example().1
    }

    /// How many units the worked example would bill.
    fn example_units() -> u32 {
        1
    }

    /// The answer when there is nothing to be found; none where that cannot be.
    fn not_found() -> Option<Self::Response> {
        None
    }

    /// The same for this question, where the answer repeats a part of it.
    fn not_found_for(_question: &Self::Question) -> Option<Self::Response> {
        Self::not_found()
    }

    /// Whether that answer is of a search that ran: then its base is charged.
    fn not_found_ran() -> bool {
        true
    }

    fn run(
        context: &Context,
        question: Self::Question,
    ) -> impl Future<Output = Result<Outcome<Self::Response>, Fault>> + Send;

    /// What is left to do of an answer when its units are known: it is done while they are paid for. Says how many of them could
    /// not be told after all, and have left the answer; where it fails, so does the call. Either is given back.
    fn finish(
        _context: &Context,
        _answer: &mut Self::Response,
    ) -> impl Future<Output = Result<u32, Fault>> + Send {
        std::future::ready(Ok(0))
    }
}

/// An endpoint that also goes on telling, to whoever accepts `text/event-stream`. Free, as every stream is.
pub trait LiveEndpoint: Endpoint {
    fn watch(
        context: &Context,
        question: Self::Question,
    ) -> impl Future<Output = Result<Chunks, Fault>> + Send;
}

pub const EVENT_STREAM: &str = "text/event-stream";

/// An endpoint whose answer is too long to be held in memory: it is written piece by piece. Free, because what it costs
/// must be known before the first byte.
pub trait StreamEndpoint: 'static {
    const SPEC: Spec;
    const CONTENT_TYPE: &'static str;
    /// What a browser calls the answer when it saves it; none where the answer is not a file.
    const FILE_NAME: Option<&'static str>;
    type Request: DeserializeOwned + JsonSchema + garde::Validate<Context = ()> + Send + 'static;
    type Question: Send + 'static;

    fn parse(request: Self::Request, hosts: &NetworkHosts) -> Result<Self::Question, Fault>;

    /// A worked example: a request, and the whole of a short answer.
    fn example() -> (Value, &'static str);

    fn run(context: &Context, question: Self::Question)
    -> impl Future<Output = Result<Chunks, Fault>> + Send;
}

/// The pieces of a streamed answer. An error ends it early, which a client sees as a broken transfer.
pub type Chunks = BoxStream<'static, Result<Bytes, Fault>>;

/// What a run found.
#[derive(Debug, Clone)]
pub struct Outcome<T> {
    pub body: T,
    /// Whether the work took place at all; what did not run costs nothing, whatever its price.
    pub ran: bool,
    pub units: u32,
    pub trace: Trace,
    /// What becomes true when the call is settled, in the same commit.
    pub deed: Option<Deed>,
}

impl<T> Outcome<T> {
    pub fn found(body: T, units: u32, trace: Trace) -> Self {
        Self { body, ran: true, units, trace, deed: None }
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
    /// Whether the answer was paid for with the account's own key to a vendor.
    pub is_own_key: bool,
}

impl Trace {
    /// The graph was asked, and nobody else.
    pub fn graph(is_found: bool, latency: Duration) -> Self {
        let outcome = if is_found { "found" } else { "not_found" };
        Self { steps: vec![Step::own("graph", outcome, latency)], ..Self::default() }
    }
}

/// One source that was asked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Step {
    pub provider: Cow<'static, str>,
    pub outcome: &'static str,
    #[serde(serialize_with = "as_milliseconds")]
    #[schemars(with = "u64", rename = "latency_ms")]
    #[serde(rename = "latency_ms")]
    pub latency: Duration,
    /// What the source charged, in millionths of a US dollar; our own sources charge nothing.
    pub upstream_cost_micros: u32,
}

impl Step {
    /// One of our own sources.
    pub fn own(provider: &'static str, outcome: &'static str, latency: Duration) -> Self {
        Self { provider: Cow::Borrowed(provider), outcome, latency, upstream_cost_micros: 0 }
    }
}

fn as_milliseconds<S: serde::Serializer>(latency: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(latency.as_millis()).unwrap_or(u64::MAX))
}

/// What an answer carries, as whatever its JSON is by now.
pub enum Payload<J> {
    Json(J),
    Stream { content_type: &'static str, file_name: Option<&'static str>, chunks: Chunks },
}

impl<J> std::fmt::Debug for Payload<J> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Json(_) => write!(out, "Json"),
            Self::Stream { content_type, .. } => write!(out, "Stream({content_type})"),
        }
    }
}

/// An answer with its type erased.
#[derive(Debug)]
pub struct Answered {
    pub payload: Payload<Rest>,
    pub tally: Tally,
}

/// What an answer is billed and remembered by.
#[derive(Debug)]
pub struct Tally {
    pub ran: bool,
    pub units: u32,
    pub trace: Trace,
    pub deed: Option<Deed>,
}

type Run = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<Answered, Fault>> + Send>;

/// Decodes and checks a request.
pub type Prepare = fn(RawInput, &NetworkHosts) -> Result<Prepared, Fault>;

/// A decoded, valid request that has not run yet.
pub struct Prepared {
    pub units_max: u32,
    pub units_held: u32,
    pub run: Run,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Prepared({} units)", self.units_max)
    }
}

/// A valid request answered from the worked example, without anything behind it.
#[derive(Debug)]
pub struct Rehearsal {
    pub units_max: u32,
    /// A JSON object without `cost`.
    pub found: Payload<Vec<u8>>,
    /// What `found` would have billed.
    pub units: u32,
    /// A JSON object without `cost`.
    pub not_found: Option<Vec<u8>>,
    /// Whether `not_found` would have billed its base.
    pub not_found_ran: bool,
}

/// How the answer of a row looks.
#[derive(Debug)]
pub enum AnswerShape {
    Json(fn(&mut SchemaGenerator) -> Schema),
    Stream { content_type: &'static str },
}

/// A row of the catalog.
#[derive(Debug)]
pub struct Entry {
    pub spec: Spec,
    pub request_schema: fn(&mut SchemaGenerator) -> Schema,
    pub answer: AnswerShape,
    /// Request and answer; the answer of a stream is a text.
    pub example: fn() -> (Value, Value),
    pub prepare: Prepare,
    /// For whoever wants to be told as it happens; none where that cannot be.
    pub watch: Option<Prepare>,
    /// Checks the request exactly as `prepare` does, and answers from the example.
    pub rehearse: fn(RawInput, &NetworkHosts) -> Result<Rehearsal, Fault>,
}

impl Entry {
    pub const fn of<E: Endpoint>() -> Self {
        Self {
            spec: E::SPEC,
            request_schema: |generator| generator.subschema_for::<E::Request>(),
            answer: AnswerShape::Json(|generator| generator.subschema_for::<E::Response>()),
            example: || {
                let (request, response) = E::example();
                (request, serde_json::to_value(response).unwrap_or(Value::Null))
            },
            prepare: prepare::<E>,
            watch: None,
            rehearse: rehearse::<E>,
        }
    }

    pub const fn live<E: LiveEndpoint>() -> Self {
        Self { watch: Some(prepare_watch::<E>), ..Self::of::<E>() }
    }

    pub const fn streaming<E: StreamEndpoint>() -> Self {
        Self {
            spec: E::SPEC,
            request_schema: |generator| generator.subschema_for::<E::Request>(),
            answer: AnswerShape::Stream { content_type: E::CONTENT_TYPE },
            example: || {
                let (request, text) = E::example();
                (request, Value::String(text.to_owned()))
            },
            prepare: prepare_stream::<E>,
            watch: None,
            rehearse: rehearse_stream::<E>,
        }
    }
}

fn prepare<E: Endpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Prepared, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    let question = E::parse(request, hosts)?;
    let (units_max, units_held) = (E::units_max(&question), E::units_held(&question));
    let run: Run = Box::new(move |context| {
        Box::pin(async move {
            let Outcome { body, ran, units, trace, deed } = E::run(&context, question).await?;
            let rest: Rest = Box::pin(write::<E>(context, body));
            Ok(Answered { payload: Payload::Json(rest), tally: Tally { ran, units, trace, deed } })
        })
    });
    Ok(Prepared { units_max, units_held, run })
}

async fn write<E: Endpoint>(context: Context, mut body: E::Response) -> Result<Written, Fault> {
    let missing = E::finish(&context, &mut body).await?;
    Ok(Written { json: write_json(&body, &E::SPEC)?, missing })
}

fn rehearse<E: Endpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Rehearsal, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    let question = E::parse(request, hosts)?;
    Ok(Rehearsal {
        units_max: E::units_max(&question),
        found: Payload::Json(write_json(&E::example_for(&question), &E::SPEC)?),
        units: E::example_units(),
        not_found: E::not_found_for(&question).map(|body| write_json(&body, &E::SPEC)).transpose()?,
        not_found_ran: E::not_found_ran(),
    })
}

fn prepare_stream<E: StreamEndpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Prepared, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    let question = E::parse(request, hosts)?;
    let run: Run = Box::new(move |context| {
        Box::pin(async move {
            let chunks = E::run(&context, question).await?;
            Ok(streamed(Payload::Stream { content_type: E::CONTENT_TYPE, file_name: E::FILE_NAME, chunks }))
        })
    });
    Ok(Prepared { units_max: 0, units_held: 0, run })
}

fn prepare_watch<E: LiveEndpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Prepared, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    let question = E::parse(request, hosts)?;
    let run: Run = Box::new(move |context| {
        Box::pin(async move {
            let chunks = E::watch(&context, question).await?;
            Ok(streamed(Payload::Stream { content_type: EVENT_STREAM, file_name: None, chunks }))
        })
    });
    Ok(Prepared { units_max: 0, units_held: 0, run })
}

fn streamed(payload: Payload<Rest>) -> Answered {
    Answered { payload, tally: Tally { ran: true, units: 0, trace: Trace::default(), deed: None } }
}

fn rehearse_stream<E: StreamEndpoint>(input: RawInput, hosts: &NetworkHosts) -> Result<Rehearsal, Fault> {
    let Decoded(request) = input.decode::<E::Request>()?;
    E::parse(request, hosts)?;
    let whole = Bytes::from_static(E::example().1.as_bytes());
    let chunks: Chunks = Box::pin(futures_util::stream::once(async { Ok(whole) }));
    let found = Payload::Stream { content_type: E::CONTENT_TYPE, file_name: E::FILE_NAME, chunks };
    Ok(Rehearsal { units_max: 0, found, units: 0, not_found: None, not_found_ran: false })
}

fn write_json<T: Serialize>(body: &T, spec: &Spec) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(body).map_err(|error| {
        tracing::error!(%error, endpoint = spec.name, "an answer could not be written as JSON");
        Fault::new(crate::fault::Code::Internal, "the answer could not be written")
    })
}
