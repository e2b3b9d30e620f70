//! What an operator may count on: unknown keys are refused, the environment wins, secrets stay secret.

use super::key::Kind;
use super::keys::keys;
use super::layers::{Given, Origin};
use super::*;
use std::path::PathBuf;

const MASTER_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("assay-config-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn refusal(name: &str, text: &str, pairs: &[(&str, &str)]) -> String {
    load(Some(&file(name, text)), variables(pairs)).unwrap_err().to_string()
}

fn value<'a>(effective: &'a Effective, path: &str) -> &'a Given {
    effective.values.iter().find(|given| given.key.path() == path).unwrap()
}

#[test]
fn the_example_file_is_what_the_table_of_keys_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assay.example.toml");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        stored,
        example(),
        "refresh it: cargo run -p assay-cli -- config example > assay.example.toml"
    );
}

#[test]
fn the_example_file_with_every_line_in_force_changes_no_default() {
    let secret = file("secret", MASTER_KEY);
    let text: String = example()
        .lines()
        .map(|line| match line.strip_prefix("# ").filter(|line| line.contains(" = ")) {
            Some(assignment) => format!("{assignment}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    let text = text.replace("/run/secrets/assay_master_key", secret.to_str().unwrap());
    let effective = load(Some(&file("whole", &text)), []).unwrap();
    for given in &effective.values {
        assert_eq!(given.origin, Origin::File, "{}", given.key.path());
        if given.key.kind != Kind::Secret {
            assert_eq!(given.text, (given.key.default)(), "{}", given.key.path());
        }
    }
    assert!(effective.config.master_key.is_some());
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_name() {
    for (name, text, meant) in [
        ("key", "[server]\nlisten_on = \"127.0.0.1:1\"", "listen?"),
        ("section", "[sever]\nlisten = \"127.0.0.1:1\"", "server?"),
        ("number", "[ledger]\nconnection_max = 4", "connections_max?"),
    ] {
        let refusal = refusal(name, text, &[]);
        assert!(refusal.contains("is not known") && refusal.contains(meant), "{refusal}");
    }
    let refusal = refusal("env", "", &[("ASSAY_LEDGER_ULR", "postgres://x/y")]);
    assert!(
        refusal.contains("ASSAY_LEDGER_ULR is not known") && refusal.contains("ASSAY_LEDGER_URL?"),
        "{refusal}"
    );
}

#[test]
fn every_mistake_is_told_at_once() {
    let text = "[server]\nlisten = 8080\n[billing]\nholds = \"never\"\n[log]\nlevel = true";
    let refusal = refusal("many", text, &[("ASSAY_GRAPH_CONNECTIONS_MAX", "many")]);
    for path in ["server.listen", "billing.holds", "log.level", "graph.connections_max"] {
        assert!(refusal.contains(path), "{path}: {refusal}");
    }
    assert_eq!(refusal.matches("fix: ").count(), 4);
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_defaults() {
    let path = file("wins", "[server]\nlisten = \"127.0.0.1:1111\"\n[calls]\ndeadline_seconds = 7");
    let pairs =
        variables(&[("ASSAY_SERVER_LISTEN", "127.0.0.1:2222"), ("ASSAY_TEST_POSTGRES", "x"), ("PATH", "y")]);
    let effective = load(Some(&path), pairs).unwrap();
    assert_eq!(effective.config.listen.port(), 2222);
    assert_eq!(effective.config.deadline.as_secs(), 7);
    assert_eq!(value(&effective, "server.listen").origin, Origin::Environment("ASSAY_SERVER_LISTEN".into()));
    assert_eq!(value(&effective, "calls.deadline_seconds").origin, Origin::File);
    assert_eq!(value(&effective, "log.level").origin, Origin::Default);
}

#[test]
fn every_key_is_set_by_its_variable() {
    for key in keys().filter(|key| key.kind != Kind::Secret) {
        let effective = load(Some(&file("twin", "")), [(key.variable(), (key.default)())]).unwrap();
        assert_eq!(value(&effective, &key.path()).origin, Origin::Environment(key.variable()));
    }
}

#[test]
fn secrets_are_masked_and_may_live_in_files() {
    let secret = file("key", &format!("{MASTER_KEY}\n"));
    let pairs = [
        ("ASSAY_LEDGER_URL", "postgres://me:hunter2@db:5432/ledger?sslmode=require"),
        ("ASSAY_GRAPH_URL", "postgres://db/graph?user=me&password=hunter2&sslmode=require"),
        ("ASSAY_SECRETS_MASTER_KEY", &format!("file:{}", secret.display())),
    ];
    let effective = load(Some(&file("masked", "")), variables(&pairs)).unwrap();
    assert_eq!(value(&effective, "ledger.url").masked(), "postgres://me:***@db:5432/ledger?sslmode=require");
    assert_eq!(
        value(&effective, "graph.url").masked(),
        "postgres://db/graph?user=me&password=***&sslmode=require"
    );
    assert!(effective.config.master_key.is_some());
    let direct =
        load(Some(&file("masked", "")), variables(&[("ASSAY_SECRETS_MASTER_KEY", MASTER_KEY)])).unwrap();
    assert_eq!(value(&direct, "secrets.master_key").masked(), "***");
    let broken = refusal("broken", "", &[("ASSAY_SECRETS_MASTER_KEY", "hunter2")]);
    assert!(!broken.contains("hunter2"), "{broken}");
}

#[test]
fn snapshots_are_kept_in_a_folder_or_in_a_bucket() {
    let place = |text: &str| {
        let loaded = load(Some(&file("place", "")), variables(&[("ASSAY_INDEX_SNAPSHOTS", text)]));
        loaded.map(|effective| effective.config.index_snapshots).map_err(|failure| failure.to_string())
    };
    assert_eq!(place("").unwrap(), None);
    assert_eq!(place("/mnt/shared").unwrap(), Some(SnapshotsPlace::Folder(PathBuf::from("/mnt/shared"))));
    assert!(matches!(place("s3://shelf/assay").unwrap(), Some(SnapshotsPlace::Bucket(_))));
    for text in ["gs://shelf/assay", "https://shelf.example.com", "s3://key:hunter2@shelf/assay"] {
        let refusal = place(text).unwrap_err();
        assert!(refusal.contains("s3://bucket/prefix") && !refusal.contains("hunter2"), "{refusal}");
    }
}

#[test]
fn a_hold_may_not_end_before_its_call() {
    let text = "[billing]\nhold_lifetime_seconds = 5\n[calls]\ndeadline_seconds = 6";
    assert!(refusal("holds", text, &[]).contains("shorter than calls.deadline_seconds"));
}
