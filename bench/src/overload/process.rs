//! The memory of a process, as the kernel sees it.

use anyhow::{Context, Result};

/// A process by its id.
#[derive(Debug, Clone, Copy)]
pub struct Process(pub u32);

impl Process {
    /// What it holds now, in bytes.
    pub fn rss(self) -> Result<u64> {
        self.status("VmRSS:")
    }

    /// The most it held since the peak was last forgotten, in bytes.
    pub fn peak_rss(self) -> Result<u64> {
        self.status("VmHWM:")
    }

    pub fn forget_peak(self) -> Result<()> {
        std::fs::write(format!("/proc/{}/clear_refs", self.0), "5").context("cannot reset the peak of memory")
    }

    pub fn open_files(self) -> Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.0))?.count())
    }

    fn status(self, field: &str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).context("no such figure")?;
        let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kib * 1024)
    }
}
