//! The commands as an operator types them.

use crate::support::{Installation, Request, known_email};
use assay_service::reference;
use serde_json::{Value, json};
use std::time::Duration;

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_account_and_a_key_are_all_a_call_needs_and_a_revoked_key_stops_within_seconds() {
    let installation = Installation::new();
    let account = installation.ok_json(&["account", "create", "--name", "Acme", "--plan", "trial"]);
    assert_eq!(account["balance"], 100);
    let id = account["id"].as_str().unwrap();
    let key =
        installation.ok_json(&["key", "create", "--account", id, "--name", "crm", "--expires-in-days", "30"]);
    let server = installation.serve();
    let call = || {
        let body = json!({"email": known_email(0)});
        Request::new("POST", "/v1/enrich").key(key["key"].as_str().unwrap()).json(&body).send(server.api)
    };
    call().is_ok();
    let listed = installation.ok_json(&["key", "list", "--account", id]);
    assert_eq!(listed["results"][0]["id"], key["id"]);
    assert_eq!(listed["results"][0]["state"], "active");
    let secret = key["key"].as_str().unwrap().rsplit('_').next().unwrap();
    assert!(!listed.to_string().contains(secret));

    installation.ok(&["key", "revoke", key["id"].as_str().unwrap()]);
    std::thread::sleep(Duration::from_secs(4));
    let refused = call();
    refused.is_problem(401, "revoked_api_key");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer realm=\"assay\", error=\"invalid_token\""));
    let again = installation.run(&["key", "revoke", key["id"].as_str().unwrap()]);
    assert!(!again.status.success() && stderr(&again).contains("no active key"));
}

#[test]
fn mistakes_are_told_in_one_sentence_with_a_fix() {
    let installation = Installation::new();
    let nobody = "acc_0197f7a05c3a7d12a4b1c2d3e4f50617";
    for (arguments, what, fix) in [
        (&["key", "create", "--account", nobody][..], "there is no account", "check the id"),
        (&["account", "topup", nobody, "5", "--reference", "r"], "there is no account", "check the id"),
        (&["account", "topup", nobody, "0", "--reference", "r"], "cannot be added", "above zero"),
        (&["openapi", "--check", "/no/such/file"], "cannot be read", "assay openapi >"),
    ] {
        let output = installation.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(what) && text.contains(fix), "{text}");
        assert!(output.stdout.is_empty());
    }
    let account = installation.customer("trial").account;
    let mistyped = installation.run(&["key", "create", "--account", &account, "--scopes", "lokup"]);
    assert!(stderr(&mistyped).contains("did you mean lookup?"));
}

#[test]
fn the_price_list_and_the_api_document_come_from_the_catalog() {
    let installation = Installation::new();
    let prices = installation.ok_json(&["prices"]);
    let enrich = prices["results"].as_array().unwrap().iter().find(|row| row["name"] == "enrich").unwrap();
    assert_eq!((&enrich["credits"], &enrich["model"]), (&json!(1), &json!("flat")));
    assert!(installation.ok(&["prices"]).contains("POST /v1/enrich"));
    let document = installation.ok(&["openapi"]);
    assert_eq!(serde_json::from_str::<Value>(&document).unwrap(), assay_service::openapi::document());
    let file = std::env::temp_dir().join(format!("assay-openapi-{}.json", installation.ledger.name()));
    let check = ["openapi", "--check", file.to_str().unwrap()];
    std::fs::write(&file, &document).unwrap();
    installation.ok(&check);
    std::fs::write(&file, document.replace("/v1/enrich", "/v1/other")).unwrap();
    let stale = installation.run(&check);
    assert_eq!(stale.status.code(), Some(1));
    assert!(stderr(&stale).contains("assay openapi >"), "{}", stderr(&stale));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn settings_are_shown_with_their_origin_and_without_secrets() {
    let installation = Installation::new();
    let shown = installation.ok_json(&["config", "show"]);
    assert_eq!(shown["values"]["secrets.master_key"], json!({"value": "***", "from": "file"}));
    assert_eq!(shown["values"]["server.listen"]["from"], "default");
    assert_eq!(installation.ok_json(&["config", "check"])["ok"], true);
}

#[test]
fn loading_the_world_again_changes_nothing() {
    let installation = Installation::new();
    let loaded = installation.ok_json(&["world", "load", "--people", "500"]);
    assert_eq!(
        (&loaded["people"], &loaded["companies"], &loaded["unchanged"]),
        (&json!(0), &json!(0), &json!(520))
    );
    assert_eq!(loaded["samples"].as_array().unwrap().len(), 3);
    let customer = installation.customer("scale");
    let server = installation.serve();
    for sample in loaded["samples"].as_array().unwrap() {
        assert_eq!(server.enrich(&customer, sample).is_ok()["found"], true, "{sample}");
    }
    let text = installation.ok(&["world", "load", "--people", "500"]);
    assert_eq!(text.matches("curl -s http://").count(), 3);
}

#[test]
fn the_doctor_finds_a_healthy_installation_healthy_and_a_broken_ledger_broken() {
    let installation = Installation::new();
    let customer = installation.customer("trial");
    let healthy = installation.ok_json(&["doctor"]);
    assert_eq!(healthy["ok"], true, "{healthy:#}");
    let broken = "update balance set available = available + 1 where available > 0";
    installation.ledger.psql(broken).unwrap();
    let output = installation.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("✗ audit: I2"), "{text}");
    drop(customer);
}

#[test]
fn the_command_writes_the_pages_and_says_which_of_them_is_stale() {
    let folder = std::env::temp_dir().join(format!("assay-reference-{}", std::process::id()));
    let run = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_assay");
        std::process::Command::new(program)
            .arg("reference")
            .args(arguments)
            .arg("--dir")
            .arg(&folder)
            .output()
            .unwrap()
    };
    assert_eq!(run(&["--check"]).status.code(), Some(1));
    assert!(run(&["--write"]).status.success() && run(&["--check"]).status.success());
    for file in reference::files() {
        assert_eq!(std::fs::read_to_string(folder.join(&file.name)).unwrap(), file.text);
    }
    std::fs::write(folder.join("enrich.md"), "old").unwrap();
    std::fs::write(folder.join("abolished.md"), "old").unwrap();
    let stale = run(&["--check"]);
    let said = String::from_utf8_lossy(&stale.stderr).into_owned();
    assert_eq!(stale.status.code(), Some(1));
    assert_eq!(said.matches("error:").count(), 2, "{said}");
    assert!(said.contains("enrich.md is not what this program would write"), "{said}");
    assert!(said.contains("abolished.md is the page of nothing any more"), "{said}");
    assert_eq!(run(&[]).status.code(), Some(2));
    std::fs::remove_dir_all(folder).unwrap();
}
