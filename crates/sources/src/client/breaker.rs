//! The breaker: a vendor that fails is not asked for a while, then by a few, then by everyone again. A state machine over
//! given instants; it reads no clock.

use super::window::{Counts, Window};
use assay_domain::limits::{
    SOURCE_BREAKER_OPEN, SOURCE_BREAKER_OPEN_MAX, SOURCE_BREAKER_PERCENT, SOURCE_BREAKER_PROBES,
    SOURCE_BREAKER_ROW, SOURCE_BREAKER_SHORT_ROUNDS, SOURCE_BREAKER_TRIES_MIN,
};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Breaker {
    state: State,
    /// Goes up with every change of state: what was let through before says nothing of what is now.
    generation: u64,
    /// Rounds of probes that failed since it opened.
    rounds: u32,
}

#[derive(Debug)]
enum State {
    Closed { recent: Window, row: u32 },
    Open { until: Duration },
    HalfOpen { out: u32, succeeded: u32 },
}

/// One try that was let through. Each is to be reported once, or forgotten.
#[derive(Debug)]
pub(super) struct Admission {
    generation: u64,
    at: Duration,
    is_probe: bool,
}

impl Admission {
    pub(super) const fn is_probe(&self) -> bool {
        self.is_probe
    }
}

impl Default for Breaker {
    fn default() -> Self {
        Self { state: closed(), generation: 0, rounds: 0 }
    }
}

impl Breaker {
    /// For how long nobody is let through, as far as it is known; none when somebody would be.
    pub(super) fn refusal(&self, now: Duration) -> Option<Duration> {
        match self.state {
            State::Open { until } if now < until => Some(until.saturating_sub(now)),
            State::HalfOpen { out, succeeded } if out.saturating_add(succeeded) >= SOURCE_BREAKER_PROBES => {
                Some(Duration::ZERO)
            }
            _ => None,
        }
    }

    pub(super) fn admit(&mut self, now: Duration) -> Result<Admission, Duration> {
        if let Some(left) = self.refusal(now) {
            return Err(left);
        }
        if matches!(self.state, State::Open { .. }) {
            self.enter(State::HalfOpen { out: 0, succeeded: 0 });
        }
        let is_probe = match &mut self.state {
            State::HalfOpen { out, .. } => {
                *out = out.saturating_add(1);
                true
            }
            State::Closed { .. } | State::Open { .. } => false,
        };
        Ok(Admission { generation: self.generation, at: now, is_probe })
    }

    pub(super) fn report(&mut self, admission: &Admission, now: Duration, failed: bool) {
        if admission.generation != self.generation {
            return;
        }
        match &mut self.state {
            State::Closed { recent, row } => {
                recent.add(now, Counts { all: 1, marked: u64::from(failed) });
                *row = if failed { row.saturating_add(1) } else { 0 };
                let Counts { all, marked } = recent.sum(now);
                let too_many = all >= SOURCE_BREAKER_TRIES_MIN
                    && marked.saturating_mul(100) >= all.saturating_mul(SOURCE_BREAKER_PERCENT);
                if failed && (*row >= SOURCE_BREAKER_ROW || too_many) {
                    self.enter(State::Open { until: now.saturating_add(open_for(0)) });
                }
            }
            State::HalfOpen { .. } if failed => {
                self.rounds = self.rounds.saturating_add(1);
                // Counted from when the probe was let through: a vendor that hangs and is then healed while the last probe
                // still waits is asked again as soon as one that failed at once.
                let until = admission.at.saturating_add(open_for(self.rounds)).max(now);
                self.enter(State::Open { until });
            }
            State::HalfOpen { out, succeeded } => {
                *out = out.saturating_sub(1);
                *succeeded = succeeded.saturating_add(1);
                if *succeeded >= SOURCE_BREAKER_PROBES {
                    self.rounds = 0;
                    self.enter(closed());
                }
            }
            State::Open { .. } => {}
        }
    }

    /// The try said nothing of the vendor: its caller went away.
    pub(super) fn forget(&mut self, admission: &Admission) {
        if admission.generation != self.generation {
            return;
        }
        if let State::HalfOpen { out, .. } = &mut self.state {
            *out = out.saturating_sub(1);
        }
    }

    /// Whether it keeps anybody out, or would until probes have come back.
    pub(super) const fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed { .. })
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.generation = self.generation.wrapping_add(1);
    }
}

fn closed() -> State {
    State::Closed { recent: Window::default(), row: 0 }
}

