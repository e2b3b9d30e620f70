//! Verifying: what is known of an address, or what its server says now, and which of it is kept.

use super::Mailroom;
use super::retry::Postponed;
use crate::EngineError;
use crate::upstream::Trail;
use assay_domain::Digest;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    MAIL_CATCH_ALL_LIFETIME, MAIL_DEADLINE, MAIL_MISS_LIFETIME, MAIL_PACED_AGAIN_MAX, MAIL_PACED_AGAIN_MIN,
    MAIL_QUEUE_TURN_WAIT_MAX, MAIL_TURN_WAIT_MAX, MAIL_UNKNOWN_LIFETIME, MAIL_VERDICT_FRESH,
    MAIL_VERDICT_LIFETIME, MAIL_VERDICT_MARGIN,
};
use assay_domain::taxonomy::EmailStatus;
use assay_mailbox::{Checked, DomainKnowledge, PaceOutcome, Reason, Recalled, Route, Verdict};
use assay_store::graph::{KeptVerdict, KnownMailbox};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::Arc;
use std::time::Duration;

/// How old a verdict may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// One that says that the address is not there, and any other.
    miss: Duration,
    other: Duration,
}

impl Freshness {
    /// For whoever wants to know of an address.
    pub fn to_verify(max_age: Option<Duration>) -> Self {
        let most = max_age.unwrap_or(MAIL_VERDICT_LIFETIME).min(MAIL_VERDICT_LIFETIME);
        Self { miss: most, other: most }
    }

    /// For whoever looks for an address: it works, or was not there a moment ago.
    pub fn to_find(max_age: Option<Duration>) -> Self {
        let most = max_age.unwrap_or(MAIL_VERDICT_FRESH).min(MAIL_VERDICT_FRESH);
        Self { miss: most.min(MAIL_MISS_LIFETIME), other: most }
    }

    pub(crate) fn longest(self) -> Duration {
        self.other
    }

    fn lifetime(self, status: EmailStatus) -> Duration {
        match status {
            EmailStatus::Unknown => MAIL_UNKNOWN_LIFETIME,
            EmailStatus::Invalid => self.miss,
            _ => self.other,
        }
    }
}

/// A verdict, and when it is from.
#[derive(Debug, Clone)]
pub struct Verification {
    pub verdict: Verdict,
    pub verified_at: DateTime<Utc>,
    /// When it will be asked again, for an answer that was put off.
    pub retry_at: Option<DateTime<Utc>>,
    /// Whether it was known before.
    pub is_kept: bool,
    /// Whoever it belongs to does not want to be found.
    pub(crate) is_suppressed: bool,
    /// Whose word it is, where a vendor's; and which vendors were asked.
    pub provider: Option<Arc<str>>,
    pub is_own_key: bool,
    pub trail: Trail,
}

impl Verification {
    /// One that was made now. Its time is what the database can keep of it: told the same now and later.
    pub fn of(verdict: Verdict, at: DateTime<Utc>) -> Self {
        let at = at.trunc_subsecs(6);
        Self {
            verdict,
            verified_at: at,
            retry_at: None,
            is_kept: false,
            is_suppressed: false,
            provider: None,
            is_own_key: false,
            trail: Trail::default(),
        }
    }
}

impl Mailroom {
    /// The verdict on an address: a kept one if it is fresh enough, else a new one within `MAIL_DEADLINE`.
    pub async fn verify(
        &self,
        checked: &Checked,
        freshness: Freshness,
        now: DateTime<Utc>,
    ) -> Result<Verification, EngineError> {
        self.verify_within(checked, freshness, MAIL_DEADLINE, now).await
    }

    /// The same for whoever has less time.
    pub(super) async fn verify_within(
        &self,
        checked: &Checked,
        freshness: Freshness,
        within: Duration,
        now: DateTime<Utc>,
    ) -> Result<Verification, EngineError> {
        let watch = Stopwatch::start();
        let digest = self.digest(&checked.email);
        let known = self.graph.known_mailbox(digest, checked.email.host()).await?;
        if known.suppressed {
            return Ok(suppressed(checked, now));
        }
        if let Some(kept) = recall(checked, &known, freshness, now) {
            return Ok(kept);
        }
        let waiting = known.verdict.as_ref().filter(|kept| kept.retry_at.is_some());
        let origin = if waiting.is_some() { Origin::CallAgain } else { Origin::Call };
        let before = known.verdict.as_ref();
        let route = self.verifier.find_route(checked).await;
        let asking = Asking { checked, digest, route: &route, freshness, before, origin, within, now, watch };
        let verification = self.ask(&asking).await?;
        if let Some(retry_at) = verification.retry_at {
            let operator = verification.verdict.operator.as_ref().map_or("", |operator| operator.name());
            self.postpone(&Postponed { email: checked.email.clone() }, operator, retry_at).await?;
        }
        Ok(verification)
    }

