//! `assay prices`: the price list, read from the catalog.

use crate::{Session, out};
use assay_service::CATALOG;
use assay_service::spec::Spec;
use serde_json::{Value, json};

pub fn run(session: &Session) {
    if session.json {
        let rows: Vec<Value> = CATALOG.iter().map(|entry| as_json(&entry.spec)).collect();
        return out::json(&json!({"results": rows}));
    }
    let mut table = out::table(["endpoint", "call", "price in credits", "lowest plan"]);
    for Spec { name, verb, path, plan, price, unit, .. } in CATALOG.iter().map(|entry| &entry.spec) {
        let price = match price.model() {
            "free" => "free".to_owned(),
            "flat" => format!("{} when found", price.unit()),
            "base_plus" => format!("{} + {} a {unit}", price.base(), price.unit()),
            _ => format!("{} a {unit}", price.unit()),
        };
        table.add_row([(*name).to_owned(), format!("{} {path}", verb.as_str()), price, plan.to_string()]);
    }
    out::data(&table.trim_fmt());
}

fn as_json(spec: &Spec) -> Value {
    let Spec { name, verb, path, plan, price, unit, units_max, .. } = spec;
    json!({
        "name": name, "method": verb.as_str(), "path": path, "plan": plan.as_str(), "model": price.model(),
        "credits": price.unit(), "base": price.base(), "unit": unit, "max_units": units_max,
    })
}
