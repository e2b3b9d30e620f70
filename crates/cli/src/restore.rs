//! `assay restore`: both databases as a backup has them, and whoever was erased since is erased again before a node can start.
//!
//! The order makes that true whenever it is cut short: the suppressions of databases that are replaced are on the disk before anything is
//! removed, the ledger knows them before the graph has a schema, and no node starts without one, or before it has compared the two.

mod carried;

use crate::backup::manifest::Manifest;
use crate::backup::pg_program::{PgPrograms, Watched};
use crate::backup::{open, shelf};
use crate::config::Config;
use crate::failure::Failure;
use crate::{Session, connect, out, suppression};
use assay_engine::{Engine, Settled};
use assay_store::{Graph, Ledger, Site};
use carried::Carried;
use chrono::SecondsFormat;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};
use uuid::Uuid;

#[derive(Debug, Args)]
pub struct Restore {
    /// A backup, or the folder it was made in: then the newest whole one.
    #[arg(long, value_name = "FOLDER")]
    from: PathBuf,
    /// Restore this database and leave the other as it is.
    #[arg(long, value_enum)]
    only: Option<Side>,
    /// Remove what is in the databases now. Who was erased is carried over.
    #[arg(long)]
    replace: bool,
    /// A journal of `assay suppression export`, for when the databases are lost; may be given several times.
    #[arg(long, value_name = "FILE")]
    suppressions: Vec<PathBuf>,
    /// The folder of pg_restore, if it is not found by itself.
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    Ledger,
    Graph,
}

/// What came of it.
#[derive(Debug, Default)]
struct Restored {
    /// None when the graph is empty still, and there is nobody to erase.
    settled: Option<Settled>,
    epoch: Option<Uuid>,
}

