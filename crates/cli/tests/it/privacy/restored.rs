//! Restoring: whoever was erased after the backup is not there after the restore, and credits are as they were.

use super::{idempotent, is_found_by_nothing, operator, suppress, well_known};
use crate::search::{PEOPLE, balance, ids};
use crate::support::{Customer, Installation, Request, Server, known_email};
use assay_testkit::{TestDatabase, shared};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

const STOP: Duration = Duration::from_secs(20);

/// An installation with a backup, and people erased after it.
pub(super) struct Scene {
    pub installation: Installation,
    pub customer: Customer,
    /// Erased after the backup: by a call, and by a command.
    pub erased: [Value; 2],
    pub stays: Value,
    /// A bulk job that found all three.
    pub bulk: String,
    pub balance_at_backup: f64,
    pub balance_at_end: f64,
    /// The folder of backups.
    pub backups: String,
}

impl Scene {
    pub fn new() -> Self {
        let installation = Installation::new();
        let customer = installation.customer("scale");
        let operator = operator(&installation);
        let mut server = installation.serve();
        let [first, second, stays] = [0, 120, 240].map(|from| well_known(&server, &customer, from));
        idempotent(&server, &customer, "before", &json!({"email": first["email"]})).is_ok();
        let bulk = bulk(&server, &customer, &[&first, &second, &stays]);
        let backups = format!("{}-folder", installation.file("backups", ""));
        let balance_at_backup = balance(&server, &customer);
        installation.ok_json(&["backup", "--to", &backups]);
        server.enrich(&customer, &json!({"email": known_email(479)})).is_ok();
        suppress(&server, &operator, &json!({"email": first["email"]}));
        installation.ok_json(&["suppression", "add", "--phone", second["phone"].as_str().unwrap()]);
        let balance_at_end = balance(&server, &customer);
        assert!(balance_at_end < balance_at_backup);
        stop(&mut server);
        let erased = [first, second];
        Self { installation, customer, erased, stays, bulk, balance_at_backup, balance_at_end, backups }
    }

    pub fn restore(&self, more: &[&str]) -> Value {
        let arguments: Vec<&str> =
            ["restore", "--from", &self.backups].into_iter().chain(more.iter().copied()).collect();
        self.installation.ok_json(&arguments)
    }

    /// Nobody who was erased is in any answer, and whoever was not is.
    #[track_caller]
    fn check(&self, server: &Server) {
        let shown = |path: &str| server.get(&self.customer, path).text();
        let people = shown("/v1/me/people?limit=100");
        let bulk = shown(&format!("/v1/bulk/{}?limit=100", self.bulk));
        // One page, which holds a whole company: a log that begins anew would end a walk over several.
        let colleagues = |person: &Value| {
            let body = json!({"company_domain": person["company"]["domain"], "limit": 100});
            ids(&server.call(&self.customer, "POST", PEOPLE, &body).is_ok())
        };
        for person in &self.erased {
            let id = person["id"].as_str().unwrap().to_owned();
            is_found_by_nothing(server, &self.customer, person);
            assert!(!people.contains(&id) && !bulk.contains(&id), "{people}\n{bulk}");
            let found = colleagues(person);
            assert!(!found.is_empty() && !found.contains(&id));
        }
        let id = self.stays["id"].as_str().unwrap();
        assert!(people.contains(id) && bulk.contains(id) && colleagues(&self.stays).contains(&id.to_owned()));
        let again = idempotent(server, &self.customer, "before", &json!({"email": self.erased[0]["email"]}));
        assert_eq!(again.is_ok()["found"], false);
        let loaded = self.installation.ok_json(&["world", "load", "--people", "500"]);
        assert_eq!((&loaded["people"], &loaded["suppressed"]), (&json!(0), &json!(2)));
        assert!(self.installation.run(&["doctor"]).status.success());
    }

    #[track_caller]
    fn has_balance(&self, server: &Server, wanted: f64) {
        assert_eq!(balance(server, &self.customer).to_string(), wanted.to_string());
    }

    fn suppressions(&self) -> Value {
        let mut rows = self.installation.ok_json(&["suppression", "list"])["results"].clone();
        rows.as_array_mut().unwrap().sort_by_key(|row| row["id"].to_string());
        rows
    }
}

