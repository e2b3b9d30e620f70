//! What a vendor said of when to come back: until then its key is left alone.

use crate::Reading;
use assay_domain::limits::{
    SOURCE_QUOTA_REST, SOURCE_RATE_LIMIT_REST, SOURCE_RATE_LIMIT_REST_MAX, SOURCE_RATE_LIMIT_REST_MIN,
    SOURCE_UNAUTHORIZED_REST,
};
use std::time::Duration;

/// Why a key rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// The vendor was asked too often.
    RateLimited,
    /// What was paid for is used up.
    QuotaExhausted,
    /// The key was not taken.
    Unauthorized,
    /// Our own pace for this vendor is used up.
    Paced,
}

impl Rest {
    /// One word for traces and counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimited => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Unauthorized => "unauthorized",
            Self::Paced => "paced",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Resets {
    rest: Option<(Rest, Duration)>,
}

impl Resets {
    /// Why the key rests, and for how long still.
    pub(super) fn left(&self, now: Duration) -> Option<(Rest, Duration)> {
        let (why, until) = self.rest?;
        (now < until).then(|| (why, until.saturating_sub(now)))
    }

    /// Remembers what a reading says of it. Whether that was news: many questions may be under way when a key is refused.
    pub(super) fn learn(&mut self, reading: &Reading, now: Duration) -> Option<Rest> {
        let (why, time) = rest_after(reading)?;
        let before = self.left(now).map(|(why, _)| why);
        let until = now.saturating_add(time);
        // A shorter rest does not end a longer one.
        if self.left(now).is_none_or(|(_, left)| left < time) {
            self.rest = Some((why, until));
        }
        (before != Some(why)).then_some(why)
    }
}

fn rest_after(reading: &Reading) -> Option<(Rest, Duration)> {
    match reading {
        Reading::RateLimited(told) => {
            let time = told.unwrap_or(SOURCE_RATE_LIMIT_REST);
            Some((Rest::RateLimited, time.clamp(SOURCE_RATE_LIMIT_REST_MIN, SOURCE_RATE_LIMIT_REST_MAX)))
        }
        Reading::QuotaExhausted => Some((Rest::QuotaExhausted, SOURCE_QUOTA_REST)),
        Reading::Unauthorized => Some((Rest::Unauthorized, SOURCE_UNAUTHORIZED_REST)),
        Reading::Hit(_)
        | Reading::Miss
        | Reading::Refused
        | Reading::Suppressed
        | Reading::Pending
        | Reading::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn seconds_after(reading: &Reading) -> Option<(Rest, u64)> {
        let mut resets = Resets::default();
        resets.learn(reading, NOW);
        resets.left(NOW).map(|(why, left)| (why, left.as_secs()))
    }

    #[test]
    fn each_refusal_has_its_rest_and_answers_have_none() {
        let told = |seconds| Reading::RateLimited(Some(Duration::from_secs(seconds)));
        assert_eq!(seconds_after(&told(7)), Some((Rest::RateLimited, 7)));
        assert_eq!(seconds_after(&told(0)), Some((Rest::RateLimited, 1)));
        assert_eq!(seconds_after(&told(u64::MAX)), Some((Rest::RateLimited, 3_600)));
        assert_eq!(seconds_after(&Reading::RateLimited(None)), Some((Rest::RateLimited, 60)));
        assert_eq!(seconds_after(&Reading::QuotaExhausted), Some((Rest::QuotaExhausted, 900)));
        assert_eq!(seconds_after(&Reading::Unauthorized), Some((Rest::Unauthorized, 300)));
        for reading in [Reading::Miss, Reading::Refused, Reading::Pending, Reading::Failed("broken")] {
            assert_eq!(seconds_after(&reading), None);
        }
    }

    #[test]
    fn a_rest_ends_when_it_was_told_to_and_a_shorter_one_does_not_end_it() {
        let mut resets = Resets::default();
        assert_eq!(resets.learn(&Reading::Unauthorized, NOW), Some(Rest::Unauthorized));
        assert_eq!(resets.learn(&Reading::Unauthorized, NOW), None, "said already");
        resets.learn(&Reading::RateLimited(None), NOW);
        let end = NOW + SOURCE_UNAUTHORIZED_REST;
        assert!(resets.left(end - Duration::from_millis(1)).is_some());
        assert_eq!(resets.left(end), None);
        assert_eq!(resets.learn(&Reading::Unauthorized, end), Some(Rest::Unauthorized), "said again");
    }
}
