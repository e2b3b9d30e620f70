//! Bare engine (a): pgbench runs one call as one transaction in one round trip, with the same reads and writes.

use super::load::Load;
use super::targets::Targets;
use crate::rig::{BOTH, Rig};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// One call. The key, account and plan are read as the authenticator reads them, the person as the resolver does; the
/// balance is charged under its own lock, and posting, history and the resolved person are written with it.
const CALL: &str = r"\set n random(1, :calls)
with target as materialized (
    select key_id, digest from bench_target where n = :n
), key as materialized (
    select k.id, k.account_id, k.secret_hash, k.scopes, k.ip_allow, k.monthly_cap, k.expires_at, k.revoked_at, a.plan,
        a.trial_ends_at, least(k.requests_per_minute, p.requests_per_minute) as rate
    from target t join api_key k on k.id = t.key_id join account a on a.id = k.account_id join plan p on p.name = a.plan
), found as materialized (
    select p.id, p.version, p.facts, p.provenance, p.experience, p.refreshed_at
    from target t join identity i on i.digest = t.digest join person p on p.id = i.entity_id
), charged as (
    update balance b set available = b.available - 1000, version = b.version + 1,
        lots = jsonb_set(b.lots, '{0,n}', to_jsonb((b.lots -> 0 ->> 'n')::bigint - 1000))
    from key where b.account_id = key.account_id and b.available >= 1000
    returning b.account_id, b.available, b.version, (b.lots -> 0 ->> 'l')::uuid as lot_id
), request as materialized (
    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(random()::text), 1, 19))::uuid as id
), booked as (
    insert into posting (account_id, version, ordinal, kind, from_side, to_side, amount, lot_id, request_id)
    select c.account_id, c.version, 0, 4, 1, 3, 1000, c.lot_id, r.id from charged c, request r
), told as (
    insert into history (id, account_id, key_id, at, endpoint, status, found, credits, balance_after, balance_version,
        latency_us, cached, providers, subjects)
    select r.id, c.account_id, k.id, now(), 'enrich', 200, true, 1000, c.available, c.version, 1000, false,
        array['graph'], array[f.id]
    from charged c, key k, found f, request r
), kept as (
    insert into resolved_person as r (account_id, person_id, first_at, last_at, endpoints)
    select c.account_id, f.id, now(), now(), array['enrich'] from charged c, found f
    on conflict (account_id, person_id) do update set last_at = greatest(r.last_at, excluded.last_at),
        endpoints = case when r.endpoints @> excluded.endpoints then r.endpoints else r.endpoints || excluded.endpoints end
)
select key.*, found.*, charged.*, company.card
from key, charged, found left join company on company.id = (found.experience -> 0 ->> 'c')::uuid;
";

/// The table pgbench draws its calls from. It stands for what a request brings along: a key's id and an identifier.
pub async fn prepare(rig: &Rig, targets: &Targets, pool: &sqlx::PgPool) -> Result<()> {
    rig.postgres
        .psql(BOTH, "create table ledger.bench_target (n bigint primary key, key_id text, digest bytea)")?;
    for (chunk_number, chunk) in targets.calls.chunks(10_000).enumerate() {
        let first = i64::try_from(chunk_number * 10_000)?;
        let numbers: Vec<i64> = (first + 1..).take(chunk.len()).collect();
        let keys: Vec<&str> = chunk.iter().map(|call| targets.payers[call.payer].key.as_str()).collect();
        let digests: Vec<&[u8]> = chunk.iter().map(|call| &call.digest.as_bytes()[..]).collect();
        sqlx::query("insert into bench_target select * from unnest($1::bigint[], $2::text[], $3::bytea[])")
            .bind(numbers)
            .bind(keys)
            .bind(digests)
            .execute(pool)
            .await?;
    }
    rig.postgres.psql(BOTH, "vacuum analyze ledger.bench_target")?;
    Ok(())
}

/// Runs pgbench with prepared statements, as fast as it can.
pub fn run(rig: &Rig, targets: &Targets, clients: usize, seconds: u64) -> Result<Load> {
    let folder = tempfolder()?;
    let script = folder.join("call.sql");
    std::fs::write(&script, CALL)?;
    let mut url = rig.postgres.url(BOTH);
    write!(url, "?options=-csearch_path%3Dledger,graph")?;
    let prefix = folder.join("log");
    let output = Command::new(pgbench_path())
        .args(["-n", "-M", "prepared", "-j", "2", "-l"])
        .args(["-c", &clients.to_string(), "-T", &seconds.to_string()])
        .args(["-D", &format!("calls={}", targets.calls.len())])
        .arg(format!("--log-prefix={}", prefix.display()))
        .arg("-f")
        .arg(&script)
        .arg(&url)
        .output()
        .context("cannot run pgbench")?;
    let printed =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success() && !printed.contains("ERROR"), "pgbench failed: {printed}");
    let mut latencies = read_logs(&folder)?;
    latencies.sort_unstable();
    std::fs::remove_dir_all(&folder)?;
    let tps = printed.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    Ok(Load {
        calls: latencies.len(),
        per_second: tps.with_context(|| format!("pgbench printed no tps: {printed}"))?,
        p50: super::percentile(&latencies, 50),
        p99: super::percentile(&latencies, 99),
    })
}

/// The third column of pgbench's log is the transaction's time in microseconds.
fn read_logs(folder: &Path) -> Result<Vec<Duration>> {
    let mut latencies = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log")) {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let micros = text.lines().filter_map(|line| line.split(' ').nth(2)?.parse().ok());
        latencies.extend(micros.map(Duration::from_micros));
    }
    Ok(latencies)
}

fn tempfolder() -> Result<std::path::PathBuf> {
    let folder = std::env::temp_dir().join(format!("assay-pgbench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Debian keeps the server's programs out of the path.
fn pgbench_path() -> std::path::PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions.map(|version| version.path().join("bin/pgbench")).find(|path| path.exists());
    found.unwrap_or_else(|| "pgbench".into())
}
