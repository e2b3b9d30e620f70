//! Pages: on any node, under change, until the list is another; and what each of them costs.

use super::{COMPANIES, PEOPLE, balance, eventually, everybody, ids, walk, with};
use crate::support::{Customer, Installation, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn pages_asked_of_two_nodes_in_turn_show_everybody_once() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let (one, other) = (installation.serve(), installation.serve());
    for (path, count) in [(PEOPLE, "person"), (COMPANIES, "company")] {
        let body = json!({ "limit": 33 });
        let (found, total) = walk(&[&one, &other], &customer, path, &body);
        let there = installation.graph.psql(&format!("select count(*) from {count}")).unwrap();
        assert_eq!(total.to_string(), there);
        assert_eq!(found.len().to_string(), there);
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "nobody twice");
        let (again, _) = walk(&[&other], &customer, path, &json!({ "limit": 100 }));
        assert_eq!(found, again, "one order, whoever is asked");
    }
}

#[test]
fn whoever_changes_while_pages_are_read_comes_once_at_most_and_nobody_else_is_missed() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let (one, other) = (installation.serve(), installation.serve());
    let mut page = one.call(&customer, "POST", PEOPLE, &json!({ "limit": 20 })).is_ok();
    let (mut seen, mut changed) = (ids(&page), BTreeSet::new());
    for (round, server) in [&other, &one].into_iter().cycle().enumerate() {
        if page["next_cursor"].is_null() {
            break;
        }
        // Somebody who was seen loses what made them come early, and so does somebody anywhere.
        let far = installation
            .graph
            .psql(&format!("select id from person order by id limit 1 offset {}", round * 7));
        let near = seen[round].trim_start_matches("per_").to_owned();
        for id in [far.unwrap(), near] {
            let change = format!(
                "with changed as (update person set version = version + 1, facts = (facts::jsonb
                     || jsonb_build_object('phones', '[]'::jsonb, 'headline', 'changed', 'emails', '[]'::jsonb))::json
                     where id = '{id}' returning id, version)
                 insert into change_inbox (entity_kind, entity_id, version) select 1, id, version from changed"
            );
            installation.graph.psql(&change).unwrap();
            changed.insert(id.replace('-', ""));
        }
        if round % 3 == 0 {
            std::thread::sleep(Duration::from_millis(400));
        }
        let next = json!({ "limit": 20, "cursor": page["next_cursor"] });
        page = server.call(&customer, "POST", PEOPLE, &next).is_ok();
        seen.extend(ids(&page));
    }
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len(), "nobody twice");
    let all = installation.graph.psql("select 'per_' || replace(id::text, '-', '') from person").unwrap();
    let missed: Vec<&str> = all.lines().filter(|id| !seen.iter().any(|seen| seen == id)).collect();
    for id in missed {
        assert!(changed.contains(id.trim_start_matches("per_")), "{id} stayed the same and was not shown");
    }
}

#[test]
fn a_cursor_ends_with_its_list_and_belongs_to_its_filters() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let ask = |body: &Value| server.call(&customer, "POST", PEOPLE, body);
    let body = json!({ "limit": 5, "exclude": {"seniority": "intern"} });
    let cursor = ask(&body).is_ok()["next_cursor"].clone();
    let (before, page) = (balance(&server, &customer), with(&body, "cursor", cursor.clone()));
    for (other, path) in [
        (with(&page, "seniority", "vp"), PEOPLE),
        (json!({ "cursor": cursor }), PEOPLE),
        (json!({ "cursor": cursor }), COMPANIES),
        (with(&page, "cursor", "bm9uc2Vuc2U"), PEOPLE),
    ] {
        let refused = server.call(&customer, "POST", path, &other).is_problem(422, "validation_failed");
        assert_eq!(refused["errors"][0]["code"], "invalid_cursor", "{other}");
    }
    let longer = ask(&with(&page, "limit", 50)).is_ok();
    assert_eq!(longer["results"].as_array().unwrap().len(), 50, "a page may have another length");
    assert_eq!(balance(&server, &customer), before - 51.0, "what was refused cost nothing");

    installation.ok(&["index", "rebuild"]);
    eventually("the index is filled anew", || ask(&page).status == 410);
    let expired = ask(&page).is_problem(410, "cursor_expired");
    assert_eq!(expired["retryable"], false);
    let anew = ask(&body).is_ok();
    assert_eq!(ids(&anew).len(), 5);
    ask(&with(&body, "cursor", anew["next_cursor"].clone())).is_ok();
}

