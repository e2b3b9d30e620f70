//! Backups: whole or not there, and restored only where they fit.

use super::restored::{Scene, lose, stop, walk_files};
use crate::support::{Installation, MASTER_KEY};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

fn newest(backups: &str) -> PathBuf {
    let mut names: Vec<String> =
        walk_files(backups).into_iter().filter(|name| name.starts_with("assay-")).collect();
    names.sort();
    Path::new(backups).join(names.last().unwrap())
}

#[track_caller]
fn is_refused(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains(what), "{said}");
}

/// What a restore must not have touched.
fn tables(installation: &Installation) -> [String; 2] {
    let count = "select count(*) from pg_class where relnamespace = 'public'::regnamespace";
    [installation.ledger.psql(count).unwrap(), installation.graph.psql(count).unwrap()]
}

#[test]
fn a_backup_that_is_damaged_half_made_or_of_others_is_refused_before_anything_is_touched() {
    let scene = Scene::new();
    let installation = &scene.installation;
    let before = tables(installation);
    let restore = |folder: &str| installation.run(&["restore", "--from", folder, "--replace"]);
    is_refused(&installation.run(&["restore", "--from", &scene.backups]), "is not empty");

    let mut server = installation.serve();
    is_refused(&restore(&scene.backups), "connections of other assay programs are open");
    stop(&mut server);

    let whole = newest(&scene.backups);
    let manifest = std::fs::read_to_string(whole.join("manifest.json")).unwrap();
    let other = manifest.replace(&fingerprint(&manifest), "0123456789abcdef");
    std::fs::write(whole.join("manifest.json"), other).unwrap();
    is_refused(&restore(&scene.backups), "another master key");
    let schema = manifest.replacen("\"schema\": ", "\"schema\": 9", 1);
    std::fs::write(whole.join("manifest.json"), schema).unwrap();
    is_refused(&restore(&scene.backups), "newer than");
    std::fs::write(whole.join("manifest.json"), manifest.get(..40).unwrap()).unwrap();
    is_refused(&restore(&scene.backups), "does not read");
    std::fs::write(whole.join("manifest.json"), &manifest).unwrap();

    let graph = whole.join("graph.dump");
    let bytes = std::fs::read(&graph).unwrap();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&graph, damaged).unwrap();
    is_refused(&restore(&scene.backups), "SHA-256 differs");
    std::fs::write(&graph, bytes.get(..bytes.len() - 1).unwrap()).unwrap();
    is_refused(&restore(&scene.backups), "SHA-256 differs");
    std::fs::write(&graph, &bytes).unwrap();

    std::fs::remove_file(whole.join("manifest.json")).unwrap();
    is_refused(&restore(&scene.backups), "no whole backup");
    let half = format!("{}.half", whole.display());
    std::fs::rename(&whole, &half).unwrap();
    std::fs::write(Path::new(&half).join("manifest.json"), &manifest).unwrap();
    is_refused(&restore(&scene.backups), "no whole backup");
    assert_eq!(tables(installation), before);
    // What was half-made is cleared away by the next one, which is whole.
    installation.ok(&["backup", "--to", &scene.backups]);
    assert!(!Path::new(&half).exists());
    scene.restore(&["--replace"]);
}

fn fingerprint(manifest: &str) -> String {
    let manifest: serde_json::Value = serde_json::from_str(manifest).unwrap();
    manifest["master_key"].as_str().unwrap().to_owned()
}

#[test]
fn another_master_key_is_refused_by_the_restore_itself() {
    let scene = Scene::new();
    lose(&scene.installation.graph);
    let settings = scene.installation.file("x", "").replace("/x", "/assay.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace(MASTER_KEY, &MASTER_KEY.replace('f', "e"))).unwrap();
    let refused = scene.installation.run(&["restore", "--from", &scene.backups, "--only", "graph"]);
    is_refused(&refused, "another master key");
    std::fs::write(&settings, text).unwrap();
    scene.restore(&["--only", "graph"]);
}

#[test]
fn only_the_newest_are_kept_and_a_backup_that_fails_leaves_nothing() {
    let installation = Installation::new();
    let backups = format!("{}-folder", installation.file("backups", ""));
    let count = || walk_files(&backups).iter().filter(|name| *name == "manifest.json").count();
    for made in 1..=3 {
        installation.ok(&["backup", "--to", &backups]);
        assert_eq!(count(), made);
    }
    let newest_before = newest(&backups);
    let told = installation.ok_json(&["backup", "--to", &backups, "--keep", "2"]);
    assert_eq!((told["removed"].as_u64(), count()), (Some(2), 2));
    assert!(newest_before.exists() && Path::new(told["backup"].as_str().unwrap()).exists());
    let mode = std::fs::metadata(newest(&backups)).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others may read it");

    let failing = program(&installation, "failing", "echo 'pg_dump: error: no room' >&2; exit 1");
    let failed = installation.run(&["backup", "--to", &backups, "--keep", "1", "--programs", &failing]);
    is_refused(&failed, "no room");
    let absent = installation.run(&["backup", "--to", &backups, "--programs", "/nowhere"]);
    is_refused(&absent, "pg_dump is not found");
    assert_eq!(count(), 2);
    assert!(!walk_files(&backups).iter().any(|name| name.ends_with(".half")));
}

/// A folder with a pg_dump and a pg_restore that do this.
fn program(installation: &Installation, name: &str, does: &str) -> String {
    let folder = installation.file(name, "");
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    for program in ["pg_dump", "pg_restore"] {
        let path = Path::new(&folder).join(program);
        std::fs::write(&path, format!("#!/bin/sh\n{}\n", does.replace("PROGRAM", program))).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

#[test]
fn no_secret_is_on_a_command_line() {
    let installation = Installation::new();
    let seen = installation.file("seen", "");
    let watched = program(
        &installation,
        "watched",
        &format!(
            "echo \"$0 $@\" >> {seen}; test \"$PGPASSWORD\" = canary-password || exit 9; exec PROGRAM \"$@\""
        ),
    );
    let settings = installation.file("x", "").replace("/x", "/assay.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, text.replace("postgres@", "postgres:canary-password@")).unwrap();
    let backups = format!("{}-folder", installation.file("backups", ""));
    installation.ok(&["backup", "--to", &backups, "--programs", &watched]);
    installation.ok(&["restore", "--from", &backups, "--replace", "--programs", &watched]);
    let seen = std::fs::read_to_string(&seen).unwrap();
    assert_eq!(seen.lines().count(), 4, "{seen}");
    assert!(!seen.contains("canary"), "{seen}");
}
