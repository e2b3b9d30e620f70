//! The verdict on an address: what is said of it, why, and how sure that is.
//!
//! Two mistakes harm whoever believes them: calling an address that receives mail invalid, and calling one valid that
//! does not exist. So both are said only when a server said so plainly; whatever else happens ends in another word.

mod judge;
mod strangers;
mod verifier;

#[cfg(test)]
mod tests;

use assay_domain::Email;
use assay_domain::taxonomy::EmailStatus;

use crate::address::{Checked, mend};
use crate::provider::Operator;

pub use judge::judge;
pub use strangers::draw_strangers;
pub use verifier::{Route, Verifier};

/// What was learnt of a domain before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DomainKnowledge {
    /// Whether it takes mail for everyone; asked anew where it is not known.
    pub catch_all: Option<bool>,
}

/// Why an address has its status; each reason stands for one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    Accepted,
    /// The mailbox is sent more than the server takes, which it says only of one that exists.
    ReceivingTooFast,
    /// Everyone is accepted there.
    CatchAll,
    /// Accepted, but it cannot be told whether everyone is.
    CatchAllUnknown,
    MailboxFull,
    NoSuchMailbox,
    MailboxDisabled,
    /// The domain names nobody who takes its mail, and has no address of its own.
    NoMailServer,
    /// The domain says that it takes no mail.
    NullMx,
    NoDomain,
    /// The text is no address.
    Syntax,
    Disposable,
    /// Accepted by someone who accepts first and sends a bounce later.
    CannotBeTold,
    Greylisted,
    Deferred,
    /// The server complains of us.
    OurReputation,
    /// A rule of theirs of which it is not clear whom it is about.
    Policy,
    /// The server says that it does not take mail for the domain, though the domain names it.
    NoMailHere,
    /// Encryption is wanted, and fails.
    TlsFailed,
    /// The name of the mailbox is not ASCII, and the server has no way to be asked for such.
    NotAsciiOnly,
    /// What the server said was no answer to what it was asked.
    NotUnderstood,
    HungUp,
    TimedOut,
    Unreachable,
    DnsFailed,
    /// Nobody asked: this installation has no way to mail servers.
    NotAsked,
    /// Nobody asked yet: the operator is asked no faster than its pace allows.
    Paced,
}

impl Reason {
    pub const ALL: &[Self] = &[
        Self::Accepted,
        Self::ReceivingTooFast,
        Self::CatchAll,
        Self::CatchAllUnknown,
        Self::MailboxFull,
        Self::NoSuchMailbox,
        Self::MailboxDisabled,
        Self::NoMailServer,
        Self::NullMx,
        Self::NoDomain,
        Self::Syntax,
        Self::Disposable,
        Self::CannotBeTold,
        Self::Greylisted,
        Self::Deferred,
        Self::OurReputation,
        Self::Policy,
        Self::NoMailHere,
        Self::TlsFailed,
        Self::NotAsciiOnly,
        Self::NotUnderstood,
        Self::HungUp,
        Self::TimedOut,
        Self::Unreachable,
        Self::DnsFailed,
        Self::NotAsked,
        Self::Paced,
    ];

    /// The word in an answer, its status, and how likely mail arrives, of 100.
    const fn row(self) -> (&'static str, EmailStatus, u8) {
        use EmailStatus::{CatchAll, Disposable, Invalid, Risky, Unknown, Valid};
        match self {
            Self::Accepted => ("accepted", Valid, 97),
            Self::ReceivingTooFast => ("receiving_too_fast", Valid, 92),
            Self::CatchAll => ("catch_all", CatchAll, 55),
            Self::CatchAllUnknown => ("catch_all_unknown", Risky, 60),
            Self::MailboxFull => ("mailbox_full", Risky, 30),
            Self::NoSuchMailbox => ("no_such_mailbox", Invalid, 1),
            Self::MailboxDisabled => ("mailbox_disabled", Invalid, 3),
            Self::NoMailServer => ("no_mail_server", Invalid, 1),
            Self::NullMx => ("null_mx", Invalid, 0),
            Self::NoDomain => ("no_domain", Invalid, 0),
            Self::Syntax => ("syntax", Invalid, 0),
            Self::Disposable => ("disposable", Disposable, 10),
            Self::CannotBeTold => ("cannot_be_told", Unknown, 55),
            Self::Greylisted => ("greylisted", Unknown, 50),
            Self::Deferred => ("deferred", Unknown, 45),
            Self::OurReputation => ("our_reputation", Unknown, 50),
            Self::Policy => ("policy", Unknown, 35),
            Self::NoMailHere => ("no_mail_here", Unknown, 15),
            Self::TlsFailed => ("tls_failed", Unknown, 45),
            Self::NotAsciiOnly => ("not_ascii_only", Unknown, 20),
            Self::NotUnderstood => ("not_understood", Unknown, 35),
            Self::HungUp => ("hung_up", Unknown, 40),
            Self::TimedOut => ("timed_out", Unknown, 35),
            Self::Unreachable => ("unreachable", Unknown, 20),
            Self::DnsFailed => ("dns_failed", Unknown, 20),
            Self::NotAsked => ("not_asked", Unknown, 50),
            Self::Paced => ("paced", Unknown, 50),
        }
    }

    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The reason that a word in an answer stands for.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == word)
    }

    pub const fn status(self) -> EmailStatus {
        self.row().1
    }

    pub const fn score(self) -> u8 {
        self.row().2
    }

    const fn mailbox_exists(self) -> Option<bool> {
        match self {
            Self::Accepted | Self::ReceivingTooFast | Self::MailboxFull => Some(true),
            Self::NoSuchMailbox | Self::NoMailServer | Self::NullMx | Self::NoDomain | Self::Syntax => {
                Some(false)
            }
            // One that is disabled was there once, or will be.
            _ => None,
        }
    }
}

