//! Finding somebody's address at their company: those that are known first, then those their colleagues' addresses suggest.

use super::verify::domain_knowledge;
use super::{Freshness, Mailroom, Verification};
use crate::EngineError;
use crate::finder::{
    Answer, Candidate, CatchAll, Example, Habits, Heard, MailServer, Next, Setting, candidates, next_step,
};
use crate::upstream::Trail;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{FINDER_KNOWN_MAX, FINDER_PROBES_MAX, MAIL_DEADLINE};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Confidence, Domain, Email, PersonName};
use assay_mailbox::{Checked, Reason, check_email};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Less sure than this, an address at a domain that takes everything is not given.
const CATCH_ALL_ENOUGH: Confidence = Confidence::percent(80);
/// How sure it is that an address somebody was listed with is theirs, when its server has it; and when the server would take
/// any.
const KNOWN_VALID: Confidence = Confidence::percent(97);
const KNOWN_CATCH_ALL: Confidence = Confidence::percent(85);

/// Whose address is looked for, and what is known beforehand.
#[derive(Debug, Clone)]
pub struct AddressQuery {
    pub name: PersonName,
    /// Where they work; nothing to guess without it.
    pub domain: Option<Domain>,
    pub setting: Setting,
    /// Addresses they were listed with, best first.
    pub known: Vec<Email>,
    /// Addresses of their colleagues.
    pub examples: Vec<Example>,
    pub freshness: Freshness,
}

/// An address, and why it is believed to be theirs.
#[derive(Debug, Clone)]
pub struct AddressFound {
    pub email: Email,
    pub verification: Verification,
    pub confidence: Confidence,
    /// That a server which tells mailboxes apart has it, and that it is hardly a namesake's.
    pub is_verified: bool,
    /// Whether they were listed with it; else it was worked out, or said by a vendor.
    pub is_known: bool,
    /// Whose word it is, where a vendor's.
    pub provider: Option<Arc<str>>,
    /// Whether the account's own key was paid for it.
    pub is_own_key: bool,
}

/// What came of a search.
#[derive(Debug, Clone, Default)]
pub struct AddressSearch {
    pub found: Option<AddressFound>,
    /// When an answer that was put off is asked for again: another search may then find more.
    pub retry_at: Option<DateTime<Utc>>,
    /// Whether a server was asked now, not only what is kept.
    pub has_asked: bool,
    /// Whether nothing could be told of an address they were listed with: then none is worked out instead.
    is_open: bool,
    /// Who keeps the mail of the domain, as far as was seen on the way.
    pub(crate) mail_provider: Option<String>,
    /// Which vendors were asked.
    pub trail: Trail,
}

impl AddressSearch {
    fn note(&mut self, verification: &Verification) {
        self.has_asked |= !verification.is_kept;
        self.retry_at = self.retry_at.max(verification.retry_at);
        if self.mail_provider.is_none() {
            self.mail_provider.clone_from(&verification.verdict.provider);
        }
    }

    fn with(self, found: AddressFound) -> Self {
        Self { found: Some(found), retry_at: None, ..self }
    }
}

impl Mailroom {
    /// Their business address, if one can be told with enough certainty.
    pub async fn find_address(
        &self,
        query: &AddressQuery,
        now: DateTime<Utc>,
    ) -> Result<AddressSearch, EngineError> {
        let watch = Stopwatch::start();
        let search = self.find_known(&query.known, query.freshness, now).await?;
        let is_settled = search.found.is_some() || search.is_open;
        match &query.domain {
            Some(domain) if !is_settled => self.guess(query, domain, search, watch, now).await,
            _ => Ok(search),
        }
    }

    /// The first of these addresses that still works.
    pub async fn find_known(
        &self,
        known: &[Email],
        freshness: Freshness,
        now: DateTime<Utc>,
    ) -> Result<AddressSearch, EngineError> {
        let watch = Stopwatch::start();
        let mut search = AddressSearch::default();
        for email in known.iter().take(FINDER_KNOWN_MAX) {
            let left = MAIL_DEADLINE.saturating_sub(watch.elapsed());
            let verification = self.verify_within(&check_email(email.clone()), freshness, left, now).await?;
            search.note(&verification);
            search.is_open |= verification.verdict.status == EmailStatus::Unknown;
            let (confidence, is_verified) = match verification.verdict.status {
                EmailStatus::Valid | EmailStatus::CatchAllValid => (KNOWN_VALID, true),
                EmailStatus::CatchAll => (KNOWN_CATCH_ALL, false),
                _ => continue,
            };
            let email = email.clone();
            return Ok(search.with(AddressFound {
                email,
                verification,
                confidence,
                is_verified,
                is_known: true,
                provider: None,
                is_own_key: false,
            }));
        }
        Ok(search)
    }

