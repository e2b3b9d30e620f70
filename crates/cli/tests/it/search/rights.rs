//! Whom a search must not show: people who were erased, and what another account brought.

use super::{PEOPLE, eventually, everybody, ids, walk};
use crate::support::{Customer, Installation, Request, Server};
use serde_json::{Value, json};

fn shows(server: &Server, customer: &Customer, id: &str) -> bool {
    walk(&[server], customer, PEOPLE, &everybody()).0.iter().any(|found| found == id)
}

fn total(server: &Server, customer: &Customer) -> Value {
    server.call(customer, "POST", PEOPLE, &json!({"limit": 1})).is_ok()["total"].clone()
}

#[test]
fn whoever_is_erased_is_gone_from_the_very_next_page_of_every_node() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let create = ["key", "create", "--account", &customer.account, "--scopes", "operator"];
    let operator =
        Customer { account: customer.account.clone(), key: installation.ok(&create).trim().to_owned() };
    let (one, other) = (installation.serve(), installation.serve());
    let body = json!({ "limit": 10 });
    let first =
        Request::new("POST", PEOPLE).key(&customer.key).header("idempotency-key", "before").json(&body);
    let page = first.send(one.api).is_ok();
    let gone = ids(&page)[0].clone();
    let whole = total(&one, &customer).as_u64().unwrap();
    let told = one.call(&operator, "POST", "/v1/suppressions", &json!({ "person_id": gone }));
    assert_eq!(told.status, 201, "{}", told.text());
    for server in [&one, &other] {
        let after = server.call(&customer, "POST", PEOPLE, &body).is_ok();
        assert!(!ids(&after).contains(&gone));
        assert_eq!(ids(&after).len(), 10, "the next one takes the place");
        assert_eq!(after["cost"]["credits"], 11);
        eventually("the index forgets too", || total(server, &customer) == json!(whole - 1));
    }
    // Nobody has resolved who was found in the index and was not there.
    let resolved = format!("select count(*) from resolved_person where person_id = '{}'", &gone[4..]);
    eventually("they are not remembered", || installation.ledger.psql(&resolved).unwrap() == "0");
    // The stored reply of the first page had them in it.
    eventually("no stored reply has them", || {
        let again = first.send(one.api);
        again.status == 200 && !ids(&again.json()).contains(&gone)
    });
}

#[test]
fn what_one_account_brought_is_shown_to_it_alone() {
    let installation = Installation::new();
    let (owner, stranger) = (installation.customer("scale"), installation.customer("scale"));
    let server = installation.serve();
    let page = server.call(&stranger, "POST", PEOPLE, &json!({ "limit": 1 })).is_ok();
    let person = ids(&page)[0].clone();
    let id = person.trim_start_matches("per_");
    let account = owner.account.trim_start_matches("acc_");
    let skill = "Owned Falconry";
    let give = |owner: &str| {
        let change = format!(
            "with changed as (update person set version = version + 1, owner_id = {owner},
                 facts = (facts::jsonb || '{{\"skills\": [\"{skill}\"]}}'::jsonb)::json where id = '{id}' returning id, version)
             insert into change_inbox (entity_kind, entity_id, version) select 1, id, version from changed"
        );
        installation.graph.psql(&change).unwrap();
    };
    give(&format!("'{account}'"));
    // The index may not know yet; the graph does.
    assert!(!shows(&server, &stranger, &person) && shows(&server, &owner, &person));
    let suggested = |customer: &Customer| {
        server.get(customer, "/v1/suggest?field=skills&text=owned").is_ok()["results"].clone()
    };
    eventually("the owner's words are suggested to them", || {
        suggested(&owner) == json!([{"value": "owned falconry", "count": 1}])
    });
    assert_eq!(suggested(&stranger), json!([]));
    let found = |customer: &Customer| {
        let body = json!({ "skills": skill });
        let page = server.call(customer, "POST", PEOPLE, &body).is_ok();
        (page["total"].clone(), page["cost"]["credits"].clone())
    };
    assert_eq!(found(&owner), (json!(1), json!(2)));
    assert_eq!(found(&stranger), (json!(0), json!(1)));
    give("null");
    eventually("it is everybody's again", || found(&stranger) == (json!(1), json!(2)));
}
