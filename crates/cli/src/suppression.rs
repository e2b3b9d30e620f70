//! `assay suppression`: erases people and keeps them out, one by one or by a deletion list.

mod hash_list;
pub mod journal;

use crate::failure::Failure;
use crate::world::progress::Progress;
use crate::{Session, connect, out};
use assay_domain::limits::{LIST_REJECTS_TOLD_MAX, SUPPRESSIONS_PER_CALL_MAX};
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::suppression::{HashList, SuppressionReason};
use assay_domain::{
    Clock, Email, ListHash, NetworkHosts, NetworkUrl, ParseError, PersonId, Phone, SuppressionId,
};
use assay_engine::{Engine, Erased, Settled, Unwanted};
use assay_store::Ledger;
use chrono::SecondsFormat;
use clap::{Args, Subcommand, ValueEnum};
use hash_list::{Entry, HashFile};
use journal::{JournalReader, JournalWriter};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Lines of a list that are applied together: several transactions, of which one is copied while the next is made.
const LIST_AT_ONCE: usize = 5 * SUPPRESSIONS_PER_CALL_MAX;

#[derive(Debug, Subcommand)]
pub enum SuppressionCommand {
    /// Erase somebody and keep them out.
    Add(Add),
    /// Apply a deletion list: a CSV file with the columns ID and Hash, as the DROP platform gives it out.
    Import {
        file: PathBuf,
        /// What was hashed.
        #[arg(long, value_enum)]
        list: List,
    },
    /// List what is kept out, newest first.
    List {
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
        /// The id the last page ended with.
        #[arg(long)]
        after: Option<SuppressionId>,
    },
    /// Add what is new to a journal: a file to be kept off the machine, in case both databases are lost.
    Export { file: PathBuf },
    /// Apply journals, as after a restore without them.
    Apply {
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Lift suppressions: what they kept out may be imported again.
    Remove {
        #[arg(required = true)]
        ids: Vec<SuppressionId>,
    },
}

/// One or more of them. What does not read is never printed: it may be personal data.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct Add {
    #[arg(long)]
    email: Option<String>,
    /// International format with a leading +.
    #[arg(long)]
    phone: Option<String>,
    #[arg(long)]
    network_url: Option<String>,
    /// One record, per_…, whatever identifies it.
    #[arg(long)]
    person: Option<PersonId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum List {
    Email,
    Phone,
}

impl From<List> for HashList {
    fn from(list: List) -> Self {
        match list {
            List::Email => Self::Email,
            List::Phone => Self::Phone,
        }
    }
}

impl SuppressionCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let master_key = config.master_key()?.fingerprint();
        let engine = Engine::new(graph, ledger.clone(), config.identity_key()?, config.hosts.clone());
        match self {
            Self::Export { file } => export(session, (&engine, &ledger), &file, &master_key).await,
            Self::Apply { files } => apply_journals(session, (&engine, &ledger), &files, &master_key).await,
            Self::Add(add) => {
                let unwanted = add.read(&config.hosts)?;
                let now = Clock::system().now();
                let erased = engine.erase(&unwanted, SuppressionReason::Request, now).await?;
                tell(session, &erased, 0);
                Ok(())
            }
            Self::Import { file, list } => import(session, &engine, &file, list.into()).await,
            Self::List { limit, after } => print_list(session, &engine, after, limit).await,
            Self::Remove { ids } => remove(session, &engine, &ids).await,
        }
    }
}

impl Add {
    fn read(self, hosts: &NetworkHosts) -> Result<Vec<Unwanted>, Failure> {
        let unreadable = |error: ParseError| Failure::new(error.to_string(), error.fix());
        let mut unwanted = Vec::new();
        if let Some(person) = self.person {
            unwanted.push(Unwanted::Person(person));
        }
        if let Some(email) = &self.email {
            unwanted.push(Unwanted::Email(Email::parse(email).map_err(unreadable)?));
        }
        if let Some(phone) = &self.phone {
            unwanted.push(Unwanted::Phone(Phone::parse(phone).map_err(unreadable)?));
        }
        if let Some(url) = &self.network_url {
            let url = NetworkUrl::parse(url, hosts).map_err(unreadable)?;
            if url.kind() != NetworkUrlKind::Person {
                let fix = "give the address of a person's profile; companies are not suppressed";
                return Err(Failure::new("the network url is a company's", fix));
            }
            unwanted.push(Unwanted::NetworkUrl(url));
        }
        Ok(unwanted)
    }
}

fn tell(session: &Session, erased: &Erased, rejected: usize) {
    let Erased { suppressed, known, people, rows } = erased;
    if session.json {
        let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
        return out::json(&json!({
            "suppressed": suppressed, "already_suppressed": known, "people_erased": people, "ids": ids,
            "rejected": rejected,
        }));
    }
    out::data(&format!("{people} people erased; {suppressed} suppressions made, {known} were there before"));
}

