//! One call from key to cost: the only place that knows who pays, how much, and what is remembered of it.

use crate::authenticate::{Authenticator, permit};
use crate::bulk::BulkKeys;
use crate::call::Call;
use crate::context::Context;
use crate::crash_point;
use crate::done::{Done, problem_reply};
use crate::endpoint::{Answered, Payload, Prepared, Tally};
use crate::exports::Exports;
use crate::fault::{Code, Fault};
use crate::feeds::Feeds;
use crate::foresight::Foresight;
use crate::idempotency::{ReplyKeys, Turn};
use crate::input::Options;
use crate::lists::ListKeys;
use crate::memory::AccountMemory;
use crate::rate::RateLimiter;
use crate::reply::{RateState, Reply, ReplyBody, cost_json, splice};
use crate::sandbox::Sandbox;
use crate::settle::{Billing, Charge, Purse};
use crate::webhook_rules::WebhookRules;
use crate::written::{Rest, Written};
use assay_domain::clock::Stopwatch;
use assay_domain::{AccountId, Clock, Credits, RequestId};
use assay_engine::Engine;
use assay_replica::Replica;
use assay_store::Ledger;
use assay_store::ledger::op::{Render, Settled};
use assay_store::ledger::{ClaimGuard, KeyRecord};
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;

/// When credits are held before a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldPolicy {
    /// For calls that may spend upstream money, and for those that found more than can be paid; the others settle in one step.
    WhenSpending,
    /// For every paid call.
    Always,
}

/// What an operator may set about calls.
#[derive(Debug, Clone)]
pub struct Settings {
    pub key_pepper: [u8; 32],
    pub reply_keys: ReplyKeys,
    pub bulk_keys: BulkKeys,
    pub list_keys: ListKeys,
    pub webhook_rules: WebhookRules,
    pub holds: HoldPolicy,
    pub hold_lifetime: Duration,
    pub billing: Billing,
    pub deadline: Duration,
}

/// The service: answers calls.
#[derive(Debug)]
pub struct Service {
    pub(crate) ledger: Ledger,
    engine: Engine,
    replica: Arc<Replica>,
    pub(crate) clock: Clock,
    settings: Arc<Settings>,
    keys: Authenticator,
    rates: RateLimiter,
    exports: Exports,
    feeds: Feeds,
    sandbox: Arc<Sandbox>,
}

/// What is known of a call before it is decided.
struct Arrival {
    request: RequestId,
    at: DateTime<Utc>,
    watch: Stopwatch,
    rate: Option<RateState>,
    /// Whose balance is told. Nobody's where the sandbox answers.
    account: Option<AccountId>,
}

impl Arrival {
    fn at(at: DateTime<Utc>) -> Self {
        Self { request: RequestId::mint(at), at, watch: Stopwatch::start(), rate: None, account: None }
    }
}

/// A call that may run, and whose key it has claimed.
#[derive(Clone, Copy)]
struct Errand<'a> {
    call: &'a Call,
    arrival: &'a Arrival,
    key: &'a Arc<KeyRecord>,
    options: Options,
    claim: Option<&'a ClaimGuard>,
}

impl Service {
    pub fn new(
        ledger: Ledger,
        engine: Engine,
        replica: Arc<Replica>,
        clock: Clock,
        settings: Settings,
    ) -> Self {
        let keys = Authenticator::new(ledger.clone(), settings.key_pepper);
        let rates = RateLimiter::new(&ledger, clock.clone());
        let sandbox = Arc::new(Sandbox::new(engine.hosts().clone(), clock.clone()));
        Self {
            ledger,
            engine,
            replica,
            clock,
            settings: Arc::new(settings),
            keys,
            rates,
            exports: Exports::default(),
            feeds: Feeds::default(),
            sandbox,
        }
    }

    /// What answers test keys, and whoever calls without a key.
    pub fn sandbox(&self) -> Arc<Sandbox> {
        Arc::clone(&self.sandbox)
    }

    /// Answers a call. Faults become problem documents here, so a transport has only one shape to send.
    pub async fn call(&self, call: Call) -> Reply {
        let mut arrival = Arrival::at(self.clock.now());
        let outcome = self.answer(call, &mut arrival).await;
        let asks_no_more = matches!(&outcome, Err(fault) if !fault.code.tells_balance());
        let known = outcome.as_ref().ok().and_then(|done| done.remaining);
        let remaining =
            if known.is_some() || asks_no_more { known } else { self.balance(arrival.account).await };
        match outcome {
            Ok(done) => done.reply(arrival.request, remaining, arrival.rate),
            Err(fault) => problem_reply(&fault, arrival.request, remaining, arrival.rate),
        }
    }

    /// What is left to whoever called. That it cannot be told right now is no reason to fail.
    async fn balance(&self, account: Option<AccountId>) -> Option<Credits> {
        self.ledger.available(account?).await.ok().flatten()
    }

