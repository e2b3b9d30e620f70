//! How long a vendor is waited for: as long as nearly all of its recent answers took.

use assay_domain::limits::{
    SOURCE_DEADLINE_MAX, SOURCE_DEADLINE_MIN, SOURCE_LATENCIES_ENOUGH, SOURCE_LATENCIES_PLENTY,
    SOURCE_LATENCY_HALF_LIFE, SOURCE_LATENCY_STEP,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// One in so many answers may come too late.
const LATE_ONE_IN: u32 = 1_000;

#[derive(Debug, Default)]
pub(super) struct Latencies {
    /// Answers by how many whole steps they took. The longest deadline bounds how many entries there are.
    counts: BTreeMap<u32, u32>,
    halved_at: Duration,
    /// The longest wait in vain since the last answer.
    in_vain: Option<Duration>,
}

impl Latencies {
    pub(super) fn answered(&mut self, now: Duration, took: Duration) {
        self.decay(now);
        // It answers, so what was waited for before was slow, not dead, and should have been waited for longer. While nothing
        // comes at all, nothing is learnt: else everyone would wait longer and longer for a vendor that hangs.
        if let Some(waited) = self.in_vain.take() {
            self.count(waited.saturating_mul(2));
        }
        self.count(took);
    }

    pub(super) fn timed_out(&mut self, waited: Duration) {
        self.in_vain = self.in_vain.max(Some(waited));
    }

    pub(super) fn deadline(&mut self, now: Duration) -> Duration {
        self.decay(now);
        let total = self.counts.values().fold(0_u32, |sum, it| sum.saturating_add(*it));
        if total < SOURCE_LATENCIES_ENOUGH {
            return SOURCE_DEADLINE_MAX;
        }
        let mut slower = 0_u32;
        let step = self.counts.iter().rev().find_map(|(step, count)| {
            slower = slower.saturating_add(*count);
            (slower > total / LATE_ONE_IN).then_some(*step)
        });
        let longest = SOURCE_LATENCY_STEP.saturating_mul(step.unwrap_or(0).saturating_add(1));
        // The longest of a few is soon outdone.
        let longest = if total < SOURCE_LATENCIES_PLENTY { longest.saturating_mul(2) } else { longest };
        longest.clamp(SOURCE_DEADLINE_MIN, SOURCE_DEADLINE_MAX)
    }

    fn count(&mut self, took: Duration) {
        let took = took.min(SOURCE_DEADLINE_MAX);
        let steps = took.as_millis() / SOURCE_LATENCY_STEP.as_millis().max(1);
        let count = self.counts.entry(u32::try_from(steps).unwrap_or(u32::MAX)).or_default();
        *count = count.saturating_add(1);
    }

    fn decay(&mut self, now: Duration) {
        while now.saturating_sub(self.halved_at) >= SOURCE_LATENCY_HALF_LIFE {
            if self.counts.is_empty() {
                self.halved_at = now;
                return;
            }
            self.halved_at = self.halved_at.saturating_add(SOURCE_LATENCY_HALF_LIFE);
            self.counts.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: Duration = Duration::ZERO;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn after(answers: u32, took: Duration) -> Latencies {
        let mut latencies = Latencies::default();
        for _ in 0..answers {
            latencies.answered(START, took);
        }
        latencies
    }

    #[test]
    fn the_longest_deadline_holds_until_enough_is_known() {
        assert_eq!(after(99, ms(20)).deadline(START), SOURCE_DEADLINE_MAX);
        assert_eq!(after(100, ms(20)).deadline(START), SOURCE_DEADLINE_MIN);
        assert_eq!(after(100, ms(1_100)).deadline(START), ms(2_500), "the longest of a few, twice");
        assert_eq!(after(2_000, ms(1_100)).deadline(START), ms(1_250));
    }

    #[test]
    fn one_in_a_thousand_may_be_slower_and_two_may_not() {
        let mut latencies = after(1_998, ms(100));
        latencies.answered(START, ms(4_900));
        assert_eq!(latencies.deadline(START), SOURCE_DEADLINE_MIN);
        latencies.answered(START, ms(4_900));
        latencies.answered(START, ms(4_900));
        assert_eq!(latencies.deadline(START), ms(5_000));
    }

    #[test]
    fn waits_in_vain_lengthen_the_deadline_only_when_an_answer_follows() {
        let mut latencies = after(100, ms(100));
        for _ in 0..50 {
            latencies.timed_out(ms(500));
        }
        assert_eq!(latencies.deadline(START), ms(500));
        latencies.answered(START, ms(100));
        assert_eq!(latencies.deadline(START), ms(2_500));
    }

    #[test]
    fn what_was_slow_is_forgotten_in_time() {
        let mut latencies = after(2_000, ms(8_000));
        let later = SOURCE_LATENCY_HALF_LIFE * 3;
        for _ in 0..10_000 {
            latencies.answered(later, ms(100));
        }
        assert_eq!(latencies.deadline(later), ms(8_250));
        let much_later = SOURCE_LATENCY_HALF_LIFE * 12;
        for _ in 0..1_000 {
            latencies.answered(much_later, ms(100));
        }
        assert_eq!(latencies.deadline(much_later), SOURCE_DEADLINE_MIN);
        assert_eq!(latencies.deadline(Duration::MAX), SOURCE_DEADLINE_MAX, "all is forgotten");
    }

    proptest! {
        #[test]
        fn a_deadline_is_always_between_its_bounds(took in prop::collection::vec(0_u64..60_000, 0..500)) {
            let mut latencies = Latencies::default();
            for (number, took) in took.into_iter().enumerate() {
                let now = Duration::from_secs(u64::try_from(number).unwrap() * 30);
                if took % 7 == 0 {
                    latencies.timed_out(ms(took));
                } else {
                    latencies.answered(now, ms(took));
                }
                let deadline = latencies.deadline(now);
                prop_assert!((SOURCE_DEADLINE_MIN..=SOURCE_DEADLINE_MAX).contains(&deadline));
                prop_assert!(latencies.counts.len() <= 41);
            }
        }
    }
}
