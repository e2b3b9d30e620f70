//! How fast one operator of mail servers may be asked: pure rules, without a clock, over integers that can be stored.
//!
//! Questions are spaced evenly. Who comes late may catch up by one question, and even then keeps a quarter of the usual
//! distance; so in any minute there is at most one question more than the rate says. Times are milliseconds since
//! whatever epoch the caller counts from, by one clock for all processes.

use std::time::Duration;

use assay_domain::limits::{
    MAIL_OPERATOR_CONNECTIONS_MAX, MAIL_OPERATOR_GOOD_RUN, MAIL_OPERATOR_LEARNT_PER_MINUTE_MAX,
    MAIL_OPERATOR_PER_MINUTE_MAX, MAIL_OPERATOR_PROBES_PER_MINUTE, MAIL_OPERATOR_REST,
    MAIL_OPERATOR_REST_MAX,
};

const MINUTE_MS: u64 = 60_000;

/// What is configured for an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceRules {
    /// Wins over everything learnt; zero means that the operator is not asked at all. Rests are kept even so.
    pub fixed_per_minute: Option<u32>,
    /// How far the rate may grow.
    pub ceiling_per_minute: u32,
    pub connections_max: usize,
}

impl Default for PaceRules {
    fn default() -> Self {
        Self {
            fixed_per_minute: None,
            ceiling_per_minute: MAIL_OPERATOR_LEARNT_PER_MINUTE_MAX,
            connections_max: MAIL_OPERATOR_CONNECTIONS_MAX,
        }
    }
}

/// What is known of an operator, kept between questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The rate that was learnt.
    pub per_minute: u32,
    /// When the next question would be due if all came in time.
    pub due_at: u64,
    /// When the next question may be asked.
    pub next_at: u64,
    /// Nothing is asked before.
    pub resting_until: u64,
    /// How often it complained lately.
    pub complaints: u32,
    /// Good answers since the last that was not, or since the last raise.
    pub good_run: u32,
    /// When the last one was told to come back who does not wait for a turn.
    pub booked_until: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            per_minute: MAIL_OPERATOR_PROBES_PER_MINUTE,
            due_at: 0,
            next_at: 0,
            resting_until: 0,
            complaints: 0,
            good_run: 0,
            booked_until: 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    Now,
    /// Not now; worth another try then.
    At(u64),
}

/// What came of a question, as far as the pace is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaceOutcome {
    /// A definite answer, whichever.
    Good,
    /// Put off for a reason that is not us.
    Deferred,
    /// Turned away for who we are or for how much we ask.
    Complaint,
}

impl Pace {
    /// Questions a minute as of now.
    pub fn rate(&self, rules: &PaceRules) -> u32 {
        let learnt = || self.per_minute.min(rules.ceiling_per_minute).max(1);
        rules.fixed_per_minute.unwrap_or_else(learnt).min(MAIL_OPERATOR_PER_MINUTE_MAX)
    }

    /// Whether a question may be asked.
    pub fn permit(&self, rules: &PaceRules, now: u64, connections_open: usize) -> Permit {
        let Some(distance) = self.distance(rules) else { return Permit::At(u64::MAX) };
        let from = self.next_at.max(self.resting_until);
        if now < from {
            return Permit::At(from);
        }
        if connections_open >= rules.connections_max {
            // Nobody can say when a connection ends; a slot later is soon enough to look.
            return Permit::At(now.saturating_add(distance));
        }
        Permit::Now
    }

    /// Asks for a permit, and uses it up if it is for now. The caller stores the change before it asks the operator.
    pub fn take(&mut self, rules: &PaceRules, now: u64, connections_open: usize) -> Permit {
        let permit = self.permit(rules, now, connections_open);
        if permit == Permit::Now
            && let Some(distance) = self.distance(rules)
        {
            self.due_at = self.due_at.max(now.saturating_sub(distance)).saturating_add(distance);
            self.next_at = self.due_at.max(now.saturating_add(distance / 4));
        }
        permit
    }