    /// Asks the servers on the route as soon as it is their turn, and keeps what they say.
    pub(super) async fn ask(&self, asking: &Asking<'_>) -> Result<Verification, EngineError> {
        let Asking { checked, route, now, .. } = *asking;
        let service = route.service().filter(|_| self.verifier.asks_servers());
        let Some(service) = service else {
            // Nobody has to be asked, or nobody can be.
            let verdict = self.verifier.put_off(checked, route, DomainKnowledge::default(), Reason::NotAsked);
            return self.keep(asking, Verification::of(verdict, now)).await;
        };
        let (operator, is_job) = (service.operator.name(), asking.origin == Origin::Queue);
        let patience =
            if is_job { MAIL_QUEUE_TURN_WAIT_MAX } else { MAIL_TURN_WAIT_MAX.min(asking.time_left()) };
        // Who would wait in vain is told so at once. The queue is not: its addresses would never get to the head of a line that
        // is always full.
        if !is_job && self.turns.length(operator) > patience {
            return self.put_off(asking, operator, Duration::ZERO).await;
        }
        let Some(head) = self.turns.stand(operator, patience).await else {
            return self.put_off(asking, operator, Duration::ZERO).await;
        };
        // Whoever was before us in the line may have learnt what we are here for.
        let known = self.graph.known_mailbox(asking.digest, checked.email.host()).await?;
        if known.suppressed {
            return Ok(suppressed(checked, now));
        }
        if let Some(kept) = recall(checked, &known, asking.freshness, now) {
            return Ok(kept);
        }
        let turn = match head.take().await? {
            Ok(turn) => turn,
            Err(wait) => return self.put_off(asking, operator, wait).await,
        };
        // Nobody waits for an address of the queue.
        let left = if is_job { MAIL_DEADLINE } else { asking.time_left() };
        let left = left.saturating_sub(MAIL_VERDICT_MARGIN);
        let mut random = StdRng::seed_from_u64(seed(asking.digest));
        let domain = domain_knowledge(&known, now);
        let verdict = self.verifier.ask(checked, route, domain, &mut random, left).await;
        turn.end(pace_outcome(&verdict)).await?;
        self.keep(asking, Verification::of(verdict, asking.moment())).await
    }

    /// Says when to come back, not before `wait` is over. Only who is new books a time after all others: who has one already would
    /// lose their place with each try, and is told when those who wait now will be through.
    async fn put_off(
        &self,
        asking: &Asking<'_>,
        operator: &str,
        wait: Duration,
    ) -> Result<Verification, EngineError> {
        let Asking { checked, route, now, .. } = *asking;
        let verdict = self.verifier.put_off(checked, route, DomainKnowledge::default(), Reason::Paced);
        let wait = match asking.origin {
            Origin::Call => self.turns.book(operator).await?,
            Origin::CallAgain => wait.max(self.turns.length(operator)),
            Origin::Queue => wait,
        };
        let wait = (wait / self.time_scale.get()).clamp(MAIL_PACED_AGAIN_MIN, MAIL_PACED_AGAIN_MAX);
        let retry_at = Some(later(asking.moment(), wait));
        let verification = Verification { retry_at, ..Verification::of(verdict, now) };
        match asking.origin {
            // The queue is about to ask, and must not be kept from it.
            Origin::CallAgain => Ok(verification),
            Origin::Call | Origin::Queue => self.keep(asking, verification).await,
        }
    }

    /// Keeps a verdict that says something of the address, or of when it will.
    async fn keep(
        &self,
        asking: &Asking<'_>,
        mut verification: Verification,
    ) -> Result<Verification, EngineError> {
        let verdict = &verification.verdict;
        // Said of us, and another tomorrow.
        if matches!(verdict.reason, Reason::NotAsked | Reason::DnsFailed) {
            return Ok(verification);
        }
        let mut put_off = asking.before.filter(|kept| kept.retry_at.is_some()).map_or(0, |kept| kept.put_off);
        if verdict.retry.is_some() {
            verification.retry_at = self.wait_after(put_off).map(|wait| later(asking.moment(), wait));
            put_off = put_off.saturating_add(1);
        }
        let kept = KeptVerdict {
            reason: verdict.reason.as_str().to_owned(),
            mx_found: verdict.mx_found,
            provider: verdict.provider.clone(),
            free_provider: verdict.free_provider,
            catch_all: verdict.catch_all,
            asked_at: verification.verified_at,
            retry_at: verification.retry_at,
            put_off,
        };
        let kept = asking.rather_the_old(kept);
        let host = asking.checked.email.host();
        let learnt = verdict.catch_all.map(|catch_all| (host, catch_all));
        self.graph.keep_verdict(asking.digest, &kept, learnt).await?;
        Ok(verification)
    }
}

