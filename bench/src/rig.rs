//! The rig the bars share: the built program, a throwaway PostgreSQL with a small world, paying accounts, and servers.

use crate::bar::progress;
use crate::http_client::Client;
use anyhow::{Context, bail};
use assay_domain::{AccountId, Clock, PersonId};
use assay_store::{Database, Ledger};
use assay_testkit::{ChildServer, Postgres, PostgresOptions, free_port, workspace_root};
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const LEDGER: &str = "bar_ledger";
const GRAPH: &str = "bar_graph";
pub const BOTH: &str = "bar";
/// Guards nothing: the databases it is for live as long as a run.
pub const MASTER_KEY: &str = "5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed";
/// A text that is in the program only when the crash points are.
const CRASH_MARK: &[u8] = b"ASSAY_CRASH_POSTGRES_PID_FILE";
const BUILDS_MAX: usize = 3;
/// Names the profile the program is built with; `dist` is what is shipped.
const PROFILE: &str = "ASSAY_BAR_PROFILE";
/// Names a program that is built already: a debug build, to try a bar with.
const PROGRAM: &str = "ASSAY_BAR_PROGRAM";
/// Names a folder in which the logs of all bars are kept for the bar `canaries`.
pub const KEPT_LOGS: &str = "ASSAY_BAR_LOGS";
/// A node is ready when its index is filled, and so many people are within a second at least.
const INDEXED_A_SECOND: u64 = 2_000;
const READY_SECONDS: u64 = 60;

/// What a bar needs.
#[derive(Debug)]
pub struct RigOptions {
    /// With the crash points compiled in.
    pub failpoints: bool,
    pub accounts: usize,
    pub people: u64,
    pub postgres: PostgresOptions,
    /// Ledger and graph as two schemas of one database, so that one statement can be made to touch both.
    pub one_database: bool,
}

/// An account that can pay, and a key of it.
#[derive(Debug, Clone)]
pub struct Account {
    pub id: AccountId,
    pub api_key: String,
}

/// Somebody the graph knows.
#[derive(Debug, Clone)]
pub struct Known {
    pub id: PersonId,
    pub email: String,
}

/// Everything but the servers, which a bar starts and kills as it likes. Gone, with its data, when dropped.
#[derive(Debug)]
pub struct Rig {
    program: PathBuf,
    pub postgres: Postgres,
    pub accounts: Vec<Account>,
    world: World,
    folder: Folder,
    one_database: bool,
}

impl Rig {
    pub fn start(options: RigOptions) -> anyhow::Result<Self> {
        let program = build(options.failpoints)?;
        progress("starting PostgreSQL");
        let postgres = Postgres::start(options.postgres)?;
        if options.one_database {
            postgres.create_database(BOTH)?;
            postgres.psql(BOTH, "create schema ledger; create schema graph")?;
        } else {
            postgres.create_database(LEDGER)?;
            postgres.create_database(GRAPH)?;
        }
        let world = World::new(DEMO_SEED, options.people, DEMO_AS_OF);
        let folder = Folder::make("rig")?;
        std::fs::write(folder.path.join("assay.toml"), "")?;
        let mut rig = Self {
            program,
            postgres,
            accounts: Vec::new(),
            world,
            folder,
            one_database: options.one_database,
        };
        rig.cli(&["migrate"])?;
        progress(format!("loading {} people", options.people));
        let (people, seed) = (options.people.to_string(), DEMO_SEED.to_string());
        rig.cli(&["world", "load", "--people", &people, "--seed", &seed])?;
        progress(format!("making {} accounts", options.accounts));
        rig.accounts =
            (0..options.accounts).map(|number| rig.make_account(number)).collect::<anyhow::Result<_>>()?;
        Ok(rig)
    }

    /// The same data on another PostgreSQL: what a bar finds after it moved or copied the folder.
    pub fn moved_to(&mut self, postgres: Postgres) -> Postgres {
        std::mem::replace(&mut self.postgres, postgres)
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// The first person from `index` on who has an address, as the loaded world has them.
    pub fn known(&self, index: u64) -> Option<Known> {
        (index < self.world.people_count()).then_some(())?;
        let person = self.world.person(index);
        let email = person.facts.emails.first()?.address.to_string();
        Some(Known { id: person.id, email })
    }

    /// A command of the program, with the rig's settings.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).envs(self.variables()).stdin(Stdio::null());
        command
    }

