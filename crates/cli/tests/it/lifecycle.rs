//! How the program starts, tells its state, and stops.

use crate::support::{Installation, Request, known_email};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn a_signal_lets_the_running_call_finish_and_takes_no_new_one() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let mut server = installation.serve();
    server.get(&customer, "/v1/me").is_ok();
    let (ledger, api) = (&installation.ledger, server.api);
    std::thread::scope(|scope| {
        // The charge waits for this lock, so the call is certainly running when the signal comes.
        scope.spawn(|| ledger.psql("begin; lock table balance; select pg_sleep(3); commit").unwrap());
        std::thread::sleep(Duration::from_millis(700));
        let body = json!({"email": known_email(0)});
        let call =
            scope.spawn(move || Request::new("POST", "/v1/enrich").key(&customer.key).json(&body).send(api));
        std::thread::sleep(Duration::from_millis(700));
        let status = server.process.terminate(Duration::from_secs(20)).unwrap();
        assert!(status.success(), "{}", server.process.log());
        let answer = call.join().unwrap().is_ok();
        assert_eq!(answer["cost"], json!({"credits": 1, "balance_remaining": 99}));
    });
    assert!(TcpStream::connect(api).is_err());
}

#[test]
fn a_node_that_is_told_to_stop_says_so_and_goes_on_for_a_moment() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let mut server = installation.serve_with(&[("ASSAY_SERVER_STOP_NOTICE_SECONDS", "2")]);
    let (api, operations, process) = (server.api, server.operations, &mut server.process);
    std::thread::scope(|scope| {
        let stopped = scope.spawn(|| process.terminate(Duration::from_secs(20)).unwrap());
        std::thread::sleep(Duration::from_millis(700));
        assert_eq!(Request::new("GET", "/readyz").send(operations).status, 503);
        let answer = Request::new("GET", "/v1/me").key(&customer.key).send(api);
        answer.is_ok();
        assert!(stopped.join().unwrap().success());
    });
    assert!(TcpStream::connect(api).is_err());
}

#[test]
fn one_connection_carries_many_calls() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let mut stream = TcpStream::connect(server.api).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let request = format!("GET /v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n", customer.key);
    // Two at once, then a third: pipelined and kept alive.
    stream.write_all(format!("{request}{request}").as_bytes()).unwrap();
    let mut text = String::new();
    let mut read_until = |stream: &mut TcpStream, count: usize| {
        while text.matches("\"cost\":").count() < count {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).unwrap();
            assert!(length > 0, "the connection was closed: {text}");
            text.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
        }
    };
    read_until(&mut stream, 2);
    stream.write_all(request.as_bytes()).unwrap();
    read_until(&mut stream, 3);
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3);
}

#[test]
fn the_operations_port_tells_state_and_counts_and_the_api_port_does_not() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    server.enrich(&customer, &json!({"email": known_email(0)})).is_ok();
    let ask = |path: &str| Request::new("GET", path).send(server.operations);
    assert_eq!(ask("/livez").status, 200);
    let ready = ask("/readyz").is_ok();
    for check in ["ledger", "graph", "serving"] {
        assert_eq!(ready["checks"][check]["ok"], true, "{ready}");
    }
    let metrics = ask("/metrics").text();
    assert!(metrics.contains("assay_http_requests_total{endpoint=\"enrich\",status=\"2xx\"} 1"), "{metrics}");
    assert!(metrics.contains("assay_credits_charged_total{endpoint=\"enrich\"} 1000"));
    assert!(metrics.contains("assay_http_request_seconds_bucket{endpoint=\"enrich\",le=\"60\"} 1"));
    for hidden in ["/metrics", "/readyz", "/livez"] {
        Request::new("GET", hidden).send(server.api).is_problem(404, "not_found");
    }
}

#[test]
fn logs_carry_no_personal_data() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let server = installation.serve();
    let email = known_email(0);
    server.enrich(&customer, &json!({"email": email})).is_ok();
    server
        .enrich(&customer, &json!({"email": email, "surprise": email}))
        .is_problem(422, "validation_failed");
    let log = server.process.log();
    assert!(log.contains("assay is up"), "{log}");
    let secret = customer.key.rsplit('_').next().unwrap();
    assert!(!log.contains(&email) && !log.contains(secret), "{log}");
}

#[test]
fn a_server_without_its_schema_refuses_to_start_and_says_why() {
    let installation = Installation::new();
    installation.ledger.psql("delete from _sqlx_migrations").unwrap();
    let output = installation.run(&["serve"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("ledger database has schema none") && text.contains("assay migrate"), "{text}");
}

#[test]
fn another_master_key_is_refused() {
    let installation = Installation::new();
    installation.customer("trial");
    installation.graph.psql("update graph_meta set key_fingerprint = 'other'").unwrap();
    let output = installation.run(&["serve"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("master key"));
}
