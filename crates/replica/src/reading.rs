//! Asking a replica: which generation answers a page, and the questions themselves, off the threads that others wait for.

use crate::error::ReplicaError;
use crate::indexes::Indexes;
use crate::replica::Replica;
use assay_domain::limits::{INDEX_CATCH_UP_LOOK, INDEX_CATCH_UP_MAX};
use assay_index::{Asker, Hits, Index, IndexError, Mark, Page, Question, Suggestion, Term};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Which of the two indexes is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    People,
    Companies,
}

/// Why a page cannot be answered here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// The first generation is not filled yet.
    Filling,
    /// This replica has read less of the log than the one that answered the page before, and did not catch up in time.
    Behind,
    /// The log is another since, or it is no longer known what has changed since then.
    Expired,
}

impl Replica {
    /// What answers now, and how far it had read before it is asked.
    pub fn newest(&self) -> Result<(Arc<Indexes>, Mark), Unreadable> {
        let indexes = self.indexes().ok_or(Unreadable::Filling)?;
        let mark = Mark { epoch: indexes.epoch, seq: read_to(&indexes) };
        Ok((indexes, mark))
    }

    /// What can go on with a page that another replica began at `mark`; waits a moment for the entries up to there.
    pub async fn at(&self, mark: Mark) -> Result<Arc<Indexes>, Unreadable> {
        let caught_up = async {
            loop {
                let indexes = self.indexes().ok_or(Unreadable::Filling)?;
                if indexes.epoch != mark.epoch || known_since(&indexes) > mark.seq {
                    return Err(Unreadable::Expired);
                }
                if read_to(&indexes) >= mark.seq {
                    return Ok(indexes);
                }
                tokio::time::sleep(INDEX_CATCH_UP_LOOK).await;
            }
        };
        tokio::time::timeout(INDEX_CATCH_UP_MAX, caught_up).await.unwrap_or(Err(Unreadable::Behind))
    }
}

fn read_to(indexes: &Indexes) -> u64 {
    u64::try_from(indexes.seq()).unwrap_or(0)
}

fn known_since(indexes: &Indexes) -> u64 {
    u64::try_from(indexes.known_since).unwrap_or(0)
}

impl Indexes {
    pub fn side(&self, side: Side) -> &Index {
        match side {
            Side::People => &self.people,
            Side::Companies => &self.companies,
        }
    }

    /// Asks one of them anything, on its own threads.
    pub async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        side: Side,
        ask: impl FnOnce(&Index) -> Result<T, IndexError> + Send + 'static,
    ) -> Result<T, ReplicaError> {
        let (tell, told) = oneshot::channel();
        let indexes = Arc::clone(self);
        self.side(side).spawn(move || {
            // Whoever asked may have gone meanwhile.
            drop(tell.send(ask(indexes.side(side))));
        });
        Ok(told.await.map_err(|_| ReplicaError::BrokeDown)??)
    }

    pub async fn search(
        self: &Arc<Self>,
        side: Side,
        question: &Arc<Question>,
        page: Page,
    ) -> Result<Hits, ReplicaError> {
        let question = Arc::clone(question);
        self.ask(side, move |index| index.search(&question, &page)).await
    }

    /// All that a question meets, however many.
    pub async fn count(self: &Arc<Self>, side: Side, question: &Arc<Question>) -> Result<u64, ReplicaError> {
        let question = Arc::clone(question);
        self.ask(side, move |index| index.count(&question)).await
    }

    /// Values that begin like a text, as far as `asker` may see a document that has one; the commonest first.
    pub async fn suggest(
        self: &Arc<Self>,
        (side, term): (Side, Term),
        beginning: String,
        asker: Asker,
        limit: usize,
    ) -> Result<Vec<Suggestion>, ReplicaError> {
        self.ask(side, move |index| index.suggest(term, &beginning, asker, limit)).await
    }
}
