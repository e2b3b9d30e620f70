//! The reference of a running server: its pages are there, and what the pages about errors show is what happens. Their calls
//! are run as they are shown, by a shell and curl.

use crate::support::{Customer, Installation, Request, Server, known_email};
use assay_domain::limits::{KEYS_PER_ACCOUNT_MAX, WEBHOOKS_PER_ACCOUNT_MAX};
use assay_domain::rate::WAIT_SECONDS_MAX;
use assay_service::CATALOG;
use assay_service::fault::{Code, FAULTS};
use assay_service::reference::{self, Lesson};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the lessons are about, by the scene they need.
const KEYS: &[Code] = &[
    Code::MissingApiKey,
    Code::InvalidApiKey,
    Code::ExpiredApiKey,
    Code::RevokedApiKey,
    Code::InsufficientScope,
    Code::IpNotAllowed,
    Code::KeyBoundsExceeded,
    Code::TooManyKeys,
    Code::TooManyWebhooks,
    Code::WebhookDisabled,
];
const MONEY: &[Code] = &[
    Code::InsufficientCredits,
    Code::SpendCapReached,
    Code::MaxCreditsTooLow,
    Code::PlanRequired,
    Code::TrialEnded,
];
const REQUESTS: &[Code] = &[
    Code::InvalidJson,
    Code::InvalidIdempotencyKey,
    Code::NotFound,
    Code::MethodNotAllowed,
    Code::RequestInProgress,
    Code::CursorExpired,
    Code::BodyTooLarge,
    Code::UnsupportedMediaType,
    Code::ValidationFailed,
    Code::IdempotencyKeyReused,
];
const ADDRESSES: &[Code] =
    &[Code::UpstreamError, Code::RateLimited, Code::SandboxDailyLimit, Code::TooManyFailedAttempts];
const BUSY: &[Code] = &[Code::Overloaded, Code::RequestTimeout];
const AWAY: &[Code] = &[Code::Unavailable];

/// What no client can bring about at will.
const NOT_FROM_OUTSIDE: &[(Code, &str)] = &[
    (Code::Internal, "nothing that is sent may break the server"),
    (Code::DeadlineExceeded, "takes as long as a call may"),
];

/// The person the lessons ask for, who is in no test's world.
const ADA: &str = "ada.okafor@northwind-robotics.example";

/// One answer of a script.
#[derive(Debug)]
struct Told {
    status: u16,
    retry_after: Option<u64>,
    body: String,
}

struct Stage {
    installation: Installation,
    server: Server,
}

impl Stage {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(settings: &[(&str, &str)]) -> Self {
        let installation = Installation::new();
        let server = installation.serve_with(settings);
        Self { installation, server }
    }

    /// A key of the customer's account with terms of its own.
    fn key(&self, customer: &Customer, terms: &Value) -> String {
        let made = self.server.call(customer, "POST", "/v1/keys", terms);
        assert_eq!(made.status, 201, "{}", made.text());
        made.json()["key"].as_str().unwrap().to_owned()
    }

    fn webhook(&self, customer: &Customer) -> String {
        let body = json!({"url": "https://hooks.northwind-robotics.example/"});
        let made = self.server.call(customer, "POST", "/v1/webhooks", &body).json();
        made["id"].as_str().unwrap().to_owned()
    }

    fn change_webhook(&self, customer: &Customer, id: &str, method: &str, body: &Value) {
        let request = Request::new(method, &format!("/v1/webhooks/{id}")).key(&customer.key);
        let request = if body.is_null() { request } else { request.json(body) };
        request.send(self.server.api).is_ok();
    }

