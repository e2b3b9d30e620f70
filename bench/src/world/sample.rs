//! What is in the database after a load: how much room it takes, and whether it is what the generator makes.

use crate::bar::{Complaints, grouped, progress};
use anyhow::{Context, Result};
use assay_domain::person::Employment;
use assay_world::{SyntheticPerson, World};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use sqlx::types::Json;
use std::collections::HashMap;
use uuid::Uuid;

/// People asked for at once.
const ASKED: usize = 1_000;

type Hash = [u8; 32];
type PersonRow = (Uuid, String, String, DateTime<Utc>, Json<Vec<Job>>);

/// An employment as a person's row has it: company, title, first day and last.
#[derive(Deserialize)]
struct Job {
    n: String,
    t: String,
    a: Option<String>,
    z: Option<String>,
}

pub async fn database_bytes(pool: &PgPool) -> Result<u64> {
    let bytes: i64 =
        sqlx::query_scalar("select pg_database_size(current_database())").fetch_one(pool).await?;
    Ok(u64::try_from(bytes)?)
}

/// Tells what each table takes for a person, the largest first.
pub async fn tell_tables(pool: &PgPool, people: u64) -> Result<()> {
    let tables: Vec<(String, i64, i64)> = sqlx::query_as(
        "select relname::text, pg_table_size(oid), pg_indexes_size(oid) from pg_class
         where relkind = 'r' and relnamespace = 'public'::regnamespace
         order by pg_total_relation_size(oid) desc limit 6",
    )
    .fetch_all(pool)
    .await?;
    for (table, rows, indexes) in tables {
        let each = |bytes: i64| u64::try_from(bytes).map(|bytes| bytes / people.max(1));
        progress(format!("{table}: {} bytes a person, its indexes {}", each(rows)?, each(indexes)?));
    }
    Ok(())
}

/// Reads people back from all over the world and compares their digest with that of what the generator makes.
pub async fn compare(pool: &PgPool, world: &World, wanted: u64, complaints: &mut Complaints) -> Result<()> {
    let counts: (i64, i64) =
        sqlx::query_as("select (select count(*) from person), (select count(*) from company)")
            .fetch_one(pool)
            .await?;
    if counts.0 != i64::try_from(world.people_count())? {
        complaints.add(format!("{} people were loaded of {}", counts.0, world.people_count()));
    }
    // An installation has a few companies of its own.
    if counts.1 < i64::try_from(world.company_count())? {
        complaints.add(format!("{} companies were loaded of {}", counts.1, world.company_count()));
    }
    let step = usize::try_from((world.people_count() / wanted.max(1)).max(1))?;
    let indexes: Vec<u64> = (0..world.people_count()).step_by(step).collect();
    let (mut held, mut made) = (Sha256::new(), Sha256::new());
    for asked in indexes.chunks(ASKED) {
        let people: Vec<SyntheticPerson> = asked.iter().map(|index| world.person(*index)).collect();
        let stored = read(pool, people.iter().map(|person| person.id.uuid()).collect()).await?;
        for (index, person) in asked.iter().zip(people) {
            let wanted = of_made(&person)?;
            let found = stored.get(&person.id.uuid()).copied();
            if found != Some(wanted) {
                complaints.add(format!("person {index} is not in the database as the generator makes it"));
            }
            held.update(found.unwrap_or_default());
            made.update(wanted);
        }
    }
    let same = if held.finalize() == made.finalize() { "the same" } else { "another" };
    progress(format!("{} people read back: {same} digest as the generator's", grouped(indexes.len())));
    Ok(())
}

/// The digests of stored people.
async fn read(pool: &PgPool, ids: Vec<Uuid>) -> Result<HashMap<Uuid, Hash>> {
    let people: Vec<PersonRow> = sqlx::query_as(
        "select id, facts::text, provenance::text, refreshed_at, experience from person where id = any($1)",
    )
    .bind(&ids)
    .fetch_all(pool)
    .await
    .context("cannot read people back")?;
    let digest = |(id, facts, provenance, refreshed_at, Json(jobs)): PersonRow| {
        let career: String =
            jobs.iter().map(|job| job_line(&job.n, &job.t, job.a.as_deref(), job.z.as_deref())).collect();
        (id, digest([&facts, &provenance, &refreshed_at.to_rfc3339(), &career]))
    };
    Ok(people.into_iter().map(digest).collect())
}

fn of_made(person: &SyntheticPerson) -> Result<Hash> {
    let line = |job: &Employment| {
        let [from, to] = [job.started_on, job.ended_on].map(|day| day.map(|day| day.to_string()));
        job_line(&job.company_name, &job.title, from.as_deref(), to.as_deref())
    };
    let career: String = person.experience.iter().map(line).collect();
    let (facts, provenance) =
        (serde_json::to_string(&person.facts)?, serde_json::to_string(&person.provenance)?);
    Ok(digest([&facts, &provenance, &person.refreshed_at.to_rfc3339(), &career]))
}

fn job_line(company: &str, title: &str, from: Option<&str>, to: Option<&str>) -> String {
    format!("{company}|{title}|{from:?}|{to:?}\n")
}

fn digest(parts: [&str; 4]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
        hasher.update([0]);
    }
    hasher.finalize().into()
}
