//! From what DNS and a server said to a verdict: pure, so that every rule can be tried without a server.

use crate::address::Checked;
use crate::classify::{Complaint, Meaning, names_no_mailbox};
use crate::exchange::Exchanges;
use crate::probe::{Ended, Probed, RecipientAnswer};
use crate::provider::{Doubt, MailService, Operator};
use crate::reply::EnhancedCode;

use super::{DomainKnowledge, Reason, Retry, Verdict};

/// What was found out, as far as the verdict depends on it.
struct Finding {
    reason: Reason,
    catch_all: Option<bool>,
    retry: Option<Retry>,
}

impl From<Reason> for Finding {
    fn from(reason: Reason) -> Self {
        Self { reason, catch_all: None, retry: None }
    }
}

impl Finding {
    fn again(reason: Reason, retry: Retry) -> Self {
        Self { retry: Some(retry), ..reason.into() }
    }

    fn catch_all() -> Self {
        Self { catch_all: Some(true), ..Reason::CatchAll.into() }
    }
}

/// Nothing probed for a domain that has exchanges means that DNS would not tell where they stand. Everyone who was
/// answered beside the address itself is a stranger.
pub fn judge(
    checked: &Checked,
    exchanges: &Exchanges,
    service: Option<&MailService>,
    probed: Option<&Probed>,
    known: DomainKnowledge,
) -> Verdict {
    if checked.disposable.is_some() {
        return Verdict::of_checked(Reason::Disposable, checked);
    }
    let (mx_found, finding) = match exchanges {
        Exchanges::NoDomain => (Some(false), Reason::NoDomain.into()),
        Exchanges::NullMx => (Some(false), Reason::NullMx.into()),
        Exchanges::Nothing => (Some(false), Reason::NoMailServer.into()),
        Exchanges::Failed(_) => (None, Reason::DnsFailed.into()),
        Exchanges::Hosts(_) | Exchanges::Implicit => {
            let finding = probed.map(|probed| find(checked, service, probed, known));
            (Some(true), finding.unwrap_or_else(|| Reason::DnsFailed.into()))
        }
    };
    let verdict = Verdict::of_checked(finding.reason, checked);
    let provider = service.and_then(|service| service.provider);
    Verdict {
        mx_found,
        provider: provider.map(|provider| provider.name.to_owned()),
        gateway: service.and_then(|service| service.gateway).map(|gateway| gateway.name.to_owned()),
        operator: operator(service, probed),
        catch_all: finding.catch_all.or(known.catch_all),
        free_provider: checked.free_provider || provider.is_some_and(|provider| provider.free),
        retry: finding.retry,
        blames_us: probed.is_some_and(blames_us),
        ..verdict
    }
}

/// Of the host that was asked, which need not be the best.
fn operator(service: Option<&MailService>, probed: Option<&Probed>) -> Option<Operator> {
    let asked = probed.filter(|probed| !probed.host.is_empty());
    asked.map(|probed| Operator::of_host(&probed.host)).or_else(|| Some(service?.operator.clone()))
}

fn blames_us(probed: &Probed) -> bool {
    let refused = matches!(probed.ended, Ended::Refused(meaning) if meaning.is_about_us());
    refused || probed.recipients.iter().any(|answer| answer.meaning.is_about_us())
}

fn find(
    checked: &Checked,
    service: Option<&MailService>,
    probed: &Probed,
    known: DomainKnowledge,
) -> Finding {
    let Some(own) = probed.recipients.iter().find(|answer| answer.email == checked.email) else {
        return find_by_end(probed.ended, Reason::NotAsciiOnly);
    };
    match own.meaning {
        Meaning::Accepted => find_taken(Reason::Accepted, checked, service, probed, known),
        Meaning::ReceivingTooFast => find_taken(Reason::ReceivingTooFast, checked, service, probed, known),
        Meaning::NoSuchMailbox => Reason::NoSuchMailbox.into(),
        Meaning::MailboxDisabled => Reason::MailboxDisabled.into(),
        Meaning::MailboxFull => Reason::MailboxFull.into(),
        unsettled => find_unsettled(unsettled),
    }
}

