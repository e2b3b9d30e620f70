//! Erasing: whoever is erased is gone for everybody, at once, and stays gone.

mod both_sides;
mod refused_backups;
mod restored;

use crate::support::{Answer, Customer, Installation, Request, Server, known_email};
use assay_domain::{Email, ListHash, Phone};
use serde_json::{Value, json};
use std::process::Command;

/// A key that may run the installation.
fn operator(installation: &Installation) -> Customer {
    let Customer { account, .. } = installation.customer("trial");
    let create = ["key", "create", "--account", &account, "--scopes", "operator"];
    let key = installation.ok(&create).trim().to_owned();
    Customer { account, key }
}

fn suppress(server: &Server, operator: &Customer, body: &Value) -> Value {
    let answer = server.call(operator, "POST", "/v1/suppressions", body);
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

/// A person of the world who has everything that can be asked for, as the service shows them.
fn well_known(server: &Server, customer: &Customer, from: usize) -> Value {
    // Of some companies nobody's number is known.
    let people = (from..480).map(|number| {
        let found = server.enrich(customer, &json!({"email": known_email(number)})).is_ok();
        found["person"].clone()
    });
    let whole = |person: &Value| !person["phone"].is_null() && !person["networkUrl"].is_null();
    people.into_iter().find(whole).expect("somebody has both")
}

/// Everything the person can be asked for by.
fn identifiers(person: &Value) -> Vec<Value> {
    let all = [
        json!({"email": person["email"]}),
        json!({"phone": person["phone"]}),
        json!({"networkUrl": person["networkUrl"]}),
        json!({"fullName": person["fullName"], "company_domain": person["company"]["domain"]}),
        json!({"fullName": person["fullName"], "company_name": person["company"]["name"]}),
    ];
    let known = |fields: &Value| !fields.as_object().unwrap().values().any(Value::is_null);
    all.into_iter().filter(known).collect()
}

#[track_caller]
fn is_found_by_nothing(server: &Server, customer: &Customer, person: &Value) {
    for identifier in identifiers(person) {
        let answer = server.enrich(customer, &identifier).is_ok();
        // A namesake at the same company may be found by the name; the person is not.
        assert_ne!(answer["person"]["id"], person["id"], "{identifier}");
        if identifier.get("fullName").is_none() {
            assert_eq!((&answer["found"], &answer["cost"]["credits"]), (&json!(false), &json!(0)));
        }
    }
}

fn idempotent(server: &Server, customer: &Customer, key: &str, body: &Value) -> Answer {
    let request = Request::new("POST", "/v1/enrich").key(&customer.key).json(body);
    request.header("idempotency-key", key).send(server.api)
}

fn dump(database: &assay_testkit::TestDatabase) -> String {
    let output = Command::new("pg_dump").arg("--inserts").arg(database.url()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_erased_person_is_gone_from_every_answer_every_memory_and_both_databases() {
    let installation = Installation::new();
    let (customer, other) = (installation.customer("scale"), installation.customer("scale"));
    let operator = operator(&installation);
    let server = installation.serve();
    let person = well_known(&server, &customer, 0);
    let body = json!({"email": person["email"]});
    let before = idempotent(&server, &customer, "erase-1", &body);
    assert_eq!(before.is_ok()["found"], true);
    let replayed = idempotent(&server, &customer, "erase-1", &body);
    assert_eq!((&replayed.body, replayed.header("idempotent-replayed")), (&before.body, Some("true")));
    server.enrich(&other, &body).is_ok();
    let shows = |customer: &Customer| {
        let people = server.get(customer, "/v1/me/people?limit=100").is_ok();
        people["results"].as_array().unwrap().iter().any(|row| row["person"]["id"] == person["id"])
    };
    assert!(shows(&customer) && shows(&other));
    let totals =
        |server: &Server| server.get(&customer, "/v1/me/history").is_ok()["totals"]["credits"].clone();
    let spent = totals(&server);

    let told = suppress(&server, &operator, &body);
    assert_eq!((&told["people_erased"], &told["already_suppressed"]), (&json!(1), &json!(0)));
    assert!(told["suppressed"].as_u64().unwrap() >= 5, "{told}");
    for secret in ["email", "phone", "networkUrl", "fullName"] {
        assert!(!told.to_string().contains(person[secret].as_str().unwrap()), "{secret}");
    }
    is_found_by_nothing(&server, &customer, &person);
    is_found_by_nothing(&server, &other, &person);
    assert!(!shows(&customer) && !shows(&other));
    // The stored answer that carried the person is gone: the same request runs again, finds nobody and is free.
    let again = idempotent(&server, &customer, "erase-1", &body);
    assert_eq!(again.header("idempotent-replayed"), None);
    assert_eq!(again.is_ok()["found"], false);
    assert_eq!(again.header("x-credits-charged"), Some("0"));
    // What was paid stays paid, and history keeps its figures.
    assert_eq!(totals(&server), spent);

    let loaded = installation.ok_json(&["world", "load", "--people", "500"]);
    assert_eq!((&loaded["people"], &loaded["suppressed"]), (&json!(0), &json!(1)));
    is_found_by_nothing(&server, &customer, &person);
    assert!(installation.run(&["doctor"]).status.success());
    for text in [dump(&installation.graph), dump(&installation.ledger)] {
        for secret in ["email", "phone", "networkUrl"] {
            assert!(!text.contains(person[secret].as_str().unwrap()), "{secret}");
        }
        let hash = ListHash::of_phone(&Phone::parse(person["phone"].as_str().unwrap()).unwrap());
        let plain: String = hash.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(!text.contains(&plain), "a hash that can be guessed is stored as it is");
    }
}

#[test]
fn people_are_erased_by_whatever_names_them_and_again_changes_nothing() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let operator = operator(&installation);
    let server = installation.serve();
    let email = |person: &Value| Email::parse(person["email"].as_str().unwrap()).unwrap();
    let by: [fn(&Value) -> Value; 4] = [
        |person| json!({"phone": person["phone"], "reason": "operator"}),
        |person| json!({"networkUrl": person["networkUrl"]}),
        |person| json!({"person_id": person["id"]}),
        |person| {
            let phone = Phone::parse(person["phone"].as_str().unwrap()).unwrap();
            let nobody = ListHash::of_email(&Email::parse("nobody@nowhere.example").unwrap());
            json!({"reason": "drop", "hashes": [
                {"list": "phone", "hash": ListHash::of_phone(&phone).to_base64()},
                {"list": "email", "hash": nobody.to_base64()},
            ]})
        },
    ];
    for (index, body) in by.iter().enumerate() {
        let person = well_known(&server, &customer, index * 120);
        let told = suppress(&server, &operator, &body(&person));
        assert_eq!(told["people_erased"], 1, "{told}");
        is_found_by_nothing(&server, &customer, &person);
        let again = suppress(&server, &operator, &body(&person));
        assert_eq!((&again["people_erased"], &again["suppressed"]), (&json!(0), &json!(0)), "{again}");
        assert!(again["already_suppressed"].as_u64().unwrap() >= 1);
        let hash = ListHash::of_email(&email(&person)).to_base64();
        let page = server.get(&operator, "/v1/suppressions?limit=100").is_ok();
        assert!(page["results"].as_array().unwrap().iter().any(|row| row["drop_hash"] == json!(hash)));
    }
    let unknown =
        json!({"person_id": "per_0197f7a05c3a7d12a4b1c2d3e4f5ffff", "email": "nobody@nowhere.example"});
    let told = suppress(&server, &operator, &unknown);
    assert_eq!((&told["people_erased"], &told["suppressed"]), (&json!(0), &json!(1)), "{told}");
}

#[test]
fn suppressions_are_listed_without_what_they_are_of_and_lifted_one_by_one() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let operator = operator(&installation);
    let server = installation.serve();
    let person = well_known(&server, &customer, 0);
    let count = suppress(&server, &operator, &json!({"person_id": person["id"]}))["suppressed"].clone();
    let (mut listed, mut path) = (Vec::new(), "/v1/suppressions?limit=2".to_owned());
    loop {
        let page = server.get(&operator, &path).is_ok();
        listed.extend(page["results"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/suppressions?limit=2&cursor={cursor}");
    }
    assert_eq!(json!(listed.len()), count);
    let text = json!(listed).to_string();
    for secret in ["email", "phone", "networkUrl", "fullName"] {
        assert!(!text.contains(person[secret].as_str().unwrap()), "{secret}");
    }
    // As long as one of them stands, the person stays out.
    let load = || installation.ok_json(&["world", "load", "--people", "500"]);
    for row in &listed {
        let loaded = load();
        assert_eq!((&loaded["people"], &loaded["suppressed"]), (&json!(0), &json!(1)), "{row}");
        let path = format!("/v1/suppressions/{}", row["id"].as_str().unwrap());
        let lift = || Request::new("DELETE", &path).key(&operator.key).send(server.api);
        assert_eq!(lift().is_ok()["lifted"], true);
        lift().is_problem(404, "not_found");
    }
    let loaded = load();
    assert_eq!((&loaded["people"], &loaded["suppressed"]), (&json!(1), &json!(0)));
    let back = server.enrich(&customer, &json!({"email": person["email"]})).is_ok();
    assert_eq!(back["person"]["id"], person["id"]);
}

#[test]
fn only_operators_may_and_what_is_wrong_is_told_without_the_value() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let operator = operator(&installation);
    let server = installation.serve();
    for (method, path) in
        [("POST", "/v1/suppressions"), ("GET", "/v1/suppressions"), ("DELETE", "/v1/suppressions/sup_x")]
    {
        let request = Request::new(method, path).key(&customer.key);
        request.send(server.api).is_problem(403, "insufficient_scope");
    }
    let hash = |hash: &str| {
        json!({"hashes": [
            {"list": "email", "hash": ListHash::of_email(&Email::parse("a@b.example").unwrap()).to_base64()},
            {"list": "phone", "hash": hash},
        ]})
    };
    for (body, pointer) in [
        (json!({}), ""),
        (json!({"reason": "request"}), ""),
        (json!({"email": "canary at nowhere"}), "/email"),
        (json!({"phone": "canary"}), "/phone"),
        (json!({"networkUrl": "https://network.example/company/canary"}), "/networkUrl"),
        (json!({"person_id": "canary"}), "/person_id"),
        (json!({"email": "a@b.example", "reason": "canary"}), "/reason"),
        (hash("canary"), "/hashes/1/hash"),
        (json!({"hashes": []}), "/hashes"),
        (json!({"hashes": [{"list": "canary", "hash": "x"}]}), "/hashes/0/list"),
    ] {
        let answer = server.call(&operator, "POST", "/v1/suppressions", &body);
        let problem = answer.is_problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
        assert!(!answer.text().contains("canary"), "{}", answer.text());
    }
    assert_eq!(server.get(&operator, "/v1/suppressions").is_ok()["results"], json!([]));
}

#[test]
fn the_command_line_erases_imports_a_list_and_lifts() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let (first, second) = (well_known(&server, &customer, 0), well_known(&server, &customer, 120));
    let text = |person: &Value, field: &str| person[field].as_str().unwrap().to_owned();
    let add = installation.ok_json(&["suppression", "add", "--email", &text(&first, "email")]);
    assert_eq!(add["people_erased"], 1, "{add}");
    is_found_by_nothing(&server, &customer, &first);

    let list = std::env::temp_dir().join(format!("assay-list-{}.csv", installation.graph.name()));
    let hash = ListHash::of_email(&Email::parse(&text(&second, "email")).unwrap()).to_base64();
    let others = (0..11_000).map(|number| {
        let email = Email::parse(&format!("nobody{number}@nowhere.example")).unwrap();
        format!("{number},{}\n", ListHash::of_email(&email).to_base64())
    });
    let lines: Vec<String> = std::iter::once("ID,Hash\n".to_owned()).chain(others).collect();
    std::fs::write(&list, format!("{}9,{hash}\n", lines.concat())).unwrap();
    let import = ["suppression", "import", list.to_str().unwrap(), "--list", "email"];
    let told = installation.ok_json(&import);
    assert_eq!((&told["people_erased"], &told["rejected"]), (&json!(1), &json!(0)), "{told}");
    is_found_by_nothing(&server, &customer, &second);
    let again = installation.ok_json(&import);
    assert_eq!((&again["suppressed"], &again["already_suppressed"]), (&json!(0), &json!(11_001)), "{again}");

    std::fs::write(&list, format!("ID,Hash\n1,{hash}\n2,canary-value\n\n3,{hash}\n4\n")).unwrap();
    let refused = installation.run(&import);
    let notes = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(notes.contains("line 3:") && notes.contains("line 6:") && notes.contains("2 lines"), "{notes}");
    assert!(!notes.contains("canary-value"), "{notes}");
    std::fs::remove_file(&list).unwrap();

    let rows = installation.ok_json(&["suppression", "list", "--limit", "3"]);
    assert_eq!(rows["results"].as_array().unwrap().len(), 3);
    let id = rows["results"][0]["id"].as_str().unwrap();
    assert!(installation.ok(&["suppression", "list", "--limit", "1"]).contains(id));
    assert_eq!(installation.ok_json(&["suppression", "remove", id])["lifted"], 1);
    let absent = installation.run(&["suppression", "remove", id]);
    assert!(!absent.status.success() && String::from_utf8_lossy(&absent.stderr).contains("no suppression"));
    let wrong = installation.run(&["suppression", "add", "--email", "canary at nowhere"]);
    assert!(!wrong.status.success() && !String::from_utf8_lossy(&wrong.stderr).contains("canary"));
}
