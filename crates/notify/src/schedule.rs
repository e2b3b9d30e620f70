//! When to try again.

use std::num::NonZeroU32;
use std::time::Duration;

use assay_domain::limits::{WEBHOOK_DELAYS, WEBHOOK_JITTER_PERCENT, WEBHOOK_PATIENCE_MIN};

use crate::outcome::{Outcome, Verdict};

const TOO_MANY_REQUESTS: u16 = 429;
/// Jitter in thousandths of the delay.
const SPREAD: u64 = WEBHOOK_JITTER_PERCENT * 10;
const WHOLE: u64 = 1_000;

/// The delays between attempts. In a test, time can run faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    scale: NonZeroU32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::scaled(NonZeroU32::MIN)
    }
}

impl Schedule {
    /// Every delay is divided by `scale`, after everything else about it is decided.
    pub fn scaled(scale: NonZeroU32) -> Self {
        Self { scale }
    }

    /// Attempts a delivery gets before it is given up.
    pub fn attempts_max() -> u32 {
        u32::try_from(WEBHOOK_DELAYS.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// How long to wait, from the end of the attempt that ended so, before the next one; `None` when there is none: it was
    /// delivered, is not wanted, or was tried often enough. `attempts_made` counts the one that just ended, and `random`
    /// is any number, each equally likely.
    ///
    /// A delay is moved by up to a fifth either way. A receiver that asked for patience is never called sooner than it
    /// asked, within its delay and twice that, so its delay is moved only upwards; so is that of one which had too much to
    /// do to answer, which gets a minute at least.
    pub fn next_delay(&self, attempts_made: u32, outcome: &Outcome, random: u32) -> Option<Duration> {
        let is_busy = match outcome.verdict {
            Verdict::Delivered | Verdict::Gone => return None,
            Verdict::TimedOut | Verdict::Refused(TOO_MANY_REQUESTS) => true,
            Verdict::Refused(_) | Verdict::Unreachable(_) | Verdict::Forbidden(_) => false,
        };
        let number = usize::try_from(attempts_made.checked_sub(1)?).ok()?;
        let base = *WEBHOOK_DELAYS.get(number)?;
        let asked = outcome.retry_after.map(|asked| asked.clamp(base, base.saturating_mul(2)));
        let least = if is_busy { WEBHOOK_PATIENCE_MIN } else { Duration::ZERO };
        let delay = asked.unwrap_or(base).max(least);
        let (lowest, width) =
            if is_busy || asked.is_some() { (WHOLE, SPREAD) } else { (WHOLE - SPREAD, 2 * SPREAD) };
        let thousandths = lowest + ((u64::from(random) * (width + 1)) >> u32::BITS);
        Some(stretched(delay, thousandths) / self.scale.get())
    }
}

fn stretched(delay: Duration, thousandths: u64) -> Duration {
    let micros = u64::try_from(delay.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(micros.saturating_mul(thousandths) / WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Trouble;
    use crate::refusal::Refusal;
    use proptest::prelude::*;

    const MIDDLE: u32 = 1 << 31;

    fn failed(verdict: Verdict, retry_after: Option<u64>) -> Outcome {
        Outcome {
            status: None,
            verdict,
            retry_after: retry_after.map(Duration::from_secs),
            took: Duration::ZERO,
            excerpt: String::new(),
        }
    }

    fn delay(attempts_made: u32, outcome: &Outcome, random: u32) -> Option<u64> {
        Schedule::default().next_delay(attempts_made, outcome, random).map(|it| it.as_secs())
    }

    #[test]
    fn ten_attempts_are_made_over_three_days_and_more() {
        let outcome = failed(Verdict::Refused(500), None);
        let delays: Vec<u64> = (1..).map_while(|made| delay(made, &outcome, MIDDLE)).collect();
        assert_eq!(delays, [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
        assert_eq!(Schedule::attempts_max(), 10);
        assert_eq!(delay(10, &outcome, MIDDLE), None);
        assert_eq!(delay(0, &outcome, MIDDLE), None, "nothing was tried, nothing failed");
        assert_eq!(delay(u32::MAX, &outcome, MIDDLE), None);
    }

    #[test]
    fn what_was_delivered_or_is_not_wanted_is_not_tried_again() {
        for verdict in [Verdict::Delivered, Verdict::Gone] {
            assert_eq!(delay(1, &failed(verdict, Some(10)), MIDDLE), None);
        }
        for verdict in [
            Verdict::Refused(301),
            Verdict::Refused(400),
            Verdict::Refused(503),
            Verdict::Unreachable(Trouble::Name),
            Verdict::Forbidden(Refusal::Address("a private network")),
        ] {
            assert_eq!(delay(1, &failed(verdict, None), MIDDLE), Some(5), "{verdict:?}");
        }
    }

    #[test]
    fn a_delay_moves_by_a_fifth_either_way() {
        let outcome = failed(Verdict::Refused(500), None);
        let delays = [0, MIDDLE, u32::MAX].map(|random| delay(2, &outcome, random));
        assert_eq!(delays, [Some(240), Some(300), Some(360)]);
    }

    #[test]
    fn a_busy_receiver_is_left_alone_for_a_minute() {
        for verdict in [Verdict::Refused(429), Verdict::TimedOut] {
            let delays = [0, MIDDLE, u32::MAX].map(|random| delay(1, &failed(verdict, None), random));
            assert_eq!(delays, [Some(60), Some(66), Some(72)], "{verdict:?}");
            assert_eq!(delay(2, &failed(verdict, None), 0), Some(300));
        }
    }

    #[test]
    fn retry_after_counts_between_the_delay_and_twice_that() {
        for (asked, least, most) in
            [(0, 300, 360), (299, 300, 360), (400, 400, 480), (600, 600, 720), (9_999, 600, 720)]
        {
            let outcome = failed(Verdict::Refused(503), Some(asked));
            let delays = [0, u32::MAX].map(|random| delay(2, &outcome, random));
            assert_eq!(delays, [Some(least), Some(most)], "{asked}");
        }
        assert_eq!(delay(1, &failed(Verdict::Refused(503), Some(7)), 0), Some(7));
        assert_eq!(delay(1, &failed(Verdict::Refused(429), Some(7)), 0), Some(60));
    }

    #[test]
    fn time_can_run_faster() {
        let schedule = Schedule::scaled(NonZeroU32::new(1_000).unwrap());
        let outcome = failed(Verdict::Refused(500), None);
        let delays = [1, 9].map(|made| schedule.next_delay(made, &outcome, MIDDLE).unwrap());
        assert_eq!(delays, [Duration::from_millis(5), Duration::from_millis(86_400)]);
        assert_eq!(Schedule::default(), Schedule::scaled(NonZeroU32::MIN));
    }

    proptest! {
        #[test]
        fn no_delay_is_shorter_than_asked_or_longer_than_it_may_be(
            made in 1_u32..=9,
            random in any::<u32>(),
            status in 300_u16..600,
            asked in proptest::option::of(0_u64..400_000),
        ) {
            prop_assume!(status != 410);
            let outcome = failed(Verdict::of_status(status), asked);
            let base = WEBHOOK_DELAYS[usize::try_from(made).unwrap() - 1];
            let delay = Schedule::default().next_delay(made, &outcome, random).unwrap();
            prop_assert!(delay >= base * 4 / 5);
            prop_assert!(delay <= base.max(Duration::from_secs(30)) * 12 / 5);
            if let Some(asked) = asked {
                prop_assert!(delay >= Duration::from_secs(asked).min(base * 2).max(base));
            }
        }
    }
}
