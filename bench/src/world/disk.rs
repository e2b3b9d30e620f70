//! How large a world the disk has room for.

use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// Left for PostgreSQL's own log and for whoever else uses the disk.
const RESERVE_BYTES: u64 = 8 << 30;
/// Worlds that had to be made smaller are cut to a round number.
const STEP: u64 = 1_000;

/// How many people of at most `person_bytes` fit on the disk of a folder.
pub fn people_that_fit(folder: &Path, person_bytes: u64) -> Result<u64> {
    Ok(fitting(free_bytes(folder)?, person_bytes))
}

fn fitting(free_bytes: u64, person_bytes: u64) -> u64 {
    free_bytes.saturating_sub(RESERVE_BYTES) / person_bytes.max(1) / STEP * STEP
}

fn free_bytes(folder: &Path) -> Result<u64> {
    let output = Command::new("df")
        .args(["--output=avail", "--block-size=1"])
        .arg(folder)
        .output()
        .context("cannot run df")?;
    let printed = String::from_utf8(output.stdout)?;
    let number = printed.lines().nth(1).map(str::trim).context("df printed no number")?;
    number.parse().context("df printed no number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_holds_nobody_and_a_reserve_is_kept() {
        assert_eq!(fitting(0, 3_072), 0);
        assert_eq!(fitting(RESERVE_BYTES, 3_072), 0);
        assert_eq!(fitting(RESERVE_BYTES + 3_072 * 2_500, 3_072), 2_000);
    }

    #[test]
    fn the_disk_of_the_temporary_folder_can_be_asked() {
        assert!(free_bytes(&std::env::temp_dir()).unwrap() > 0);
    }
}
