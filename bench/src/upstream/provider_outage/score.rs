//! What the calls and the vendor's own count say of an outage.

use super::load::{Call, Kind, domain_of};
use super::vendors::{Arrival, Mode, SLOW};
use crate::bar::{Complaints, Verdict, progress};
use crate::open_loop::percentile;
use std::collections::HashMap;
use std::time::Duration;

const ATTEMPTS_BAR: f64 = 1.2;
const OPENS_BAR: Duration = Duration::from_secs(2);
const CLOSES_BAR: Duration = Duration::from_secs(20);
const SLOWER_BAR: f64 = 1.2;
/// A breaker is open so long before it lets probes through, and lets so many through at a time.
const OPEN: Duration = Duration::from_secs(15);
const PROBES: usize = 3;
/// Within this from the beginning of a fault no probe is due: whatever is asked is asked by a breaker that is still closed.
const BEFORE_PROBES: Duration = Duration::from_secs(10);

/// One outage, by the callers' clock.
#[derive(Debug)]
pub struct Fault {
    pub mode: Mode,
    pub from: Duration,
    pub to: Duration,
    /// None when it was not asked again in time.
    pub closed_after: Option<Duration>,
}

/// What was worst of all outages.
pub struct Score {
    attempts: f64,
    opened_after: Duration,
    closed_after: Duration,
    slower: f64,
    refused: usize,
    charged: i64,
    complaints: Complaints,
}

type Span = (Duration, Duration);

impl Score {
    /// `all` are all calls that may cost something, `driven` those at the steady rate.
    pub fn of(
        all: &[Call],
        driven: &[Call],
        arrivals: &[Arrival],
        faults: &[Fault],
        healthy: &[Span],
    ) -> Self {
        let mut score = Self {
            attempts: 0.0,
            opened_after: Duration::ZERO,
            closed_after: Duration::ZERO,
            slower: 0.0,
            refused: 0,
            charged: all.iter().map(|call| call.price).sum(),
            complaints: Complaints::default(),
        };
        let usual = p99(driven, healthy, needs_nobody);
        progress(format!("healthy: 99 of 100 calls that do not need it within {:.1} ms", millis(usual)));
        for fault in faults {
            score.add_fault(driven, arrivals, fault, usual);
        }
        let asked: HashMap<&str, &Arrival> = arrivals.iter().map(|it| (it.question.as_str(), it)).collect();
        for call in all {
            score.judge(call, &asked, faults);
        }
        score
    }

    fn add_fault(&mut self, calls: &[Call], arrivals: &[Arrival], fault: &Fault, usual: Duration) {
        let span = (fault.from, fault.to);
        let wanting = calls.iter().filter(|call| call.kind.wants_faulty() && within(call.due, span)).count();
        let came: Vec<Duration> = arrivals.iter().map(|it| it.at).filter(|at| within(*at, span)).collect();
        let early = came.iter().rfind(|at| **at < fault.from + BEFORE_PROBES);
        let opened_after = early.map_or(Duration::ZERO, |at| *at - fault.from);
        let late = came.iter().filter(|at| **at >= fault.from + BEFORE_PROBES).count();
        let rounds = usize::try_from((fault.to - fault.from).as_secs() / OPEN.as_secs()).unwrap_or(0);
        if late > PROBES * rounds {
            self.complaints
                .add(format!("{:?}: asked {late} times while its breaker had to be open", fault.mode));
        }
        let attempts = ratio(came.len(), wanting);
        let during = p99(calls, &[span], needs_nobody);
        let slower = during.as_secs_f64() / usual.as_secs_f64().max(1e-6);
        let open = (fault.from + OPENS_BAR, fault.to);
        let behind = p99(calls, &[open], |kind| kind == Kind::Behind);
        let closed_after = fault.closed_after.unwrap_or(Duration::MAX);
        progress(format!(
            "{:?}: {} attempts of {wanting} wanted, the last before probes after {:.2} s, {late} probes; 99 of 100 that do not need \
             it within {:.1} ms ({slower:.2} x), of those behind it within {:.1} ms once it is left alone",
            fault.mode,
            came.len(),
            opened_after.as_secs_f64(),
            millis(during),
            millis(behind)
        ));
        self.attempts = self.attempts.max(attempts);
        self.opened_after = self.opened_after.max(opened_after);
        self.closed_after = self.closed_after.max(closed_after);
        self.slower = self.slower.max(slower);
        // Nothing is shown by an outage that nobody met.
        if came.is_empty() || wanting == 0 {
            self.complaints.add(format!("{:?}: nobody asked for the vendor", fault.mode));
        }
    }

