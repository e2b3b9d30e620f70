//! What a charge's commit writes of answered slices: all of a batch in one statement.

use super::super::op::Settled;
use super::write::{end, put_next};
use super::{AnsweredSlice, BulkCounts};
use crate::StoreError;
use assay_domain::{AccountId, BulkId};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use uuid::Uuid;

pub type Answered<'a> = (AccountId, &'a AnsweredSlice, Settled);

/// What a batch adds to one bulk job.
#[derive(Default)]
struct Sum {
    counts: BulkCounts,
    charged: i64,
    bound_reached: bool,
}

/// The leases were looked at, and their rows locked, when the charges were decided. What is left of a job whose bound is
/// reached is skipped; its slices keep it as it is: in a job that is over, pending reads as skipped.
const WRITE_ANSWERS: &str = "with done as (
    delete from job j using unnest($1::uuid[], $2::uuid[]) as d(id, account_id)
    where j.id = d.id and j.account_id = d.account_id
), stored as (
    update bulk_slice s set content = u.content
    from unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::bytea[]) as u(bulk_id, account_id, number, content)
    where s.bulk_id = u.bulk_id and s.account_id = u.account_id and s.number = u.number
)
update bulk_job b set status = 'running', paused_at = null, started_at = coalesce(b.started_at, $15),
    pending = case when u.bound_reached then 0 else b.pending - u.answered end,
    resolved = b.resolved + u.resolved, not_found = b.not_found + u.not_found, failed = b.failed + u.failed,
    skipped = b.skipped + u.skipped + case when u.bound_reached then b.pending - u.answered else 0 end,
    charged = b.charged + u.charged
from (
    select *, resolved + not_found + failed + skipped as answered
    from unnest($7::uuid[], $8::uuid[], $9::integer[], $10::integer[], $11::integer[], $12::integer[],
        $13::bigint[], $14::boolean[])
        as n(id, account_id, resolved, not_found, failed, skipped, charged, bound_reached)
) u
where b.id = u.id and b.account_id = u.account_id
returning b.id, b.account_id, b.pending = 0, b.max_credits is not null";

pub(super) async fn write_answers(
    connection: &mut PgConnection,
    answers: &[Answered<'_>],
) -> Result<(), StoreError> {
    let Some(at) = answers.iter().map(|(_, slice, _)| slice.at).max() else { return Ok(()) };
    let sums = summed(answers);
    let whole: Vec<&Answered<'_>> = answers.iter().filter(|(_, slice, _)| slice.whole).collect();
    let jobs: Vec<(Uuid, Uuid, bool, bool)> = sqlx::query_as(WRITE_ANSWERS)
        .bind(whole.iter().map(|(_, slice, _)| slice.lease.job.uuid()).collect::<Vec<_>>())
        .bind(whole.iter().map(|(account, _, _)| account.uuid()).collect::<Vec<_>>())
        .bind(answers.iter().map(|(_, slice, _)| slice.bulk.uuid()).collect::<Vec<_>>())
        .bind(answers.iter().map(|(account, _, _)| account.uuid()).collect::<Vec<_>>())
        .bind(answers.iter().map(|(_, slice, _)| slice.number).collect::<Vec<_>>())
        .bind(answers.iter().map(|(_, slice, _)| slice.content.as_slice()).collect::<Vec<_>>())
        .bind(sums.keys().map(|(_, bulk)| *bulk).collect::<Vec<_>>())
        .bind(sums.keys().map(|(account, _)| *account).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.counts.resolved).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.counts.not_found).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.counts.failed).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.counts.skipped).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.charged).collect::<Vec<_>>())
        .bind(sums.values().map(|sum| sum.bound_reached).collect::<Vec<_>>())
        .bind(at)
        .fetch_all(&mut *connection)
        .await?;
    for (bulk, account, over, bounded) in jobs {
        let (bulk, account) = (BulkId::from_uuid(bulk), AccountId::from_uuid(account));
        if over {
            end(connection, account, bulk, at, false).await?;
        } else if bounded {
            let of_this = |(_, slice, _): &&&Answered<'_>| slice.bulk == bulk;
            for (account, slice, _) in whole.iter().filter(of_this) {
                put_next(connection, *account, slice).await?;
            }
        }
    }
    Ok(())
}

/// A statement may touch a row only once.
fn summed(answers: &[Answered<'_>]) -> BTreeMap<(Uuid, Uuid), Sum> {
    let mut sums: BTreeMap<(Uuid, Uuid), Sum> = BTreeMap::new();
    for (account, slice, settled) in answers {
        let sum = sums.entry((account.uuid(), slice.bulk.uuid())).or_default();
        sum.counts.resolved += slice.counts.resolved;
        sum.counts.not_found += slice.counts.not_found;
        sum.counts.failed += slice.counts.failed;
        sum.counts.skipped += slice.counts.skipped;
        sum.charged += settled.credits.thousandths();
        sum.bound_reached |= slice.bound_reached;
    }
    sums
}
