//! A node that dies while it runs a list: what it had taken is told afterwards, once.

use super::{LISTS, PATIENCE, make, told};
use crate::lately::{Scene, moves_of, people, rows};
use crate::support::{Installation, Request};
use assay_testkit::{Stopwatch, TestDatabase, psql};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read;
use std::time::Duration;

/// Nobody charges the account before this ends: a run comes as far as its commit, and no further.
const HOLD_UP: &str =
    "begin; select 1 from balance where account_id = (select account_id from watch_list) for update;
    select pg_sleep(60); commit";
const LET_GO: &str = "select count(pg_terminate_backend(pid)) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'";
const HELD_UP: &str = "select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'";
const TAKEN: &str = "select count(*) from watch_match where taken_until > now() and told_at is null";
const TOLD: &str = "select count(*) from watch_match where told_at is not null";
const CHARGED: &str = "select coalesce(sum(credits), 0) from history where endpoint = 'watch-lists-run'";

fn wait_for(ledger: &TestDatabase, sql: &str, wanted: &str) {
    let watch = Stopwatch::start();
    while ledger.psql(sql).unwrap() != wanted {
        assert!(watch.elapsed() < PATIENCE, "{} instead of {wanted}: {sql}", ledger.psql(sql).unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_a_dead_run_had_taken_is_told_and_billed_once_afterwards() {
    let installation = Installation::new();
    installation.set("[calls]\ndeadline_seconds = 4\n[billing]\nhold_lifetime_seconds = 4\n");
    let mut scene = Scene::of(installation, "scale");
    let people = people();
    scene.give(&moves_of(&people[..3]));
    let entries: Vec<&str> = people.iter().map(|(_, url)| url.as_str()).collect();
    let list = make(&scene, &json!({ "name": "all", "kind": "people", "entries": entries }));
    let ledger = &scene.installation.ledger;
    let url = ledger.url();
    let holding_up = std::thread::spawn(move || psql(&url, HOLD_UP));
    wait_for(ledger, &LET_GO.replace("pg_terminate_backend(pid)", "pid"), "1");
    let run = |key: &str| {
        let request = Request::new("POST", &format!("{LISTS}/{list}/run")).key(&scene.customer.key);
        request.header("idempotency-key", key).json(&json!({}))
    };
    let mut asked = run("first").begin(scene.server.api);
    wait_for(ledger, TAKEN, "3");
    wait_for(ledger, HELD_UP, "1");
    scene.server.process.kill_dash_nine().unwrap();
    assert_eq!(ledger.psql(LET_GO).unwrap(), "1");
    assert!(holding_up.join().unwrap().is_err(), "it was ended");
    let mut answer = Vec::new();
    assert!(asked.read_to_end(&mut answer).is_err() || answer.is_empty(), "nobody answered");
    assert_eq!((ledger.psql(TOLD).unwrap(), ledger.psql(CHARGED).unwrap()), ("0".into(), "0".into()));

    let server = scene.installation.serve();
    let (mut all, watch) = (Vec::<Value>::new(), Stopwatch::start());
    while all.iter().map(|answer| rows(answer).len()).sum::<usize>() < 3 {
        assert!(watch.elapsed() < PATIENCE, "{all:?}");
        all.push(run(&format!("next-{}", all.len())).send(server.api).is_ok());
        std::thread::sleep(Duration::from_millis(250));
    }
    let found: Vec<&str> = all.iter().flat_map(|answer| told(answer).0).collect();
    assert_eq!(found.len(), 3, "each once");
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), entries[..3].iter().copied().collect());
    // The call that died is repeated with its key: it has nothing left to tell. The one that told answers as it did.
    let wait = |key: &str| {
        let watch = Stopwatch::start();
        loop {
            let answer = run(key).send(server.api);
            if answer.status != 409 {
                return answer.is_ok();
            }
            assert!(watch.elapsed() < PATIENCE, "{}", answer.text());
            std::thread::sleep(Duration::from_millis(250));
        }
    };
    assert_eq!(told(&wait("first")), (vec![], &json!(0)));
    assert_eq!(Some(&wait(&format!("next-{}", all.len() - 1))), all.last());
    let read = server.get(&scene.customer, &format!("{LISTS}/{list}/results")).is_ok();
    assert_eq!(rows(&read).len(), 3);
    assert_eq!((ledger.psql(TOLD).unwrap(), ledger.psql(CHARGED).unwrap()), ("3".into(), "6000".into()));
    assert!(scene.installation.run(&["doctor"]).status.success());
}
