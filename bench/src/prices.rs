//! The `prices` bar: every row of the catalog against the price table of the specification, to the thousandth.

use crate::bar::Verdict;
use anyhow::{Context, Result, bail};
use assay_domain::Credits;
use assay_service::{CATALOG, Entry};
use serde_json::{Value, json};

const TABLE: &str = include_str!("../data/prices.csv");

/// One row of the typed table.
struct Row {
    method: String,
    path: String,
    model: String,
    units_max: u32,
    /// Credits for 0, 1, 2 and `units_max` units found.
    charges: [Credits; 4],
}

pub async fn run(_short: bool) -> Result<Verdict> {
    let rows = read_table()?;
    let document = assay_service::openapi::document();
    let (mut checks, mut wrong, mut missing) = (0, Vec::new(), Vec::new());
    for row in &rows {
        match CATALOG.iter().find(|entry| is_row_of(entry, row)) {
            Some(entry) => {
                let found = check(entry, row, &document);
                checks += found.len();
                wrong.extend(found.into_iter().filter_map(Result::err));
            }
            None => missing.push(format!("{} {}", row.method, row.path)),
        }
    }
    for entry in CATALOG {
        if !rows.iter().any(|row| is_row_of(entry, row)) {
            wrong.push(format!("{} is in the catalog but not in the price table", entry.spec.path));
        }
    }
    for line in &wrong {
        eprintln!("wrong: {line}");
    }
    for line in &missing {
        eprintln!("missing: {line}");
    }
    let figure = format!(
        "prices: {} catalog rows, {checks} checks, {} wrong; {} of {} rows of the table are missing endpoints",
        CATALOG.len(),
        wrong.len(),
        missing.len(),
        rows.len()
    );
    Ok(Verdict { figure, passed: wrong.is_empty() && checks > 0 })
}

fn is_row_of(entry: &Entry, row: &Row) -> bool {
    entry.spec.verb.as_str() == row.method && entry.spec.path == row.path
}

/// One result a fact: the price of each outcome, the most units, and what the reference says of it.
fn check(entry: &Entry, row: &Row, document: &Value) -> Vec<Result<(), String>> {
    let price = entry.spec.price;
    let path = entry.spec.path;
    let equal = |what: &str, is: String, should: String| {
        if is == should { Ok(()) } else { Err(format!("{path}: {what} is {is}, the table says {should}")) }
    };
    let outcomes = [0, 1, 2, row.units_max];
    let mut results: Vec<Result<(), String>> = outcomes
        .iter()
        .zip(row.charges)
        .map(|(units, should)| {
            let is = price.charge(true, *units).thousandths();
            equal(&format!("the charge for {units} units"), is.to_string(), should.thousandths().to_string())
        })
        .collect();
    results.extend(outcomes.iter().map(|units| {
        equal(
            "the charge for what did not run",
            price.charge(false, *units).thousandths().to_string(),
            "0".into(),
        )
    }));
    results.push(equal("the model", price.model().into(), row.model.clone()));
    results.push(equal("the most units", entry.spec.units_max.to_string(), row.units_max.to_string()));
    let method = entry.spec.verb.as_str().to_lowercase();
    let told = &document["paths"][path][method]["x-price"];
    results.push(equal("x-price.model", told["model"].to_string(), json!(row.model).to_string()));
    if row.model != "free" {
        results.push(equal(
            "x-price.max_units",
            told["max_units"].to_string(),
            json!(row.units_max).to_string(),
        ));
        let base = row.charges[0];
        let unit = row.charges[1].minus(base);
        results.push(equal("x-price.credits", told["credits"].to_string(), json!(unit).to_string()));
    }
    results
}

fn read_table() -> Result<Vec<Row>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| read_row(line).with_context(|| format!("the price table's line `{line}`"))).collect()
}

fn read_row(line: &str) -> Result<Row> {
    let columns: Vec<&str> = line.split(',').collect();
    let [method, path, model, units_max, zero, one, two, most] = columns.as_slice() else {
        bail!("it has {} columns instead of 8", columns.len());
    };
    Ok(Row {
        method: (*method).to_owned(),
        path: (*path).to_owned(),
        model: (*model).to_owned(),
        units_max: units_max.parse()?,
        charges: [zero.parse()?, one.parse()?, two.parse()?, most.parse()?],
    })
}
