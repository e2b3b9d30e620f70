//! `assay import signals`: an operator's own events, from files. What was taken already is the same again, so a run that was stopped
//! is simply run again.

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::limits::{SIGNAL_LINE_BYTES_MAX, SIGNAL_SOURCE_CHARS_MAX, SIGNALS_PER_CALL_MAX};
use assay_domain::{Clock, NetworkHosts, Notice};
use assay_engine::Engine;
use assay_engine::signals::Told;
use assay_service::read_signal;
use clap::Args;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Rejects that are shown one by one.
const REJECTS_SHOWN: usize = 20;
/// Cells that are numbers or lists; all others are texts.
const NUMBERS: &[&str] = &["amount", "price", "applicants", "count", "usual", "confidence"];
const LISTS: &[&str] = &["investors", "leadInvestors"];

#[derive(Debug, Args)]
pub struct Signals {
    /// Files of JSON lines, or of CSV (`.csv`) whose columns are named like `company.name`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What the files are called among the sources of a signal.
    #[arg(long)]
    source: String,
    /// Tell what would come of it and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Default)]
struct Report {
    written: u64,
    known: u64,
    suppressed: u64,
    /// File, row, field and reason.
    rejected: Vec<(String, u64, String, String)>,
}

impl Signals {
    pub(super) async fn run(self, session: &Session) -> Result<(), Failure> {
        if self.source.is_empty() || self.source.chars().count() > SIGNAL_SOURCE_CHARS_MAX {
            let what = format!("a source has a name of up to {SIGNAL_SOURCE_CHARS_MAX} letters");
            return Err(Failure::new(what, "choose another for --source"));
        }
        let config = session.settings()?.config;
        let (ledger, graph) = (connect::ledger(&config).await?, connect::graph(&config).await?);
        connect::check_key(&config, &ledger, Some(&graph)).await?;
        let engine = Engine::new(graph, ledger, config.identity_key()?, config.hosts.clone());
        let mut report = Report::default();
        for file in &self.files {
            self.take(file, &engine, &config.hosts, &mut report).await?;
        }
        report.tell(session, self.dry_run);
        Ok(())
    }

    async fn take(
        &self,
        file: &Path,
        engine: &Engine,
        hosts: &NetworkHosts,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let name = file.display().to_string();
        let mut batch: Vec<Notice> = Vec::new();
        for (number, row) in (1_u64..).zip(rows(file)?) {
            match row.and_then(|row| read_signal(row, hosts)) {
                Ok(notice) => batch.push(notice),
                Err((field, reason)) => report.rejected.push((name.clone(), number, field, reason)),
            }
            if batch.len() >= SIGNALS_PER_CALL_MAX {
                self.write(engine, std::mem::take(&mut batch), report).await?;
            }
        }
        self.write(engine, batch, report).await
    }

    async fn write(&self, engine: &Engine, batch: Vec<Notice>, report: &mut Report) -> Result<(), Failure> {
        if self.dry_run {
            report.written += u64::try_from(batch.len()).unwrap_or(0);
            return Ok(());
        }
        for told in engine.take_notices(&self.source, batch, Clock::system().now()).await {
            match told? {
                Told::Written { .. } => report.written += 1,
                Told::Known(_) => report.known += 1,
                Told::Suppressed => report.suppressed += 1,
            }
        }
        Ok(())
    }
}

impl Report {
    fn tell(&self, session: &Session, dry_run: bool) {
        let Self { written, known, suppressed, rejected } = self;
        if session.json {
            let rejected = rejected.iter().map(|(file, row, field, reason)| {
                json!({ "file": file, "row": row, "field": field, "reason": reason })
            });
            let rejected: Vec<Value> = rejected.collect();
            return out::json(&json!({
                "written": written, "known": known, "suppressed": suppressed, "rejected": rejected, "dry_run": dry_run,
            }));
        }
        for (file, row, field, reason) in rejected.iter().take(REJECTS_SHOWN) {
            out::note(&format!("{file}, row {row}: {field}: {reason}"));
        }
        if rejected.len() > REJECTS_SHOWN {
            out::note(&format!("… and {} more; --json lists all", rejected.len() - REJECTS_SHOWN));
        }
        let verb = if dry_run { "would be taken" } else { "new or changed" };
        out::data(&format!(
            "{written} {verb}, {known} known already, {suppressed} of people who do not want to be found, {} rejected",
            rejected.len()
        ));
    }
}

/// A row, or the field that is wrong and why.
type Row = Result<Value, (String, String)>;

fn rows(file: &Path) -> Result<Box<dyn Iterator<Item = Row>>, Failure> {
    let opened = File::open(file).map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", file.display()), "name a readable file")
    })?;
    let is_csv = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    Ok(if is_csv { Box::new(csv_rows(opened)) } else { Box::new(json_rows(BufReader::new(opened))) })
}

