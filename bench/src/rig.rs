//! The rig the bars share: the built program, a throwaway PostgreSQL with a small world, paying accounts, and servers.

use crate::bar::progress;
pub use crate::folder::Folder;
use crate::http_client::Client;
use crate::program::build;
use crate::world::people_that_fit;
use anyhow::{Context, bail};
use assay_domain::{AccountId, Clock, PersonId};
use assay_store::{Database, Ledger};
use assay_testkit::{ChildServer, Postgres, PostgresOptions, free_port};
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const LEDGER: &str = "bar_ledger";
const GRAPH: &str = "bar_graph";
pub const BOTH: &str = "bar";
/// Guards nothing: the databases it is for live as long as a run.
pub const MASTER_KEY: &str = "5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed5bad5eed";
/// Names a folder in which worlds are kept from bar to bar: one of ten million people takes long to load.
const KEPT_WORLDS: &str = "ASSAY_BAR_WORLDS";
/// In the data folder of a world that is whole.
const LOADED: &str = "assay-bar-loaded";
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
    /// Where the databases are reached, if not at `postgres` alone: `host:port,host:port`.
    servers: Option<String>,
}

impl Rig {
    pub fn start(options: RigOptions) -> anyhow::Result<Self> {
        let program = build(options.failpoints)?;
        progress("starting PostgreSQL");
        let data_dir = data_folder(&options);
        let is_loaded = data_dir.as_ref().is_some_and(|folder| folder.join(LOADED).is_file());
        let postgres = Postgres::start(PostgresOptions { data_dir, ..options.postgres })?;
        if !is_loaded {
            make_databases(&postgres, options.one_database)?;
        }
        let mut rig = Self::empty(program, postgres, options.people)?;
        rig.one_database = options.one_database;
        rig.cli(&["migrate"])?;
        if !is_loaded {
            rig.load_people()?;
            std::fs::write(rig.postgres.data_dir().join(LOADED), "")?;
        }
        rig.make_accounts(options.accounts)?;
        Ok(rig)
    }

    /// Over several servers that the bar started itself, reached as `servers` names them (`host:port,host:port`). The databases
    /// are made on `first`, which must be the one that takes writes.
    pub fn over(first: Postgres, servers: String, accounts: usize, people: u64) -> anyhow::Result<Self> {
        make_databases(&first, false)?;
        let mut rig = Self::empty(build(false)?, first, people)?;
        rig.servers = Some(servers);
        rig.cli(&["migrate"])?;
        rig.load_people()?;
        rig.make_accounts(accounts)?;
        Ok(rig)
    }

    fn empty(program: PathBuf, postgres: Postgres, people: u64) -> anyhow::Result<Self> {
        let folder = Folder::make("rig")?;
        std::fs::write(folder.path.join("assay.toml"), "")?;
        let world = World::new(DEMO_SEED, people, DEMO_AS_OF);
        let accounts = Vec::new();
        Ok(Self { program, postgres, accounts, world, folder, one_database: false, servers: None })
    }

    fn load_people(&self) -> anyhow::Result<()> {
        let people = self.world.people_count().to_string();
        progress(format!("loading {people} people"));
        self.cli(&["world", "load", "--people", &people, "--seed", &DEMO_SEED.to_string()]).map(drop)
    }

    fn make_accounts(&mut self, count: usize) -> anyhow::Result<()> {
        progress(format!("making {count} accounts"));
        let make = |number| self.make_account(&format!("bar {number}"), "scale");
        self.accounts = (0..count).map(make).collect::<anyhow::Result<_>>()?;
        Ok(())
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

    pub fn make_account(&self, name: &str, plan: &str) -> anyhow::Result<Account> {
        let account = self.cli_json(&["account", "create", "--name", name, "--plan", plan, "--json"])?;
        let id = text_of(&account, &["id", "account"])?;
        let key = self.cli_json(&["key", "create", "--account", &id, "--name", "bar", "--json"])?;
        Ok(Account { id: id.parse()?, api_key: text_of(&key, &["key", "secret"])? })
    }

    /// Starts a server and waits until it is ready. `extra` wins over the rig's own settings.
    pub fn serve(&self, extra: &[(&str, &str)]) -> anyhow::Result<Server> {
        self.serve_at(free_addresses()?, &["serve"], extra)
    }

    /// A server that takes no time from others on this machine: what it takes from them, it takes from the database.
    pub fn serve_at_the_lowest_priority(&self, extra: &[(&str, &str)]) -> anyhow::Result<Server> {
        let program = self.program.to_str().context("a path that is no text")?;
        self.launch(Path::new("nice"), free_addresses()?, &["-n", "19", program, "serve"], extra)
    }

    /// A server that does only a part of the work.
    pub fn serve_roles(&self, roles: &str, extra: &[(&str, &str)]) -> anyhow::Result<Server> {
        self.serve_at(free_addresses()?, &["serve", "--roles", roles], extra)
    }

    /// A server at known addresses of its API and its operations port: those of one that is gone.
    pub fn serve_at(
        &self,
        addresses: (SocketAddr, SocketAddr),
        args: &[&str],
        extra: &[(&str, &str)],
    ) -> anyhow::Result<Server> {
        self.launch(&self.program, addresses, args, extra)
    }

    fn launch(
        &self,
        program: &Path,
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
        let mut child = ChildServer::spawn(program, args, &variables, &self.log_file())?;
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
        self.url(LEDGER)
    }

    pub fn graph_url(&self) -> String {
        if self.one_database {
            return format!("{}?options[search_path]=graph", self.postgres.url(BOTH));
        }
        self.url(GRAPH)
    }

    fn url(&self, database: &str) -> String {
        match &self.servers {
            Some(servers) => {
                format!("postgres://postgres@{servers}/{database}?target_session_attrs=read-write")
            }
            None => self.postgres.url(database),
        }
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

/// Where the data lives: in the bar's own folder, if it has one, or where worlds are kept, if they are.
fn data_folder(options: &RigOptions) -> Option<PathBuf> {
    let own = options.postgres.data_dir.clone();
    if own.is_some() || options.one_database {
        return own;
    }
    kept_world(options.people)
}

/// Where a world of so many people is kept, or will be.
fn kept_world(people: u64) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os(KEPT_WORLDS)?).join(format!("people-{people}")))
}

/// A folder for the index of a world, kept with it where worlds are: what a kept index missed it reads from the log.
pub fn index_folder(people: u64) -> anyhow::Result<Folder> {
    match kept_world(people) {
        Some(world) => Folder::kept(world.with_extension("index")),
        None => Folder::make("index"),
    }
}

/// As many of the people wanted as the disk has room for: all of them if their world is there already.
pub fn people_with_room(wanted: u64, person_bytes: u64) -> anyhow::Result<u64> {
    if kept_world(wanted).is_some_and(|world| world.join(LOADED).is_file()) {
        return Ok(wanted);
    }
    Ok(wanted.min(people_that_fit(&std::env::temp_dir(), person_bytes)?))
}

fn make_databases(postgres: &Postgres, one: bool) -> anyhow::Result<()> {
    if one {
        postgres.create_database(BOTH)?;
        return postgres.psql(BOTH, "create schema ledger; create schema graph").map(drop);
    }
    postgres.create_database(LEDGER)?;
    postgres.create_database(GRAPH)
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
