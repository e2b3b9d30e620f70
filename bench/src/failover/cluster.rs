//! Two PostgreSQL servers under Patroni, with etcd, as an operator runs them but for being on one machine. Gone with the value.

use crate::rig::{Folder, run_command};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::{ChildServer, Deadline, Postgres, free_port, install_packages};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How Patroni is told to keep time, in seconds. The leader's lease, how often it is renewed and looked at, and how long a
/// failing etcd or PostgreSQL is asked again: a dead primary has a successor after the lease and a promotion.
const TTL: u64 = 20;
const LOOP_WAIT: u64 = 5;
const RETRY_TIMEOUT: u64 = 5;
/// A standby that is further behind is not made the primary. Only the control, which does without a synchronous one, comes near it.
const LAG_MAX_BYTES: u64 = 64 * 1024 * 1024;

const PACKAGES: &[&str] = &["patroni", "python3-etcd", "etcd-server", "postgresql"];
const PROGRAMS: &[&str] = &["/usr/bin/patroni", "/usr/bin/etcd"];
const STARTED_WITHIN: Duration = Duration::from_secs(60);
const STOPPED_WITHIN: Duration = Duration::from_secs(20);
const REST_WAIT: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(200);

/// One server and its Patroni: what would be one machine.
pub struct Member {
    pub name: &'static str,
    pub postgres: Postgres,
    rest: u16,
    settings: PathBuf,
    log: PathBuf,
    /// None while the machine is dead.
    patroni: Option<ChildServer>,
}

/// The members are dropped first, then what they need.
pub struct Cluster {
    pub members: Vec<Member>,
    _etcd: ChildServer,
    _folder: Folder,
}

impl Cluster {
    /// Starts all of it and waits until one member takes writes and the other follows it synchronously.
    pub fn start() -> Result<Self> {
        if PROGRAMS.iter().any(|program| !Path::new(program).is_file()) {
            install_packages(PACKAGES).context("Patroni and etcd are missing and cannot be installed")?;
            // Nor at the next start of the machine. Where there is no systemd, nothing starts them anyway.
            drop(run_command("systemctl", &["disable", "etcd", "patroni"]));
        }
        let folder = Folder::make("failover")?;
        let (etcd, clients) = start_etcd(&folder.path)?;
        let mut members = Vec::new();
        for name in ["one", "two"] {
            let mut member = Member::make(&folder.path, name, clients)?;
            member.start()?;
            members.push(member);
        }
        let cluster = Self { members, _etcd: etcd, _folder: folder };
        cluster.wait_pair(STARTED_WITHIN)?;
        Ok(cluster)
    }

    /// As a connection string names the members.
    pub fn servers(&self) -> String {
        let server = |member: &Member| format!("127.0.0.1:{}", member.postgres.port());
        self.members.iter().map(server).collect::<Vec<_>>().join(",")
    }

    /// The member that Patroni says is the primary.
    pub fn leader(&self) -> Option<usize> {
        self.members
            .iter()
            .position(|member| member.ask("GET /primary", "").is_ok_and(|(status, _)| status == 200))
    }

    /// Waits until there is a primary with a synchronous standby, and says which member that is.
    pub fn wait_pair(&self, within: Duration) -> Result<usize> {
        let is_pair =
            "select count(*) from pg_stat_replication where sync_state = 'sync' and state = 'streaming'";
        self.wait(within, "a primary with a synchronous standby", |member| {
            let (_, cluster) = member.ask("GET /cluster", "")?;
            let is_told = cluster.contains("\"sync_standby\"");
            Ok(is_told && member.postgres.psql("postgres", is_pair)? == "1")
        })
    }

