//! The twin of every row in the sandbox, without a key: its own example, and nothing found when it is told so.

use super::judge::{self, Told};
use super::rows::{ROWS, Row};
use super::{Tally, answer_to};
use crate::canaries::wire::Parts;
use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_service::CATALOG;
use serde_json::Value;
use std::net::SocketAddr;

/// The bar's own address is a proxy that is believed: each row is asked for by a client of its own, and no day is used up.
const TRUSTING: (&str, &str) = ("ASSAY_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");

pub fn rehearse_all(rig: &Rig, tally: &mut Tally) -> Result<()> {
    let server = rig.serve(&[TRUSTING])?;
    let info = Parts { method: "GET", target: "/v1/sandbox/info".to_owned(), ..Parts::default() };
    let (_, info) = answer_to(server.address, &info)?;
    for (client, row) in ROWS.iter().enumerate() {
        let client = format!("203.0.113.{client}");
        let is_listed = tally.note(row, "the sandbox's list", is_listed(row, &info));
        let found = rehearse(server.address, row, &client, None)?;
        let is_hit = tally.note(row, "its twin", judge::twin_hit(row, &found));
        let nothing = rehearse(server.address, row, &client, Some("not_found"))?;
        let is_miss = tally.note(row, "its twin told to find nothing", judge::twin_miss(row, &nothing));
        tally.twins += usize::from(is_listed && is_hit && is_miss);
    }
    server.stop()
}

fn twin(place: &str) -> String {
    place.replacen("/v1/", "/v1/sandbox/", 1)
}

fn is_listed(row: &Row, info: &Value) -> Result<(), String> {
    let wanted = format!("{} {}", row.method, twin(row.place()));
    let groups = info["endpoints"].as_object().into_iter().flat_map(|groups| groups.values());
    let mut listed = groups.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    if listed.any(|twin| twin == wanted) { Ok(()) } else { Err(format!("{wanted} is not in it")) }
}

/// Asked with the catalog's own example; a feed by its kind.
fn rehearse(node: SocketAddr, row: &Row, client: &str, outcome: Option<&str>) -> Result<Told> {
    let mut headers = vec![("x-forwarded-for", client.to_owned())];
    headers.extend(outcome.map(|outcome| ("sandbox-outcome", outcome.to_owned())));
    let entry =
        CATALOG.iter().find(|entry| entry.spec.path == row.place()).context("no row of the catalog")?;
    let body = if row.method == "GET" { Vec::new() } else { (entry.example)().0.to_string().into_bytes() };
    let parts = Parts { method: row.method, target: twin(row.path), key: None, headers, body };
    let (status, answer) = answer_to(node, &parts)?;
    Ok(Told { status, answer, spent: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_twin_has_to_be_listed_under_its_own_name() {
        let row = ROWS.first().unwrap();
        let listing = |name: &str| json!({ "endpoints": { "resolve": [name], "find": [] } });
        assert_eq!(is_listed(row, &listing("POST /v1/sandbox/enrich")), Ok(()));
        assert!(is_listed(row, &listing("GET /v1/sandbox/enrich")).is_err());
        assert!(is_listed(row, &listing("POST /v1/enrich")).is_err());
        assert_eq!(twin("/v1/signals?kind=hiring"), "/v1/sandbox/signals?kind=hiring");
    }
}
