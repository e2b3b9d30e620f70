//! Public sources, files and snapshots: how they become signals in the built program.

use crate::support::{Customer, Installation, Server};
use assay_testkit::Stopwatch;
use assay_testkit::public_hosts::{FiledForm, PublicHosts, Published};
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// The feed of a kind, once it is as it should be.
fn feed(server: &Server, customer: &Customer, kind: &str, is_right: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let watch = Stopwatch::start();
    loop {
        let page = server.get(customer, &format!("/v1/signals?kind={kind}")).is_ok();
        let rows = page["results"].as_array().unwrap().clone();
        if is_right(&rows) {
            return rows;
        }
        assert!(watch.elapsed() < PATIENCE, "{page}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn release() -> Published {
    Published {
        guid: "wire-1".into(),
        title: "Zebra Forge raises $9.8 million in seed funding led by Cedar Hill Ventures".into(),
        body: "BOSTON -- Zebra Forge has raised $9.8 million in seed funding led by Cedar Hill Ventures."
            .into(),
        at: "Mon, 02 Nov 2026 09:00:00 -0500".into(),
    }
}

fn form() -> FiledForm {
    FiledForm {
        form: "D",
        cik: 1_900_001,
        number: 1,
        company: "ZEBRA FORGE, INC.".into(),
        sold: 9_777_138,
        first_sale: "2026-10-30".into(),
        filed_at: "2026-11-05T21:05:17-05:00".into(),
    }
}

#[test]
fn feeds_are_added_tried_looked_at_listed_and_removed() {
    let installation = Installation::new();
    let hosts = PublicHosts::start().unwrap();
    let refused = installation.run(&["feed", "add", "sec-form-d"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("feeds.contact"), "it says what to do");

    installation.allow_local_vendors();
    installation.set(&format!("[feeds]\ncontact = \"Test ops@acme.test\"\nmirror = \"{}\"\n", hosts.url()));
    let server = installation.serve();
    let customer = installation.customer("indie");
    hosts.publish("wire.test", release());
    hosts.file(form());
    installation.ok(&["feed", "add", "sec-form-d", "--every", "3600"]);
    installation.ok(&["feed", "add", "rss", "wire", "https://wire.test/rss", "--every", "3600"]);
    let bad = ["feed", "add", "board", "monster", "acme", "--company", "Acme"];
    assert!(!installation.run(&bad).status.success());

    let both = |rows: &[Value]| rows.len() == 1 && rows[0]["sources"].as_array().unwrap().len() == 2;
    let rows = feed(&server, &customer, "funding", both);
    assert_eq!(rows[0]["funding"]["leadInvestors"], json!(["Cedar Hill Ventures"]), "{}", rows[0]);
    let tried = installation.ok_json(&["feed", "test", "rss/wire"]);
    assert_eq!(tried["notices"][0]["company"]["name"], json!("Zebra Forge"), "{tried}");

    hosts.file(FiledForm { cik: 1_900_002, company: "Ochre Lantern Inc".into(), ..form() });
    let ran = installation.ok_json(&["feed", "run", "sec-form-d"]);
    assert_eq!((&ran["signals"], &ran["trouble"]), (&json!(2), &Value::Null), "{ran}");
    feed(&server, &customer, "funding", |rows| rows.len() == 2);
    let listed = installation.ok_json(&["feed", "list"]);
    let names: Vec<&str> =
        listed["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["rss/wire", "sec-form-d"]);
    installation.ok(&["feed", "remove", "rss/wire"]);
    assert!(!installation.run(&["feed", "remove", "rss/wire"]).status.success());
}

#[test]
fn a_company_that_becomes_known_later_is_matched_then() {
    let installation = Installation::new();
    let customer = installation.customer("indie");
    let server = installation.serve();
    let line = json!({
        "id": "r-1", "kind": "funding", "occurredAt": "2026-11-02T09:00:00Z", "company": { "name": "Zebra Forge, Inc." },
        "funding": { "stage": "seed", "amount": 980_000_000, "currency": "USD" },
    });
    let file = installation
        .file("events.jsonl", &format!("{line}\n{{\"id\":\"r-2\",\"kind\":\"funding\"}}\nnonsense\n"));
    let told = installation.ok_json(&["import", "signals", &file, "--source", "own"]);
    assert_eq!(told["written"], json!(1), "{told}");
    let rejected: Vec<(&Value, &Value)> =
        told["rejected"].as_array().unwrap().iter().map(|row| (&row["row"], &row["field"])).collect();
    assert_eq!(rejected, [(&json!(2), &json!("/occurredAt")), (&json!(3), &json!(""))]);
    let again = installation.ok_json(&["import", "signals", &file, "--source", "own"]);
    assert_eq!((&again["written"], &again["known"]), (&json!(0), &json!(1)));
    let unknown = feed(&server, &customer, "funding", |rows| rows.len() == 1);
    assert_eq!(unknown[0]["company"]["id"], Value::Null);

    installation.ok(&["source", "add", "registry", "--licence", "made up"]);
    let companies = installation.file("companies.csv", "id,name,domain\n7,Zebra Forge,zebra-forge.example\n");
    installation.ok(&["import", "companies", &companies, "--source", "registry", "--yes"]);
    let known = feed(&server, &customer, "funding", |rows| rows[0]["revision"] == json!(2));
    assert_eq!(known.len(), 1);
    assert_eq!(known[0]["company"]["domain"], json!("zebra-forge.example"));
    assert!(known[0]["company"]["id"].as_str().unwrap().starts_with("com_"));
    assert_eq!(installation.graph.psql("select count(*) from signal_unmatched").unwrap().trim(), "0");
}

#[test]
fn a_file_of_csv_has_fields_of_fields_as_columns() {
    let installation = Installation::new();
    let customer = installation.customer("indie");
    let server = installation.serve();
    let file = installation.file(
        "jobs.csv",
        "id,kind,occurredAt,company.name,company.domain,job.title,job.applicants\n\
         j-1,hiring,2026-11-02T09:00:00Z,Zebra Forge,zebra-forge.example,Smith,11\n\
         j-2,hiring,2026-11-02T09:00:00Z,Zebra Forge,zebra-forge.example,Cook,many\n",
    );
    let told = installation.ok_json(&["import", "signals", &file, "--source", "own"]);
    assert_eq!((&told["written"], &told["rejected"][0]["row"]), (&json!(1), &json!(2)), "{told}");
    let rows = feed(&server, &customer, "hiring", |rows| rows.len() == 1);
    assert_eq!(rows[0]["job"]["applicants"], json!(11), "{}", rows[0]);
}

#[test]
fn what_two_snapshots_of_a_source_show_becomes_job_changes() {
    let installation = Installation::new();
    let customer = installation.customer("indie");
    let server = installation.serve();
    installation.ok(&["source", "add", "crm", "--licence", "made up"]);
    installation.ok(&["source", "add", "mine", "--licence", "made up", "--private-to", &customer.account]);
    let file = |title: &str, company: &str, day: &str| {
        format!(
            "id,first_name,last_name,email,title,company,last_updated\n\
             1,Wilhelmina,Okafor-Lindqvist,w.okafor@brightwater-labs.example,{title},{company},{day}\n"
        )
    };
    let import = |source: &str, text: &str| {
        let file = installation.file("people.csv", text);
        installation.ok(&["import", "people", &file, "--source", source, "--yes"]);
    };
    import("crm", &file("Engineer", "Brightwater Labs", "2026-01-05"));
    import("crm", &file("Engineer", "Sable Quay", "2026-06-05"));
    let rows = feed(&server, &customer, "job-change", |rows| rows.len() == 1);
    let change = &rows[0];
    assert_eq!(change["occurredAt"], json!("2026-06-05T00:00:00Z"), "{change}");
    assert_eq!(change["change"]["kind"], json!("new_company"), "{change}");
    assert_eq!(change["sources"][0]["name"], json!("crm"));
    assert!(!change.to_string().contains("Wilhelmina"), "masked: {change}");
    import("crm", &file("Chief Engineer", "Sable Quay", "2026-08-05"));
    feed(&server, &customer, "job-change", |rows| rows.len() == 2);
    // What one account brought is told to nobody.
    let other =
        |text: String| text.replace("Wilhelmina,Okafor-Lindqvist,w.okafor", "Tomasz,Zielonka,t.zielonka");
    import("mine", &other(file("Engineer", "Brightwater Labs", "2026-01-05")));
    import("mine", &other(file("Engineer", "Sable Quay", "2026-06-05")));
    import("crm", &file("Engineer", "Ochre Lantern", "2026-09-05"));
    feed(&server, &customer, "job-change", |rows| rows.len() == 3);
    assert_eq!(installation.graph.psql("select count(*) from employment_change").unwrap().trim(), "4");
}
