//! The mailroom: is this address real, and which address is theirs. What servers said is kept, and nobody is asked faster than
//! their pace allows, by however many processes.

mod asked;
mod find;
mod pace_book;
mod reputation;
mod retry;
mod turns;
mod verify;

pub use find::{AddressFound, AddressQuery, AddressSearch};
pub use pace_book::{PaceBook, PaceBookError};
pub use reputation::Blocklists;
pub use retry::{Postponed, RetryEnd};
pub use verify::{Freshness, Verification};

use assay_domain::limits::MAIL_RETRY_AFTER;
use assay_domain::{Digest, Email, IdentityKey};
use assay_mailbox::Verifier;
use assay_store::{Graph, Jobs};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use turns::Turns;

/// What an operator of this installation may set about it.
#[derive(Debug, Clone)]
pub struct MailSettings {
    pub paces: PaceBook,
    /// For tests: the waits before an address is asked for again are divided by it.
    pub time_scale: NonZeroU32,
    /// Where our own address is looked up, if anywhere.
    pub blocklists: Option<Blocklists>,
}

impl Default for MailSettings {
    fn default() -> Self {
        Self { paces: PaceBook::default(), time_scale: NonZeroU32::MIN, blocklists: None }
    }
}

/// Verifies and finds addresses. Cheap to clone; clones keep one pace.
#[derive(Debug, Clone)]
pub struct Mailroom {
    graph: Graph,
    /// Where those wait whom a server put off.
    jobs: Jobs,
    identity: IdentityKey,
    verifier: Verifier,
    turns: Arc<Turns>,
    time_scale: NonZeroU32,
    blocklists: Option<Blocklists>,
}

impl Mailroom {
    pub fn new(
        graph: Graph,
        jobs: Jobs,
        identity: IdentityKey,
        verifier: Verifier,
        settings: MailSettings,
    ) -> Self {
        let MailSettings { paces, time_scale, blocklists } = settings;
        let turns = Arc::new(Turns::new(graph.clone(), paces));
        Self { graph, jobs, identity, verifier, turns, time_scale, blocklists }
    }

    fn digest(&self, email: &Email) -> Digest {
        self.identity.digest_email(email)
    }

    /// How long to wait with an address that was put off so many times before; nothing when that was often enough.
    fn wait_after(&self, put_off: i16) -> Option<Duration> {
        let times = usize::try_from(put_off).unwrap_or(usize::MAX);
        MAIL_RETRY_AFTER.get(times).map(|wait| *wait / self.time_scale.get())
    }
}
