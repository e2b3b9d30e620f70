//! Files in, people out: the commands that import, explain and purge, over real files and databases.

use crate::support::{Customer, Installation, Server};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder of files for one test.
struct Desk {
    installation: Installation,
    folder: PathBuf,
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

const PEOPLE: &str = "id,first_name,last_name,email,title,company,company_domain,city,country,last_updated
1,Wilhelmina,Okafor-Lindqvist,w.okafor@brightwater-labs.example,Engineer,Brightwater Labs,brightwater-labs.example,Leeds,GB,2026-01-05
2,Tomasz,Zielonka,t.zielonka@brightwater-labs.example,Head of Sales,Brightwater Labs,brightwater-labs.example,Leeds,GB,2026-01-05
3,,,not an address,,,,,,2026-01-05
";

impl Desk {
    fn new() -> Self {
        let installation = Installation::new();
        let folder = std::env::temp_dir().join(format!("assay-files-{}", installation.graph.name()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { installation, folder }
    }

    fn file(&self, name: &str, content: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn add_source(&self, name: &str, more: &[&str]) {
        let plain = ["source", "add", name, "--licence", "ours"];
        self.installation.ok(&[plain.as_slice(), more].concat());
    }

    fn import(&self, source: &str, content: &str) -> Value {
        let path = self.file(&format!("{source}.csv"), content);
        self.installation.ok_json(&["import", "people", &path, "--source", source, "--yes"])
    }

    fn count(&self, what: &str) -> String {
        self.installation.graph.psql(&format!("select count(*) from {what}")).unwrap().trim().to_owned()
    }
}

/// The same rows as lines of JSON.
fn as_jsonl(csv: &str) -> String {
    let mut lines = csv.lines().map(|line| line.split(','));
    let names: Vec<&str> = lines.next().unwrap().collect();
    lines
        .map(|values| {
            let fields = names.iter().zip(values).filter(|(_, value)| !value.is_empty());
            let row: Map<String, Value> =
                fields.map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            format!("{}\n", Value::Object(row))
        })
        .collect()
}

/// And as columns of text, a missing value as null.
fn write_parquet(path: &Path, csv: &str) {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let fields: String = names.iter().map(|name| format!("optional binary {name} (string); ")).collect();
    let schema = Arc::new(parse_message_type(&format!("message people {{ {fields} }}")).unwrap());
    let mut out = SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = out.next_row_group().unwrap();
    for column in 0..names.len() {
        let values = rows.iter().map(|row| row[column]);
        let defined: Vec<i16> = values.clone().map(|value| i16::from(!value.is_empty())).collect();
        let texts: Vec<ByteArray> = values.filter(|value| !value.is_empty()).map(ByteArray::from).collect();
        let mut writer = group.next_column().unwrap().unwrap();
        writer.typed::<ByteArrayType>().write_batch(&texts, Some(&defined), None).unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    out.close().unwrap();
}

fn found(server: &Server, customer: &Customer, ask: &Value) -> Value {
    let answer = server.enrich(customer, ask).is_ok();
    assert_eq!(answer["found"], true, "{answer}");
    answer
}

fn by_email() -> Value {
    json!({"email": "w.okafor@brightwater-labs.example"})
}

#[test]
fn what_a_file_says_is_found_with_its_source_and_importing_it_again_changes_nothing() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    let before = desk.count("person");
    let first = desk.import("crm", PEOPLE);
    assert_eq!((&first["new"], &first["rejected"]), (&json!(2), &json!(1)), "{first}");
    let server = desk.installation.serve();
    let customer = desk.installation.customer("trial");
    let answer = found(&server, &customer, &by_email());
    assert_eq!(answer["person"]["fullName"], "Wilhelmina Okafor-Lindqvist");
    assert_eq!(answer["person"]["meta"]["sources"]["email"][0]["provider"], "crm");
    assert_eq!(answer["person"]["meta"]["sources"]["email"][0]["last_seen"], "2026-01-05");
    let rejects = std::fs::read_to_string(desk.folder.join("crm.csv.rejects.csv")).unwrap();
    assert!(rejects.lines().count() == 2, "{rejects}");
    let counts =
        || ["person", "identity", "match_key", "source_record", "change_log"].map(|table| desk.count(table));
    let after = counts();
    assert_eq!(after[0].parse::<u64>().unwrap(), before.parse::<u64>().unwrap() + 2);
    let again = desk.import("crm", PEOPLE);
    assert_eq!((&again["new"], &again["unchanged"]), (&json!(0), &json!(2)), "{again}");
    assert_eq!(counts()[..4], after[..4]);
}

#[test]
fn the_same_rows_in_another_format_say_nothing_new() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.import("crm", PEOPLE);
    let lines = desk.file("crm.jsonl", &as_jsonl(PEOPLE));
    let columns = desk.folder.join("crm.parquet");
    write_parquet(&columns, PEOPLE);
    for path in [lines.as_str(), columns.to_str().unwrap()] {
        let again = desk.installation.ok_json(&["import", "people", path, "--source", "crm", "--yes"]);
        let told = ["new", "unchanged", "changed", "rejected"].map(|count| again[count].as_u64());
        assert_eq!(told, [Some(0), Some(2), Some(0), Some(1)], "{path}: {again}");
    }
    // And without any other before it.
    desk.add_source("columns", &[]);
    let path = columns.to_str().unwrap();
    let first = desk.installation.ok_json(&["import", "people", path, "--source", "columns", "--yes"]);
    assert_eq!((&first["linked"], &first["rejected"]), (&json!(2), &json!(1)), "{first}");
}

#[test]
fn somebody_written_down_in_another_way_is_one_person_who_can_be_explained_and_parted_again() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.add_source("events", &[]);
    desk.import("crm", PEOPLE);
    let people = desk.count("person");
    let second = desk.import(
        "events",
        "id,full name,email,company,last_updated\nA,Willa Okafor Lindqvist,w.okafor@brightwater-labs.example,Brightwater Labs,2026-02-01\n",
    );
    assert_eq!((&second["new"], &second["linked"]), (&json!(0), &json!(1)), "{second}");
    assert_eq!(desk.count("person"), people);
    let server = desk.installation.serve();
    let customer = desk.installation.customer("trial");
    let id = found(&server, &customer, &by_email())["person"]["id"].as_str().unwrap().to_owned();
    let told = desk.installation.ok(&["source", "explain", &id]);
    assert!(told.contains("same_email") && told.contains("crm") && told.contains("events"), "{told}");
    let parted = desk.installation.ok_json(&["source", "part", "events", "A"]);
    assert_ne!(parted["person"], json!(id));
    // The next file of the source does not bring them together again.
    let third = desk.import(
        "events",
        "id,full name,email,company,last_updated\nA,Willa Okafor Lindqvist,w.okafor@brightwater-labs.example,Brightwater,2026-03-01\n",
    );
    assert_eq!(
        (&third["new"], &third["changed"], &third["linked"]),
        (&json!(0), &json!(1), &json!(0)),
        "{third}"
    );
    assert_eq!(desk.count("source_record where ref = 'A'"), "1");
}

#[test]
fn a_later_file_of_a_source_tells_of_new_jobs_promotions_and_departures() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.import("crm", PEOPLE);
    let later = "id,first_name,last_name,email,title,company,company_domain,city,country,last_updated
1,Wilhelmina,Okafor-Lindqvist,w.okafor@brightwater-labs.example,Engineer,Sable Quay,sable-quay.example,Leeds,GB,2026-06-05
2,Tomasz,Zielonka,t.zielonka@brightwater-labs.example,Chief Revenue Officer,Brightwater Labs,brightwater-labs.example,Leeds,GB,2026-06-05
";
    let counts = desk.import("crm", later);
    assert_eq!((&counts["job_changes"], &counts["promotions"]), (&json!(1), &json!(1)), "{counts}");
    assert_eq!(desk.count("employment_change"), "2");
    let server = desk.installation.serve();
    let customer = desk.installation.customer("trial");
    let person = &found(&server, &customer, &by_email())["person"];
    assert_eq!(person["experience"][0]["company"]["name"], "Sable Quay", "{person}");
}

#[test]
fn an_older_file_takes_nothing_back() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.import("crm", PEOPLE);
    let older = PEOPLE.replace("2026-01-05", "2025-11-05").replace("Engineer", "Trainee");
    let counts = desk.import("crm", &older);
    assert_eq!((&counts["unchanged"], &counts["changed"]), (&json!(2), &json!(0)), "{counts}");
    let kept =
        "source_record where ref = '1' and content::text like '%Engineer%' and last_seen = '2026-01-05'";
    assert_eq!(desk.count(kept), "1");
}

