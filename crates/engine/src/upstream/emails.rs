//! Addresses from vendors. A vendor's word is not enough where a mail server can be asked: then its own verdict counts.

use super::cascade::{Said, Trail};
use super::kept::{Memory, Remembered};
use super::verdicts::verdict_said;
use crate::mail::{AddressFound, AddressSearch, Freshness};
use crate::{Engine, EngineError};
use assay_domain::limits::{EMAILS_JUDGED_MAX, MAIL_VERDICT_FRESH};
use assay_domain::person::EmailKind;
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{AccountId, Confidence, Digest, Email, Lookup};
use assay_mailbox::{Reason, check_email};
use assay_sources::{FoundEmail, Question, Subject};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How sure it is that an address is theirs which a vendor names and whose server has it, where the vendor does not say; and
/// where the server would take any.
const SAID_VALID: Confidence = Confidence::percent(93);
const SAID_CATCH_ALL: Confidence = Confidence::percent(82);
/// Less sure than this of an address at a domain that takes everything, a vendor is not believed.
const CATCH_ALL_ENOUGH: Confidence = Confidence::percent(80);

/// Whose address vendors are asked for.
#[derive(Debug, Clone)]
pub struct EmailAsk {
    /// `WorkEmail` or `PersonalEmail`.
    pub lookup: Lookup,
    pub subject: Subject,
    /// What the graph knows them by.
    pub question: Digest,
    pub asker: AccountId,
    pub freshness: Freshness,
}

/// A find as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptEmail {
    address: Email,
    #[serde(default)]
    status: Option<EmailStatus>,
    #[serde(default)]
    confidence: Option<Confidence>,
}

impl Engine {
    /// Goes on where our own search has found nothing.
    pub(crate) async fn find_email_upstream(
        &self,
        ask: &EmailAsk,
        search: &mut AddressSearch,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok(()) };
        let about = self.about(&ask.subject);
        let asked =
            Remembered { lookup: ask.lookup, question: ask.question, about: &about, asker: ask.asker, now };
        match upstreams.recall::<KeptEmail>(&asked, Some(MAIL_VERDICT_FRESH)).await? {
            Memory::Suppressed | Memory::Missed => return Ok(()),
            Memory::Nothing => {}
            Memory::Found { value, provider, asked_at } => {
                let is_own_key = self.is_own_key(&provider, ask.asker);
                let found = self.take_email(ask, &value, Arc::from(provider), asked_at).await?;
                if let Some(found) = found {
                    search.found = Some(AddressFound { is_own_key, ..found });
                    return Ok(());
                }
            }
        }
        let question = Question { lookup: ask.lookup, subject: ask.subject.clone() };
        let mut cascade =
            upstreams.cascade(question, &ask.segment(search.mail_provider.as_deref()), ask.asker);
        while let Some(said) = cascade.next().await {
            let taken = self.first_email(ask, &said, now).await?;
            cascade.judge(&said, taken.is_some());
            let Some((kept, found)) = taken else { continue };
            let digest = self.identity.digest_email(&kept.address);
            upstreams.remember(&asked, &said, &kept, &[digest]).await?;
            search.found = Some(AddressFound { is_own_key: said.is_own_key, ..found });
            search.retry_at = None;
            break;
        }
        let trail: Trail = cascade.finish();
        if search.found.is_none() {
            upstreams.remember_miss(&asked, &trail).await?;
        }
        search.trail = trail;
        Ok(())
    }

    async fn first_email(
        &self,
        ask: &EmailAsk,
        said: &Said,
        now: DateTime<Utc>,
    ) -> Result<Option<(KeptEmail, AddressFound)>, EngineError> {
        let wanted = |found: &&FoundEmail| ask.wants(found);
        for email in said.answer.emails.iter().filter(wanted).take(EMAILS_JUDGED_MAX) {
            let FoundEmail { address, status, confidence, .. } = email.clone();
            let kept = KeptEmail { address, status, confidence: confidence.or(said.answer.confidence) };
            let name = Arc::clone(&said.provider.name);
            if let Some(found) = self.take_email(ask, &kept, name, now).await? {
                return Ok(Some((kept, found)));
            }
        }
        Ok(None)
    }

    /// The address, if its server has it, or the vendor is sure of it and nobody can say otherwise.
    async fn take_email(
        &self,
        ask: &EmailAsk,
        said: &KeptEmail,
        provider: Arc<str>,
        said_at: DateTime<Utc>,
    ) -> Result<Option<AddressFound>, EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok(None) };
        if upstreams.is_suppressed(&[self.identity.digest_email(&said.address)]).await? {
            return Ok(None);
        }
        let checked = check_email(said.address.clone());
        let mut verification = self.verify_by_server(&checked, ask.freshness, said_at).await?;
        let vouched = matches!(said.status, Some(EmailStatus::Valid | EmailStatus::CatchAllValid));
        let (confidence, is_verified) = match verification.verdict.status {
            EmailStatus::Valid | EmailStatus::CatchAllValid => {
                (said.confidence.map_or(SAID_VALID, |it| it.max(SAID_VALID)), true)
            }
            EmailStatus::CatchAll => {
                let own =
                    said.confidence.unwrap_or(if vouched { SAID_CATCH_ALL } else { Confidence::percent(0) });
                (own, false)
            }
            EmailStatus::Unknown if vouched && !verification.is_suppressed => {
                verification.verdict = verdict_said(&checked, Reason::Accepted, None);
                verification.verified_at = said_at;
                verification.retry_at = None;
                (said.confidence.unwrap_or(SAID_VALID), true)
            }
            _ => return Ok(None),
        };
        Ok((is_verified || confidence >= CATCH_ALL_ENOUGH).then(|| AddressFound {
            email: said.address.clone(),
            verification,
            confidence,
            is_verified,
            is_known: false,
            provider: Some(provider),
            is_own_key: false,
        }))
    }
}

impl EmailAsk {
    /// Work and private are not mixed up, whatever a vendor calls them.
    fn wants(&self, found: &FoundEmail) -> bool {
        let is_private =
            found.kind == EmailKind::Personal || check_email(found.address.clone()).free_provider;
        is_private == (self.lookup == Lookup::PersonalEmail)
    }

    /// Vendors are good in some countries, and at some mail providers.
    fn segment(&self, mail_provider: Option<&str>) -> String {
        format!("{}/{}", self.subject.country.as_deref().unwrap_or("-"), mail_provider.unwrap_or("-"))
    }
}
