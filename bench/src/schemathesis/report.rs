//! What schemathesis reports: one JSON event a line, of which the finished scenarios tell every call and every check.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Checks by what they are about; the others are about schemas.
const SERVER_CHECKS: &[&str] = &["not_a_server_error"];
const AUTH_CHECKS: &[&str] = &["ignored_auth", "object_level_authorization"];

/// The outcome of a run.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) calls: usize,
    /// How many calls of each operation were answered with a 2xx.
    pub(super) operations: BTreeMap<String, usize>,
    /// Failed checks by name, each with the operations it failed for.
    failed: BTreeMap<String, Vec<String>>,
    /// What could not be called at all.
    errors: Vec<String>,
}

#[derive(Deserialize)]
enum Event {
    ScenarioFinished(Scenario),
    NonFatalError(serde_json::Value),
    FatalError(serde_json::Value),
    #[serde(untagged)]
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Scenario {
    recorder: Recorder,
}

#[derive(Deserialize)]
struct Recorder {
    #[serde(default)]
    cases: HashMap<String, Case>,
    #[serde(default)]
    checks: HashMap<String, Vec<Check>>,
    #[serde(default)]
    interactions: HashMap<String, Interaction>,
}

#[derive(Deserialize)]
struct Case {
    value: Called,
}

#[derive(Deserialize)]
struct Called {
    method: String,
    path: String,
}

#[derive(Deserialize)]
struct Check {
    name: String,
    status: String,
}

#[derive(Deserialize)]
struct Interaction {
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    status_code: u16,
}

impl Report {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut report = Self { operations: documented(), ..Self::default() };
        let file = std::fs::File::open(path).context("schemathesis wrote no report")?;
        for line in BufReader::new(file).lines() {
            report.add(&line?).context("a line of the report cannot be read")?;
        }
        Ok(report)
    }

    fn add(&mut self, line: &str) -> Result<()> {
        let recorder = match serde_json::from_str(line)? {
            Event::ScenarioFinished(scenario) => scenario.recorder,
            Event::NonFatalError(error) | Event::FatalError(error) => {
                self.errors.push(error.to_string());
                return Ok(());
            }
            Event::Other(_) => return Ok(()),
        };
        let label = |id: &str| {
            let called = recorder.cases.get(id).map(|case| &case.value);
            called.map_or_else(|| "unknown".to_owned(), |called| format!("{} {}", called.method, called.path))
        };
        self.calls += recorder.interactions.len();
        for (id, interaction) in &recorder.interactions {
            let is_2xx = interaction.response.as_ref().is_some_and(|it| it.status_code / 100 == 2);
            if let Some(answered) = self.operations.get_mut(&label(id)) {
                *answered += usize::from(is_2xx);
            }
        }
        for (id, checks) in &recorder.checks {
            for check in checks.iter().filter(|check| check.status != "success") {
                self.failed.entry(check.name.clone()).or_default().push(label(id));
            }
        }
        Ok(())
    }

    pub(super) fn server_errors(&self) -> usize {
        self.count(|name| SERVER_CHECKS.contains(&name))
    }

    pub(super) fn auth_failures(&self) -> usize {
        self.count(|name| AUTH_CHECKS.contains(&name))
    }

    pub(super) fn schema_violations(&self) -> usize {
        self.count(|name| !SERVER_CHECKS.contains(&name) && !AUTH_CHECKS.contains(&name))
    }

    fn count(&self, about: impl Fn(&str) -> bool) -> usize {
        self.failed.iter().filter(|(name, _)| about(name)).map(|(_, failed)| failed.len()).sum()
    }

    /// Operations with at least one 2xx.
    pub(super) fn answered(&self) -> usize {
        self.operations.values().filter(|answered| **answered > 0).count()
    }

    /// Everything that must not be.
    pub(super) fn complaints(&self) -> Vec<String> {
        let failed = self.failed.iter().map(|(name, operations)| {
            let mut places = operations.clone();
            places.sort();
            places.dedup();
            format!("{name} failed {} times: {}", operations.len(), places.join(", "))
        });
        let silent = self.operations.iter().filter(|(_, answered)| **answered == 0);
        let silent = silent.map(|(operation, _)| format!("{operation} never answered a 2xx"));
        failed.chain(silent).chain(self.errors.iter().cloned()).collect()
    }
}

/// Every operation of the document, not yet called.
fn documented() -> BTreeMap<String, usize> {
    let document = assay_service::openapi::document();
    let paths = document["paths"].as_object().into_iter().flatten();
    let labels = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flat_map(|methods| methods.keys());
        methods.map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    });
    labels.map(|label| (label, 0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_failed_checks_are_counted_by_operation() {
        let mut report = Report { operations: documented(), ..Report::default() };
        report.add(r#"{"EngineStarted":{"id":"x"}}"#).unwrap();
        let scenario = r#"{"ScenarioFinished":{"recorder":{"label":"GET /v1/me",
            "cases":{"a":{"value":{"method":"GET","path":"/v1/me"}},"b":{"value":{"method":"PUT","path":"/v1/me"}}},
            "checks":{"a":[{"name":"not_a_server_error","status":"failure"},{"name":"ignored_auth","status":"success"}],
                      "b":[{"name":"unsupported_method","status":"failure"}]},
            "interactions":{"a":{"response":{"status_code":200}},"b":{"response":null}}}}}"#;
        report.add(scenario).unwrap();
        report.add(r#"{"ScenarioFinished":{"recorder":{"label":"GET /v1/me"}}}"#).unwrap();
        assert_eq!((report.calls, report.answered(), report.operations["GET /v1/me"]), (2, 1, 1));
        assert_eq!((report.server_errors(), report.schema_violations(), report.auth_failures()), (1, 1, 0));
        let complaints = report.complaints();
        assert!(complaints.iter().any(|line| line == "POST /v1/enrich never answered a 2xx"));
        assert!(complaints.iter().any(|line| line == "unsupported_method failed 1 times: PUT /v1/me"));
        assert_eq!(report.operations.len(), 2 * assay_service::CATALOG.len() + 1);
    }
}
