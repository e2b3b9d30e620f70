//! pg_dump and pg_restore. How a database is reached is told them by their environment: a command line can be read by anybody on the
//! machine.

use crate::failure::Failure;
use crate::out;
use assay_domain::clock::Stopwatch;
use assay_store::{Database, server_urls};
use indicatif::ProgressBar;
use percent_encoding::percent_decode_str;
use std::io::{ErrorKind, IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use url::Url;

const LOOK_EVERY: Duration = Duration::from_millis(250);
const POSTGRES_PORT: u16 = 5432;
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Parameters of a URL, and what PostgreSQL's programs call them. Others are of no use to them.
const PARAMETERS: &[(&str, &str)] = &[
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("options", "PGOPTIONS"),
    ("sslmode", "PGSSLMODE"),
    ("ssl-mode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("ssl-root-cert", "PGSSLROOTCERT"),
    ("ssl-ca", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("ssl-cert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("ssl-key", "PGSSLKEY"),
];

/// Where the programs are.
pub struct PgPrograms {
    folder: Option<PathBuf>,
}

impl PgPrograms {
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    /// Writes one state of a database into a file.
    pub async fn dump(&self, database: &Database, snapshot: &str, file: &Path) -> Result<(), Failure> {
        let mut command = self.command("pg_dump", database)?;
        command.args(["--format=custom", "--no-password", "--snapshot", snapshot, "--file"]).arg(file);
        run("pg_dump", command).await
    }

    /// All of it or nothing: nobody sees a half-restored database.
    pub async fn restore(&self, database: &Database, file: &Path) -> Result<(), Failure> {
        let mut command = self.command("pg_restore", database)?;
        let name = environment(&database.url)?.into_iter().rev().find(|(name, _)| *name == "PGDATABASE");
        command.args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-acl", "--no-password"]);
        command.arg("--dbname").arg(name.map(|(_, value)| value).unwrap_or_default()).arg(file);
        run("pg_restore", command).await
    }

    fn command(&self, program: &str, database: &Database) -> Result<Command, Failure> {
        let path = self.folder.as_ref().map_or_else(|| PathBuf::from(program), |folder| folder.join(program));
        let mut command = Command::new(path);
        command.envs(environment(&database.url)?).env("PGAPPNAME", "pg-of-assay");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        Ok(command)
    }
}

async fn run(program: &str, mut command: Command) -> Result<(), Failure> {
    let output = match command.output().await {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let fix = "install PostgreSQL's client programs, or name their folder with --programs";
            return Err(Failure::new(format!("{program} is not found"), fix));
        }
        Err(error) => return Err(Failure::new(format!("{program} cannot be run: {error}"), "try again")),
    };
    if output.status.success() {
        return Ok(());
    }
    // The first line only: what follows may quote a row.
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| line.contains("error:")).or(said.lines().next()).unwrap_or_default();
    let fix = "mend what it says; the programs must not be older than the server (--programs names others)";
    Err(Failure::new(format!("{program} failed: {said}"), fix))
}

/// The URL, as variables.
fn environment(url: &str) -> Result<Vec<(&'static str, String)>, Failure> {
    let unreadable = || {
        Failure::new(
            "a database's URL does not read",
            "write it as postgres://user:password@host:5432/database: assay config check",
        )
    };
    let urls = server_urls(url).map_err(|_| unreadable())?;
    let urls: Vec<Url> =
        urls.iter().map(|url| Url::parse(url)).collect::<Result<_, _>>().map_err(|_| unreadable())?;
    let url = urls.first().ok_or_else(unreadable)?;
    let decoded = |text: &str| {
        percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned).map_err(|_| unreadable())
    };
    let host = url.host_str().map(|host| host.trim_start_matches('[').trim_end_matches(']'));
    let parts = [
        ("PGHOST", host),
        ("PGUSER", Some(url.username())),
        ("PGPASSWORD", url.password()),
        ("PGDATABASE", url.path().strip_prefix('/')),
    ];
    let mut variables = Vec::new();
    for (name, value) in parts {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            variables.push((name, decoded(value)?));
        }
    }
    variables.extend(url.port().map(|port| ("PGPORT", port.to_string())));
    if urls.len() > 1 {
        // Of several servers the one that takes writes is meant: snapshots are of that one.
        let host = |url: &Url| url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = |url: &Url| url.port().unwrap_or(POSTGRES_PORT).to_string();
        variables.retain(|(name, _)| !["PGHOST", "PGPORT"].contains(name));
        variables.push(("PGHOST", urls.iter().map(host).collect::<Vec<_>>().join(",")));
        variables.push(("PGPORT", urls.iter().map(port).collect::<Vec<_>>().join(",")));
        variables.push(("PGTARGETSESSIONATTRS", "read-write".to_owned()));
    }
    for (parameter, value) in url.query_pairs() {
        let known = PARAMETERS.iter().find(|(name, _)| *name == parameter);
        variables.extend(known.map(|(_, name)| (*name, value.into_owned())));
    }
    Ok(variables)
}

/// Tells how long something takes, and how far files have grown meanwhile.
pub struct Watched {
    what: &'static str,
    files: Vec<PathBuf>,
    spinner: Option<ProgressBar>,
}

impl Watched {
    pub fn start(what: &'static str, files: Vec<PathBuf>) -> Self {
        let spinner = stderr().is_terminal().then(ProgressBar::new_spinner);
        Self { what, files, spinner }
    }

    pub async fn until<T>(self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let watch = Stopwatch::start();
        let mut said = Duration::ZERO;
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => {
                    if let Some(spinner) = &self.spinner {
                        spinner.finish_and_clear();
                    }
                    return done;
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let line = self.line(watch.elapsed());
            match &self.spinner {
                Some(spinner) => {
                    spinner.set_message(line);
                    spinner.tick();
                }
                None if watch.elapsed().saturating_sub(said) >= LINE_EVERY => {
                    said = watch.elapsed();
                    out::note(&line);
                }
                None => {}
            }
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let size = |path: &PathBuf| path.metadata().map_or(0, |found| found.len());
        let bytes: u64 = self.files.iter().map(size).sum();
        let grown = if self.files.is_empty() { String::new() } else { format!("{} ", megabytes(bytes)) };
        format!("{grown}{} after {} s", self.what, elapsed.as_secs())
    }
}

pub fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_told_by_the_environment_with_its_secrets_decoded() {
        let told = environment(
            "postgres://us%40er:p%2Fw@[::1]:5555/assay?sslmode=require&statement-cache-capacity=5",
        );
        let told = told.unwrap();
        let expected = [
            ("PGHOST", "::1"),
            ("PGUSER", "us@er"),
            ("PGPASSWORD", "p/w"),
            ("PGDATABASE", "assay"),
            ("PGPORT", "5555"),
            ("PGSSLMODE", "require"),
        ];
        assert_eq!(told, expected.map(|(name, value)| (name, value.to_owned())));
        let socket = environment("postgresql:///assay?host=/run/postgresql").unwrap();
        assert_eq!(socket, [("PGDATABASE", "assay".into()), ("PGHOST", "/run/postgresql".into())]);
        let pair = environment("postgres://me@one:5001,[::1]/assay?target_session_attrs=read-write").unwrap();
        let expected = [
            ("PGUSER", "me"),
            ("PGDATABASE", "assay"),
            ("PGHOST", "one,::1"),
            ("PGPORT", "5001,5432"),
            ("PGTARGETSESSIONATTRS", "read-write"),
        ];
        assert_eq!(pair, expected.map(|(name, value)| (name, value.to_owned())));
        assert!(environment("not a url").is_err());
    }
}