/// An address that is about to be asked for.
pub(super) struct Asking<'a> {
    pub(super) checked: &'a Checked,
    pub(super) digest: Digest,
    pub(super) route: &'a Route,
    pub(super) freshness: Freshness,
    /// What was kept of it before.
    pub(super) before: Option<&'a KeptVerdict>,
    pub(super) origin: Origin,
    /// How long it may take.
    pub(super) within: Duration,
    /// When this began.
    pub(super) now: DateTime<Utc>,
    pub(super) watch: Stopwatch,
}

/// Who asks for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Call,
    /// A call for an address that waits in the queue, too.
    CallAgain,
    Queue,
}

impl Asking<'_> {
    /// The time by now: there may have been a long wait.
    pub(super) fn moment(&self) -> DateTime<Utc> {
        later(self.now, self.watch.elapsed())
    }

    fn time_left(&self) -> Duration {
        self.within.saturating_sub(self.watch.elapsed())
    }

    /// That nothing could be told this time does not undo what was told before: only when to ask again is new.
    fn rather_the_old(&self, new: KeptVerdict) -> KeptVerdict {
        let told = self.before.filter(|kept| {
            let is_recent = is_within(self.now, kept.asked_at, MAIL_VERDICT_LIFETIME);
            is_recent && is_told(&kept.reason) && !is_told(&new.reason)
        });
        match told {
            Some(old) => KeptVerdict { retry_at: new.retry_at, put_off: new.put_off, ..old.clone() },
            None => new,
        }
    }
}

/// As of an address nothing can be told of.
fn suppressed(checked: &Checked, now: DateTime<Utc>) -> Verification {
    let verdict = Verdict::recalled(checked, nothing_but(Reason::CannotBeTold));
    Verification { is_suppressed: true, ..Verification::of(verdict, now) }
}

/// What the address itself says, where nobody can be asked.
pub(super) fn unasked(checked: &Checked, now: DateTime<Utc>) -> Verification {
    let reason = if checked.disposable.is_some() { Reason::Disposable } else { Reason::NotAsked };
    Verification::of(Verdict::recalled(checked, nothing_but(reason)), now)
}

fn nothing_but(reason: Reason) -> Recalled {
    Recalled { reason, mx_found: None, provider: None, free_provider: false, catch_all: None }
}

/// What is known already, if it is fresh enough or will be asked again anyway.
pub(super) fn recall(
    checked: &Checked,
    known: &KnownMailbox,
    freshness: Freshness,
    now: DateTime<Utc>,
) -> Option<Verification> {
    let kept = known.verdict.as_ref()?;
    let reason = Reason::named(&kept.reason)?;
    let is_told = reason.status() != EmailStatus::Unknown;
    let is_waiting = kept.retry_at.is_some_and(|retry_at| retry_at > now);
    let is_fresh = is_within(now, kept.asked_at, freshness.lifetime(reason.status()));
    let (reason, retry_at) = match (is_fresh, is_told) {
        (true, true) => (reason, None),
        (_, false) if is_waiting => (reason, kept.retry_at),
        // Told long ago, and asked about anew.
        (false, true) if is_waiting => (Reason::Deferred, kept.retry_at),
        (true, false) if kept.retry_at.is_none() => (reason, None),
        _ => return None,
    };
    let recalled = Recalled {
        reason,
        mx_found: kept.mx_found,
        provider: kept.provider.clone(),
        free_provider: kept.free_provider,
        catch_all: kept.catch_all,
    };
    let recalled = Verification::of(Verdict::recalled(checked, recalled), kept.asked_at);
    Some(Verification { retry_at, is_kept: true, ..recalled })
}

pub(super) fn domain_knowledge(known: &KnownMailbox, now: DateTime<Utc>) -> DomainKnowledge {
    let fresh = known.catch_all.filter(|(_, asked_at)| is_within(now, *asked_at, MAIL_CATCH_ALL_LIFETIME));
    DomainKnowledge { catch_all: fresh.map(|(catch_all, _)| catch_all) }
}

/// Whether the word of an answer says something of the address.
fn is_told(word: &str) -> bool {
    Reason::named(word).is_some_and(|reason| reason.status() != EmailStatus::Unknown)
}

fn is_within(now: DateTime<Utc>, then: DateTime<Utc>, lifetime: Duration) -> bool {
    now.signed_duration_since(then) <= TimeDelta::from_std(lifetime).unwrap_or(TimeDelta::MAX)
}

pub(super) fn later(now: DateTime<Utc>, wait: Duration) -> DateTime<Utc> {
    let then = TimeDelta::from_std(wait).ok().and_then(|wait| now.checked_add_signed(wait));
    then.unwrap_or(now).trunc_subsecs(6)
}

/// The same strangers each time: a server that makes everyone wait must get to know them.
fn seed(digest: Digest) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

fn pace_outcome(verdict: &Verdict) -> PaceOutcome {
    if verdict.blames_us {
        return PaceOutcome::Complaint;
    }
    match verdict.status {
        EmailStatus::Unknown => PaceOutcome::Deferred,
        _ => PaceOutcome::Good,
    }
}

#[cfg(test)]
mod tests;
