//! The same feed as it happens: first what is there after the place the client names, then everything new.

use super::feed::{Signals, SignalsQuestion};
use crate::context::Context;
use crate::endpoint::{Chunks, LiveEndpoint};
use crate::fault::Fault;
use crate::feeds::{Heard, Listener, Place, write_event};
use crate::view::ToldSignal;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{PAGE_ROWS_MAX, SIGNAL_STREAM_LIFETIME, SIGNAL_STREAM_QUIET};
use assay_engine::Engine;
use assay_engine::signals::{FeedFilter, FeedPage, FeedStart};
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use tokio::time::timeout;
use uuid::Uuid;

/// Tells the client that the stream still lives, and proxies that it is no file.
const QUIET: &[u8] = b": still there\n\n";

impl LiveEndpoint for Signals {
    async fn watch(context: &Context, question: SignalsQuestion) -> Result<Chunks, Fault> {
        // First the ears, then the place: what happens in between is heard twice and told once.
        let listener = context.feeds.listen(&context.engine, context.memory.account()).await?;
        let head = context.engine.feed_head().await?;
        let place = match (question.start(&head)?, question.filter.since) {
            (FeedStart::After(seq), _) => seq,
            (FeedStart::Newest, None) => head.seq,
            (FeedStart::Newest, Some(since)) => context.engine.feed_place_of(since, head.seq).await?,
        };
        let watching = Watching {
            engine: context.engine.clone(),
            listener,
            filter: question.filter,
            epoch: head.epoch,
            place,
            is_behind: place < head.seq,
            is_new: true,
            watch: Stopwatch::start(),
        };
        Ok(Box::pin(stream::try_unfold(watching, |mut watching| async move {
            let told = watching.next().await?;
            Ok(told.map(|event| (event, watching)))
        })))
    }
}

/// A stream. Between two events it holds nothing but its ears.
struct Watching {
    engine: Engine,
    listener: Listener,
    filter: FeedFilter,
    epoch: Uuid,
    /// Everything up to here was told.
    place: i64,
    /// Whether the database has more than was heard.
    is_behind: bool,
    is_new: bool,
    watch: Stopwatch,
}

impl Watching {
    /// None when it is over: the client comes again, and goes on.
    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        if std::mem::take(&mut self.is_new) {
            // The head of the answer goes out with it.
            return Ok(Some(Bytes::from_static(QUIET)));
        }
        while self.watch.elapsed() < SIGNAL_STREAM_LIFETIME {
            if self.is_behind {
                match self.catch_up().await? {
                    Caught::Told(events) => return Ok(Some(events)),
                    Caught::Nothing => continue,
                    Caught::AnotherLog => return Ok(None),
                }
            }
            match timeout(SIGNAL_STREAM_QUIET, self.listener.next()).await {
                Err(_) => return Ok(Some(Bytes::from_static(QUIET))),
                Ok(Heard::Over) => return Ok(None),
                Ok(Heard::Behind) => self.is_behind = true,
                Ok(Heard::Signal(passed)) if passed.row.seq <= self.place => {}
                Ok(Heard::Signal(passed)) => {
                    self.place = passed.row.seq;
                    if self.filter.fits(&passed.row) {
                        return Ok(Some(passed.event.clone()));
                    }
                }
            }
        }
        Ok(None)
    }

    async fn catch_up(&mut self) -> Result<Caught, Fault> {
        let head = self.engine.feed_head().await?;
        if head.epoch != self.epoch || head.seq < self.place {
            return Ok(Caught::AnotherLog);
        }
        let start = FeedStart::After(self.place);
        let FeedPage { rows, upto } =
            self.engine.feed_page(&self.filter, start, head.seq, PAGE_ROWS_MAX).await?;
        self.place = upto;
        self.is_behind = upto < head.seq;
        let mut events = BytesMut::new();
        for row in rows {
            let place = Place { epoch: self.epoch, seq: row.seq };
            let signal = ToldSignal::read(row.id, row.revision, &row.body);
            events.extend(signal.and_then(|signal| write_event(place, &signal)).into_iter().flatten());
        }
        Ok(if events.is_empty() { Caught::Nothing } else { Caught::Told(events.freeze()) })
    }
}

enum Caught {
    Told(Bytes),
    Nothing,
    AnotherLog,
}
