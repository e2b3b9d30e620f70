//! An installation for one test: two databases, a small world, the built program and a customer.

mod http;

pub use http::{Answer, Request};

use assay_store::{Database, Graph, Ledger};
use assay_testkit::{ChildServer, TestDatabase, free_port, workspace_root};
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

const PEOPLE: u64 = 500;
pub const MASTER_KEY: &str = "8f1d2c3b4a5968778695a4b3c2d1e0ff00112233445566778899aabbccddeeff";
const PROGRAM: &str = env!("CARGO_BIN_EXE_assay");
const START: Duration = Duration::from_secs(30);

/// Two databases of its own and a settings file. Nothing runs yet.
pub struct Installation {
    pub ledger: TestDatabase,
    pub graph: TestDatabase,
    folder: PathBuf,
}

impl Installation {
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let migrate = async |url: String| Ok(Ledger::migrate(&Database::at(&url)).await?);
            let ledger = TestDatabase::from_template("ledger", &migrations("ledger"), migrate).await.unwrap();
            let folder = std::env::temp_dir().join(format!("assay-{}", ledger.name()));
            std::fs::create_dir_all(&folder).unwrap();
            let load = async |url: String| {
                Graph::migrate(&Database::at(&url)).await?;
                write_settings(&folder, &ledger.url(), &url);
                let loaded = run(&folder, &["world", "load", "--people", &PEOPLE.to_string()]);
                anyhow::ensure!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
                Ok(())
            };
            let fingerprint = format!("{}{}", migrations("graph"), world_text());
            let graph = TestDatabase::from_template("world500", &fingerprint, load).await.unwrap();
            write_settings(&folder, &ledger.url(), &graph.url());
            Self { ledger, graph, folder }
        })
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        run(&self.folder, arguments)
    }

    /// The same with variables of its environment.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        command(&self.folder, arguments).envs(variables.iter().copied()).output().unwrap()
    }

    /// Runs a command that must succeed and gives its standard output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The same for one that reads something from its standard input.
    pub fn ok_reading(&self, arguments: &[&str], input: &str) -> String {
        let mut command = command(&self.folder, arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Commands may ask vendors on this machine.
    pub fn allow_local_vendors(&self) {
        self.set("[upstreams]\nallowed_ranges = [\"127.0.0.1/32\"]\nallow_http = true\n");
    }

    /// Adds to the settings.
    pub fn set(&self, more: &str) {
        let path = self.folder.join("assay.toml");
        let settings = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, settings + more).unwrap();
    }

    /// Writes a file that goes with the installation, and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn ok_json(&self, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.ok(&arguments)).unwrap()
    }

    /// A new account with one key that may do everything ordinary.
    pub fn customer(&self, plan: &str) -> Customer {
        let account = self.ok_json(&["account", "create", "--name", "Test", "--plan", plan]);
        let account = account["id"].as_str().unwrap().to_owned();
        let key = self.ok(&["key", "create", "--account", &account]).trim().to_owned();
        Customer { account, key }
    }

    pub fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// A server with these settings beside the usual ones.
    pub fn serve_with(&self, extra: &[(&str, &str)]) -> Server {
        let mut server = self.start_with(extra);
        server.process.wait_ready(&format!("http://{}/readyz", server.operations), START).unwrap();
        server
    }

    /// A server that may not be ready yet.
    pub fn start_with(&self, extra: &[(&str, &str)]) -> Server {
        let (api, operations) = (free_port().unwrap(), free_port().unwrap());
        let listen = format!("127.0.0.1:{api}");
        let operations_listen = format!("127.0.0.1:{operations}");
        let index = self.folder.join(format!("index-{api}"));
        let config = self.folder.join("assay.toml");
        let arguments = ["--config", config.to_str().unwrap(), "serve"];
        let mut variables = vec![
            ("ASSAY_SERVER_LISTEN", &*listen),
            ("ASSAY_SERVER_OPERATIONS_LISTEN", &*operations_listen),
            ("ASSAY_SERVER_STOP_NOTICE_SECONDS", "0"),
            ("ASSAY_INDEX_FOLDER", index.to_str().unwrap()),
        ];
        variables.extend(extra);
        let log = self.folder.join("serve.log");
        let process = ChildServer::spawn(Path::new(PROGRAM), &arguments, &variables, &log).unwrap();
        Server { process, api: listen.parse().unwrap(), operations: operations_listen.parse().unwrap() }
    }
}

impl Drop for Installation {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("--config").arg(folder.join("assay.toml")).args(arguments);
    command
}

fn write_settings(folder: &Path, ledger: &str, graph: &str) {
    let text = format!(
        "[ledger]\nurl = \"{ledger}\"\nconnections_max = 6\n[graph]\nurl = \"{graph}\"\nconnections_max = 4\n\
         [secrets]\nmaster_key = \"{MASTER_KEY}\"\n"
    );
    std::fs::write(folder.join("assay.toml"), text).unwrap();
}

/// The text of all migrations: when it changes, a new template is made.
fn migrations(side: &str) -> String {
    let folder = workspace_root().unwrap().join("migrations").join(side);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// Enough of the world's content to notice that it is made differently now.
fn world_text() -> String {
    let facts: Vec<_> = (0..PEOPLE).step_by(25).map(|index| WORLD.person(index).facts).collect();
    format!("{MASTER_KEY}{}", serde_json::to_string(&facts).unwrap())
}

/// What the graph of every installation holds.
pub static WORLD: LazyLock<World> = LazyLock::new(|| World::new(DEMO_SEED, PEOPLE, DEMO_AS_OF));

/// The email address of a person in the graph; different numbers give different people.
pub fn known_email(number: usize) -> String {
    let people = (0..PEOPLE).map(|index| WORLD.person(index).facts);
    let mut addresses = people.filter_map(|facts| Some(facts.emails.first()?.address.as_str().to_owned()));
    addresses.nth(number).unwrap()
}

/// Every way to ask for one of the first people of the graph.
pub fn ways_to_ask(people: u64) -> Vec<Value> {
    let mut ways = Vec::new();
    for index in 0..people {
        let person = WORLD.person(index);
        let facts = &person.facts;
        ways.extend(facts.emails.iter().map(|known| json!({ "email": known.address })));
        ways.extend(facts.phones.iter().map(|known| json!({ "phone": known.number })));
        ways.extend(facts.network_url.iter().map(|url| json!({ "networkUrl": url })));
        let employer = person.experience.first().map(|job| &job.company_name);
        let named = |employer| json!({ "fullName": facts.full_name, "company_name": employer });
        ways.extend(employer.map(named));
    }
    ways
}

pub struct Customer {
    pub account: String,
    pub key: String,
}

/// The running program.
pub struct Server {
    pub process: ChildServer,
    pub api: SocketAddr,
    pub operations: SocketAddr,
}

impl Server {
    /// A call with a key.
    pub fn call(&self, customer: &Customer, method: &str, path: &str, body: &Value) -> Answer {
        Request::new(method, path).key(&customer.key).json(body).send(self.api)
    }

    pub fn get(&self, customer: &Customer, path: &str) -> Answer {
        Request::new("GET", path).key(&customer.key).send(self.api)
    }

    pub fn enrich(&self, customer: &Customer, body: &Value) -> Answer {
        self.call(customer, "POST", "/v1/enrich", body)
    }
}
