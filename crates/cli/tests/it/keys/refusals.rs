//! What keys may not do: elsewhere, later, beyond their maker, or at all.

use super::{id, is_made, make, masked, me, path};
use crate::support::{Answer, Customer, Installation, Request};
use assay_domain::limits;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    for (body, pointer) in [
        (json!({}), "/name"),
        (json!({"name": ""}), "/name"),
        (json!({"name": "a\nb"}), "/name"),
        (json!({"name": "a", "mode": "prod"}), "/mode"),
        (json!({"name": "a", "scopes": []}), "/scopes"),
        (json!({"name": "a", "scopes": ["lookup", "lokup"]}), "/scopes/1"),
        (json!({"name": "a", "ip_allow": ["10.0.0.1", "10.0.0.300"]}), "/ip_allow/1"),
        (json!({"name": "a", "monthly_cap": -1}), "/monthly_cap"),
        (json!({"name": "a", "requests_per_minute": 0}), "/requests_per_minute"),
        (json!({"name": "a", "expires_in_days": 0}), "/expires_in_days"),
        (json!({"name": "a", "expires_at": "2020-01-01T00:00:00Z"}), "/expires_at"),
        (json!({"name": "a", "expires_at": "2030-01-01T00:00:00Z", "expires_in_days": 1}), "/expires_at"),
    ] {
        let problem = server.call(&owner, "POST", "/v1/keys", &body).is_problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    assert_eq!(server.get(&owner, "/v1/keys").is_ok()["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_key_is_good_only_at_the_addresses_of_its_list() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let here = make(&server, &owner, &json!({"name": "here", "ip_allow": ["127.0.0.0/8"]}));
    let away = make(&server, &owner, &json!({"name": "away", "ip_allow": ["10.0.0.0/8", "::/0"]}));
    me(&server, &here).is_ok();
    me(&server, &away).is_problem(403, "ip_not_allowed");
    server.call(&owner, "PATCH", &path(&away), &json!({"ip_allow": ["127.0.0.1"]})).is_ok();
    me(&server, &away).is_ok();
    server.call(&owner, "PATCH", &path(&away), &json!({"ip_allow": []})).is_ok();
    me(&server, &away).is_ok();
}

#[test]
fn a_key_never_gives_more_than_it_has() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let bounded = make(
        &server,
        &owner,
        &json!({"name": "b", "scopes": ["keys", "lookup"], "expires_in_days": 5, "ip_allow": ["127.0.0.0/8"]}),
    );
    let child = is_made(&server.call(&bounded, "POST", "/v1/keys", &json!({"name": "c"})));
    let own = server.get(&owner, &path(&bounded)).is_ok();
    for inherited in ["scopes", "expires_at", "ip_allow"] {
        assert_eq!(child[inherited], own[inherited], "{inherited}");
    }
    let create = |key: &Customer, body: &Value| server.call(key, "POST", "/v1/keys", body);
    create(&bounded, &json!({"name": "x", "scopes": ["bulk"]})).is_problem(403, "insufficient_scope");
    for beyond in [
        json!({"name": "x", "expires_in_days": 6}),
        json!({"name": "x", "ip_allow": []}),
        json!({"name": "x", "ip_allow": ["127.0.0.1", "10.0.0.1"]}),
    ] {
        create(&bounded, &beyond).is_problem(403, "key_bounds_exceeded");
    }
    for bound in [json!({"name": "m", "monthly_cap": 5}), json!({"name": "m", "requests_per_minute": 50})] {
        create(&make(&server, &owner, &bound), &json!({"name": "x"})).is_problem(403, "key_bounds_exceeded");
    }
    // Neither itself nor through a key that has more.
    let change = |key: &Customer, of: &Customer, body: Value| server.call(key, "PATCH", &path(of), &body);
    change(&bounded, &bounded, json!({"scopes": ["keys", "bulk"]})).is_problem(403, "insufficient_scope");
    change(&bounded, &bounded, json!({"expires_at": null})).is_problem(403, "key_bounds_exceeded");
    change(&bounded, &bounded, json!({"ip_allow": []})).is_problem(403, "key_bounds_exceeded");
    let wide = make(&server, &owner, &json!({"name": "wide"}));
    server
        .call(&bounded, "POST", &format!("{}/rotate", path(&wide)), &json!({}))
        .is_problem(403, "insufficient_scope");
    let own_scopes = make(&server, &owner, &json!({"name": "w", "scopes": ["keys", "lookup"]}));
    server
        .call(&bounded, "POST", &format!("{}/rotate", path(&own_scopes)), &json!({}))
        .is_problem(403, "key_bounds_exceeded");
    let capped = make(&server, &owner, &json!({"name": "m", "monthly_cap": 5}));
    change(&capped, &capped, json!({"monthly_cap": null})).is_problem(403, "key_bounds_exceeded");
    change(&capped, &capped, json!({"monthly_cap": 6})).is_problem(403, "key_bounds_exceeded");
    assert_eq!(change(&capped, &capped, json!({"monthly_cap": 4})).is_ok()["monthly_cap"], 4);
    // Taking away is free to all: it must be easy to stop a key.
    assert_eq!(change(&bounded, &wide, json!({"scopes": ["lookup"]})).is_ok()["scopes"], json!(["lookup"]));
    assert_eq!(server.call(&bounded, "DELETE", &path(&wide), &json!({})).is_ok()["state"], "revoked");
}

#[test]
fn foreign_absent_and_revoked_ids_are_the_same_404() {
    let installation = Installation::new();
    let (owner, stranger) = (installation.customer("scale"), installation.customer("scale"));
    let server = installation.serve();
    let foreign = make(&server, &stranger, &json!({"name": "theirs"}));
    let revoked = make(&server, &owner, &json!({"name": "mine"}));
    server.call(&owner, "DELETE", &path(&revoked), &json!({})).is_ok();
    for (method, tail) in [("GET", ""), ("PATCH", ""), ("POST", "/rotate"), ("DELETE", "")] {
        let ask = |id: &str| {
            let request = Request::new(method, &format!("/v1/keys/{id}{tail}")).key(&owner.key);
            if matches!(method, "GET" | "DELETE") { request } else { request.json(&json!({})) }
                .send(server.api)
        };
        let absent = ask("key_000000000000");
        absent.is_problem(404, "not_found");
        for same in [id(&foreign), "none", "key_0000%00000000", "a%20b"] {
            assert_eq!(masked(&ask(same)), masked(&absent), "{method} {same}");
        }
        if method != "GET" {
            assert_eq!(masked(&ask(id(&revoked))), masked(&absent), "{method}");
        }
    }
    assert_eq!(server.get(&owner, &path(&revoked)).is_ok()["state"], "revoked");
    assert_eq!(me(&server, &foreign).is_ok()["key"]["name"], "theirs");
}

#[test]
fn a_wrong_secret_and_an_unknown_id_are_the_same_401_and_do_not_count_as_use() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let unused = make(&server, &owner, &json!({"name": "k"}));
    let known_id = unused.key.split('_').nth(2).unwrap();
    let stranger = installation.customer("scale");
    // The other key's text under this key's id, in the ledger: its secret is right in shape and wrong in fact.
    let strange_id = stranger.key.split('_').nth(2).unwrap();
    let swap = format!(
        "update api_key set id = '{known_id}x' where id = '{known_id}';
         update api_key set id = 'parked00parked' where id = '{strange_id}';
         update api_key set id = '{strange_id}' where id = '{known_id}x'"
    );
    installation.ledger.psql(&swap).unwrap();
    let wrong = me(&server, &stranger);
    wrong.is_problem(401, "invalid_api_key");
    let unknown = me(&server, &unused);
    assert_eq!(masked(&wrong), masked(&unknown));
    // The use of a key is noted beside the call.
    std::thread::sleep(Duration::from_millis(300));
    let listed = server.get(&owner, "/v1/keys").is_ok();
    let row = listed["results"].as_array().unwrap().iter().find(|row| row["name"] == "k").unwrap();
    assert_eq!((&row["id"], &row["last_used_at"]), (&json!(format!("key_{strange_id}")), &Value::Null));
    let used = listed["results"].as_array().unwrap().iter().find(|row| row["name"] == "default").unwrap();
    assert_ne!(used["last_used_at"], Value::Null);
}

