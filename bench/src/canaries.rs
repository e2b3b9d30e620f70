//! The bar `canaries`: no personal data and no secret in logs, metrics, refusals, commands' notes or PostgreSQL's log.
//!
//! Values that exist nowhere else are sent in every place of every row, right and wrong, to servers that log as much as
//! they can, also while the database fails; then everything that was written is searched for them.

mod commands;
pub mod scan;
pub mod seeds;
mod shots;
pub mod wire;

use crate::bar::{Verdict, grouped, progress};
use crate::folder::KEPT_LOGS;
use crate::rig::{Folder, MASTER_KEY, Rig, RigOptions, Server};
use anyhow::{Context, bail};
use assay_service::CATALOG;
use assay_service::spec::Scope;
use assay_testkit::PostgresOptions;
use assay_world::{DEMO_AS_OF, World};
use scan::Scanner;
use seeds::{Canary, Kind, letters};
use serde_json::json;
use shots::{Keys, shots};
use sqlx::{Connection, PgConnection};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use wire::{Parts, Shot, Told};

const PEOPLE: u64 = 1_000;
const PEOPLE_SHORT: u64 = 300;
/// The people of an import that is refused.
const REFUSED_SEED: u64 = 4_711;
const REFUSED_PEOPLE: u64 = 20;
const SENDERS: usize = 4;
/// Known people asked for, so that answers and logs had something to tell.
const ASKED: u64 = 40;

/// PostgreSQL tells everything it may tell under the settings that docs/privacy.md asks for.
const TALKATIVE: &[(&str, &str)] = &[
    ("log_statement", "all"),
    ("log_min_duration_statement", "0"),
    ("log_min_error_statement", "info"),
    ("log_min_messages", "info"),
    ("log_connections", "on"),
    ("log_parameter_max_length", "0"),
    ("log_parameter_max_length_on_error", "0"),
    ("log_error_verbosity", "terse"),
];

/// Everything the bar works with.
pub struct Scene {
    rig: Rig,
    folder: Folder,
    keys: Keys,
    sent: Vec<Canary>,
    password: String,
    scanner: Scanner,
    statuses: BTreeMap<u16, usize>,
    /// Canaries in answers that may carry them: proof that the search can see.
    seen_in_answers: usize,
}

pub async fn run(short: bool) -> anyhow::Result<Verdict> {
    let mut scene = Scene::set(short)?;
    let commands = commands::run(&mut scene).context("in the commands")?;
    progress(format!("{commands} commands"));
    let levels: &[(&str, &str)] = &[("trace", "json"), ("debug", "json"), ("trace", "text")];
    for (index, (level, format)) in levels.iter().enumerate() {
        let server = scene.serve(level, format)?;
        // The first server gets the most; what the others log differs only in its form.
        let share = match (index, short) {
            (0, false) => 1,
            (0, true) => 3,
            (_, false) => 7,
            (_, true) => 21,
        };
        scene.storm(&server, share)?;
        if index == 0 {
            scene.trouble(&server).await.context("in the database's trouble")?;
        }
        scene.look_at_operations(&server)?;
        server.stop()?;
    }
    scene.refused_import().await.context("in the refused import")?;
    scene.look_at_files()?;
    scene.verdict()
}

