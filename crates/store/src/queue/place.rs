//! One claimer's place in a queue: where it starts to look, and what it sees to beside claiming.
//!
//! What was claimed stays in the index of what waits until vacuum may clear it away, which an open snapshot forbids for as
//! long as it is open. New turns are never before the clock, so a claimer starts where its last claim ended. Turns that were
//! passed over, because their jobs were put back or committed late, are found by looking back.

use super::{ClaimWish, Claimed, Jobs, Queue};
use crate::StoreError;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{JOB_CARE_EVERY, JOB_LATE, JOB_LOOK_BACK_EVERY};
use std::collections::HashMap;
use uuid::Uuid;

#[derive(Debug)]
pub struct Place {
    queue: Queue,
    node: Uuid,
    /// How much this node may have running of one share, where that is less than everything.
    per_share: Option<u32>,
    /// Up to where it has claimed.
    front: i64,
    /// From where it claims next, if that is further back.
    back: Option<i64>,
    /// Where it stood at two earlier moments, the later one first.
    marks: [i64; 2],
    marked: Stopwatch,
    looked_back: Stopwatch,
    cared: Option<Stopwatch>,
}

impl Place {
    pub fn new(queue: Queue, node: Uuid, per_share: Option<u32>) -> Self {
        let (marked, looked_back) = (Stopwatch::start(), Stopwatch::start());
        let marks = [i64::MIN; 2];
        Self { queue, node, per_share, front: i64::MIN, back: None, marks, marked, looked_back, cared: None }
    }

    /// Claims up to `count` jobs; `running` is what this node has of each share.
    pub async fn claim(
        &mut self,
        jobs: &Jobs,
        count: u32,
        running: Vec<(Uuid, u32)>,
    ) -> Result<Vec<Claimed>, StoreError> {
        if self.cared.is_none_or(|cared| cared.elapsed() >= JOB_CARE_EVERY) {
            self.care(jobs).await?;
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let wish = ClaimWish {
            queue: self.queue,
            node: self.node,
            count,
            from_turn: self.back.take().unwrap_or(self.front),
            running,
            per_share: self.per_share,
        };
        let (claimed, turn) = jobs.claim(&wish).await?;
        // Jobs of a share that has as much as it may were passed over, and must be met again.
        let turn = turn.filter(|_| !self.is_full(&wish.running, &claimed));
        match turn {
            // There may be more where these were. Whoever found nothing goes on at the front: a look at everything takes
            // long, and what it saw there others have taken meanwhile.
            Some(turn) if turn < self.front => self.back = Some(turn),
            Some(turn) => self.front = turn,
            None => {}
        }
        Ok(claimed)
    }

    /// Whether some share has as much as it may.
    fn is_full(&self, running: &[(Uuid, u32)], claimed: &[Claimed]) -> bool {
        let Some(per_share) = self.per_share else { return false };
        let mut counts: HashMap<Uuid, u32> = running.iter().copied().collect();
        for job in claimed {
            *counts.entry(job.share).or_default() += 1;
        }
        counts.values().any(|count| *count >= per_share)
    }

    /// Looks at all turns at the next claim.
    pub fn look_at_all(&mut self) {
        self.back = Some(i64::MIN);
    }

    /// Sees to what comes by itself: jobs that are due, jobs that were lost, and turns that were passed over.
    async fn care(&mut self, jobs: &Jobs) -> Result<(), StoreError> {
        self.cared = Some(Stopwatch::start());
        self.look_back();
        jobs.wake_due(self.queue).await?;
        let lost = jobs.free_lost(self.queue, self.node).await?;
        metrics::counter!("assay_jobs_lost_total", "queue" => self.queue.as_str()).increment(lost);
        Ok(())
    }

    fn look_back(&mut self) {
        if self.marked.elapsed() >= JOB_LATE {
            self.marks = [self.front, self.marks[0]];
            self.marked = Stopwatch::start();
        }
        self.back = Some(self.marks[1]);
        if self.looked_back.elapsed() >= JOB_LOOK_BACK_EVERY {
            self.looked_back = Stopwatch::start();
            self.look_at_all();
        }
    }
}
