//! The bar `crash`: kill -9 of the server and of PostgreSQL at every step of a paid call, over and over.

pub mod check;
pub mod journal;
pub mod load;
mod plan;

use crate::bar::{Verdict, grouped, progress};
use crate::cut_proxy::CutProxy;
use crate::rig::{Account, Rig, RigOptions, Server};
use anyhow::{Context, ensure};
use assay_testkit::{Deadline, PostgresOptions, Stopwatch};
use check::Findings;
use journal::Journal;
use load::Load;
use plan::{Blow, Means, Victim, blows, long_outage};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

const CRASHES: usize = 300;
const CRASHES_SHORT: usize = 24;
const LONG_OUTAGES: usize = 3;
const ACCOUNTS: usize = 10;
const PEOPLE: u64 = 8_000;
const PEOPLE_SHORT: u64 = 2_000;

const POLL: Duration = Duration::from_millis(5);
const STRIKE_WAIT: Duration = Duration::from_secs(30);
/// How long clients go on after PostgreSQL died or a connection was cut: what they are told then counts too.
const AFTERMATH: Duration = Duration::from_millis(150);
const GIVE_BACK_WAIT: Duration = Duration::from_secs(30);
const DRAIN_WAIT: Duration = Duration::from_secs(120);
const HOLD_END_WAIT: Duration = Duration::from_secs(30);
const POSTGRES_STARTS_MAX: u32 = 10;

/// What died so far.
#[derive(Debug, Default)]
struct Toll {
    server: usize,
    postgres: usize,
    connection: usize,
}

struct Scene {
    rig: Rig,
    journal: Arc<Journal>,
    accounts: Arc<Vec<Account>>,
    toll: Toll,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let people = if short { PEOPLE_SHORT } else { PEOPLE };
    let postgres = PostgresOptions::default();
    let rig = Rig::start(RigOptions {
        failpoints: true,
        accounts: ACCOUNTS,
        people,
        postgres,
        one_database: false,
    })?;
    let known = (0..people).filter_map(|index| rig.known(index)).collect();
    let journal = Arc::new(Journal::new(known, ACCOUNTS));
    let accounts = Arc::new(rig.accounts.clone());
    let mut scene = Scene { rig, journal, accounts, toll: Toll::default() };
    let wanted = if short { CRASHES_SHORT } else { CRASHES };
    let blows = blows();
    // These take minutes, so the short form goes without.
    let long = long_outage();
    let first = if short { 0 } else { LONG_OUTAGES };
    let mut misses = 0;
    for blow in std::iter::repeat_n(&long, first).chain(blows.iter().cycle()) {
        if scene.toll.server + scene.toll.postgres >= wanted {
            break;
        }
        let struck = scene.round(blow).await.with_context(|| format!("in a round of {}", blow.name()))?;
        misses += usize::from(!struck);
        ensure!(misses < wanted, "blows that never fall prove nothing");
    }
    scene.finish().await
}

impl Scene {
    /// One server's life under load until the blow falls; says whether it fell.
    async fn round(&mut self, blow: &Blow) -> anyhow::Result<bool> {
        let hold_seconds = blow.hold_seconds.to_string();
        let orders = blow.orders();
        let mut settings = vec![
            ("ASSAY_BILLING_HOLDS", "always"),
            ("ASSAY_BILLING_HOLD_LIFETIME_SECONDS", &hold_seconds),
            ("ASSAY_CALLS_DEADLINE_SECONDS", &hold_seconds),
            ("FAILPOINTS", &orders),
        ];
        let proxy = match blow.means {
            Means::LostAnswer => Some(CutProxy::start(local(self.rig.postgres.port())).await?),
            Means::Points(_) => None,
        };
        let through = proxy.as_ref().map(|proxy| self.through(proxy));
        if let Some(url) = &through {
            settings.push(("ASSAY_LEDGER_URL", url));
        }
        let watch = Stopwatch::start();
        let server = tokio::task::block_in_place(|| self.rig.serve(&settings))?;
        if let Some(proxy) = &proxy {
            self.arm(proxy, blow.victim, &server);
        }
        let load = Load::start(server.address, &self.journal, &self.accounts);
        let struck = self.wait_struck(blow.victim, &server, proxy.as_ref()).await;
        let toll = match blow.victim {
            Victim::Server => &mut self.toll.server,
            Victim::Postgres => &mut self.toll.postgres,
            Victim::Connection => &mut self.toll.connection,
        };
        *toll += usize::from(struck);
        if struck && blow.victim != Victim::Server {
            tokio::time::sleep(AFTERMATH).await;
        }
        load.stop();
        if struck && blow.victim == Victim::Postgres {
            tokio::time::sleep(blow.outage).await;
            self.revive_postgres().await?;
        }
        load.join().await;
        if server.is_running() {
            self.wait_given_back().await?;
            tokio::task::block_in_place(|| server.stop())?;
        }
        self.report(blow, struck, watch.elapsed());
        Ok(struck)
    }