fn bulk(server: &Server, customer: &Customer, people: &[&Value]) -> String {
    let items: Vec<Value> = people.iter().map(|person| json!({"email": person["email"]})).collect();
    let made = server.call(customer, "POST", "/v1/bulk/enrich", &json!({"items": items})).json();
    let id = made["id"].as_str().unwrap().to_owned();
    crate::search::eventually("the bulk job", || {
        server.get(customer, &format!("/v1/bulk/{id}")).is_ok()["status"] == "completed"
    });
    id
}

pub(super) fn stop(server: &mut Server) {
    assert!(server.process.terminate(STOP).unwrap().success());
}

/// The database is gone, and an empty one is there instead.
pub(super) fn lose(database: &TestDatabase) {
    let name = database.name();
    shared().unwrap().psql(&format!("drop database {name} with (force); create database {name}")).unwrap();
}

#[test]
fn a_lost_graph_is_restored_without_whoever_was_erased_since() {
    let scene = Scene::new();
    let before = scene.suppressions();
    lose(&scene.installation.graph);
    let told = scene.restore(&["--only", "graph"]);
    assert_eq!(told["people_erased_again"], 2, "{told}");
    assert_eq!((&told["ledger"], &told["later_erasures_known"]), (&Value::Null, &json!(true)), "{told}");
    // The same suppressions, by the same names and from the same days.
    assert_eq!(scene.suppressions(), before);
    let server = scene.installation.serve();
    scene.has_balance(&server, scene.balance_at_end);
    scene.check(&server);
}

#[test]
fn both_replaced_while_they_can_be_reached_keep_out_whoever_was_erased_since() {
    let scene = Scene::new();
    let told = scene.restore(&["--replace"]);
    assert_eq!((&told["people_erased_again"], &told["later_erasures_known"]), (&json!(2), &json!(true)));
    let server = scene.installation.serve();
    scene.has_balance(&server, scene.balance_at_backup);
    scene.check(&server);
    let left: Vec<_> = walk_files(&scene.backups);
    assert!(!left.iter().any(|name| name.contains("carried")), "{left:?}");
}

#[test]
fn both_lost_are_restored_with_a_journal_and_without_one_it_is_told_and_mended() {
    let scene = Scene::new();
    let journal = scene.installation.file("journal.jsonl", "");
    let export = ["suppression", "export", &journal];
    let added = scene.installation.ok_json(&export)["added"].as_u64().unwrap();
    assert!(added >= 10, "{added}");
    assert_eq!(scene.installation.ok_json(&export)["added"], 0);
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), usize::try_from(added).unwrap() + 1);
    for person in &scene.erased {
        for secret in ["email", "phone", "networkUrl", "fullName"] {
            assert!(!text.contains(person[secret].as_str().unwrap()), "{secret}");
        }
    }
    // What a crash left of a line is no hindrance.
    std::fs::write(&journal, format!("{text}{{\"id\":")).unwrap();
    assert_eq!(scene.installation.ok_json(&export)["added"], 0);
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), text);
    let (ledger, graph) = (&scene.installation.ledger, &scene.installation.graph);
    lose(ledger);
    lose(graph);
    let told = scene.restore(&["--suppressions", &journal]);
    assert_eq!((&told["people_erased_again"], &told["later_erasures_known"]), (&json!(2), &json!(true)));
    let mut server = scene.installation.serve();
    scene.has_balance(&server, scene.balance_at_backup);
    scene.check(&server);
    stop(&mut server);
    lose(ledger);
    lose(graph);
    let told = scene.restore(&[]);
    assert_eq!((&told["people_erased_again"], &told["later_erasures_known"]), (&json!(0), &json!(false)));
    let told = scene.installation.ok_json(&["suppression", "apply", &journal]);
    assert_eq!(told["people_erased"], 2, "{told}");
    scene.check(&scene.installation.serve());
}

