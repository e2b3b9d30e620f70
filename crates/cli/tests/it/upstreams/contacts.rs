//! Telephones, addresses and verdicts from vendors.

use super::*;

/// A mobile by its country's plan, and one that is not.
const MOBILE: &str = "+4915112345678";
const LANDLINE: &str = "+493012345678";

fn phone(number: &'static str) -> impl Fn(&VendorRequest) -> VendorReply + Send + Sync + 'static {
    move |request| match &*request.path {
        "/phone" => VendorReply::json(200, json!({ "phone": number }).to_string()),
        _ => unknown(),
    }
}

#[test]
fn a_mobile_comes_from_a_vendor_and_is_kept_for_all_where_it_may_be_shared() {
    let scene = Scene::new(SHARED, phone(MOBILE));
    let (first, second) = (scene.installation.customer("scale"), scene.installation.customer("scale"));
    let mut question = somebody();
    question["explain"] = json!(true);
    let answer = scene.call(&first, "/v1/find-phone", &question).is_ok();
    assert_eq!(told(&answer), (true, 12.0), "{answer}");
    assert_eq!((&answer["phone"], &answer["source"]), (&json!(MOBILE), &json!("acme")));
    assert_eq!((&answer["line_type"], &answer["country"]), (&json!("mobile"), &json!("DE")));
    assert_eq!(answer["carrier"], "T-Mobile");
    let step = &answer["trace"][1];
    assert_eq!((&step["provider"], &step["outcome"]), (&json!("acme"), &json!("found")));
    assert_eq!(step["upstream_cost_micros"], 30_000);
    let asked = scene.vendor.seen();
    assert_eq!(asked[0].header("authorization"), Some("Bearer the-operators-key"));
    let again = scene.call(&second, "/v1/find-phone", &somebody()).is_ok();
    assert_eq!((told(&again), &again["source"]), ((true, 12.0), &json!("acme")));
    assert_eq!(scene.vendor.asked(), 1, "what is kept is not paid for again");
    let history = scene.server.get(&first, "/v1/me/history?limit=1").is_ok();
    assert_eq!(history["results"][0]["upstream_cost_micros"], 30_000);
    assert_eq!(history["results"][0]["providers"], json!(["graph", "acme"]));
}

#[test]
fn what_may_not_be_shared_is_kept_for_whoever_asked() {
    let scene = Scene::new(OWN, phone(MOBILE));
    let (first, second) = (scene.installation.customer("scale"), scene.installation.customer("scale"));
    for _ in 0..2 {
        assert_eq!(told(&scene.call(&first, "/v1/find-phone", &somebody()).is_ok()), (true, 12.0));
    }
    assert_eq!(scene.vendor.asked(), 1);
    scene.vendor.answers(|_| unknown());
    assert_eq!(told(&scene.call(&second, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
    assert_eq!(scene.vendor.asked(), 2, "the second had to ask for itself");
    assert_eq!(told(&scene.call(&second, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
    assert_eq!(scene.vendor.asked(), 2, "a miss is kept as well");
}

#[test]
fn a_landline_is_no_mobile_but_a_telephone() {
    let scene = Scene::new(SHARED, phone(LANDLINE));
    let customer = scene.installation.customer("scale");
    assert_eq!(told(&scene.call(&customer, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
    assert_eq!(told(&scene.call(&customer, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
    let kept = scene.call(&customer, "/v1/multi-source-phone", &somebody()).is_ok();
    assert_eq!((told(&kept), &kept["phone"]), ((true, 14.0), &json!(LANDLINE)), "{kept}");
    assert_eq!(scene.vendor.asked(), 1, "what was of no use before is kept for whoever takes it");
    let fresh = json!({ "firstName": "Yuri", "lastName": "Quince", "domain": "quince-yards.example" });
    let any = scene.call(&customer, "/v1/multi-source-phone", &fresh).is_ok();
    assert_eq!((told(&any), &any["line_type"]), ((true, 14.0), &json!("landline")), "{any}");
    let tried =
        json!([{ "source": "graph", "outcome": "not_found" }, { "source": "acme", "outcome": "found" }]);
    assert_eq!(any["sources_tried"], tried);
}

#[test]
fn where_a_plan_does_not_tell_lines_apart_a_carrier_is_asked() {
    let scene = Scene::new(SHARED, |request| match &*request.path {
        "/phone" => VendorReply::json(200, r#"{"phone":"+12025550143"}"#),
        "/line" => VendorReply::json(200, r#"{"line_type":"mobile","carrier":"Example Wireless"}"#),
        _ => unknown(),
    });
    let customer = scene.installation.customer("scale");
    let answer = scene.call(&customer, "/v1/find-phone", &somebody()).is_ok();
    assert_eq!((told(&answer), &answer["carrier"]), ((true, 12.0), &json!("Example Wireless")), "{answer}");
    assert_eq!(scene.vendor.asked(), 2);
}

#[test]
fn an_account_with_its_own_key_pays_less_and_shares_nothing() {
    let scene = Scene::new(SHARED, phone(MOBILE));
    let (own, other) = (scene.installation.customer("scale"), scene.installation.customer("scale"));
    let arguments = ["provider", "key", "acme", "--account", &own.account];
    scene.installation.ok_reading(&arguments, "an-accounts-key");
    std::thread::sleep(NOTICED);
    let answer = scene.call(&own, "/v1/find-phone", &somebody()).is_ok();
    assert_eq!(told(&answer), (true, 2.4), "a fifth of the price: {answer}");
    assert_eq!(scene.vendor.seen()[0].header("authorization"), Some("Bearer an-accounts-key"));
    scene.vendor.answers(|_| unknown());
    assert_eq!(
        told(&scene.call(&own, "/v1/find-phone", &somebody()).is_ok()),
        (true, 2.4),
        "kept, and as cheap"
    );
    assert_eq!(told(&scene.call(&other, "/v1/find-phone", &somebody()).is_ok()), (false, 0.0));
}

#[test]
fn the_same_question_by_many_at_once_is_asked_once() {
    let slow = |request: &VendorRequest| phone(MOBILE)(request).after(Duration::from_millis(800));
    let scene = Scene::new(SHARED, slow);
    let customers: Vec<Customer> = (0..6).map(|_| scene.installation.customer("scale")).collect();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let asking: Vec<_> = customers
            .iter()
            .map(|customer| scope.spawn(|| scene.call(customer, "/v1/find-phone", &somebody()).is_ok()))
            .collect();
        asking.into_iter().map(|asking| asking.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| told(answer) == (true, 12.0)), "{answers:?}");
    assert_eq!(scene.vendor.asked(), 1);
}

#[test]
fn an_address_of_a_vendor_is_taken_on_its_word_where_no_server_can_be_asked() {
    let scene = Scene::new(SHARED, |request| match &*request.path {
        "/work_email" => {
            VendorReply::json(200, r#"{"email":"zelda@quince-yards.example","email_status":"valid"}"#)
        }
        "/personal_email" => VendorReply::json(
            200,
            r#"{"personal_email":"zelda.quince@gmail.com","personal_email_status":"valid"}"#,
        ),
        "/verify" => VendorReply::json(200, r#"{"verdict":{"status":"invalid"}}"#),
        _ => unknown(),
    });
    let customer = scene.installation.customer("scale");
    let mut question = somebody();
    question["kind"] = json!("name");
    let work = scene.call(&customer, "/v1/find-email", &question).is_ok();
    assert_eq!((told(&work), &work["email"]), ((true, 2.0), &json!("zelda@quince-yards.example")), "{work}");
    assert_eq!((&work["source"], &work["status"]), (&json!("acme"), &json!("valid")));
    let home = scene.call(&customer, "/v1/find-personal-email", &question).is_ok();
    assert_eq!((told(&home), &home["free_provider"]), ((true, 2.0), &json!(true)), "{home}");
    let verdict = scene.call(&customer, "/v1/verify-email", &json!({ "email": "x@quince-yards.example" }));
    let verdict = verdict.is_ok();
    assert_eq!((&verdict["status"], &verdict["cost"]["credits"]), (&json!("invalid"), &json!(0.5)));
}

#[test]
fn a_list_is_hashed_as_platforms_want_it_and_paid_for_by_the_distinct_address() {
    let scene = Scene::new(SHARED, |_| unknown());
    let customer = scene.installation.customer("trial");
    let known = crate::support::known_email(0);
    let emails =
        json!([format!("  {} ", known.to_uppercase()), "nobody@quince-yards.example", "no address", known]);
    let answer = scene.call(&customer, "/v1/ad-audience", &json!({ "emails": emails })).is_ok();
    assert_eq!(answer["cost"]["credits"], 0.2);
    let hashes = answer["hashes"].as_array().unwrap();
    assert_eq!((hashes[0].as_str().unwrap().len(), &hashes[2], &hashes[3]), (64, &Value::Null, &hashes[0]));
    let stats = json!({
        "submitted": 4, "valid": 2, "invalid": 1, "duplicates": 1, "matched": 1, "match_rate": 0.5
    });
    assert_eq!(answer["stats"], stats);
    assert_eq!(scene.vendor.asked(), 0);
    // A hundred credits pay for a thousand addresses; these are more.
    let many: Vec<String> = (0..1_200).map(|number| format!("a{number}@quince-yards.example")).collect();
    let short = scene.call(&customer, "/v1/ad-audience", &json!({ "emails": many })).is_ok();
    assert_eq!((&short["truncated_by"], &short["cost"]["credits"]), (&json!("credits"), &json!(99.8)));
    assert_eq!(short["hashes"].as_array().unwrap().iter().filter(|hash| hash.is_string()).count(), 998);
}