#[test]
fn a_search_costs_its_base_and_its_rows_to_the_thousandth() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let mut left = balance(&server, &customer);
    let mut costs = |path: &str, body: &Value, rows: usize, credits: f64| {
        let answer = server.call(&customer, "POST", path, body);
        let page = answer.is_ok();
        assert_eq!((ids(&page).len(), page["cost"]["credits"].as_f64()), (rows, Some(credits)), "{body}");
        assert_eq!(answer.header("x-credits-charged").unwrap().parse::<f64>().unwrap(), credits);
        left -= credits;
        assert_eq!(page["cost"]["balance_remaining"].as_f64(), Some(left), "{body}");
        page
    };
    let nobody = json!({"seniority": "vp", "exclude": {"seniority": "vp"}});
    costs(PEOPLE, &nobody, 0, 1.0);
    costs(COMPANIES, &json!({"keywords": "no such words"}), 0, 1.0);
    let first = costs(PEOPLE, &json!({"limit": 4}), 4, 5.0);
    assert_eq!(first["truncated_by"], Value::Null);
    costs(PEOPLE, &json!({"limit": 4, "cursor": first["next_cursor"]}), 4, 5.0);
    costs(COMPANIES, &json!({"limit": 3}), 3, 2.5);
    costs(PEOPLE, &json!({"limit": 1}), 1, 2.0);
    // What a caller wants to spend shortens the page, and the next one goes on behind it.
    let short = costs(PEOPLE, &json!({"limit": 10, "max_credits": 3.9}), 2, 3.0);
    assert_eq!((&short["truncated_by"], short["next_cursor"].is_string()), (&json!("credits"), true));
    let rest = costs(PEOPLE, &json!({"limit": 8, "cursor": short["next_cursor"]}), 8, 9.0);
    assert_ne!(ids(&short), ids(&rest)[..2]);
    // And so does what is left: 100 of a trial, less the above.
    let last = costs(PEOPLE, &everybody(), 70, 71.0);
    assert_eq!(last["truncated_by"], "credits");
    let refused =
        server.call(&customer, "POST", PEOPLE, &json!({"limit": 2})).is_problem(402, "insufficient_credits");
    assert_eq!(refused["retryable"], false);
    let dry = Request::new("POST", &format!("{COMPANIES}?dry_run=true")).key(&customer.key);
    assert_eq!(dry.json(&json!({"limit": 7})).send(server.api).is_ok()["max_price"], 4.5);
}

#[test]
fn a_page_is_paid_for_while_it_is_read_unless_somebody_on_it_is_gone() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let ended = |how: &str| {
        let metrics = Request::new("GET", "/metrics").send(server.operations).text();
        let line = format!("assay_ledger_begun_total{{ended=\"{how}\"}} ");
        let count = metrics.lines().find_map(|it| it.strip_prefix(&line)?.parse::<u32>().ok());
        count.unwrap_or_default()
    };
    let ask = |customer: &Customer| {
        let page = server.call(customer, "POST", PEOPLE, &json!({ "limit": 5 })).is_ok();
        assert_eq!((ids(&page).len(), page["cost"]["credits"].as_f64()), (5, Some(6.0)));
        page
    };
    // The first charge of a node makes the account's book known to it.
    let gone = ids(&ask(&customer))[0].clone();
    assert_eq!((ended("charged"), ended("not_charged")), (0, 0));
    // On a busy machine one may take too long to be waited for.
    eventually("a page is paid for by what was begun", || {
        ids(&ask(&customer))[0] == gone && ended("charged") > 0
    });
    installation.graph.psql(&format!("delete from person where id = '{}'", &gone[4..])).unwrap();
    let late = installation.customer("scale");
    let before = balance(&server, &late);
    let (charged, not_charged) = (ended("charged"), ended("not_charged"));
    for _ in 0..4 {
        assert!(!ids(&ask(&late)).contains(&gone));
    }
    eventually("what was begun is forgotten", || ended("not_charged") == not_charged + 3);
    assert_eq!(ended("charged"), charged);
    assert!((before - balance(&server, &late) - 24.0).abs() < 1e-9);
    let account = late.account.trim_start_matches("acc_");
    let resolved = format!(
        "select count(*) filter (where person_id = '{}') || ' of ' || count(*) from resolved_person where account_id = '{account}'",
        &gone[4..]
    );
    assert_eq!(installation.ledger.psql(&resolved).unwrap().trim(), "0 of 5");
    assert!(installation.ok(&["doctor"]).contains("audit"));
}

#[test]
fn a_node_that_fills_its_index_is_not_ready_and_says_when_to_come_back() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let graph = &installation.graph;
    let server = std::thread::scope(|scope| {
        let lock = "begin; lock table company in access exclusive mode; select pg_sleep(8); commit";
        let slow = scope.spawn(|| graph.psql(lock));
        let held = "select count(*) from pg_locks where relation = 'company'::regclass
                    and mode = 'AccessExclusiveLock' and granted";
        eventually("the table is locked", || graph.psql(held).unwrap() == "1");
        let server = installation.start_with(&[]);
        let ready = || std::net::TcpStream::connect(server.operations).ok();
        eventually("it listens", || ready().is_some());
        // Whoever was erased is looked for first.
        let fills = || {
            let told = Request::new("GET", "/readyz").send(server.operations);
            assert_eq!(told.status, 503, "{}", told.text());
            told.text().contains("the index is still being filled")
        };
        eventually("it fills its index", fills);
        let refused = server.call(&customer, "POST", PEOPLE, &json!({}));
        assert_eq!(refused.is_problem(503, "unavailable")["retryable"], true);
        assert_eq!(refused.header("retry-after"), Some("5"));
        server.get(&customer, "/v1/suggest?field=skills").is_problem(503, "unavailable");
        slow.join().unwrap().unwrap();
        server
    });
    eventually("it is ready", || Request::new("GET", "/readyz").send(server.operations).status == 200);
    assert_eq!(server.call(&customer, "POST", PEOPLE, &json!({"limit": 3})).is_ok()["cost"]["credits"], 4);
}
