//! The only place that prints: data to standard output, notes to standard error. A closed pipe ends nothing.

use comfy_table::{Row, Table, presets};
use serde_json::Value;
use std::io::Write;

/// What the command was asked for.
pub fn data(text: &str) {
    drop(writeln!(std::io::stdout().lock(), "{text}"));
}

/// The same for machines.
pub fn json(value: &Value) {
    data(&format!("{value:#}"));
}

/// What helps a person at the terminal and would disturb a program.
pub fn note(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

/// A table without lines, which pipes into other programs as well as it reads.
pub fn table(header: impl Into<Row>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}
