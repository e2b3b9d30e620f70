//! A node over a made-up world, and a caller who can pay.

use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Rig, RigOptions, Server};
use crate::world::LOAD_SETTINGS;
use anyhow::{Result, bail};
use assay_testkit::PostgresOptions;
use assay_world::{DEMO_AS_OF, DEMO_SEED, World};
use serde_json::Value;
use std::collections::HashMap;

pub struct Scene {
    rig: Rig,
    _server: Server,
    client: Client,
    pub world: World,
    calls: usize,
}

impl Scene {
    pub fn set(people: u64) -> Result<Self> {
        let rig = Rig::start(RigOptions {
            failpoints: false,
            accounts: 8,
            people,
            postgres: PostgresOptions::with_settings(&LOAD_SETTINGS),
            one_database: false,
        })?;
        let server = rig.serve(&[])?;
        let client = server.client();
        let world = World::new(DEMO_SEED, people, DEMO_AS_OF);
        Ok(Self { rig, _server: server, client, world, calls: 0 })
    }

    pub async fn ask(&mut self, path: &str, body: &Value) -> Result<Value> {
        self.calls += 1;
        let account = &self.rig.accounts[self.calls % self.rig.accounts.len()];
        let text = body.to_string();
        let post = Post { path, api_key: &account.api_key, idempotency_key: None, body: text.as_bytes() };
        match self.client.post(&post).await {
            Exchange::Whole(reply) if reply.status == 200 => Ok(serde_json::from_slice(reply.body)?),
            Exchange::Whole(reply) => {
                bail!("{path} {body}: {} {}", reply.status, String::from_utf8_lossy(reply.body))
            }
            Exchange::Half | Exchange::Nothing => bail!("{path}: no whole answer"),
        }
    }

    /// Everybody at a company, by the id that answers name them by.
    pub fn staff(&self, company: u64) -> HashMap<String, u64> {
        let everybody = self.world.truth().org_chart(company);
        everybody.into_iter().map(|(person, _)| (self.world.person(person).id.to_string(), person)).collect()
    }

    pub fn domain(&self, company: u64) -> Option<String> {
        Some(self.world.company(company).facts.domain?.to_string())
    }
}