    /// Runs lines for a shell as they are shown, and gives the answers in the order they came.
    fn run(&self, lines: &str, variables: &[(&str, &str)]) -> Vec<Told> {
        // What is told of each call, behind its body.
        let told = r#"curl() { command curl -S -w '\n%{http_code} %header{retry-after}\n' "$@"; }"#;
        let output = Command::new("sh")
            .args(["-euc", &format!("{told}\n{lines}")])
            .env("ASSAY_URL", format!("http://{}", self.server.api))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "is curl installed? {lines}\n{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let told = lines.chunks_exact(2).map(|pair| {
            let (status, retry_after) = pair[1].split_once(' ').unwrap();
            Told {
                status: status.parse().unwrap(),
                retry_after: retry_after.parse().ok(),
                body: pair[0].to_owned(),
            }
        });
        told.collect()
    }

    /// Does something while every call that reads the graph has to wait for a few seconds.
    fn while_the_graph_waits(&self, act: impl FnOnce()) {
        let graph = &self.installation.graph;
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| {
                graph.psql("begin; lock table identity in access exclusive mode; select pg_sleep(3); commit")
            });
            let held = "select count(*) from pg_locks where relation = 'identity'::regclass
                        and mode = 'AccessExclusiveLock' and granted";
            while graph.psql(held).unwrap() != "1" {
                std::thread::sleep(Duration::from_millis(10));
            }
            act();
            slow.join().unwrap().unwrap();
        });
    }

    /// The failing calls meet the fault exactly as the page shows it, and its type is a page of this server.
    fn fails(&self, lesson: &Lesson, lines: &str, variables: &[(&str, &str)]) -> Told {
        let row = lesson.code.row();
        let told = self.run(lines, variables);
        let met = told.into_iter().rev().find(|told| told.status == row.status);
        let met = met.unwrap_or_else(|| panic!("{} was not met by\n{lines}", row.name));
        let mut problem: Value = serde_json::from_str(&met.body).unwrap();
        let mut shown: Value = serde_json::from_str(&reference::problem_document(&(lesson.fault)())).unwrap();
        for document in [&mut problem, &mut shown] {
            document.as_object_mut().unwrap().remove("request_id").unwrap();
        }
        // Whose account it is, no page can know.
        if lesson.code.tells_balance() {
            problem["cost"].as_object_mut().unwrap().remove("balance_remaining");
        }
        assert_eq!(problem, shown, "the page shows another answer than {}", met.body);
        let page = Request::new("GET", problem["type"].as_str().unwrap()).send(self.server.api);
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.text().contains(row.name));
        met
    }

    fn works(&self, lesson: &Lesson, lines: &str, variables: &[(&str, &str)]) {
        let told = self.run(lines, variables);
        let last = told.last().unwrap();
        assert!((200..300).contains(&last.status), "{}: {last:?} to\n{lines}", lesson.code.name());
    }

    /// Both calls of a lesson, with what has to happen in between.
    fn teach(&self, code: Code, variables: &[(&str, &str)], between: impl FnOnce(&Told)) {
        let lesson = reference::lesson(code).unwrap();
        let met = self.fails(lesson, &lesson.failing.shell(), variables);
        between(&met);
        self.works(lesson, &lesson.corrected.shell(), variables);
    }
}

fn wait(told: &Told) {
    std::thread::sleep(Duration::from_secs(told.retry_after.expect("a Retry-After header")));
}

#[test]
fn every_fault_is_taught_by_running_it_or_said_to_be_out_of_reach() {
    let played = [KEYS, MONEY, REQUESTS, ADDRESSES, BUSY, AWAY].into_iter().flatten();
    let known: Vec<Code> = played.copied().chain(NOT_FROM_OUTSIDE.iter().map(|(code, _)| *code)).collect();
    for row in FAULTS {
        let count = known.iter().filter(|code| **code == row.code).count();
        assert_eq!(count, 1, "{} belongs into one of the lists of this file", row.name);
    }
    assert_eq!(known.len(), FAULTS.len());
}

