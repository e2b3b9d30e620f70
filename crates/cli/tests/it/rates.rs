//! Request rates over HTTP: one for an account on all nodes, a lower one for a key, and both told to the caller.

use crate::support::{Customer, Installation, Server};
use serde_json::json;
use std::time::Duration;

/// Longer than nodes need to notice each other.
const ACQUAINTANCE: Duration = Duration::from_millis(2_500);

fn admitted(server: &Server, customer: &Customer, calls: u32) -> u32 {
    (0..calls).map(|_| u32::from(server.get(customer, "/v1/me/people").status == 200)).sum()
}

#[test]
fn an_account_has_one_rate_on_all_nodes() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let (first, second) = (installation.serve(), installation.serve());
    std::thread::sleep(ACQUAINTANCE);
    assert_eq!(admitted(&first, &customer, 80), 80);
    let rest = admitted(&second, &customer, 80);
    assert!((36..=44).contains(&rest), "{rest} more of 120, give or take a slack each");
    for node in [&first, &second] {
        // A node that was quiet may admit its slack before it hears of the other.
        let mut answers = (0..6).map(|_| node.get(&customer, "/v1/me"));
        let refused = answers.find(|answer| answer.status != 200).expect("at most a slack more");
        refused.is_problem(429, "rate_limited");
        let wait: u32 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=61).contains(&wait), "{wait}");
        assert_eq!(refused.header("ratelimit"), Some(&*format!("\"default\";r=0;t={wait}")));
    }
}

#[test]
fn me_tells_what_of_the_rates_is_used_and_left() {
    let installation = Installation::new();
    let whole = installation.customer("starter");
    let create = ["key", "create", "--account", &whole.account, "--requests-per-minute", "3"];
    let tight = Customer { account: whole.account.clone(), key: installation.ok(&create).trim().to_owned() };
    let server = installation.serve();
    let limits = |customer: &Customer| server.get(customer, "/v1/me").is_ok()["limits"].clone();
    let first = limits(&whole);
    assert_eq!((&first["requests_per_minute"], &first["requests_used"]), (&json!(300), &json!(1)));
    assert_eq!((&first["requests_left"], &first["key"]), (&json!(299), &json!(null)));
    assert!((59..=61).contains(&first["reset_seconds"].as_u64().unwrap()));
    let second = limits(&tight);
    assert_eq!((&second["requests_used"], &second["requests_left"]), (&json!(2), &json!(298)));
    let own = &second["key"];
    assert_eq!(
        (&own["requests_per_minute"], &own["requests_used"], &own["requests_left"]),
        (&json!(3), &json!(1), &json!(2))
    );
    let answer = server.get(&tight, "/v1/me");
    assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=300;w=60, \"key\";q=3;w=60"));
    assert!(answer.header("ratelimit").unwrap().starts_with("\"default\";r=297;t="));
    limits(&tight);
    let refused = server.get(&tight, "/v1/me");
    let problem = refused.is_problem(429, "rate_limited");
    assert_eq!(problem["detail"], "the key may send 3 requests a minute");
    assert_eq!(limits(&whole)["requests_used"], 5, "a refused call is not counted");
}
