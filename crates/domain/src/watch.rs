//! What a list watches for: the things that happen to people and to companies.

use crate::signal::{Content, MoveKind};
use crate::{Digest, SignalId};
use chrono::{DateTime, Utc};
use std::str::FromStr;

/// Whom a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchKind {
    People,
    Companies,
}

impl WatchKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Companies => "companies",
        }
    }

    /// The numbers are stored.
    pub const fn number(self) -> i16 {
        match self {
            Self::People => 1,
            Self::Companies => 2,
        }
    }

    pub fn from_number(number: i16) -> Option<Self> {
        [Self::People, Self::Companies].into_iter().find(|kind| kind.number() == number)
    }
}

/// Something that happens to one who is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transition {
    JobChange,
    TitleChange,
    EngagementSpike,
    Funding,
    Acquisition,
    Hiring,
}

impl Transition {
    pub const ALL: [Self; 6] = [
        Self::JobChange,
        Self::TitleChange,
        Self::EngagementSpike,
        Self::Funding,
        Self::Acquisition,
        Self::Hiring,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobChange => "job_change",
            Self::TitleChange => "title_change",
            Self::EngagementSpike => "engagement_spike",
            Self::Funding => "funding",
            Self::Acquisition => "acquisition",
            Self::Hiring => "hiring",
        }
    }

    /// Whom it happens to.
    pub const fn of(self) -> WatchKind {
        match self {
            Self::JobChange | Self::TitleChange | Self::EngagementSpike => WatchKind::People,
            Self::Funding | Self::Acquisition | Self::Hiring => WatchKind::Companies,
        }
    }

    /// Each is a bit of what a list tracks. They are stored.
    pub const fn bit(self) -> i16 {
        match self {
            Self::JobChange => 1,
            Self::TitleChange => 2,
            Self::EngagementSpike => 4,
            Self::Funding => 8,
            Self::Acquisition => 16,
            Self::Hiring => 32,
        }
    }

    pub fn from_bit(bit: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|transition| transition.bit() == bit)
    }

    /// What a signal says has happened. Of engagement it says only that there was some: whether it is a spike, what came before
    /// tells.
    pub const fn told_by(content: &Content) -> Self {
        match content {
            Content::Funding(_) => Self::Funding,
            Content::Acquisition(_) => Self::Acquisition,
            Content::Hiring(_) => Self::Hiring,
            Content::Engagement(_) => Self::EngagementSpike,
            Content::JobChange(change) => match change.kind {
                MoveKind::NewCompany | MoveKind::Left => Self::JobChange,
                MoveKind::Promotion | MoveKind::NewRole => Self::TitleChange,
            },
        }
    }
}

impl FromStr for Transition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|transition| transition.as_str() == text).ok_or(())
    }
}

/// Something that happened to one who may be watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happening {
    /// A digest of who that is.
    pub subject: Digest,
    pub signal: SignalId,
    pub transition: Transition,
    pub occurred_at: DateTime<Utc>,
    pub detected_at: DateTime<Utc>,
}

/// What a list tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Track(i16);

impl Track {
    pub fn new(transitions: impl IntoIterator<Item = Transition>) -> Self {
        Self(transitions.into_iter().fold(0, |bits, transition| bits | transition.bit()))
    }

    /// All that can happen to one of the kind.
    pub fn all(kind: WatchKind) -> Self {
        Self::new(Transition::ALL.into_iter().filter(|transition| transition.of() == kind))
    }

    pub const fn from_bits(bits: i16) -> Self {
        Self(bits)
    }

    pub const fn bits(self) -> i16 {
        self.0
    }

    pub const fn has(self, transition: Transition) -> bool {
        self.0 & transition.bit() != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Transition> {
        Transition::ALL.into_iter().filter(move |transition| self.has(*transition))
    }
}

/// Whether somebody is talked about much more than before: as often within 30 days as in the 90 days before, which is three times
/// their monthly mean, and not by a handful.
pub const fn is_spike(last_30_days: u64, before_90_days: u64) -> bool {
    last_30_days >= SPIKE_MIN && last_30_days >= before_90_days
}

/// Fewer are no spike, however quiet it was before.
const SPIKE_MIN: u64 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_read_and_kept_as_they_are_called() {
        for transition in Transition::ALL {
            assert_eq!(transition.as_str().parse(), Ok(transition));
            assert_eq!(Transition::from_bit(transition.bit()), Some(transition));
            assert!(Track::all(transition.of()).has(transition));
        }
        assert_eq!(Track::all(WatchKind::People).bits() & Track::all(WatchKind::Companies).bits(), 0);
        assert_eq!(Track::new([Transition::Hiring]).iter().collect::<Vec<_>>(), [Transition::Hiring]);
        assert_eq!(Transition::from_bit(3), None);
    }

    #[test]
    fn a_spike_is_three_monthly_means_and_five() {
        assert!(is_spike(5, 5) && is_spike(5, 0) && is_spike(30, 30));
        assert!(!is_spike(4, 0) && !is_spike(29, 30) && !is_spike(5, 6));
    }
}
