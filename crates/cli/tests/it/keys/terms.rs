//! What a key is made with, and how that changes.

use super::{id, is_made, make, me, path, text};
use crate::support::{Customer, Installation, Request, known_email};
use serde_json::{Value, json};

#[test]
fn a_key_is_shown_once_and_then_listed_without_its_secret() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let wish = json!({
        "name": " crm sync ", "scopes": ["keys", "lookup", "keys"], "expires_in_days": 30, "monthly_cap": 7.5,
        "ip_allow": ["127.0.0.1/32", "2001:db8::/32"], "requests_per_minute": 60
    });
    let made = is_made(&server.call(&owner, "POST", "/v1/keys", &wish));
    assert_eq!(
        (&made["name"], &made["mode"], &made["state"]),
        (&json!("crm sync"), &json!("live"), &json!("active"))
    );
    assert_eq!(made["scopes"], json!(["lookup", "keys"]));
    assert_eq!(made["ip_allow"], json!(["127.0.0.1", "2001:db8::/32"]));
    assert_eq!((&made["monthly_cap"], &made["spent_this_month"]), (&json!(7.5), &json!(0)));
    assert_eq!((&made["requests_per_minute"], &made["last_used_at"]), (&json!(60), &Value::Null));
    let key = Customer { account: text(&made["id"]), key: text(&made["key"]) };
    assert!(key.key.starts_with("assay_live_"));
    assert_eq!(me(&server, &key).is_ok()["key"]["id"], made["id"]);

    let secret = key.key.rsplit('_').next().unwrap();
    for listing in [server.get(&owner, "/v1/keys"), server.get(&owner, &path(&key))] {
        assert!(!listing.text().contains(secret) && !listing.text().contains("\"key\""));
    }
    let one = server.get(&owner, &path(&key)).is_ok();
    assert_eq!((&one["id"], &one["expires_at"]), (&made["id"], &made["expires_at"]));
    let bare = path(&key).replace("key_", "");
    assert_eq!(server.get(&owner, &bare).is_ok()["id"], made["id"]);
}

#[test]
fn a_new_key_may_do_what_its_maker_may_but_not_run_the_installation() {
    let installation = Installation::new();
    let Customer { account, .. } = installation.customer("scale");
    let every = "lookup,search,signals,lists,bulk,history,keys,webhooks,operator";
    let operator = installation.ok(&["key", "create", "--account", &account, "--scopes", every]);
    let operator = Customer { account, key: operator.trim().to_owned() };
    let server = installation.serve();
    let made = is_made(&server.call(&operator, "POST", "/v1/keys", &json!({"name": "a"})));
    let ordinary: Vec<&str> = every.split(',').filter(|scope| *scope != "operator").collect();
    assert_eq!(made["scopes"], json!(ordinary));
    let wish = json!({"name": "b", "scopes": ["operator"]});
    is_made(&server.call(&operator, "POST", "/v1/keys", &wish));
    let maker = Customer { account: text(&made["id"]), key: text(&made["key"]) };
    let refused = server.call(&maker, "POST", "/v1/keys", &wish);
    let problem = refused.is_problem(403, "insufficient_scope");
    assert!(text(&problem["detail"]).contains("operator"), "{problem}");
}

#[test]
fn a_key_made_under_an_idempotency_key_is_made_once_and_not_put_into_history() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let request = Request::new("POST", "/v1/keys").key(&owner.key).header("Idempotency-Key", "make-one");
    let request = request.json(&json!({"name": "once"}));
    let (first, again) = (request.send(server.api), request.send(server.api));
    assert_eq!(is_made(&first)["id"], is_made(&again)["id"]);
    let history = server.get(&owner, "/v1/me/history").is_ok();
    assert_eq!(history["results"], json!([]), "{history}");
}

