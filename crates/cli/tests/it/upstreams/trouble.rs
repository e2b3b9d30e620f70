//! Vendors that fail, and what an operator sees and sets.

use super::*;
use assay_domain::clock::Stopwatch;

#[test]
fn when_every_vendor_fails_the_call_fails_and_costs_nothing() {
    let scene = Scene::new(SHARED, |_| VendorReply::json(500, "{}"));
    let customer = scene.installation.customer("scale");
    let enrich = json!({ "email": "zelda@quince-yards.example" });
    for (path, question) in [("/v1/find-phone", somebody()), ("/v1/enrich", enrich)] {
        let problem = scene.call(&customer, path, &question).is_problem(502, "upstream_error");
        assert!(problem["detail"].as_str().unwrap().contains("acme"), "{problem}");
    }
    // What was held is given back without the call waiting for it.
    let began = Stopwatch::start();
    while scene.balance(&customer) < 100_000.0 {
        assert!(began.elapsed() < Duration::from_secs(10), "credits are still held");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(
        scene.installation.ledger.psql("select count(*) from hold where state = 'open'").unwrap(),
        "0"
    );
    assert_eq!(scene.installation.graph.psql("select count(*) from upstream_answer").unwrap(), "0");
}

#[test]
fn without_credits_no_vendor_is_asked() {
    let scene = Scene::new(SHARED, |_| VendorReply::json(200, r#"{"phone":"+4915112345678"}"#));
    let customer = scene.installation.customer("trial");
    let bounded = |credits: f64| {
        let mut question = somebody();
        question["max_credits"] = json!(credits);
        question
    };
    scene.call(&customer, "/v1/find-phone", &bounded(11.0)).is_problem(402, "max_credits_too_low");
    let poor = json!({ "email": "zelda@quince-yards.example", "max_credits": 0.5 });
    scene.call(&customer, "/v1/enrich", &poor).is_problem(402, "max_credits_too_low");
    assert_eq!(scene.vendor.asked(), 0);
}

#[test]
fn a_fixed_order_is_kept_and_a_learnt_one_prefers_the_cheaper() {
    let scene = Scene::new(SHARED, |_| unknown());
    let customer = scene.installation.customer("scale");
    let second = VendorServer::start(|_| VendorReply::json(200, r#"{"phone":"+4915112345678"}"#)).unwrap();
    let file = scene.installation.file("zeta.toml", &declaration("zeta", SHARED));
    scene.installation.ok(&["provider", "add", &file]);
    scene.installation.ok_reading(&["provider", "key", "zeta"], "key");
    scene.installation.ok(&["provider", "enable", "zeta", "--base-url", &second.url()]);
    scene.installation.ok(&["provider", "order", "phone", "zeta", "acme"]);
    std::thread::sleep(NOTICED);
    let answer = scene.call(&customer, "/v1/find-phone", &somebody()).is_ok();
    assert_eq!((told(&answer), &answer["source"]), ((true, 12.0), &json!("zeta")));
    assert_eq!((scene.vendor.asked(), second.asked()), (0, 1));
    scene.installation.ok(&["provider", "order", "phone", "learnt"]);
    let listed = scene.installation.ok_json(&["provider", "list"]);
    let names: Vec<&str> =
        listed["results"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in ["acme", "apollo", "findymail", "hunter", "leadmagic", "pdl", "prospeo", "twilio", "zeta"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
}

#[test]
fn an_operator_sees_the_answer_as_it_came_beside_what_is_read_from_it() {
    let scene = Scene::new(SHARED, |_| VendorReply::json(200, r#"{"phone":"+4915112345678","x":1}"#));
    scene.installation.allow_local_vendors();
    let test = ["provider", "test", "acme", "phone", "--first-name", "Zelda", "--last-name", "Quince"];
    let test: Vec<&str> = test.into_iter().chain(["--domain", "quince-yards.example"]).collect();
    let shown = scene.installation.ok_json(&test);
    assert_eq!((&shown["raw"]["x"], &shown["status"]), (&json!(1), &json!(200)), "{shown}");
    assert_eq!(shown["mapped"]["phones"], json!([{ "number": "+4915112345678", "line": "unknown" }]));
    let shown = scene.installation.ok_json(&["provider", "list"]);
    let acme = shown["results"].as_array().unwrap().iter().find(|row| row["name"] == "acme").unwrap();
    assert_eq!(
        (&acme["enabled"], &acme["has_key"], &acme["declared"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let listed = scene.installation.ok(&["provider", "list"]);
    assert!(listed.contains("3 a find"), "{listed}");
    let dump = scene.installation.ledger.psql("select encode(sealed, 'escape') from sealed_secret").unwrap();
    assert!(!dump.contains("the-operators-key"), "a key lies open in the database");
}
