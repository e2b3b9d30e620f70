//! Matching the feed with all lists: once for everybody, wherever it is done first.

use assay_domain::limits::{WATCH_CATCH_UP_MAX, WATCH_LOOK_BACK_DAYS};
use assay_engine::{Engine, EngineError};
use assay_store::Ledger;
use chrono::{DateTime, TimeDelta, Utc};

/// Matches what the feed has not been matched with yet, at most so many batches; whether more is left.
pub(super) async fn catch_up(
    ledger: &Ledger,
    engine: &Engine,
    now: DateTime<Utc>,
) -> Result<bool, EngineError> {
    for _ in 0..WATCH_CATCH_UP_MAX {
        let head = engine.feed_head().await?;
        let from = ledger.watch_cursor().await?;
        let after = match from {
            // Nothing was watched before: what is new begins here, and what was before is looked back for.
            None => {
                ledger.match_watched(None, (head.epoch, head.seq), &[]).await?;
                continue;
            }
            Some((epoch, seq)) if epoch == head.epoch && seq >= head.seq => return Ok(false),
            Some((epoch, seq)) if epoch == head.epoch => seq,
            // Another log: what of it was matched before is not kept again.
            Some(_) => {
                let since = now - TimeDelta::days(WATCH_LOOK_BACK_DAYS);
                engine.feed_place_of(since, head.seq).await?.min(head.seq)
            }
        };
        let happened = engine.happened_after(after, head.seq, now).await?;
        ledger.match_watched(from, (head.epoch, happened.upto), &happened.all).await?;
    }
    Ok(true)
}
