//! What the jobs cost, in every place where it is written down.

use super::Submitted;
use crate::bar::Complaints;
use crate::rig::Rig;
use anyhow::Result;
use assay_store::Ledger;
use std::collections::BTreeMap;

/// What was booked for the bulk jobs of an account, in thousandths.
#[derive(Debug, PartialEq, Eq, sqlx::FromRow)]
struct Booked {
    jobs: i64,
    history: i64,
    postings: i64,
    given_back: i64,
    /// People that were charged for, and how many different ones that are.
    people: i64,
    different: i64,
    unanswered: i64,
}

/// Holds what every account was charged against its orders, and returns how many charges there are. No account asked for
/// anybody in two items that are paid for, so each person may appear in one charge only.
pub async fn check(
    ledger: &Ledger,
    rig: &Rig,
    jobs: &[Submitted],
    complaints: &mut Complaints,
) -> Result<usize> {
    let mut paid: BTreeMap<usize, usize> = BTreeMap::new();
    for job in jobs {
        *paid.entry(job.order.account).or_default() += job.order.paid();
    }
    let mut charges = 0;
    for (account, items) in paid {
        let booked: Booked =
            sqlx::query_as(BOOKED).bind(rig.accounts[account].id.uuid()).fetch_one(ledger.pool()).await?;
        let people = i64::try_from(items)?;
        let charged = people * assay_service::BULK_PRICE.thousandths();
        let right = Booked {
            jobs: charged,
            history: charged,
            postings: charged,
            given_back: 0,
            people,
            different: people,
            unanswered: 0,
        };
        if booked != right {
            complaints.add(format!("account {account}: {booked:?} instead of {right:?}"));
        }
        charges += usize::try_from(booked.different)?;
    }
    Ok(charges)
}

const BOOKED: &str = "select
    (select coalesce(sum(charged), 0)::bigint from bulk_job where account_id = $1) as jobs,
    (select coalesce(sum(credits), 0)::bigint from history where account_id = $1 and endpoint = 'bulk-enrich') as history,
    (select coalesce(sum(amount), 0)::bigint from posting where account_id = $1 and kind in (2, 4)) as postings,
    (select coalesce(sum(amount), 0)::bigint from posting where account_id = $1 and kind = 5) as given_back,
    (select count(*) from history, unnest(subjects) person
     where account_id = $1 and endpoint = 'bulk-enrich' and credits > 0) as people,
    (select count(distinct person) from history, unnest(subjects) person
     where account_id = $1 and endpoint = 'bulk-enrich' and credits > 0) as different,
    (select count(*) from job where account_id = $1) as unanswered";

/// What dead workers held. It ends by itself, after its lifetime.
pub async fn open_holds(ledger: &Ledger) -> Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from hold where state = 'open'").fetch_one(ledger.pool()).await?)
}
