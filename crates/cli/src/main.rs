//! Floor 6: the binary `assay`. Parses the command line, runs one command, and says in one sentence what went wrong.

mod account;
mod backup;
mod config;
mod config_command;
mod connect;
mod doctor;
mod failure;
mod feed;
mod import;
mod index;
mod jobs;
mod key;
mod migrate;
mod nearest;
mod openapi;
mod out;
mod prices;
mod provider;
mod reference;
mod restore;
mod serve;
mod snapshots;
mod source;
mod suppression;
mod telemetry;
mod world;

use clap::{Parser, Subcommand};
use config::Effective;
use failure::Failure;
use std::path::PathBuf;
use std::process::ExitCode;

/// Answers are many small allocations on two threads; the system's allocator spent a fifth of a call on them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Self-hosted contact and company enrichment, billed by outcome.
#[derive(Debug, Parser)]
#[command(name = "assay", version = VERSION, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    /// The configuration file; ./assay.toml when there is one.
    #[arg(long, env = "ASSAY_CONFIG", global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON for programs instead of text for people.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// A program with crash points in it says so: it must never serve anyone but a test.
const VERSION: &str = if cfg!(feature = "failpoints") {
    concat!(env!("CARGO_PKG_VERSION"), " with crash points")
} else {
    env!("CARGO_PKG_VERSION")
};

const EXAMPLES: &str = "\
Examples:
  assay migrate && assay world load          prepare both databases and fill them with made-up people
  assay account create --name Acme --plan trial
  assay key create --account acc_…           prints the key, once
  assay serve                                answers on 127.0.0.1:8080
  assay doctor                               says what is wrong and how to mend it";

#[derive(Debug, Subcommand)]
enum Command {
    /// Answer calls, and do the work in the background.
    Serve(serve::Serve),
    /// Bring both databases to the schema this program needs.
    Migrate(migrate::Migrate),
    /// Copy both databases into a folder, as they were at one moment.
    Backup(backup::Backup),
    /// Bring the databases back from a backup, and erase again whoever was erased since.
    Restore(restore::Restore),
    /// Make accounts and top them up.
    #[command(subcommand)]
    Account(account::Account),
    /// Make, list, rotate and revoke API keys.
    #[command(subcommand)]
    Key(key::Key),
    /// What every endpoint costs.
    Prices,
    /// Print the OpenAPI document.
    Openapi(openapi::Openapi),
    /// Write the reference as Markdown, or check the stored copy.
    Reference(reference::Reference),
    /// Made-up people and companies, to try things with.
    #[command(subcommand)]
    World(world::WorldCommand),
    /// Read files of people and companies into the graph.
    #[command(subcommand)]
    Import(import::ImportCommand),
    /// Who says what: sources, what their licences allow, and the records behind a person.
    #[command(subcommand)]
    Source(source::SourceCommand),
    /// Vendors: who is asked for what we do not know, with which keys, in which order.
    #[command(subcommand)]
    Provider(provider::ProviderCommand),
    /// Feeds: public sources that are looked at for signals.
    #[command(subcommand)]
    Feed(feed::FeedCommand),
    /// Erase people and keep them out.
    #[command(subcommand)]
    Suppression(suppression::SuppressionCommand),
    /// The nodes' indexes, which search asks.
    #[command(subcommand)]
    Index(index::IndexCommand),
    /// What waits in the queue, what runs and what failed.
    #[command(subcommand)]
    Jobs(jobs::JobsCommand),
    /// Look for trouble and say how to mend it.
    Doctor,
    /// The settings in force.
    #[command(subcommand)]
    Config(config_command::ConfigCommand),
}

/// Steps of work between two looks at the sockets.
const EVENT_INTERVAL: u32 = 16;

/// What every command gets.
struct Session {
    file: Option<PathBuf>,
    json: bool,
}

impl Session {
    /// Reads the configuration from the file and the environment.
    fn settings(&self) -> Result<Effective, Failure> {
        config::load(self.file.as_deref(), variables())
    }
}

/// The environment. A variable that is no text cannot be one of ours.
fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

fn main() -> ExitCode {
    #[cfg(feature = "failpoints")]
    let _scenario = fail::FailScenario::setup();
    let cli = Cli::parse();
    let session = Session { file: cli.config, json: cli.json };
    match run(cli.command, &session) {
        Ok(code) => code,
        Err(failure) => {
            out::note(&failure.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command, session: &Session) -> Result<ExitCode, Failure> {
    match command {
        Command::Prices => prices::run(session),
        Command::Openapi(command) => return command.run(),
        Command::Reference(command) => return command.run(),
        Command::Config(command) => return command.run(session),
        Command::Doctor => return block_on(doctor::run(session)),
        Command::Serve(command) => block_on(command.run(session))?,
        Command::Migrate(command) => block_on(command.run(session))?,
        Command::Backup(command) => block_on(command.run(session))?,
        Command::Restore(command) => block_on(command.run(session))?,
        Command::Account(command) => block_on(command.run(session))?,
        Command::Key(command) => block_on(command.run(session))?,
        Command::World(command) => block_on(command.run(session))?,
        Command::Import(command) => {
            yield_to_others();
            block_on(command.run(session))?;
        }
        Command::Source(command) => block_on(command.run(session))?,
        Command::Provider(command) => block_on(command.run(session))?,
        Command::Feed(command) => block_on(command.run(session))?,
        Command::Suppression(command) => block_on(command.run(session))?,
        Command::Index(command) => block_on(command.run(session))?,
        Command::Jobs(command) => block_on(command.run(session))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// How much less of a busy processor an import asks for than a node beside it.
const IMPORT_NICENESS: i32 = 10;

/// Takes what the machine has to spare: a node on it answers, and keeps its index up, as before. To be called before threads
/// are started, which inherit it.
fn yield_to_others() {
    if let Err(error) = rustix::process::nice(IMPORT_NICENESS) {
        tracing::debug!(%error, "the import runs at the usual priority");
    }
}

fn block_on<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Sockets are looked at more often than the default 61 steps: under overload a refusal must not wait behind work.
        .event_interval(EVENT_INTERVAL)
        .build();
    let runtime = runtime.map_err(|error| {
        Failure::new(
            format!("the program cannot start its threads: {error}"),
            "raise the limits of the process",
        )
    })?;
    // On the heap: a whole server's future does not belong on the stack.
    runtime.block_on(Box::pin(command))
}
