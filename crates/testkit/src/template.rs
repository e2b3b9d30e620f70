//! One database per test, cloned from a template that is prepared once for all test processes.

use std::collections::hash_map::{DefaultHasher, RandomState};
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::clock::{Deadline, POLL};
use crate::shared::{SharedPostgres, shared};

const BUSY: &str = "being accessed by other users";
const BUSY_WAIT: Duration = Duration::from_secs(20);
const LOCK_WAIT: Duration = Duration::from_secs(120);

/// A database of its own for one test; dropped with the value.
#[derive(Debug)]
pub struct TestDatabase {
    server: SharedPostgres,
    name: String,
}

impl TestDatabase {
    /// Clones the template of this kind and fingerprint (say, a hash of the migrations). When there is no
    /// such template yet, `prepare` is given the URL of an empty database and makes it.
    pub async fn from_template(
        kind: &str,
        fingerprint: &str,
        prepare: impl AsyncFnOnce(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        Self::on(&shared()?, kind, fingerprint, prepare).await
    }

    /// The same on a server of the caller's choice.
    pub async fn on(
        server: &SharedPostgres,
        kind: &str,
        fingerprint: &str,
        prepare: impl AsyncFnOnce(String) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        ensure!(
            !kind.is_empty() && kind.len() <= 30 && kind.chars().all(plain),
            "bad template kind {kind:?}"
        );
        let template = format!("tmpl_{kind}_{:016x}", hash(fingerprint));
        let name = format!("t_{:016x}", random());
        // The common case first and alone: it costs one psql, and a test suite pays it hundreds of times.
        match clone(server, &template, &name) {
            Err(error) if is_missing(&error, &template) => {
                make_template(server, &template, prepare).await?;
                clone(server, &template, &name)?;
            }
            other => other?,
        }
        Ok(Self { server: server.clone(), name })
    }

    #[must_use]
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs SQL in this database, to set a scene or to look at what a test left.
    pub fn psql(&self, sql: &str) -> anyhow::Result<String> {
        crate::psql::psql(&self.url(), sql)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // Best effort: what stays behind is removed by the next `cargo xtask dev`.
        drop(self.server.psql(&format!("drop database if exists {} with (force)", self.name)));
    }
}

fn clone(server: &SharedPostgres, template: &str, name: &str) -> anyhow::Result<()> {
    retry_while_busy(|| server.psql(&format!("create database {name} template {template}")))
}

fn is_missing(error: &anyhow::Error, template: &str) -> bool {
    error.to_string().contains(&format!("\"{template}\" does not exist"))
}

async fn make_template(
    server: &SharedPostgres,
    template: &str,
    prepare: impl AsyncFnOnce(String) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let _lock = lock(server, template).await?;
    // Another process may have made it while this one waited for the lock.
    if server.psql(&format!("select 1 from pg_database where datname = '{template}'"))? == "1" {
        return Ok(());
    }
    let scratch = format!("scratch_{:016x}", random());
    server.psql(&format!("create database {scratch}"))?;
    let made = prepare(server.url(&scratch)).await.context("preparing the template database failed");
    // Renamed only when complete, so that a crash half-way never leaves a half template under the name.
    let made = made.and_then(|()| publish(server, &scratch, template));
    if made.is_err() {
        drop(server.psql(&format!("drop database if exists {scratch} with (force)")));
    }
    made
}

fn publish(server: &SharedPostgres, scratch: &str, template: &str) -> anyhow::Result<()> {
    retry_while_busy(|| {
        // A pool that `prepare` closed may still be hanging up; and no vacuum may visit a template later.
        server.psql(&format!(
            "alter database {scratch} with allow_connections false;
             select pg_terminate_backend(pid) from pg_stat_activity where datname = '{scratch}';
             alter database {scratch} rename to {template};"
        ))
    })
}

fn retry_while_busy(mut attempt: impl FnMut() -> anyhow::Result<String>) -> anyhow::Result<()> {
    let deadline = Deadline::after(BUSY_WAIT);
    loop {
        match attempt() {
            Err(error) if error.to_string().contains(BUSY) && !deadline.passed() => std::thread::sleep(POLL),
            other => return other.map(drop),
        }
    }
}

/// Waits for the lock without blocking for good: the holder may be a task on this very thread.
async fn lock(server: &SharedPostgres, template: &str) -> anyhow::Result<File> {
    let name = format!("assay-templates-{:016x}.lock", hash(server.maintenance_url()));
    let path = std::env::temp_dir().join(name);
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    let deadline = Deadline::after(LOCK_WAIT);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if deadline.passed() => {
                bail!("another test has been preparing {template} for {LOCK_WAIT:?}")
            }
            Err(TryLockError::WouldBlock) => give_way().await,
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Sleeps a little, then lets the other tasks of this executor run once, whichever executor it is.
async fn give_way() {
    std::thread::sleep(POLL);
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Same in every process built by one compiler; across compilers it merely makes another template.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Each `RandomState` is seeded by the operating system.
pub(crate) fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.finish()
}
