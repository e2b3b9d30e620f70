//! The bars `fuzz` and `fuzz-vendors`: what strangers send, by chance and by search, breaks nothing that is promised.
//!
//! cargo-fuzz looks for bytes that lead the code where it has not been, from replies of real servers, answers of
//! nameservers and of vendors, and plain addresses on. The targets, and what each asserts, are in `fuzz/`.

mod seeds;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::program::target_folder;
use crate::rig::{Folder, run_command};
use anyhow::{Context, Result, ensure};
use assay_testkit::workspace_root;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const CARGO_FUZZ: &str = "0.13.2";
/// It alone can be told to watch which way code goes.
const TOOLCHAIN: &str = "+nightly";
const SECONDS: u64 = 10 * 60;
const SECONDS_SHORT: u64 = 20;
/// One input may not take longer: whoever sends it would hold a worker.
const INPUT_SECONDS_MAX: u64 = 5;
/// Of what a target that failed wrote: what it found, and how that can be seen again.
const LINES_TOLD: usize = 12;
const TELLING: &[&str] = &["panicked at", "ERROR: ", "cargo fuzz run"];
const EXECUTED: &str = "stat::number_of_executed_units:";

struct Target {
    name: &'static str,
    /// More than what is read of one, so that limits are met too.
    bytes_max: usize,
    seeds: fn() -> Vec<Vec<u8>>,
}

const MAIL: &[Target] = &[
    Target { name: "smtp_replies", bytes_max: 8 * 1024, seeds: seeds::replies },
    Target { name: "dns_answers", bytes_max: 4 * 1024, seeds: seeds::answers },
    Target { name: "addresses", bytes_max: 1024, seeds: seeds::addresses },
];

const VENDORS: &[Target] =
    &[Target { name: "vendor_answers", bytes_max: 4 * 1024, seeds: seeds::vendor_answers }];

pub async fn run(short: bool) -> Result<Verdict> {
    search("fuzz", MAIL, short).await
}

pub async fn run_vendors(short: bool) -> Result<Verdict> {
    search("fuzz-vendors", VENDORS, short).await
}

async fn search(bar: &str, targets: &[Target], short: bool) -> Result<Verdict> {
    let seconds = if short { SECONDS_SHORT } else { SECONDS };
    let root = workspace_root()?;
    need_tools()?;
    let built = target_folder("cargo".as_ref(), &root)?.join("fuzz");
    progress("building the targets");
    let output = fuzz(&root, &built).arg("build").output().context("cannot run cargo")?;
    ensure!(output.status.success(), "the targets do not build:\n{}", last_lines(&output));
    let folder = Folder::make("fuzz")?;
    let mut complaints = Complaints::default();
    let mut executions = 0;
    for target in targets {
        let corpus = folder.path.join(target.name);
        write_seeds(&corpus, &(target.seeds)())?;
        let output = fuzz(&root, &built)
            .args(["run", target.name])
            .arg(&corpus)
            .arg("--")
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-timeout={INPUT_SECONDS_MAX}"))
            .arg(format!("-max_len={}", target.bytes_max))
            .arg("-print_final_stats=1")
            .output()
            .context("cannot run cargo")?;
        let executed = executed(&String::from_utf8_lossy(&output.stderr));
        let executed =
            executed.with_context(|| format!("{} did not run:\n{}", target.name, last_lines(&output)))?;
        progress(format!("{}: {} executions in {seconds} s", target.name, grouped(executed)));
        if !output.status.success() {
            complaints.add(format!("{} fails:\n{}", target.name, telling_lines(&output)));
        } else if executed == 0 {
            complaints.add(format!("{} tried nothing", target.name));
        }
        executions += executed;
    }
    let figure = tell(bar, targets.len(), seconds, (executions, complaints.count()))?;
    Ok(Verdict { figure, passed: complaints.is_empty() })
}

fn tell(bar: &str, targets: usize, seconds: u64, (executions, crashes): (usize, usize)) -> Result<String> {
    let all_seconds = usize::try_from(seconds)?.saturating_mul(targets);
    Ok(format!(
        "{bar}: {targets} targets, {} s, {} executions, {crashes} crashes (bar 0)",
        grouped(all_seconds),
        grouped(executions),
    ))
}

/// Beside what the other compiler builds.
fn fuzz(root: &Path, built: &PathBuf) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(root).args([TOOLCHAIN, "fuzz"]).env("CARGO_TARGET_DIR", built).stdin(Stdio::null());
    command
}

fn need_tools() -> Result<()> {
    let runs =
        |args: &[&str]| Command::new("cargo").args(args).output().is_ok_and(|output| output.status.success());
    ensure!(runs(&[TOOLCHAIN, "--version"]), "this bar needs `rustup toolchain install nightly`");
    if runs(&["fuzz", "--version"]) {
        return Ok(());
    }
    progress("installing cargo-fuzz");
    run_command("cargo", &["install", "--quiet", "--locked", "cargo-fuzz", "--version", CARGO_FUZZ])
}

fn write_seeds(corpus: &Path, seeds: &[Vec<u8>]) -> Result<()> {
    std::fs::create_dir_all(corpus)?;
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}

/// How many inputs were tried, as the fuzzer says at its end.
fn executed(said: &str) -> Option<usize> {
    said.lines().rev().find_map(|line| line.strip_prefix(EXECUTED)?.trim().parse().ok())
}

/// A panic says on the line after its place what was wrong, and then what was on both sides.
fn telling_lines(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let is_telling = |at: usize| TELLING.iter().any(|word| lines[at].contains(word));
    let found = (0..lines.len()).filter(|at| (at.saturating_sub(3)..=*at).any(is_telling));
    found.take(LINES_TOLD).map(|at| lines[at]).collect::<Vec<_>>().join("\n")
}

fn last_lines(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(LINES_TOLD)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_tells_how_much_was_tried_and_what_broke() {
        let figure = tell("fuzz", 3, 600, (1_234_567, 0)).unwrap();
        assert_eq!(figure, "fuzz: 3 targets, 1,800 s, 1,234,567 executions, 0 crashes (bar 0)");
    }

    #[test]
    fn executions_are_those_of_the_last_report() {
        let said = "#5 DONE\nstat::number_of_executed_units: 12\nstat::average_exec_per_sec: 3\n";
        assert_eq!(executed(said), Some(12));
        assert_eq!(executed("error: no such target"), None);
    }

    #[test]
    fn every_target_has_seeds_that_are_within_its_length() {
        for target in MAIL.iter().chain(VENDORS) {
            let seeds = (target.seeds)();
            assert!(seeds.len() >= 10, "{}", target.name);
            assert!(seeds.iter().all(|seed| !seed.is_empty() && seed.len() <= target.bytes_max));
        }
    }
}
