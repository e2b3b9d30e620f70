//! Answers that are kept, and for whom.

use super::Upstreams;
use super::cascade::{Said, Trail};
use crate::{Engine, EngineError};
use assay_domain::limits::{UPSTREAM_FIND_LIFETIME, UPSTREAM_MISS_LIFETIME};
use assay_domain::{AccountId, Digest, Lookup};
use assay_store::graph::{KeptAnswer, NewAnswer};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// What may be done with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Kept for everybody.
    Shared,
    /// Kept for the account that asked.
    Private(AccountId),
    /// Passed on and forgotten.
    Never,
}

impl Keeping {
    pub(super) fn owner(self) -> Option<AccountId> {
        match self {
            Self::Private(account) => Some(account),
            Self::Shared | Self::Never => None,
        }
    }
}

impl Said {
    /// An account's own key makes an answer its own, as does a vendor that forbids to share.
    pub(super) fn keeping(&self, asker: AccountId) -> Keeping {
        let rights = &self.provider.vendor.facts().rights;
        match (rights.storable, rights.shareable && !self.is_own_key) {
            (false, _) => Keeping::Never,
            (true, true) => Keeping::Shared,
            (true, false) => Keeping::Private(asker),
        }
    }
}

/// A question as it is remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remembered<'a> {
    pub(super) lookup: Lookup,
    pub(super) question: Digest,
    /// Whatever identifies whom it is about, so that erasing them erases this.
    pub(super) about: &'a [Digest],
    pub(super) asker: AccountId,
    pub(super) now: DateTime<Utc>,
}

/// What is remembered of a question.
#[derive(Debug)]
pub(super) enum Memory<T> {
    /// Whoever it is about does not want to be found.
    Suppressed,
    Found {
        value: T,
        provider: String,
        asked_at: DateTime<Utc>,
    },
    /// Everybody was asked lately, and had nothing.
    Missed,
    Nothing,
}

pub(super) fn is_within(now: DateTime<Utc>, then: DateTime<Utc>, lifetime: Duration) -> bool {
    TimeDelta::from_std(lifetime).is_ok_and(|lifetime| now - then <= lifetime)
}

impl Engine {
    /// Whether what a vendor says was paid for with the account's own key, also when it is kept.
    pub(super) fn is_own_key(&self, provider: &str, asker: AccountId) -> bool {
        let roster = self.upstreams.as_ref().map(Upstreams::roster);
        roster.is_some_and(|roster| roster.key(provider, Some(asker)).is_some_and(|(_, own)| own))
    }
}

impl Upstreams {
    pub(super) async fn recall<T: DeserializeOwned>(
        &self,
        asked: &Remembered<'_>,
        max_age: Option<Duration>,
    ) -> Result<Memory<T>, EngineError> {
        let known = self.0.graph.known_answer(asked.lookup, asked.question, asked.asker).await?;
        if known.suppressed {
            return Ok(Memory::Suppressed);
        }
        let Some(KeptAnswer { value, provider, asked_at }) = known.kept else { return Ok(Memory::Nothing) };
        let lifetime = if value.is_some() { UPSTREAM_FIND_LIFETIME } else { UPSTREAM_MISS_LIFETIME };
        let lifetime = max_age.map_or(lifetime, |most| most.min(lifetime));
        let is_fresh = is_within(asked.now, asked_at, lifetime);
        Ok(match value {
            _ if !is_fresh => Memory::Nothing,
            None => Memory::Missed,
            // Written by another version of the program, perhaps: as good as none.
            Some(value) => match serde_json::from_value(value) {
                Ok(value) => Memory::Found { value, provider, asked_at },
                Err(_) => Memory::Nothing,
            },
        })
    }

    /// Keeps what was found, if that may be kept.
    pub(super) async fn remember(
        &self,
        asked: &Remembered<'_>,
        said: &Said,
        value: &impl Serialize,
        found: &[Digest],
    ) -> Result<(), EngineError> {
        let keeping = said.keeping(asked.asker);
        if keeping == Keeping::Never {
            return Ok(());
        }
        let value = serde_json::to_value(value).unwrap_or_default();
        let subjects: Vec<Digest> = asked.about.iter().chain(found).copied().collect();
        let answer = NewAnswer {
            lookup: asked.lookup,
            question: asked.question,
            owner: keeping.owner(),
            value: Some(&value),
            subjects: &subjects,
            provider: &said.provider.name,
            asked_at: asked.now,
        };
        Ok(self.0.graph.keep_answer(&answer).await?)
    }

    /// Keeps that nobody had anything: for the account alone, since which vendors were asked is its own affair.
    pub(super) async fn remember_miss(
        &self,
        asked: &Remembered<'_>,
        trail: &Trail,
    ) -> Result<(), EngineError> {
        if !trail.is_miss() {
            return Ok(());
        }
        let last = trail.steps.last().map(|step| step.provider.to_string()).unwrap_or_default();
        let answer = NewAnswer {
            lookup: asked.lookup,
            question: asked.question,
            owner: Some(asked.asker),
            value: None,
            subjects: asked.about,
            provider: &last,
            asked_at: asked.now,
        };
        Ok(self.0.graph.keep_answer(&answer).await?)
    }

    /// Whether one of these must not be shown.
    pub(super) async fn is_suppressed(&self, digests: &[Digest]) -> Result<bool, EngineError> {
        Ok(!self.0.graph.suppressed_among(digests).await?.is_empty())
    }
}