#[test]
fn a_command_that_was_stopped_in_its_second_file_leaves_the_first_one_alone() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    let first = desk.file("first.csv", PEOPLE);
    // The same day: only that it is through tells that the first file must not have the last word again.
    let second = desk.file("second.csv", &PEOPLE.replace("Engineer", "Principal Engineer"));
    let import =
        || desk.installation.ok_json(&["import", "people", &first, &second, "--source", "crm", "--yes"]);
    import();
    let version = "select version from person join source_record on id = entity_id where ref = '1'";
    let version = || desk.installation.graph.psql(version).unwrap().trim().to_owned();
    assert_eq!(version(), "2");
    // As it is when the program is killed while it writes the second file.
    let reopen = "update import_run set finished_at = null, position = '', counts = '{}'
                  where (counts ->> 'changed')::int = 1";
    desk.installation.graph.psql(reopen).unwrap();
    let again = import();
    assert_eq!(
        (&again["files"][0]["resumed_after_row"], &again["files"][1]["unchanged"]),
        (&json!(3), &json!(2)),
        "{again}"
    );
    assert_eq!(version(), "2");
}

#[test]
fn a_dry_run_writes_nothing_and_a_source_that_may_not_be_kept_is_refused() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.add_source("live", &["--not-storable"]);
    let path = desk.file("people.csv", PEOPLE);
    let tables = || ["person", "source_record", "import_run"].map(|table| desk.count(table));
    let before = tables();
    let told =
        desk.installation.ok_json(&["import", "people", &path, "--source", "crm", "--yes", "--dry-run"]);
    assert_eq!(told["new"], 2, "{told}");
    assert_eq!(tables(), before);
    let refused = desk.installation.run(&["import", "people", &path, "--source", "live", "--yes"]);
    assert!(!refused.status.success());
    let unknown = desk.installation.run(&["import", "people", &path, "--source", "nobody", "--yes"]);
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("assay source add"), "{said}");
}

