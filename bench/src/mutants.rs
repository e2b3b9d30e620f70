//! The `mutants` bar: where a mistake would cost money or let a stranger in, a changed line makes a test fail.
//!
//! cargo-mutants changes one thing at a time in a copy of the tree and runs the unit tests of the crate. A change that no
//! test notices is missed.

use crate::bar::{Verdict, progress};
use crate::rig::{Folder, run_command};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::{Postgres, PostgresOptions, workspace_root};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

const CARGO_MUTANTS: &str = "27.1.0";
/// Of the changes that compile, this many in a hundred have to be noticed; where money is counted, all of them.
const CAUGHT_PERCENT_MIN: usize = 95;
/// The short form tries every so-manieth change of the money's files.
const SHORT_SHARD: &str = "0/6";
/// A change may make a test run for ever, which counts as noticed. Tests take a second or two.
const TEST_TIMEOUT_SECONDS: &str = "60";

/// Files that are tried together: those of one crate.
struct Group {
    package: &'static str,
    files: &'static [&'static str],
    /// The crate's tests that speak of these files, beside its unit tests: linking all would take longer than running them.
    tests: &'static [&'static str],
    is_money: bool,
}

const MONEY: Group = Group {
    package: "assay-domain",
    files: &["crates/domain/src/price.rs", "crates/domain/src/credits.rs"],
    tests: &[],
    is_money: true,
};

const OTHERS: &[Group] = &[
    Group {
        package: "assay-domain",
        files: &[
            "crates/domain/src/api_key.rs",
            "crates/domain/src/rate/tally.rs",
            "crates/domain/src/rate/window.rs",
        ],
        tests: &["rates", "secrets"],
        is_money: false,
    },
    Group {
        package: "assay-store",
        files: &["crates/store/src/ledger/book.rs", "crates/store/src/ledger/apply.rs"],
        tests: &[],
        is_money: false,
    },
    Group {
        package: "assay-service",
        files: &[
            "crates/service/src/idempotency.rs",
            "crates/service/src/authenticate.rs",
            "crates/service/src/rate/mod.rs",
            "crates/service/src/rate/ruling.rs",
            "crates/service/src/rate/windows.rs",
        ],
        tests: &[],
        is_money: false,
    },
];

/// What became of the changes of one file.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Tally {
    caught: usize,
    timeouts: usize,
    unviable: usize,
    missed: Vec<String>,
    is_money: bool,
}

impl Tally {
    fn noticed(&self) -> usize {
        self.caught + self.timeouts
    }

    /// Changes that compile: the others prove nothing.
    fn viable(&self) -> usize {
        self.noticed() + self.missed.len()
    }
}

#[derive(Deserialize)]
struct Outcomes {
    outcomes: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    scenario: Scenario,
    summary: String,
}

#[derive(Deserialize)]
enum Scenario {
    Baseline,
    Mutant { name: String, file: String },
}

pub async fn run(short: bool) -> Result<Verdict> {
    need_cargo_mutants()?;
    let folder = Folder::make("mutants")?;
    let mut tallies = BTreeMap::new();
    if short {
        try_group(&MONEY, &folder.path.join("money"), Some(SHORT_SHARD), None, &mut tallies)?;
    } else {
        // Some tests of the service talk to a ledger.
        let postgres = Postgres::start(PostgresOptions::default())?;
        let url = postgres.url("postgres");
        for (number, group) in std::iter::once(&MONEY).chain(OTHERS).enumerate() {
            let output = folder.path.join(number.to_string());
            try_group(group, &output, None, Some(&url), &mut tallies)?;
        }
    }
    print_table(&tallies);
    Ok(judge(&tallies))
}

fn judge(tallies: &BTreeMap<String, Tally>) -> Verdict {
    let sum = |is_money: bool, part: fn(&Tally) -> usize| {
        tallies.values().filter(|tally| tally.is_money == is_money).map(part).sum::<usize>()
    };
    let (money, money_missed) = (sum(true, Tally::viable), sum(true, |tally| tally.missed.len()));
    let (others, noticed) = (sum(false, Tally::viable), sum(false, Tally::noticed));
    let percent = (noticed * 1_000).checked_div(others).unwrap_or(1_000);
    let mut figure = format!("mutants: money {money} tried, {money_missed} missed");
    if others > 0 {
        figure.push_str(&format!(
            "; the rest {others} tried, {noticed} caught ({}.{} %)",
            percent / 10,
            percent % 10
        ));
    }
    let passed = money > 0 && money_missed == 0 && percent >= CAUGHT_PERCENT_MIN * 10;
    Verdict { figure, passed }
}

