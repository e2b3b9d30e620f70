//! The window of one account or key as one node sees it: its own counts, what other nodes told, and how far it may go
//! without telling them.
//!
//! A node tells the others what it admitted after a few requests, not after each. Until then it may admit `slack`
//! requests they do not know of; one more must be claimed before it is admitted (`Verdict::Ask`). A node tells first and
//! hears then, so of two nodes that claim the same at the same time at least one knows. However fast requests come, all
//! nodes together admit at most the quota and one slack each.

use super::{SLOT_MS, SLOTS, Tally, slot_of};
use crate::limits;
use uuid::Uuid;

/// What a node may do with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Fits,
    Full,
    /// The other nodes must be told, and heard, before it can be said.
    Ask,
}

/// What a caller may be told about a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub per_minute: u32,
    pub remaining: u32,
    /// Seconds until all is free again; when nothing remains, until a request fits. Never too early.
    pub reset_seconds: u32,
}

/// What this node tells the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The slot of the last count, by the teller's clock.
    pub newest: i64,
    pub counts: Vec<u8>,
    /// Requests that wait to be admitted by the teller.
    pub claims: u32,
}

/// What another node told, and how long ago.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    pub node: Uuid,
    pub told: Told,
    pub age_ms: i64,
}

/// What is known of another node.
#[derive(Debug, Clone)]
struct Other {
    node: Uuid,
    tally: Tally,
    claims: u32,
}

/// What is being told right now.
#[derive(Debug, Clone, Copy)]
struct Telling {
    unshared: u32,
    claims: u32,
    at_ms: i64,
}

/// A minute of one account or key.
#[derive(Debug, Clone)]
pub struct Window {
    own: Tally,
    others: Vec<Other>,
    quota: u32,
    /// Admitted since the others were last told.
    unshared: u32,
    /// How many of those may be admitted because they were claimed.
    claimed: u32,
    telling: Option<Telling>,
    heard_at_ms: i64,
    due: bool,
}

/// How many requests of a quota one of `nodes` nodes may admit before the others know.
pub fn slack(quota: u32, nodes: u32) -> u32 {
    let all = u64::from(quota).saturating_mul(limits::RATE_OVERSHOOT_PERCENT) / 100;
    u32::try_from(all / u64::from(nodes.max(1))).unwrap_or(u32::MAX)
}

impl Window {
    pub fn new(now_ms: i64) -> Self {
        Self {
            own: Tally::new(slot_of(now_ms)),
            others: Vec::new(),
            quota: 1,
            unshared: 0,
            claimed: 0,
            telling: None,
            heard_at_ms: i64::MIN,
            due: false,
        }
    }

    /// Says what may be done with a request now. `nodes` counts the nodes in touch, this one included.
    pub fn judge(&mut self, now_ms: i64, quota: u32, nodes: u32) -> Verdict {
        self.advance(now_ms);
        self.quota = quota.max(1);
        let full = self.used() >= self.quota || self.own.room() == 0;
        if nodes <= 1 || self.own.total() >= self.quota {
            return if full { Verdict::Full } else { Verdict::Fits };
        }
        if full {
            let fresh = self.view_age_ms(now_ms) <= limits::RATE_VIEW_AGE_MAX_MS;
            return if fresh { Verdict::Full } else { Verdict::Ask };
        }
        let slack = slack(self.quota, nodes);
        let known = self.own.total() < slack || self.unshared < slack.saturating_add(self.claimed);
        let disputed = self.used().saturating_add(self.claims_elsewhere()) >= self.quota;
        if known && !disputed { Verdict::Fits } else { Verdict::Ask }
    }

    /// Counts a request that was judged to fit.
    pub fn take(&mut self) {
        self.own.add(1);
        self.unshared = self.unshared.saturating_add(1);
    }

    /// Whether the others should be told soon: before the slack is used up, so that no call has to wait for it; and often
    /// enough that what a caller is told of the window is not old.
    pub fn should_tell(&self, now_ms: i64, nodes: u32) -> bool {
        if nodes <= 1 {
            return false;
        }
        let slack = slack(self.quota, nodes);
        let is_full = self.used() >= self.quota;
        let old_ms = if is_full { limits::RATE_VIEW_REFRESH_MS } else { limits::RATE_VIEW_AGE_MAX_MS };
        let is_old = self.view_age_ms(now_ms) > old_ms;
        let much_unshared = self.unshared > self.claimed.saturating_add(slack / 2);
        (self.own.total() >= slack && (much_unshared || is_old)) || (is_full && is_old)
    }

    /// Whether the others must know of this window: a node that was alone told nobody.
    pub fn is_worth_telling(&mut self, now_ms: i64, nodes: u32) -> bool {
        self.advance(now_ms);
        self.own.total() > slack(self.quota, nodes)
    }

    /// Puts the window on the list of those to be told; false if it is there already.
    pub fn mark_due(&mut self) -> bool {
        !std::mem::replace(&mut self.due, true)
    }

    /// What the node `own` tells the others now, with a claim for as many of the `waiting` requests as seem to fit. Of
    /// nodes that claim at the same time the first by id goes first: the others let their claims go until it is done.
    pub fn tell(&mut self, now_ms: i64, own: Uuid, waiting: u32) -> Told {
        self.advance(now_ms);
        self.due = false;
        let yields = self.others.iter().any(|other| other.claims > 0 && other.node < own);
        let claims = if yields { 0 } else { waiting.min(self.quota.saturating_sub(self.used())) };
        self.telling = Some(Telling { unshared: self.unshared, claims, at_ms: now_ms });
        Told { newest: self.own.newest(), counts: self.own.to_bytes(), claims }
    }

