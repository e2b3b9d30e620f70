//! How one attempt ended, and what is kept of the answer.

use std::fmt;
use std::time::{Duration, SystemTime};

use assay_domain::limits::{WEBHOOK_EXCERPT_BYTES_MAX, WEBHOOK_RETRY_AFTER_MAX};

use crate::refusal::Refusal;

/// What became of an attempt. Only a status of 2xx is a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Delivered,
    /// 410: the receiver wants no more.
    Gone,
    /// Any other status, redirects among them.
    Refused(u16),
    TimedOut,
    Unreachable(Trouble),
    /// Nothing was sent: the guard let no address through.
    Forbidden(Refusal),
}

impl Verdict {
    /// A stable word for the delivery log.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Gone => "gone",
            Self::Refused(_) => "refused",
            Self::TimedOut => "timed_out",
            Self::Unreachable(_) => "unreachable",
            Self::Forbidden(_) => "forbidden",
        }
    }

    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Delivered,
            410 => Self::Gone,
            other => Self::Refused(other),
        }
    }
}

/// One sentence for the delivery log.
impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delivered => out.write_str("the receiver took it"),
            Self::Gone => out.write_str("the receiver answered 410: it wants no more deliveries"),
            Self::Refused(status @ 300..=399) => {
                write!(out, "the receiver answered {status}: redirects are not followed")
            }
            Self::Refused(status) => write!(out, "the receiver answered {status}"),
            Self::TimedOut => out.write_str("the receiver did not answer in time"),
            Self::Unreachable(trouble) => trouble.fmt(out),
            Self::Forbidden(refusal) => refusal.fmt(out),
        }
    }
}

/// What kept an attempt from being answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("the name of the receiver has no address")]
    Name,
    #[error("no connection could be made to the receiver")]
    Connect,
    #[error("the connection could not be encrypted, or the receiver's certificate is not valid for its name")]
    Encryption,
    #[error("the connection broke off before a whole answer in HTTP/1.1 had come")]
    Answer,
    #[error("the request could not be put together")]
    Request,
}

/// How one attempt ended, for the delivery log and for what is done next.
#[derive(Clone, PartialEq, Eq)]
pub struct Outcome {
    pub status: Option<u16>,
    pub verdict: Verdict,
    /// How long the receiver asked to be left alone.
    pub retry_after: Option<Duration>,
    pub took: Duration,
    /// The beginning of the answer's body, as text that a database can keep.
    pub excerpt: String,
}

/// The excerpt is left out: a receiver may repeat personal data in its answer.
impl fmt::Debug for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Outcome")
            .field("status", &self.status)
            .field("verdict", &self.verdict)
            .field("retry_after", &self.retry_after)
            .field("took", &self.took)
            .field("excerpt", &format_args!("{} bytes", self.excerpt.len()))
            .finish()
    }
}

/// Bytes as text of a bounded length. What is no text, or a zero, which PostgreSQL does not take, becomes a replacement
/// character; a character that the limit cuts in two is left out.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let is_cut = bytes.len() > WEBHOOK_EXCERPT_BYTES_MAX;
    let kept = bytes.get(..WEBHOOK_EXCERPT_BYTES_MAX).unwrap_or(bytes);
    let whole = match std::str::from_utf8(kept) {
        // No length: the last bytes could still have become a character.
        Err(error) if is_cut && error.error_len().is_none() => {
            kept.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => kept,
    };
    let mut text = String::from_utf8_lossy(whole).replace('\0', "\u{FFFD}");
    // A replacement character is longer than what it stands for.
    text.truncate(text.floor_char_boundary(WEBHOOK_EXCERPT_BYTES_MAX));
    text
}