#[test]
fn a_ledger_restored_alone_forgets_whoever_the_graph_knows_to_be_erased() {
    let scene = Scene::new();
    let stored = || {
        let count = "select count(*) from reply where state = 'done' and subjects <> '{}'";
        scene.installation.ledger.psql(count).unwrap()
    };
    assert_eq!(stored(), "0");
    let told = scene.restore(&["--only", "ledger", "--replace"]);
    assert_eq!((&told["people_erased_again"], &told["graph"]), (&json!(0), &Value::Null), "{told}");
    assert_eq!(stored(), "0");
    let server = scene.installation.serve();
    scene.has_balance(&server, scene.balance_at_backup);
    scene.check(&server);
}

/// Without `assay restore`: nobody has told the node.
#[test]
fn a_node_over_databases_restored_by_hand_answers_nobody_before_it_has_erased_again() {
    let scene = Scene::new();
    let dump = |side: &str| {
        let folder = walk_files(&scene.backups).into_iter().find(|name| name.starts_with("assay-")).unwrap();
        format!("{}/{folder}/{side}.dump", scene.backups)
    };
    let by_hand = |database: &TestDatabase, side: &str| {
        lose(database);
        let restore = Command::new("pg_restore").args(["-d", &database.url(), &dump(side)]).status();
        assert!(restore.unwrap().success());
    };
    by_hand(&scene.installation.graph, "graph");
    let (graph, installation) = (&scene.installation.graph, &scene.installation);
    let mut server = std::thread::scope(|scope| {
        // The lock that erasing takes alone.
        let lock = "begin; select pg_advisory_xact_lock(7022083106486055794); select pg_sleep(4); commit";
        scope.spawn(move || graph.psql(lock).unwrap());
        std::thread::sleep(Duration::from_millis(500));
        let mut server = installation.start_with(&[]);
        let ask = || Request::new("GET", "/readyz").send(server.operations);
        crate::search::eventually("the operations port", || TcpStream::connect(server.operations).is_ok());
        assert_eq!(ask().status, 503);
        assert_eq!(ask().json()["checks"]["suppressions"]["ok"], false);
        assert!(TcpStream::connect(server.api).is_err());
        let ready = format!("http://{}/readyz", server.operations);
        server.process.wait_ready(&ready, Duration::from_secs(30)).unwrap();
        server
    });
    scene.has_balance(&server, scene.balance_at_end);
    scene.check(&server);
    stop(&mut server);
    by_hand(&scene.installation.ledger, "ledger");
    let server = scene.installation.serve();
    scene.check(&server);
}

/// A running node hears of it from its own background work.
#[test]
fn a_graph_restored_under_a_running_node_is_mended_within_seconds() {
    let scene = Scene::new();
    let server = scene.installation.serve();
    let folder = walk_files(&scene.backups).into_iter().find(|name| name.starts_with("assay-")).unwrap();
    let dump = format!("{}/{folder}/graph.dump", scene.backups);
    lose(&scene.installation.graph);
    let restore =
        Command::new("pg_restore").args(["-1", "-d", &scene.installation.graph.url(), &dump]).status();
    assert!(restore.unwrap().success());
    let missing = || {
        let count = "select count(*) from suppression";
        scene.installation.graph.psql(count).unwrap()
            != scene.installation.ledger.psql("select count(*) from suppression_copy").unwrap()
    };
    crate::search::eventually("the erasure", || !missing());
    is_found_by_nothing(&server, &scene.customer, &scene.erased[0]);
}

#[test]
fn what_was_lifted_stays_lifted_over_a_start() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let mut server = installation.serve();
    let person = well_known(&server, &customer, 0);
    let added = installation.ok_json(&["suppression", "add", "--email", person["email"].as_str().unwrap()]);
    let copies = || installation.ledger.psql("select count(*) from suppression_copy").unwrap();
    assert_eq!(copies(), added["suppressed"].to_string());
    let ids: Vec<&str> = added["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let remove: Vec<&str> = ["suppression", "remove"].into_iter().chain(ids).collect();
    installation.ok(&remove);
    assert_eq!(copies(), "0");
    stop(&mut server);
    assert_eq!(installation.ok_json(&["world", "load", "--people", "500"])["people"], 1);
    let server = installation.serve();
    let found = server.enrich(&customer, &json!({"email": person["email"]})).is_ok();
    assert_eq!(found["person"]["id"], person["id"]);
}

pub(super) fn walk_files(folder: &str) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        names.push(entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            names.extend(walk_files(entry.path().to_str().unwrap()));
        }
    }
    names
}