    async fn guess(
        &self,
        query: &AddressQuery,
        domain: &Domain,
        mut search: AddressSearch,
        watch: Stopwatch,
        now: DateTime<Utc>,
    ) -> Result<AddressSearch, EngineError> {
        let doubles = self.count_doubles(&query.name, domain).await?;
        let habits = Habits::learn(query.setting.clone(), &query.examples).with_doubles(doubles);
        let candidates = candidates(&query.name, &habits);
        let Some(mut server) = self.look_at_server(domain, &candidates, now).await? else {
            return Ok(search);
        };
        let mut heard: Vec<Heard> = Vec::new();
        // Each turn asks for one more candidate, or ends.
        for _ in 0..=FINDER_PROBES_MAX {
            let (local, certainty) = match next_step(&candidates, server, &heard) {
                Next::Probe(local) => (local, None),
                Next::Answer { local, confidence, verified } => (local, Some((confidence, verified))),
                Next::GiveUp => return Ok(search),
            };
            let left = MAIL_DEADLINE.saturating_sub(watch.elapsed());
            if left.is_zero() {
                return Ok(search);
            }
            let Ok(email) = Email::parse(&format!("{local}@{}", domain.as_str())) else { return Ok(search) };
            let checked = check_email(email);
            let verification = self.verify_within(&checked, query.freshness, left, now).await?;
            if verification.is_suppressed {
                return Ok(AddressSearch { retry_at: None, ..search });
            }
            search.note(&verification);
            if let Some((confidence, verified)) = certainty
                && let Some(found) = conclude(&checked, &verification, confidence, verified)
            {
                return Ok(search.with(found));
            }
            match verification.verdict.catch_all {
                Some(true) => server.catch_all = CatchAll::Yes,
                Some(false) => server.catch_all = CatchAll::No,
                None => {}
            }
            let answer = answer_of(&verification);
            if certainty.is_some() && answer == Answer::Unknown {
                return Ok(search);
            }
            if server.catch_all != CatchAll::Yes || answer == Answer::Absent {
                heard.push(Heard { local, answer });
            }
        }
        Ok(search)
    }

    /// How many others at the company have the very same name, of those whom everybody may see.
    async fn count_doubles(&self, name: &PersonName, domain: &Domain) -> Result<u32, EngineError> {
        let digest = self.identity.digest_name_at_domain(name, domain);
        let bearers = self.graph.sightings_by_digests(&[digest]).await?;
        let shared = bearers.iter().flatten().filter(|bearer| bearer.owner.is_none()).count();
        Ok(u32::try_from(shared.saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// What is known of the server of a domain; nothing where nobody takes its mail, or anybody can have an address there.
    async fn look_at_server(
        &self,
        domain: &Domain,
        candidates: &[Candidate],
        now: DateTime<Utc>,
    ) -> Result<Option<MailServer>, EngineError> {
        let first = candidates.first().map(|first| format!("{}@{}", first.local, domain.as_str()));
        let Some(email) = first.and_then(|first| Email::parse(&first).ok()) else { return Ok(None) };
        let checked = check_email(email);
        if checked.free_provider || checked.disposable.is_some() || !self.verifier.asks_servers() {
            return Ok(None);
        }
        let route = self.verifier.find_route(&checked).await;
        let Some(service) = route.service() else { return Ok(None) };
        if service.provider.is_some_and(|provider| provider.free) {
            return Ok(None);
        }
        let known = self.graph.known_mailbox(self.digest(&checked.email), checked.email.host()).await?;
        let catch_all = match domain_knowledge(&known, now).catch_all {
            Some(true) => CatchAll::Yes,
            Some(false) => CatchAll::No,
            None => CatchAll::Unknown,
        };
        Ok(Some(MailServer { catch_all, settles: service.operator.settles_by_rcpt() }))
    }
}

fn answer_of(verification: &Verification) -> Answer {
    let verdict = &verification.verdict;
    match (verdict.status, verdict.reason) {
        (EmailStatus::Valid | EmailStatus::CatchAllValid, _) | (_, Reason::MailboxFull) => Answer::Exists,
        (EmailStatus::Invalid, _) => Answer::Absent,
        _ => Answer::Unknown,
    }
}

/// An answer is given only for what its server takes, and at a domain that takes everything only if it is sure enough.
fn conclude(
    checked: &Checked,
    verification: &Verification,
    confidence: Confidence,
    verified: bool,
) -> Option<AddressFound> {
    let is_verified = match verification.verdict.status {
        EmailStatus::Valid | EmailStatus::CatchAllValid => verified,
        EmailStatus::CatchAll if confidence >= CATCH_ALL_ENOUGH => false,
        _ => return None,
    };
    let (email, verification) = (checked.email.clone(), verification.clone());
    Some(AddressFound {
        email,
        verification,
        confidence,
        is_verified,
        is_known: false,
        provider: None,
        is_own_key: false,
    })
}
