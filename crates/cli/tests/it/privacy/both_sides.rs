//! The two sides of an erasure: what a crash leaves, what runs at the same time, and what is stored sealed.

use super::{idempotent, is_found_by_nothing, operator, suppress, well_known};
use crate::support::{Installation, known_email};
use assay_domain::suppression::{HashList, SuppressionReason};
use assay_domain::{Clock, IdentityKey, ListHash, MasterKey, NetworkHosts, PersonId, Phone};
use assay_engine::{Engine, Unwanted};
use assay_store::graph::{NewSuppression, SuppressWish};
use assay_store::{Database, Graph, Ledger};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The two sides, as the program sees them.
async fn sides(installation: &Installation) -> (Graph, Ledger) {
    let graph = Graph::connect(&Database::at(&installation.graph.url())).await.unwrap();
    let ledger = Ledger::connect(&Database::at(&installation.ledger.url()), Clock::system()).await.unwrap();
    (graph, ledger)
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(work)
}

#[track_caller]
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..200 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what} did not come to pass");
}

#[test]
fn what_a_crash_left_between_the_two_sides_is_finished_by_the_worker() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let person = well_known(&server, &customer, 0);
    let body = json!({"email": person["email"]});
    idempotent(&server, &customer, "crash-1", &body).is_ok();
    let id: PersonId = person["id"].as_str().unwrap().parse().unwrap();
    let remembered = || {
        let count = "select (select count(*) from reply where subjects <> '{}')
                          + (select count(*) from resolved_person where person_id = ";
        let count = installation.ledger.psql(&format!("{count}'{}')", id.uuid())).unwrap();
        count.parse::<u32>().unwrap()
    };
    assert_eq!(remembered(), 2);
    // The graph's half alone, as if the node had died after it.
    block_on(async {
        let (graph, _) = sides(&installation).await;
        let wish = SuppressWish {
            entries: vec![NewSuppression::of_person(id)],
            reason: SuppressionReason::Request,
            at: Clock::system().now(),
            seal_hashes: Arc::new(|_| Vec::new()),
            match_keys: Arc::new(|_, _| Vec::new()),
        };
        assert_eq!(graph.suppress(&wish).await.unwrap().people_erased, 1);
    });
    wait_for("the ledger's half", || remembered() == 0);
    let state =
        |column: &str| installation.graph.psql(&format!("select count({column}) from erasure")).unwrap();
    wait_for("the note that it is done", || state("ledger_done_at") == "1");
    assert_eq!(state("done_at"), "0");
}

#[test]
fn a_call_that_was_running_is_answered_and_what_it_stored_is_forgotten_later() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    // Background work waits for the same lock; it must not take the last connection before the call has begun.
    let server = installation.serve_with(&[("ASSAY_LEDGER_CONNECTIONS_MAX", "16")]);
    let email = known_email(5);
    let body = json!({"email": &email});
    server.get(&customer, "/v1/me").is_ok();
    let stored = || {
        let count = "select count(*) from reply where state = 'done' and subjects <> '{}'";
        installation.ledger.psql(count).unwrap()
    };
    std::thread::scope(|scope| {
        // The charge waits for this lock: the call has read the person and cannot end.
        scope.spawn(|| {
            installation.ledger.psql("begin; lock table balance; select pg_sleep(6); commit").unwrap()
        });
        std::thread::sleep(Duration::from_millis(700));
        let call = scope.spawn(|| idempotent(&server, &customer, "running-1", &body));
        std::thread::sleep(Duration::from_millis(1_500));
        let erased = installation.ok_json(&["suppression", "add", "--email", &email]);
        assert_eq!((&erased["people_erased"], stored().as_str()), (&json!(1), "0"));
        assert_eq!(call.join().unwrap().is_ok()["found"], true);
    });
    assert_eq!(stored(), "1");
    installation.graph.psql("update erasure set asked_at = asked_at - interval '11 minutes'").unwrap();
    wait_for("the second time", || stored() == "0");
    wait_for("its end", || {
        installation.graph.psql("select count(*) from erasure where done_at is null").unwrap() == "0"
    });
    let again = idempotent(&server, &customer, "running-1", &body);
    assert_eq!((&again.is_ok()["found"], again.header("x-credits-charged")), (&json!(false), Some("0")));
}