    fn through(&self, proxy: &CutProxy) -> String {
        let (from, to) = (self.rig.postgres.port().to_string(), proxy.port().to_string());
        self.rig.ledger_url().replacen(&format!(":{from}/"), &format!(":{to}/"), 1)
    }

    fn arm(&self, proxy: &CutProxy, victim: Victim, server: &Server) {
        let nth = rand::random_range(20..80);
        let pid = server.pid();
        let postmaster = self.rig.postgres.postmaster_pid().unwrap_or(0);
        let script = match victim {
            Victim::Server => format!("kill -9 {pid}"),
            Victim::Postgres => {
                format!("kill -STOP {postmaster}; pkill -9 -P {postmaster}; kill -9 {postmaster}")
            }
            Victim::Connection => String::new(),
        };
        proxy.arm(nth, move || {
            drop(std::process::Command::new("sh").args(["-c", &script]).status());
        });
    }

    async fn wait_struck(&self, victim: Victim, server: &Server, proxy: Option<&CutProxy>) -> bool {
        let deadline = Deadline::after(STRIKE_WAIT);
        while !deadline.passed() {
            let struck = match victim {
                Victim::Server => !server.is_running(),
                Victim::Postgres => self.rig.postgres.postmaster_pid().is_err(),
                Victim::Connection => proxy.is_some_and(|proxy| proxy.cuts() > 0),
            };
            if struck {
                return true;
            }
            tokio::time::sleep(POLL).await;
        }
        false
    }

    /// Its killed processes may take a moment to let go of the shared memory.
    async fn revive_postgres(&mut self) -> anyhow::Result<()> {
        for attempt in 1.. {
            match tokio::task::block_in_place(|| self.rig.postgres.restart()) {
                Err(_) if attempt < POSTGRES_STARTS_MAX => tokio::time::sleep(AFTERMATH).await,
                other => return other,
            }
        }
        Ok(())
    }

    /// A failed call is free. The server gives back what was booked after all; while it lives, it must get round to it.
    async fn wait_given_back(&self) -> anyhow::Result<()> {
        let failed = self.journal.failed_requests();
        let ledger = self.rig.ledger().await?;
        let deadline = Deadline::after(GIVE_BACK_WAIT);
        while check::charges_kept(&ledger, &self.accounts, &failed).await? > 0 && !deadline.passed() {
            tokio::time::sleep(POLL * 20).await;
        }
        ledger.pool().close().await;
        Ok(())
    }

    fn report(&self, blow: &Blow, struck: bool, took: Duration) {
        let done = self.toll.server + self.toll.postgres;
        let what = if struck { "" } else { " did not fall" };
        let (calls, open) = (grouped(self.journal.calls()), self.journal.open_keys());
        progress(format!("{done}: {}{what} ({took:.1?}); {calls} calls, {open} keys open", blow.name()));
    }

    /// Lets everything come to its end on an undisturbed server, and then compares.
    async fn finish(self) -> anyhow::Result<Verdict> {
        let Self { rig, journal, accounts, toll } = self;
        let server = rig.serve(&[])?;
        load::drain(server.address, &journal, &accounts, DRAIN_WAIT).await;
        let ledger = rig.ledger().await?;
        let deadline = Deadline::after(HOLD_END_WAIT);
        while check::open_holds(&ledger).await? > 0 && !deadline.passed() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        server.stop()?;
        let open_holds = check::open_holds(&ledger).await?;
        progress(format!("statuses seen: {}", journal.statuses()));
        let calls = grouped(journal.calls());
        let journal = Arc::into_inner(journal).context("a client still writes to the journal")?;
        let (tickets, complaints) = journal.close();
        let mut findings = Findings { other: complaints, ..Findings::default() };
        check::check(&ledger, &accounts, &tickets, &mut findings).await?;
        progress(format!("what the crashes brought about: {:?}", findings.seen));
        for violation in rig.audit().await? {
            findings.other.add(violation);
        }
        let Findings { double, lost, other, .. } = findings;
        let passed = double.is_empty() && lost.is_empty() && other.is_empty() && open_holds == 0;
        let figure = format!(
            "crash: {} crashes (server {}, postgres {}) and {} lost acknowledgements alone, {calls} calls, \
             {} double charges, {} lost charges, {open_holds} open holds, {} other violations",
            toll.server + toll.postgres,
            toll.server,
            toll.postgres,
            toll.connection,
            double.count(),
            lost.count(),
            other.count()
        );
        Ok(Verdict { figure, passed })
    }
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}
