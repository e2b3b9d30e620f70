//! Plans: what an account may do and how much of it. The rows live in the database; these are their names and defaults.

use crate::Credits;
use std::fmt;
use std::str::FromStr;

/// A plan, in order of rights. A trial has Indie's rights for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    Trial,
    Indie,
    Starter,
    Pro,
    Scale,
}

/// What a plan gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Minor currency units a month.
    pub price_minor: i64,
    /// Granted once a month, or once for a trial.
    pub credits: Credits,
    pub requests_per_minute: u32,
}

impl Plan {
    pub const ALL: [Self; 5] = [Self::Trial, Self::Indie, Self::Starter, Self::Pro, Self::Scale];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Indie => "indie",
            Self::Starter => "starter",
            Self::Pro => "pro",
            Self::Scale => "scale",
        }
    }

    /// The terms a new installation starts with; an operator changes the rows, not this.
    pub const fn default_terms(self) -> Terms {
        let (price_minor, credits, requests_per_minute) = match self {
            Self::Trial => (0, 100, 120),
            Self::Indie => (1_500, 500, 120),
            Self::Starter => (5_000, 2_500, 300),
            Self::Pro => (20_000, 12_500, 1_000),
            Self::Scale => (100_000, 100_000, 6_000),
        };
        Terms { price_minor, credits: Credits::whole(credits), requests_per_minute }
    }

    /// Whether this plan may use what `needed` is the lowest plan for: a trial counts as Indie.
    pub fn allows(self, needed: Self) -> bool {
        let rights = if self == Self::Trial { Self::Indie } else { self };
        rights >= needed
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The text is no plan's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown plan; the plans are trial, indie, starter, pro, scale")]
pub struct UnknownPlan;

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Self, UnknownPlan> {
        Self::ALL.into_iter().find(|plan| plan.as_str() == text).ok_or(UnknownPlan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_has_the_rights_of_indie_and_no_more() {
        for needed in Plan::ALL {
            assert_eq!(Plan::Trial.allows(needed), Plan::Indie.allows(needed));
        }
        assert!(!Plan::Trial.allows(Plan::Starter));
        assert!(Plan::Scale.allows(Plan::Pro));
    }

    #[test]
    fn names_read_back() {
        for plan in Plan::ALL {
            assert_eq!(plan.as_str().parse(), Ok(plan));
        }
        assert!("gold".parse::<Plan>().is_err());
    }
}
