//! Counts of the last seconds, forgotten second by second.

use assay_domain::limits::SOURCE_WINDOW_SECONDS;
use std::collections::VecDeque;
use std::time::Duration;

/// How many there were, and how many of them had what is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) all: u64,
    pub(super) marked: u64,
}

#[derive(Debug, Default)]
pub(super) struct Window {
    newest_second: u64,
    /// The newest first.
    seconds: VecDeque<Counts>,
}

impl Window {
    pub(super) fn add(&mut self, now: Duration, more: Counts) {
        self.advance(now);
        if let Some(newest) = self.seconds.front_mut() {
            newest.all = newest.all.saturating_add(more.all);
            newest.marked = newest.marked.saturating_add(more.marked);
        }
    }

    pub(super) fn sum(&mut self, now: Duration) -> Counts {
        self.advance(now);
        self.seconds.iter().fold(Counts::default(), |sum, it| Counts {
            all: sum.all.saturating_add(it.all),
            marked: sum.marked.saturating_add(it.marked),
        })
    }

    /// Whoever looked at the clock a moment before another did counts for the other's second.
    fn advance(&mut self, now: Duration) {
        let passed = now.as_secs().saturating_sub(self.newest_second);
        let fresh = usize::try_from(passed).unwrap_or(usize::MAX).min(SOURCE_WINDOW_SECONDS);
        let fresh = if self.seconds.is_empty() { fresh.max(1) } else { fresh };
        for _ in 0..fresh {
            self.seconds.push_front(Counts::default());
        }
        self.seconds.truncate(SOURCE_WINDOW_SECONDS);
        self.newest_second = self.newest_second.max(now.as_secs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_that_of_the_last_ten_seconds(mut times in prop::collection::vec(0_u64..40_000, 1..60)) {
            times.sort_unstable();
            let mut window = Window::default();
            let mut before: Vec<u64> = Vec::new();
            for time in times {
                let now = Duration::from_millis(time);
                window.add(now, Counts { all: 1, marked: time % 2 });
                before.push(time);
                let recent: Vec<u64> = before.iter().copied().filter(|it| time / 1_000 - it / 1_000 < 10).collect();
                let marked = recent.iter().map(|it| it % 2).sum::<u64>();
                let all = u64::try_from(recent.len()).unwrap();
                prop_assert_eq!(window.sum(now), Counts { all, marked });
                prop_assert!(window.seconds.len() <= SOURCE_WINDOW_SECONDS);
            }
        }
    }
}
