//! A token bucket as a pure function of time: a rate in eight bytes, where there are too many things to count exactly.

use chrono::{DateTime, TimeDelta, Utc};

/// Refills evenly up to a minute's worth of requests; one request takes one token.
#[derive(Debug, Clone, Copy)]
pub struct TokenBucket {
    /// When the bucket would be full again if nothing more were taken: the whole state of the bucket.
    full_at: DateTime<Utc>,
}

/// What a caller may be told about a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub allowed: bool,
    pub remaining: u32,
    /// Seconds until the bucket is full again, or until one request fits when none does; never too early.
    pub reset_seconds: u32,
}

impl TokenBucket {
    pub fn full(now: DateTime<Utc>) -> Self {
        Self { full_at: now }
    }

    /// A full bucket remembers nothing, so it may be forgotten.
    pub fn is_full(&self, now: DateTime<Utc>) -> bool {
        self.full_at <= now
    }

    /// Takes one request's token if there is one. `per_minute` may change between calls, as plans do.
    pub fn take(&mut self, now: DateTime<Utc>, per_minute: u32) -> Allowance {
        let quota = i64::from(per_minute.max(1));
        let spacing = MINUTE_MICROS.div_euclid(quota).max(1);
        let owed = (self.full_at - now).num_microseconds().unwrap_or(i64::MAX).max(0);
        let span = spacing.saturating_mul(quota);
        if owed.saturating_add(spacing) > span {
            let wait = owed.saturating_add(spacing).saturating_sub(span);
            return Allowance { allowed: false, remaining: 0, reset_seconds: seconds_up(wait) };
        }
        let owed = owed.saturating_add(spacing);
        self.full_at = now + TimeDelta::microseconds(owed);
        let remaining = u32::try_from((span - owed) / spacing).unwrap_or(u32::MAX);
        Allowance { allowed: true, remaining, reset_seconds: seconds_up(owed) }
    }
}

const MINUTE_MICROS: i64 = 60_000_000;

fn seconds_up(micros: i64) -> u32 {
    u32::try_from(micros.saturating_add(999_999) / 1_000_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(1_790_000_000_000_000 + micros).unwrap()
    }

    #[test]
    fn no_window_of_a_minute_admits_more_than_burst_plus_refill() {
        for per_minute in [1_u32, 7, 120, 6_000] {
            let mut bucket = TokenBucket::full(at(0));
            let mut admitted = 0_i64;
            for step in 0..20_000_i64 {
                let now = step * 10_000;
                if bucket.take(at(now), per_minute).allowed {
                    admitted += 1;
                }
                let most = i64::from(per_minute) + now * i64::from(per_minute) / MINUTE_MICROS + 1;
                assert!(admitted <= most, "{per_minute}: {admitted} after {now}");
            }
        }
    }

    #[test]
    fn waiting_as_long_as_told_is_always_enough() {
        for per_minute in [1_u32, 3, 59, 1_000] {
            let mut bucket = TokenBucket::full(at(0));
            let mut refused = None;
            for _ in 0..=per_minute {
                let answer = bucket.take(at(0), per_minute);
                if !answer.allowed {
                    refused = Some(answer);
                }
            }
            let wait = i64::from(refused.unwrap().reset_seconds) * 1_000_000;
            assert!(bucket.take(at(wait), per_minute).allowed);
        }
    }

    #[test]
    fn remaining_counts_down_to_zero() {
        let mut bucket = TokenBucket::full(at(0));
        for left in (0..120).rev() {
            assert_eq!(bucket.take(at(0), 120).remaining, left);
        }
        assert!(!bucket.take(at(0), 120).allowed);
    }
}
