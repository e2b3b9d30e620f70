//! Addresses verified and found over HTTP, against real DNS and mail servers: what is said, what it costs, who is asked.

use crate::support::{Customer, Installation, Server};
use assay_testkit::Stopwatch;
use assay_testkit::mail::{MailRig, MailRigOptions, Recipients, Script, Server as Servers};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const VERIFY: &str = "/v1/verify-email";
const FIND: &str = "/v1/find-email";
const FIND_PERSONAL: &str = "/v1/find-personal-email";
/// No test of another crate uses it.
const PORT: u16 = 2_627;
/// The last numbers of the servers' addresses.
const ACME: u8 = 100;
const OPEN: u8 = 101;
const ANGRY: u8 = 102;
const TAKEN: &str = "250 2.1.5 Recipient OK";
const BLOCKED: &str = "550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org";

/// Servers of three domains: one has mailboxes, one takes everything, one takes nothing from us.
fn mail_rig(servers: Vec<Servers>) -> MailRig {
    let domains = [("acme", ACME), ("open", OPEN), ("angry", ANGRY)];
    let records = domains.iter().flat_map(|(name, host)| {
        [format!("{name}.test. MX 10 mx.{name}.test."), format!("mx.{name}.test. A {{net}}.{host}")]
    });
    let options =
        MailRigOptions { smtp_port: PORT, servers, records: records.collect(), ..MailRigOptions::default() };
    let mut rig = MailRig::start(&options).unwrap();
    let mailboxes = ["ada.okafor", "ben.silva", "info"].map(|local| (local.to_owned(), TAKEN.to_owned()));
    let listed = Recipients::Listed {
        replies: BTreeMap::from(mailboxes),
        otherwise: "550 5.1.1 <{address}>: no such user".to_owned(),
    };
    rig.serve(ACME, Script::plain("mx.acme.test", listed)).unwrap();
    rig.serve(OPEN, Script::plain("mx.open.test", Recipients::Every(TAKEN.to_owned()))).unwrap();
    rig.serve(ANGRY, Script::plain("mx.angry.test", Recipients::Every(BLOCKED.to_owned()))).unwrap();
    rig
}

fn asked(rig: &MailRig, host: u8) -> u64 {
    rig.tally(host).unwrap().taken
}

/// A node that asks the rig's servers.
fn serve(installation: &Installation, rig: &MailRig) -> Server {
    let dns = rig.dns().to_string();
    installation.serve_with(&[
        ("ASSAY_MAIL_HELO", "verifier.test"),
        ("ASSAY_MAIL_SENDER", "probe@verifier.test"),
        ("ASSAY_MAIL_NAMESERVERS", &dns),
        ("ASSAY_MAIL_PORT", &PORT.to_string()),
        ("ASSAY_MAIL_ALLOW_RANGES", "127.0.0.0/8"),
        ("ASSAY_MAIL_PACE", "*=3000"),
        ("ASSAY_MAIL_TIME_SCALE", "20"),
    ])
}

fn verify(server: &Server, customer: &Customer, email: &str) -> Value {
    server.call(customer, "POST", VERIFY, &json!({ "email": email, "explain": true })).is_ok()
}

fn find(server: &Server, customer: &Customer, first: &str, last: &str, domain: &str) -> Value {
    let body = json!({ "kind": "name", "firstName": first, "lastName": last, "domain": domain });
    server.call(customer, "POST", FIND, &body).is_ok()
}