    /// The others were told, and have told this: what a node told before is replaced.
    pub fn hear(&mut self, now_ms: i64, heard: Vec<Heard>) {
        if let Some(told) = self.telling.take() {
            self.unshared = self.unshared.saturating_sub(told.unshared);
            // What is admitted on a claim counts elsewhere from the time of the claim: that must not be long ago.
            let in_time = now_ms.saturating_sub(told.at_ms) <= limits::RATE_CLAIM_MS;
            self.claimed = if in_time { told.claims } else { 0 };
        }
        self.heard_at_ms = now_ms;
        for row in heard {
            let Some(other) = understand(now_ms, &row) else { continue };
            self.others.retain(|known| known.node != row.node);
            if self.others.len() < limits::RATE_NODES_MAX {
                self.others.push(other);
            }
        }
        self.advance(now_ms);
        self.others.retain(|other| other.tally.total() > 0 || other.claims > 0);
    }

    /// Gives back what was claimed and not used. True if anything was claimed: until the others are told what came of it,
    /// they wait with what is left.
    pub fn drop_claims(&mut self) -> bool {
        let claimed = self.claimed > 0;
        self.claimed = self.claimed.min(self.unshared);
        claimed
    }

    pub fn allowance(&self, now_ms: i64, nodes: u32) -> Allowance {
        let remaining = self.quota.saturating_sub(self.used());
        let reset_seconds = if remaining == 0 {
            self.wait_seconds(now_ms, nodes)
        } else {
            self.tallies()
                .filter_map(Tally::last_counted)
                .max()
                .map_or(0, |slot| seconds_until_gone(slot, now_ms))
        };
        Allowance { per_minute: self.quota, remaining, reset_seconds }
    }

    /// How long to wait until a request fits, if nobody else sends one. What other nodes may have admitted without
    /// telling yet is reckoned with, so that it is never too early.
    pub fn wait_seconds(&self, now_ms: i64, nodes: u32) -> u32 {
        let unknown = if nodes <= 1 { 0 } else { slack(self.quota, nodes).saturating_mul(nodes) };
        let at_most = self.quota.saturating_sub(1).saturating_sub(unknown);
        let mut left = self.used();
        let first = self.tallies().map(Tally::oldest).min().unwrap_or(0);
        let last = self.tallies().map(Tally::newest).max().unwrap_or(0);
        for slot in first..=last {
            if left <= at_most {
                break;
            }
            left = left.saturating_sub(self.tallies().map(|tally| u32::from(tally.count_at(slot))).sum());
            if left <= at_most {
                return seconds_until_gone(slot, now_ms).max(1);
            }
        }
        1
    }

    /// What was admitted in the last minute, here and elsewhere. A window without any may be forgotten.
    pub fn used_at(&mut self, now_ms: i64) -> u32 {
        self.advance(now_ms);
        self.used()
    }

    fn used(&self) -> u32 {
        self.tallies().map(Tally::total).fold(0, u32::saturating_add)
    }

    fn tallies(&self) -> impl Iterator<Item = &Tally> {
        std::iter::once(&self.own).chain(self.others.iter().map(|other| &other.tally))
    }

    fn claims_elsewhere(&self) -> u32 {
        self.others.iter().map(|other| other.claims).fold(0, u32::saturating_add)
    }

    fn advance(&mut self, now_ms: i64) {
        let slot = slot_of(now_ms);
        self.own.advance(slot);
        for other in &mut self.others {
            other.tally.advance(slot);
        }
    }

    fn view_age_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(self.heard_at_ms)
    }
}

/// A whole slot leaves when its last instant is a minute ago.
fn seconds_until_gone(slot: i64, now_ms: i64) -> u32 {
    let gone = slot.saturating_add(i64::try_from(SLOTS).unwrap_or(0)).saturating_mul(SLOT_MS);
    let wait_ms = gone.saturating_sub(now_ms).max(0);
    u32::try_from(wait_ms.saturating_add(999) / 1_000).unwrap_or(u32::MAX)
}

/// A row as this node's clock sees it. A claim that nobody took back counts as admitted: its node may have died after it
/// admitted the calls and before it said so.
fn understand(now_ms: i64, row: &Heard) -> Option<Other> {
    let mut newest = row.told.newest.saturating_add(skew_slots(now_ms, row));
    let mut tally = Tally::from_bytes(newest, &row.told.counts)?;
    let mut claims = row.told.claims;
    if row.age_ms > 2 * limits::RATE_CLAIM_MS {
        newest = newest.saturating_add(limits::RATE_CLAIM_MS / SLOT_MS + 1);
        tally.advance(newest);
        tally.add(claims);
        claims = 0;
    }
    Some(Other { node: row.node, tally, claims })
}

/// How far the teller's clock is behind this one. The time between is measured on the database's clock, so that a node
/// with a wrong clock is understood all the same. A little is no skew but the time that telling and hearing took.
fn skew_slots(now_ms: i64, heard: &Heard) -> i64 {
    let told_ms = now_ms.saturating_sub(heard.age_ms);
    let skew_ms = told_ms.saturating_sub(heard.told.newest.saturating_mul(SLOT_MS));
    if skew_ms.abs() <= limits::RATE_SKEW_MS_MAX {
        return 0;
    }
    slot_of(told_ms).saturating_sub(heard.told.newest)
}

#[cfg(test)]
mod tests;
