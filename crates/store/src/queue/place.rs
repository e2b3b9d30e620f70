//! One claimer's place in a queue: where it starts to look, and what it sees to beside claiming.
//!
//! What was claimed stays in the index of what waits until vacuum may clear it away, which an open snapshot forbids for as
//! long as it is open. New turns are never before the clock, so a claimer starts where its last claim ended. Turns that were
//! passed over are found by looking back: every so often, for jobs that were put back or committed late, and when a share
//! that had as much as it may has room again.

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
    /// Whether it claims next however far ahead: where jobs were taken out of the queue, the next one may be.
    far: bool,
    /// The shares that have as much as they may, and from where their next job is.
    full: HashMap<Uuid, i64>,
    /// Where it stood at two earlier moments, the later one first.
    marks: [i64; 2],
    marked: Stopwatch,
    looked_back: Stopwatch,
    cared: Option<Stopwatch>,
}

/// What a claim came to.
#[derive(Debug)]
pub struct Taken {
    pub jobs: Vec<Claimed>,
    /// Whether another claim may find something at once.
    pub more: bool,
}

impl Place {
    pub fn new(queue: Queue, node: Uuid, per_share: Option<u32>) -> Self {
        Self {
            queue,
            node,
            per_share,
            front: i64::MIN,
            back: None,
            far: true,
            full: HashMap::new(),
            marks: [i64::MIN; 2],
            marked: Stopwatch::start(),
            looked_back: Stopwatch::start(),
            cared: None,
        }
    }

    /// Claims up to `count` jobs; `running` is what this node has of each share.
    pub async fn claim(
        &mut self,
        jobs: &Jobs,
        count: u32,
        running: Vec<(Uuid, u32)>,
    ) -> Result<Taken, StoreError> {
        if self.cared.is_none_or(|cared| cared.elapsed() >= JOB_CARE_EVERY) {
            self.care(jobs).await?;
        }
        if count == 0 {
            return Ok(Taken { jobs: Vec::new(), more: false });
        }
        self.welcome_back(&running);
        let from_turn = self.back.take().unwrap_or(self.front).min(self.front);
        let (queue, node, per_share) = (self.queue, self.node, self.per_share);
        let ahead = (!std::mem::take(&mut self.far)).then_some(count);
        let wish = ClaimWish { queue, node, count, from_turn, ahead, running, per_share };
        let claimed = jobs.claim(&wish).await?;
        let whole = u32::try_from(claimed.len()).is_ok_and(|taken| taken == count);
        match claimed.last().map(|job| job.turn) {
            // There may be more where these were. Whoever found less goes on at the front: a look at everything takes long,
            // and what it saw there others have taken meanwhile.
            Some(turn) if turn < self.front => self.back = whole.then_some(turn),
            Some(turn) => self.front = turn,
            None => {}
        }
        self.note_full(&wish, &claimed);
        // Where shares are bounded a claim looks at no more than the first few jobs, which may all be of one share.
        let more = whole || wish.tight_share().is_some() && !claimed.is_empty();
        Ok(Taken { jobs: claimed, more })
    }

    /// Goes back to the jobs of shares that have room again.
    fn welcome_back(&mut self, running: &[(Uuid, u32)]) {
        let Some(per_share) = self.per_share else { return };
        let back = &mut self.back;
        self.full.retain(|share, from| {
            let full = running.iter().any(|(of, count)| of == share && *count >= per_share);
            if !full {
                *back = Some(back.map_or(*from, |back| back.min(*from)));
            }
            full
        });
    }

    /// Remembers which shares have as much as they may. What they have waiting comes after what was claimed of it.
    fn note_full(&mut self, wish: &ClaimWish, claimed: &[Claimed]) {
        let Some(per_share) = self.per_share else { return };
        let mut shares: HashMap<Uuid, (u32, i64)> =
            wish.running.iter().map(|(share, count)| (*share, (*count, wish.from_turn))).collect();
        for job in claimed {
            let share = shares.entry(job.share).or_insert((0, job.turn));
            *share = (share.0 + 1, job.turn);
        }
        for (share, (count, from)) in shares {
            if count >= per_share {
                self.full.entry(share).or_insert(from);
            }
        }
    }

    /// Looks at all turns at the next claim.
    pub fn look_at_all(&mut self) {
        self.back = Some(i64::MIN);
        self.far = true;
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
            self.far = true;
            self.marked = Stopwatch::start();
        }
        self.back = Some(self.marks[1]);
        if self.looked_back.elapsed() >= JOB_LOOK_BACK_EVERY {
            self.looked_back = Stopwatch::start();
            self.look_at_all();
        }
    }
}
