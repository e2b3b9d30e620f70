//! The public crate `check-if-email-exists` before the same servers, for the figure beside ours.
//!
//! `bench/rival` is the program that asks it. It gets servers as fresh as ours were, as many rounds and as many
//! connections at a time, and is asked again whenever it does not know, unless it kept us waiting. It looks for the word
//! greylist in the whole reply, addresses included, so that the name of one of the 30 domains is enough to mislead it.

use super::matrix::{HELO, PAUSE, ROUNDS, SENDER, count_at_once};
use super::score::{Score, is_right};
use crate::bar::progress;
use crate::rig::run_command;
use crate::tool_cache::{cached, text};
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_testkit::mail::{BEHAVIOURS, Behaviour, MailRig, MailRigOptions, Truth};
use assay_testkit::workspace_root;
use futures_util::future::join_all;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

const FOLDER: &str = "bench/rival";
const SOURCES: &[&str] = &["Cargo.toml", "Cargo.lock", "src/main.rs"];

/// What came of it.
#[derive(Debug, Default, Clone, Copy)]
pub struct Rival {
    /// By its verdicts.
    pub score: Score,
    /// Domains that are right if its details are believed where they say more than its verdict.
    pub right_by_details: usize,
}

pub async fn run() -> Result<Rival> {
    let program = build()?;
    let rig = MailRig::start(&MailRigOptions::default())?;
    let asker = Asker { program, root: make_root(&rig)?, port: rig.smtp_port().to_string() };
    progress(format!("check-if-email-exists is asked for the addresses of {} domains", BEHAVIOURS.len()));
    let rows = join_all(BEHAVIOURS.iter().map(|behaviour| Box::pin(asker.try_behaviour(behaviour)))).await;
    let (mut score, mut by_details) = (Score::default(), Score::default());
    for row in rows {
        let row = row?;
        score.add(row.iter().map(|case| (&case.truth, case.status())));
        by_details.add(row.iter().map(|case| (&case.truth, case.status_by_details())));
    }
    Ok(Rival { score, right_by_details: by_details.right })
}

/// Kept until one of its files changes.
fn build() -> Result<PathBuf> {
    let folder = workspace_root()?.join(FOLDER);
    let mut hash = Sha256::new();
    for source in SOURCES {
        hash.update(std::fs::read(folder.join(source)).with_context(|| format!("cannot read {source}"))?);
    }
    let name =
        format!("rival-{}", hash.finalize().iter().take(8).map(|it| format!("{it:02x}")).collect::<String>());
    let kept = cached(&name, |kept| {
        progress("building check-if-email-exists, which takes minutes");
        let (target, manifest) = (kept.join("target"), folder.join("Cargo.toml"));
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let where_to = ["--target-dir", text(&target)?, "--manifest-path", text(&manifest)?];
        run_command(&cargo, &[&["build", "--quiet", "--locked"][..], &where_to].concat())?;
        std::fs::copy(target.join("debug/assay-rival"), kept.join("rival"))?;
        Ok(std::fs::remove_dir_all(target)?)
    })?;
    Ok(kept.join("rival"))
}

/// What the program takes for the root of the system: nothing but the rig's DNS server.
fn make_root(rig: &MailRig) -> Result<PathBuf> {
    let (root, dns) = (rig.folder().join("rival"), rig.dns());
    // Settings of the system name no port.
    ensure!(dns.port() == 53, "the rig's DNS server is at port {}", dns.port());
    std::fs::create_dir_all(root.join("etc"))?;
    std::fs::write(root.join("etc/resolv.conf"), format!("nameserver {}\n", dns.ip()))?;
    std::fs::write(root.join("etc/nsswitch.conf"), "hosts: dns\n")?;
    Ok(root)
}

/// An address, what is true of it, and the last word on it.
struct Case {
    truth: Truth,
    said: Option<Answer>,
}

impl Case {
    fn is_open(&self) -> bool {
        self.said.as_ref().is_none_or(|said| said.status() == "unknown" && !said.timed_out)
    }

    fn status(&self) -> &'static str {
        self.said.as_ref().map_or("nothing", Answer::status)
    }

    fn status_by_details(&self) -> &'static str {
        self.said.as_ref().map_or("nothing", Answer::status_by_details)
    }
}