/// The address was taken, which says something only where not everyone is.
fn find_taken(
    taken: Reason,
    checked: &Checked,
    service: Option<&MailService>,
    probed: &Probed,
    known: DomainKnowledge,
) -> Finding {
    let of_service = service.and_then(|service| service.operator.doubt());
    match Operator::of_host(&probed.host).doubt().or(of_service) {
        Some(Doubt::BouncesLater) => return Reason::CannotBeTold.into(),
        Some(Doubt::TakesEverything) => return Finding::catch_all(),
        None => {}
    }
    match known.catch_all {
        Some(true) => return Finding::catch_all(),
        Some(false) => return taken.into(),
        None => {}
    }
    let strangers: Vec<&RecipientAnswer> =
        probed.recipients.iter().filter(|answer| answer.email != checked.email).collect();
    // Before a gateway that need not be asked, there may still be mailboxes that take everything.
    let is_spared = service.is_some_and(|service| service.skip_catch_all_probe && service.gateway.is_none());
    if is_spared && strangers.is_empty() {
        return taken.into();
    }
    find_by_strangers(taken, &strangers, probed.ended)
}

fn find_by_strangers(taken: Reason, strangers: &[&RecipientAnswer], ended: Ended) -> Finding {
    let told: Vec<Told> = strangers.iter().map(|answer| Told::of(answer)).collect();
    let taken_count = told.iter().filter(|told| **told == Told::Taken).count();
    let is_any_refused = told.contains(&Told::Refused);
    if taken_count >= 2 && taken_count == told.len() {
        return Finding::catch_all();
    }
    if taken_count == 0 && is_any_refused {
        return Finding { catch_all: Some(false), ..taken.into() };
    }
    // One was taken and one refused: such a server's word is worth little, now and later.
    if is_any_refused {
        return Reason::CatchAllUnknown.into();
    }
    let open = told.iter().find_map(|told| match told {
        Told::Open(meaning) => Some(find_unsettled(*meaning)).filter(is_telling),
        _ => None,
    });
    match open {
        Some(finding) => finding,
        None if told.is_empty() => find_by_end(ended, Reason::CatchAllUnknown),
        None => Reason::CatchAllUnknown.into(),
    }
}

/// Whether it tells more than that strangers were not taken like the address itself.
fn is_telling(finding: &Finding) -> bool {
    finding.retry.is_some() || finding.reason == Reason::OurReputation
}

/// What became of a stranger.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Taken,
    Refused,
    Open(Meaning),
}

impl Told {
    fn of(answer: &RecipientAnswer) -> Self {
        match answer.meaning {
            Meaning::Accepted | Meaning::ReceivingTooFast | Meaning::MailboxFull => Self::Taken,
            Meaning::NoSuchMailbox | Meaning::MailboxDisabled => Self::Refused,
            Meaning::Deferred if is_refused_for_now(answer) => Self::Refused,
            open => Self::Open(open),
        }
    }
}

/// A gateway that asks the server behind it often passes a refusal on as "not now", with the code for a mailbox that
/// is not there and the words of the other server. That tells strangers from the address it took; the code alone would
/// not, since it stands as well for a server behind that cannot be reached.
fn is_refused_for_now(answer: &RecipientAnswer) -> bool {
    let is_of_mailbox =
        matches!(answer.enhanced, Some(EnhancedCode { class: 4, subject: 1, detail: 0 | 1 | 6 }));
    is_of_mailbox && names_no_mailbox(answer.text.as_str())
}

/// What is not a word on the mailbox.
fn find_unsettled(meaning: Meaning) -> Finding {
    match meaning {
        Meaning::Greylisted => Finding::again(Reason::Greylisted, Retry::Greylisted),
        // Said of no recipient, or of a server's own storage.
        Meaning::Deferred | Meaning::SessionLimit | Meaning::MailboxFull | Meaning::ReceivingTooFast => {
            Finding::again(Reason::Deferred, Retry::Deferred)
        }
        Meaning::OurReputation(Complaint::Rate) => Finding::again(Reason::OurReputation, Retry::Deferred),
        Meaning::OurReputation(_) => Reason::OurReputation.into(),
        Meaning::NoMailHere => Reason::NoMailHere.into(),
        Meaning::NeedsTls => Reason::TlsFailed.into(),
        Meaning::PolicyOther | Meaning::NoSuchMailbox | Meaning::MailboxDisabled => Reason::Policy.into(),
        Meaning::Malformed | Meaning::Accepted => Reason::NotUnderstood.into(),
    }
}

/// Why somebody was not answered for; `quietly` where the server did all it was asked to.
fn find_by_end(ended: Ended, quietly: Reason) -> Finding {
    match ended {
        Ended::Normally => quietly.into(),
        Ended::HungUp => Reason::HungUp.into(),
        Ended::Deadline => Reason::TimedOut.into(),
        Ended::Refused(meaning) => find_unsettled(meaning),
        Ended::Unreachable(_) => Reason::Unreachable.into(),
        Ended::OutOfStep => Reason::NotUnderstood.into(),
    }
}