/// Imports run while people are erased; afterwards nobody who was erased is there, whoever imported them last.
#[test]
fn imports_that_run_during_an_erasure_bring_nobody_back() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let operator = operator(&installation);
    let server = installation.serve();
    let people: Vec<Value> = (0..40)
        .map(|number| {
            server.enrich(&customer, &json!({"email": known_email(number)})).is_ok()["person"].clone()
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..3 {
                    installation.ok(&["world", "load", "--people", "500"]);
                }
            });
        }
        for person in &people {
            suppress(&server, &operator, &json!({"email": person["email"]}));
        }
    });
    let loaded = installation.ok_json(&["world", "load", "--people", "500"]);
    assert_eq!((&loaded["people"], &loaded["suppressed"]), (&json!(0), &json!(40)));
    for person in &people {
        is_found_by_nothing(&server, &customer, person);
    }
}

#[test]
fn stored_replies_are_sealed_and_open_only_where_they_were_stored() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let body = |number: usize| json!({"email": known_email(number)});
    let first = idempotent(&server, &customer, "sealed-1", &body(0));
    let person = first.is_ok()["person"].clone();
    idempotent(&server, &customer, "sealed-2", &body(1)).is_ok();
    let again = idempotent(&server, &customer, "sealed-1", &body(0));
    assert_eq!((again.header("idempotent-replayed"), &again.body), (Some("true"), &first.body));
    let stored =
        installation.ledger.psql("select string_agg(encode(body, 'escape'), ' ') from reply").unwrap();
    for shown in ["email", "fullName", "id"] {
        assert!(!stored.contains(person[shown].as_str().unwrap()), "{shown}");
    }
    // Put under another key's row, it is not answered.
    let swap = "update reply set body = (select body from reply other where other.key <> reply.key limit 1)";
    installation.ledger.psql(swap).unwrap();
    idempotent(&server, &customer, "sealed-1", &body(0)).is_problem(500, "internal_error");
}

#[test]
fn a_number_is_looked_up_whole_although_lists_know_only_its_end() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let person = well_known(&server, &customer, 0);
    let phone = person["phone"].as_str().unwrap();
    // The same ten digits under another country's code: India numbers its mobiles like North America its lines.
    let ten = &phone[phone.len() - 10..];
    let elsewhere = ["+91", "+1", "+44", "+49"].iter().map(|code| format!("{code}{ten}"));
    let elsewhere: Vec<String> =
        elsewhere.filter(|other| other != phone && Phone::parse(other).is_ok()).collect();
    for other in &elsewhere {
        assert_eq!(server.enrich(&customer, &json!({"phone": other})).is_ok()["found"], false, "{other}");
    }
    assert_eq!(server.enrich(&customer, &json!({"phone": phone})).is_ok()["person"]["id"], person["id"]);
    // Erased by a list's entry, which could mean either.
    block_on(async {
        let (graph, ledger) = sides(&installation).await;
        let master = MasterKey::parse(crate::support::MASTER_KEY).unwrap();
        let key = IdentityKey::new(master.derive("identity"));
        let engine = Engine::new(graph, ledger, key, NetworkHosts::default());
        let hash = ListHash::of_phone(&Phone::parse(phone).unwrap());
        let erased = engine
            .erase(&[Unwanted::Hash(HashList::Phone, hash)], SuppressionReason::Drop, Clock::system().now())
            .await
            .unwrap();
        assert_eq!(erased.people, 1);
    });
    is_found_by_nothing(&server, &customer, &person);
}
