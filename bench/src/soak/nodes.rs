//! The nodes, the database and the vendor, and what is done to them.

use super::memory::Memory;
use super::weather::{Fault, NODES, Spell};
use crate::research::coverage::{VENDOR, vendor_answer};
use crate::rig::{Rig, Server, run_command};
use crate::upstream::stage::{enable, give_key};
use anyhow::{Context, Result};
use assay_testkit::Stopwatch;
use assay_testkit::vendor::{VendorReply, VendorServer};
use std::net::SocketAddr;
use std::time::Duration;

/// What a vendor takes for an answer: long enough that faults find calls waiting for it, with credits held.
const USUAL: Duration = Duration::from_millis(300);
/// What one that hangs takes.
const HANGING: Duration = Duration::from_secs(10);

pub struct Nodes {
    pub rig: Rig,
    servers: Vec<Option<Server>>,
    places: Vec<(SocketAddr, SocketAddr)>,
    settings: Vec<(String, String)>,
    vendor: VendorServer,
    pub memory: Memory,
}

impl Nodes {
    pub fn start(rig: Rig, settings: &[(&str, &str)]) -> Result<Self> {
        let vendor = VendorServer::start(|request| vendor_answer(request).after(USUAL))?;
        VENDOR.add(&rig, &vendor.url())?;
        give_key(&rig, VENDOR.name, None, "bar-key")?;
        enable(&rig, VENDOR.name, None)?;
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let servers = (0..NODES).map(|_| rig.serve(settings)).collect::<Result<Vec<_>>>()?;
        let memory = Memory::default();
        servers.iter().enumerate().for_each(|(node, server)| memory.born(node, server.pid()));
        Ok(Self {
            rig,
            places: servers.iter().map(|server| (server.address, server.operations)).collect(),
            servers: servers.into_iter().map(Some).collect(),
            settings: settings.iter().map(owned).collect(),
            vendor,
            memory,
        })
    }

    /// Of the API and of the operations port.
    pub fn places(&self) -> &[(SocketAddr, SocketAddr)] {
        &self.places
    }

    pub fn questions_to_vendor(&self) -> u64 {
        self.vendor.asked()
    }

    /// Brings a fault about and waits until all is up again.
    pub async fn suffer(&mut self, fault: Fault, watch: &Stopwatch) -> Result<Spell> {
        let from = watch.elapsed();
        let mut gone = from;
        match fault {
            Fault::Kill { node, away } => {
                let server = self.servers[node].take().context("a node is missing")?;
                self.memory.died(server.pid());
                tokio::task::block_in_place(|| server.kill_dash_nine())?;
                gone = watch.elapsed();
                tokio::time::sleep(away).await;
                self.start_again(node)?;
            }
            Fault::Stop { node, length } => {
                let pid = self.servers[node].as_ref().context("a node is missing")?.pid();
                signal("STOP", pid)?;
                tokio::time::sleep(length).await;
                signal("CONT", pid)?;
            }
            Fault::Database { immediate, away } => {
                let postgres = &mut self.rig.postgres;
                tokio::task::block_in_place(|| {
                    if immediate { postgres.stop_immediate() } else { postgres.stop_fast() }
                })?;
                tokio::time::sleep(away).await;
                tokio::task::block_in_place(|| self.rig.postgres.restart())?;
            }
            Fault::Vendor { hangs, length } => {
                if hangs {
                    self.vendor.answers(|request| vendor_answer(request).after(HANGING));
                } else {
                    self.vendor.answers(|_| VendorReply::json(500, r#"{"error":"down"}"#));
                }
                tokio::time::sleep(length).await;
                self.vendor.answers(|request| vendor_answer(request).after(USUAL));
            }
        }
        Ok(Spell { fault, from, gone, to: watch.elapsed() })
    }

    fn start_again(&mut self, node: usize) -> Result<()> {
        let settings: Vec<(&str, &str)> =
            self.settings.iter().map(|(name, value)| (&**name, &**value)).collect();
        let again =
            tokio::task::block_in_place(|| self.rig.serve_at(self.places[node], &["serve"], &settings))?;
        self.memory.born(node, again.pid());
        self.servers[node] = Some(again);
        Ok(())
    }

    /// An orderly stop of all of them.
    pub fn stop(&mut self) -> Result<()> {
        let servers: Vec<Server> = self.servers.iter_mut().filter_map(Option::take).collect();
        tokio::task::block_in_place(|| servers.into_iter().try_for_each(Server::stop))
    }
}

fn signal(name: &str, pid: u32) -> Result<()> {
    run_command("sh", &["-c", &format!("kill -s {name} {pid}")])
}
