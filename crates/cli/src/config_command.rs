//! `assay config`: the settings in force, and where each comes from.

use crate::config::example;
use crate::failure::Failure;
use crate::{Session, out};
use clap::Subcommand;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Every value and where it comes from; secrets are masked.
    Show,
    /// Say whether the settings are good, and what is wrong with them.
    Check,
    /// Print an annotated file with every key.
    Example,
}

impl ConfigCommand {
    pub fn run(self, session: &Session) -> Result<ExitCode, Failure> {
        match self {
            Self::Show => show(session)?,
            Self::Check => return check(session),
            Self::Example => out::data(example().trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(session: &Session) -> Result<(), Failure> {
    let effective = session.settings()?;
    let file = effective.file.as_ref().map(|path| path.display().to_string());
    if session.json {
        let values: Map<String, Value> = effective
            .values
            .iter()
            .map(|given| {
                (given.key.path(), json!({"value": given.masked(), "from": given.origin.to_string()}))
            })
            .collect();
        out::json(&json!({"file": file, "values": values}));
        return Ok(());
    }
    let mut table = out::table(["key", "value", "from"]);
    for given in &effective.values {
        table.add_row([given.key.path(), given.masked(), given.origin.to_string()]);
    }
    out::data(&table.trim_fmt());
    out::note(&format!(
        "file: {}",
        file.as_deref().unwrap_or("none (./assay.toml is read when there is one)")
    ));
    Ok(())
}

fn check(session: &Session) -> Result<ExitCode, Failure> {
    let checked = session.settings();
    if !session.json {
        let effective = checked?;
        out::data("the settings are good");
        if effective.config.master_key.is_none() {
            out::note("no master key is set; `assay serve` needs one");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let errors: Vec<Value> = match &checked {
        Ok(_) => Vec::new(),
        Err(failure) => {
            failure.reasons.iter().map(|reason| json!({"message": reason.what, "fix": reason.fix})).collect()
        }
    };
    out::json(&json!({"ok": errors.is_empty(), "errors": errors}));
    Ok(if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
