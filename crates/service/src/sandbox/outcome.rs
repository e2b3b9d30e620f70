//! The answers a caller may force with the header `Sandbox-Outcome`, and which of them a row can give.

use crate::endpoint::Rehearsal;
use crate::fault::Fault;
use crate::input::nearest;
use crate::spec::Spec;

/// How the header is called; also what a fault points at.
const HEADER: &str = "Sandbox-Outcome";

/// An answer other than the row's example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxOutcome {
    NotFound,
    InsufficientCredits,
    RateLimited,
    UpstreamError,
    Slow,
}

impl SandboxOutcome {
    pub const ALL: &[Self] =
        &[Self::NotFound, Self::InsufficientCredits, Self::RateLimited, Self::UpstreamError, Self::Slow];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::InsufficientCredits => "insufficient_credits",
            Self::RateLimited => "rate_limited",
            Self::UpstreamError => "upstream_error",
            Self::Slow => "slow",
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let text = text.trim();
        Self::ALL.iter().copied().find(|outcome| outcome.as_str() == text).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|outcome| outcome.as_str()).collect();
            let fix = match nearest(text, &known) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("use one of {}", known.join(", ")),
            };
            Fault::field(&pointer(), "unknown_value", "the header's value is not known", fix)
        })
    }

    /// Whether the live row could ever answer like this.
    fn fits(self, spec: &Spec, rehearsal: &Rehearsal) -> bool {
        match self {
            Self::NotFound => rehearsal.not_found.is_some(),
            Self::InsufficientCredits => !spec.price.is_free(),
            // An account's own rows ask nobody else.
            Self::UpstreamError => spec.group.is_recorded(),
            Self::RateLimited | Self::Slow => true,
        }
    }

    pub(super) fn check(self, spec: &Spec, rehearsal: &Rehearsal) -> Result<(), Fault> {
        if self.fits(spec, rehearsal) {
            return Ok(());
        }
        let fitting = names(spec, rehearsal).join(", ");
        let message = "this call never answers like that";
        Err(Fault::field(&pointer(), "outcome_not_possible", message, format!("use one of {fitting}")))
    }
}

/// The outcomes of a row, by name.
pub(super) fn names(spec: &Spec, rehearsal: &Rehearsal) -> Vec<&'static str> {
    let fitting = SandboxOutcome::ALL.iter().filter(|outcome| outcome.fits(spec, rehearsal));
    fitting.map(|outcome| outcome.as_str()).collect()
}

fn pointer() -> String {
    format!("/{HEADER}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_read_by_name_and_a_mistyped_one_is_told_the_nearest() {
        for outcome in SandboxOutcome::ALL {
            assert_eq!(SandboxOutcome::parse(outcome.as_str()).ok(), Some(*outcome));
        }
        assert_eq!(SandboxOutcome::parse(" slow ").ok(), Some(SandboxOutcome::Slow));
        let mistyped = SandboxOutcome::parse("Not-Found").unwrap_err();
        assert_eq!(mistyped.errors[0].pointer, "/Sandbox-Outcome");
        assert_eq!(mistyped.errors[0].fix, "did you mean `not_found`?");
        let foreign = SandboxOutcome::parse("xyz").unwrap_err();
        assert!(foreign.errors[0].fix.contains("insufficient_credits"));
    }
}