    /// When to come back, for somebody who does not wait: each is told a time of their own. It is no promise, since those who
    /// wait already and whoever comes meanwhile and waits go first. It is early rather than late: who comes early waits in
    /// line, but a turn for which nobody has come is lost. None if nothing may be asked.
    pub fn book(&mut self, rules: &PaceRules, now: u64) -> Option<u64> {
        let distance = self.distance(rules)?;
        let next = self.next_at.max(self.resting_until).max(now);
        self.booked_until = self.booked_until.max(next).saturating_add(distance);
        Some(self.booked_until)
    }

    /// Learns from what came of a question.
    pub fn after(&mut self, rules: &PaceRules, now: u64, outcome: PaceOutcome) {
        match outcome {
            PaceOutcome::Good => self.good_run = self.good_run.saturating_add(1),
            PaceOutcome::Deferred => self.good_run = 0,
            PaceOutcome::Complaint => self.rest(rules, now),
        }
        if self.good_run < MAIL_OPERATOR_GOOD_RUN {
            return;
        }
        self.good_run = 0;
        self.complaints = self.complaints.saturating_sub(1);
        // A rate that is not used earns nothing.
        if rules.fixed_per_minute.is_none() && self.per_minute < rules.ceiling_per_minute {
            self.per_minute = self.per_minute.saturating_add(1);
        }
    }

    fn rest(&mut self, rules: &PaceRules, now: u64) {
        self.good_run = 0;
        // To a question that was under way when it first complained: the same complaint, not a second one.
        if now < self.resting_until {
            return self.rest_until(now.saturating_add(milliseconds(MAIL_OPERATOR_REST)));
        }
        let doubled = MAIL_OPERATOR_REST.saturating_mul(2_u32.saturating_pow(self.complaints));
        self.rest_until(now.saturating_add(milliseconds(doubled.min(MAIL_OPERATOR_REST_MAX))));
        self.complaints = self.complaints.saturating_add(1);
        if rules.fixed_per_minute.is_none() {
            // From the rate that was used, which a lowered ceiling may have kept below the one learnt.
            self.per_minute = (self.rate(rules) / 2).max(1);
        }
    }

    fn rest_until(&mut self, end: u64) {
        self.resting_until = self.resting_until.max(end);
        self.due_at = self.due_at.max(end);
        self.next_at = self.next_at.max(end);
    }

