//! What is told of those who were found, and that nobody pays for what could not be told after all.

use super::{PEOPLE, balance, everybody};
use crate::support::{Customer, Installation, Request, Server};
use serde_json::{Value, json};

#[test]
fn a_row_tells_of_somebody_what_a_lookup_of_them_tells() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let page = server.call(&customer, "POST", PEOPLE, &everybody()).is_ok();
    let rows = page["results"].as_array().unwrap();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["networkUrl"].is_string()) {
        let asked = json!({ "networkUrl": row["networkUrl"] });
        let found = server.call(&customer, "POST", "/v1/enrich", &asked).is_ok();
        assert_eq!(found["person"], *row);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

/// A page paid for in one of the two ways: while it is written, or in the commit that keeps it for its idempotency key.
fn page(server: &Server, customer: &Customer, key: Option<&str>) -> crate::support::Answer {
    let request =
        Request::new("POST", PEOPLE).key(&customer.key).json(&json!({ "limit": 10, "explain": true }));
    match key {
        Some(key) => request.header("idempotency-key", key).send(server.api),
        None => request.send(server.api),
    }
}

#[test]
fn whoever_cannot_be_told_is_left_out_and_not_paid_for() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let whole = page(&server, &customer, None).is_ok();
    let worst = whole["results"][4]["id"].as_str().unwrap().to_owned();
    installation
        .graph
        .psql(&format!("update person set facts = '{{}}' where id = '{}'", &worst[4..]))
        .unwrap();
    for key in [None, Some("a-key")] {
        let before = balance(&server, &customer);
        let answer = page(&server, &customer, key);
        let less = answer.is_ok();
        let mut others = whole["results"].as_array().unwrap().clone();
        others.remove(4);
        assert_eq!(less["results"], Value::Array(others));
        let (cost, paid) =
            (less["cost"]["credits"].as_f64().unwrap(), whole["cost"]["credits"].as_f64().unwrap());
        assert!((paid - cost - 1.0).abs() < 1e-9, "{paid} for ten, {cost} for nine");
        assert_eq!(answer.header("x-credits-charged"), Some(cost.to_string().as_str()));
        let after = balance(&server, &customer);
        assert!((before - after - cost).abs() < 1e-9, "{before} less {cost} is {after}");
        assert_eq!(less["cost"]["balance_remaining"], after);
        assert!(less["trace"].is_array());
    }
    assert!(installation.ok(&["doctor"]).contains("audit"));
}

#[test]
fn a_page_that_cannot_be_told_costs_nothing() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = installation.serve();
    let before = balance(&server, &customer);
    let rename = |from: &str, to: &str| {
        installation.graph.psql(&format!("alter table {from} rename to {to}")).unwrap();
    };
    rename("company", "company_away");
    for key in [None, Some("a-key")] {
        page(&server, &customer, key).is_problem(503, "unavailable");
        assert_eq!(balance(&server, &customer), before);
    }
    rename("company_away", "company");
    let paid = page(&server, &customer, Some("a-key")).is_ok()["cost"]["credits"].as_f64().unwrap();
    assert!((before - balance(&server, &customer) - paid).abs() < 1e-9);
    let given_back = installation.ledger.psql("select count(*) from posting where kind = 5").unwrap();
    assert_eq!(given_back, "1", "what was charged while the answer could not be finished");
    assert!(installation.ok(&["doctor"]).contains("audit"));
}
