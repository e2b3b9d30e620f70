//! The PostgreSQL server that tests share: started once, outside the tests.

use anyhow::{Context, bail};

use crate::psql::psql;
use crate::root::workspace_root;

const VARIABLE: &str = "ASSAY_TEST_POSTGRES";
const FILE: &str = ".dev/postgres.url";

/// A running server, known by the URL of its maintenance database.
#[derive(Debug, Clone)]
pub struct SharedPostgres {
    maintenance_url: String,
}

/// The server named by ASSAY_TEST_POSTGRES, else the one `cargo xtask dev` started.
pub fn shared() -> anyhow::Result<SharedPostgres> {
    if let Ok(url) = std::env::var(VARIABLE) {
        return SharedPostgres::at(&url).with_context(|| format!("{VARIABLE} is not usable"));
    }
    let file = workspace_root()?.join(FILE);
    let Ok(url) = std::fs::read_to_string(&file) else {
        bail!(
            "no test server: run `cargo xtask dev --detach` (or set {VARIABLE} to a maintenance database URL)"
        );
    };
    SharedPostgres::at(url.trim()).with_context(|| format!("{FILE} is not usable"))
}

impl SharedPostgres {
    /// A server known by a URL such as `postgres://postgres@127.0.0.1:5555/postgres`.
    pub fn at(maintenance_url: &str) -> anyhow::Result<Self> {
        with_database(maintenance_url, "postgres").context("expected postgres://user@host:port/database")?;
        Ok(Self { maintenance_url: maintenance_url.to_owned() })
    }

    #[must_use]
    pub fn maintenance_url(&self) -> &str {
        &self.maintenance_url
    }

    /// The URL of another database on the same server.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        with_database(&self.maintenance_url, database).unwrap_or_default()
    }

    /// Runs SQL in the maintenance database.
    pub fn psql(&self, sql: &str) -> anyhow::Result<String> {
        psql(&self.maintenance_url, sql)
    }
}

fn with_database(url: &str, database: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let (place, parameters) = match rest.split_once('?') {
        Some((place, parameters)) => (place, format!("?{parameters}")),
        None => (rest, String::new()),
    };
    let (authority, _) = place.split_once('/')?;
    let known = scheme == "postgres" || scheme == "postgresql";
    known.then(|| format!("{scheme}://{authority}/{database}{parameters}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_database_keeps_host_user_and_parameters() {
        let server = SharedPostgres::at("postgres://me:pw@db.example:5555/postgres?sslmode=disable").unwrap();
        assert_eq!(server.url("t_1"), "postgres://me:pw@db.example:5555/t_1?sslmode=disable");
    }

    #[test]
    fn a_url_without_a_database_is_refused() {
        assert!(SharedPostgres::at("postgres://me@db.example:5555").is_err());
        assert!(SharedPostgres::at("mysql://me@db.example/x").is_err());
    }
}
