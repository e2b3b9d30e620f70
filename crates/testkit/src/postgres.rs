//! A throwaway PostgreSQL server that tests may kill, restart and throw away.

use std::fmt::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::binaries::{Binaries, run};
use crate::clock::{Deadline, POLL};
use crate::ports::free_port;
use crate::processes::{children_of, is_running, signal, wait_gone};
use crate::psql::psql;
use crate::template::random;

const SETTINGS_FILE: &str = "assay.conf";
const LOG_FILE: &str = "server.log";
const START_SECONDS: &str = "120";
const GONE_WAIT: Duration = Duration::from_secs(30);
const ANSWER_WAIT: Duration = Duration::from_secs(30);
/// A free port may be taken between looking and listening; this often another one is tried.
const PORT_ATTEMPTS: u32 = 5;
/// The kernel refuses longer socket paths (108 bytes with the file name and the final zero).
const SOCKET_FOLDER_BYTES_MAX: usize = 85;

/// Durable as in production (fsync and synchronous_commit stay on), quiet, with room for many tests at once.
const SETTINGS: &[(&str, &str)] = &[
    ("listen_addresses", "127.0.0.1"),
    ("fsync", "on"),
    ("synchronous_commit", "on"),
    ("max_connections", "200"),
    ("shared_buffers", "256MB"),
    ("max_wal_size", "2GB"),
    ("log_checkpoints", "off"),
    ("log_min_messages", "warning"),
    ("log_min_error_statement", "panic"),
    // What docs/privacy.md asks of every operator: the server's own log holds no values.
    ("log_parameter_max_length", "0"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_error_verbosity", "terse"),
];

/// What may be chosen about a server; the default is a new one in a temporary folder.
#[derive(Debug, Clone, Default)]
pub struct PostgresOptions {
    /// Where the data lives. A folder that holds a database already is used as it is. Default: a temporary one.
    pub data_dir: Option<PathBuf>,
    /// Default: the port this folder had before, else a free one.
    pub port: Option<u16>,
    /// Leaves the server running, and its folder in place, when the value is dropped.
    pub keep: bool,
    /// Settings that are added to, and win over, the usual ones.
    pub extra_settings: Vec<(String, String)>,
}

impl PostgresOptions {
    /// The usual ones but for these settings.
    pub fn with_settings(settings: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self { extra_settings: settings.iter().map(owned).collect(), ..Self::default() }
    }
}

/// A running server. Dropping it stops it and removes its temporary folder.
#[derive(Debug)]
pub struct Postgres {
    binaries: Binaries,
    data_dir: PathBuf,
    temporary: bool,
    keep: bool,
    port: u16,
}

impl Postgres {
    /// Creates the database folder when needed, starts the server and waits until it answers.
    pub fn start(options: PostgresOptions) -> anyhow::Result<Self> {
        let binaries = Binaries::find()?;
        let temporary = options.data_dir.is_none();
        let data_dir = options
            .data_dir
            .unwrap_or_else(|| std::env::temp_dir().join(format!("assay-postgres-{:016x}", random())));
        let chosen = options.port.or_else(|| saved_port(&data_dir));
        let mut server = Self { binaries, data_dir, temporary, keep: options.keep, port: 0 };
        server.initialise()?;
        for attempt in 1.. {
            server.port = chosen.map_or_else(free_port, Ok)?;
            server.write_settings(&options.extra_settings)?;
            match server.launch() {
                Err(_) if chosen.is_none() && attempt < PORT_ATTEMPTS => {}
                other => {
                    other?;
                    break;
                }
            }
        }
        Ok(server)
    }

    /// A server that follows this one, from a copy of it. It takes writes after `select pg_promote()`.
    pub fn follow(&self) -> anyhow::Result<Self> {
        let data_dir = std::env::temp_dir().join(format!("assay-postgres-{:016x}", random()));
        let binaries = self.binaries.clone();
        let standby = Self { binaries, data_dir, temporary: true, keep: false, port: free_port()? };
        standby.make_folder()?;
        let mut copy = standby.binaries.server_command("pg_basebackup");
        copy.args(["--checkpoint=fast", "--write-recovery-conf", "--dbname", &self.url("postgres")]);
        run(copy.arg("--pgdata").arg(&standby.data_dir))?;
        standby.write_settings(&[])?;
        standby.launch()?;
        Ok(standby)
    }

    /// The server that runs on this folder, if one does; it is kept when the value is dropped.
    pub fn attach(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        let Some(port) = saved_port(data_dir) else { return Ok(None) };
        let binaries = Binaries::find()?;
        let server = Self { binaries, data_dir: data_dir.to_owned(), temporary: false, keep: true, port };
        Ok(server.live_pid().is_some().then_some(server))
    }

    /// A server that another program starts and stops; nothing happens to it when the value is dropped.
    pub fn of_another(data_dir: &Path, port: u16) -> anyhow::Result<Self> {
        let binaries = Binaries::find()?;
        Ok(Self { binaries, data_dir: data_dir.to_owned(), temporary: false, keep: true, port })
    }

    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The folder of the programs it was started with.
    #[must_use]
    pub fn programs(&self) -> &Path {
        self.binaries.folder()
    }

    pub fn postmaster_pid(&self) -> anyhow::Result<u32> {
        self.live_pid().context("the PostgreSQL server is not running")
    }

    /// Runs SQL in a database; see [`crate::psql`].
    pub fn psql(&self, database: &str, sql: &str) -> anyhow::Result<String> {
        psql(&self.url(database), sql)
    }

    pub fn create_database(&self, name: &str) -> anyhow::Result<()> {
        self.psql("postgres", &format!("create database \"{name}\"")).map(drop)
    }

    /// SIGKILLs the postmaster and every process it started; returns when all are gone.
    pub fn kill_dash_nine(&mut self) -> anyhow::Result<()> {
        let postmaster = self.postmaster_pid()?;
        // Stopped first, so that it cannot fork a process this list would miss.
        signal("STOP", &[postmaster])?;
        let mut victims = children_of(postmaster)?;
        victims.push(postmaster);
        signal("KILL", &victims)?;
        wait_gone(&victims, GONE_WAIT)
    }

    /// Stops every process of the server where it stands. Its connections stay open, and nobody answers.
    pub fn freeze(&self) -> anyhow::Result<()> {
        let postmaster = self.postmaster_pid()?;
        // First, so that it cannot fork a process this list would miss.
        signal("STOP", &[postmaster])?;
        signal("STOP", &children_of(postmaster)?)
    }

    /// Lets a frozen server go on.
    pub fn thaw(&self) -> anyhow::Result<()> {
        let postmaster = self.postmaster_pid()?;
        signal("CONT", &children_of(postmaster)?)?;
        signal("CONT", &[postmaster])
    }

    /// An orderly stop that does not wait for clients.
    pub fn stop_fast(&mut self) -> anyhow::Result<()> {
        self.stop("fast")
    }

    /// A stop that writes nothing back: the next start recovers from the log, as after a crash.
    pub fn stop_immediate(&mut self) -> anyhow::Result<()> {
        self.stop("immediate")
    }

    /// Starts again on the same folder and port, after a stop or a kill, and waits until it answers. A crashed
    /// server's shared memory needs no help: the next start finds it unattached and removes it.
    pub fn restart(&mut self) -> anyhow::Result<()> {
        if self.live_pid().is_some() {
            self.stop_fast()?;
        }
        self.launch()
    }

    fn initialise(&self) -> anyhow::Result<()> {
        if self.data_dir.join("PG_VERSION").is_file() {
            return Ok(());
        }
        self.make_folder()?;
        let mut initdb = self.binaries.server_command("initdb");
        initdb.args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--pgdata",
        ]);
        run(initdb.arg(&self.data_dir))?;
        // Trust, but nobody except local clients of the loopback address.
        self.write("pg_hba.conf", "host all,replication all 127.0.0.1/32 trust\n")?;
        let main = self.data_dir.join("postgresql.conf");
        let sample = std::fs::read_to_string(&main)?;
        self.write("postgresql.conf", &format!("{sample}\ninclude_if_exists '{SETTINGS_FILE}'\n"))
    }

    fn make_folder(&self) -> anyhow::Result<()> {
        std::fs::create_dir_all(&self.data_dir)
            .with_context(|| format!("cannot create {}", self.data_dir.display()))?;
        std::fs::set_permissions(&self.data_dir, std::fs::Permissions::from_mode(0o700))?;
        self.binaries.hand_over(&self.data_dir)
    }

    fn write_settings(&self, extra: &[(String, String)]) -> anyhow::Result<()> {
        let folder = self.data_dir.to_string_lossy();
        let sockets = if folder.len() <= SOCKET_FOLDER_BYTES_MAX { &*folder } else { "" };
        let mut text = format!("port = {}\nunix_socket_directories = '{sockets}'\n", self.port);
        let extra = extra.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        // A later line wins over an earlier one.
        for (name, value) in SETTINGS.iter().copied().chain(extra) {
            writeln!(text, "{name} = '{}'", value.replace('\'', "''"))?;
        }
        self.write(SETTINGS_FILE, &text)
    }

    /// Writes a file of the data folder so that the folder's owner can read it, whoever writes.
    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.data_dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        let owner = std::fs::metadata(&self.data_dir)?;
        std::os::unix::fs::chown(&path, Some(owner.uid()), Some(owner.gid()))?;
        Ok(())
    }

    fn launch(&self) -> anyhow::Result<()> {
        self.remove_stale_locks()?;
        let mut pg_ctl = self.pg_ctl();
        pg_ctl.args(["--wait", "--timeout", START_SECONDS, "--log"]).arg(self.data_dir.join(LOG_FILE));
        if let Err(error) = run(pg_ctl.arg("start")) {
            let log = std::fs::read_to_string(self.data_dir.join(LOG_FILE)).unwrap_or_default();
            let last = log.lines().rev().take(5).collect::<Vec<_>>();
            return Err(error.context(format!("PostgreSQL did not start; last in its log: {last:?}")));
        }
        self.wait_answering()
    }

    fn wait_answering(&self) -> anyhow::Result<()> {
        let deadline = Deadline::after(ANSWER_WAIT);
        while let Err(error) = self.psql("postgres", "select 1") {
            if deadline.passed() {
                return Err(error.context("PostgreSQL runs but does not answer"));
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    fn pg_ctl(&self) -> Command {
        let mut command = self.binaries.server_command("pg_ctl");
        command.arg("--pgdata").arg(&self.data_dir);
        command
    }

    fn stop(&self, mode: &str) -> anyhow::Result<()> {
        let postmaster = self.postmaster_pid()?;
        run(self.pg_ctl().args(["--wait", "--timeout", START_SECONDS, "--mode", mode, "stop"]))?;
        wait_gone(&[postmaster], GONE_WAIT)
    }

    /// One line of postmaster.pid: 0 is the process, 6 the key and id of its shared memory.
    fn pid_file_line(&self, index: usize) -> Option<String> {
        let text = std::fs::read_to_string(self.data_dir.join("postmaster.pid")).ok()?;
        text.lines().nth(index).map(|line| line.trim().to_owned())
    }

    fn live_pid(&self) -> Option<u32> {
        let pid = self.pid_file_line(0)?.parse().ok()?;
        // A crashed server's number may since have been given to another program.
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        (is_running(pid) && name.trim_end().starts_with("post")).then_some(pid)
    }

    fn remove_stale_locks(&self) -> anyhow::Result<()> {
        if self.live_pid().is_some() {
            bail!("a PostgreSQL server already runs on {}", self.data_dir.display());
        }
        // The server itself would take a zombie, or an unrelated process with the number, for a live one.
        for name in ["postmaster.pid".to_owned(), format!(".s.PGSQL.{}.lock", self.port)] {
            let path = self.data_dir.join(name);
            if path.exists() {
                std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if self.live_pid().is_some() {
            drop(self.stop("immediate"));
        } else if self.temporary
            && let Some(memory) = self.pid_file_line(6)
            && let Some(id) = memory.split_whitespace().nth(1)
        {
            // Killed and never started again: nobody else will remove its shared memory.
            drop(Command::new("ipcrm").args(["-m", id]).output());
        }
        if self.temporary {
            drop(std::fs::remove_dir_all(&self.data_dir));
        }
    }
}

fn saved_port(data_dir: &Path) -> Option<u16> {
    let text = std::fs::read_to_string(data_dir.join(SETTINGS_FILE)).ok()?;
    text.lines().next()?.strip_prefix("port = ")?.parse().ok()
}