fn open_for(rounds: u32) -> Duration {
    let doublings = rounds.saturating_add(1).saturating_sub(SOURCE_BREAKER_SHORT_ROUNDS);
    let factor = 1_u32.checked_shl(doublings).unwrap_or(u32::MAX);
    SOURCE_BREAKER_OPEN.saturating_mul(factor).min(SOURCE_BREAKER_OPEN_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    /// One try that ends at once; whether it was let through.
    fn turn(breaker: &mut Breaker, now: Duration, failed: bool) -> bool {
        let admission = breaker.admit(now);
        if let Ok(admission) = &admission {
            breaker.report(admission, now, failed);
        }
        admission.is_ok()
    }

    fn opened() -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..5 {
            assert!(turn(&mut breaker, ms(0), true));
        }
        breaker
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_four_do_not() {
        let mut breaker = Breaker::default();
        for failed in [true, true, true, true, false, true, true, true, true] {
            assert!(turn(&mut breaker, ms(0), failed));
        }
        assert!(breaker.is_closed());
        assert!(turn(&mut breaker, ms(0), true));
        assert_eq!(breaker.refusal(ms(0)), Some(SOURCE_BREAKER_OPEN));
    }

    #[test]
    fn half_of_twenty_open_it_and_less_do_not() {
        let mut breaker = Breaker::default();
        for number in 0..19 {
            turn(&mut breaker, ms(number * 100), number % 2 == 1);
        }
        assert!(breaker.is_closed(), "nineteen are too few");
        turn(&mut breaker, ms(1_900), true);
        assert!(!breaker.is_closed());

        let mut breaker = Breaker::default();
        for number in 0..1_000 {
            turn(&mut breaker, ms(number * 100), number % 5 < 2);
        }
        assert!(breaker.is_closed(), "two of five fail");
    }

    #[test]
    fn failures_of_ten_seconds_ago_are_forgotten() {
        let mut breaker = Breaker::default();
        for number in 0..60_u64 {
            turn(&mut breaker, Duration::from_secs(number), number % 2 == 1);
        }
        assert!(breaker.is_closed(), "ten in a window are too few to judge by");
    }

    #[test]
    fn three_probes_are_let_through_and_close_it_when_all_succeed() {
        let mut breaker = opened();
        assert!(breaker.admit(ms(14_999)).is_err());
        let probes: Vec<Admission> = (0..3).map(|_| breaker.admit(ms(15_000)).unwrap()).collect();
        assert!(probes.iter().all(Admission::is_probe));
        assert!(breaker.admit(ms(15_000)).is_err(), "no fourth");
        for probe in &probes {
            assert!(!breaker.is_closed());
            breaker.report(probe, ms(15_100), false);
        }
        assert!(breaker.is_closed() && breaker.admit(ms(15_100)).is_ok());
    }

    #[test]
    fn one_failed_probe_opens_it_again_from_when_the_probe_was_let_through() {
        let mut breaker = opened();
        let probe = breaker.admit(ms(15_000)).unwrap();
        let other = breaker.admit(ms(15_000)).unwrap();
        breaker.report(&probe, ms(25_000), true);
        assert_eq!(breaker.refusal(ms(25_000)), Some(ms(5_000)));
        breaker.report(&other, ms(26_000), true);
        assert_eq!(breaker.refusal(ms(26_000)), Some(ms(4_000)), "one round is counted once");
    }

    #[test]
    fn a_probe_whose_caller_went_away_gives_its_place_back() {
        let mut breaker = opened();
        let probes: Vec<Admission> = (0..3).map(|_| breaker.admit(ms(15_000)).unwrap()).collect();
        breaker.forget(&probes[0]);
        assert!(breaker.admit(ms(15_000)).is_ok() && breaker.admit(ms(15_000)).is_err());
    }

    #[test]
    fn what_was_let_through_before_it_opened_says_nothing_afterwards() {
        let mut breaker = Breaker::default();
        let late: Vec<Admission> = (0..3).map(|_| breaker.admit(ms(0)).unwrap()).collect();
        for _ in 0..5 {
            turn(&mut breaker, ms(0), true);
        }
        breaker.admit(ms(15_000)).unwrap();
        for admission in &late {
            breaker.report(admission, ms(15_000), false);
        }
        assert!(!breaker.is_closed());
    }

    #[test]
    fn outages_of_minutes_end_within_fifteen_seconds_and_long_ones_are_asked_ever_less() {
        let mut breaker = opened();
        let mut last_s = 0;
        let mut gaps = Vec::new();
        for second in 0..3_600_u64 {
            if turn(&mut breaker, Duration::from_secs(second), true) {
                gaps.push(second - last_s);
                last_s = second;
            }
        }
        assert!(gaps[..12].iter().all(|gap| *gap == 15), "{gaps:?}");
        assert_eq!(gaps[12..18], [30, 60, 120, 240, 300, 300]);
    }

    proptest! {
        /// Whatever happens in whatever order, a vendor that is well again is asked by everyone after one more rest.
        #[test]
        fn it_always_closes_again(steps in prop::collection::vec((0_u64..5_000, 0_u8..4), 0..300)) {
            let mut breaker = Breaker::default();
            let mut now = ms(0);
            let mut out = Vec::new();
            for (wait, what) in steps {
                now += ms(wait);
                match (what, out.pop()) {
                    (0, Some(admission)) => breaker.report(&admission, now, true),
                    (1, Some(admission)) => breaker.report(&admission, now, false),
                    (2, Some(admission)) => breaker.forget(&admission),
                    (_, last) => {
                        out.extend(last);
                        out.extend(breaker.admit(now));
                    }
                }
                prop_assert!(breaker.refusal(now).unwrap_or_default() <= SOURCE_BREAKER_OPEN_MAX);
            }
            for admission in &out {
                breaker.forget(admission);
            }
            now += SOURCE_BREAKER_OPEN_MAX;
            for _ in 0..3 {
                prop_assert!(turn(&mut breaker, now, false));
            }
            prop_assert!(breaker.is_closed());
        }
    }
}