impl Restore {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let folder = shelf::find(&self.from)?;
        let manifest = self.check(&folder, &config)?;
        let mut sites = (open(&config.ledger, "ledger").await?, open(&config.graph, "graph").await?);
        let empty = (sites.0.is_empty().await?, sites.1.is_empty().await?);
        self.check_free(&mut sites, empty).await?;
        self.check_other_side(&config, empty).await?;
        let carried = Carried::collect(&folder, &config, self.sides_of(!empty.0, !empty.1)).await?;
        self.clear(&mut sites).await?;
        let restored = self.rebuild(&config, &manifest, &folder, &carried).await?;
        for (site, is_restored) in
            [(&mut sites.0, self.wants(Side::Ledger)), (&mut sites.1, self.wants(Side::Graph))]
        {
            if is_restored {
                site.analyze().await?;
            }
        }
        let is_blind = empty == (true, true) && self.suppressions.is_empty() && carried.files().is_empty();
        carried.remove()?;
        self.tell(session, (&folder, &manifest), &restored, is_blind);
        Ok(())
    }

    fn wants(&self, side: Side) -> bool {
        self.only.is_none_or(|only| only == side)
    }

    /// Which sides are to be replaced, of those that hold anything.
    fn sides_of(&self, ledger: bool, graph: bool) -> (bool, bool) {
        (ledger && self.wants(Side::Ledger), graph && self.wants(Side::Graph))
    }

    /// Whether this backup can be restored at all, before anything is touched.
    fn check(&self, folder: &Path, config: &Config) -> Result<Manifest, Failure> {
        let manifest = Manifest::read(folder)?;
        let fingerprint = config.master_key()?.fingerprint();
        if manifest.master_key.as_ref().is_some_and(|made_with| *made_with != fingerprint) {
            let what = "the backup was made under another master key";
            return Err(Failure::new(what, "set the master key these databases were first used with"));
        }
        let sides = [
            (Side::Ledger, "ledger", &manifest.ledger, Ledger::schema_needed()),
            (Side::Graph, "graph", &manifest.graph, Graph::schema_needed()),
        ];
        for (side, name, dump, needed) in sides {
            if !self.wants(side) {
                continue;
            }
            if dump.schema > needed {
                let found = dump.schema;
                let what = format!(
                    "the backup's {name} has schema {found}, newer than the {needed} this program knows"
                );
                return Err(Failure::new(what, "run the newer program"));
            }
            dump.check(folder)?;
        }
        self.suppressions.iter().try_for_each(|path| suppression::check_journal(path, &fingerprint))?;
        Ok(manifest)
    }

    /// Nobody else is at the databases, and nothing is overwritten unasked.
    async fn check_free(&self, sites: &mut (Site, Site), empty: (bool, bool)) -> Result<(), Failure> {
        let others = sites.0.others().await?.max(sites.1.others().await?);
        if others > 0 {
            let what = format!("{others} connections of other assay programs are open");
            return Err(Failure::new(what, "stop every node and every command that runs, then restore"));
        }
        let sides = [(Side::Ledger, "ledger", empty.0), (Side::Graph, "graph", empty.1)];
        for (side, name, is_empty) in sides {
            if self.wants(side) && !is_empty && !self.replace {
                let what = format!("the {name} database is not empty");
                return Err(Failure::new(
                    what,
                    "give --replace to remove what is in it, or name an empty database",
                ));
            }
        }
        Ok(())
    }

    /// The side that stays has to fit what comes beside it.
    async fn check_other_side(&self, config: &Config, empty: (bool, bool)) -> Result<(), Failure> {
        if !self.wants(Side::Ledger) {
            connect::check_key(config, &connect::ledger(config).await?, None).await?;
        }
        if !self.wants(Side::Graph) && !empty.1 {
            connect::check_graph_key(config, &connect::graph(config).await?).await?;
        }
        Ok(())
    }

    /// Both before either is restored: a node that starts meanwhile finds no schema, and does not.
    async fn clear(&self, sites: &mut (Site, Site)) -> Result<(), Failure> {
        if self.wants(Side::Graph) {
            sites.1.clear().await?;
        }
        if self.wants(Side::Ledger) {
            sites.0.clear().await?;
        }
        Ok(())
    }

    /// The ledger, then what it has to know, then the graph, then all that follows from both.
    async fn rebuild(
        &self,
        config: &Config,
        manifest: &Manifest,
        folder: &Path,
        carried: &Carried,
    ) -> Result<Restored, Failure> {
        let programs = PgPrograms::in_folder(self.programs.clone());
        if self.wants(Side::Ledger) {
            let dump = folder.join(&manifest.ledger.file);
            // A node may not start on it before it is told what it has to know; it has no graph yet.
            let restoring = programs.restore(&config.ledger, &dump);
            Watched::start("restoring the ledger", Vec::new()).until(restoring).await?;
            Ledger::migrate(&config.ledger).await?;
        }
        let ledger = connect::ledger(config).await?;
        connect::check_key(config, &ledger, None).await?;
        let master_key = config.master_key()?.fingerprint();
        suppression::learn(&ledger, &self.suppressions, &master_key).await?;
        suppression::learn(&ledger, carried.files(), &master_key).await?;
        // Whatever the mark says, it is of databases that are gone.
        ledger.learn_suppressions(&[]).await?;
        if self.wants(Side::Graph) {
            let dump = folder.join(&manifest.graph.file);
            let restoring = programs.restore(&config.graph, &dump);
            Watched::start("restoring the graph", Vec::new()).until(restoring).await?;
            Graph::migrate(&config.graph).await?;
        } else if open(&config.graph, "graph").await?.is_empty().await? {
            return Ok(Restored::default());
        }
        let graph = connect::graph(config).await?;
        connect::check_key(config, &ledger, Some(&graph)).await?;
        let epoch = if self.wants(Side::Graph) { Some(graph.begin_new_log().await?) } else { None };
        let engine = Engine::new(graph, ledger, config.identity_key()?, config.hosts.clone());
        let settled = connect::settle(&engine).await?;
        Ok(Restored { settled: Some(settled), epoch })
    }

    fn tell(
        &self,
        session: &Session,
        (folder, manifest): (&Path, &Manifest),
        restored: &Restored,
        is_blind: bool,
    ) {
        let moment = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
        let of = |side, at| self.wants(side).then(|| moment(at));
        let (ledger, graph) =
            (of(Side::Ledger, manifest.ledger.moment), of(Side::Graph, manifest.graph.moment));
        let Settled { applied_again, people } = restored.settled.unwrap_or_default();
        if session.json {
            return out::json(&json!({
                "backup": folder.display().to_string(), "ledger": ledger, "graph": graph,
                "suppressions_applied_again": applied_again, "people_erased_again": people,
                "log_epoch": restored.epoch, "later_erasures_known": !is_blind,
            }));
        }
        for (side, at) in [("ledger", ledger), ("graph", graph)] {
            if let Some(at) = at {
                out::data(&format!("{side} restored as of {at}"));
            }
        }
        out::data(&format!("{applied_again} suppressions applied again, {people} people erased again"));
        if is_blind {
            out::note(&format!(
                "nothing is known of whom was erased after {}: both databases were empty and no journal was given. \
                 Apply one with `assay suppression apply`, or what was asked for since, before serving",
                moment(manifest.graph.moment)
            ));
        }
    }
}
