//! A node that lives at a moment, over a made-up world of its own.

use super::moments::{Moment, time};
use super::stopped_clock::StoppedClock;
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{BOTH, Rig, RigOptions, Server};
use crate::signals::teller::Teller;
use crate::world::LOAD_SETTINGS;
use anyhow::{Context, Result, bail, ensure};
use assay_domain::clock::Stopwatch;
use assay_testkit::PostgresOptions;
use assay_world::World;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use std::time::Duration;

const PEOPLE: u64 = 20_000;
const ACCOUNTS: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// So much later the clock stands when pages are gone on with.
pub const LATER: TimeDelta = TimeDelta::hours(1);

pub struct Stage {
    rig: Rig,
    server: Server,
    client: Client,
    calls: usize,
}

impl Stage {
    pub async fn set(clock: &StoppedClock, moment: &Moment) -> Result<Self> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: ACCOUNTS,
            people: PEOPLE,
            postgres: PostgresOptions::with_settings(&LOAD_SETTINGS),
            // Kept for no other bar: what is told here happens in years to come.
            one_database: true,
        })?;
        let now = time(moment.now)?;
        for at in [now, now + LATER] {
            // As a database that lives then has them.
            let month = at.format("%Y-%m-01");
            let make = format!("set search_path to ledger; select make_history_partition('{month}')");
            rig.postgres.psql(BOTH, &make)?;
        }
        let (server, client) = start(&rig, clock, now).await?;
        Ok(Self { rig, server, client, calls: 0 })
    }

    pub fn world(&self) -> &World {
        self.rig.world()
    }

    /// The same at a later time.
    pub async fn move_to(self, clock: &StoppedClock, now: DateTime<Utc>) -> Result<Self> {
        let Self { rig, server, calls, .. } = self;
        server.stop()?;
        let (server, client) = start(&rig, clock, now).await?;
        Ok(Self { rig, server, client, calls })
    }

    /// Returns when all of them are in the feed, each for itself.
    pub async fn tell(&self, signals: &[Value]) -> Result<()> {
        Teller::new(&self.rig, &self.server)?.tell(signals).await?;
        let watch = Stopwatch::start();
        loop {
            let count = self.rig.postgres.psql(BOTH, "select count(*) from graph.signal_feed")?;
            if count.parse::<usize>()? == signals.len() {
                return Ok(());
            }
            ensure!(watch.elapsed() < PATIENCE, "of {} signals {count} are in the feed", signals.len());
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    pub async fn ask(&mut self, path: &str, body: &Value) -> Result<Value> {
        let (status, answer) = self.send(path, body).await?;
        ensure!(status == 200, "{path} {body}: {status} {answer}");
        Ok(answer)
    }

    pub async fn is_refused(&mut self, path: &str, body: &Value) -> Result<bool> {
        Ok(self.send(path, body).await?.0 == 422)
    }

    async fn send(&mut self, path: &str, body: &Value) -> Result<(u16, Value)> {
        // By turns: an account's minute does not end while the clock stands still.
        self.calls += 1;
        let account = &self.rig.accounts[self.calls % self.rig.accounts.len()];
        let text = body.to_string();
        let post = Post { path, api_key: &account.api_key, idempotency_key: None, body: text.as_bytes() };
        match self.client.post(&post).await {
            Exchange::Whole(reply) => Ok((reply.status, serde_json::from_slice(reply.body)?)),
            Exchange::Half | Exchange::Nothing => bail!("{path}: no whole answer"),
        }
    }
}

/// A server whose answers bear the date of that time.
async fn start(rig: &Rig, clock: &StoppedClock, now: DateTime<Utc>) -> Result<(Server, Client)> {
    let settings = clock.at(now)?;
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let server = rig.serve(&settings)?;
    let mut client = server.client();
    let api_key = &rig.accounts.first().context("no account")?.api_key;
    let Exchange::Whole(reply) = client.get("/v1/me", api_key).await else { bail!("no whole answer") };
    let date = reply.header("date").unwrap_or_default().to_owned();
    let expected = now.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    ensure!(date == expected, "the program lives at {date:?}, not at {expected}");
    Ok((server, client))
}
