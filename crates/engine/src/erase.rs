//! Erasing: somebody goes and must not come back. The graph first, then the ledger; a crash in between is finished by the
//! worker, because the graph remembers whom it has erased.

use crate::identities::keys_of_person;
use crate::{Engine, EngineError};
use assay_domain::identity::IdentityKind;
use assay_domain::limits::{SUPPRESSIONS_PER_CALL_MAX, SUPPRESSIONS_TOLD_MAX};
use assay_domain::person::PersonFacts;
use assay_domain::suppression::{HashList, SuppressedKind, SuppressionReason};
use assay_domain::{
    Digest, Email, IdentityKey, ListHash, NetworkUrl, PersonId, Phone, Sealed, SuppressionId,
};
use assay_store::graph::{Erasure, NewSuppression, SuppressWish, Suppressed, Suppression};
use assay_store::ledger::Forgotten;
use assay_store::{Graph, Ledger, crash};
use chrono::{DateTime, Utc};
use rand::Rng;
use std::collections::HashSet;
use std::sync::Arc;

mod settle;

pub use settle::Settled;

const PURPOSE: &str = "list-hash";
const PROFILE: SuppressedKind = SuppressedKind::Identity(IdentityKind::PersonUrl);

/// Whom to erase: a record, an identifier, or the hash of one.
#[derive(Debug, Clone)]
pub enum Unwanted {
    Person(PersonId),
    Email(Email),
    Phone(Phone),
    NetworkUrl(NetworkUrl),
    Hash(HashList, ListHash),
}

/// What came of an erasure, in figures.
#[derive(Debug, Clone, Default)]
pub struct Erased {
    /// The first of the suppressions, asked for or following from it.
    pub rows: Vec<Listed>,
    pub suppressed: u64,
    /// Asked for, but suppressed before.
    pub known: u64,
    pub people: u64,
}

/// A suppression as an operator may see it: without what it is of, which nobody can tell any more.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: SuppressionId,
    pub kind: SuppressedKind,
    pub reason: SuppressionReason,
    pub created_at: DateTime<Utc>,
    /// For passing the wish on: deletion lists are exchanged in this form.
    pub hash: Option<ListHash>,
}

/// The two sides that have to forget. No transaction spans them.
#[derive(Debug, Clone)]
pub(crate) struct Eraser {
    graph: Graph,
    ledger: Ledger,
}

impl Eraser {
    pub(crate) fn new(graph: Graph, ledger: Ledger) -> Self {
        Self { graph, ledger }
    }

    /// One transaction of the graph, then the ledger. `made` is what was suppressed before and got lost.
    async fn erase(&self, wish: &SuppressWish, made: &[Suppression]) -> Result<Suppressed, EngineError> {
        let suppressed = match made {
            [] => self.graph.suppress(wish).await?,
            made => self.graph.suppress_again(wish, made).await?,
        };
        crash::point("erase-between").await;
        // Somebody may be watched whom the graph has never known.
        let asked = wish.entries.iter().filter(|entry| entry.kind == PROFILE).map(|entry| entry.digest);
        self.forget(&suppressed.erasures, asked).await?;
        Ok(suppressed)
    }

    async fn forget(
        &self,
        erasures: &[Erasure],
        asked: impl Iterator<Item = Digest>,
    ) -> Result<Forgotten, EngineError> {
        let known = erasures.iter().flat_map(|erasure| erasure.profiles.iter().copied());
        let profiles: Vec<Digest> = known.chain(asked).collect();
        if erasures.is_empty() && profiles.is_empty() {
            return Ok(Forgotten::default());
        }
        let people: Vec<PersonId> = erasures.iter().map(|erasure| erasure.person).collect();
        let forgotten = self.ledger.forget_people(&people, &profiles).await?;
        self.graph.mark_erased(erasures).await?;
        Ok(forgotten)
    }

    /// What a crash left half-done, and the second time for calls that ran during the first. One bounded turn; says how
    /// many it looked after.
    async fn finish(&self) -> Result<usize, EngineError> {
        let open = self.graph.open_erasures().await?;
        let forgotten = self.forget(&open, std::iter::empty()).await?;
        if forgotten != Forgotten::default() {
            tracing::info!(?forgotten, "the ledger forgot erased people");
        }
        Ok(open.len())
    }
}

impl Engine {
    /// Finishes what an erasure left to be done in the ledger: one bounded turn.
    pub async fn finish_erasures(&self) -> Result<usize, EngineError> {
        self.eraser.finish().await
    }

    /// Erases everybody these lead to and keeps them out. Doing it again changes nothing.
    pub async fn erase(
        &self,
        unwanted: &[Unwanted],
        reason: SuppressionReason,
        at: DateTime<Utc>,
    ) -> Result<Erased, EngineError> {
        let mut seen = HashSet::new();
        let entries = unwanted.iter().flat_map(|unwanted| self.entries(unwanted));
        let entries: Vec<NewSuppression> = entries.filter(|entry| seen.insert(entry.digest)).collect();
        let (mut erased, mut forgotten) = (Erased::default(), HashSet::new());
        for batch in entries.chunks(SUPPRESSIONS_PER_CALL_MAX) {
            let wish = self.wish(batch.to_vec(), reason, at);
            // The ledger copies one batch while the graph takes the next.
            (forgotten, _) =
                tokio::try_join!(self.erase_all(wish, &[], &mut erased), self.settle_knowing(&forgotten))?;
        }
        self.settle_knowing(&forgotten).await?;
        Ok(erased)
    }