#[test]
fn every_page_is_there_without_a_key_and_while_the_databases_are_away() {
    let stage = Stage::new();
    let customer = stage.installation.customer("trial");
    for database in [&stage.installation.ledger, &stage.installation.graph] {
        let name = database.name();
        let server = database.url().replace(name, "postgres");
        let gone = format!(
            "alter database {name} with allow_connections false;
             select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
        );
        let psql = Command::new("psql").args([&server, "-qc", &gone]).output().unwrap();
        assert!(psql.status.success(), "{psql:?}");
    }
    for &code in AWAY {
        let lesson = reference::lesson(code).unwrap();
        stage.fails(lesson, &lesson.failing.shell(), &[("ASSAY_KEY", &customer.key)]);
    }
    let mut paths = reference::paths();
    paths.extend(["/docs", "/docs/assets/reference.css"].map(str::to_owned));
    assert!(paths.len() > FAULTS.len() + CATALOG.len());
    for path in paths {
        let page = Request::new("GET", &path).send(stage.server.api);
        assert_eq!((page.status, page.body.is_empty()), (200, false), "{path}");
        assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        assert_eq!(page.header("cache-control"), Some("no-cache"));
        let head = Request::new("HEAD", &path).header("if-none-match", page.header("etag").unwrap());
        assert_eq!(head.send(stage.server.api).status, 304, "{path}");
    }
    let lost = Request::new("GET", "/docs/errors/no_such_code").send(stage.server.api);
    lost.is_problem(404, "not_found");
    Request::new("POST", "/docs").send(stage.server.api).is_problem(405, "method_not_allowed");
    assert_eq!(Request::new("GET", "/").send(stage.server.api).header("location"), Some("/docs"));
}

#[test]
fn lessons_about_keys_are_true() {
    let stage = Stage::new();
    for &code in KEYS {
        let customer = stage.installation.customer("scale");
        let key = |terms: &Value| stage.key(&customer, terms);
        let revoke = |key: &str| {
            let id = format!("key_{}", key.split('_').nth(2).unwrap());
            stage.installation.ok(&["key", "revoke", &id]);
        };
        let (name, special) = match code {
            Code::ExpiredApiKey => {
                let key = key(&json!({"name": "old", "expires_in_days": 1}));
                let id = key.split('_').nth(2).unwrap();
                let expire =
                    format!("update api_key set expires_at = now() - interval '1 hour' where id = '{id}'");
                stage.installation.ledger.psql(&expire).unwrap();
                ("EXPIRED_KEY", key)
            }
            Code::RevokedApiKey => {
                let key = key(&json!({"name": "gone"}));
                revoke(&key);
                ("REVOKED_KEY", key)
            }
            Code::InsufficientScope => ("HISTORY_KEY", key(&json!({"name": "h", "scopes": ["history"]}))),
            Code::IpNotAllowed => ("OFFICE_KEY", key(&json!({"name": "o", "ip_allow": ["192.0.2.0/24"]}))),
            Code::KeyBoundsExceeded => ("CAPPED_KEY", key(&json!({"name": "c", "monthly_cap": 5}))),
            Code::TooManyKeys => {
                // The customer's own key is one of them.
                let keys: Vec<String> =
                    (1..KEYS_PER_ACCOUNT_MAX).map(|_| key(&json!({"name": "k"}))).collect();
                ("UNUSED_KEY", keys[0].clone())
            }
            Code::TooManyWebhooks => {
                let hooks: Vec<String> =
                    (0..WEBHOOKS_PER_ACCOUNT_MAX).map(|_| stage.webhook(&customer)).collect();
                ("UNUSED_WEBHOOK", hooks[0].clone())
            }
            Code::WebhookDisabled => {
                let id = stage.webhook(&customer);
                stage.change_webhook(&customer, &id, "PATCH", &json!({"enabled": false}));
                ("WEBHOOK_ID", id)
            }
            _ => ("NO_KEY", String::new()),
        };
        let variables = [("ASSAY_KEY", &*customer.key), (name, &*special)];
        stage.teach(code, &variables, |_| match code {
            Code::TooManyKeys => revoke(&special),
            Code::TooManyWebhooks => stage.change_webhook(&customer, &special, "DELETE", &json!(null)),
            Code::WebhookDisabled => {
                stage.change_webhook(&customer, &special, "PATCH", &json!({"enabled": true}));
            }
            _ => {}
        });
    }
}

