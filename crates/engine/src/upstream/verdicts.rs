//! Verdicts of vendors, for addresses of which no mail server says anything to us.

use super::kept::{Memory, Remembered};
use crate::mail::{Freshness, Verification};
use crate::{Engine, EngineError};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{AccountId, Lookup};
use assay_mailbox::{Checked, Reason, Recalled, Verdict};
use assay_sources::{Question, Subject, VerdictSaid};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A vendor's verdict as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptVerdictSaid {
    reason: String,
    #[serde(default)]
    catch_all: Option<bool>,
}

impl Engine {
    /// Goes on where our own question has told nothing.
    pub(crate) async fn verify_upstream(
        &self,
        checked: &Checked,
        own: Verification,
        freshness: Freshness,
        (asker, now): (AccountId, DateTime<Utc>),
    ) -> Result<Verification, EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok(own) };
        let digest = self.identity.digest_email(&checked.email);
        let about = [digest];
        let asked = Remembered { lookup: Lookup::Verify, question: digest, about: &about, asker, now };
        match upstreams.recall::<KeptVerdictSaid>(&asked, Some(freshness.longest())).await? {
            Memory::Suppressed => return Ok(own),
            Memory::Found { value, provider, asked_at } => {
                if let Some(reason) = Reason::named(&value.reason) {
                    let verdict = verdict_said(checked, reason, value.catch_all);
                    let kept = Verification::of(verdict, asked_at);
                    let is_own_key = self.is_own_key(&provider, asker);
                    let provider = Some(Arc::from(provider));
                    return Ok(Verification { is_kept: true, provider, is_own_key, ..kept });
                }
            }
            Memory::Missed | Memory::Nothing => {}
        }
        let subject = Subject { email: Some(checked.email.clone()), ..Subject::default() };
        let question = Question { lookup: Lookup::Verify, subject };
        let segment = own.verdict.provider.clone().unwrap_or_else(|| "-".to_owned());
        let mut cascade = upstreams.cascade(question, &segment, asker);
        let mut verification = own;
        while let Some(said) = cascade.next().await {
            let told = said.answer.verdict.as_ref().and_then(reason_of);
            cascade.judge(&said, told.is_some());
            let Some((reason, catch_all)) = told else { continue };
            let kept = KeptVerdictSaid { reason: reason.as_str().to_owned(), catch_all };
            upstreams.remember(&asked, &said, &kept, &[]).await?;
            let verdict = verdict_said(checked, reason, catch_all);
            let provider = Some(Arc::clone(&said.provider.name));
            let is_own_key = said.is_own_key;
            verification = Verification { provider, is_own_key, ..Verification::of(verdict, now) };
            break;
        }
        verification.trail = cascade.finish();
        Ok(verification)
    }
}

/// A verdict nobody of ours has made.
pub(super) fn verdict_said(checked: &Checked, reason: Reason, catch_all: Option<bool>) -> Verdict {
    let recalled = Recalled {
        reason,
        mx_found: Some(!matches!(reason, Reason::NoMailServer | Reason::NoDomain)),
        provider: None,
        free_provider: checked.free_provider,
        catch_all,
    };
    Verdict::recalled(checked, recalled)
}

/// In our own words; none where the vendor knows nothing either.
fn reason_of(said: &VerdictSaid) -> Option<(Reason, Option<bool>)> {
    let reason = match said.status {
        EmailStatus::Valid => Reason::Accepted,
        EmailStatus::CatchAll | EmailStatus::CatchAllValid => Reason::CatchAll,
        EmailStatus::Invalid if said.mx_found == Some(false) => Reason::NoMailServer,
        EmailStatus::Invalid => Reason::NoSuchMailbox,
        EmailStatus::Disposable => Reason::Disposable,
        EmailStatus::Risky => Reason::CatchAllUnknown,
        EmailStatus::Unknown => return None,
    };
    let catch_all = if reason == Reason::CatchAll { Some(true) } else { said.catch_all };
    Some((reason, catch_all))
}
