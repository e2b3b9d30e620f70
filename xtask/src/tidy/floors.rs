//! Who may depend on whom: arrows point strictly down, and each kind of I/O has its own rooms.

use super::Violation;
use super::manifest::Dependency;

/// The floor of each crate. A crate may use crates on lower floors only.
const FLOORS: &[(&str, u32)] = &[
    ("domain", 0),
    ("trust", 0),
    ("world", 1),
    ("index", 1),
    ("mailbox", 1),
    ("sources", 1),
    ("notify", 1),
    ("bucket", 1),
    ("intake", 1),
    ("store", 2),
    ("engine", 3),
    ("replica", 3),
    ("service", 4),
    ("http", 5),
    ("worker", 5),
    ("cli", 6),
];

/// Libraries that only some rooms may use (tests apart), and why.
const RESERVED: &[(&[&str], &[&str], &str)] = &[
    (&["sqlx"], &["store"], "SQL is only in store: add a function there"),
    (&["axum"], &["http"], "HTTP serving is only in http"),
    (
        &["hyper", "hyper-util"],
        &["http", "sources", "mailbox", "notify"],
        "HTTP is only in http and the outbound crates",
    ),
    (
        &["reqwest"],
        &["sources", "mailbox", "notify", "bucket"],
        "outbound sockets are only in sources, mailbox, notify and bucket",
    ),
];

const IO: &[&str] = &["tokio", "sqlx", "reqwest", "axum", "hyper"];

pub(super) fn check(path: &str, dependencies: &[Dependency]) -> Vec<Violation> {
    let Some(room) = path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if room != "testkit" && floor_of(room).is_none() {
        let what = format!("crate {room} is on no floor: add it to FLOORS in xtask/src/tidy/floors.rs");
        found.push(Violation::new(path, 1, what));
    }
    for dependency in dependencies.iter().filter(|it| !it.dev) {
        let complaint = match dependency.name.strip_prefix("assay-") {
            Some(ours) => wrong_arrow(room, ours),
            None => wrong_library(room, &dependency.name),
        };
        found.extend(complaint.map(|what| Violation::new(path, dependency.line, what)));
    }
    found
}

fn floor_of(room: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == room).map(|(_, floor)| *floor)
}

fn wrong_arrow(room: &str, used: &str) -> Option<String> {
    if room == "testkit" {
        return (used != "domain").then(|| format!("testkit may use assay-domain at most, not assay-{used}"));
    }
    if used == "testkit" {
        return Some("assay-testkit is for tests: move it to [dev-dependencies]".to_owned());
    }
    let (own, its) = (floor_of(room)?, floor_of(used)?);
    let advice = "arrows point strictly down: move what is shared to a lower floor";
    (its >= own).then(|| format!("{room} (floor {own}) may not use assay-{used} (floor {its}); {advice}"))
}

fn wrong_library(room: &str, library: &str) -> Option<String> {
    if room == "domain" && IO.contains(&library) {
        return Some(format!("domain has no I/O: {library} belongs to a higher floor"));
    }
    if room == "testkit" {
        return None;
    }
    let (_, rooms, why) = RESERVED.iter().find(|(libraries, _, _)| libraries.contains(&library))?;
    (!rooms.contains(&room))
        .then(|| format!("{room} may not use {library}: {why} (tests may, as a dev-dependency)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::manifest::parse;

    fn broken(room: &str, section: &str, name: &str) -> bool {
        let text = format!("[{section}]\n{name}.workspace = true\n");
        !check(&format!("crates/{room}/Cargo.toml"), &parse(&text)).is_empty()
    }

    #[test]
    fn arrows_point_strictly_down() {
        assert!(!broken("service", "dependencies", "assay-store"));
        assert!(broken("store", "dependencies", "assay-service"));
        assert!(broken("http", "dependencies", "assay-worker"));
        assert!(broken("attic", "dependencies", "assay-domain"));
    }

    #[test]
    fn the_test_kit_is_only_for_tests_and_knows_only_domain() {
        assert!(broken("store", "dependencies", "assay-testkit"));
        assert!(!broken("store", "dev-dependencies", "assay-testkit"));
        assert!(broken("testkit", "dependencies", "assay-store"));
        assert!(!broken("testkit", "dependencies", "assay-domain"));
    }

    #[test]
    fn each_kind_of_io_stays_in_its_rooms() {
        assert!(broken("domain", "dependencies", "tokio"));
        assert!(broken("service", "dependencies", "sqlx"));
        assert!(!broken("store", "dependencies", "sqlx"));
        assert!(!broken("cli", "dev-dependencies", "sqlx"));
        assert!(broken("service", "dependencies", "axum"));
        assert!(broken("engine", "dependencies", "reqwest"));
        assert!(broken("worker", "dependencies", "hyper"));
        assert!(!broken("sources", "dependencies", "hyper"));
        assert!(broken("replica", "dependencies", "reqwest"));
        assert!(!broken("bucket", "dependencies", "reqwest"));
    }
}
