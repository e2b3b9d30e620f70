//! The workers: processes of which one dies now and then, and another takes its place at once.

use super::Death;
use crate::rig::{Rig, Server};
use anyhow::Result;
use assay_domain::Clock;

/// The setting of a connection that names the life of the process behind it.
pub const LIFE: &str = "bar.life";

struct Worker {
    server: Server,
    /// No two processes share it.
    life: String,
}

pub struct Crew {
    workers: Vec<Worker>,
    wait_ms: u64,
    lives: usize,
    deaths: Vec<Death>,
}

impl Crew {
    /// Starts workers that are slow: before and after the lookups of a slice they wait.
    pub fn start(rig: &Rig, count: usize, wait_ms: u64) -> Result<Self> {
        let mut crew = Self { workers: Vec::new(), wait_ms, lives: 0, deaths: Vec::new() };
        for _ in 0..count {
            let worker = crew.start_one(rig)?;
            crew.workers.push(worker);
        }
        Ok(crew)
    }

    fn start_one(&mut self, rig: &Rig) -> Result<Worker> {
        self.lives += 1;
        let life = format!("life{}", self.lives);
        let url = format!("{}?options[{LIFE}]={life}", rig.ledger_url());
        let wait = self.wait_ms;
        let orders = format!("slice-held=return(wait:{wait});slice-looked-up=return(wait:{wait})");
        let extra = [("ASSAY_LEDGER_URL", url.as_str()), ("FAILPOINTS", orders.as_str())];
        let server = tokio::task::block_in_place(|| rig.serve_roles("worker", &extra))?;
        Ok(Worker { server, life })
    }

    /// Kills the worker that lives this life, or any, and starts another in its place.
    pub fn replace_one(&mut self, rig: &Rig, life: Option<&str>, clock: &Clock) -> Result<()> {
        let wanted = life.and_then(|life| self.workers.iter().position(|worker| worker.life == life));
        let place = wanted.unwrap_or_else(|| rand::random_range(0..self.workers.len()));
        let Worker { server, life } = self.workers.swap_remove(place);
        // Before the kill, so that no time between them is lost.
        let at = clock.now();
        tokio::task::block_in_place(|| server.kill_dash_nine())?;
        self.deaths.push(Death { life, at });
        let worker = self.start_one(rig)?;
        self.workers.push(worker);
        Ok(())
    }

    pub fn deaths(&self) -> &[Death] {
        &self.deaths
    }

    pub fn stop(self) -> Result<()> {
        tokio::task::block_in_place(|| self.workers.into_iter().try_for_each(|worker| worker.server.stop()))
    }
}
