//! `assay import`: reads files of people, companies and events into the graph. A run that was stopped goes on by itself.

mod ask;
mod feed;
mod layout;
mod progress;
mod rejects;
mod report;
mod signals;
mod write;

pub(crate) use ask::{Answer, ask};

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::WRITE_BATCH_MAX;
use assay_domain::{Clock, NetworkHosts};
use assay_engine::Engine;
use assay_engine::import::{ImportRun, RecordKind, Source};
use assay_intake::{Format, Kind};
use clap::{Args, Subcommand, ValueEnum};
use layout::Layout;
use report::Report;
use signals::Signals;
use std::path::{Path, PathBuf};
use write::Import;

/// One transaction: large enough that its commit costs little, small enough that a killed run loses little.
const BATCH_ROWS: u64 = 5_000;

#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import files in which a row is a person: CSV, JSON lines or Parquet; text may be gzipped.
    People(Files),
    /// Import files in which a row is a company.
    Companies(Files),
    /// Import files in which a row is an event: a round, a purchase, a job, somebody who changed jobs.
    Signals(Signals),
    /// Print which column would feed which field, to be edited and given back with --mapping.
    Mapping {
        kind: RowKind,
        file: PathBuf,
        #[arg(long, value_parser = read_format)]
        format: Option<Format>,
    },
}

#[derive(Debug, Args)]
pub struct Files {
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Who says all this, as declared with `assay source add`.
    #[arg(long)]
    source: String,
    /// Which column feeds which field, if not as guessed; `assay import mapping` prints one to begin with.
    #[arg(long)]
    mapping: Option<PathBuf>,
    /// Tell what would come of it and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Take the guessed mapping without being asked.
    #[arg(long)]
    yes: bool,
    /// Where rows go that cannot be read, instead of FILE.rejects.csv.
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Rows a transaction.
    #[arg(long, default_value_t = BATCH_ROWS, value_parser = batch_rows())]
    batch: u64,
    /// csv, jsonl or parquet, if the name of the file does not tell.
    #[arg(long, value_parser = read_format)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowKind {
    People,
    Companies,
}

impl From<RowKind> for Kind {
    fn from(kind: RowKind) -> Self {
        match kind {
            RowKind::People => Self::People,
            RowKind::Companies => Self::Companies,
        }
    }
}

fn batch_rows() -> clap::builder::RangedU64ValueParser {
    let most = u64::try_from(WRITE_BATCH_MAX).unwrap_or(BATCH_ROWS);
    clap::value_parser!(u64).range(1..=most)
}

fn read_format(text: &str) -> Result<Format, String> {
    text.parse().map_err(|_| "name one of csv, jsonl and parquet".to_owned())
}

impl ImportCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        match self {
            Self::People(files) => files.import(session, Kind::People).await,
            Self::Companies(files) => files.import(session, Kind::Companies).await,
            Self::Signals(signals) => signals.run(session).await,
            Self::Mapping { kind, file, format } => {
                let hosts = session.settings()?.config.hosts;
                let layout = Layout::guess(kind.into(), &file, format, &hosts)?;
                out::data(layout.text().trim_end());
                Ok(())
            }
        }
    }
}

impl Files {
    async fn import(self, session: &Session, kind: Kind) -> Result<(), Failure> {
        if self.rejects.is_some() && self.files.len() > 1 {
            let what = "several files cannot have their rejects in one: rows are told by their number";
            return Err(Failure::new(what, "leave out --rejects, or import the files one by one"));
        }
        let config = session.settings()?.config;
        let layouts = self.layouts(kind, &config.hosts)?;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let engine = Engine::new(graph, ledger, config.identity_key()?, config.hosts.clone());
        let source = storable_source(&engine, &self.source).await?;
        self.confirm(&layouts)?;
        let watch = Stopwatch::start();
        let mut report = Report::new(kind, &source.name, self.dry_run);
        let imports = layouts.iter().map(|layout| {
            let clock = Clock::system();
            Import { engine: &engine, source: &source, layout, clock }
        });
        let imports: Vec<Import<'_>> = imports.collect();
        let batch = usize::try_from(self.batch).unwrap_or(WRITE_BATCH_MAX);
        if self.dry_run {
            for import in &imports {
                report.add(import.preview(batch).await?);
            }
        } else {
            for (import, run) in imports.iter().zip(begin_all(&imports).await?) {
                report.add(import.write(run, batch, self.rejects.as_deref()).await?);
            }
        }
        report.tell(session, watch.elapsed());
        Ok(())
    }