#[test]
fn purging_a_source_leaves_what_others_say_and_removes_whom_only_it_knew() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.add_source("events", &[]);
    desk.import("crm", PEOPLE);
    desk.import(
        "events",
        "id,full name,email,phone,last_updated\nA,Wilhelmina Okafor-Lindqvist,w.okafor@brightwater-labs.example,+442079460123,2026-02-01\n",
    );
    desk.installation.ok(&["source", "purge", "crm", "--yes"]);
    let server = desk.installation.serve();
    let customer = desk.installation.customer("trial");
    let person = &found(&server, &customer, &by_email())["person"];
    assert_eq!(person["meta"]["sources"]["email"][0]["provider"], "events", "{person}");
    assert!(person.get("title").is_none(), "{person}");
    let gone = server.enrich(&customer, &json!({"email": "t.zielonka@brightwater-labs.example"})).is_ok();
    assert_eq!(gone["found"], false);
    assert_eq!(desk.count("source where name = 'crm'"), "0");
}

#[test]
fn what_one_account_alone_may_see_is_nothing_to_the_others() {
    let desk = Desk::new();
    let (owner, other) = (desk.installation.customer("trial"), desk.installation.customer("trial"));
    desk.add_source("private", &["--private-to", &owner.account]);
    desk.import("private", PEOPLE);
    let server = desk.installation.serve();
    found(&server, &owner, &by_email());
    let names = json!({"fullName": "Tomasz Zielonka", "company_domain": "brightwater-labs.example"});
    found(&server, &owner, &names);
    for ask in [by_email(), names] {
        assert_eq!(server.enrich(&other, &ask).is_ok()["found"], false, "{ask}");
    }
}

