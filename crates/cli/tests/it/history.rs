//! History as a customer sees it: pages, the export, and what an operator does about plans, trials and old months.

use crate::support::{Customer, Installation, Request, Server, known_email};
use assay_testkit::Deadline;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Looks again until it is so.
#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Deadline::after(PATIENCE);
    while !is_so() {
        assert!(!deadline.passed(), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn account_uuid(customer: &Customer) -> String {
    customer.account.trim_start_matches("acc_").to_owned()
}

/// Puts calls into this month's history, the first of them the oldest.
fn fill(installation: &Installation, customer: &Customer, rows: u32) {
    let sql = format!(
        "insert into history
             (id, account_id, key_id, at, endpoint, status, found, credits, balance_after, balance_version, latency_us,
              cached, providers, subjects)
         select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7000' || '8000' ||
                 lpad(to_hex(n), 12, '0'))::uuid,
             '{}', 'made', now(), 'enrich', 200, true, 0, 0, 0, n, false, '{{graph}}', '{{}}'
         from generate_series(1, {rows}) n",
        account_uuid(customer)
    );
    installation.ledger.psql(&sql).unwrap();
}

/// An export being read at the test's own pace.
struct Download {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Download {
    fn start(server: &Server, customer: &Customer, query: &str) -> Self {
        let mut stream = TcpStream::connect(server.api).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!(
            "GET /v1/me/history/export{query} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
            server.api, customer.key
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut download = Self { stream, received: Vec::new() };
        while !download.received.windows(4).any(|window| window == b"\r\n\r\n") {
            assert!(download.read_some() > 0);
        }
        download
    }

    fn read_some(&mut self) -> usize {
        let mut piece = [0; 16 * 1024];
        let count = self.stream.read(&mut piece).unwrap();
        self.received.extend_from_slice(&piece[..count]);
        count
    }

    fn head(&self) -> String {
        let end = self.received.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        String::from_utf8(self.received[..end].to_vec()).unwrap().to_lowercase()
    }

    /// What arrived until the connection ended, and whether it was all.
    fn finish(mut self) -> (Vec<u8>, bool) {
        while self.read_some() > 0 {}
        let start = self.head().len() + 4;
        let (mut rest, mut body) = (&self.received[start..], Vec::new());
        loop {
            let Some(line) = rest.windows(2).position(|window| window == b"\r\n") else {
                return (body, false);
            };
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).unwrap(), 16).unwrap();
            if size == 0 {
                return (body, true);
            }
            rest = &rest[line + 2..];
            if rest.len() < size + 2 {
                return (body, false);
            }
            body.extend_from_slice(&rest[..size]);
            rest = &rest[size + 2..];
        }
    }
}

fn whole_export(server: &Server, customer: &Customer, query: &str) -> String {
    let (body, whole) = Download::start(server, customer, query).finish();
    assert!(whole, "{}", String::from_utf8_lossy(&body));
    String::from_utf8(body).unwrap()
}

#[test]
fn the_export_has_every_row_of_the_filter_and_nothing_of_anybody_else() {
    let installation = Installation::new();
    let (customer, other) = (installation.customer("scale"), installation.customer("scale"));
    let server = installation.serve();
    for number in 0..3 {
        server.enrich(&customer, &json!({"email": known_email(number)})).is_ok();
    }
    server.call(&customer, "POST", "/v1/companies", &json!({"domain": "nowhere.example"})).is_ok();
    server.enrich(&other, &json!({"email": known_email(0)})).is_ok();
    let history = server.get(&customer, "/v1/me/history").is_ok();
    let text = whole_export(&server, &customer, "");
    let lines: Vec<&str> = text.split_terminator("\r\n").collect();
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains('\n'));
    assert!(
        lines[0].starts_with("\"id\",\"at\",\"endpoint\",\"status\",\"found\",\"credits\""),
        "{}",
        lines[0]
    );
    assert_eq!(lines.len(), 5);
    for (line, row) in lines[1..].iter().zip(history["results"].as_array().unwrap()) {
        assert!(line.starts_with(&format!("{},", row["id"])), "{line}");
        let figures =
            format!(",{},200,{},{},{},", row["endpoint"], row["found"], row["credits"], row["balance_after"]);
        assert!(line.contains(&figures), "{line} lacks {figures}");
        assert!(line.ends_with(&format!(",\"graph\",{},\"default\"", row["key_id"])), "{line}");
    }
    let enriched = whole_export(&server, &customer, "?endpoint=enrich&status=200");
    assert_eq!(enriched.lines().count(), 4);
    assert_eq!(whole_export(&server, &customer, "?to=2020-01-01T00:00:00Z").lines().count(), 1);
}

