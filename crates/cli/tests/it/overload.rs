//! The server under more than it can do, and with clients that take their time.

use crate::support::{Customer, Installation, Request, Server, known_email};
use assay_domain::limits::CALLS_WAITING_PER_ACTIVE;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const ONE_PLACE: (&str, &str) = ("ASSAY_CALLS_ACTIVE_MAX", "1");

fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

fn elapsed(work: impl FnOnce()) -> Duration {
    #[expect(clippy::disallowed_methods, reason = "a test may look at the real clock")]
    let began = Instant::now();
    work();
    began.elapsed()
}

/// A call as bytes, for a connection that is kept.
fn enrich_bytes(customer: &Customer, email: &str) -> Vec<u8> {
    let body = json!({"email": email}).to_string();
    let length = body.len();
    let key = &customer.key;
    format!("POST /v1/enrich HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// One answer of a kept connection, whole.
fn read_answer(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        let mut buffer = [0; 8192];
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the connection was closed: {text}");
        text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() >= length.parse().unwrap() {
            return text;
        }
    }
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.api).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

/// Runs `test` while a paid call waits for the ledger, and so holds its place.
fn while_a_call_runs(installation: &Installation, server: &Server, customer: &Customer, test: impl FnOnce()) {
    server.get(customer, "/v1/me").is_ok();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            installation.ledger.psql("begin; lock table balance; select pg_sleep(6); commit").unwrap();
        });
        pause(700);
        let running = scope.spawn(|| server.enrich(customer, &json!({"email": known_email(0)})));
        pause(700);
        test();
        running.join().unwrap().is_ok();
    });
}

/// As many calls as may wait for the one place.
fn fill_the_door(server: &Server, customer: &Customer) -> Vec<TcpStream> {
    let waiting: Vec<TcpStream> = (0..CALLS_WAITING_PER_ACTIVE)
        .map(|_| {
            let mut call = connect(server);
            call.write_all(&enrich_bytes(customer, &known_email(1))).unwrap();
            call
        })
        .collect();
    pause(300);
    waiting
}

#[test]
fn beyond_the_limit_a_call_is_refused_at_once_and_everything_else_goes_on() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve_with(&[ONE_PLACE]);
    let mut kept = connect(&server);
    while_a_call_runs(&installation, &server, &customer, || {
        let waiting = fill_the_door(&server, &customer);
        let took = elapsed(|| {
            let refusal = server.enrich(&customer, &json!({"email": known_email(1)}));
            let problem = refusal.is_problem(503, "overloaded");
            assert_eq!(problem["retryable"], true);
            assert_eq!(refusal.header("retry-after"), Some("1"));
            assert_eq!(refusal.header("cache-control"), Some("no-store"));
        });
        assert!(took < Duration::from_secs(1), "{took:?}");
        kept.write_all(&enrich_bytes(&customer, &known_email(1))).unwrap();
        assert!(read_answer(&mut kept).starts_with("HTTP/1.1 503"));
        for (address, path) in [(server.operations, "/livez"), (server.api, "/openapi.json")] {
            assert_eq!(Request::new("GET", path).send(address).status, 200, "{path}");
        }
        // Nothing moved for those at the door either: they are told so, long before the call that holds the place ends.
        for mut call in waiting {
            assert!(read_answer(&mut call).starts_with("HTTP/1.1 503"));
        }
        let shed = format!("assay_calls_shed_total {}\n", 2 + CALLS_WAITING_PER_ACTIVE);
        let metrics = Request::new("GET", "/metrics").send(server.operations).text();
        assert!(metrics.contains(&shed), "{metrics}");
    });
    // The connection that was refused is still good, and the refused calls cost nothing.
    kept.write_all(&enrich_bytes(&customer, &known_email(1))).unwrap();
    let answer = read_answer(&mut kept);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"balance_remaining\":98"), "{answer}");
}

