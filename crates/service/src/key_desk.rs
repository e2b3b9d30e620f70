//! Where keys are made: the one way to do so, for a call and for the command line.

use crate::key_epoch::KeyEpoch;
use assay_domain::api_key::{ApiKey, KeyMode};
use assay_domain::{AccountId, KeyId};
use assay_store::ledger::{KeyRecord, KeyTerms, KeyWrite, NewKey};
use assay_store::{Ledger, StoreError};
use chrono::{DateTime, Utc};
use rand::Rng;
use std::fmt;
use std::sync::Arc;

/// Makes keys and stores what may be stored of them.
pub struct KeyDesk {
    pub(crate) ledger: Ledger,
    pepper: [u8; 32],
    epoch: Option<Arc<KeyEpoch>>,
}

/// A whole key, to be shown once; or why there is none.
#[derive(Debug)]
pub enum Issue {
    Made(ApiKey),
    /// The account, or the line of a rotated key, has as many live keys as it may have.
    TooMany,
    /// The key to be rotated is no longer as it was read.
    Changed,
}

impl KeyDesk {
    pub fn new(ledger: Ledger, pepper: [u8; 32]) -> Self {
        Self { ledger, pepper, epoch: None }
    }

    /// A desk whose changes this node notices at once.
    pub(crate) fn noticed_by(self, epoch: Arc<KeyEpoch>) -> Self {
        Self { epoch: Some(epoch), ..self }
    }

    pub async fn issue(&self, account: AccountId, terms: KeyTerms) -> Result<Issue, StoreError> {
        let (key, new) = self.draw(account, terms);
        let written = self.ledger.create_key(&new).await?;
        Ok(issue(key, written))
    }

    /// A successor with these terms. The key itself goes on until `ends_at`.
    pub async fn rotate(
        &self,
        before: &KeyRecord,
        terms: KeyTerms,
        ends_at: DateTime<Utc>,
    ) -> Result<Issue, StoreError> {
        let (key, new) = self.draw(before.account, terms);
        let written = self.ledger.rotate_key(before, &new, ends_at).await?;
        self.notice().await;
        Ok(issue(key, written))
    }

    /// To be called after a key was changed.
    pub(crate) async fn notice(&self) {
        if let Some(epoch) = &self.epoch
            && let Err(error) = epoch.look().await
        {
            tracing::warn!(%error, "a changed key is noticed by the watcher only");
        }
    }

    fn draw(&self, account: AccountId, terms: KeyTerms) -> (ApiKey, NewKey) {
        let mode = if terms.live { KeyMode::Live } else { KeyMode::Test };
        let key = ApiKey::generate(mode, &mut |bytes| rand::rng().fill_bytes(bytes));
        let secret_hash = key.secret_hash(&self.pepper);
        let new = NewKey { id: KeyId::new(key.id()), account, secret_hash, terms };
        (key, new)
    }
}

fn issue(key: ApiKey, written: KeyWrite) -> Issue {
    match written {
        KeyWrite::Done => Issue::Made(key),
        KeyWrite::TooMany => Issue::TooMany,
        KeyWrite::Changed => Issue::Changed,
    }
}

/// The pepper is a secret.
impl fmt::Debug for KeyDesk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyDesk").finish_non_exhaustive()
    }
}