fn json_rows(mut reader: impl BufRead) -> impl Iterator<Item = Row> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        let most = u64::try_from(SIGNAL_LINE_BYTES_MAX).unwrap_or(u64::MAX);
        match reader.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(count) if count >= SIGNAL_LINE_BYTES_MAX && !line.ends_with(b"\n") => {
                // The rest of it is not a row either; what cannot be read is told by the next one.
                drop(reader.skip_until(b'\n'));
                Some(Err((String::new(), "the line is too long".to_owned())))
            }
            Ok(_) => Some(serde_json::from_slice(&line).map_err(|_| (String::new(), "not JSON".to_owned()))),
            Err(error) => Some(Err((String::new(), error.to_string()))),
        }
    })
}

fn csv_rows(file: File) -> impl Iterator<Item = Row> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(file);
    let headers: Vec<String> =
        reader.headers().map(|row| row.iter().map(str::to_owned).collect()).unwrap_or_default();
    reader.into_records().map(move |record| {
        let record = record.map_err(|error| (String::new(), error.to_string()))?;
        let mut row = Map::new();
        for (header, cell) in headers.iter().zip(record.iter()).filter(|(_, cell)| !cell.is_empty()) {
            put(&mut row, header, cell)?;
        }
        Ok(Value::Object(row))
    })
}

/// `funding.amount` is a field of a field.
fn put(row: &mut Map<String, Value>, header: &str, cell: &str) -> Result<(), (String, String)> {
    let Some((outer, inner)) = header.split_once('.') else {
        row.insert(header.to_owned(), typed(header, cell)?);
        return Ok(());
    };
    let nested = row.entry(outer).or_insert_with(|| Value::Object(Map::new()));
    match nested {
        Value::Object(nested) => put(nested, inner, cell),
        _ => Err((header.to_owned(), format!("{outer} is a value and has fields"))),
    }
}

fn typed(field: &str, cell: &str) -> Result<Value, (String, String)> {
    if NUMBERS.contains(&field) {
        return serde_json::from_str::<serde_json::Number>(cell)
            .map(Value::Number)
            .map_err(|_| (field.to_owned(), "not a number".to_owned()));
    }
    if LISTS.contains(&field) {
        return Ok(cell.split(';').map(str::trim).filter(|part| !part.is_empty()).collect());
    }
    Ok(Value::from(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[&str], cells: &[&str]) -> Row {
        let mut row = Map::new();
        for (header, cell) in headers.iter().zip(cells) {
            put(&mut row, header, cell)?;
        }
        Ok(Value::Object(row))
    }

    #[test]
    fn columns_with_dots_are_fields_of_fields() {
        let row = read(
            &["id", "company.name", "funding.amount", "funding.investors", "change.to.company.name"],
            &["1", "Acme", "5000", "Cedar; Oak ", "Globex"],
        );
        let expected = json!({
            "id": "1", "company": { "name": "Acme" },
            "funding": { "amount": 5000, "investors": ["Cedar", "Oak"] },
            "change": { "to": { "company": { "name": "Globex" } } },
        });
        assert_eq!(row, Ok(expected));
        assert!(read(&["job.applicants"], &["many"]).is_err());
        assert!(read(&["company", "company.name"], &["Acme", "Acme"]).is_err());
    }

    #[test]
    fn a_line_that_is_too_long_is_one_bad_row() {
        let long =
            format!("{{\"id\":\"{}\"}}\n{{\"id\":\"2\"}}\nnonsense\n", "x".repeat(SIGNAL_LINE_BYTES_MAX));
        let rows: Vec<Row> = json_rows(long.as_bytes()).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].is_err() && rows[2].is_err());
        assert_eq!(rows[1], Ok(json!({ "id": "2" })));
    }
}
