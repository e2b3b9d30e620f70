//! Is this address real: what can be told of one without a connection, who takes its mail, and what their server says of it.
//!
//! Asks DNS and speaks SMTP; knows nothing of accounts, storage or prices. Mail is never sent: a session ends before DATA.

mod address;
mod lists;
mod typo;

pub use address::{Checked, check, check_email, mend};
pub use lists::Disposable;

mod classify;
mod error;
mod probe;
mod reply;
mod session;

pub use classify::{Complaint, Meaning, Stage, classify};
pub use error::MailboxError;
pub use probe::{Ended, MailHost, Patience, ProbeSettings, Probed, Prober, RecipientAnswer, Unreachable};
pub use reply::{EnhancedCode, Garbled, Reply, ReplyReader, ReplyText};

mod blocklist;
mod exchange;
mod pace;
mod provider;

pub use blocklist::{BLOCKLIST_ZONES, Listing, WhyUnknown, look_up};
pub use exchange::{Dns, DnsFailure, DnsSettings, Exchange, Exchanges};
pub use pace::{Pace, PaceOutcome, PaceRules, Permit};
pub use provider::{Class, Doubt, MailService, Operator, Provider};

mod verdict;

pub use verdict::{
    DomainKnowledge, Reason, Recalled, Retry, Route, Verdict, Verifier, draw_strangers, judge,
};

#[cfg(feature = "fuzzing")]
pub mod fuzzing;