#[test]
fn the_export_is_a_file_that_costs_nothing_and_has_no_pages() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let head = Download::start(&server, &customer, "").head();
    for header in [
        "content-type: text/csv; charset=utf-8",
        "content-disposition: attachment; filename=\"assay-history.csv\"",
        "x-credits-charged: 0",
        "x-credits-remaining: 100",
        "transfer-encoding: chunked",
    ] {
        assert!(head.contains(header), "{header} is not in {head}");
    }
    for (query, pointer) in [("limit=5", "/limit"), ("cursor=abc", "/cursor"), ("limit=0", "/limit")] {
        let refused = server.get(&customer, &format!("/v1/me/history/export?{query}"));
        assert_eq!(refused.is_problem(422, "validation_failed")["errors"][0]["pointer"], pointer);
    }
    let refused = server.get(&customer, "/v1/me/history/export?endpoin=enrich");
    assert_eq!(refused.is_problem(422, "validation_failed")["errors"][0]["fix"], "did you mean `endpoint`?");
    let create = ["key", "create", "--account", &customer.account, "--scopes", "lookup"];
    let key = installation.ok(&create).trim().to_owned();
    let narrow = Customer { account: customer.account, key };
    server.get(&narrow, "/v1/me/history/export").is_problem(403, "insufficient_scope");
}

#[test]
fn a_slow_reader_holds_no_connection_and_a_failure_in_the_middle_is_seen() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    fill(&installation, &customer, 100_000);
    let server = installation.serve();
    assert_eq!(whole_export(&server, &customer, "").lines().count(), 100_001);

    let slow = Download::start(&server, &customer, "");
    let busy = "select count(*) from pg_stat_activity where datname = current_database()
                and query like '%from history%' and state <> 'idle' and pid <> pg_backend_pid()";
    eventually("the export waits without a connection", || installation.ledger.psql(busy).unwrap() == "0");
    installation.ledger.psql("alter table history rename to history_moved").unwrap();
    let (body, whole) = slow.finish();
    assert!(!whole, "an export without its last rows looks whole");
    let rows = body.iter().filter(|byte| **byte == b'\n').count();
    assert!((2..100_000).contains(&rows), "{rows}");
    server.get(&customer, "/v1/me/history/export").is_problem(503, "unavailable");
}

#[test]
fn an_account_runs_two_exports_at_once_and_not_three() {
    let installation = Installation::new();
    let (customer, other) = (installation.customer("scale"), installation.customer("scale"));
    fill(&installation, &customer, 100_000);
    let server = installation.serve();
    let running = [Download::start(&server, &customer, ""), Download::start(&server, &customer, "")];
    let refused = server.get(&customer, "/v1/me/history/export");
    assert_eq!(refused.is_problem(429, "rate_limited")["retryable"], true);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(whole_export(&server, &other, "").lines().count(), 1);
    drop(running);
    let export = Request::new("GET", "/v1/me/history/export?status=404").key(&customer.key);
    eventually("a reader that left frees its place", || export.send(server.api).status == 200);
}

#[test]
fn only_the_first_page_has_totals() {
    let installation = Installation::new();
    let customer = installation.customer("scale");
    fill(&installation, &customer, 60);
    let server = installation.serve();
    let first = server.get(&customer, "/v1/me/history?limit=50").is_ok();
    assert_eq!((&first["totals"]["requests"], first["results"].as_array().unwrap().len()), (&json!(60), 50));
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = server.get(&customer, &format!("/v1/me/history?limit=50&cursor={cursor}")).is_ok();
    assert_eq!((&second["totals"], &second["next_cursor"]), (&Value::Null, &Value::Null));
    assert_eq!(second["results"].as_array().unwrap().len(), 10);
}

