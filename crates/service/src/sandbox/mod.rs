//! The sandbox: every row of the catalog answered from its worked example. It holds no handle to the ledger, the graph
//! or the engine, so there is no account it could charge and no person it could tell about.

mod door;
mod info;
mod outcome;

pub use door::Door;
pub use info::{INFO_PATH, InfoResponse, SandboxEndpoints, twin_path};
pub use outcome::SandboxOutcome;

use crate::call::Call;
use crate::done::problem_reply;
use crate::endpoint::{Entry, Payload, Rehearsal, Step};
use crate::fault::{Code, Fault};
use crate::idempotency::check_key;
use crate::input::{Options, RawInput};
use crate::reply::{Reply, ReplyBody, splice};
use crate::spec::{Spec, Verb};
use assay_domain::{Clock, Credits, NetworkHosts, RequestId, limits};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::Semaphore;

/// What a forced 429 asks a client to wait.
const FORCED_RETRY_SECONDS: u32 = 1;

/// Answers calls from examples.
#[derive(Debug)]
pub struct Sandbox {
    hosts: NetworkHosts,
    clock: Clock,
    /// Slow answers that may wait at once.
    sleepers: Semaphore,
}

/// The `cost` object of a sandbox answer.
#[derive(Debug, Clone, Copy, serde::Serialize, schemars::JsonSchema)]
pub struct SandboxCost {
    /// Always 0.
    #[schemars(with = "f64")]
    pub credits: Credits,
    /// What the same answer would have cost outside the sandbox.
    #[schemars(with = "f64")]
    pub live_credits: Credits,
}

/// What a call came to: a status and a body.
pub(crate) type Rehearsed = (u16, ReplyBody);

impl Sandbox {
    pub fn new(hosts: NetworkHosts, clock: Clock) -> Self {
        Self { hosts, clock, sleepers: Semaphore::new(limits::SANDBOX_SLEEPERS_MAX) }
    }

    /// Answers a call that nobody has to be known for.
    pub async fn call(&self, call: &Call) -> Reply {
        match self.answer(call).await {
            Ok((status, body)) => self.reply(status, body),
            Err(fault) => self.refuse(&fault),
        }
    }

    /// The reply to what never became a call.
    pub fn refuse(&self, fault: &Fault) -> Reply {
        problem_reply(fault, self.mint(), None, None)
    }

    fn reply(&self, status: u16, body: ReplyBody) -> Reply {
        Reply {
            status,
            body,
            request: self.mint(),
            charged: Credits::ZERO,
            remaining: None,
            rate: None,
            replayed: false,
            retry_after_seconds: None,
            challenge: None,
            timings: Vec::new(),
        }
    }

    fn mint(&self) -> RequestId {
        RequestId::mint(self.clock.now())
    }

    /// Checks a call as the live row does, in the same order, and answers it from the example or as the caller forces.
    pub(crate) async fn answer(&self, call: &Call) -> Result<Rehearsed, Fault> {
        let spec = &call.entry.spec;
        let (input, options) = call.input()?;
        let rehearsal = (call.entry.rehearse)(input, &self.hosts)?;
        let outcome = call.sandbox_outcome.as_deref().map(SandboxOutcome::parse).transpose()?;
        if let Some(outcome) = outcome {
            outcome.check(spec, &rehearsal)?;
        }
        if outcome == Some(SandboxOutcome::RateLimited) {
            let fault = Fault::new(Code::RateLimited, "forced by the header Sandbox-Outcome");
            return Err(Fault { retry_after_seconds: Some(FORCED_RETRY_SECONDS), ..fault });
        }
        if options.dry_run {
            return Ok((200, dry_run(spec, rehearsal.units_max)));
        }
        if let Some(key) = call.idempotency_key.as_deref().filter(|_| spec.verb == Verb::Post) {
            check_key(key)?;
        }
        let units_affordable = affordable(spec, &options, rehearsal.units_max)?;
        match outcome {
            Some(SandboxOutcome::InsufficientCredits) => {
                let needed = spec.price.charge(true, 1);
                return Err(Fault::insufficient(needed, Credits::ZERO, Credits::ZERO));
            }
            Some(SandboxOutcome::UpstreamError) => {
                return Err(Fault::new(Code::UpstreamError, "forced by the header Sandbox-Outcome"));
            }
            Some(SandboxOutcome::Slow) => call.slot.aside(self.sleep()).await?,
            Some(SandboxOutcome::NotFound | SandboxOutcome::RateLimited) | None => {}
        }
        let body = render(spec, rehearsal, outcome, options.explain, units_affordable);
        Ok((spec.status, body))
    }

    async fn sleep(&self) -> Result<(), Fault> {
        let too_many = || Fault::new(Code::Overloaded, "too many slow sandbox calls are waiting");
        let _place = self.sleepers.try_acquire().map_err(|_| too_many())?;
        tokio::time::sleep(limits::SANDBOX_SLOW).await;
        Ok(())
    }
}

/// The outcomes that `Sandbox-Outcome` may force on a row, by name.
pub fn outcomes(entry: &Entry) -> Vec<&'static str> {
    let fields = match (entry.example)().0 {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let rehearsal = (entry.rehearse)(RawInput::Body(fields), &NetworkHosts::default());
    rehearsal.map(|rehearsal| outcome::names(&entry.spec, &rehearsal)).unwrap_or_default()
}

/// How many units the caller's own bound pays for; the sandbox has no balance that could be another bound.
fn affordable(spec: &Spec, options: &Options, units_max: u32) -> Result<u32, Fault> {
    let Some(bound) = options.max_credits else { return Ok(units_max) };
    let units = spec.price.units_within(bound, units_max);
    units.ok_or_else(|| Fault::max_credits_too_low(spec.price, bound))
}

fn render(
    spec: &Spec,
    rehearsal: Rehearsal,
    outcome: Option<SandboxOutcome>,
    explain: bool,
    units_affordable: u32,
) -> ReplyBody {
    let not_found = rehearsal.not_found.filter(|_| outcome == Some(SandboxOutcome::NotFound));
    let (ran, units, told, body) = match (not_found, rehearsal.found) {
        (Some(body), _) => (rehearsal.not_found_ran, 0, "not_found", body),
        (None, Payload::Json(body)) => (true, rehearsal.units.min(units_affordable), "found", body),
        (None, Payload::Stream { content_type, file_name, chunks }) => {
            return ReplyBody::Stream { content_type, file_name, chunks };
        }
    };
    let cost = write_cost(spec.price.charge(ran, units));
    let step = Step::own("sandbox", told, Duration::ZERO);
    let trace = explain.then(|| serde_json::to_vec(&[step]).unwrap_or_default());
    let mut members: Vec<(&str, &[u8])> = Vec::new();
    members.extend(trace.as_deref().map(|trace| ("trace", trace)));
    members.extend([("sandbox", &b"true"[..]), ("cost", cost.as_bytes())]);
    ReplyBody::Json(splice(&body, &members).into())
}

fn dry_run(spec: &Spec, units_max: u32) -> ReplyBody {
    let max_price = spec.price.charge(true, units_max);
    let cost = write_cost(Credits::ZERO);
    let body = format!("{{\"dry_run\":true,\"max_price\":{max_price},\"sandbox\":true,\"cost\":{cost}}}");
    ReplyBody::Json(body.into_bytes().into())
}

fn write_cost(live_credits: Credits) -> String {
    format!("{{\"credits\":0,\"live_credits\":{live_credits}}}")
}

#[cfg(test)]
mod tests;