#[test]
fn lessons_about_money_are_true() {
    let stage = Stage::new();
    let Stage { installation, server } = &stage;
    let email = known_email(0);
    for &code in MONEY {
        let plan =
            if matches!(code, Code::SpendCapReached | Code::MaxCreditsTooLow) { "scale" } else { "trial" };
        if code == Code::InsufficientCredits {
            installation.ledger.psql("update plan set credits = 500 where name = 'trial'").unwrap();
        }
        let customer = installation.customer(plan);
        let mut capped = String::new();
        match code {
            Code::SpendCapReached => {
                capped = stage.key(&customer, &json!({"name": "capped", "monthly_cap": 1}));
                let key = Customer { account: customer.account.clone(), key: capped.clone() };
                server.enrich(&key, &json!({"email": known_email(1)})).is_ok();
            }
            Code::TrialEnded => {
                let ended = "2020-01-01T00:00:00Z";
                installation.ok(&["account", "trial", &customer.account, "--ends", ended]);
            }
            _ => {}
        }
        let scale =
            if code == Code::PlanRequired { installation.customer("scale").key } else { String::new() };
        let variables = [("ASSAY_KEY", &*customer.key), ("CAPPED_KEY", &*capped), ("SCALE_KEY", &*scale)];
        let lesson = reference::lesson(code).unwrap();
        // Whether a call is charged depends on somebody being found.
        stage.fails(lesson, &lesson.failing.shell().replace(ADA, &email), &variables);
        match code {
            Code::InsufficientCredits => {
                drop(installation.ok(&["account", "topup", &customer.account, "1", "--reference", "lesson"]));
            }
            Code::TrialEnded => {
                installation.ok(&["account", "plan", &customer.account, "starter"]);
                // Until every node has seen that keys changed.
                std::thread::sleep(Duration::from_secs(4));
            }
            _ => {}
        }
        stage.works(lesson, &lesson.corrected.shell().replace(ADA, &email), &variables);
    }
}

#[test]
fn lessons_about_requests_are_true() {
    let stage = Stage::new();
    for &code in REQUESTS {
        let customer = stage.installation.customer("scale");
        let variables = [("ASSAY_KEY", &*customer.key)];
        if code != Code::RequestInProgress {
            stage.teach(code, &variables, |_| {});
            continue;
        }
        // The first of the two calls runs as long as nobody may read the graph.
        stage.while_the_graph_waits(|| stage.teach(code, &variables, wait));
    }
}

#[test]
fn lessons_about_a_busy_server_are_true() {
    let stage = Stage::with(&[("ASSAY_CALLS_ACTIVE_MAX", "1")]);
    for &code in BUSY {
        let customer = stage.installation.customer("scale");
        let variables = [("ASSAY_KEY", &*customer.key)];
        let lesson = reference::lesson(code).unwrap();
        if code != Code::Overloaded {
            stage.teach(code, &variables, |_| {});
            continue;
        }
        std::thread::scope(|scope| {
            stage.while_the_graph_waits(|| {
                let waiting =
                    scope.spawn(|| stage.server.enrich(&customer, &json!({"email": known_email(0)})));
                // Long enough for the one call that may run to be running.
                std::thread::sleep(Duration::from_millis(500));
                stage.fails(lesson, &lesson.failing.shell(), &variables);
                waiting.join().unwrap().is_ok();
            });
        });
        stage.works(lesson, &lesson.corrected.shell(), &variables);
    }
}

#[test]
fn lessons_about_addresses_and_rates_are_true() {
    let stage = Stage::new();
    for &code in ADDRESSES {
        let customer = stage.installation.customer("trial");
        let lesson = reference::lesson(code).unwrap();
        let met = stage.fails(lesson, &lesson.failing.shell(), &[("ASSAY_KEY", &*customer.key)]);
        assert!(met.retry_after.is_some() || code == Code::UpstreamError);
        let mut key = customer.key;
        match code {
            Code::TooManyFailedAttempts => wait(&met),
            // A minute is long: an account that has not sent too much stands for the same one a minute later.
            Code::RateLimited => {
                assert!((1..=u64::from(WAIT_SECONDS_MAX)).contains(&met.retry_after.unwrap()));
                key = stage.installation.customer("trial").key;
            }
            _ => {}
        }
        stage.works(lesson, &lesson.corrected.shell(), &[("ASSAY_KEY", &*key)]);
    }
}