#[test]
fn keys_are_listed_newest_first_page_by_page() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let made: Vec<String> =
        (0..7)
            .map(|number| {
                text(
                    &is_made(&server.call(
                        &owner,
                        "POST",
                        "/v1/keys",
                        &json!({"name": format!("k{number}")}),
                    ))["name"],
                )
            })
            .collect();
    let (mut seen, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let page = server.get(&owner, &format!("/v1/keys?limit=3{cursor}")).is_ok();
        seen.extend(page["results"].as_array().unwrap().iter().map(|row| text(&row["name"])));
        pages += 1;
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let mut wanted: Vec<String> = made.into_iter().rev().collect();
    wanted.push("default".to_owned());
    assert_eq!((seen, pages), (wanted, 3));
    server.get(&owner, "/v1/keys?cursor=x").is_problem(422, "validation_failed");
    server.get(&owner, "/v1/keys?limit=0").is_problem(422, "validation_failed");
}

#[test]
fn a_key_is_live_or_test_and_its_prefix_says_which() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let test = make(&server, &owner, &json!({"name": "t", "mode": "test"}));
    assert!(test.key.starts_with("assay_test_"));
    assert_eq!(me(&server, &test).is_ok()["cost"]["credits"], 0);
    let live = make(&server, &owner, &json!({"name": "l"}));
    let bare = id(&live).strip_prefix("key_").unwrap();
    installation.ledger.psql(&format!("update api_key set mode = 'test' where id = '{bare}'")).unwrap();
    me(&server, &live).is_problem(401, "invalid_api_key");
}

#[test]
fn a_change_holds_at_once_on_the_node_that_made_it() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let key = make(&server, &owner, &json!({"name": "k", "monthly_cap": 3, "requests_per_minute": 9}));
    me(&server, &key).is_ok();
    let lifted =
        json!({"name": "n", "monthly_cap": null, "requests_per_minute": null, "scopes": ["history"]});
    let changed = server.call(&owner, "PATCH", &path(&key), &lifted).is_ok();
    assert_eq!((&changed["name"], &changed["scopes"]), (&json!("n"), &json!(["history"])));
    for gone in ["monthly_cap", "spent_this_month", "requests_per_minute"] {
        assert_eq!(changed[gone], Value::Null, "{gone}");
    }
    me(&server, &key).is_problem(403, "insufficient_scope");
    let history = server.get(&key, "/v1/me/history");
    assert_eq!(history.header("ratelimit-policy"), Some("\"default\";q=6000;w=60"));
    let kept = server.call(&owner, "PATCH", &path(&key), &json!({})).is_ok();
    assert_eq!((&kept["name"], &kept["scopes"]), (&json!("n"), &json!(["history"])));
    server
        .call(&owner, "PATCH", &path(&key), &json!({"expires_at": "2020-01-01T00:00:00Z"}))
        .is_problem(422, "validation_failed");
    server.call(&owner, "DELETE", &path(&key), &json!({})).is_ok();
    server.get(&key, "/v1/me/history").is_problem(401, "revoked_api_key");
}

