//! `assay source`: who says what, what their licence allows, which records are behind a person, and how to be rid of them.

use crate::failure::Failure;
use crate::import::{Answer, ask, known_source};
use crate::world::progress::Progress;
use crate::{Session, connect, out};
use assay_domain::{AccountId, Clock, PersonId};
use assay_engine::Engine;
use assay_engine::import::{ExplainedRecord, Source, SourceListing, SourceRights};
use assay_store::Ledger;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Declare a source and what its licence allows; declared again, what it allows is changed.
    Add(Add),
    /// List the sources, with how much each has told.
    List,
    /// Remove a source and all that was learnt from it alone. Stopped half-way, it is simply run again.
    Purge {
        name: String,
        /// Without being asked.
        #[arg(long)]
        yes: bool,
    },
    /// Tell which records are behind a person, and why they were taken for one.
    Explain { person: PersonId },
    /// Take a record out of the person it was taken for: it becomes somebody of its own, and is not linked to them again.
    Part {
        name: String,
        /// What the source calls the record; `assay source explain` tells.
        reference: String,
    },
}

#[derive(Debug, Args)]
pub struct Add {
    /// Shown to callers as the provider of every value it gave.
    name: String,
    /// What it may be used for, in the operator's own words.
    #[arg(long)]
    licence: String,
    /// Values are removed when the source has not shown them for so many days.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    retention_days: Option<u32>,
    /// Only this account sees what the source says.
    #[arg(long, value_name = "ACCOUNT")]
    private_to: Option<AccountId>,
    /// Its values may be passed on but not kept: it cannot be imported.
    #[arg(long)]
    not_storable: bool,
}

impl SourceCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let engine = Engine::new(graph, ledger.clone(), config.identity_key()?, config.hosts.clone());
        match self {
            Self::Add(source) => add(session, &engine, &ledger, source).await,
            Self::List => list(session, &engine).await,
            Self::Purge { name, yes } => purge(session, &engine, &name, yes).await,
            Self::Explain { person } => explain(session, &engine, person).await,
            Self::Part { name, reference } => part(session, &engine, &name, &reference).await,
        }
    }
}

async fn add(session: &Session, engine: &Engine, ledger: &Ledger, add: Add) -> Result<(), Failure> {
    if let Some(account) = add.private_to
        && ledger.overview(account).await?.is_none()
    {
        return Err(Failure::new(format!("there is no account {account}"), "check the id"));
    }
    let rights = SourceRights {
        licence: add.licence,
        storable: !add.not_storable,
        retention_days: add.retention_days,
        owner: add.private_to,
    };
    let source = engine.declare_source(&add.name, &rights).await?;
    if session.json {
        out::json(&as_json(&source));
        return Ok(());
    }
    out::data(&format!("source {}: {}", source.name, told_rights(&source.rights).join(", ")));
    if source.rights.storable {
        out::note(&format!("next: assay import people FILE --source {}", source.name));
    }
    Ok(())
}