    /// Of every file before the first one is written: the tenth should not be found unreadable after an hour.
    fn layouts(&self, kind: Kind, hosts: &NetworkHosts) -> Result<Vec<Layout>, Failure> {
        let layout = |file: &PathBuf| match &self.mapping {
            Some(mapping) => Layout::read(kind, file, self.format, mapping, hosts),
            None => Layout::guess(kind, file, self.format, hosts),
        };
        let layouts = self.files.iter().map(layout).collect::<Result<Vec<Layout>, Failure>>()?;
        layouts.iter().try_for_each(Layout::check)?;
        Ok(layouts)
    }

    /// Shows a guess and has it confirmed. A mapping that was given is meant as it is.
    fn confirm(&self, layouts: &[Layout]) -> Result<(), Failure> {
        if self.mapping.is_some() {
            return Ok(());
        }
        let mut shown = "";
        for layout in layouts.iter() {
            if layout.text() != shown {
                out::note(&format!("{}:\n{}", layout.path().display(), layout.text().trim_end()));
                shown = layout.text();
            }
        }
        if self.yes || self.dry_run {
            return Ok(());
        }
        match ask("Import with this mapping?") {
            Answer::Yes => Ok(()),
            Answer::No => Err(Failure::new("nothing was imported", how_to_go_on(layouts))),
            Answer::Nobody => {
                let what = "the mapping above is guessed, and nobody is here to confirm it";
                Err(Failure::new(what, how_to_go_on(layouts)))
            }
        }
    }
}

/// All runs of a command begin at one moment, before the first file is written. So when it is given again after it was
/// stopped in its second file, it is known that the first one is through, although its own run says only that it once was.
async fn begin_all(imports: &[Import<'_>]) -> Result<Vec<ImportRun>, Failure> {
    let mut at = Clock::system().now();
    let mut runs = Vec::new();
    // From the last one, whose run is open as long as the command is not through.
    for import in imports.iter().rev() {
        let run = import.begin(at).await?;
        at = run.at;
        runs.push(run);
    }
    runs.reverse();
    Ok(runs)
}

fn how_to_go_on(layouts: &[Layout]) -> String {
    let (kind, path) = match layouts {
        [layout, ..] => (layout.kind().as_str(), layout.path()),
        [] => ("people", Path::new("FILE")),
    };
    format!(
        "add --yes to take it as it is, or edit it: `assay import mapping {kind} {} > mapping.toml`, then \
         --mapping mapping.toml",
        path.display()
    )
}

/// The source by its name. One whose values may not be kept cannot be imported, only asked.
async fn storable_source(engine: &Engine, name: &str) -> Result<Source, Failure> {
    let source = known_source(engine, name).await?;
    if !source.rights.storable {
        let what = format!("the licence of {name} does not allow its values to be kept");
        let fix = "if that has changed, declare it again without --not-storable: assay source add";
        return Err(Failure::new(what, fix));
    }
    Ok(source)
}

pub(crate) async fn known_source(engine: &Engine, name: &str) -> Result<Source, Failure> {
    let found = engine.source(name).await?;
    found.ok_or_else(|| {
        let fix = format!(
            "declare it first: assay source add {name} --licence \"what it allows\"; `assay source list` shows those \
             there are"
        );
        Failure::new(format!("there is no source {name}"), fix)
    })
}

fn record_kind(kind: Kind) -> RecordKind {
    match kind {
        Kind::People => RecordKind::Person,
        Kind::Companies => RecordKind::Company,
    }
}

/// Why a file cannot be read, with the file.
fn unreadable(path: &Path, error: &assay_intake::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()), "mend the file or the mapping, then run it again")
}
