//! What a run cost the machine: processor time of the service and of PostgreSQL, bytes of log written, syncs to disk.

use anyhow::{Context, Result};
use assay_testkit::Postgres;

/// Counters that only grow; a run's cost is the difference of two readings.
#[derive(Debug, Clone, Copy)]
pub struct Meters {
    service_ms: f64,
    postgres_ms: f64,
    wal_bytes: f64,
    syncs: f64,
}

/// The cost of one call.
#[derive(Debug, Clone, Copy)]
pub struct PerCall {
    pub service_ms: f64,
    pub postgres_ms: f64,
    pub wal_bytes: f64,
    pub syncs: f64,
}

impl Meters {
    pub fn read(postgres: &Postgres, service: Option<u32>) -> Result<Self> {
        let postmaster = postgres.postmaster_pid()?;
        let row = postgres.psql(
            "postgres",
            "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text || ' ' || wal_sync from pg_stat_wal",
        )?;
        let (bytes, syncs) = row.trim().split_once(' ').context("no WAL figures")?;
        Ok(Self {
            service_ms: service.map_or(0.0, |pid| cpu_ms(pid).unwrap_or(0.0)),
            postgres_ms: family_cpu_ms(postmaster)?,
            wal_bytes: bytes.parse()?,
            syncs: syncs.parse()?,
        })
    }

    pub fn per_call(self, since: Self, calls: usize) -> PerCall {
        let calls = f64::from(u32::try_from(calls.max(1)).unwrap_or(u32::MAX));
        PerCall {
            service_ms: (self.service_ms - since.service_ms) / calls,
            postgres_ms: (self.postgres_ms - since.postgres_ms) / calls,
            wal_bytes: (self.wal_bytes - since.wal_bytes) / calls,
            syncs: (self.syncs - since.syncs) / calls,
        }
    }
}

/// The postmaster, its children that live, and those that ended: the kernel adds the dead to their parent.
pub fn family_cpu_ms(postmaster: u32) -> Result<f64> {
    let dead = stat_fields(postmaster, 15..17).unwrap_or(0.0);
    Ok(dead + family(postmaster)?.into_iter().filter_map(cpu_ms).sum::<f64>())
}

/// The postmaster and its children that live.
pub fn family(postmaster: u32) -> Result<Vec<u32>> {
    let mut family = vec![postmaster];
    for entry in std::fs::read_dir("/proc")? {
        let Ok(pid) = entry?.file_name().to_string_lossy().parse::<u32>() else { continue };
        if parent(pid) == Some(postmaster) {
            family.push(pid);
        }
    }
    Ok(family)
}

/// Of one process, while it lives.
pub fn cpu_ms(pid: u32) -> Option<f64> {
    stat_fields(pid, 13..15)
}

/// Sums fields of /proc/PID/stat, which count hundredths of a second.
fn stat_fields(pid: u32, fields: std::ops::Range<usize>) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let rest: Vec<&str> = rest.split(' ').collect();
    // The name is field 2; what follows it starts at field 3.
    let ticks: f64 = fields.filter_map(|field| rest.get(field - 2)?.parse::<f64>().ok()).sum();
    Some(ticks * 10.0)
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