/// What the server asked for when it put us off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// It takes whoever comes back after some minutes, with the same sender from the same address.
    Greylisted,
    Deferred,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub status: EmailStatus,
    pub reason: Reason,
    /// How likely mail arrives, of 100.
    pub score: u8,
    /// Whether somebody takes the domain's mail, be it the domain itself.
    pub mx_found: Option<bool>,
    pub provider: Option<String>,
    pub gateway: Option<String>,
    /// Who was asked, or would have been: whom blame and pace are about.
    pub operator: Option<Operator>,
    pub mailbox_exists: Option<bool>,
    /// Worth remembering for the domain.
    pub catch_all: Option<bool>,
    pub disposable: bool,
    pub free_provider: bool,
    pub generic: bool,
    pub full_inbox: Option<bool>,
    pub disabled: Option<bool>,
    pub did_you_mean: Option<Email>,
    /// Asking again later may tell more.
    pub retry: Option<Retry>,
    /// The server complained of us, and is to be left alone for a while.
    pub blames_us: bool,
}

impl Verdict {
    /// On a text that is no address.
    pub fn of_text(text: &str) -> Self {
        let unlisted =
            Listed { disposable: false, free_provider: false, generic: false, did_you_mean: mend(text) };
        Self::of(Reason::Syntax, unlisted)
    }

    fn of_checked(reason: Reason, checked: &Checked) -> Self {
        let listed = Listed {
            disposable: checked.disposable.is_some(),
            free_provider: checked.free_provider,
            generic: checked.generic,
            did_you_mean: checked.did_you_mean.clone(),
        };
        Self::of(reason, listed)
    }

    /// As it was, from what is kept of one: the rest follows from the address and the reason.
    pub fn recalled(checked: &Checked, kept: Recalled) -> Self {
        let Recalled { reason, mx_found, provider, free_provider, catch_all } = kept;
        let verdict = Self::of_checked(reason, checked);
        let free_provider = free_provider || verdict.free_provider;
        Self { mx_found, provider, free_provider, catch_all, ..verdict }
    }

    /// The same of the domain, with another word on the mailbox.
    fn because(self, reason: Reason) -> Self {
        let listed = Listed {
            disposable: self.disposable,
            free_provider: self.free_provider,
            generic: self.generic,
            did_you_mean: self.did_you_mean,
        };
        let Self { mx_found, provider, gateway, operator, catch_all, .. } = self;
        Self { mx_found, provider, gateway, operator, catch_all, ..Self::of(reason, listed) }
    }

    /// With all that follows from the reason alone.
    fn of(reason: Reason, listed: Listed) -> Self {
        let exists = reason.mailbox_exists();
        Self {
            status: reason.status(),
            reason,
            score: reason.score(),
            mx_found: None,
            provider: None,
            gateway: None,
            operator: None,
            mailbox_exists: exists,
            catch_all: None,
            disposable: listed.disposable,
            free_provider: listed.free_provider,
            generic: listed.generic,
            full_inbox: match reason {
                Reason::MailboxFull => Some(true),
                Reason::Accepted => Some(false),
                _ => None,
            },
            disabled: match reason {
                Reason::MailboxDisabled => Some(true),
                _ if exists == Some(true) => Some(false),
                _ => None,
            },
            did_you_mean: listed.did_you_mean,
            retry: None,
            blames_us: false,
        }
    }
}

/// What was kept of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    pub reason: Reason,
    pub mx_found: Option<bool>,
    pub provider: Option<String>,
    pub free_provider: bool,
    pub catch_all: Option<bool>,
}

/// What the lists say of an address.
struct Listed {
    disposable: bool,
    free_provider: bool,
    generic: bool,
    did_you_mean: Option<Email>,
}
