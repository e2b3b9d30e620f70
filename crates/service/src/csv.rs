//! CSV as every download of the service is written: RFC 4180 with CRLF, every text quoted, and no cell that a spreadsheet
//! would run.

use assay_domain::{Confidence, Credits};
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use std::fmt::Display;
use std::io::Write;

/// A number of ours. Its minus sign starts no formula, because nobody else had a say in what follows it.
pub trait Figure: Display {}

impl Figure for i16 {}
impl Figure for i64 {}
impl Figure for Credits {}
impl Figure for Confidence {}

/// Rows being written, cell by cell.
#[derive(Debug, Default)]
pub struct Sheet {
    bytes: Vec<u8>,
    inside_row: bool,
}

impl Sheet {
    /// A row of names, which are ours and harmless.
    pub fn header(&mut self, names: &[&str]) {
        for name in names {
            self.text(name);
        }
        self.end_row();
    }

    /// A text, which may be anybody's. One that a spreadsheet could take for a formula gets an apostrophe in front, and so
    /// does one that starts with an apostrophe: taking one leading apostrophe away always gives the value back.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.bytes.push(b'"');
        if is_dangerous(text) {
            self.bytes.push(b'\'');
        }
        self.escape(text.as_bytes());
        self.bytes.push(b'"');
        self
    }

    pub fn number(&mut self, number: impl Figure) -> &mut Self {
        self.separate();
        // Writing to memory cannot fail.
        drop(write!(self.bytes, "{number}"));
        self
    }

    /// A number, or an empty cell where there is none.
    pub fn number_or_empty(&mut self, number: Option<impl Figure>) -> &mut Self {
        match number {
            Some(number) => self.number(number),
            None => {
                self.separate();
                self
            }
        }
    }

    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.separate();
        self.bytes.extend_from_slice(if flag { b"true" } else { b"false" });
        self
    }

    pub fn moment(&mut self, at: DateTime<Utc>) -> &mut Self {
        self.separate();
        self.bytes.extend_from_slice(at.to_rfc3339_opts(SecondsFormat::Millis, true).as_bytes());
        self
    }

    pub fn end_row(&mut self) {
        self.bytes.extend_from_slice(b"\r\n");
        self.inside_row = false;
    }

    /// What was written since the last time.
    pub fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(&mut self.bytes))
    }

    fn separate(&mut self) {
        if self.inside_row {
            self.bytes.push(b',');
        }
        self.inside_row = true;
    }

    /// Doubles the quotes inside a text.
    fn escape(&mut self, text: &[u8]) {
        let start = self.bytes.len();
        // The worst case: every byte is a quote.
        self.bytes.resize(start + 2 * text.len(), 0);
        let room = self.bytes.get_mut(start..).unwrap_or_default();
        let (_, _, written) = csv_core::quote(text, room, b'"', b'"', true);
        self.bytes.truncate(start + written);
    }
}

/// Whether a spreadsheet may take the text for a formula, now or after it has trimmed it.
fn is_dangerous(text: &str) -> bool {
    if text.starts_with(['\'', '\t', '\r', '\n']) {
        return true;
    }
    let unseen = |symbol: char| symbol.is_whitespace() || symbol.is_control() || symbol == '\u{feff}';
    text.trim_start_matches(unseen).starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STARTS: &[char] = &['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

    fn written(rows: &[Vec<String>]) -> Vec<u8> {
        let mut sheet = Sheet::default();
        for row in rows {
            for cell in row {
                sheet.text(cell);
            }
            sheet.end_row();
        }
        sheet.take().to_vec()
    }

    fn read(bytes: &[u8]) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
        let rows = reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect());
        rows.collect()
    }

    /// Cells of the kinds that break writers and readers, and any others.
    fn cell() -> impl Strategy<Value = String> {
        let nasty = "=+-@\t\r\n＝＋－＠'\",;| \u{feff}\u{a0}é💥0".chars().collect::<Vec<char>>();
        let nasty = prop::collection::vec(prop::sample::select(nasty), 0..8);
        prop_oneof![any::<String>(), nasty.prop_map(String::from_iter), Just("=cmd|' /C calc'!A0".to_owned())]
    }

    proptest! {
        #[test]
        fn every_text_reads_back_after_one_apostrophe_is_taken_away(
            rows in prop::collection::vec(prop::collection::vec(cell(), 3), 1..5)
        ) {
            let back: Vec<Vec<String>> = read(&written(&rows))
                .into_iter()
                .map(|row| row.iter().map(|cell| cell.strip_prefix('\'').unwrap_or(cell).to_owned()).collect())
                .collect();
            prop_assert_eq!(back, rows);
        }

        #[test]
        fn no_cell_starts_like_a_formula_and_every_text_is_quoted(text in cell()) {
            let bytes = written(&[vec![text.clone()]]);
            prop_assert!(bytes.starts_with(b"\"") && bytes.ends_with(b"\"\r\n"));
            let rows = read(&bytes);
            prop_assert!(!rows[0][0].starts_with(STARTS), "{:?}", rows[0][0]);
            prop_assert!(!rows[0][0].trim_start().starts_with(STARTS), "{:?}", rows[0][0]);
        }
    }

    #[test]
    fn figures_are_plain_and_a_row_ends_as_the_standard_says() {
        let mut sheet = Sheet::default();
        sheet.header(&["a", "b"]);
        sheet.text("x\"y").number(-5_i64).number(Credits::from_thousandths(1_500)).flag(true);
        sheet
            .moment(DateTime::UNIX_EPOCH)
            .number_or_empty(None::<i64>)
            .number_or_empty(Some(7_i16))
            .end_row();
        let expected = "\"a\",\"b\"\r\n\"x\"\"y\",-5,1.5,true,1970-01-01T00:00:00.000Z,,7\r\n";
        assert_eq!(sheet.take(), expected);
        assert!(sheet.take().is_empty());
    }

    #[test]
    fn harmless_texts_stay_as_they_are() {
        for text in ["", "plain", "a=1", "1-2", "O'Brien", "user@example.com", " x"] {
            assert_eq!(written(&[vec![text.to_owned()]]), format!("\"{text}\"\r\n").into_bytes());
        }
    }
}
