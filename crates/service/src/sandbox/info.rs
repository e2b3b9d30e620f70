//! What the sandbox tells about itself: `GET /v1/sandbox/info`, read from the catalog.

use crate::catalog::CATALOG;
use crate::reply::Cost;
use crate::spec::{SandboxGroup, Spec};
use assay_domain::{Credits, limits};
use schemars::JsonSchema;
use serde::Serialize;

/// The path of `GET /v1/sandbox/info`.
pub const INFO_PATH: &str = "/v1/sandbox/info";

/// The place of a row's twin: its own path with `sandbox` after the version.
pub fn twin_path(spec: &Spec) -> String {
    let rest = spec.path.strip_prefix("/v1").unwrap_or(spec.path);
    format!("/v1/sandbox{rest}")
}

/// What the sandbox is and what it has.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SandboxInfo")]
pub struct InfoResponse {
    /// Always true.
    pub sandbox: bool,
    pub description: String,
    /// Sandbox calls an address may make in a day (UTC).
    pub daily_limit: u32,
    /// How many of them this address has left today; null when the counter cannot be read.
    pub remaining: Option<u32>,
    pub endpoints: SandboxEndpoints,
    /// Where to get a key.
    pub note: String,
    pub cost: Cost,
}

/// The sandbox's calls by section, each written as method and path.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SandboxEndpoints {
    pub resolve: Vec<String>,
    pub find: Vec<String>,
    pub search: Vec<String>,
    pub signals: Vec<String>,
    pub combos: Vec<String>,
    pub niche_combos: Vec<String>,
    pub bundles: Vec<String>,
    pub sticky: Vec<String>,
}

impl SandboxEndpoints {
    fn all() -> Self {
        let mut endpoints = Self::default();
        for entry in CATALOG {
            let twin = format!("{} {}", entry.spec.verb.as_str(), twin_path(&entry.spec));
            endpoints.section(entry.spec.group.sandbox_group()).push(twin);
        }
        endpoints
    }

    fn section(&mut self, group: SandboxGroup) -> &mut Vec<String> {
        match group {
            SandboxGroup::Resolve => &mut self.resolve,
            SandboxGroup::Find => &mut self.find,
            SandboxGroup::Search => &mut self.search,
            SandboxGroup::Signals => &mut self.signals,
            SandboxGroup::Combos => &mut self.combos,
            SandboxGroup::NicheCombos => &mut self.niche_combos,
            SandboxGroup::Bundles => &mut self.bundles,
            SandboxGroup::Sticky => &mut self.sticky,
        }
    }
}

impl InfoResponse {
    pub(super) fn new(daily_limit: u32, remaining: Option<u32>, signup_url: Option<&str>) -> Self {
        let note = match signup_url {
            Some(url) => format!("Sign up at {url} for a key that answers with real data."),
            None => "Ask whoever runs this service for a key that answers with real data.".to_owned(),
        };
        Self {
            sandbox: true,
            description: "Every call of the API with fixed, invented answers: no key, no charge, nothing stored. \
                          Requests are checked as the real ones are; the header Sandbox-Outcome forces the other \
                          answers."
                .to_owned(),
            daily_limit,
            remaining,
            endpoints: SandboxEndpoints::all(),
            note,
            cost: Cost { credits: Credits::ZERO, balance_remaining: None },
        }
    }

    /// What the reference shows.
    pub fn example() -> Self {
        Self::new(limits::SANDBOX_DAILY_LIMIT, Some(limits::SANDBOX_DAILY_LIMIT), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn every_row_of_the_catalog_is_listed_once_under_one_of_the_eight_sections() {
        let info = serde_json::to_value(InfoResponse::example()).unwrap();
        let sections = info["endpoints"].as_object().unwrap();
        let names = ["resolve", "find", "search", "signals", "combos", "niche_combos", "bundles", "sticky"];
        assert_eq!(sections.keys().collect::<Vec<_>>(), names);
        let mut listed: Vec<&str> =
            sections.values().flat_map(|twins| twins.as_array().unwrap()).filter_map(Value::as_str).collect();
        let twin = |spec: &Spec| format!("{} {}", spec.verb.as_str(), twin_path(spec));
        let mut wanted: Vec<String> = CATALOG.iter().map(|entry| twin(&entry.spec)).collect();
        listed.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(listed, wanted);
        assert_eq!(sections["resolve"][0], json!("POST /v1/sandbox/enrich"));
        assert!(sections["sticky"].as_array().unwrap().contains(&json!("GET /v1/sandbox/me")));
    }

    #[test]
    fn the_note_points_at_the_place_to_sign_up() {
        let info = InfoResponse::new(50, None, Some("https://assay.example/join"));
        assert!(info.note.contains("https://assay.example/join"));
        assert!(!InfoResponse::new(50, None, None).note.is_empty());
    }
}
