//! Deletion lists in the form of California's platform, and how long applying one takes.

use super::cast::Somebody;
use super::scene::Scene;
use crate::tool_cache::text;
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use assay_domain::{Email, ListHash, Phone};
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// As the platform publishes them, of `4155559317` and `4901234567`.
const PUBLISHED: [&str; 2] =
    ["vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E=", "ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U="];

/// What applying a list came to.
#[derive(Debug, Clone, Copy)]
pub struct Applied {
    pub took: Duration,
    pub people: u64,
    pub suppressed: u64,
}

/// Every other one of these people by their address, among so many hashes of nobody here.
pub fn emails(scene: &Scene, people: &[Somebody], world: &[String], hashes: usize) -> Result<Applied> {
    let mut known = Vec::new();
    for address in people.iter().step_by(2).map(|one| &one.email).chain(world) {
        known.push(ListHash::of_email(&Email::parse(address)?).to_base64());
    }
    let path = scene.folder.path.join("Email.csv");
    write(&path, &known, hashes)?;
    apply(scene, &path, "email")
}

/// The others by their numbers; the last two by the hashes that are published.
pub fn phones(scene: &Scene, people: &[Somebody]) -> Result<Applied> {
    let mut known = PUBLISHED.map(str::to_owned).to_vec();
    for somebody in people.iter().skip(1).step_by(2) {
        known.push(ListHash::of_phone(&Phone::parse(&somebody.phone)?).to_base64());
    }
    let path = scene.folder.path.join("Phone.csv");
    write(&path, &known, known.len())?;
    apply(scene, &path, "phone")
}

/// The known ones spread over the whole list.
fn write(path: &Path, known: &[String], lines: usize) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "ID,Hash")?;
    let every = (lines / known.len().max(1)).max(1);
    let mut left = known.iter();
    for line in 0..lines {
        let next = if line.is_multiple_of(every) { left.next() } else { None };
        let hash = next.cloned().unwrap_or_else(|| {
            ListHash::from_slice(&rand::random::<[u8; 32]>()).map(ListHash::to_base64).unwrap_or_default()
        });
        writeln!(file, "{line},{hash}")?;
    }
    ensure!(left.next().is_none(), "the list has no room for all who are known");
    Ok(file.flush()?)
}

fn apply(scene: &Scene, path: &Path, list: &str) -> Result<Applied> {
    let watch = Stopwatch::start();
    let told = scene.rig.cli(&["suppression", "import", text(path)?, "--list", list, "--json"])?;
    let took = watch.elapsed();
    let told: Value = serde_json::from_str(&told)?;
    let figure = |name: &str| told[name].as_u64().with_context(|| format!("no {name} in {told}"));
    Ok(Applied { took, people: figure("people_erased")?, suppressed: figure("suppressed")? })
}
