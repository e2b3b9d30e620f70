//! Counts what clients did to a scripted server.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Stopwatch;

/// What clients did to one scripted server so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Connections taken.
    pub taken: u64,
    /// Connections open now.
    pub open: u64,
    /// The most that were open at once.
    pub open_max: u64,
    /// Commands that would have sent a message, which a verifier never does.
    pub data_commands: u64,
    /// From the first connection to the last.
    pub span: Duration,
}

/// The counters behind a [`Tally`].
#[derive(Debug, Default)]
pub(super) struct Counts {
    taken: AtomicU64,
    open: AtomicU64,
    open_max: AtomicU64,
    data_commands: AtomicU64,
    since_first: OnceLock<Stopwatch>,
    last_after_us: AtomicU64,
}

impl Counts {
    /// Says the connection's number, the first being 1.
    pub(super) fn open(&self) -> u64 {
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.open_max.fetch_max(open, Ordering::Relaxed);
        let after = self.since_first.get_or_init(Stopwatch::start).elapsed().as_micros();
        self.last_after_us.fetch_max(u64::try_from(after).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.taken.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn close(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn note_data(&self) {
        self.data_commands.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            taken: self.taken.load(Ordering::Relaxed),
            open: self.open.load(Ordering::Relaxed),
            open_max: self.open_max.load(Ordering::Relaxed),
            data_commands: self.data_commands.load(Ordering::Relaxed),
            span: Duration::from_micros(self.last_after_us.load(Ordering::Relaxed)),
        }
    }
}