#[test]
fn after_a_trial_only_the_account_and_its_keys_answer() {
    let installation = Installation::new();
    let owner = installation.customer("trial");
    installation.ledger.psql("update account set trial_ends_at = now() - interval '1 second'").unwrap();
    let server = installation.serve();
    server.enrich(&owner, &json!({"email": "nobody@nowhere.example"})).is_problem(403, "trial_ended");
    me(&server, &owner).is_ok();
    server.get(&owner, "/v1/me/history").is_ok();
    server.get(&owner, "/v1/keys").is_ok();
    make(&server, &owner, &json!({"name": "k"}));
}

#[test]
fn an_account_has_a_bounded_number_of_live_keys() {
    let installation = Installation::new();
    let owner = installation.customer("scale");
    let server = installation.serve();
    let fill = format!(
        "insert into api_key (id, account_id, name, mode, secret_hash, scopes)
         select 'filler' || lpad(n::text, 6, '0'), account_id, 'f', 'live', '', scopes
         from api_key, generate_series(2, {}) n",
        limits::KEYS_PER_ACCOUNT_MAX
    );
    installation.ledger.psql(&fill).unwrap();
    server.call(&owner, "POST", "/v1/keys", &json!({"name": "x"})).is_problem(409, "too_many_keys");
    let full = installation.run(&["key", "create", "--account", &owner.account]);
    assert!(!full.status.success() && String::from_utf8_lossy(&full.stderr).contains("live keys"));
    let rotate = "/v1/keys/key_filler000002/rotate";
    is_made(&server.call(&owner, "POST", rotate, &json!({})));
    server.call(&owner, "DELETE", "/v1/keys/key_filler000003", &json!({})).is_ok();
    make(&server, &owner, &json!({"name": "x"}));
    server.call(&owner, "POST", "/v1/keys", &json!({"name": "y"})).is_problem(409, "too_many_keys");
}