/// Applies a list in bounded batches. Stopped half-way, it is simply run again.
async fn import(session: &Session, engine: &Engine, path: &Path, list: HashList) -> Result<(), Failure> {
    let file = HashFile::open(path)?;
    let progress = Progress::start("hashes", file.lines());
    let (mut total, mut rejected) = (Erased::default(), 0);
    let mut batch: Vec<Unwanted> = Vec::with_capacity(LIST_AT_ONCE);
    let mut read = 0;
    for entry in file.entries()? {
        let Entry { line, hash } = entry?;
        read += 1;
        match ListHash::parse(&hash) {
            Ok(hash) => batch.push(Unwanted::Hash(list, hash)),
            Err(error) => {
                rejected += 1;
                if rejected <= LIST_REJECTS_TOLD_MAX {
                    out::note(&format!("line {line}: {error}"));
                }
            }
        }
        if batch.len() == LIST_AT_ONCE {
            apply(engine, &mut batch, &mut total).await?;
            progress.advance(std::mem::take(&mut read));
        }
    }
    apply(engine, &mut batch, &mut total).await?;
    progress.advance(read);
    progress.finish();
    tell(session, &total, rejected);
    if rejected == 0 {
        return Ok(());
    }
    let what =
        format!("{rejected} lines of the list are no hashes and were left out; all others are applied");
    Err(Failure::new(
        what,
        "check that the file is whole and its second column is the hash, then run it again",
    ))
}

/// The ledger's copy, once it has all that the graph has.
async fn export(
    session: &Session,
    (engine, ledger): (&Engine, &Ledger),
    path: &Path,
    master_key: &str,
) -> Result<(), Failure> {
    engine.settle_suppressions().await?;
    let mut journal = JournalWriter::open(path, master_key)?;
    add_copies(ledger, &mut journal).await?;
    let added = journal.finish()?;
    if session.json {
        out::json(&json!({"added": added}));
    } else {
        out::data(&format!("{added} added to {}", path.display()));
    }
    Ok(())
}

/// All that the ledger knows.
pub async fn add_copies(ledger: &Ledger, journal: &mut JournalWriter) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let page = ledger.suppression_copies(after, SUPPRESSIONS_PER_CALL_MAX).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.digest);
        journal.add(&page)?;
    }
}

/// Tells the ledger of everything in the journals. Nothing is applied by that: settling does it.
pub async fn learn(ledger: &Ledger, files: &[PathBuf], master_key: &str) -> Result<(), Failure> {
    for path in files {
        let mut journal = JournalReader::open(path, master_key)?;
        while let Some(page) = journal.next_page()? {
            ledger.learn_suppressions(&page.iter().collect::<Vec<_>>()).await?;
        }
    }
    Ok(())
}

/// Whether a journal reads to its end.
pub fn check_journal(path: &Path, master_key: &str) -> Result<(), Failure> {
    let mut journal = JournalReader::open(path, master_key)?;
    while journal.next_page()?.is_some() {}
    Ok(())
}

async fn apply_journals(
    session: &Session,
    (engine, ledger): (&Engine, &Ledger),
    files: &[PathBuf],
    master_key: &str,
) -> Result<(), Failure> {
    learn(ledger, files, master_key).await?;
    let Settled { applied_again, people } = engine.settle_suppressions().await?;
    if session.json {
        out::json(&json!({"suppressed": applied_again, "people_erased": people}));
    } else {
        out::data(&format!("{people} people erased; {applied_again} suppressions made"));
    }
    Ok(())
}

async fn apply(engine: &Engine, batch: &mut Vec<Unwanted>, total: &mut Erased) -> Result<(), Failure> {
    if batch.is_empty() {
        return Ok(());
    }
    let now = Clock::system().now();
    let erased = engine.erase(batch, SuppressionReason::Drop, now).await?;
    total.suppressed += erased.suppressed;
    total.known += erased.known;
    total.people += erased.people;
    batch.clear();
    Ok(())
}

async fn print_list(
    session: &Session,
    engine: &Engine,
    after: Option<SuppressionId>,
    limit: u32,
) -> Result<(), Failure> {
    let rows = engine.suppressions(after, limit).await?;
    let moment = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    if session.json {
        let rows = rows.iter().map(|row| {
            json!({
                "id": row.id.to_string(), "kind": row.kind.as_str(), "reason": row.reason.as_str(),
                "created_at": moment(row.created_at), "drop_hash": row.hash.map(ListHash::to_base64),
            })
        });
        out::json(&json!({"results": rows.collect::<Vec<Value>>()}));
        return Ok(());
    }
    let mut table = out::table(["id", "kind", "reason", "made", "hash"]);
    for row in &rows {
        table.add_row([
            row.id.to_string(),
            row.kind.as_str().to_owned(),
            row.reason.as_str().to_owned(),
            moment(row.created_at),
            row.hash.map(ListHash::to_base64).unwrap_or_default(),
        ]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

async fn remove(session: &Session, engine: &Engine, ids: &[SuppressionId]) -> Result<(), Failure> {
    let mut absent = Vec::new();
    for id in ids {
        if !engine.lift_suppression(*id).await? {
            absent.push(id.to_string());
        }
    }
    if !absent.is_empty() {
        let what = format!("there is no suppression {}", absent.join(", "));
        return Err(Failure::new(what, "list them with `assay suppression list`; all others are lifted"));
    }
    if session.json {
        out::json(&json!({"lifted": ids.len()}));
    } else {
        out::data(&format!("{} lifted; what was erased comes back only by an import", ids.len()));
    }
    Ok(())
}