    /// The reply to what never became a call: an unknown path, a body too large.
    pub fn refuse(&self, fault: &Fault) -> Reply {
        problem_reply(fault, RequestId::mint(self.clock.now()), None, None)
    }

    async fn answer(&self, call: Call, arrival: &mut Arrival) -> Result<Done, Fault> {
        let key = self.keys.identify(call.authorization.as_deref(), call.client, arrival.at).await?;
        let (rate, limited) = self.rates.take(&key, arrival.at).await;
        arrival.rate = Some(rate);
        arrival.account = key.live.then_some(key.account);
        if let Some(fault) = limited {
            return Err(fault);
        }
        self.permitted(&call, arrival, &key).await
    }

    /// Makes a call for a key without being asked by whoever has it: what schedules do. It is paid for, bounded and remembered as
    /// any other.
    pub(crate) async fn call_for(&self, key: &Arc<KeyRecord>, call: &Call) -> Result<(), Fault> {
        self.permitted(call, &Arrival::at(self.clock.now()), key).await.map(drop)
    }

    async fn permitted(&self, call: &Call, arrival: &Arrival, key: &Arc<KeyRecord>) -> Result<Done, Fault> {
        let spec = &call.entry.spec;
        permit(key, spec, arrival.at)?;
        if !key.live {
            let (status, body) = self.sandbox.answer(call).await?;
            return Ok(Done::free(status, body));
        }
        let result = self.admitted(call, arrival, key).await;
        if let Err(fault) = &result
            && spec.group.is_recorded()
        {
            self.purse(call, arrival, key, Options::default()).record_failure(fault.code.status());
        }
        result
    }

    /// A call that may run: decoded, claimed, paid for, run and settled.
    async fn admitted(&self, call: &Call, arrival: &Arrival, key: &Arc<KeyRecord>) -> Result<Done, Fault> {
        let (input, options) = call.input()?;
        let prepared = call.prepare(input, self.engine.hosts())?;
        if options.dry_run {
            let balance = self.balance(Some(key.account)).await;
            return Ok(Done::dry_run(call.entry, prepared.units_max, balance));
        }
        let claim = match self.settings.reply_keys.take_turn(&self.ledger, key.account, call).await? {
            Turn::Replay { status, body } => return Ok(Done::replayed(status, body)),
            Turn::Run(claim) => Some(claim),
            Turn::Free => None,
        };
        crash_point("call-claimed").await;
        let errand = Errand { call, arrival, key, options, claim: claim.as_ref() };
        match self.paid(&errand, prepared).await {
            Ok(done) => {
                crash_point("call-settled").await;
                if let Some(claim) = claim {
                    claim.settled();
                }
                Ok(done)
            }
            Err(fault) => Err(free_claim(claim, fault).await),
        }
    }

    /// Runs a call and charges for what it found. One that can often do without spending upstream runs first and pays
    /// afterwards. It is run again with credits held when it has to ask a vendor after all, and when it found more than can be
    /// paid for: then only as much is looked for as a hold has made sure of.
    async fn paid(&self, errand: &Errand<'_>, prepared: Prepared) -> Result<Done, Fault> {
        let Errand { call, arrival, key, options, .. } = *errand;
        let mut purse = self.purse(call, arrival, key, options);
        let units_held = prepared.units_held;
        match self.attempt(errand, prepared, &mut purse).await {
            Err(fault) if purse.would_go_on(&fault, units_held) => {
                purse.hold_first();
                let prepared = call.prepare(call.input()?.0, self.engine.hosts())?;
                self.attempt(errand, prepared, &mut purse).await
            }
            done => done,
        }
    }

    async fn attempt(
        &self,
        errand: &Errand<'_>,
        prepared: Prepared,
        purse: &mut Purse<'_>,
    ) -> Result<Done, Fault> {
        let Errand { call, arrival, key, options, claim } = *errand;
        let units_affordable = purse.open(prepared.units_held).await?;
        crash_point("call-held").await;
        let foresight = purse.foresight(claim.is_some());
        let bounds = (units_affordable, purse.holds(), options.max_credits);
        let context = Context { foresight: foresight.clone(), ..self.context(call, arrival, key, bounds) };
        let before = arrival.watch.elapsed();
        let time_left = self.settings.deadline.saturating_sub(before);
        let running = tokio::time::timeout(time_left, run(prepared, context));
        let ran = purse.beside(claim.is_some(), running).await;
        let Answered { payload, tally } = ran.unwrap_or_else(|_| Err(too_late()))?;
        purse.take_begun(&foresight);
        let looked_up = arrival.watch.elapsed();
        crash_point("call-ran").await;
        let (settled, body) = match payload {
            Payload::Json(rest) => {
                let (settled, json) = self.settle(errand, purse, tally, rest).await?;
                (settled, ReplyBody::Json(json.into()))
            }
            Payload::Stream { content_type, file_name, chunks } => {
                (purse.settle(tally, None).await?, ReplyBody::Stream { content_type, file_name, chunks })
            }
        };
        let timings = vec![
            ("find", looked_up.saturating_sub(before)),
            ("settle", arrival.watch.elapsed().saturating_sub(looked_up)),
        ];
        Ok(Done {
            status: call.entry.spec.status,
            body,
            charged: settled.credits,
            remaining: Some(settled.balance),
            replayed: false,
            timings,
        })
    }

