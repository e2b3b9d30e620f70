//! The bar `csv`: no cell of an export runs in a spreadsheet, none is changed, and a million rows need no memory.

mod cells;
mod download;
mod office;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::{Account, Folder, Rig, RigOptions, Server};
use anyhow::{Context, ensure};
use assay_domain::{Clock, RequestId};
use assay_store::Ledger;
use assay_testkit::{PostgresOptions, Stopwatch};
use cells::{HostileRow, hostile_rows};
use download::download;
use office::{Checker, Import};
use std::io::Write;
use std::time::Duration;
use uuid::Uuid;

/// Cells a row can be made hostile in.
const CELLS_A_ROW: usize = 4;
const CELLS: usize = 10_000;
const CELLS_SHORT: usize = 500;
const ROWS: usize = 1_000_000;
const ROWS_SHORT: usize = 50_000;
/// Rows inserted by one statement.
const INSERT_ROWS: usize = 100_000;
const MEMORY_MB_MAX: u64 = 64;
const EXPORT: &str = "/v1/me/history/export";

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let (cells, rows) = if short { (CELLS_SHORT, ROWS_SHORT) } else { (CELLS, ROWS) };
    let folder = Folder::make("csv")?;
    let checker = Checker::prepare(&folder, short)?;
    // What is measured here does not depend on the disk, and must not depend on fresh statistics.
    let fast = [("fsync", "off"), ("max_wal_size", "8GB"), ("autovacuum", "off")];
    let postgres = PostgresOptions::with_settings(&fast);
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 2,
        people: 100,
        postgres,
        one_database: false,
    })?;
    let ledger = rig.ledger().await?;
    let [hostile, large] = rig.accounts.as_slice() else { anyhow::bail!("the rig has no two accounts") };
    let server = rig.serve(&[])?;

    let mut complaints = Complaints::default();
    let found = check_cells(&ledger, &server, hostile, (&checker, &folder), cells / CELLS_A_ROW).await?;
    if found.rows_wrong > 0 {
        complaints.add(format!("{} rows are missing or in the wrong place", found.rows_wrong));
    }
    let size = check_size(&ledger, &server, large, rows).await?;
    if size.rows != rows {
        complaints.add(format!("{} of {rows} rows were exported", size.rows));
    }
    let figure = format!(
        "csv: {} cells, {} formulas, {} changed ({}); {} rows in {:.1} s with {} MB (bar {MEMORY_MB_MAX})",
        grouped(cells),
        found.formulas,
        found.changed,
        checker.readers(),
        grouped(size.rows),
        size.took.as_secs_f64(),
        size.memory_mb,
    );
    let passed =
        complaints.is_empty() && found.formulas == 0 && found.changed == 0 && size.memory_mb <= MEMORY_MB_MAX;
    Ok(Verdict { figure, passed })
}

/// What the readers made of the hostile export.
#[derive(Debug, Default)]
struct Found {
    formulas: usize,
    changed: usize,
    rows_wrong: usize,
}

async fn check_cells(
    ledger: &Ledger,
    server: &Server,
    account: &Account,
    (checker, folder): (&Checker, &Folder),
    rows: usize,
) -> anyhow::Result<Found> {
    let rows = hostile_rows(rows);
    insert_hostile(ledger, account, &rows).await.context("cannot put the hostile cells into history")?;
    let expected = folder.path.join("expected.json");
    // Newest first, as the export has them.
    std::fs::write(&expected, serde_json::to_vec(&rows.iter().rev().collect::<Vec<_>>())?)?;
    let export = folder.path.join("export.csv");
    let mut file = std::fs::File::create(&export)?;
    let whole =
        download(server.address, EXPORT, &account.api_key, |piece| Ok(file.write_all(piece)?)).await?;
    ensure!(whole, "the export of the hostile cells broke off");
    let mut found = Found::default();
    let mut add = |reader: &str, said: office::Report| {
        progress(format!("{reader}: {said:?}"));
        found.formulas += said.formulas;
        found.changed += said.changed;
        found.rows_wrong += said.rows_wrong;
    };
    add("python", checker.read_plain(&export, &expected)?);
    if checker.has_office() {
        checker.check_itself(folder)?;
        add("libreoffice, as text", checker.import(&export, &expected, Import::AsText)?);
        add("libreoffice, by default", checker.import(&export, &expected, Import::Default)?);
        add("libreoffice, told to run formulas", checker.import(&export, &expected, Import::Evaluating)?);
    }
    Ok(found)
}

