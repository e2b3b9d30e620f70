//! The questions about addresses as the engine takes them, also where nobody can be asked: our own way first, then vendors.

use super::verify::unasked;
use super::{AddressQuery, AddressSearch, Freshness, Verification};
use crate::upstream::EmailAsk;
use crate::{Engine, EngineError};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{AccountId, Email};
use assay_mailbox::Checked;
use chrono::{DateTime, Utc};

impl Engine {
    /// Whether mail to an address arrives.
    pub async fn verify_email(
        &self,
        checked: &Checked,
        freshness: Freshness,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<Verification, EngineError> {
        let own = self.verify_by_server(checked, freshness, now).await?;
        if own.is_suppressed || own.verdict.status != EmailStatus::Unknown {
            return Ok(own);
        }
        self.verify_upstream(checked, own, freshness, (asker, now)).await
    }

    /// The same by the address's own server alone.
    pub(crate) async fn verify_by_server(
        &self,
        checked: &Checked,
        freshness: Freshness,
        now: DateTime<Utc>,
    ) -> Result<Verification, EngineError> {
        match &self.mailroom {
            Some(mailroom) => mailroom.verify(checked, freshness, now).await,
            None => Ok(unasked(checked, now)),
        }
    }

    /// Somebody's business address.
    pub async fn find_address(
        &self,
        query: &AddressQuery,
        ask: &EmailAsk,
        now: DateTime<Utc>,
    ) -> Result<AddressSearch, EngineError> {
        let mut search = match &self.mailroom {
            Some(mailroom) => mailroom.find_address(query, now).await?,
            None => AddressSearch::default(),
        };
        if search.found.is_none() {
            self.find_email_upstream(ask, &mut search, now).await?;
        }
        Ok(search)
    }

    /// The first of the addresses somebody is listed with that still works, or one that a vendor knows.
    pub async fn find_known_address(
        &self,
        known: &[Email],
        ask: &EmailAsk,
        now: DateTime<Utc>,
    ) -> Result<AddressSearch, EngineError> {
        let mut search = match &self.mailroom {
            Some(mailroom) => mailroom.find_known(known, ask.freshness, now).await?,
            None => AddressSearch::default(),
        };
        if search.found.is_none() {
            self.find_email_upstream(ask, &mut search, now).await?;
        }
        Ok(search)
    }
}