/// `Retry-After` is a number of seconds or a date; anything else says nothing.
pub(crate) fn read_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let asked = if !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit()) {
        // Only a number too large to count fails here.
        value.parse().map_or(WEBHOOK_RETRY_AFTER_MAX, Duration::from_secs)
    } else {
        let date = httpdate::parse_http_date(value).ok()?;
        date.duration_since(now).unwrap_or_default()
    };
    Some(asked.min(WEBHOOK_RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_2xx_is_a_delivery() {
        for (status, verdict) in [
            (101, Verdict::Refused(101)),
            (199, Verdict::Refused(199)),
            (200, Verdict::Delivered),
            (204, Verdict::Delivered),
            (299, Verdict::Delivered),
            (300, Verdict::Refused(300)),
            (308, Verdict::Refused(308)),
            (404, Verdict::Refused(404)),
            (410, Verdict::Gone),
            (500, Verdict::Refused(500)),
        ] {
            assert_eq!(Verdict::of_status(status), verdict);
        }
    }

    #[test]
    fn each_verdict_has_a_word_and_a_sentence() {
        let forbidden = Refusal::Address("a private network");
        for (verdict, word, sentence) in [
            (Verdict::Delivered, "delivered", "the receiver took it"),
            (Verdict::Gone, "gone", "the receiver answered 410: it wants no more deliveries"),
            (Verdict::Refused(302), "refused", "the receiver answered 302: redirects are not followed"),
            (Verdict::Refused(500), "refused", "the receiver answered 500"),
            (Verdict::TimedOut, "timed_out", "the receiver did not answer in time"),
            (Verdict::Unreachable(Trouble::Name), "unreachable", "the name of the receiver has no address"),
            (
                Verdict::Forbidden(forbidden),
                "forbidden",
                "the address is not on the public internet but belongs to a private network",
            ),
        ] {
            assert_eq!((verdict.code(), verdict.to_string().as_str()), (word, sentence));
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        // Sun, 06 Nov 1994 08:49:37 GMT is 784111777 seconds after the epoch.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777 - 90);
        let seconds = |count| Some(Duration::from_secs(count));
        for (value, asked) in [
            ("0", seconds(0)),
            ("120", seconds(120)),
            (" 120 ", seconds(120)),
            ("172801", Some(WEBHOOK_RETRY_AFTER_MAX)),
            ("99999999999999999999999", Some(WEBHOOK_RETRY_AFTER_MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", seconds(90)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", seconds(0)),
            ("Sat, 06 Nov 2094 08:00:00 GMT", Some(WEBHOOK_RETRY_AFTER_MAX)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            assert_eq!(read_retry_after(value, now), asked, "{value}");
        }
    }

    #[test]
    fn an_excerpt_is_text_that_a_database_takes() {
        assert_eq!(excerpt("grüß dich".as_bytes()), "grüß dich");
        assert_eq!(excerpt(b"a\0b\xFFc"), "a\u{FFFD}b\u{FFFD}c");
        let cut = format!("{}ü", "a".repeat(WEBHOOK_EXCERPT_BYTES_MAX - 1));
        assert_eq!(excerpt(cut.as_bytes()), "a".repeat(WEBHOOK_EXCERPT_BYTES_MAX - 1));
        // Broken by the receiver and not by the limit.
        assert_eq!(excerpt(b"a\xC3"), "a\u{FFFD}");
    }

    #[test]
    fn an_outcome_in_a_log_line_does_not_show_the_answer() {
        let outcome = Outcome {
            status: Some(200),
            verdict: Verdict::Delivered,
            retry_after: None,
            took: Duration::from_millis(7),
            excerpt: "jane@acme.example".to_owned(),
        };
        let shown = format!("{outcome:?}");
        assert!(!shown.contains("jane") && shown.contains("17 bytes"), "{shown}");
    }

    proptest! {
        #[test]
        fn an_excerpt_is_bounded_and_faithful(bytes in proptest::collection::vec(any::<u8>(), 0..2_100)) {
            let text = excerpt(&bytes);
            prop_assert!(text.len() <= WEBHOOK_EXCERPT_BYTES_MAX && !text.contains('\0'));
        }

        #[test]
        fn a_text_is_kept_up_to_the_limit(text in "[^\0]{0,700}") {
            let kept = excerpt(text.as_bytes());
            prop_assert!(text.starts_with(&kept));
            prop_assert!(kept.len() + 4 > text.len().min(WEBHOOK_EXCERPT_BYTES_MAX));
        }
    }
}