    /// Between two questions, rounded up so that the rate is never exceeded; none if nothing may be asked.
    pub fn distance(&self, rules: &PaceRules) -> Option<u64> {
        let rate = u64::from(self.rate(rules));
        (rate > 0).then(|| MINUTE_MS.div_ceil(rate))
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: u64 = 1_700_000_000_000;
    const REST: u64 = MAIL_OPERATOR_REST.as_secs() * 1_000;
    const REST_MAX: u64 = MAIL_OPERATOR_REST_MAX.as_secs() * 1_000;

    fn fixed(per_minute: u32) -> PaceRules {
        PaceRules { fixed_per_minute: Some(per_minute), ..PaceRules::default() }
    }

    /// The times of `count` questions when somebody always waits, and comes each time so much later than told.
    fn saturate(
        pace: &mut Pace,
        rules: &PaceRules,
        count: usize,
        mut late: impl FnMut(u64) -> u64,
    ) -> Vec<u64> {
        let (mut now, mut asked) = (START, Vec::new());
        while asked.len() < count {
            match pace.take(rules, now, 0) {
                Permit::Now => asked.push(now),
                Permit::At(then) => now = then + late(then),
            }
        }
        asked
    }

    fn most_in_a_minute(asked: &[u64]) -> usize {
        let counts =
            (0..asked.len()).map(|first| asked[first..].partition_point(|at| *at < asked[first] + MINUTE_MS));
        counts.max().unwrap_or_default()
    }

    #[test]
    fn questions_in_time_are_spaced_evenly() {
        let asked = saturate(&mut Pace::default(), &PaceRules::default(), 20, |_| 0);
        // The first after a long silence has one question to catch up with.
        assert_eq!(asked[1] - asked[0], 2_500);
        assert!(asked[2..].windows(2).all(|pair| pair[1] - pair[0] == 10_000), "{asked:?}");
    }

    #[test]
    fn no_more_connections_than_allowed() {
        let pace = Pace::default();
        let rules = PaceRules::default();
        assert_eq!(pace.permit(&rules, START, MAIL_OPERATOR_CONNECTIONS_MAX - 1), Permit::Now);
        let full = pace.permit(&rules, START, MAIL_OPERATOR_CONNECTIONS_MAX);
        assert_eq!(full, Permit::At(START + 10_000));
    }

    #[test]
    fn a_complaint_stops_everything_and_halves_the_rate() {
        let (mut pace, rules) = (Pace::default(), PaceRules::default());
        assert_eq!(pace.take(&rules, START, 0), Permit::Now);
        pace.after(&rules, START + 500, PaceOutcome::Complaint);
        assert_eq!(pace.permit(&rules, START + 501, 0), Permit::At(START + 500 + REST));
        assert_eq!(pace.rate(&rules), MAIL_OPERATOR_PROBES_PER_MINUTE / 2);
        assert_eq!(pace.take(&rules, START + 500 + REST, 0), Permit::Now);
        assert_eq!(pace.permit(&rules, START + 501 + REST, 0), Permit::At(START + 500 + REST + 20_000));
    }

    #[test]
    fn rests_double_up_to_the_longest() {
        let (mut pace, rules, mut now) = (Pace::default(), PaceRules::default(), START);
        let mut rests = Vec::new();
        for _ in 0..40 {
            pace.after(&rules, now, PaceOutcome::Complaint);
            rests.push(pace.resting_until - now);
            now = pace.resting_until;
        }
        assert_eq!(rests[..4], [REST, 2 * REST, 4 * REST, 8 * REST]);
        assert!(rests[8..].iter().all(|rest| *rest == REST_MAX));
        assert_eq!(pace.rate(&rules), 1);
    }

    #[test]
    fn complaints_of_one_moment_count_once() {
        let (mut pace, rules) = (Pace::default(), PaceRules::default());
        pace.after(&rules, START, PaceOutcome::Complaint);
        let once = pace;
        pace.after(&rules, START + 900, PaceOutcome::Complaint);
        assert_eq!((pace.per_minute, pace.complaints), (once.per_minute, once.complaints));
        assert_eq!(pace.resting_until, START + 900 + REST);
    }

    #[test]
    fn long_runs_of_good_answers_raise_the_rate_slowly_up_to_the_ceiling() {
        let (mut pace, rules) =
            (Pace::default(), PaceRules { ceiling_per_minute: 8, ..PaceRules::default() });
        pace.complaints = 1;
        for _ in 1..MAIL_OPERATOR_GOOD_RUN {
            pace.after(&rules, START, PaceOutcome::Good);
        }
        assert_eq!(pace.rate(&rules), 6);
        pace.after(&rules, START, PaceOutcome::Good);
        assert_eq!((pace.rate(&rules), pace.complaints), (7, 0));
        for _ in 0..MAIL_OPERATOR_GOOD_RUN * 10 {
            pace.after(&rules, START, PaceOutcome::Good);
        }
        assert_eq!(pace.rate(&rules), 8);
    }

    #[test]
    fn an_answer_put_off_breaks_the_run_but_costs_nothing_else() {
        let (mut pace, rules) = (Pace::default(), PaceRules::default());
        for _ in 0..10 {
            for _ in 1..MAIL_OPERATOR_GOOD_RUN {
                pace.after(&rules, START, PaceOutcome::Good);
            }
            pace.after(&rules, START, PaceOutcome::Deferred);
        }
        assert_eq!(pace, Pace::default());
    }

    #[test]
    fn a_fixed_rate_wins_over_what_was_learnt() {
        let (mut pace, rules) = (Pace::default(), fixed(120));
        pace.after(&rules, START, PaceOutcome::Complaint);
        assert_eq!(pace.rate(&rules), 120);
        assert_eq!(pace.permit(&rules, START, 0), Permit::At(START + REST));
        assert_eq!(pace.per_minute, MAIL_OPERATOR_PROBES_PER_MINUTE);
        assert_eq!(Pace::default().permit(&fixed(0), START, 0), Permit::At(u64::MAX));
    }

    #[test]
    fn those_who_come_back_do_so_one_after_the_other_and_after_a_rest() {
        let (mut pace, rules) = (Pace::default(), fixed(60));
        pace.next_at = START + 250;
        let times = [0, 1, 2].map(|_| pace.book(&rules, START));
        assert_eq!(times, [1_250, 2_250, 3_250].map(|after| Some(START + after)));
        // From now on, where all who were told a time are through.
        assert_eq!(pace.book(&rules, START + 60_000), Some(START + 61_000));
        pace.after(&rules, START + 60_000, PaceOutcome::Complaint);
        assert_eq!(pace.book(&rules, START + 60_000), Some(START + 61_000 + REST));
        assert_eq!(pace.book(&fixed(0), START), None);
    }

    proptest! {
        #[test]
        fn never_more_than_allowed_in_any_minute(
            per_minute in 1_u32..200,
            gaps in prop::collection::vec(prop_oneof![0_u64..50, 0_u64..5_000, 0_u64..200_000], 1..800),
        ) {
            let (mut pace, rules, mut now) = (Pace::default(), fixed(per_minute), START);
            let mut asked = Vec::new();
            for gap in gaps {
                now += gap;
                if pace.take(&rules, now, 0) == Permit::Now {
                    asked.push(now);
                }
            }
            prop_assert!(most_in_a_minute(&asked) <= usize::try_from(per_minute).unwrap() + 1);
            let distance = MINUTE_MS.div_ceil(u64::from(per_minute));
            prop_assert!(asked.windows(2).all(|pair| pair[1] - pair[0] >= distance / 4));
        }

        #[test]
        fn the_rate_is_reached_even_by_callers_who_come_late(
            per_minute in 1_u32..=MAIL_OPERATOR_PER_MINUTE_MAX,
            lateness in prop::collection::vec(0_u64..=100, 50),
        ) {
            // Up to three quarters of the distance, which is what catching up is for.
            let distance = MINUTE_MS / u64::from(per_minute);
            let mut turn = lateness.iter().cycle();
            let late = |_| distance * 3 / 4 * turn.next().unwrap() / 100;
            let asked = saturate(&mut Pace::default(), &fixed(per_minute), 1_001, late);
            let span = asked.last().unwrap() - asked[0];
            let ideal = 1_000 * MINUTE_MS / u64::from(per_minute);
            prop_assert!(span * 100 >= ideal * 95 && span * 95 <= ideal * 100, "{span} instead of {ideal}");
        }

        #[test]
        fn nothing_is_permitted_while_resting_and_learning_keeps_its_bounds(
            ceiling in 1_u32..100,
            steps in prop::collection::vec((0_u64..400_000, 0_u8..40, 0_usize..4), 1..600),
        ) {
            let rules = PaceRules { ceiling_per_minute: ceiling, ..PaceRules::default() };
            let (mut pace, mut now, mut asked, mut rest_ends) = (Pace::default(), START, Vec::new(), 0);
            for (gap, kind, open) in steps {
                now += gap;
                let permit = pace.take(&rules, now, open);
                if permit == Permit::Now {
                    prop_assert!(now >= rest_ends && open < MAIL_OPERATOR_CONNECTIONS_MAX);
                    asked.push(now);
                } else if let Permit::At(then) = permit {
                    prop_assert!(then > now && then >= rest_ends);
                }
                let outcome = match kind {
                    0 => PaceOutcome::Complaint,
                    1 => PaceOutcome::Deferred,
                    _ => PaceOutcome::Good,
                };
                pace.after(&rules, now, outcome);
                if outcome == PaceOutcome::Complaint {
                    rest_ends = rest_ends.max(now + REST);
                }
                prop_assert!(pace.resting_until <= now + REST_MAX);
                prop_assert!((1..=ceiling).contains(&pace.rate(&rules)));
            }
            prop_assert!(most_in_a_minute(&asked) <= usize::try_from(ceiling).unwrap() + 1);
        }
    }
}
