//! What came of a question: an answer and what it took, or why it was not asked.

use super::resets::Rest;
use crate::{Price, Reading};
use std::time::Duration;

/// A question that was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub reading: Reading,
    /// From the question to its answer, all tries together.
    pub latency: Duration,
    pub attempts: u32,
    /// What the vendor charges for it, in millionths of a US dollar, as far as it can be known.
    pub cost_micros: u64,
}

/// Why a vendor was not asked. Nothing was sent, and the next vendor may be asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// It fails, and is left alone for so long; for no known time while a few probes are on their way.
    #[error("it failed lately, and is left alone")]
    BreakerOpen { left: Duration },
    /// As many questions as it may have at once are under way.
    #[error("too many questions to it are under way")]
    Full,
    #[error("its key rests ({})", why.as_str())]
    Resting { why: Rest, left: Duration },
    /// With what is known of the subject it cannot be asked.
    #[error("it cannot be asked with what is known")]
    Unanswerable,
    /// The question cannot be sent where the vendor is said to live: wrong settings.
    #[error("the question cannot be sent: {0}")]
    Unsendable(&'static str),
    #[error("there is too little time left")]
    NoTime,
}

impl NotAsked {
    /// One word for traces and counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BreakerOpen { .. } => "breaker_open",
            Self::Full => "full",
            Self::Resting { why, .. } => why.as_str(),
            Self::Unanswerable => "unanswerable",
            Self::Unsendable(_) => "unsendable",
            Self::NoTime => "no_time",
        }
    }
}

/// What a question costs by the price list and by what the vendor says it took. `lost` when it may have been answered and nobody
/// read it: where every call is charged, that one counts too.
pub(super) fn cost_micros(price: Option<Price>, reading: &Reading, lost: bool) -> u64 {
    let Some(price) = price else { return 0 };
    let listed = u64::from(price.micros());
    match (reading, price) {
        (Reading::Hit(answer), _) => match answer.charged_thousandths {
            Some(thousandths) => listed.saturating_mul(u64::from(thousandths)) / 1_000,
            None => listed,
        },
        (Reading::Miss | Reading::Suppressed, Price::PerCall(_)) => listed,
        (_, Price::PerCall(_)) if lost => listed,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    #[test]
    fn a_cost_is_what_the_vendor_says_or_else_the_list() {
        let hit = |charged_thousandths| Reading::hit(Answer { charged_thousandths, ..Answer::default() });
        let per_hit = Some(Price::PerHit(10_000));
        let per_call = Some(Price::PerCall(4_000));
        assert_eq!(cost_micros(per_hit, &hit(None), false), 10_000);
        assert_eq!(cost_micros(per_hit, &hit(Some(2_500)), false), 25_000);
        assert_eq!(cost_micros(per_hit, &hit(Some(0)), false), 0);
        assert_eq!(cost_micros(per_hit, &Reading::Miss, false), 0);
        assert_eq!(cost_micros(per_call, &Reading::Miss, false), 4_000);
        assert_eq!(cost_micros(per_call, &Reading::Failed("broken"), false), 0);
        assert_eq!(cost_micros(per_call, &Reading::Failed("timed out"), true), 4_000);
        assert_eq!(cost_micros(per_hit, &Reading::Failed("timed out"), true), 0);
        assert_eq!(cost_micros(None, &hit(None), false), 0);
    }
}
