//! Counts what marks of press releases are worth (docs/decisions/0042), and tells how well releases are read that it was not counted over.
//!
//! `cargo run --release -p assay-sources --example count_weights -- [--write FILE] [--folds N] FILE[:WEIGHT] …`: files of labelled
//! releases, each with what one of its releases counts. By folds (5 if nothing is said) each part is read by weights of the others;
//! with `--write` weights of all are written.
#![expect(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    clippy::as_conversions,
    clippy::expect_used,
    reason = "a program that counts, does statistics and ends by a panic when it is wrong itself"
)]

mod fit;
mod marks;
#[path = "../../../../bench/src/signals/score.rs"]
#[expect(dead_code, reason = "the bar scores by more of it")]
mod score;
mod sheet;
mod tell;
mod weights;

use anyhow::Context;
use sheet::Sheet;
use tell::Told;
use weights::Weights;

struct Order {
    files: Vec<(String, f64)>,
    write: Option<String>,
    folds: usize,
}

fn main() -> anyhow::Result<()> {
    let order = order()?;
    let sheets = sheet::read(&order.files)?;
    println!("{} releases", sheets.len());
    if order.folds > 1 {
        by_folds(&sheets, order.folds).print(&order.files);
    }
    if let Some(path) = order.write {
        let weights = Weights::count(&sheets.iter().collect::<Vec<_>>());
        std::fs::write(&path, weights.write()).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

fn order() -> anyhow::Result<Order> {
    let mut order = Order { files: Vec::new(), write: None, folds: 5 };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--write" => order.write = Some(args.next().context("--write wants a file")?),
            "--folds" => order.folds = args.next().context("--folds wants a number")?.parse()?,
            path => {
                let (path, weight) = path.split_once(':').unwrap_or((path, "1"));
                order.files.push((path.to_owned(), weight.parse().context("a weight is a number")?));
            }
        }
    }
    anyhow::ensure!(!order.files.is_empty(), "name files of labelled releases");
    Ok(order)
}

/// Each part by weights of all others.
fn by_folds(sheets: &[Sheet], folds: usize) -> Told {
    let mut told = Told::default();
    for fold in 0..folds {
        let is_asked = |at: usize| at % folds == fold;
        let others = sheets.iter().enumerate().filter(|(at, _)| !is_asked(*at)).map(|(_, it)| it);
        let weights = Weights::count(&others.collect::<Vec<_>>());
        let asked = sheets.iter().enumerate().filter(|(at, _)| is_asked(*at));
        asked.for_each(|(_, sheet)| told.add(sheet, weights.choose(sheet)));
    }
    told
}
