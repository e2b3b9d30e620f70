//! The retry budget: tries beyond the first are a small part of all, so that a vendor in trouble is not given more of it.

use super::window::{Counts, Window};
use assay_domain::limits::{SOURCE_RETRIES_PER_SECOND, SOURCE_RETRY_PERCENT, SOURCE_WINDOW_SECONDS};
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Budget {
    /// Questions, and those of them that were marked as tried again.
    recent: Window,
}

impl Budget {
    /// A question was asked.
    pub(super) fn earn(&mut self, now: Duration) {
        self.recent.add(now, Counts { all: 1, marked: 0 });
    }

    /// Whether one may be tried again; if so it is counted.
    pub(super) fn spend(&mut self, now: Duration) -> bool {
        let Counts { all, marked } = self.recent.sum(now);
        let seconds = u64::try_from(SOURCE_WINDOW_SECONDS).unwrap_or(u64::MAX);
        let least = SOURCE_RETRIES_PER_SECOND.saturating_mul(seconds);
        let most = least.saturating_add(all.saturating_mul(SOURCE_RETRY_PERCENT) / 100);
        if marked >= most {
            return false;
        }
        self.recent.add(now, Counts { all: 0, marked: 1 });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_of_the_questions_and_ten_a_second_may_be_tried_again() {
        let mut budget = Budget::default();
        let now = Duration::from_secs(1);
        for _ in 0..1_000 {
            budget.earn(now);
        }
        assert_eq!((0..1_000).filter(|_| budget.spend(now)).count(), 100 + 200);
        assert!(!budget.spend(Duration::from_secs(10)));
        let later = Duration::from_secs(11);
        assert_eq!((0..1_000).filter(|_| budget.spend(later)).count(), 100, "tokens live for ten seconds");
    }

    #[test]
    fn in_the_long_run_no_more_is_spent_than_earned() {
        let mut budget = Budget::default();
        let mut spent = 0_u32;
        for step in 0..60_000_u64 {
            let now = Duration::from_millis(step * 2);
            budget.earn(now);
            spent += u32::from(budget.spend(now));
        }
        // 500 questions a second for two minutes: a fifth is 12,000, and ten a second are 1,200.
        assert!((12_000..=13_500).contains(&spent), "{spent}");
    }
}
