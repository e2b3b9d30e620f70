//! Counts what clients did to a scripted server.

use std::sync::atomic::{AtomicU64, Ordering};

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
}

/// The counters behind a [`Tally`].
#[derive(Debug, Default)]
pub(super) struct Counts {
    taken: AtomicU64,
    open: AtomicU64,
    open_max: AtomicU64,
    data_commands: AtomicU64,
}

impl Counts {
    pub(super) fn open(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.open_max.fetch_max(open, Ordering::Relaxed);
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
        }
    }
}