/// What counts of a line that the program prints.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    input: String,
    is_reachable: String,
    misc: Misc,
    smtp: Smtp,
    timed_out: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Misc {
    is_disposable: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Smtp {
    is_catch_all: bool,
    has_full_inbox: bool,
    is_deliverable: bool,
}

impl Answer {
    /// Our word for it.
    fn status(&self) -> &'static str {
        match self.is_reachable.as_str() {
            "safe" => "valid",
            "invalid" => "invalid",
            "risky" if self.misc.is_disposable => "disposable",
            "risky" if self.smtp.is_catch_all => "catch_all",
            "risky" => "risky",
            _ => "unknown",
        }
    }

    /// It calls a name such as `info` risky also where the server said that there is no such mailbox.
    fn status_by_details(&self) -> &'static str {
        let is_missing = !self.smtp.is_deliverable && !self.smtp.has_full_inbox;
        match self.status() {
            "risky" if is_missing => "invalid",
            status => status,
        }
    }
}

/// How the program is run.
struct Asker {
    program: PathBuf,
    root: PathBuf,
    port: String,
}

impl Asker {
    async fn try_behaviour(&self, behaviour: &Behaviour) -> Result<Vec<Case>> {
        let watch = Stopwatch::start();
        let truths = behaviour.truths().into_iter();
        let mut cases: Vec<Case> = truths.map(|truth| Case { truth, said: None }).collect();
        let at_once = count_at_once(behaviour, cases.len());
        for round in 1..=ROUNDS {
            let open: Vec<&mut Case> = cases.iter_mut().filter(|case| case.is_open()).collect();
            if open.is_empty() {
                break;
            }
            if round > 1 {
                tokio::time::sleep(PAUSE).await;
            }
            let addresses: Vec<&str> = open.iter().map(|case| case.truth.address.as_str()).collect();
            let mut answers = self.ask(&addresses.join("\n"), at_once).await?;
            for case in open {
                let answer = answers.remove(&case.truth.address);
                case.said = Some(answer.with_context(|| format!("no answer for {}", case.truth.address))?);
            }
        }
        let right = cases.iter().filter(|case| is_right(&case.truth, case.status())).count();
        let (all, seconds) = (cases.len(), watch.elapsed().as_secs());
        progress(format!("check-if-email-exists: {}: {right} of {all} in {seconds} s", behaviour.name));
        Ok(cases)
    }

    /// The answers by address.
    async fn ask(&self, addresses: &str, at_once: usize) -> Result<HashMap<String, Answer>> {
        let mut child = Command::new(&self.program)
            .arg("--root")
            .arg(&self.root)
            .args(["--port", &self.port, "--helo", HELO, "--from", SENDER, "--at-once", &at_once.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("cannot run the rival")?;
        let mut input = child.stdin.take().context("the rival has no standard input")?;
        input.write_all(addresses.as_bytes()).await?;
        drop(input);
        let output = child.wait_with_output().await?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the rival failed: {}", complaint.trim());
        let lines = String::from_utf8(output.stdout)?;
        let answers = lines.lines().map(|line| {
            let answer: Answer = serde_json::from_str(line).with_context(|| format!("no answer: {line}"))?;
            Ok((answer.input.clone(), answer))
        });
        answers.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_rival_become_ours() {
        let status = |line: &str| serde_json::from_str::<Answer>(line).unwrap().status();
        let catch_all =
            r#"{"is_reachable":"risky","smtp":{"is_catch_all":true},"misc":{"is_disposable":false}}"#;
        assert_eq!(status(catch_all), "catch_all");
        assert_eq!(status(r#"{"is_reachable":"risky","misc":{"is_disposable":true}}"#), "disposable");
        assert_eq!(status(r#"{"is_reachable":"risky","smtp":{"has_full_inbox":true}}"#), "risky");
        assert_eq!(status(r#"{"is_reachable":"safe"}"#), "valid");
        assert_eq!(status(r#"{"is_reachable":"invalid"}"#), "invalid");
        let failed = r#"{"is_reachable":"unknown","smtp":{"error":{"type":"IOError","message":"refused"}}}"#;
        assert_eq!(status(failed), "unknown");
    }

    #[test]
    fn a_role_nobody_has_is_missing_by_the_details_of_the_rival() {
        let answer = |line: &str| serde_json::from_str::<Answer>(line).unwrap();
        let missing = answer(r#"{"is_reachable":"risky","smtp":{"is_deliverable":false}}"#);
        assert_eq!((missing.status(), missing.status_by_details()), ("risky", "invalid"));
        let taken = answer(r#"{"is_reachable":"risky","smtp":{"is_deliverable":true}}"#);
        assert_eq!(taken.status_by_details(), "risky");
        let full = answer(r#"{"is_reachable":"risky","smtp":{"has_full_inbox":true}}"#);
        assert_eq!(full.status_by_details(), "risky");
    }
}