/// Tries every change of a group's files.
fn try_group(
    group: &Group,
    output: &Path,
    shard: Option<&str>,
    postgres: Option<&str>,
    tallies: &mut BTreeMap<String, Tally>,
) -> Result<()> {
    progress(format!("changing {}", group.files.join(", ")));
    let root = workspace_root()?;
    for file in group.files {
        ensure!(root.join(file).is_file(), "{file} is not there: correct the bar's list");
        tallies.insert((*file).to_owned(), Tally { is_money: group.is_money, ..Tally::default() });
    }
    let mut command = Command::new("cargo");
    command
        .current_dir(&root)
        .args(["mutants", "--no-shuffle", "--colors", "never", "--jobs", "1", "--package", group.package])
        .args(["--cargo-arg=--lib", "--minimum-test-timeout", TEST_TIMEOUT_SECONDS, "--output"])
        .arg(output)
        .args(group.files.iter().flat_map(|file| ["--file", file]))
        .args(group.tests.iter().map(|test| format!("--cargo-arg=--test={test}")));
    if let Some(shard) = shard {
        command.args(["--sharding", "round-robin", "--shard", shard]);
    }
    if let Some(postgres) = postgres {
        command.env("ASSAY_TEST_POSTGRES", postgres);
    }
    // The dependencies are those of every other build of the tests.
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        command.env("CARGO_TARGET_DIR", root.join("target"));
    }
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status().context("cannot run cargo")?;
    let outcomes = std::fs::read_to_string(output.join("mutants.out/outcomes.json"));
    let outcomes = outcomes.with_context(|| format!("cargo mutants failed ({status}): run it by hand"))?;
    count(&outcomes, tallies)
}

fn count(outcomes: &str, tallies: &mut BTreeMap<String, Tally>) -> Result<()> {
    let Outcomes { outcomes } = serde_json::from_str(outcomes).context("the outcomes cannot be read")?;
    for Outcome { scenario, summary } in outcomes {
        let (name, file) = match scenario {
            Scenario::Baseline => {
                ensure!(summary == "Success", "the tests fail without any change");
                continue;
            }
            Scenario::Mutant { name, file } => (name, file),
        };
        let tally = tallies.get_mut(&file).with_context(|| format!("{file} was not asked for"))?;
        match summary.as_str() {
            "CaughtMutant" => tally.caught += 1,
            "Timeout" => tally.timeouts += 1,
            "Unviable" => tally.unviable += 1,
            "MissedMutant" => tally.missed.push(name),
            other => bail!("{name} ended as {other}"),
        }
    }
    Ok(())
}

fn print_table(tallies: &BTreeMap<String, Tally>) {
    eprintln!(
        "  {:<40} {:>7} {:>6} {:>7} {:>6} {:>8}",
        "file", "mutants", "caught", "timeout", "missed", "unviable"
    );
    for (file, tally) in tallies {
        let (missed, all) = (tally.missed.len(), tally.viable() + tally.unviable);
        let Tally { caught, timeouts, unviable, .. } = tally;
        eprintln!("  {file:<40} {all:>7} {caught:>6} {timeouts:>7} {missed:>6} {unviable:>8}");
    }
    for name in tallies.values().flat_map(|tally| &tally.missed) {
        eprintln!("  MISSED: {name}");
    }
}

fn need_cargo_mutants() -> Result<()> {
    let version = Command::new("cargo").args(["mutants", "--version"]).output();
    if version.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    progress("installing cargo-mutants");
    run_command("cargo", &["install", "--quiet", "--locked", "cargo-mutants", "--version", CARGO_MUTANTS])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tallies() -> BTreeMap<String, Tally> {
        let tally = |is_money| Tally { is_money, ..Tally::default() };
        [("money.rs".to_owned(), tally(true)), ("keys.rs".to_owned(), tally(false))].into()
    }

    fn outcome(file: &str, summary: &str) -> String {
        format!(r#"{{"scenario":{{"Mutant":{{"name":"{file}: x","file":"{file}"}}}},"summary":"{summary}"}}"#)
    }

    fn count_all(outcomes: &[String]) -> Result<BTreeMap<String, Tally>> {
        let mut tallies = tallies();
        count(&format!(r#"{{"outcomes":[{}]}}"#, outcomes.join(",")), &mut tallies)?;
        Ok(tallies)
    }

    #[test]
    fn one_missed_change_where_money_is_counted_is_too_many() {
        let baseline = r#"{"scenario":"Baseline","summary":"Success"}"#.to_owned();
        let caught = outcome("money.rs", "CaughtMutant");
        let good = count_all(&[baseline, caught.clone(), outcome("money.rs", "Unviable")]).unwrap();
        assert!(judge(&good).passed);
        let missed = count_all(&[caught, outcome("money.rs", "MissedMutant")]).unwrap();
        assert!(!judge(&missed).passed);
        assert!(!judge(&tallies()).passed, "nothing was tried");
    }

    #[test]
    fn elsewhere_one_in_twenty_may_be_missed() {
        let with = |missed: usize| {
            let mut outcomes = vec![outcome("money.rs", "CaughtMutant"), outcome("keys.rs", "Timeout")];
            outcomes.extend((0..18).map(|_| outcome("keys.rs", "CaughtMutant")));
            outcomes.extend((0..missed).map(|_| outcome("keys.rs", "MissedMutant")));
            judge(&count_all(&outcomes).unwrap())
        };
        assert!(with(1).passed && !with(2).passed);
        assert_eq!(with(1).figure, "mutants: money 1 tried, 0 missed; the rest 20 tried, 19 caught (95.0 %)");
    }

    #[test]
    fn tests_that_fail_anyway_prove_nothing() {
        assert!(count_all(&[r#"{"scenario":"Baseline","summary":"Failure"}"#.to_owned()]).is_err());
        assert!(count_all(&[outcome("other.rs", "CaughtMutant")]).is_err());
    }
}
