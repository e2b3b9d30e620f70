//! Runs SQL through psql, so that the test kit needs no database driver.

use std::io::Write;
use std::process::Stdio;

use anyhow::{Context, bail};

use crate::binaries::Binaries;

/// Runs the statements, each in a transaction of its own, and returns the rows (`a|b` a line, no header).
pub fn psql(url: &str, sql: &str) -> anyhow::Result<String> {
    let mut child = Binaries::find()?
        .psql()
        .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-", url])
        .env("PGCONNECT_TIMEOUT", "10")
        .env_remove("PGOPTIONS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot run psql")?;
    let mut input = child.stdin.take().context("psql has no standard input")?;
    let sql = sql.to_owned();
    // Written from the side: psql may fill its output pipe before it has read all of a long input.
    let writer = std::thread::spawn(move || input.write_all(sql.as_bytes()));
    let output = child.wait_with_output().context("psql did not finish")?;
    let written = writer.join();
    if !output.status.success() {
        bail!("psql: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    if !matches!(written, Ok(Ok(()))) {
        bail!("psql did not read all the statements");
    }
    Ok(String::from_utf8(output.stdout)?.trim_end_matches('\n').to_owned())
}