#[test]
fn a_rotated_key_goes_on_for_its_overlap_and_shares_one_cap_with_its_successor() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let old = make(&server, &owner, &json!({"name": "k", "monthly_cap": 2, "scopes": ["lookup", "keys"]}));
    // A capped key may replace itself: the cap is not doubled by it.
    let rotate = format!("{}/rotate", path(&old));
    let made = is_made(&server.call(&old, "POST", &rotate, &json!({"overlap_hours": 1})));
    let new = Customer { account: text(&made["id"]), key: text(&made["key"]) };
    assert_eq!((&made["name"], &made["monthly_cap"]), (&json!("k"), &json!(2)));
    assert_eq!(made["replaces"]["id"], id(&old));
    assert_eq!(made["replaces"]["expires_at"], server.get(&owner, &path(&old)).is_ok()["expires_at"]);
    let enrich = |key: &Customer, number| server.enrich(key, &json!({"email": known_email(number)}));
    enrich(&old, 0).is_ok();
    enrich(&new, 1).is_ok();
    enrich(&old, 2).is_problem(402, "spend_cap_reached");
    enrich(&new, 2).is_problem(402, "spend_cap_reached");
    for key in [&old, &new] {
        assert_eq!(server.get(&owner, &path(key)).is_ok()["spent_this_month"], 2);
        assert_eq!(me(&server, key).is_ok()["key"]["spent_this_month"], 2);
    }
    let rotate = format!("{}/rotate", path(&new));
    let made =
        is_made(&server.call(&owner, "POST", &rotate, &json!({"overlap_hours": 0, "expires_in_days": 9})));
    enrich(&new, 0).is_problem(401, "expired_api_key");
    let third = Customer { account: text(&made["id"]), key: text(&made["key"]) };
    enrich(&third, 2).is_problem(402, "spend_cap_reached");
    assert_ne!(made["expires_at"], Value::Null);
    assert_eq!(server.get(&owner, &path(&new)).is_ok()["state"], "expired");
    // Two of the line live; a third may, a fourth may not.
    let rotate = format!("{}/rotate", path(&third));
    is_made(&server.call(&owner, "POST", &rotate, &json!({})));
    server.call(&owner, "POST", &rotate, &json!({})).is_problem(409, "too_many_keys");
    server.call(&owner, "POST", &rotate, &json!({"overlap_hours": 169})).is_problem(422, "validation_failed");
    let expired = format!("{}/rotate", path(&new));
    let problem = server.call(&owner, "POST", &expired, &json!({})).is_problem(422, "validation_failed");
    assert_eq!(problem["errors"][0]["pointer"], "/expires_at");
}

#[test]
fn an_operator_makes_lists_rotates_and_revokes_keys_on_the_command_line() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let account = &*owner.account;
    let made = installation.ok_json(&[
        "key",
        "create",
        "--account",
        account,
        "--mode",
        "test",
        "--ip-allow",
        "10.0.0.0/8,::1",
        "--requests-per-minute",
        "30",
        "--monthly-cap",
        "2.5",
        "--expires-in-days",
        "3",
        "--name",
        "n",
    ]);
    assert!(text(&made["key"]).starts_with("assay_test_"));
    assert_eq!((&made["mode"], &made["account"]), (&json!("test"), &json!(account)));
    let listed = installation.ok_json(&["key", "list", "--account", account]);
    let row = &listed["results"][0];
    assert_eq!((&row["id"], &row["ip_allow"]), (&made["id"], &json!(["10.0.0.0/8", "::1"])));
    assert_eq!((&row["requests_per_minute"], &row["monthly_cap"]), (&json!(30), &json!(2.5)));
    assert_eq!(row["spent_this_month"], 0);
    let table = installation.ok(&["key", "list", "--account", account]);
    assert!(table.contains("10.0.0.0/8,::1") && table.contains("0 of 2.5"), "{table}");

    let id = text(&made["id"]);
    let next = installation.ok_json(&["key", "rotate", &id, "--overlap-hours", "0"]);
    assert_eq!((&next["mode"], &next["expires_at"]), (&json!("test"), &made["expires_at"]));
    let listed = installation.ok_json(&["key", "list", "--account", account]);
    let state = |id: &Value| {
        let rows = listed["results"].as_array().unwrap().iter();
        rows.filter(|row| row["id"] == *id).map(|row| text(&row["state"])).collect::<Vec<_>>()
    };
    assert_eq!(
        (state(&made["id"]), state(&next["id"])),
        (vec!["expired".to_owned()], vec!["active".to_owned()])
    );
    installation.ok(&["key", "revoke", &text(&next["id"])]);
    for gone in [&*text(&next["id"]), "key_nothing00000"] {
        let refused = installation.run(&["key", "rotate", gone]);
        assert!(String::from_utf8_lossy(&refused.stderr).contains("no active key"), "{gone}");
    }
    let wrong = installation.run(&["key", "create", "--account", account, "--ip-allow", "10.0.0.1/8"]);
    assert!(!wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("range"));
}