#[test]
fn who_guesses_keys_is_soon_answered_without_a_look_up_and_known_keys_go_on() {
    let installation = Installation::new();
    let (known, fresh) = (installation.customer("scale"), installation.customer("scale"));
    let server = installation.serve();
    me(&server, &known).is_ok();
    let (rest, last) = known.key.split_at(known.key.len() - 1);
    let other = if last == "x" { "y" } else { "x" };
    let wrong = Customer { account: String::new(), key: format!("{rest}{other}") };
    let guesses: Vec<Answer> =
        (0..limits::FAILED_AUTH_PER_MINUTE + 20).map(|_| me(&server, &wrong)).collect();
    assert_eq!(guesses[0].is_problem(401, "invalid_api_key")["retryable"], false);
    let refused = guesses.last().unwrap();
    assert_eq!(refused.is_problem(429, "too_many_failed_attempts")["retryable"], true);
    assert!(refused.header("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
    let taken = guesses.iter().filter(|answer| answer.status == 401).count();
    let most = usize::try_from(limits::FAILED_AUTH_PER_MINUTE).unwrap();
    assert!((most..most + 20).contains(&taken), "{taken}");
    // Without the table no key can be looked up: what is still answered is answered from memory.
    installation.ledger.psql("alter table api_key rename to away").unwrap();
    me(&server, &fresh).is_problem(429, "too_many_failed_attempts");
    me(&server, &known).is_ok();
    installation.ledger.psql("alter table away rename to api_key").unwrap();
    // A key that changes is no longer in memory, but is still known to have been good.
    installation.ledger.psql("update key_epoch set epoch = epoch + 1").unwrap();
    std::thread::sleep(limits::KEY_EPOCH_EVERY * 2);
    for _ in 0..5 {
        me(&server, &wrong);
    }
    me(&server, &known).is_ok();
}