    /// Whether a commit waits for the standby.
    pub fn set_synchronous(&self, on: bool) -> Result<()> {
        let leader = self.leader().context("nobody leads")?;
        let body = json!({ "synchronous_mode": on }).to_string();
        let (status, said) = self.members[leader].ask("PATCH /config", &body)?;
        ensure!(status == 200, "Patroni does not take its settings: {status} {said}");
        if on {
            return self.wait_pair(STARTED_WITHIN).map(drop);
        }
        let is_off =
            "select count(*) from pg_stat_replication where sync_state = 'async' and state = 'streaming'";
        self.wait(STARTED_WITHIN, "a primary with a standby it does not wait for", |member| {
            let names = member.postgres.psql("postgres", "show synchronous_standby_names")?;
            Ok(names.is_empty() && member.postgres.psql("postgres", is_off)? == "1")
        })
        .map(drop)
    }

    /// Waits until the leader is as wanted, and says which member that is.
    fn wait(&self, within: Duration, what: &str, is_so: impl Fn(&Member) -> Result<bool>) -> Result<usize> {
        let deadline = Deadline::after(within);
        while !deadline.passed() {
            if let Some(leader) = self.leader()
                && is_so(&self.members[leader]).unwrap_or(false)
            {
                return Ok(leader);
            }
            std::thread::sleep(LOOK);
        }
        let logs = self.members.iter().map(|member| format!("{}: {}", member.name, member.log_tail()));
        bail!("there is not {what} after {within:?}; {}", logs.collect::<Vec<_>>().join("\n"))
    }
}

impl Member {
    fn make(folder: &Path, name: &'static str, etcd: u16) -> Result<Self> {
        let own = folder.join(name);
        std::fs::create_dir_all(&own)?;
        if is_root() {
            run_command("chown", &["postgres:", &own.to_string_lossy()])?;
        }
        let (rest, port) = (free_port()?, free_port()?);
        let postgres = Postgres::of_another(&own.join("data"), port)?;
        let settings = folder.join(format!("{name}.yml"));
        let member =
            Self { name, postgres, rest, settings, log: folder.join(format!("{name}.log")), patroni: None };
        // What is JSON is YAML too.
        std::fs::write(&member.settings, format!("{:#}", member.settings(&own, etcd)))?;
        Ok(member)
    }

    fn settings(&self, own: &Path, etcd: u16) -> Value {
        let (address, rest) =
            (format!("127.0.0.1:{}", self.postgres.port()), format!("127.0.0.1:{}", self.rest));
        json!({
            "scope": "assay",
            "name": self.name,
            "restapi": { "listen": rest, "connect_address": rest },
            // Not `etcd3`: before 3.1, and Debian 12 has 3.0.2, Patroni then writes by what it remembers of etcd, and where that is stale
            // no standby becomes synchronous any more.
            "etcd": { "host": format!("127.0.0.1:{etcd}") },
            "bootstrap": {
                "dcs": {
                    "ttl": TTL, "loop_wait": LOOP_WAIT, "retry_timeout": RETRY_TIMEOUT,
                    "maximum_lag_on_failover": LAG_MAX_BYTES,
                    "synchronous_mode": true,
                    "postgresql": {
                        "use_pg_rewind": true,
                        "use_slots": true,
                        "parameters": {
                            "max_connections": 200, "shared_buffers": "128MB", "max_wal_size": "1GB",
                            "synchronous_commit": "on", "fsync": "on",
                            "log_min_messages": "warning", "log_min_error_statement": "panic",
                            "log_parameter_max_length": 0, "log_parameter_max_length_on_error": 0,
                            "log_error_verbosity": "terse",
                        },
                    },
                },
                "initdb": [{ "encoding": "UTF8" }, { "locale": "C.UTF-8" }, "data-checksums"],
            },
            "postgresql": {
                "listen": address, "connect_address": address,
                "data_dir": self.postgres.data_dir(), "bin_dir": self.postgres.programs(),
                "pgpass": own.join("pgpass"),
                "authentication": {
                    "superuser": { "username": "postgres" }, "replication": { "username": "replicator" },
                },
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
                "parameters": { "unix_socket_directories": own },
                "remove_data_directory_on_rewind_failure": true,
                "remove_data_directory_on_diverged_timelines": true,
            },
        })
    }

