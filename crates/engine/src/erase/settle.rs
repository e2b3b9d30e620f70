//! Both sides know the same suppressions: the ledger keeps a copy of those of the graph. Whichever of the two is restored from a backup,
//! what it has lost since is told it by the other.

use super::{Engine, Erased, Eraser};
use crate::EngineError;
use assay_domain::limits::{SETTLE_ATTEMPTS_MAX, SUPPRESSIONS_PER_CALL_MAX};
use assay_domain::{Digest, PersonId, SuppressionId};
use assay_store::StoreError;
use assay_store::graph::{NewSuppression, Suppression, SuppressionMark};
use assay_store::ledger::CopyState;
use std::collections::HashSet;

/// What was found to be missing on one side. Nothing is, unless one was restored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settled {
    /// Suppressions that the graph had lost.
    pub applied_again: u64,
    /// People who were erased for the second time.
    pub people: u64,
}

impl Eraser {
    /// Copies what is new in the graph. False when the ledger's copy is not of this graph, and all has to be compared. One look at each
    /// side when nothing is new.
    async fn copy_new(&self, forgotten: &HashSet<PersonId>) -> Result<bool, EngineError> {
        loop {
            let state = self.ledger.suppression_copy_state().await?;
            let Some(mark) = state.mark else { return Ok(false) };
            let page = self.graph.suppressions_from(mark.seq, SUPPRESSIONS_PER_CALL_MAX + 1).await?;
            let Some((_, new)) = page.split_first().filter(|(first, _)| first.mark() == mark) else {
                return Ok(false);
            };
            let Some(last) = new.last() else { return Ok(true) };
            let rows: Vec<&Suppression> = new.iter().map(|placed| &placed.suppression).collect();
            // Before they are copied, so that whoever has a copy is forgotten: the ledger itself may have been restored.
            self.ledger.forget_suppressed(&rows, forgotten).await?;
            let is_copied = self.ledger.copy_suppressions(&rows, state, Some(last.mark())).await?;
            if is_copied && page.len() <= SUPPRESSIONS_PER_CALL_MAX {
                return Ok(true);
            }
        }
    }

    /// Copies all of the graph. False when another node has settled it meanwhile, or the ledger has learnt more.
    async fn copy_all(&self, state: CopyState) -> Result<bool, EngineError> {
        let mut end = None;
        loop {
            let next = end.map_or(i64::MIN, |mark: SuppressionMark| mark.seq.saturating_add(1));
            let page = self.graph.suppressions_from(next, SUPPRESSIONS_PER_CALL_MAX).await?;
            let Some(last) = page.last() else {
                // With nothing in the graph there is nothing to remember, each second anew.
                return Ok(end.is_none() || self.ledger.copy_suppressions(&[], state, end).await?);
            };
            end = Some(last.mark());
            let digests: Vec<Digest> = page.iter().map(|placed| placed.suppression.digest).collect();
            let known = self.ledger.suppressions_copied(&digests).await?;
            let rows = page.iter().map(|placed| &placed.suppression);
            let rows: Vec<&Suppression> = rows.filter(|row| !known.contains(&row.digest)).collect();
            self.ledger.forget_suppressed(&rows, &HashSet::new()).await?;
            if !self.ledger.copy_suppressions(&rows, state, None).await? {
                return Ok(false);
            }
        }
    }

    /// The ledger first: what it has and the graph has not is taken for lost, and applied again. The mark moves last, so that nobody copies
    /// it in between; and the copy goes once more, in case somebody who compared everything did.
    pub(super) async fn lift(&self, id: SuppressionId) -> Result<bool, EngineError> {
        let Some((placed, before)) = self.graph.suppression_and_before(id).await? else { return Ok(false) };
        self.ledger.drop_suppression_copy(placed.suppression.digest).await?;
        let lifted = self.graph.lift_suppression(id).await?;
        self.ledger.drop_suppression_copy(placed.suppression.digest).await?;
        let state = self.ledger.suppression_copy_state().await?;
        if state.mark == Some(placed.mark()) {
            self.ledger.copy_suppressions(&[], state, before).await?;
        }
        Ok(lifted)
    }
}

impl Engine {
    /// Makes both sides know the same suppressions, and erases whom the graph should not have. Costs a look at each side when neither
    /// has lost anything.
    pub async fn settle_suppressions(&self) -> Result<Settled, EngineError> {
        self.settle_knowing(&HashSet::new()).await
    }

    /// The same by a caller who has just made the ledger forget these people.
    pub(super) async fn settle_knowing(&self, forgotten: &HashSet<PersonId>) -> Result<Settled, EngineError> {
        let mut settled = Settled::default();
        for _ in 0..SETTLE_ATTEMPTS_MAX {
            if self.eraser.copy_new(forgotten).await? || self.compare_all(&mut settled).await? {
                if settled != Settled::default() {
                    tracing::warn!(?settled, "the graph had lost suppressions; they are applied again");
                }
                return Ok(settled);
            }
        }
        Err(StoreError::Overloaded.into())
    }

    /// What either side lacks is told it by the other. False when others were at it too, and it has to be looked at again.
    async fn compare_all(&self, settled: &mut Settled) -> Result<bool, EngineError> {
        let ledger = &self.eraser.ledger;
        let seen = ledger.suppression_copy_state().await?;
        // From here on nobody takes the two for settled until all was compared.
        if seen.mark.is_some() && !ledger.copy_suppressions(&[], seen, None).await? {
            return Ok(false);
        }
        let mut after = None;
        loop {
            let page = ledger.suppression_copies(after, SUPPRESSIONS_PER_CALL_MAX).await?;
            after = page.last().map(|row| row.digest);
            if after.is_none() {
                return self.eraser.copy_all(seen.at(None)).await;
            }
            self.apply_again(page, settled).await?;
        }
    }

    async fn apply_again(
        &self,
        mut page: Vec<Suppression>,
        settled: &mut Settled,
    ) -> Result<(), EngineError> {
        let digests: Vec<Digest> = page.iter().map(|row| row.digest).collect();
        let (kept_out, in_use) =
            (self.graph.suppressed_of(&digests).await?, self.graph.digests_in_use(&digests).await?);
        // One that is there and leads to somebody was put in by an erasure that did not come to its end.
        page.retain(|row| !kept_out.contains(&row.digest) || in_use.contains(&row.digest));
        let Some(newest) = page.iter().max_by_key(|row| row.created_at) else { return Ok(()) };
        let entry = |row: &Suppression| NewSuppression {
            digest: row.digest,
            kind: row.kind,
            list_hash: row.list_hash.clone(),
        };
        let wish = self.wish(page.iter().map(entry).collect(), newest.reason, newest.created_at);
        let mut erased = Erased::default();
        self.erase_all(wish, &page, &mut erased).await?;
        settled.applied_again += erased.suppressed;
        settled.people += erased.people;
        Ok(())
    }
}
