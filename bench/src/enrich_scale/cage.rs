//! A limit on the memory of PostgreSQL, its file cache included, as the kernel enforces it.

use crate::billed::meters;
use anyhow::{Context, Result};
use assay_testkit::Postgres;
use std::path::{Path, PathBuf};

const OLD_ROOT: &str = "/sys/fs/cgroup/memory";
const NEW_ROOT: &str = "/sys/fs/cgroup";
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// A control group; it goes when it is dropped, after whoever was in it.
pub struct Cage {
    folder: PathBuf,
}

impl Cage {
    /// Takes root, and the first version of control groups or a second one that was given the memory.
    pub fn make(bytes: u64) -> Result<Self> {
        let old = Path::new(OLD_ROOT).is_dir();
        let (root, limit) = if old { (OLD_ROOT, "memory.limit_in_bytes") } else { (NEW_ROOT, "memory.max") };
        if !old {
            // It may be given already, and where it cannot be, the limit below says so.
            drop(std::fs::write(Path::new(NEW_ROOT).join("cgroup.subtree_control"), "+memory"));
        }
        let folder = Path::new(root).join(format!("assay-bar-{:016x}", rand::random::<u64>()));
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make {}: this bar needs root", folder.display()))?;
        let cage = Self { folder };
        std::fs::write(cage.folder.join(limit), bytes.to_string()).context("cannot limit memory")?;
        Ok(cage)
    }

    /// Restarts the server and shuts it in. What it had read before is forgotten: it would be memory that nobody counts.
    pub fn shut_in(&self, postgres: &mut Postgres) -> Result<()> {
        postgres.stop_fast()?;
        std::fs::write(DROP_CACHES, "1").context("cannot empty the file cache: this bar needs root")?;
        postgres.restart()?;
        for pid in meters::family(postgres.postmaster_pid()?)? {
            let moved = std::fs::write(self.folder.join("cgroup.procs"), pid.to_string());
            // A process that only began the server may be gone by now.
            if crate::rig::is_running(pid) {
                moved.context("cannot shut PostgreSQL in")?;
            }
        }
        Ok(())
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        drop(std::fs::remove_dir(&self.folder));
    }
}