async fn list(session: &Session, engine: &Engine) -> Result<(), Failure> {
    let listed = engine.sources().await?;
    if session.json {
        let rows = listed.iter().map(|SourceListing { source, people, companies }| {
            let mut value = as_json(source);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("people".to_owned(), (*people).into());
                fields.insert("companies".to_owned(), (*companies).into());
            }
            value
        });
        out::json(&json!({"results": rows.collect::<Vec<Value>>()}));
        return Ok(());
    }
    let mut table = out::table(["name", "people", "companies", "rights", "licence"]);
    for SourceListing { source, people, companies } in &listed {
        table.add_row([
            source.name.clone(),
            people.to_string(),
            companies.to_string(),
            told_rights(&source.rights).join(", "),
            source.rights.licence.clone(),
        ]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

/// Batch by batch; the source itself goes last, so that a purge that was stopped can be run again.
async fn purge(session: &Session, engine: &Engine, name: &str, yes: bool) -> Result<(), Failure> {
    let source = known_source(engine, name).await?;
    let records = records_of(engine, &source).await?;
    if !yes {
        let question =
            format!("Remove {name}, its {records} records and all that was learnt from them alone?");
        match ask(&question) {
            Answer::Yes => {}
            Answer::No => return Err(Failure::new("nothing was removed", "answer y, or add --yes")),
            Answer::Nobody => {
                return Err(Failure::new("nobody is here to confirm the purge", "add --yes"));
            }
        }
    }
    let progress = Progress::start("records", records);
    let mut removed = 0;
    loop {
        let gone = engine.purge_source_step(&source, Clock::system().now()).await?;
        if gone == 0 {
            break;
        }
        removed += gone;
        progress.advance(gone);
    }
    progress.finish();
    engine.forget_source(&source).await?;
    if session.json {
        out::json(&json!({"source": name, "records_removed": removed}));
    } else {
        out::data(&format!("{removed} records removed; the source {name} is gone"));
    }
    Ok(())
}

async fn records_of(engine: &Engine, source: &Source) -> Result<u64, Failure> {
    let listed = engine.sources().await?;
    let own = listed.iter().find(|listing| listing.source.id == source.id);
    Ok(own.map_or(0, |listing| listing.people + listing.companies))
}

async fn explain(session: &Session, engine: &Engine, person: PersonId) -> Result<(), Failure> {
    let records = engine.explain_person(person).await?;
    if records.is_empty() {
        let what = format!("no record of a source is behind {person}");
        return Err(Failure::new(what, "check the id; people of the demo world come from no source"));
    }
    if session.json {
        let rows = records.iter().map(|record| {
            json!({
                "source": record.source, "reference": record.reference, "first_seen": record.first_seen,
                "last_seen": record.last_seen, "reasons": record.reasons, "confidence": record.confidence,
            })
        });
        out::json(&json!({"person": person.to_string(), "records": rows.collect::<Vec<Value>>()}));
        return Ok(());
    }
    let mut table = out::table(["source", "reference", "first seen", "last seen", "why", "confidence"]);
    for record in &records {
        table.add_row([
            record.source.clone(),
            record.reference.clone(),
            record.first_seen.to_string(),
            record.last_seen.to_string(),
            told_reasons(record),
            record.confidence.map(|sure| sure.to_string()).unwrap_or_default(),
        ]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

/// A record that nobody was known for began the person and has no reason.
fn told_reasons(record: &ExplainedRecord) -> String {
    if record.reasons.is_empty() { "was the first".to_owned() } else { record.reasons.join(", ") }
}

async fn part(session: &Session, engine: &Engine, name: &str, reference: &str) -> Result<(), Failure> {
    let source = known_source(engine, name).await?;
    let now = Clock::system().now();
    let parted = engine.part_record(&source, reference, now).await?;
    let Some(person) = parted else {
        let what = format!("{name} has no record {reference} that was taken for somebody known");
        return Err(Failure::new(what, "`assay source explain per_…` tells the records behind a person"));
    };
    if session.json {
        out::json(&json!({"source": name, "reference": reference, "person": person.to_string()}));
    } else {
        out::data(&format!("the record {reference} of {name} is {person} now"));
    }
    Ok(())
}

fn told_rights(rights: &SourceRights) -> Vec<String> {
    let kept = match (rights.storable, rights.retention_days) {
        (false, _) => "not to be kept".to_owned(),
        (true, None) => "kept".to_owned(),
        (true, Some(days)) => format!("kept for {days} days"),
    };
    let seen = rights.owner.map_or("seen by all".to_owned(), |owner| format!("seen by {owner} only"));
    vec![kept, seen]
}

fn as_json(source: &Source) -> Value {
    let rights = &source.rights;
    json!({
        "name": source.name, "licence": rights.licence, "storable": rights.storable,
        "retention_days": rights.retention_days, "private_to": rights.owner.map(|owner| owner.to_string()),
    })
}