#[test]
fn a_body_that_trickles_in_and_a_slow_outcome_of_the_sandbox_keep_no_place() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve_with(&[ONE_PLACE]);
    let mut slow = connect(&server);
    let call = enrich_bytes(&customer, &known_email(0));
    let (first, last) = call.split_at(call.len() - 5);
    slow.write_all(first).unwrap();
    pause(200);
    server.get(&customer, "/v1/me").is_ok();
    slow.write_all(last).unwrap();
    assert!(read_answer(&mut slow).starts_with("HTTP/1.1 200"));
    std::thread::scope(|scope| {
        let sleeping = scope.spawn(|| {
            let request = Request::new("POST", "/v1/sandbox/enrich").header("sandbox-outcome", "slow");
            request.json(&json!({"email": "ada@example.com"})).send(server.api).is_ok()
        });
        // A busy machine may take its time until the call sleeps; while it does, there is a place.
        let found = (0..20).any(|_| {
            pause(100);
            server.get(&customer, "/v1/me").status == 200 && !sleeping.is_finished()
        });
        assert!(found);
        sleeping.join().unwrap();
    });
}

#[test]
fn a_body_that_does_not_come_is_answered_408_and_a_slow_head_is_cut_off() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let mut body = connect(&server);
    let call = enrich_bytes(&customer, &known_email(0));
    body.write_all(&call[..call.len() - 5]).unwrap();
    let mut head = connect(&server);
    head.write_all(&call[..20]).unwrap();
    let took = elapsed(|| {
        let answer = read_answer(&mut body);
        assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("\"request_timeout\""), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert_eq!(body.read(&mut [0; 1]).unwrap(), 0);
        assert_eq!(head.read(&mut [0; 1]).unwrap(), 0);
    });
    assert!(took > Duration::from_secs(9) && took < Duration::from_secs(15), "{took:?}");
    assert_eq!(server.get(&customer, "/v1/me").is_ok()["balance"]["available"], json!(100));
}

#[test]
fn a_call_over_its_deadline_asks_the_database_nothing_more() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve_with(&[("ASSAY_CALLS_DEADLINE_SECONDS", "1")]);
    // The lane's connection is open from here on: a read over it that fails is tried again once.
    server.enrich(&customer, &json!({"email": known_email(3)})).is_ok();
    std::thread::scope(|scope| {
        scope.spawn(|| installation.graph.psql("begin; lock table identity; select pg_sleep(5); commit"));
        let locked = "select count(*) from pg_locks where relation = 'identity'::regclass
                      and mode = 'AccessExclusiveLock' and granted";
        while installation.graph.psql(locked).unwrap().trim() != "1" {
            pause(20);
        }
        // The first is at the database, the second waits behind it; neither is waited for longer than a second.
        let first = scope.spawn(|| server.enrich(&customer, &json!({"email": known_email(0)})));
        pause(300);
        let second = scope.spawn(|| server.enrich(&customer, &json!({"email": known_email(1)})));
        for call in [first, second] {
            call.join().unwrap().is_problem(504, "deadline_exceeded");
        }
    });
    let found = server.enrich(&customer, &json!({"email": known_email(2)})).is_ok();
    assert_eq!(found["cost"], json!({"credits": 1, "balance_remaining": 98}));
    let metrics = Request::new("GET", "/metrics").send(server.operations).text();
    assert!(metrics.contains("assay_lane_questions_dropped_total{lane=\"people_by_digest\"} 1"), "{metrics}");
}

#[test]
fn a_flood_of_connections_that_ask_nothing_keeps_nobody_out() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve_with(&[("ASSAY_SERVER_CONNECTIONS_MAX", "20")]);
    let flood: Vec<TcpStream> = (0..20).map(|_| connect(&server)).collect();
    pause(1_200);
    for _ in 0..30 {
        server.get(&customer, "/v1/me").is_ok();
    }
    let gone = |mut stream: &TcpStream| {
        stream.set_nonblocking(true).unwrap();
        matches!(stream.read(&mut [0; 1]), Ok(0))
    };
    let closed = flood.iter().filter(|stream| gone(stream)).count();
    assert!((1..=5).contains(&closed), "{closed} were closed to make room");
}
