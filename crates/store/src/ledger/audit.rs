//! The audit: the ledger's invariants as queries over the stored rows. `assay doctor` runs it, and so does every test.

use super::Ledger;
use crate::StoreError;
use crate::pool::begin_with;
use sqlx::Row;

/// Rows that break an invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub invariant: &'static str,
    pub detail: String,
}

/// Each query answers one text a violation. The names follow docs/ledger.md; I1 is not here, because a posting that is
/// both halves of a movement cannot break it.
const CHECKS: &[(&str, &str)] = &[
    (
        "I2 the stored balance is the sum of the postings",
        "-- all accounts: an audit sees everything
         select format('account %s: available %s of %s, held %s of %s', b.account_id, b.available, p.available, b.held, p.held)
         from balance b left join (
             select account_id,
                 sum(case when to_side = 1 then amount when from_side = 1 then -amount else 0 end) as available,
                 sum(case when to_side = 2 then amount when from_side = 2 then -amount else 0 end) as held
             from posting group by account_id) p using (account_id)
         where b.available <> coalesce(p.available, 0) or b.held <> coalesce(p.held, 0)",
    ),
    (
        "I2 the stored held amount is the sum of the open holds",
        "-- all accounts: an audit sees everything
         select format('account %s holds %s, open holds say %s', b.account_id, b.held, h.amount)
         from balance b left join (
             select account_id, sum(amount) as amount from hold where state = 'open' group by account_id) h using (account_id)
         where b.held <> coalesce(h.amount, 0)",
    ),
    (
        "I2 what is left of the lots is the balance, lot by lot",
        "-- all accounts: an audit sees everything
         select format('account %s lot %s has %s, postings say %s', account_id, lot_id, stored, booked) from (
             select account_id, lot_id, coalesce(sum(stored), 0) as stored, coalesce(sum(booked), 0) as booked from (
                 select account_id, (lot ->> 'l')::uuid as lot_id, (lot ->> 'n')::bigint as stored, 0 as booked
                 from balance, jsonb_array_elements(lots) lot
                 union all
                 select account_id, lot_id, 0,
                     case when to_side = 1 then amount when from_side = 1 then -amount else 0 end from posting) both_sides
             group by account_id, lot_id) lots where stored <> booked",
    ),
    (
        "I3 nothing is below zero",
        "select format('account %s', account_id) from balance where available < 0 or held < 0",
    ),
    (
        "I4 a hold ends at most once, and its postings say so",
        "-- all accounts: an audit sees everything
         select format('hold %s is %s, of %s went out %s', h.id, h.state, h.amount, p.ended)
         from hold h left join (
             select account_id, hold_id, sum(amount) as ended from posting where from_side = 2 group by account_id, hold_id) p
             on p.account_id = h.account_id and p.hold_id = h.id
         where coalesce(p.ended, 0) <> case when h.state = 'open' then 0 else h.amount end",
    ),
    (
        "I5 captured is at most what was held, and is what the postings say",
        "-- all accounts: an audit sees everything
         select format('hold %s captured %s, postings say %s', h.id, h.captured, p.captured)
         from hold h left join (
             select account_id, hold_id, sum(amount) as captured from posting where kind = 2 group by account_id, hold_id) p
             on p.account_id = h.account_id and p.hold_id = h.id
         where h.captured <> coalesce(p.captured, 0) or h.captured > h.amount",
    ),
    (
        "I8 every charge names a call in history that says the same, and the other way round",
        "-- all accounts: an audit sees everything
         select format('request %s of %s: history %s, postings %s', id, account_id, said, booked) from (
             select account_id, id, sum(said) as said, sum(booked) as booked from (
                 select account_id, id, credits as said, 0 as booked from history
                 union all
                 select account_id, request_id, 0, amount from posting where kind in (2, 4)) both_sides
             where id >= coalesce((select history_from from ledger_meta), '00000000-0000-0000-0000-000000000000')
             group by account_id, id) calls where said <> booked",
    ),
    (
        "I10 the balance a call was told is the running balance of that version",
        "-- all accounts: an audit sees everything
         with running as (
             select account_id, version,
                 sum(sum(case when to_side = 1 then amount when from_side = 1 then -amount else 0 end))
                     over (partition by account_id order by version) as balance
             from posting group by account_id, version)
         select format('request %s was told %s at version %s, the postings say %s', h.id, h.balance_after,
             h.balance_version, r.balance)
         from history h left join running r on r.account_id = h.account_id and r.version = h.balance_version
         where h.balance_after <> coalesce(r.balance, 0)",
    ),
    (
        "I11 a lot belongs to one account",
        "-- all accounts: an audit sees everything
         select format('lot %s', p.lot_id) from posting p join credit_lot l on l.id = p.lot_id
         where l.account_id <> p.account_id",
    ),
    (
        "I12 an account's credits are marked low exactly while they are",
        "select format('account %s has %s, its mark is %s, it is low since %s', account_id, available, low_mark, low_since)
         from balance where (available < low_mark) <> (low_since is not null)",
    ),
];

impl Ledger {
    /// Every broken invariant, at most 20 rows of each, all seen at one moment.
    pub async fn audit(&self) -> Result<Vec<Violation>, StoreError> {
        let mut violations = Vec::new();
        let mut snapshot = begin_with(&self.pool, "begin isolation level repeatable read read only").await?;
        // A ledger of millions of calls takes longer to add up than any call may take.
        sqlx::query("set local statement_timeout = '1h'").execute(&mut *snapshot).await?;
        sqlx::query("set local enable_seqscan = on").execute(&mut *snapshot).await?;
        for (invariant, sql) in CHECKS {
            let limited = sqlx::AssertSqlSafe(format!("{sql} limit 20"));
            for row in sqlx::query(limited).fetch_all(&mut *snapshot).await? {
                violations.push(Violation { invariant, detail: row.try_get(0)? });
            }
        }
        snapshot.rollback().await?;
        Ok(violations)
    }
}