#[test]
fn names_written_in_another_way_are_found_at_their_company() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.import("crm", PEOPLE);
    let server = desk.installation.serve();
    let customer = desk.installation.customer("trial");
    for name in ["Tomasz Zielonka", "Tomek Zielonka", "Tomasz Zielnka", "Zielonka Tomasz"] {
        let ask = json!({"fullName": name, "company_domain": "brightwater-labs.example"});
        let answer = found(&server, &customer, &ask);
        assert_eq!(answer["person"]["fullName"], "Tomasz Zielonka", "{name}");
        let ask = json!({"fullName": name, "company_name": "Brightwater Labs"});
        assert_eq!(found(&server, &customer, &ask)["person"]["fullName"], "Tomasz Zielonka", "{name}");
    }
    let stranger = json!({"fullName": "Magdalena Zielonka", "company_domain": "brightwater-labs.example"});
    assert_eq!(server.enrich(&customer, &stranger).is_ok()["found"], false);
}

#[test]
fn somebody_erased_is_not_brought_back_by_the_next_file() {
    let desk = Desk::new();
    desk.add_source("crm", &[]);
    desk.import("crm", PEOPLE);
    desk.installation.ok(&["suppression", "add", "--email", "w.okafor@brightwater-labs.example"]);
    assert_eq!(desk.count("source_record"), "1");
    let keys = desk.count("match_key");
    let again = desk.import("crm", &PEOPLE.replace("Engineer", "Principal Engineer"));
    assert_eq!(again["suppressed"], 1, "{again}");
    assert_eq!((desk.count("source_record"), desk.count("match_key")), ("1".to_owned(), keys));
}

#[test]
fn what_may_no_longer_be_kept_is_not_found_and_goes() {
    let desk = Desk::new();
    desk.add_source("short", &["--retention-days", "30"]);
    desk.add_source("long", &[]);
    let fresh = "id,full name,email\nA,Wilhelmina Okafor-Lindqvist,w.okafor@brightwater-labs.example\n";
    desk.import("long", fresh);
    // Seen in January, and it is long past February.
    desk.import("short", PEOPLE);
    let customer = desk.installation.customer("trial");
    let server = desk.installation.serve();
    let gone = server.enrich(&customer, &json!({"email": "t.zielonka@brightwater-labs.example"})).is_ok();
    assert_eq!(gone["found"], false);
    for _ in 0..100 {
        if desk.count("source_record") == "1" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let person = &found(&server, &customer, &by_email())["person"];
    assert_eq!(person["meta"]["sources"]["email"][0]["provider"], "long", "{person}");
    assert!(person.get("title").is_none(), "{person}");
}

/// Nothing but a name, a title and a place: of another source it is somebody known, of the same one a namesake; in one file
/// as in two.
#[test]
fn by_the_name_alone_a_source_does_not_mean_somebody_it_tells_of_already() {
    const HEADER: &str = "id,first_name,last_name,title,city,country,last_updated\n";
    let row = |id: u32| format!("{id},Tomasz Wiktor,Zielonka-Achterberg,Head of Sales,Leeds,GB,2026-01-05\n");
    for files in [vec![row(1) + &row(2)], vec![row(1), row(2)]] {
        let desk = Desk::new();
        desk.add_source("crm", &[]);
        let told: Vec<Value> =
            files.iter().map(|rows| desk.import("crm", &format!("{HEADER}{rows}"))).collect();
        let new: u64 = told.iter().map(|told| told["new"].as_u64().unwrap()).sum();
        assert_eq!(new, 2, "{told:?}");
    }
    let desk = Desk::new();
    ["crm", "fair"].iter().for_each(|name| desk.add_source(name, &[]));
    desk.import("crm", &format!("{HEADER}{}", row(1)));
    let other = desk.import("fair", &format!("{HEADER}{}", row(7)));
    assert_eq!((&other["new"], &other["linked"]), (&json!(0), &json!(1)), "{other}");
}
