//! Vendors behind the endpoints, against the running program and vendors on sockets: what is found, kept, shared and charged.

mod contacts;
mod people;
mod trouble;
mod workflows;

use crate::support::{Answer, Customer, Installation, Server};
use assay_testkit::vendor::{VendorReply, VendorRequest, VendorServer};
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than a node takes to notice what is set about vendors.
const NOTICED: Duration = Duration::from_millis(2_500);

/// A vendor of one file that takes every lookup, by whatever is known. Its answers are its own fields.
fn declaration(name: &str, rights: &str) -> String {
    let lookups =
        ["work_email", "personal_email", "phone", "verify", "person", "line", "company"].map(|lookup| {
            format!(
                "[lookups.{lookup}]\nmethod = \"POST\"\npath = \"/{lookup}\"\nprice_per_hit_micros = 30000\n\
             miss_statuses = [404]\nanswer = '.'\n[lookups.{lookup}.body]\n{FIELDS}\n"
            )
        });
    format!(
        "name = \"{name}\"\nbase_url = \"http://127.0.0.1:1\"\n[auth]\nkind = \"bearer\"\n[rights]\n\
         licence = \"test\"\n{rights}\n{}",
        lookups.join("\n")
    )
}

const FIELDS: &str = r#"name = "{% if full_name is defined %}{{ full_name }}{% endif %}"
domain = "{% if domain is defined %}{{ domain }}{% endif %}"
email = "{% if email is defined %}{{ email }}{% endif %}"
phone = "{% if phone is defined %}{{ phone }}{% endif %}"
url = "{% if network_url is defined %}{{ network_url }}{% endif %}""#;

const SHARED: &str = "storable = true\nshareable = true";
const OWN: &str = "storable = true\nshareable = false";

/// An installation with one vendor, which answers like this.
struct Scene {
    installation: Installation,
    vendor: VendorServer,
    server: Server,
}

impl Scene {
    fn new(rights: &str, answer: impl Fn(&VendorRequest) -> VendorReply + Send + Sync + 'static) -> Self {
        let installation = Installation::new();
        let vendor = VendorServer::start(answer).unwrap();
        let file = installation.file("acme.toml", &declaration("acme", rights));
        installation.ok(&["provider", "add", &file]);
        installation.ok_reading(&["provider", "key", "acme"], "the-operators-key\n");
        installation.ok(&["provider", "enable", "acme", "--base-url", &vendor.url()]);
        let server = installation.serve_with(&[
            ("ASSAY_UPSTREAMS_ALLOWED_RANGES", "127.0.0.1/32"),
            ("ASSAY_UPSTREAMS_ALLOW_HTTP", "true"),
            // Nobody answers there: of an address no server says anything.
            ("ASSAY_MAIL_NAMESERVERS", "127.0.0.1:1"),
        ]);
        std::thread::sleep(NOTICED);
        Self { installation, vendor, server }
    }

    fn call(&self, customer: &Customer, path: &str, body: &Value) -> Answer {
        self.server.call(customer, "POST", path, body)
    }

    fn balance(&self, customer: &Customer) -> f64 {
        self.server.get(customer, "/v1/me").is_ok()["cost"]["balance_remaining"].as_f64().unwrap()
    }
}

/// With what it cost, to compare.
fn told(answer: &Value) -> (bool, f64) {
    (answer["found"].as_bool().unwrap(), answer["cost"]["credits"].as_f64().unwrap())
}

fn unknown() -> VendorReply {
    VendorReply::json(404, "{}")
}

/// Somebody no graph knows.
fn somebody() -> Value {
    json!({ "firstName": "Zelda", "lastName": "Quince", "domain": "quince-yards.example" })
}