    /// Charges for an answer and writes it meanwhile. Where it is kept for an idempotency key it is written first, since the commit
    /// that charges for it is the one that keeps it.
    async fn settle(
        &self,
        errand: &Errand<'_>,
        purse: &mut Purse<'_>,
        tally: Tally,
        rest: Rest,
    ) -> Result<(Settled, Vec<u8>), Fault> {
        let Errand { arrival, key, options, claim, .. } = *errand;
        let time_left = self.settings.deadline.saturating_sub(arrival.watch.elapsed());
        let rest = tokio::time::timeout(time_left, rest).map(|done| done.unwrap_or_else(|_| Err(too_late())));
        let trace = options.explain.then(|| serde_json::to_vec(&tally.trace.steps).unwrap_or_default());
        let Some(claim) = claim else {
            let bill = purse.bill(&tally);
            // The charge is what takes longest, so it is on its way before the rest begins.
            let rest = async {
                tokio::task::yield_now().await;
                rest.await
            };
            // Both to their end: a charge that is under way is not to be left alone.
            let (settled, written) = tokio::join!(purse.settle(tally, None), rest);
            let (settled, json) = purse.correct(settled?, bill, written).await?;
            return Ok((settled, render(&json, trace.as_deref(), &settled)));
        };
        let Written { json, missing } = rest.await?;
        let tally = Tally { units: tally.units.saturating_sub(missing), ..tally };
        let render: Render = Arc::new(move |settled| render(&json, trace.as_deref(), settled));
        let draft = self.settings.reply_keys.draft(&render, key.account, claim.claim());
        let settled = purse.settle(tally, Some(draft)).await?;
        Ok((settled, render(&settled)))
    }

    fn context(
        &self,
        call: &Call,
        arrival: &Arrival,
        key: &Arc<KeyRecord>,
        (units_affordable, has_hold, max_credits): (u32, bool, Option<Credits>),
    ) -> Context {
        Context {
            engine: self.engine.clone(),
            replica: Arc::clone(&self.replica),
            memory: AccountMemory::new(
                self.ledger.clone(),
                Arc::clone(key),
                self.keys.desk(),
                Arc::clone(&self.settings),
            ),
            exports: self.exports.clone(),
            feeds: self.feeds.clone(),
            rate: arrival.rate,
            now: arrival.at,
            request: arrival.request,
            unattended: call.unattended,
            units_affordable,
            has_hold,
            foresight: Foresight::default(),
            max_credits,
            slot: call.slot.clone(),
        }
    }

    fn purse<'a>(
        &'a self,
        call: &'a Call,
        arrival: &Arrival,
        key: &'a Arc<KeyRecord>,
        options: Options,
    ) -> Purse<'a> {
        let spec = &call.entry.spec;
        let charge = Charge {
            spec,
            request: arrival.request,
            at: arrival.at,
            watch: arrival.watch,
            max_credits: options.max_credits,
            hold_always: self.settings.holds == HoldPolicy::Always,
            hold_lifetime: self.settings.hold_lifetime,
            billing: self.settings.billing,
        };
        Purse::new(&self.ledger, key, charge)
    }
}

async fn run(prepared: Prepared, context: Context) -> Result<Answered, Fault> {
    crash_point("call-running").await;
    (prepared.run)(context).await
}

/// A call that failed frees its idempotency key, so that it may be sent again.
async fn free_claim(claim: Option<ClaimGuard>, fault: Fault) -> Fault {
    if let Some(claim) = claim
        && let Err(error) = claim.release().await
    {
        tracing::warn!(%error, "a claim could not be freed; its lease ends by itself");
    }
    fault
}

fn too_late() -> Fault {
    Fault::new(Code::DeadlineExceeded, "the deadline passed")
}

/// The final body, once the charge and the balance are known.
fn render(json: &[u8], trace: Option<&[u8]>, settled: &Settled) -> Vec<u8> {
    let cost = cost_json(settled.credits, Some(settled.balance));
    match trace {
        Some(trace) => splice(json, &[("trace", trace), ("cost", cost.as_bytes())]),
        None => splice(json, &[("cost", cost.as_bytes())]),
    }
}
