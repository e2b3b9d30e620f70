//! The readers: the libraries `standardwebhooks` and `svix` in Rust and in Python, and our own.

use super::cases::Case;
use crate::rig::Folder;
use anyhow::{Context, Result, ensure};
use assay_domain::Clock;
use assay_notify::{Secret, SignatureError, verify};
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = include_str!("check.py");

/// What one reader made of the cases.
#[derive(Debug, Default, Deserialize)]
pub struct Tally {
    pub verified: usize,
    /// Refused for the signature: what is refused for another reason proves nothing about it.
    pub refused: usize,
    pub wrong: Vec<String>,
}

/// Whether a delivery is believed, or refused for its signature, or what else is wrong with it.
type Said = Result<bool, String>;
type Reader = fn(&Case) -> Said;

impl Tally {
    fn add(&mut self, case: &Case, said: Said) {
        match said {
            Ok(true) => self.verified += 1,
            Ok(false) => self.refused += 1,
            Err(_) => {}
        }
        if said != Ok(case.genuine) {
            self.wrong.push(format!("{}: {said:?}", case.what));
        }
    }
}

pub fn read_in_rust(cases: &[Case]) -> Vec<(String, Tally)> {
    let readers: [(&str, Reader); 3] =
        [("assay", by_assay), ("standardwebhooks (Rust)", by_standard), ("svix (Rust)", by_svix)];
    let read = |(name, reader): (&str, Reader)| {
        let mut tally = Tally::default();
        for case in cases {
            tally.add(case, reader(case));
        }
        (name.to_owned(), tally)
    };
    readers.map(read).into()
}

fn by_assay(case: &Case) -> Said {
    let secret = Secret::parse(&case.secret).map_err(|error| error.to_string())?;
    let now = Clock::system().now().timestamp();
    match verify(&[secret], &case.id, &case.timestamp, &case.signature, case.body.as_bytes(), now) {
        Ok(()) => Ok(true),
        Err(SignatureError::Mismatch) => Ok(false),
        Err(other) => Err(other.to_string()),
    }
}

fn by_standard(case: &Case) -> Said {
    use standardwebhooks::{Webhook, WebhookError};
    let reader = Webhook::new(&case.secret).map_err(|error| error.to_string())?;
    match reader.verify(case.body.as_bytes(), &headers(case)?) {
        Ok(()) => Ok(true),
        Err(WebhookError::InvalidSignature) => Ok(false),
        Err(other) => Err(other.to_string()),
    }
}

fn by_svix(case: &Case) -> Said {
    use svix::webhooks::{Webhook, WebhookError};
    let reader = Webhook::new(&case.secret).map_err(|error| error.to_string())?;
    match reader.verify(case.body.as_bytes(), &headers(case)?) {
        Ok(()) => Ok(true),
        Err(WebhookError::InvalidSignature) => Ok(false),
        Err(other) => Err(other.to_string()),
    }
}

fn headers(case: &Case) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("webhook-id", &case.id),
        ("webhook-timestamp", &case.timestamp),
        ("webhook-signature", &case.signature),
    ] {
        headers.insert(name, HeaderValue::from_str(value).map_err(|error| error.to_string())?);
    }
    Ok(headers)
}

/// All cases in one run of a script, by the name of the library.
pub fn read_in_python(cases: &[Case], python: &Path, folder: &Folder) -> Result<BTreeMap<String, Tally>> {
    let (script, file) = (folder.path.join("check.py"), folder.path.join("cases.json"));
    std::fs::write(&script, SCRIPT)?;
    std::fs::write(&file, serde_json::to_vec(cases)?)?;
    let ran = Command::new(python.join("bin/python")).arg(&script).arg(&file).output()?;
    let complaint = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "the check in Python failed: {complaint}");
    serde_json::from_slice(&ran.stdout).context("the check in Python said no JSON")
}
