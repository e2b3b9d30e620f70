//! Who claimed which slice and when, written down by the database itself: no look from outside comes too late.

use super::Death;
use super::crew::LIFE;
use crate::bar::Complaints;
use anyhow::Result;
use assay_store::Ledger;
use chrono::{DateTime, Utc};
use std::collections::HashMap;
use std::time::Duration;
use uuid::Uuid;

type SeenRow = (Uuid, i32, Option<String>, DateTime<Utc>, bool);

/// A worker's connections carry the name of its life as a setting.
const WATCH: &str = "create unlogged table bar_claim (
        job uuid not null, attempt integer not null, life text, at timestamptz not null, primary key (job, attempt));
    create function note_claim() returns trigger language plpgsql as $$
    begin
        insert into bar_claim values (new.id, new.attempt, current_setting('LIFE', true), clock_timestamp());
        return null;
    end $$;
    create trigger bar_claim after update of attempt on job for each row when (new.attempt > old.attempt)
        execute function note_claim()";

/// Makes the database write claims down from now on.
pub async fn watch(ledger: &Ledger) -> Result<()> {
    let sql = WATCH.replace("LIFE", LIFE);
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(ledger.pool()).await?;
    Ok(())
}

/// The life of a worker that has a slice in hand right now.
pub async fn working(ledger: &Ledger) -> Result<Option<String>> {
    let life = sqlx::query_scalar(
        "select c.life from job j join bar_claim c on c.job = j.id and c.attempt = j.attempt
         where j.state = 'running' order by random() limit 1",
    )
    .fetch_optional(ledger.pool())
    .await?;
    Ok(life)
}

/// What became of the slices that dead workers had in hand.
pub struct Picked {
    pub orphans: usize,
    /// From a kill to the next claim.
    pub longest: Duration,
    /// Claimed again though their worker lived: it gave them back, or was too slow to keep them.
    pub given_back: usize,
}

/// One claim of a slice.
#[derive(Debug, Clone)]
struct Claim {
    job: Uuid,
    attempt: i32,
    life: String,
    at: DateTime<Utc>,
    /// Whether the slice is still in the queue.
    left: bool,
}

pub async fn picked_up(ledger: &Ledger, deaths: &[Death], complaints: &mut Complaints) -> Result<Picked> {
    let rows: Vec<SeenRow> = sqlx::query_as(
        "select c.job, c.attempt, c.life, c.at, exists (select from job j where j.id = c.job) from bar_claim c",
    )
    .fetch_all(ledger.pool())
    .await?;
    let claims = rows.into_iter().map(|(job, attempt, life, at, left)| Claim {
        job,
        attempt,
        life: life.unwrap_or_default(),
        at,
        left,
    });
    Ok(sort(&claims.collect::<Vec<_>>(), deaths, complaints))
}

fn sort(claims: &[Claim], deaths: &[Death], complaints: &mut Complaints) -> Picked {
    let died: HashMap<&str, DateTime<Utc>> = deaths.iter().map(|death| (&*death.life, death.at)).collect();
    let next: HashMap<(Uuid, i32), DateTime<Utc>> =
        claims.iter().map(|claim| ((claim.job, claim.attempt), claim.at)).collect();
    let mut picked = Picked { orphans: 0, longest: Duration::ZERO, given_back: 0 };
    for claim in claims {
        let death = died.get(&*claim.life).copied();
        match (next.get(&(claim.job, claim.attempt + 1)), death) {
            // A claim that was on its way when its worker died may be committed after the death.
            (Some(again), Some(death)) if *again > death => {
                picked.orphans += 1;
                let waited = *again - death.max(claim.at);
                picked.longest = picked.longest.max(waited.to_std().unwrap_or_default());
            }
            (Some(_), _) => picked.given_back += 1,
            // Nobody claimed it after this one: then this one ended it.
            (None, _) if claim.left => complaints.add(format!("nobody finished {claim:?}")),
            (None, _) => {}
        }
    }
    picked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_000_000 + seconds, 0).unwrap()
    }

    fn claim(job: u128, attempt: i32, life: &str, at: i64) -> Claim {
        Claim { job: Uuid::from_u128(job), attempt, life: life.into(), at: moment(at), left: false }
    }

    #[test]
    fn an_orphan_waits_from_its_workers_death_to_the_next_claim() {
        let claims = [
            claim(1, 1, "a", 0),
            claim(1, 2, "b", 16),
            // Ended by the one who died later.
            claim(2, 1, "a", 0),
            // Given back before the death.
            claim(3, 1, "a", 0),
            claim(3, 2, "b", 2),
            // Lost by one that lives.
            claim(4, 1, "b", 0),
            claim(4, 2, "c", 9),
            Claim { left: true, ..claim(5, 1, "b", 0) },
        ];
        let deaths = [Death { life: "a".into(), at: moment(3) }];
        let mut complaints = Complaints::default();
        let Picked { orphans, longest, given_back } = sort(&claims, &deaths, &mut complaints);
        assert_eq!((orphans, longest, given_back), (1, Duration::from_secs(13), 2));
        assert_eq!(complaints.count(), 1);
    }
}
