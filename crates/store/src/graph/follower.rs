//! Following the change log from a place that outlives the one who follows: one node at a time, and the next goes on where the last
//! one was.

use super::Graph;
use super::import::{EmploymentChange, EmploymentChangeKind};
use super::log::LogHead;
use crate::StoreError;
use assay_domain::limits::FOLLOWER_LEASE;
use assay_domain::{CompanyId, Notice, PersonId};
use chrono::NaiveDate;
use sqlx::types::Json;
use uuid::Uuid;

/// A change of somebody's work, and the version of them that tells of it.
pub type ToldChange = (i64, EmploymentChange);

type ChangeRow = (
    (Uuid, i64, i16, i16),
    (Option<Uuid>, Option<String>, Option<String>),
    (Option<Uuid>, Option<String>, Option<String>),
    NaiveDate,
);

impl Graph {
    /// Where the follower of this name is, if this node may go on from there. One that was never there begins with the log.
    pub async fn follow_as(&self, name: &str, holder: Uuid) -> Result<Option<LogHead>, StoreError> {
        let place: Option<(Uuid, i64)> = sqlx::query_as(
            "update follower set holder = $2, until = now() + make_interval(secs => $3)
             where name = $1 and (holder = $2 or until is null or until < now()) returning epoch, seq",
        )
        .bind(name)
        .bind(holder)
        .bind(FOLLOWER_LEASE.as_secs_f64())
        .fetch_optional(&self.pool)
        .await?;
        if let Some((epoch, seq)) = place {
            return Ok(Some(LogHead { epoch, seq }));
        }
        sqlx::query(
            "insert into follower (name, epoch, seq) values ($1, $2, 0) on conflict (name) do nothing",
        )
        .bind(name)
        .bind(self.log_head().await?.epoch)
        .execute(&self.pool)
        .await?;
        Ok(None)
    }

    /// Moves the follower on, unless another node follows by now.
    pub async fn followed_to(&self, name: &str, holder: Uuid, place: LogHead) -> Result<(), StoreError> {
        sqlx::query("update follower set epoch = $3, seq = $4 where name = $1 and holder = $2")
            .bind(name)
            .bind(holder)
            .bind(place.epoch)
            .bind(place.seq)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// What these versions of people tell of their work.
    pub async fn employment_changes(&self, versions: &[(Uuid, i64)]) -> Result<Vec<ToldChange>, StoreError> {
        let (people, numbers): (Vec<Uuid>, Vec<i64>) = versions.iter().copied().unzip();
        let rows = sqlx::query(
            "select c.person_id, c.version, c.kind, c.source_id, c.from_company_id, c.from_company, c.from_title,
                 c.to_company_id, c.to_company, c.to_title, c.observed_on
             from unnest($1::uuid[], $2::bigint[]) as asked (person_id, version)
             join employment_change c using (person_id, version)
             order by c.person_id, c.version, c.kind",
        )
        .bind(people)
        .bind(numbers)
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| read_change(columns(row)?)).collect()
    }

    /// Notices that name a company by one of these keys, which was not known when they came.
    pub async fn unmatched_notices(
        &self,
        keys: &[i64],
        limit: i64,
    ) -> Result<Vec<(String, Notice)>, StoreError> {
        let rows: Vec<(String, Json<Notice>)> = sqlx::query_as(
            "select n.source, n.notice
             from (select distinct source, reference from signal_unmatched where key = any($1) limit $2) as found
             join signal_notice n using (source, reference)",
        )
        .bind(keys)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|(source, Json(notice))| (source, notice)).collect())
    }

    /// Whether any notice waits for its company.
    pub async fn has_unmatched_notices(&self) -> Result<bool, StoreError> {
        let any = sqlx::query_scalar("select exists (select from signal_unmatched)");
        Ok(any.fetch_one(&self.pool).await?)
    }
}

fn columns(row: &sqlx::postgres::PgRow) -> Result<ChangeRow, StoreError> {
    use sqlx::Row;
    Ok((
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?),
        (row.try_get(4)?, row.try_get(5)?, row.try_get(6)?),
        (row.try_get(7)?, row.try_get(8)?, row.try_get(9)?),
        row.try_get(10)?,
    ))
}

fn read_change(row: ChangeRow) -> Result<ToldChange, StoreError> {
    let ((person, version, kind, source), from, to, observed_on) = row;
    let side = |(company, name, title): (Option<Uuid>, Option<String>, Option<String>)| {
        (company.map(CompanyId::from_uuid), name, title)
    };
    let change = EmploymentChange {
        person: PersonId::from_uuid(person),
        kind: EmploymentChangeKind::from_number(kind)?,
        source,
        from: side(from),
        to: side(to),
        observed_on,
    };
    Ok((version, change))
}
