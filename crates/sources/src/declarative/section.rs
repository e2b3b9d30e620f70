//! Reads one table of a declaration: each key is asked for once, and what nobody asked for is an error.

use super::DeclarationError;
use toml::{Table, Value};

/// Below this likeness a suggestion would only confuse.
const LIKENESS_MIN: f64 = 0.75;
/// Comparing costs the product of the lengths.
const CHARS_MAX: usize = 100;

/// The end of a message: what was probably meant, if there is such a name.
pub(super) fn meant<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if typed.len() > CHARS_MAX {
        return String::new();
    }
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(name, typed), name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0));
    let near = best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN);
    near.map(|(_, name)| format!("; did you mean `{name}`?")).unwrap_or_default()
}

pub(super) struct Section {
    /// Where it is in the file; empty for the whole.
    place: String,
    table: Table,
    known: Vec<&'static str>,
}

impl Section {
    pub(super) fn new(place: String, table: Table) -> Self {
        Self { place, table, known: Vec::new() }
    }

    pub(super) fn wrong(
        &self,
        key: &str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> DeclarationError {
        let place = if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) };
        DeclarationError { place, what: what.into(), fix: fix.into() }
    }

    fn missing(&self, key: &str, fix: &str) -> DeclarationError {
        self.wrong(key, "is missing", fix)
    }

    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.table.remove(key)
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, DeclarationError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "is not a text", "put it in quotes")),
        }
    }

    pub(super) fn need_text(&mut self, key: &'static str, fix: &str) -> Result<String, DeclarationError> {
        self.text(key)?.filter(|text| !text.trim().is_empty()).ok_or_else(|| self.missing(key, fix))
    }

    pub(super) fn whole(&mut self, key: &'static str) -> Result<Option<u32>, DeclarationError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let whole = value.as_integer().and_then(|whole| u32::try_from(whole).ok());
        whole.map(Some).ok_or_else(|| self.wrong(key, "is not a whole number from 0 on", "write it as 1000"))
    }

    pub(super) fn flag(&mut self, key: &'static str) -> Result<Option<bool>, DeclarationError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        value
            .as_bool()
            .map(Some)
            .ok_or_else(|| self.wrong(key, "is neither true nor false", "write one of them"))
    }

    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Table>, DeclarationError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(table)),
            Some(_) => Err(self.wrong(key, "is not a table", format!("begin it with a line [{key}]"))),
        }
    }

    pub(super) fn section(&mut self, key: &'static str) -> Result<Option<Self>, DeclarationError> {
        let place = if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) };
        Ok(self.table(key)?.map(|table| Self::new(place, table)))
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), DeclarationError> {
        let Some(key) = self.table.keys().next() else { return Ok(()) };
        let near = meant(key, self.known.iter().copied());
        let fix = format!("known here are {}", self.known.join(", "));
        Err(self.wrong(key, format!("is not a key of a provider file{near}"), fix))
    }
}
