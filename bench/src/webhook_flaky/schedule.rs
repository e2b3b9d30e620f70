//! Whether tries came when the schedule says: never sooner, and how much later.

use crate::bar::Complaints;
use assay_domain::limits::{WEBHOOK_DELAYS, WEBHOOK_JITTER_PERCENT, WEBHOOK_PATIENCE_MIN};
use assay_store::Ledger;
use chrono::{DateTime, Utc};
use std::time::Duration;
use uuid::Uuid;

/// Times are stored to the millisecond.
const ROUNDING: Duration = Duration::from_millis(2);

#[derive(Debug, Default)]
pub struct Lateness {
    /// By how much each try came after the latest time the schedule gives it; sorted.
    pub late: Vec<Duration>,
    /// The most failures of one message.
    pub deepest: usize,
}

type Row = (Uuid, i32, DateTime<Utc>, i32, Option<i16>, String);

pub async fn measure(ledger: &Ledger, scale: u32, complaints: &mut Complaints) -> anyhow::Result<Lateness> {
    let rows: Vec<Row> = sqlx::query_as(
        "select delivery_id, number, at, took_ms, status, verdict from webhook_attempt order by delivery_id, number",
    )
    .fetch_all(ledger.pool())
    .await?;
    let mut lateness = Lateness::default();
    for pair in rows.windows(2) {
        let [(id, number, at, took_ms, status, verdict), (next_id, _, next_at, ..)] = pair else { continue };
        if id != next_id {
            continue;
        }
        let number = usize::try_from(*number)?;
        lateness.deepest = lateness.deepest.max(number);
        let Some(base) = WEBHOOK_DELAYS.get(number - 1) else {
            complaints.add(format!("msg_{} was tried more often than the schedule says", id.as_simple()));
            continue;
        };
        let ended = *at + chrono::TimeDelta::milliseconds((*took_ms).into());
        let waited = (*next_at - ended).to_std().unwrap_or_default();
        let is_busy = verdict == "timed_out" || *status == Some(429);
        let (least, most) = bounds(*base, is_busy, scale);
        if waited + ROUNDING < least {
            complaints.add(format!("try {} came after {waited:?}, and not before {least:?}", number + 1));
        }
        lateness.late.push(waited.saturating_sub(most));
    }
    lateness.late.sort_unstable();
    Ok(lateness)
}

/// The earliest and the latest time of the next try.
fn bounds(base: Duration, is_busy: bool, scale: u32) -> (Duration, Duration) {
    let jitter = u32::try_from(WEBHOOK_JITTER_PERCENT).unwrap_or(0);
    let delay = if is_busy { base.max(WEBHOOK_PATIENCE_MIN) } else { base };
    let least = if is_busy { delay } else { delay * (100 - jitter) / 100 };
    (least / scale, delay * (100 + jitter) / 100 / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_try_has_an_earliest_and_a_latest_time() {
        let seconds = Duration::from_secs;
        assert_eq!(bounds(seconds(300), false, 1), (seconds(240), seconds(360)));
        assert_eq!(bounds(seconds(5), true, 1), (seconds(60), seconds(72)));
        assert_eq!(bounds(seconds(300), false, 1_000).0, Duration::from_millis(240));
    }
}
