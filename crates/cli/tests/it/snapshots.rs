//! Snapshots in a bucket, as an operator sets them up: one that is not there keeps no node from starting, and is told of.

use crate::support::Installation;
use assay_testkit::free_port;
use serde_json::Value;

const SECRET: &str = "canary-of-a-secret";

#[test]
fn a_node_starts_without_its_bucket_and_the_log_and_the_doctor_tell() {
    let installation = Installation::new();
    let nobody = format!("http://127.0.0.1:{}", free_port().unwrap());
    let variables = [
        ("ASSAY_INDEX_SNAPSHOTS", "s3://shelf/assay"),
        ("AWS_ENDPOINT_URL", nobody.as_str()),
        ("AWS_ACCESS_KEY_ID", "somebody"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    let server = installation.serve_with(&variables);
    let log = server.process.log();
    assert!(log.contains("no snapshot of the index can be used"), "{log}");
    assert!(log.contains("Connection refused") && !log.contains(SECRET), "{log}");

    let output = installation.run_with(&["doctor", "--json"], &variables);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    let check =
        said["checks"].as_array().unwrap().iter().find(|check| check["check"] == "snapshots").unwrap();
    assert_eq!(check["state"], "warning", "{check}");
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.contains("s3://shelf/assay") && detail.contains("Connection refused"), "{detail}");
    assert!(!said.to_string().contains(SECRET), "{said}");

    let shown = installation.run_with(&["config", "show"], &variables);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("s3://shelf/assay") && !shown.contains(SECRET), "{shown}");
}

#[test]
fn a_bucket_is_not_asked_in_the_clear_unless_that_is_allowed() {
    let installation = Installation::new();
    let variables = [("ASSAY_INDEX_SNAPSHOTS", "s3://shelf/assay"), ("AWS_ENDPOINT_URL", "http://192.0.2.1")];
    for command in ["doctor", "serve"] {
        let output = installation.run_with(&[command], &variables);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("AWS_ALLOW_HTTP"), "{said}");
    }
}