#[test]
fn an_address_is_asked_for_once_and_every_verdict_is_charged_and_no_doubt() {
    let rig = mail_rig(Vec::new());
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = serve(&installation, &rig);
    let ask = |email: &str| verify(&server, &customer, email);
    let is = |answer: &Value, status: &str, reason: &str, credits: Value| {
        let said = (&answer["status"], &answer["reason"], &answer["cost"]["credits"]);
        assert_eq!(said, (&json!(status), &json!(reason), &credits), "{answer}");
    };

    let ada = ask("Ada.Okafor@acme.test");
    is(&ada, "valid", "accepted", json!(0.5));
    assert_eq!((&ada["email"], &ada["mx_found"]), (&json!("ada.okafor@acme.test"), &json!(true)));
    assert_eq!((&ada["mailbox_exists"], &ada["catch_all"]), (&json!(true), &json!(false)));
    assert_eq!(ada["trace"][0]["provider"], "mailbox");
    // Known by now, at the same price.
    let before = asked(&rig, ACME);
    let again = ask("ada.okafor@acme.test");
    is(&again, "valid", "accepted", json!(0.5));
    assert_eq!(
        (&again["verified_at"], &again["trace"][0]["provider"]),
        (&ada["verified_at"], &json!("verdicts"))
    );
    assert_eq!(asked(&rig, ACME), before);

    is(&ask("nobody@acme.test"), "invalid", "no_such_mailbox", json!(0.5));
    assert_eq!(ask("info@acme.test")["generic"], true);
    is(&ask("anybody@open.test"), "catch_all", "catch_all", json!(0.5));
    is(&ask("ada@nowhere.test"), "invalid", "no_domain", json!(0.5));
    is(&ask("ada@mailinator.com"), "disposable", "disposable", json!(0.5));
    let slip = ask("ada@gmail,com");
    is(&slip, "invalid", "syntax", json!(0.5));
    assert_eq!((&slip["syntax_valid"], &slip["did_you_mean"]), (&json!(false), &json!("ada@gmail.com")));

    // Their trouble with us says nothing of the address, and is not asked for.
    let angry = ask("ada@angry.test");
    is(&angry, "unknown", "our_reputation", json!(0));
    let paced = ask("ben@angry.test");
    is(&paced, "unknown", "paced", json!(0));
    assert!(paced["retry_at"].is_string());
    assert_eq!(asked(&rig, ANGRY), 1);
    for host in [ACME, OPEN, ANGRY] {
        assert_eq!(rig.tally(host).unwrap().data_commands, 0);
    }
}

#[test]
fn who_was_put_off_is_asked_for_again_and_a_later_call_has_the_verdict() {
    let rig = mail_rig(vec![Servers::Postfix]);
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = serve(&installation, &rig);
    let first = verify(&server, &customer, "anna@postfix-greylist.test");
    assert_eq!((&first["status"], &first["reason"]), (&json!("unknown"), &json!("greylisted")), "{first}");
    assert_eq!(first["cost"]["credits"], 0);
    assert!(first["retry_at"].is_string());
    // Whoever asks meanwhile waits with the rest.
    let meanwhile = verify(&server, &customer, "anna@postfix-greylist.test");
    assert_eq!((&meanwhile["status"], &meanwhile["retry_at"]), (&json!("unknown"), &first["retry_at"]));
    let began = Stopwatch::start();
    // Nobody but the queue asks: verdicts are looked at in the database.
    while installation.graph.psql("select count(*) from mail_verdict where retry_at is null").unwrap() == "0"
    {
        assert!(began.elapsed() < Duration::from_secs(60), "it was never asked for again");
        std::thread::sleep(Duration::from_millis(100));
    }
    let last = verify(&server, &customer, "anna@postfix-greylist.test");
    assert_eq!((&last["status"], &last["retry_at"]), (&json!("valid"), &Value::Null), "{last}");
    assert_eq!(last["cost"]["credits"], 0.5);
    let left = "select count(*) from job where queue = 'mail'";
    assert_eq!(installation.ledger.psql(left).unwrap(), "0");
}

#[test]
fn whoever_was_erased_is_neither_verified_nor_found_nor_remembered() {
    let rig = mail_rig(Vec::new());
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = serve(&installation, &rig);
    assert_eq!(verify(&server, &customer, "ada.okafor@acme.test")["status"], "valid");
    let kept = || installation.graph.psql("select count(*) from mail_verdict").unwrap();
    assert_eq!(kept(), "1");
    installation.ok(&["suppression", "add", "--email", "ada.okafor@acme.test"]);
    assert_eq!(kept(), "0");
    let before = asked(&rig, ACME);
    let answer = verify(&server, &customer, "ada.okafor@acme.test");
    assert_eq!((&answer["status"], &answer["cost"]["credits"]), (&json!("unknown"), &json!(0)));
    let found = find(&server, &customer, "Ada", "Okafor", "acme.test");
    assert_eq!((&found["found"], &found["email"]), (&json!(false), &Value::Null));
    assert_eq!(kept(), "0");
    assert!(asked(&rig, ACME) <= before, "an erased address was asked for");
}