impl Scene {
    fn set(short: bool) -> anyhow::Result<Self> {
        let postgres = PostgresOptions::with_settings(TALKATIVE);
        let people = if short { PEOPLE_SHORT } else { PEOPLE };
        let rig =
            Rig::start(RigOptions { failpoints: false, accounts: 2, people, postgres, one_database: false })?;
        let account = rig.accounts.first().context("an account")?.id.to_string();
        let scopes = Scope::ALL.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",");
        let key = |mode: &str| {
            let made =
                rig.cli(&["key", "create", "--account", &account, "--scopes", &scopes, "--mode", mode]);
            made.map(|key| key.trim().to_owned())
        };
        let keys = Keys { live: key("live")?, test: key("test")? };
        let password = letters(24);
        let rounds = if short { 1 } else { 4 };
        let sent: Vec<Canary> = (0..rounds).flat_map(|_| seeds::sent_by_clients()).collect();
        let refused = World::new(REFUSED_SEED, REFUSED_PEOPLE, DEMO_AS_OF);
        let mut canaries = sent.clone();
        canaries.extend(seeds::of_world(rig.world()));
        canaries.extend(seeds::of_world(&refused));
        canaries.extend(commands::secrets(&password));
        let issued = rig.accounts.iter().map(|account| &account.api_key).chain([&keys.live, &keys.test]);
        canaries.extend(issued.map(|key| Canary::new(Kind::ApiKey, key.as_str())));
        progress(format!("{} canaries", grouped(canaries.len())));
        Ok(Self {
            rig,
            folder: Folder::make("canaries")?,
            keys,
            sent,
            password,
            scanner: Scanner::new(&canaries)?,
            statuses: BTreeMap::new(),
            seen_in_answers: 0,
        })
    }

    /// Settings with secrets in them. The database asks for no password, so any will do.
    fn variables(&self) -> Vec<(&'static str, String)> {
        let secret = |url: String| url.replacen("postgres@", &format!("postgres:{}@", self.password), 1);
        vec![
            ("ASSAY_LEDGER_URL", secret(self.rig.ledger_url())),
            ("ASSAY_GRAPH_URL", secret(self.rig.graph_url())),
            ("ASSAY_SECRETS_MASTER_KEY", MASTER_KEY.to_owned()),
        ]
    }

    fn serve(&self, level: &str, format: &str) -> anyhow::Result<Server> {
        let variables = self.variables();
        let mut extra: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, &**value)).collect();
        extra.extend([("ASSAY_LOG_LEVEL", level), ("ASSAY_LOG_FORMAT", format)]);
        self.rig.serve(&extra)
    }

    /// Every row with every canary; of these, one in `share`.
    fn storm(&mut self, server: &Server, share: usize) -> anyhow::Result<()> {
        let mut all: Vec<Shot> = (0..ASKED).filter_map(|index| self.ask_known(index)).collect();
        for (row, entry) in CATALOG.iter().enumerate() {
            for (number, canary) in self.sent.iter().enumerate() {
                let shots = shots(entry, &canary.text, &self.keys);
                // Another part for each row and canary, so that together they cover all.
                all.extend(shots.into_iter().skip((row + number) % share).step_by(share));
            }
        }
        let count = all.len();
        self.fire(server.address, &all)?;
        progress(format!("{} requests, answered {:?}", grouped(count), self.statuses));
        Ok(())
    }

    fn ask_known(&self, index: u64) -> Option<Shot> {
        let body = json!({ "email": self.rig.known(index)?.email, "explain": true }).to_string().into_bytes();
        Some(self.post("/v1/enrich", body).shot("a known person"))
    }

    fn post(&self, path: &str, body: Vec<u8>) -> Parts<'_> {
        Parts {
            method: "POST",
            target: path.to_owned(),
            key: Some(&self.keys.live),
            body,
            ..Parts::default()
        }
    }

    fn fire(&mut self, address: SocketAddr, shots: &[Shot]) -> anyhow::Result<()> {
        self.fire_by(SENDERS, address, shots)
    }

    fn fire_by(&mut self, senders: usize, address: SocketAddr, shots: &[Shot]) -> anyhow::Result<()> {
        let share = shots.len().div_ceil(senders).max(1);
        let told = std::thread::scope(|scope| {
            let send = |part: &[Shot]| part.iter().map(|shot| wire::send(address, shot)).collect::<Vec<_>>();
            let senders: Vec<_> = shots.chunks(share).map(|part| scope.spawn(move || send(part))).collect();
            senders.into_iter().map(|sender| sender.join()).collect::<Vec<_>>()
        });
        for part in told {
            for told in part.ok().context("a sender broke down")? {
                self.judge(&told?);
            }
        }
        Ok(())
    }

    fn judge(&mut self, told: &Told) {
        *self.statuses.entry(told.status).or_default() += 1;
        let source = format!("the {} to {}", told.status, told.what);
        self.scanner.look(&source, told.must_be_clean());
        if told.is_answer() {
            self.seen_in_answers += self.scanner.count(told.body());
        }
    }

    /// A record that does not read back, a statement that fails, and a database that is gone.
    async fn trouble(&mut self, server: &Server) -> anyhow::Result<()> {
        let known = self.rig.known(0).context("a known person")?;
        let name = self.sent.iter().find(|canary| canary.kind == Kind::Name).context("a name")?;
        let broken = json!({ "full_name": name.text, "emails": known.email, "phones": [known.email] });
        // Bound, not written into the statement: the statement is logged.
        let mut graph = PgConnection::connect(&self.rig.graph_url()).await?;
        let broke = sqlx::query("update person set facts = $1::text::json where id = $2")
            .bind(broken.to_string())
            .bind(known.id.uuid())
            .execute(&mut graph)
            .await?;
        graph.close().await?;
        if broke.rows_affected() != 1 {
            bail!("the person to be broken is not there");
        }
        let shots: Vec<Shot> = (0..6).filter_map(|index| self.ask_known(index)).collect();
        self.fire(server.address, &shots)?;
        alter(&self.rig.ledger_url(), "alter table resolved_person rename to gone").await?;
        self.fire_by(2, server.address, &shots[1..3])?;
        alter(&self.rig.ledger_url(), "alter table gone rename to resolved_person").await?;
        progress("stopping PostgreSQL");
        self.rig.postgres.stop_fast()?;
        let mut shots = shots;
        for canary in self.sent.iter().take(4) {
            let body = json!({ "email": canary.text }).to_string().into_bytes();
            shots.push(self.post("/v1/enrich", body.clone()).shot("a call without a database"));
            shots.push(self.post("/v1/suppressions", body).shot("a call without a database"));
        }
        // All at once: each waits until the service gives up on the database.
        self.fire_by(shots.len(), server.address, &shots)?;
        self.look_at_operations(server)?;
        self.rig.postgres.restart()
    }

    /// Writing people into a table that refuses them: neither side may say whom it was about.
    async fn refused_import(&mut self) -> anyhow::Result<()> {
        let url = self.rig.graph_url();
        alter(&url, "alter table person add constraint bar_refuses check (false) not valid").await?;
        commands::refused_import(self, REFUSED_SEED, REFUSED_PEOPLE)?;
        alter(&url, "alter table person drop constraint bar_refuses").await
    }

    fn look_at_operations(&mut self, server: &Server) -> anyhow::Result<()> {
        for path in ["/metrics", "/readyz", "/livez", "/nowhere"] {
            let told = wire::get(server.operations, path)?;
            // Nothing here may carry anybody, whatever its status.
            self.scanner.look(path, told.must_be_clean());
            self.scanner.look(path, told.body());
        }
        Ok(())
    }

    fn look_at_files(&mut self) -> anyhow::Result<()> {
        self.scanner.look_at_file(&self.rig.log_file())?;
        self.scanner.look_at_file(&self.rig.postgres.data_dir().join("server.log"))?;
        if let Some(folder) = std::env::var_os(KEPT_LOGS) {
            self.scanner.look_at_folder(Path::new(&folder))?;
        }
        Ok(())
    }

    fn verdict(self) -> anyhow::Result<Verdict> {
        let count = |class: u16| -> usize {
            self.statuses.iter().filter(|(status, _)| **status / 100 == class).map(|(_, count)| count).sum()
        };
        // A run in which nothing was answered, refused or broken would prove nothing.
        if self.seen_in_answers == 0 || count(2) == 0 || count(4) == 0 || count(5) == 0 {
            bail!("the run is blind: {} canaries in answers, {:?}", self.seen_in_answers, self.statuses);
        }
        let Scanner { bytes, sources, canaries, complaints, .. } = self.scanner;
        let figure = format!(
            "canaries: {} hits in {} bytes of {} sources, {} canaries",
            complaints.count(),
            grouped(bytes),
            grouped(sources),
            grouped(canaries)
        );
        Ok(Verdict { figure, passed: complaints.is_empty() })
    }
}

async fn alter(url: &str, statement: &'static str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    sqlx::query(statement).execute(&mut connection).await?;
    Ok(connection.close().await?)
}