async fn insert_hostile(ledger: &Ledger, account: &Account, rows: &[HostileRow]) -> anyhow::Result<()> {
    let column = |of: fn(&HostileRow) -> &str| rows.iter().map(|row| of(row).to_owned()).collect::<Vec<_>>();
    sqlx::query(
        "insert into api_key (id, account_id, name, mode, secret_hash, scopes)
         select u.id, $1, u.name, 'live', '', '{}' from unnest($2::text[], $3::text[]) as u(id, name)",
    )
    .bind(account.id.uuid())
    .bind(column(|row| &row.key_id))
    .bind(column(|row| &row.key_name))
    .execute(ledger.pool())
    .await?;
    sqlx::query(
        "insert into history (id, account_id, key_id, at, endpoint, status, found, credits, balance_after,
             balance_version, latency_us, cached, providers, subjects)
         select u.id, $1, u.key_id, now(), u.endpoint, 200, true, 0, 0, 0, 1000, false, array[u.provider], '{}'
         from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as u(id, key_id, endpoint, provider)",
    )
    .bind(account.id.uuid())
    .bind(rows.iter().map(|row| row.id.uuid()).collect::<Vec<Uuid>>())
    .bind(column(|row| &row.key_id))
    .bind(column(|row| &row.endpoint))
    .bind(column(|row| &row.provider))
    .execute(ledger.pool())
    .await?;
    Ok(())
}

struct Size {
    rows: usize,
    took: Duration,
    /// What the server's memory grew by at its highest.
    memory_mb: u64,
}

async fn check_size(
    ledger: &Ledger,
    server: &Server,
    account: &Account,
    rows: usize,
) -> anyhow::Result<Size> {
    progress(format!("putting {} rows into history", grouped(rows)));
    let now = Clock::system().now();
    let first = RequestId::mint(now).uuid().as_u128() >> 80 << 80;
    for start in (0..rows).step_by(INSERT_ROWS) {
        let count = INSERT_ROWS.min(rows - start);
        insert_plain(ledger, account, Uuid::from_u128(first), start..start + count).await?;
    }
    let before = memory_kb(server.pid(), "VmRSS")?;
    // 5 sets the high-water mark to what is used now.
    std::fs::write(format!("/proc/{}/clear_refs", server.pid()), "5").context("cannot reset VmHWM")?;
    let watch = Stopwatch::start();
    let (mut lines, mut bytes) = (0, 0);
    let whole = download(server.address, EXPORT, &account.api_key, |piece| {
        lines += piece.iter().filter(|byte| **byte == b'\n').count();
        bytes += piece.len();
        Ok(())
    })
    .await?;
    let took = watch.elapsed();
    ensure!(whole, "the large export broke off");
    let peak = memory_kb(server.pid(), "VmHWM")?;
    let memory_mb = peak.saturating_sub(before).div_ceil(1024);
    progress(format!(
        "{} bytes in {took:?}; the server had {} MB before, {} MB at its peak",
        grouped(bytes),
        before / 1024,
        peak / 1024
    ));
    Ok(Size { rows: lines.saturating_sub(1), took, memory_mb })
}

/// Ids count up within one millisecond's ids; nothing else asks for their order.
async fn insert_plain(
    ledger: &Ledger,
    account: &Account,
    first: Uuid,
    numbers: std::ops::Range<usize>,
) -> anyhow::Result<()> {
    sqlx::query(
        "insert into history (id, account_id, key_id, at, endpoint, status, found, credits, balance_after,
             balance_version, latency_us, cached, providers, subjects)
         select (left($2::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $1, 'bar', now(), 'enrich', 200, true, 0,
             100000000 - n, 0, n % 250000, n % 7 = 0, '{graph}', '{}'
         from generate_series($3::bigint, $4::bigint - 1) n",
    )
    .bind(account.id.uuid())
    .bind(first)
    .bind(i64::try_from(numbers.start)?)
    .bind(i64::try_from(numbers.end)?)
    .execute(ledger.pool())
    .await
    .context("cannot put rows into history")?;
    Ok(())
}

fn memory_kb(pid: u32, field: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let figure = line.and_then(|line| line.split_whitespace().next()).context("no such figure in status")?;
    Ok(figure.parse()?)
}
