//! A program whose wall clock stands still at another time. Its timers go on, and so does everybody else's clock.

use crate::tool_cache::{need_program, text};
use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use std::path::PathBuf;

/// Of Debian's package of the same name; it is in a folder of the machine's kind.
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

/// What is put between a program and its clock.
#[derive(Debug)]
pub struct StoppedClock {
    library: PathBuf,
}

impl StoppedClock {
    pub fn find() -> Result<Self> {
        need_program("faketime", &["2027-03-31 12:00:00", "true"], "faketime")?;
        let folders = std::fs::read_dir("/usr/lib").context("there is no /usr/lib")?;
        let library = folders.flatten().map(|folder| folder.path().join(LIBRARY)).find(|path| path.is_file());
        Ok(Self { library: library.context("the package faketime has no library")? })
    }

    /// The variables of a program that is to live at this time.
    pub fn at(&self, now: DateTime<Utc>) -> Result<Vec<(&'static str, String)>> {
        Ok(vec![
            ("LD_PRELOAD", text(&self.library)?.to_owned()),
            ("FAKETIME", now.format("%Y-%m-%d %H:%M:%S%.6f").to_string()),
            ("TZ", "UTC".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            // Files keep their times.
            ("NO_FAKE_STAT", "1".to_owned()),
        ])
    }
}