    /// Everybody behind the entries, in as many transactions as it takes. Gives whom the ledger has forgotten.
    async fn erase_all(
        &self,
        wish: SuppressWish,
        made: &[Suppression],
        erased: &mut Erased,
    ) -> Result<HashSet<PersonId>, EngineError> {
        let mut forgotten = HashSet::new();
        let mut more = true;
        let mut first = true;
        while more {
            let next = self.eraser.erase(&wish, made).await?;
            more = next.more;
            erased.known += if std::mem::take(&mut first) { next.known } else { 0 };
            forgotten.extend(next.erasures.iter().map(|erasure| erasure.person));
            self.add(erased, next);
        }
        Ok(forgotten)
    }

    fn wish(
        &self,
        entries: Vec<NewSuppression>,
        reason: SuppressionReason,
        at: DateTime<Utc>,
    ) -> SuppressWish {
        let (seal_hashes, match_keys) = (self.hash_sealer(), self.match_keys_of());
        SuppressWish { entries, reason, at, seal_hashes, match_keys }
    }

    /// One page of what is suppressed, newest first.
    pub async fn suppressions(
        &self,
        after: Option<SuppressionId>,
        limit: u32,
    ) -> Result<Vec<Listed>, EngineError> {
        let rows = self.graph.suppressions(after, limit).await?;
        Ok(rows.into_iter().map(|row| self.listed(row)).collect())
    }

    /// Lets in again what one suppression kept out; what was erased comes back only by an import. False when there is
    /// no such suppression.
    pub async fn lift_suppression(&self, id: SuppressionId) -> Result<bool, EngineError> {
        // Copied by now, or a copy made meanwhile would outlive it.
        self.settle_suppressions().await?;
        self.eraser.lift(id).await
    }

    fn add(&self, erased: &mut Erased, suppressed: Suppressed) {
        erased.suppressed += suppressed.added;
        erased.people += suppressed.people_erased;
        let told: HashSet<SuppressionId> = erased.rows.iter().map(|row| row.id).collect();
        let rows = suppressed.rows.into_iter().filter(|row| !told.contains(&row.id));
        let room = SUPPRESSIONS_TOLD_MAX.saturating_sub(told.len());
        erased.rows.extend(rows.take(room).map(|row| self.listed(row)));
    }

    fn listed(&self, row: Suppression) -> Listed {
        let opened = row.list_hash.and_then(|sealed| {
            self.identity.sealer(PURPOSE).open(row.digest.as_bytes(), sealed.as_bytes()).ok()
        });
        Listed {
            id: row.id,
            kind: row.kind,
            reason: row.reason,
            created_at: row.created_at,
            hash: opened.and_then(|bytes| ListHash::from_slice(&bytes)),
        }
    }

    /// One suppression each, but an address that can be written in two ways has two.
    fn entries(&self, unwanted: &Unwanted) -> Vec<NewSuppression> {
        let hashed = |list: HashList, hash: ListHash| {
            let digest = self.identity.digest_hash(list, hash);
            let kind = SuppressedKind::Identity(list.identity());
            NewSuppression { digest, kind, list_hash: seal(&self.identity, digest, hash) }
        };
        match unwanted {
            Unwanted::Person(id) => vec![NewSuppression::of_person(*id)],
            Unwanted::Email(email) => {
                let hashes = ListHash::spellings_of_email(email).into_iter();
                hashes.map(|hash| hashed(HashList::Email, hash)).collect()
            }
            Unwanted::Phone(phone) => vec![hashed(HashList::Phone, ListHash::of_phone(phone))],
            Unwanted::Hash(list, hash) => vec![hashed(*list, *hash)],
            Unwanted::NetworkUrl(url) => vec![NewSuppression {
                digest: self.identity.digest_network_url(url),
                kind: PROFILE,
                list_hash: None,
            }],
        }
    }

    fn match_keys_of(&self) -> assay_store::graph::MatchKeysOf {
        let key = self.identity.clone();
        Arc::new(move |facts, experience| keys_of_person(&key, facts, experience))
    }

    /// The graph calls it for everybody it erases: it knows their addresses for the last time.
    fn hash_sealer(&self) -> assay_store::graph::SealHashes {
        let key = self.identity.clone();
        Arc::new(move |facts| seal_hashes(&key, facts))
    }
}

fn seal_hashes(key: &IdentityKey, facts: &PersonFacts) -> Vec<(Digest, Sealed)> {
    let emails = facts.emails.iter().flat_map(|known| ListHash::spellings_of_email(&known.address));
    let emails = emails.map(|hash| (HashList::Email, hash));
    let phones = facts.phones.iter().map(|known| (HashList::Phone, ListHash::of_phone(&known.number)));
    let sealed = emails.chain(phones).filter_map(|(list, hash)| {
        let digest = key.digest_hash(list, hash);
        Some((digest, seal(key, digest, hash)?))
    });
    sealed.collect()
}

/// Bound to its own digest: under another row it does not open.
fn seal(key: &IdentityKey, digest: Digest, hash: ListHash) -> Option<Sealed> {
    let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
    key.sealer(PURPOSE).seal(digest.as_bytes(), hash.as_bytes(), random).ok()
}
