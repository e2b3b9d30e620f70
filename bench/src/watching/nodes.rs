//! The two nodes, of which one dies now and then, and what they and PostgreSQL take of the processors.

use crate::billed::meters::{cpu_ms, family_cpu_ms};
use crate::rig::{Rig, Server};
use anyhow::{Context, Result};
use std::net::SocketAddr;

pub(super) struct Nodes<'a> {
    rig: &'a Rig,
    settings: &'static [(&'static str, &'static str)],
    nodes: [Option<Node>; 2],
    places: [(SocketAddr, SocketAddr); 2],
    /// What those took that are dead.
    dead_ms: f64,
    pub kills: usize,
}

struct Node {
    server: Server,
    /// Until it was ready: starting is not what is measured.
    start_ms: f64,
}

impl Node {
    fn new(server: Server) -> Result<Self> {
        let start_ms = cpu_ms(server.pid()).context("a node that was ready is gone")?;
        Ok(Self { server, start_ms })
    }

    fn spent_ms(&self) -> Result<f64> {
        Ok(cpu_ms(self.server.pid()).context("a node died of itself")? - self.start_ms)
    }
}

impl<'a> Nodes<'a> {
    pub(super) fn start(rig: &'a Rig, settings: &'static [(&'static str, &'static str)]) -> Result<Self> {
        let (one, other) = (rig.serve(settings)?, rig.serve(settings)?);
        let places = [&one, &other].map(|server| (server.address, server.operations));
        let nodes = [Some(Node::new(one)?), Some(Node::new(other)?)];
        Ok(Self { rig, settings, nodes, places, dead_ms: 0.0, kills: 0 })
    }

    pub(super) fn addresses(&self) -> [SocketAddr; 2] {
        self.places.map(|(address, _)| address)
    }

    /// `kill -9`.
    pub(super) fn kill(&mut self, number: usize) -> Result<()> {
        if let Some(node) = self.nodes[number].take() {
            self.dead_ms += node.spent_ms()?;
            node.server.kill_dash_nine()?;
            self.kills += 1;
        }
        Ok(())
    }

    /// In the place of the one that died, with what it left.
    pub(super) fn revive(&mut self, number: usize) -> Result<()> {
        let serve = || self.rig.serve_at(self.places[number], &["serve"], self.settings);
        self.nodes[number] = Some(Node::new(tokio::task::block_in_place(serve)?)?);
        Ok(())
    }

    /// What both nodes and all of PostgreSQL have taken so far.
    pub(super) fn spent_ms(&self) -> Result<f64> {
        let mut spent = self.dead_ms + family_cpu_ms(self.rig.postgres.postmaster_pid()?)?;
        for node in self.nodes.iter().flatten() {
            spent += node.spent_ms()?;
        }
        Ok(spent)
    }
}
