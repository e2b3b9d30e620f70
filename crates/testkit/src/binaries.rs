//! Finds the PostgreSQL programs and runs them as a user they accept.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

const INSTALLED: &str = "/usr/lib/postgresql";
const OLDEST_MAJOR: u32 = 15;

#[derive(Debug, Clone)]
pub(crate) struct Binaries {
    folder: PathBuf,
    as_root: bool,
}

impl Binaries {
    pub(crate) fn find() -> anyhow::Result<Self> {
        let folder = newest_installed().or_else(on_path).with_context(|| {
            format!(
                "no PostgreSQL {OLDEST_MAJOR} or newer under {INSTALLED} or on PATH; install the `postgresql` package"
            )
        })?;
        // /proc/self belongs to the effective user of this process.
        let as_root = std::fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0);
        Ok(Self { folder, as_root })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn psql(&self) -> Command {
        Command::new(self.folder.join("psql"))
    }

    /// A command for initdb or pg_ctl. Both refuse to run as root, so root becomes `postgres` first.
    pub(crate) fn server_command(&self, program: &str) -> Command {
        let program = self.folder.join(program);
        let mut command = if self.as_root {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        // The caller's folder may be closed to `postgres`, and LANG may name a locale nobody installed.
        command.current_dir("/").env("LC_ALL", "C.UTF-8").stdin(std::process::Stdio::null());
        command
    }

    /// Gives an empty folder to the user the server runs as, and makes sure that user can get at it.
    pub(crate) fn hand_over(&self, folder: &Path) -> anyhow::Result<()> {
        if !self.as_root {
            return Ok(());
        }
        run(Command::new("chown").arg("postgres:").arg(folder)).context("is there a user `postgres`?")?;
        let mut probe = Command::new("setpriv");
        probe.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--", "test", "-w"]).arg(folder);
        if run(probe.current_dir("/")).is_err() {
            bail!("user postgres cannot reach {}; choose a folder outside private ones", folder.display());
        }
        Ok(())
    }
}

fn newest_installed() -> Option<PathBuf> {
    std::fs::read_dir(INSTALLED)
        .ok()?
        .filter_map(|entry| {
            let major = entry.ok()?.file_name().to_str()?.parse::<u32>().ok()?;
            let folder = Path::new(INSTALLED).join(major.to_string()).join("bin");
            (major >= OLDEST_MAJOR && folder.join("initdb").is_file()).then_some((major, folder))
        })
        .max()
        .map(|(_, folder)| folder)
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).find(|it| it.join("initdb").is_file() && it.join("pg_ctl").is_file())
}

/// Runs a command to its end; a failure carries what the command said.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("{:?} failed ({}): {}{}", command.get_program(), output.status, complaint.trim(), said.trim());
    }
    Ok(said)
}
