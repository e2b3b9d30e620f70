//! The bar `webhook-interop`: what we sign is verified by the libraries that receivers use, and nothing else is.

mod cases;
mod readers;

use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::rig::Folder;
use crate::tool_cache::python_with;
use anyhow::Result;
use assay_domain::Clock;
use cases::{Case, draw};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use readers::{Tally, read_in_python, read_in_rust};
use std::path::Path;

const PAYLOADS: usize = 1_000;
const PAYLOADS_SHORT: usize = 100;
const SEED: u64 = 20_261_201;
const PYTHON_FOLDER: &str = "webhooks-standard-1.1.0-svix-2.9.1";
const REQUIREMENTS: &str = "bench/data/webhook_interop/requirements.txt";

pub async fn run(short: bool) -> Result<Verdict> {
    let payloads = if short { PAYLOADS_SHORT } else { PAYLOADS };
    let python = match python_with(PYTHON_FOLDER, REQUIREMENTS) {
        Ok(folder) => Some(folder),
        // Continuous integration may be where no package can be fetched; the Rust libraries are there anyway.
        Err(error) if short => {
            progress(format!("without Python: {error:#}"));
            None
        }
        Err(error) => return Err(error),
    };
    // Signed now: receivers believe nothing that is older than five minutes.
    let now = Clock::system().now().timestamp();
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let cases = (0..payloads).flat_map(|_| draw(&mut dice, now)).collect::<Vec<_>>();
    let tallies = read(&cases, python.as_deref())?;

    let genuine = cases.iter().filter(|case| case.genuine).count();
    let mut complaints = Complaints::default();
    for (reader, tally) in &tallies {
        progress(format!("{reader}: {} verified, {} refused", tally.verified, tally.refused));
        for wrong in &tally.wrong {
            complaints.add(format!("{reader}: {wrong}"));
        }
        // Each case once, whatever became of it: a reader that read nothing would be content with everything.
        if tally.verified != genuine || tally.refused != cases.len() - genuine {
            complaints.add(format!("{reader} verified {} of {genuine}", tally.verified));
        }
    }
    let names = tallies.iter().map(|(reader, _)| reader.as_str()).collect::<Vec<_>>().join(", ");
    let figure = format!(
        "webhook-interop: {} payloads, {} deliveries verified and {} changed ones refused by each of {names}; {} wrong",
        grouped(payloads),
        grouped(genuine),
        grouped(cases.len() - genuine),
        complaints.count(),
    );
    Ok(Verdict { figure, passed: complaints.is_empty() })
}

/// What every reader made of the cases.
fn read(cases: &[Case], python: Option<&Path>) -> Result<Vec<(String, Tally)>> {
    let mut tallies = read_in_rust(cases);
    if let Some(python) = python {
        let folder = Folder::make("webhook-interop")?;
        tallies.extend(read_in_python(cases, python, &folder)?);
    }
    Ok(tallies)
}