#[test]
fn a_trial_that_ended_has_no_credits_and_no_paid_calls_until_a_plan_is_chosen() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let shown = || installation.ok_json(&["account", "show", &customer.account]);
    assert_eq!((&shown()["balance"], &shown()["low_mark"]), (&json!(100), &json!(10)));
    server.enrich(&customer, &json!({"email": known_email(0)})).is_ok();
    installation.ok(&["account", "trial", &customer.account, "--ends", "2026-01-01T00:00:00Z"]);
    eventually("the credits end with the trial", || shown()["balance"] == 0);
    assert!(shown()["low_since"].is_string());
    let ask = Request::new("POST", "/v1/enrich").key(&customer.key).json(&json!({"email": known_email(1)}));
    eventually("the node hears of the end", || ask.send(server.api).status == 403);
    ask.send(server.api).is_problem(403, "trial_ended");

    let changed = installation.ok_json(&["account", "plan", &customer.account, "indie"]);
    assert_eq!((&changed["granted"], &changed["account"]["balance"]), (&json!(true), &json!(500)));
    eventually("the node hears of the plan", || ask.send(server.api).status == 200);
    let again = installation.ok_json(&["account", "plan", &customer.account, "pro"]);
    assert_eq!((&again["granted"], &again["account"]["balance"]), (&json!(false), &json!(499)));
    let refused = installation.run(&["account", "plan", &customer.account, "trial"]);
    assert!(!refused.status.success());
    assert!(installation.run(&["doctor"]).status.success());
}

#[test]
fn credits_below_the_mark_are_shown_as_low_until_a_top_up() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    installation.ok(&["account", "low-mark", &customer.account, "99.5"]);
    let balance = || server.get(&customer, "/v1/me").is_ok()["balance"].clone();
    assert_eq!((&balance()["low_mark"], &balance()["low_since"]), (&json!(99.5), &Value::Null));
    server.enrich(&customer, &json!({"email": known_email(0)})).is_ok();
    assert!(balance()["low_since"].is_string());
    installation.ok(&["account", "topup", &customer.account, "1", "--reference", "r"]);
    assert_eq!(balance()["low_since"], Value::Null);
}

#[test]
fn a_server_that_starts_grants_the_month_and_drops_what_is_too_old() {
    let installation = Installation::new();
    let customer = installation.customer("indie");
    let ledger = &installation.ledger;
    // As if the account had last been granted credits in another month.
    ledger.psql("update credit_lot set reason = 'plan:2020-01'").unwrap();
    ledger.psql("select make_history_partition((current_date - interval '40 months')::date)").unwrap();
    let months =
        || ledger.psql("select count(*) from pg_inherits where inhparent = 'history'::regclass").unwrap();
    assert_eq!(months(), "6");
    let _server = installation.serve();
    let shown = || installation.ok_json(&["account", "show", &customer.account]);
    eventually("the month's credits come", || shown()["balance"] == 1_000);
    eventually("the old month goes", || months() == "5");
}

#[test]
fn accounts_are_listed_page_by_page() {
    let installation = Installation::new();
    let made: Vec<String> = (0..3).map(|_| installation.customer("trial").account).collect();
    let first = installation.ok_json(&["account", "list", "--limit", "2"]);
    assert_eq!(first["next"], made[1]);
    let rest = installation.ok_json(&["account", "list", "--limit", "2", "--after", &made[1]]);
    assert_eq!((&rest["results"][0]["id"], &rest["next"]), (&json!(made[2]), &Value::Null));
    let text = installation.ok(&["account", "list"]);
    assert!(made.iter().all(|account| text.contains(account)), "{text}");
    assert!(!installation.run(&["account", "list", "--limit", "0"]).status.success());
    let nobody = "acc_0197f7a05c3a7d12a4b1c2d3e4f50617";
    for command in [&["show", nobody][..], &["plan", nobody, "pro"], &["low-mark", nobody, "5"]] {
        let refused = installation.run(&[&["account"], command].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && said.contains("there is no account"), "{said}");
    }
}