    /// The machine comes up: Patroni starts, and PostgreSQL as it sees fit.
    pub fn start(&mut self) -> Result<()> {
        let settings = self.settings.to_string_lossy();
        let as_postgres =
            ["--reuid=postgres", "--regid=postgres", "--init-groups", "--", "/usr/bin/patroni", &settings];
        // PostgreSQL refuses to run as root.
        let (program, args) =
            if is_root() { ("setpriv", &as_postgres[..]) } else { ("/usr/bin/patroni", &as_postgres[5..]) };
        let variables = [("LC_ALL", "C.UTF-8")];
        self.patroni = Some(ChildServer::spawn(Path::new(program), args, &variables, &self.log)?);
        Ok(())
    }

    /// The machine dies: nothing of it says goodbye.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(mut patroni) = self.patroni.take() {
            patroni.kill_dash_nine()?;
        }
        self.postgres.kill_dash_nine()
    }

    /// The machine stands still, and its connections stay open.
    pub fn freeze(&self) -> Result<()> {
        self.patroni.as_ref().map_or(Ok(()), ChildServer::freeze)?;
        self.postgres.freeze()
    }

    /// Nothing more of what is written here leaves for the standby. Stopping the standby would not do: what it has not read is in
    /// its socket, and it would read it before it takes over.
    pub fn stop_sending(&self) -> Result<()> {
        let senders = self.postgres.psql("postgres", "select pid from pg_stat_replication")?;
        let mut args = vec!["-STOP"];
        args.extend(senders.lines());
        ensure!(args.len() > 1, "nobody follows");
        run_command("kill", &args)
    }

    pub fn thaw_patroni(&self) -> Result<()> {
        self.patroni.as_ref().map_or(Ok(()), ChildServer::thaw)
    }

    /// One request to Patroni: status and body.
    fn ask(&self, request: &str, body: &str) -> Result<(u16, String)> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.rest));
        let mut stream = TcpStream::connect_timeout(&address, REST_WAIT)?;
        stream.set_read_timeout(Some(REST_WAIT))?;
        let head = format!("{request} HTTP/1.0\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("Patroni gave half an answer")?;
        let status = head.split(' ').nth(1).context("an answer without a status")?.parse()?;
        Ok((status, body.to_owned()))
    }

    fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let last: Vec<&str> = log.lines().rev().take(8).collect();
        last.into_iter().rev().collect::<Vec<_>>().join("\n  ")
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        drop(self.postgres.thaw());
        if let Some(mut patroni) = self.patroni.take() {
            drop(patroni.thaw());
            // It stops PostgreSQL before it ends.
            drop(patroni.terminate(STOPPED_WITHIN));
        }
        drop(self.postgres.kill_dash_nine());
    }
}

fn start_etcd(folder: &Path) -> Result<(ChildServer, u16)> {
    let (clients, peers) = (free_port()?, free_port()?);
    let (for_clients, for_peers) =
        (format!("http://127.0.0.1:{clients}"), format!("http://127.0.0.1:{peers}"));
    let data = folder.join("etcd").display().to_string();
    let args = [
        "--name=bar",
        "--enable-v2=true",
        &format!("--data-dir={data}"),
        &format!("--listen-client-urls={for_clients}"),
        &format!("--advertise-client-urls={for_clients}"),
        &format!("--listen-peer-urls={for_peers}"),
        &format!("--initial-advertise-peer-urls={for_peers}"),
        &format!("--initial-cluster=bar={for_peers}"),
    ];
    let mut etcd = ChildServer::spawn(Path::new("/usr/bin/etcd"), &args, &[], &folder.join("etcd.log"))?;
    etcd.wait_ready(&format!("{for_clients}/health"), STARTED_WITHIN)?;
    Ok((etcd, clients))
}

/// /proc/self belongs to the effective user.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// What both machines run, for the report.
pub fn versions() -> String {
    let said = |program: &str| {
        let output = Command::new(program).arg("--version").output();
        let text =
            output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or_default().to_owned()
    };
    format!("{}, {}", said("/usr/bin/patroni"), said("/usr/bin/etcd"))
}
