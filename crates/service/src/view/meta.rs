//! Where a record comes from, field by field, as users see it.

use assay_domain::provenance::Attribution;
use assay_domain::{Confidence, Provenance};
use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

/// Sources and freshness of a record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MetaView {
    /// For each field shown, who said it.
    #[schemars(with = "BTreeMap<String, Vec<SourceView>>")]
    pub sources: SourcesView,
    pub refreshed_at: DateTime<Utc>,
    pub cached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_age_seconds: Option<i64>,
}

/// One source's word on a field.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceView<'a> {
    pub provider: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<&'a str>,
    pub first_seen: NaiveDate,
    pub last_seen: NaiveDate,
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub confidence: Confidence,
}

/// Sources by field, written straight from the stored provenance: most records have a dozen fields and one source.
#[derive(Debug, Clone)]
pub struct SourcesView {
    provenance: Provenance,
    fields: Vec<&'static str>,
}

impl SourcesView {
    pub fn new(provenance: Provenance, fields: Vec<&'static str>) -> Self {
        Self { provenance, fields }
    }

    /// Which fields the record shows, once that is known.
    pub fn set_fields(&mut self, fields: Vec<&'static str>) {
        self.fields = fields;
    }

    fn of<'a>(&'a self, field: &'a str) -> Vec<SourceView<'a>> {
        self.provenance.of_field(field).map(SourceView::of).collect()
    }
}

impl<'a> SourceView<'a> {
    fn of(source: &'a Attribution) -> Self {
        Self {
            provider: &source.provider,
            url: source.url.as_deref(),
            first_seen: source.first_seen,
            last_seen: source.last_seen,
            confidence: Confidence::percent(source.confidence_percent),
        }
    }
}

impl Serialize for SourcesView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        // Most fields share the sources that speak for the whole record: those are written once, and their text for each field.
        let mut whole: Option<Box<RawValue>> = None;
        for field in &self.fields {
            if self.provenance.names(field) {
                map.serialize_entry(field, &self.of(field))?;
                continue;
            }
            let text = match whole.take() {
                Some(text) => text,
                None => to_raw_value(&self.of(field)).map_err(Error::custom)?,
            };
            map.serialize_entry(field, &text)?;
            whole = Some(text);
        }
        map.end()
    }
}
