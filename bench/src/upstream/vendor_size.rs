//! The bar `vendor-size`: a vendor is a small file of code, or no code at all: one file of TOML is enough to be asked.

use super::stage::{NOTICED, enable, give_key, serve};
use crate::bar::{Verdict, progress};
use crate::http_client::{Exchange, Post};
use crate::rig::{Rig, RigOptions};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::vendor::{VendorReply, VendorServer};
use assay_testkit::{PostgresOptions, workspace_root};
use serde_json::{Value, json};
use std::path::Path;

const LINES_BAR: usize = 150;
const VENDORS: &str = "crates/sources/src/vendors";
const EXAMPLE: &str = "docs/providers/example.toml";
const ADDRESS: &str = "wren.halloway@single-file.example";

pub async fn run(_short: bool) -> Result<Verdict> {
    let root = workspace_root()?;
    let mut sizes = sizes(&root.join(VENDORS))?;
    sizes.sort_unstable_by_key(|(_, lines)| *lines);
    for (name, lines) in &sizes {
        progress(format!("{name}: {lines} lines"));
    }
    let (_, median) = sizes.get(sizes.len() / 2).context("no vendors")?;
    let (longest, most) = sizes.last().context("no vendors")?;
    let answered = ask_example(&root.join(EXAMPLE)).await?;
    let figure = format!(
        "vendor-size: {} vendors, {median} lines in the middle (bar {LINES_BAR}), {most} the longest ({longest}); \
         one file alone makes a vendor: {}",
        sizes.len(),
        if answered { "yes" } else { "NO" }
    );
    Ok(Verdict { figure, passed: *median <= LINES_BAR && answered })
}

/// Each vendor's file and its lines, without its tests.
fn sizes(folder: &Path) -> Result<Vec<(String, usize)>> {
    let mut sizes = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name == "mod" || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        sizes.push((name, count_lines(&std::fs::read_to_string(&path)?)));
    }
    Ok(sizes)
}

/// Tests come last in a file.
fn count_lines(text: &str) -> usize {
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
}

/// Sets up the documented vendor with the file as it is, and asks it for an address.
async fn ask_example(file: &Path) -> Result<bool> {
    let vendor = VendorServer::start(|request| {
        let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let is_ours = request.header("x-api-key") == Some("example-key")
            && (request.method.as_str(), request.path.as_str()) == ("POST", "/v1/find")
            && asked["last"] == "Halloway"
            && asked["company"]["domain"] == "single-file.example";
        let said = match is_ours {
            true => json!({ "status": "ok", "credits": 1,
                "result": { "email": ADDRESS, "state": "valid", "catch_all": false, "score": 0.97 } }),
            false => json!({ "status": "not_found" }),
        };
        VendorReply::json(200, said.to_string())
    })?;
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: 1,
        people: 100,
        postgres: PostgresOptions::default(),
        one_database: false,
    })?;
    let server = serve(&rig)?;
    rig.cli(&["provider", "add", file.to_str().context("a path that is no text")?])?;
    give_key(&rig, "example", None, "example-key")?;
    enable(&rig, "example", Some(&vendor.url()))?;
    tokio::time::sleep(NOTICED).await;
    let body = json!({ "kind": "name", "firstName": "Wren", "lastName": "Halloway", "domain": "single-file.example" });
    let body = body.to_string();
    let account = rig.accounts.first().context("no account")?;
    let post = Post {
        path: "/v1/find-email",
        api_key: &account.api_key,
        idempotency_key: None,
        body: body.as_bytes(),
    };
    let mut client = server.client();
    let Exchange::Whole(reply) = client.post(&post).await else { bail!("no answer") };
    let answer: Value = serde_json::from_slice(reply.body)?;
    ensure!(reply.status == 200, "{} {answer}", reply.status);
    progress(format!("asked {} time(s); the answer: {answer}", vendor.asked()));
    let is_found = answer["email"] == ADDRESS && answer["source"] == "example" && vendor.asked() == 1;
    server.stop()?;
    Ok(is_found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_not_counted() {
        assert_eq!(count_lines("//! A.\n\nfn a() {}\n#[cfg(test)]\nmod tests {}\n"), 3);
        assert_eq!(count_lines("one\n"), 1);
    }
}
