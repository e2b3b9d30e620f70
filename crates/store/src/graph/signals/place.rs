//! How signals get their places in the feed: with the numbers of the change log, by the one who gives them.

use crate::StoreError;
use crate::graph::log::EntityKind;
use crate::graph::suppression::hold_off_erasing;
use sqlx::postgres::PgConnection;

/// Puts the signals among the lines after `head` into the feed, each at its newest line, as it is now. What is there with this
/// revision already, because it was read early, stays where it is: nobody is shown a revision twice.
pub(in crate::graph) async fn place(connection: &mut PgConnection, head: i64) -> Result<(), StoreError> {
    // Whoever was erased while this waited is gone when the next statement looks.
    hold_off_erasing(connection).await?;
    sqlx::query(
        "insert into signal_feed as shown (signal_id, seq, revision, kind, detected_at, occurred_at, domain, other_domain,
             country, industry, department, stage, amount, applicants, body)
         select id, seq, revision, kind, detected_at, occurred_at, domain, other_domain, country, industry, department,
             stage, amount, applicants, body
         from (select entity_id, max(seq) as seq from change_log where seq > $1 and entity_kind = $2 group by entity_id) as line
         join signal on id = entity_id
         on conflict (signal_id) do update set
             seq = excluded.seq, revision = excluded.revision, occurred_at = excluded.occurred_at,
             domain = excluded.domain, other_domain = excluded.other_domain, country = excluded.country,
             industry = excluded.industry, department = excluded.department, stage = excluded.stage,
             amount = excluded.amount, applicants = excluded.applicants, body = excluded.body
         where shown.revision < excluded.revision",
    )
    .bind(head)
    .bind(EntityKind::Signal.number())
    .execute(&mut *connection)
    .await?;
    // What became part of another signal has no place any more.
    sqlx::query(
        "delete from signal_feed as shown using change_log as line
         where line.seq > $1 and line.entity_kind = $2 and shown.signal_id = line.entity_id
           and not exists (select from signal where id = shown.signal_id)",
    )
    .bind(head)
    .bind(EntityKind::Signal.number())
    .execute(connection)
    .await?;
    Ok(())
}
