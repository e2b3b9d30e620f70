//! What both searches for a telephone share: whose it is, and what a number in the answer says.

use assay_domain::person::LineType;
use assay_engine::upstream::PhoneFound;
use schemars::JsonSchema;
use serde::Serialize;

/// A number, and whose word it is. The answer is this and, where many sources are asked, who they were.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct TelephoneView {
    pub found: bool,
    /// In international format.
    pub phone: Option<String>,
    /// Of the person's profile, where it is known.
    pub network_url: Option<String>,
    /// `graph`, or the name of the vendor whose word it is.
    pub source: Option<String>,
    /// What kind of line it is, by the country's numbering plan or by a carrier's word.
    #[schemars(with = "Option<String>")]
    pub line_type: Option<LineType>,
    /// Whom the number was given to; it may have been taken along to another.
    pub carrier: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

impl TelephoneView {
    pub(super) fn example(phone: &str, line: LineType, carrier: &str, country: &str) -> Self {
        Self {
            found: true,
            phone: Some(phone.to_owned()),
            network_url: Some("https://network.example/in/ada-okafor".to_owned()),
            source: Some("graph".to_owned()),
            line_type: Some(line),
            carrier: Some(carrier.to_owned()),
            country: Some(country.to_owned()),
        }
    }

    pub(super) fn of(found: Option<PhoneFound>) -> Self {
        let Some(found) = found else { return Self::default() };
        Self {
            found: true,
            phone: Some(found.number.as_str().to_owned()),
            network_url: found.network_url.map(|url| url.to_string()),
            source: Some(found.source.to_string()),
            line_type: Some(found.line),
            carrier: found.carrier,
            country: found.country,
        }
    }
}
