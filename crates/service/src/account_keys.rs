//! The keys of one account, as one of them may see and change them.

use crate::fault::{Code, Fault};
use crate::key_bounds::{may_change, may_make, may_rotate};
use crate::key_desk::{Issue, KeyDesk};
use assay_domain::api_key::ApiKey;
use assay_domain::{Credits, IpRange, KeyId, limits};
use assay_store::ledger::{KeyCursor, KeyRecord, KeyTerms, KeyWrite, ListedKey};
use chrono::{DateTime, Utc};

/// A view bound to the account of the calling key, and to what that key may give.
#[derive(Debug)]
pub struct AccountKeys<'a> {
    desk: &'a KeyDesk,
    caller: &'a KeyRecord,
}

/// A key that was just made, with its secret.
#[derive(Debug)]
pub struct FreshKey {
    pub listed: ListedKey,
    pub secret: ApiKey,
}

/// What of a key is to change; what is none stays as it is.
#[derive(Debug)]
pub struct KeyChange {
    pub name: Option<String>,
    pub scopes: Option<Vec<String>>,
    pub ip_allow: Option<Vec<IpRange>>,
    pub monthly_cap: Option<Option<Credits>>,
    pub requests_per_minute: Option<Option<u32>>,
    pub expires_at: Option<Option<DateTime<Utc>>>,
}

impl KeyChange {
    fn of(&self, before: KeyTerms) -> KeyTerms {
        KeyTerms {
            name: self.name.clone().unwrap_or(before.name),
            live: before.live,
            scopes: self.scopes.clone().unwrap_or(before.scopes),
            ip_allow: self.ip_allow.clone().unwrap_or(before.ip_allow),
            monthly_cap: self.monthly_cap.unwrap_or(before.monthly_cap),
            requests_per_minute: self.requests_per_minute.unwrap_or(before.requests_per_minute),
            expires_at: self.expires_at.unwrap_or(before.expires_at),
        }
    }
}

impl<'a> AccountKeys<'a> {
    pub(crate) fn new(desk: &'a KeyDesk, caller: &'a KeyRecord) -> Self {
        Self { desk, caller }
    }

    pub fn caller(&self) -> &KeyRecord {
        self.caller
    }

    pub async fn create(&self, terms: KeyTerms) -> Result<FreshKey, Fault> {
        may_make(self.caller, &terms)?;
        match self.desk.issue(self.caller.account, terms).await? {
            Issue::Made(secret) => self.fresh(secret).await,
            Issue::TooMany | Issue::Changed => Err(too_many(limits::KEYS_PER_ACCOUNT_MAX)),
        }
    }

    pub async fn page(&self, after: Option<&KeyCursor>, limit: u32) -> Result<Vec<ListedKey>, Fault> {
        Ok(self.desk.ledger.list_keys(self.caller.account, after, limit).await?)
    }

    /// A key of this account. Another account's key is as absent as one that never was.
    pub async fn find(&self, id: &KeyId) -> Result<ListedKey, Fault> {
        let found = self.desk.ledger.key(self.caller.account, id).await?;
        found.ok_or_else(absent)
    }

    pub async fn change(&self, id: &KeyId, change: &KeyChange) -> Result<ListedKey, Fault> {
        for _ in 0..limits::KEY_CHANGE_TRIES_MAX {
            let before = self.usable(id).await?;
            let terms = change.of(before.terms());
            may_change(self.caller, &before.terms(), &terms)?;
            if self.desk.ledger.change_key(&before, &terms).await? == KeyWrite::Done {
                self.desk.notice().await;
                return self.find(id).await;
            }
        }
        Err(contended())
    }

    /// A successor with the terms that `revise` makes of those of the key, which goes on until `ends_at`. Answers both.
    pub async fn rotate(
        &self,
        id: &KeyId,
        ends_at: DateTime<Utc>,
        revise: impl Fn(KeyTerms) -> Result<KeyTerms, Fault>,
    ) -> Result<(FreshKey, ListedKey), Fault> {
        for _ in 0..limits::KEY_CHANGE_TRIES_MAX {
            let before = self.usable(id).await?;
            let terms = revise(before.terms())?;
            may_rotate(self.caller, &before, &terms)?;
            match self.desk.rotate(&before, terms, ends_at).await? {
                Issue::Made(secret) => return Ok((self.fresh(secret).await?, self.find(id).await?)),
                Issue::TooMany => return Err(too_many(limits::KEYS_PER_LINE_MAX)),
                Issue::Changed => {}
            }
        }
        Err(contended())
    }

    pub async fn revoke(&self, id: &KeyId) -> Result<ListedKey, Fault> {
        if !self.desk.ledger.revoke_key(Some(self.caller.account), id).await? {
            return Err(absent());
        }
        self.desk.notice().await;
        self.find(id).await
    }

    async fn usable(&self, id: &KeyId) -> Result<KeyRecord, Fault> {
        let found = self.find(id).await?.record;
        if found.revoked_at.is_some() { Err(absent()) } else { Ok(found) }
    }

    async fn fresh(&self, secret: ApiKey) -> Result<FreshKey, Fault> {
        let listed = self.find(&KeyId::new(secret.id())).await?;
        Ok(FreshKey { listed, secret })
    }
}

fn absent() -> Fault {
    Fault::new(Code::NotFound, "the account has no such key, or it was revoked")
}

fn too_many(most: i64) -> Fault {
    Fault::new(Code::TooManyKeys, format!("there may be {most} live keys"))
}

fn contended() -> Fault {
    Fault::new(Code::Overloaded, "the key is being changed by others at the same time")
}
