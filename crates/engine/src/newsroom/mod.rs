//! The newsroom: public sources are looked at again and again, and what they say becomes signals.
//!
//! One node at a time asks a host, for all feeds there, at the host's pace. What was read is not asked for again, what is as it
//! was is not read again, and a host that fails or refuses is left alone for ever longer.

mod item;
mod look;
mod release;
mod setup;

pub use look::Looked;
pub use setup::{FeedSetup, SetupFault};

use crate::{Engine, EngineError};
use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{FEED_BACKOFF_MAX, FEED_EVERY_MIN, FEED_TURN_MAX};
use assay_sources::Pages;
use assay_sources::feeds::{Feed, Pace};
use assay_store::Graph;
use assay_store::graph::{LookEnd, NewFeed, PolledFeed};
use look::{Look, Stop};
use std::time::Duration;

/// Looks at feeds. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Newsroom {
    engine: Engine,
    pages: Pages,
    clock: Clock,
}

/// What was done for a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attended {
    pub looks: u64,
    /// Looks that did not come to their end.
    pub in_vain: u64,
    /// How long nothing is due; none where the host has no feeds any more.
    pub rest: Option<Duration>,
}

/// How a feed can be used, and what it is made of.
#[derive(Debug)]
pub struct KnownFeed {
    pub row: PolledFeed,
    /// None when a newer program added it, or its setup was changed by hand.
    pub setup: Option<FeedSetup>,
}

/// All feeds, by name.
pub async fn known_feeds(graph: &Graph) -> Result<Vec<KnownFeed>, EngineError> {
    let rows = graph.polled_feeds().await?;
    Ok(rows.into_iter().map(|row| KnownFeed { setup: FeedSetup::read(&row.setup), row }).collect())
}

/// Adds a feed, or changes one; its name.
pub async fn put_feed(
    graph: &Graph,
    setup: &FeedSetup,
    every: Option<Duration>,
) -> Result<Result<String, SetupFault>, EngineError> {
    let feed = match setup.feed() {
        Ok(feed) => feed,
        Err(fault) => return Ok(Err(fault)),
    };
    let every = every.unwrap_or(feed.pace().every).max(FEED_EVERY_MIN);
    let new = NewFeed { name: feed.name(), host: &setup.host(), setup: &setup.write(), every };
    graph.put_feed(&new).await?;
    Ok(Ok(feed.name().to_owned()))
}

impl Newsroom {
    pub fn new(engine: Engine, pages: Pages, clock: Clock) -> Self {
        Self { engine, pages, clock }
    }

    /// Looks at all feeds of a host that are due, one after the other, for as long as others can wait.
    pub async fn attend(&self, host: &str) -> Result<Attended, EngineError> {
        let watch = Stopwatch::start();
        let mut gate = Gate::default();
        let mut attended = Attended::default();
        while watch.elapsed() < FEED_TURN_MAX {
            let Some(row) = self.graph().due_feed(host).await? else { break };
            attended.looks += 1;
            attended.in_vain += u64::from(!self.look_at(&row, &mut gate).await?);
        }
        attended.rest = self.graph().feed_rest(host).await?;
        Ok(attended)
    }

    /// Reads what a feed says now without taking anything in, whatever was read of it before.
    pub async fn try_out(&self, feed: &dyn Feed, pages_max: usize) -> Looked {
        let now = self.clock.now();
        look::try_out(&self.pages, feed, pages_max, now).await
    }

    /// Whether the look came to its end.
    async fn look_at(&self, row: &PolledFeed, gate: &mut Gate) -> Result<bool, EngineError> {
        let feed = FeedSetup::read(&row.setup).and_then(|setup| setup.feed().ok());
        let Some(feed) = feed else {
            let trouble = "this program does not know how to read it".to_owned();
            let end = LookEnd::InVain { trouble, signals: 0, rest: FEED_BACKOFF_MAX };
            self.graph().end_look(&row.name, &end).await?;
            return Ok(false);
        };
        let mut look = Look::begin(self, feed.as_ref(), gate).await?;
        let stop = look.run().await?;
        let signals = look.signals;
        let end = match &stop {
            None => LookEnd::Done { signals, marks: look.marks() },
            Some(stop) => {
                let rest = stop.rest().unwrap_or_else(|| backoff(row.every, row.failures));
                LookEnd::InVain { trouble: stop.to_string(), signals, rest }
            }
        };
        if let Some(stop) = stop {
            tracing::warn!(feed = row.name, trouble = %stop, "a look at a feed was in vain");
            if let Stop::Later(rest) = stop {
                self.graph().rest_host(&row.host, rest).await?;
            }
        }
        self.graph().end_look(&row.name, &end).await?;
        Ok(stop.is_none())
    }

    fn graph(&self) -> &Graph {
        &self.engine.graph
    }
}

/// After the first failure the usual time, then twice as long each time.
fn backoff(every: Duration, failures: u32) -> Duration {
    let factor = 1_u32.checked_shl(failures).unwrap_or(u32::MAX);
    every.saturating_mul(factor).min(FEED_BACKOFF_MAX.max(every))
}

/// Keeps questions to one host apart.
#[derive(Debug, Default)]
struct Gate {
    last: Option<Stopwatch>,
}

impl Gate {
    async fn pass(&mut self, pace: Pace) {
        let apart = Duration::from_secs(1) / pace.per_second_max.max(1);
        if let Some(last) = &self.last {
            tokio::time::sleep(apart.saturating_sub(last.elapsed())).await;
        }
        self.last = Some(Stopwatch::start());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_that_fails_is_looked_at_ever_less_but_never_less_than_hourly_or_as_usual() {
        let secs = Duration::from_secs;
        let waits: Vec<Duration> = (0..9).map(|failures| backoff(secs(30), failures)).collect();
        assert_eq!(waits[..4], [secs(30), secs(60), secs(120), secs(240)]);
        assert_eq!(waits[8], FEED_BACKOFF_MAX);
        assert_eq!(backoff(secs(6 * 3_600), 40), secs(6 * 3_600));
    }
}