    /// Each call for itself: what it says, and what it costs.
    fn judge(&mut self, call: &Call, asked: &HashMap<&str, &Arrival>, faults: &[Fault]) {
        let Call { kind, status, found, .. } = call;
        let place = format!("{kind:?} at {:.1} s", call.due.as_secs_f64());
        let price = if *status == 200 && *found { kind.price() } else { 0 };
        if call.price != price {
            self.complaints.add(format!("{place}: {status} found {found} costs {}, not {price}", call.price));
        }
        let touched = faults.iter().any(|fault| {
            within(call.due, (fault.from.saturating_sub(SLOW), fault.to + fault.closed_after.unwrap_or(SLOW)))
        });
        let lookup = if matches!(kind, Kind::Only | Kind::Unknown) { "personal_email" } else { "phone" };
        let question = format!("{lookup} vesna quill at {}", domain_of(*kind, call.number));
        let is_silent = *status == 502 && call.code.contains("upstream_error");
        let is_right = match kind {
            Kind::Graph | Kind::Before | Kind::Behind => *status == 200 && *found,
            // Two others are asked too, and say no.
            Kind::Faulty => *status == 200 && (*found || touched),
            Kind::Only => *status == 200 && *found || touched && is_silent,
            Kind::Unknown => {
                let said_no = asked.get(question.as_str()).is_some_and(|arrival| match arrival.mode {
                    Mode::Healthy => true,
                    Mode::Errors => false,
                    Mode::Slow => call.took + Duration::from_millis(100) >= SLOW,
                });
                *status == 200 && !found && said_no || touched && is_silent
            }
        };
        if !is_right {
            self.complaints.add(format!("{place}: {status} {} found {found}", call.code));
        }
        self.refused += usize::from(is_silent);
    }

    pub fn verdict(self, spent: i64) -> Verdict {
        let Self { attempts, opened_after, closed_after, slower, refused, charged, mut complaints } = self;
        if spent != charged {
            complaints.add(format!("the ledger lost {spent} thousandths, the answers cost {charged}"));
        }
        if refused == 0 {
            complaints.add("no call was refused: the outage was not met");
        }
        let figure = format!(
            "provider-outage: {attempts:.2} attempts for each call that wants the failing vendor (bar {ATTEMPTS_BAR}), left alone after \
             {:.2} s (bar {:.0}), asked again {:.1} s after it healed (bar {:.0}), the others' 99th percentile {slower:.2} x (bar \
             {SLOWER_BAR}), {refused} calls refused for free, {} wrong answers or bills (bar 0)",
            opened_after.as_secs_f64(),
            OPENS_BAR.as_secs_f64(),
            closed_after.as_secs_f64(),
            CLOSES_BAR.as_secs_f64(),
            complaints.count()
        );
        let passed = attempts <= ATTEMPTS_BAR
            && opened_after <= OPENS_BAR
            && closed_after <= CLOSES_BAR
            && slower <= SLOWER_BAR
            && complaints.is_empty();
        Verdict { figure, passed }
    }
}

fn needs_nobody(kind: Kind) -> bool {
    !kind.wants_faulty()
}

fn within(at: Duration, (from, to): Span) -> bool {
    (from..to).contains(&at)
}

fn p99(calls: &[Call], spans: &[Span], takes: impl Fn(Kind) -> bool) -> Duration {
    let due = |call: &&Call| takes(call.kind) && spans.iter().any(|span| within(call.due, *span));
    percentile(calls.iter().filter(due).map(|call| call.took).collect(), 99)
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
