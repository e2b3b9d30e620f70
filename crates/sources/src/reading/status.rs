//! What a status says whoever sent it. Vendors put their own odd codes before this.

use crate::{HttpAnswer, Reading};
use http::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// Longer waits are no waits but moments in time, which nobody here can tell from the clock.
const WAIT_SECONDS_MAX: u64 = 31 * 24 * 3_600;

/// The body of an answer that is one; else what the status or the unreadable body means.
pub(crate) fn open(response: &HttpAnswer<'_>) -> Result<Value, Reading> {
    match refusal(response) {
        Some(reading) => Err(reading),
        None => parse(response).ok_or(Reading::Failed("unreadable")),
    }
}

pub(crate) fn parse(response: &HttpAnswer<'_>) -> Option<Value> {
    serde_json::from_slice(response.body).ok()
}

/// What every status but success means. A 404 is no miss: it is also what a wrong address answers.
pub(crate) fn refusal(response: &HttpAnswer<'_>) -> Option<Reading> {
    Some(match response.status.as_u16() {
        200 | 201 | 203 => return None,
        202 => Reading::Pending,
        401 | 403 => Reading::Unauthorized,
        402 => Reading::QuotaExhausted,
        408 => Reading::Failed("timed_out"),
        429 => Reading::RateLimited(retry_after(response.headers)),
        451 => Reading::Suppressed,
        400..=499 => Reading::Refused,
        500..=599 => Reading::Failed("their_failure"),
        _ => Reading::Failed("unexpected_status"),
    })
}

/// How long to wait, where it says so in seconds.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let named = ["retry-after", "x-ratelimit-reset", "ratelimit-reset"];
    let mut values = named.iter().filter_map(|name| headers.get(*name)?.to_str().ok()?.trim().parse().ok());
    values.find(|seconds| *seconds <= WAIT_SECONDS_MAX).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &'static str, value: &'static str) -> Option<u64> {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
        retry_after(&headers).map(|wait| wait.as_secs())
    }

    #[test]
    fn a_wait_is_read_from_either_header() {
        assert_eq!(wait("retry-after", "30"), Some(30));
        assert_eq!(wait("x-ratelimit-reset", "12"), Some(12));
    }

    #[test]
    fn a_moment_in_time_is_no_wait() {
        assert_eq!(wait("x-ratelimit-reset", "1795000000"), None);
        assert_eq!(wait("retry-after", "Tue, 17 Nov 2026 03:00:00 GMT"), None);
    }
}
