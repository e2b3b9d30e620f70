//! What an endpoint may use while it runs: the engine, its own account's memory, the time, and how much it may find.

use crate::exports::Exports;
use crate::fault::Fault;
use crate::feeds::Feeds;
use crate::foresight::Foresight;
use crate::memory::AccountMemory;
use crate::reply::RateState;
use crate::slot::Slot;
use assay_domain::{Credits, RequestId};
use assay_engine::Engine;
use assay_replica::Replica;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// The surroundings of one run.
#[derive(Debug, Clone)]
pub struct Context {
    pub engine: Engine,
    /// Finds people and companies by what they are; what it finds is read through the engine.
    pub replica: Arc<Replica>,
    pub memory: AccountMemory,
    pub exports: Exports,
    /// Who passes signals on to all who want to be told of them.
    pub feeds: Feeds,
    /// The request rates, with this call counted.
    pub rate: Option<RateState>,
    pub now: DateTime<Utc>,
    /// What this call is kept by.
    pub request: RequestId,
    /// Whether nobody waits for the answer: webhooks are told where it can be read.
    pub unattended: bool,
    /// How many units the caller can pay for: more are not worth finding.
    pub units_affordable: u32,
    /// Whether credits are held for this run: money may be spent upstream.
    pub has_hold: bool,
    /// Who is told what the answer will cost as soon as that is known.
    pub foresight: Foresight,
    /// The most the caller wants to spend, for work that goes on after the call.
    pub max_credits: Option<Credits>,
    /// The call's place among those being worked on: `slot.aside(…)` around every wait for an upstream source.
    pub slot: Slot,
}

impl Context {
    /// To be asked before money is spent upstream by a call that can often do without.
    pub fn before_spending(&self) -> Result<(), Fault> {
        if self.has_hold { Ok(()) } else { Err(Fault::hold_first()) }
    }
}
