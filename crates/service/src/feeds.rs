//! Passing signals on to everybody who wants to be told as it happens: one reads the log for all streams of a node, and each signal
//! is written once.

use crate::cursor;
use crate::exports::{Export, Exports};
use crate::fault::Fault;
use crate::view::ToldSignal;
use assay_domain::AccountId;
use assay_domain::limits::{
    SIGNAL_STREAMS_PER_ACCOUNT_MAX, SIGNAL_STREAMS_PER_NODE_MAX, SIGNAL_TAIL_BEHIND_MAX, SIGNAL_TAIL_EVERY,
    SIGNAL_TAIL_ROWS,
};
use assay_engine::{Engine, EngineError};
use assay_store::graph::{FeedHead, FeedRow};
use assay_store::task;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

/// A place in the log, which is another one after the database was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub epoch: Uuid,
    pub seq: i64,
}

/// A signal on its way to many.
#[derive(Debug)]
pub struct Passed {
    /// What filters look at; the body is in `event`.
    pub row: FeedRow,
    pub event: Bytes,
}

/// The streams of this node. Clones are the same.
#[derive(Debug, Clone)]
pub struct Feeds {
    places: Exports,
    /// Weak: when whoever reads the log stops, the streams hear of it.
    tail: Arc<Mutex<Option<broadcast::WeakSender<Arc<Passed>>>>>,
}

impl Default for Feeds {
    fn default() -> Self {
        let places = Exports::new("streams", SIGNAL_STREAMS_PER_ACCOUNT_MAX, SIGNAL_STREAMS_PER_NODE_MAX);
        Self { places, tail: Arc::default() }
    }
}

/// Somebody who is told.
#[derive(Debug)]
pub struct Listener {
    told: broadcast::Receiver<Arc<Passed>>,
    _place: Export,
}

/// What a listener hears.
#[derive(Debug)]
pub enum Heard {
    Signal(Arc<Passed>),
    /// Too much happened meanwhile: what was missed is in the database.
    Behind,
    /// The log is another one, or nobody reads it any more.
    Over,
}

impl Feeds {
    /// Everything that gets its place in the log from now on is heard.
    pub async fn listen(&self, engine: &Engine, account: AccountId) -> Result<Listener, Fault> {
        let place = self.places.enter(account)?;
        let running = subscribe(self.tail.lock().unwrap_or_else(PoisonError::into_inner).as_ref());
        if let Some(told) = running {
            return Ok(Listener { told, _place: place });
        }
        let head = engine.feed_head().await?;
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been faster.
        let told = match subscribe(tail.as_ref()) {
            Some(told) => told,
            None => {
                let (sender, told) = broadcast::channel(SIGNAL_TAIL_BEHIND_MAX);
                *tail = Some(sender.downgrade());
                task::spawn("signal-tail", follow(engine.clone(), sender, head));
                told
            }
        };
        Ok(Listener { told, _place: place })
    }
}

/// With nobody left the reader stops: it must not be joined on its way out.
fn subscribe(tail: Option<&broadcast::WeakSender<Arc<Passed>>>) -> Option<broadcast::Receiver<Arc<Passed>>> {
    let sender = tail?.upgrade().filter(|sender| sender.receiver_count() > 0)?;
    Some(sender.subscribe())
}

impl Listener {
    pub async fn next(&mut self) -> Heard {
        match self.told.recv().await {
            Ok(passed) => Heard::Signal(passed),
            Err(RecvError::Lagged(_)) => Heard::Behind,
            Err(RecvError::Closed) => Heard::Over,
        }
    }
}

/// Reads the log for all, until nobody listens or it is another log.
async fn follow(engine: Engine, sender: broadcast::Sender<Arc<Passed>>, from: FeedHead) {
    let mut place = from.seq;
    while sender.receiver_count() > 0 {
        match pass_on(&engine, &sender, from.epoch, &mut place).await {
            Ok(Step::More) => {}
            Ok(Step::Wait) => tokio::time::sleep(SIGNAL_TAIL_EVERY).await,
            Ok(Step::Over) => return,
            Err(error) => {
                tracing::warn!(%error, "signals wait to be passed on");
                tokio::time::sleep(SIGNAL_TAIL_EVERY).await;
            }
        }
    }
}

enum Step {
    More,
    Wait,
    Over,
}

async fn pass_on(
    engine: &Engine,
    sender: &broadcast::Sender<Arc<Passed>>,
    epoch: Uuid,
    place: &mut i64,
) -> Result<Step, EngineError> {
    let head = engine.feed_head().await?;
    if head.epoch != epoch || head.seq < *place {
        return Ok(Step::Over);
    }
    if head.seq == *place {
        return Ok(Step::Wait);
    }
    let rows = engine.read_whole_feed(*place, head.seq).await?;
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= SIGNAL_TAIL_ROWS);
    let last = rows.last().map(|row| row.seq);
    for row in rows {
        let signal = ToldSignal::read(row.id, row.revision, row.body.get());
        let place = Place { epoch, seq: row.seq };
        let Some(event) = signal.and_then(|signal| write_event(place, &signal)) else { continue };
        // Nobody there any more is seen by the next look.
        drop(sender.send(Arc::new(Passed { row, event })));
    }
    *place = if is_full { last.unwrap_or(head.seq) } else { head.seq };
    Ok(if is_full { Step::More } else { Step::Wait })
}

/// As a stream tells it: its id is where to go on.
pub fn write_event(place: Place, signal: &ToldSignal) -> Option<Bytes> {
    let (id, data) = (cursor::write(&place)?, signal.json());
    Some(format!("id: {id}\nevent: signal\ndata: {data}\n\n").into())
}
