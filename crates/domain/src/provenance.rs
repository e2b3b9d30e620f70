//! Provenance: which source said which field of a record, when, and how sure it was.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// One source's word on a set of fields of one record. Kept compact, because every record has at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribution {
    #[serde(rename = "s")]
    pub provider: String,
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The public names of the fields, or empty: every field that no other attribution names.
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    #[serde(rename = "a")]
    pub first_seen: NaiveDate,
    #[serde(rename = "z")]
    pub last_seen: NaiveDate,
    /// In hundredths, 0 to 100.
    #[serde(rename = "c")]
    pub confidence_percent: u8,
}

/// All that is known of where a record comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Provenance(pub Vec<Attribution>);

impl Provenance {
    /// Whether a source speaks of this field in particular.
    pub fn names(&self, field: &str) -> bool {
        self.0.iter().any(|source| source.fields.iter().any(|name| name == field))
    }

    /// The sources of one field: those that name it, else those that speak for the whole record.
    pub fn of_field<'a>(&'a self, field: &'a str) -> impl Iterator<Item = &'a Attribution> {
        let named = self.names(field);
        self.0.iter().filter(move |source| {
            if named { source.fields.iter().any(|name| name == field) } else { source.fields.is_empty() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(provider: &str, fields: &[&str]) -> Attribution {
        let day = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap();
        let fields = fields.iter().map(|name| (*name).to_owned()).collect();
        Attribution {
            provider: provider.into(),
            url: None,
            fields,
            first_seen: day,
            last_seen: day,
            confidence_percent: 90,
        }
    }

    #[test]
    fn a_field_with_its_own_source_does_not_fall_back_to_the_record() {
        let provenance = Provenance(vec![source("file", &[]), source("probe", &["email"])]);
        let of = |field| provenance.of_field(field).map(|found| found.provider.as_str()).collect::<Vec<_>>();
        assert_eq!(of("email"), ["probe"]);
        assert_eq!(of("title"), ["file"]);
    }
}
