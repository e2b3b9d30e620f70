//! People and companies from vendors, and the way back from an address or a number.

use super::*;
use crate::support::{WORLD, known_email};

const ZELDA: &str = r#"{"email":"zelda@quince-yards.example","confidence":0.9,"person":{"id":"z1",
    "full_name":"Zelda Quince","network_url":"https://network.example/in/zelda-quince",
    "jobs":[{"company_name":"Quince Yards","company_domain":"quince-yards.example","title":"Head of Sales"}]}}"#;

fn knows_zelda(request: &VendorRequest) -> VendorReply {
    match (&*request.path, request.body.contains("zelda")) {
        ("/person", true) => VendorReply::json(200, ZELDA),
        ("/company", _) if request.body.contains("quince-yards") => {
            VendorReply::json(200, r#"{"company":{"name":"Quince Yards","domain":"quince-yards.example"}}"#)
        }
        _ => unknown(),
    }
}

#[test]
fn whom_the_graph_does_not_know_comes_from_a_vendor_and_is_known_from_then_on() {
    let scene = Scene::new(SHARED, knows_zelda);
    let (first, second) = (scene.installation.customer("scale"), scene.installation.customer("scale"));
    let question = json!({ "email": "zelda@quince-yards.example" });
    let answer = scene.call(&first, "/v1/enrich", &question).is_ok();
    assert_eq!(told(&answer), (true, 1.0), "{answer}");
    assert_eq!(
        (&answer["person"]["fullName"], &answer["matched_on"]),
        (&json!("Zelda Quince"), &json!(["email"]))
    );
    assert_eq!(answer["person"]["meta"]["sources"]["fullName"][0]["provider"], "acme");
    let again = scene.call(&second, "/v1/reverse-email", &question).is_ok();
    assert_eq!(told(&again), (true, 1.0), "{again}");
    assert_eq!(again["network_url"], "https://network.example/in/zelda-quince");
    assert_eq!(again["company"]["domain"], "quince-yards.example");
    assert_eq!(scene.vendor.asked(), 1);
    let miss = scene.call(&first, "/v1/enrich", &json!({ "email": "nobody@quince-yards.example" })).is_ok();
    assert_eq!(told(&miss), (false, 0.0));
    assert_eq!(scene.balance(&first), 99_999.0);
}

#[test]
fn a_vendors_person_that_may_not_be_shared_is_no_others() {
    let scene = Scene::new(OWN, knows_zelda);
    let (first, second) = (scene.installation.customer("scale"), scene.installation.customer("scale"));
    let question = json!({ "networkUrl": "https://network.example/in/zelda-quince" });
    assert_eq!(told(&scene.call(&first, "/v1/enrich", &question).is_ok()), (true, 1.0));
    assert_eq!(told(&scene.call(&first, "/v1/enrich", &question).is_ok()), (true, 1.0));
    assert_eq!(scene.vendor.asked(), 1);
    scene.vendor.answers(|_| unknown());
    assert_eq!(told(&scene.call(&second, "/v1/enrich", &question).is_ok()), (false, 0.0));
}

#[test]
fn a_company_comes_from_a_vendor() {
    let scene = Scene::new(SHARED, knows_zelda);
    let customer = scene.installation.customer("scale");
    let question = json!({ "domain": "quince-yards.example" });
    for _ in 0..2 {
        let answer = scene.call(&customer, "/v1/companies", &question).is_ok();
        assert_eq!((told(&answer), &answer["company"]["name"]), ((true, 1.0), &json!("Quince Yards")));
    }
    assert_eq!(scene.vendor.asked(), 1);
}

#[test]
fn whose_an_address_or_a_number_is_costs_what_the_list_says() {
    let scene = Scene::new(SHARED, |_| unknown());
    let customer = scene.installation.customer("scale");
    let email = scene.call(&customer, "/v1/reverse-email", &json!({ "email": known_email(3) })).is_ok();
    assert_eq!(told(&email), (true, 1.0));
    let number = (0..500).find_map(|index| Some(WORLD.person(index).facts.phones.first()?.number.clone()));
    let question = json!({ "phone": number.unwrap().as_str() });
    let phone = scene.call(&customer, "/v1/reverse-phone", &question).is_ok();
    assert_eq!(told(&phone), (true, 2.0), "{phone}");
    assert_eq!(phone["network_url"], phone["person"]["networkUrl"]);
    let nobody = scene.call(&customer, "/v1/reverse-phone", &json!({ "phone": "+4915112345678" })).is_ok();
    assert_eq!(told(&nobody), (false, 0.0));
}

#[test]
fn whoever_is_erased_is_forgotten_with_all_a_vendor_said_and_not_asked_for_again() {
    let scene = Scene::new(SHARED, |request| match &*request.path {
        "/phone" => VendorReply::json(200, r#"{"phone":"+4915112345678"}"#),
        _ => knows_zelda(request),
    });
    let customer = scene.installation.customer("scale");
    let question = json!({ "email": "zelda@quince-yards.example" });
    scene.call(&customer, "/v1/enrich", &question).is_ok();
    scene.call(&customer, "/v1/find-phone", &somebody()).is_ok();
    let kept = "select count(*) from upstream_answer where value is not null";
    assert_eq!(scene.installation.graph.psql(kept).unwrap(), "1");
    scene.installation.ok(&["suppression", "add", "--email", "zelda@quince-yards.example"]);
    assert_eq!(scene.installation.graph.psql(kept).unwrap(), "0");
    let asked = scene.vendor.asked();
    assert_eq!(told(&scene.call(&customer, "/v1/enrich", &question).is_ok()), (false, 0.0));
    assert_eq!(scene.vendor.asked(), asked, "nobody is asked for whoever was erased");
}

#[test]
fn a_name_alone_is_not_somebody_at_another_company() {
    let scene = Scene::new(SHARED, |request| match (&*request.path, request.body.contains("elsewhere")) {
        ("/person", true) => VendorReply::json(
            200,
            r#"{"email":"zelda@elsewhere.example","person":{"full_name":"Zelda Quince"},"phone":"+4915112345678"}"#,
        ),
        _ => unknown(),
    });
    let customer = scene.installation.customer("scale");
    let known = scene.call(&customer, "/v1/enrich", &json!({ "email": "zelda@elsewhere.example" })).is_ok();
    assert_eq!(told(&known), (true, 1.0), "{known}");
    let named = json!({ "fullName": "Zelda Quince", "company_domain": "quince-yards.example" });
    assert_eq!(told(&scene.call(&customer, "/v1/enrich", &named).is_ok()), (false, 0.0));
    assert_eq!(told(&scene.call(&customer, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
}