    /// Runs a command of the program to its end and returns what it printed.
    pub fn cli(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.command(args).output().context("cannot run the program")?;
        if !output.status.success() {
            bail!("assay {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn cli_json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let printed = self.cli(args)?;
        serde_json::from_str(&printed).with_context(|| format!("assay {} printed no JSON", args.join(" ")))
    }

    fn make_account(&self, number: usize) -> anyhow::Result<Account> {
        let name = format!("bar {number}");
        let account = self.cli_json(&["account", "create", "--name", &name, "--plan", "scale", "--json"])?;
        let id = text_of(&account, &["id", "account"])?;
        let key = self.cli_json(&["key", "create", "--account", &id, "--name", "bar", "--json"])?;
        Ok(Account { id: id.parse()?, api_key: text_of(&key, &["key", "secret"])? })
    }

    /// Starts a server and waits until it is ready. `extra` wins over the rig's own settings.
    pub fn serve(&self, extra: &[(&str, &str)]) -> anyhow::Result<Server> {
        self.serve_at(free_addresses()?, &["serve"], extra)
    }

    /// A server that does only a part of the work.
    pub fn serve_roles(&self, roles: &str, extra: &[(&str, &str)]) -> anyhow::Result<Server> {
        self.serve_at(free_addresses()?, &["serve", "--roles", roles], extra)
    }

    /// A server at known addresses of its API and its operations port: those of one that is gone.
    pub fn serve_at(
        &self,
        (address, operations): (SocketAddr, SocketAddr),
        args: &[&str],
        extra: &[(&str, &str)],
    ) -> anyhow::Result<Server> {
        let mut variables = self.variables();
        variables.push(("ASSAY_SERVER_LISTEN".to_owned(), address.to_string()));
        variables.push(("ASSAY_SERVER_OPERATIONS_LISTEN".to_owned(), operations.to_string()));
        let index = self.folder.path.join(format!("index-{}", address.port()));
        variables.push(("ASSAY_INDEX_FOLDER".to_owned(), index.display().to_string()));
        variables.push(("ASSAY_LOG_LEVEL".to_owned(), "warn".to_owned()));
        variables.push(("ASSAY_SERVER_STOP_NOTICE_SECONDS".to_owned(), "0".to_owned()));
        variables.extend(extra.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let variables = variables.iter().map(|(name, value)| (&**name, &**value)).collect::<Vec<_>>();
        let mut child = ChildServer::spawn(&self.program, args, &variables, &self.log_file())?;
        let patience = Duration::from_secs(READY_SECONDS + self.world.people_count() / INDEXED_A_SECOND);
        child.wait_ready(&format!("http://{operations}/readyz"), patience)?;
        Ok(Server { child, address, operations })
    }

    /// What all servers of this rig wrote, one after the other.
    pub fn log_file(&self) -> PathBuf {
        self.folder.path.join("servers.log")
    }

    pub fn ledger_url(&self) -> String {
        if self.one_database {
            return format!("{}?options[search_path]=ledger", self.postgres.url(BOTH));
        }
        self.postgres.url(LEDGER)
    }

    pub fn graph_url(&self) -> String {
        if self.one_database {
            return format!("{}?options[search_path]=graph", self.postgres.url(BOTH));
        }
        self.postgres.url(GRAPH)
    }

    /// The database that has the people.
    pub fn graph_name(&self) -> &'static str {
        if self.one_database { BOTH } else { GRAPH }
    }

    pub async fn ledger(&self) -> anyhow::Result<Ledger> {
        Ledger::connect(&Database::at(&self.ledger_url()), Clock::system())
            .await
            .context("cannot reach the ledger")
    }

    /// Every broken invariant of the ledger, as text.
    pub async fn audit(&self) -> anyhow::Result<Vec<String>> {
        let violations = self.ledger().await?.audit().await?;
        Ok(violations.into_iter().map(|it| format!("{}: {}", it.invariant, it.detail)).collect())
    }

    fn variables(&self) -> Vec<(String, String)> {
        let pid_file = self.postgres.data_dir().join("postmaster.pid");
        [
            ("ASSAY_LEDGER_URL", self.ledger_url()),
            ("ASSAY_GRAPH_URL", self.graph_url()),
            // A configuration that lies about must not have a say.
            ("ASSAY_CONFIG", self.folder.path.join("assay.toml").display().to_string()),
            ("ASSAY_SECRETS_MASTER_KEY", MASTER_KEY.to_owned()),
            ("ASSAY_CRASH_POSTGRES_PID_FILE", pid_file.display().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

/// A running server of the rig; killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: ChildServer,
    pub address: SocketAddr,
    /// Of the port that only operators see.
    pub operations: SocketAddr,
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub fn is_running(&self) -> bool {
        is_running(self.pid())
    }

    pub fn kill_dash_nine(mut self) -> anyhow::Result<()> {
        self.child.kill_dash_nine().map(drop)
    }

    /// An orderly stop.
    pub fn stop(mut self) -> anyhow::Result<()> {
        self.child.terminate(Duration::from_secs(40)).map(drop)
    }
}

/// A folder for logs and mount points; removed when dropped.
#[derive(Debug)]
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    pub fn make(purpose: &str) -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("assay-bar-{purpose}-{:016x}", rand::random::<u64>()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(kept) = std::env::var_os(KEPT_LOGS) {
            keep_logs(&self.path, Path::new(&kept));
        }
        drop(std::fs::remove_dir_all(&self.path));
    }
}

/// Puts the logs of a run where the bar `canaries` can search them. Failing to is no reason to fail a bar.
fn keep_logs(from: &Path, to: &Path) {
    let run = from.file_name().unwrap_or_default().to_string_lossy();
    for entry in std::fs::read_dir(from).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let name = entry.file_name();
            drop(std::fs::create_dir_all(to));
            drop(std::fs::copy(&path, to.join(format!("{run}-{}", name.to_string_lossy()))));
        }
    }
}

/// A dead child that nobody waited for yet is not running.
pub fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, fields)| fields.trim_start().chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Runs a command to its end; a failure carries what it said.
pub fn run_command(program: &str, args: &[&str]) -> anyhow::Result<()> {
    let output =
        Command::new(program).args(args).output().with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        bail!("{program} {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn free_addresses() -> anyhow::Result<(SocketAddr, SocketAddr)> {
    let local = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Ok((local(free_port()?), local(free_port()?)))
}

fn text_of(value: &Value, names: &[&str]) -> anyhow::Result<String> {
    let found = names.iter().find_map(|name| value.get(name)?.as_str());
    found.map(str::to_owned).with_context(|| format!("none of {names:?} in {value}"))
}

/// Builds the program and keeps it beside the other variant: the next build overwrites cargo's own copy. Another build
/// at the same time may do so before it is copied, so the copy is looked at.
fn build(failpoints: bool) -> anyhow::Result<PathBuf> {
    if let Some(program) = std::env::var_os(PROGRAM) {
        return Ok(program.into());
    }
    let (name, features): (_, &[&str]) = if failpoints {
        ("assay-failpoints", &["--features", "assay-cli/failpoints"])
    } else {
        ("assay", &[])
    };
    let root = workspace_root()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = target_folder(&cargo, &root)?;
    let profile = std::env::var(PROFILE).unwrap_or_else(|_| "release".to_owned());
    let kept = target.join("bars");
    std::fs::create_dir_all(&kept)?;
    for _ in 0..BUILDS_MAX {
        progress(format!("building {name}"));
        let built = Command::new(&cargo)
            .current_dir(&root)
            // Chosen together with this crate, as `xtask bar` does: else both would build what they share, twice.
            .args([
                "build",
                "--quiet",
                "-p",
                "assay-cli",
                "-p",
                "assay-bench",
                "--bin",
                "assay",
                "--profile",
                &profile,
            ])
            .args(features)
            .status()
            .context("cannot run cargo")?;
        if !built.success() {
            bail!("the program does not build");
        }
        let program =
            std::fs::read(target.join(&profile).join("assay")).context("cannot read the program")?;
        if program.windows(CRASH_MARK.len()).any(|bytes| bytes == CRASH_MARK) == failpoints {
            return keep(&kept, name, &program);
        }
    }
    bail!("another build keeps replacing the program: wait until it is over")
}

/// Renamed into place: a running copy cannot be written to, but it can be replaced.
fn keep(folder: &Path, name: &str, program: &[u8]) -> anyhow::Result<PathBuf> {
    let fresh = folder.join(format!(".{name}-{}", std::process::id()));
    std::fs::write(&fresh, program).context("cannot copy the program")?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o755))?;
    let kept = folder.join(name);
    std::fs::rename(&fresh, &kept)?;
    Ok(kept)
}

fn target_folder(cargo: &std::ffi::OsStr, root: &Path) -> anyhow::Result<PathBuf> {
    let metadata = Command::new(cargo)
        .current_dir(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    let metadata: Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata is no JSON")?;
    text_of(&metadata, &["target_directory"]).map(PathBuf::from)
}