#[test]
fn an_address_is_worked_out_from_a_name_and_charged_when_it_is_found() {
    let rig = mail_rig(Vec::new());
    let installation = Installation::new();
    let customer = installation.customer("scale");
    let server = serve(&installation, &rig);
    let found = find(&server, &customer, "Ada", "Okafor", "acme.test");
    assert_eq!(
        (&found["email"], &found["status"]),
        (&json!("ada.okafor@acme.test"), &json!("valid")),
        "{found}"
    );
    assert_eq!((&found["found"], &found["email_verified"]), (&json!(true), &json!(true)));
    assert_eq!((&found["source"], &found["cost"]["credits"]), (&json!("mailbox"), &json!(2)));
    // All that was asked is kept: the same search asks nobody.
    let before = asked(&rig, ACME);
    assert_eq!(find(&server, &customer, "Ada", "Okafor", "acme.test")["email"], found["email"]);
    assert_eq!(asked(&rig, ACME), before);

    let nobody = find(&server, &customer, "Nora", "Unbekannt", "acme.test");
    assert_eq!((&nobody["found"], &nobody["cost"]["credits"]), (&json!(false), &json!(0)), "{nobody}");
    // A server that takes everything tells nothing, and no colleague shows how addresses are written there.
    let open = find(&server, &customer, "Ada", "Okafor", "open.test");
    assert_eq!((&open["found"], &open["cost"]["credits"]), (&json!(false), &json!(0)), "{open}");
    // Personal addresses are never guessed.
    let body = json!({ "kind": "name", "firstName": "Ada", "lastName": "Okafor", "domain": "acme.test" });
    let personal = server.call(&customer, "POST", FIND_PERSONAL, &body).is_ok();
    assert_eq!((&personal["found"], &personal["cost"]["credits"]), (&json!(false), &json!(0)));
}

#[test]
fn who_cannot_pay_or_asks_for_two_things_makes_nobody_ask() {
    let rig = mail_rig(Vec::new());
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = serve(&installation, &rig);
    let body = json!({ "email": "ada.okafor@acme.test", "max_credits": 0.4 });
    server.call(&customer, "POST", VERIFY, &body).is_problem(402, "max_credits_too_low");
    for (body, field) in [
        (
            json!({ "kind": "network", "networkUrl": "https://network.example/in/a", "domain": "acme.test" }),
            "/domain",
        ),
        (json!({ "kind": "name", "firstName": "Ada", "lastName": "Okafor" }), "/domain"),
        (json!({ "kind": "network" }), "/networkUrl"),
        (json!({ "firstName": "Ada", "lastName": "Okafor", "domain": "acme.test" }), "/kind"),
    ] {
        let problem = server.call(&customer, "POST", FIND, &body).is_problem(422, "validation_failed");
        assert_eq!(problem["errors"][0]["pointer"], field, "{problem}");
    }
    assert_eq!(asked(&rig, ACME), 0);
}

#[test]
fn without_a_way_to_mail_servers_nothing_is_claimed() {
    let rig = mail_rig(Vec::new());
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let dns = rig.dns().to_string();
    let server = installation
        .serve_with(&[("ASSAY_MAIL_NAMESERVERS", &dns), ("ASSAY_MAIL_ALLOW_RANGES", "127.0.0.0/8")]);
    let answer = verify(&server, &customer, "ada.okafor@acme.test");
    assert_eq!((&answer["status"], &answer["reason"]), (&json!("unknown"), &json!("not_asked")), "{answer}");
    assert_eq!((&answer["mx_found"], &answer["cost"]["credits"]), (&json!(true), &json!(0)));
    assert_eq!(verify(&server, &customer, "ada@nowhere.test")["reason"], "no_domain");
    assert_eq!(asked(&rig, ACME), 0);
}
