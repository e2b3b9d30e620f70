//! The company record as the graph keeps it.

use crate::person::{Employer, Location};
use crate::taxonomy::{FundingStage, Industry};
use crate::{AccountId, CompanyId, Domain, NetworkUrl, Provenance};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// A company: the stored facts and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Company {
    pub id: CompanyId,
    /// Grows by one with each write of the record.
    pub version: i64,
    pub facts: CompanyFacts,
    pub provenance: Provenance,
    pub refreshed_at: DateTime<Utc>,
    /// The only account that may see it; none when everybody may.
    pub owner: Option<AccountId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompanyFacts {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Domain>,
    /// Other domains of the same company.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<Domain>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network_url: Option<NetworkUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub industry: Option<Industry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub employee_count: Option<u32>,
    /// Change of the head count over twelve months, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub employee_growth_percent: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revenue_range: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub founded_year: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CompanyKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headquarters: Option<Location>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub technologies: Vec<Technology>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub funding_rounds: Vec<Round>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_roles: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<MailFacts>,
}

impl CompanyFacts {
    /// A company of which nothing but its name is known.
    pub fn named(name: String) -> Self {
        Self {
            name,
            legal_name: None,
            domain: None,
            domains: Vec::new(),
            network_url: None,
            description: None,
            industry: None,
            keywords: Vec::new(),
            employee_count: None,
            employee_growth_percent: None,
            revenue_range: None,
            founded_year: None,
            kind: None,
            headquarters: None,
            locations: Vec::new(),
            technologies: Vec::new(),
            funding_rounds: Vec::new(),
            open_roles: None,
            mail: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompanyKind {
    Private,
    Public,
    Nonprofit,
    Government,
    Education,
    SelfEmployed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Technology {
    pub name: String,
    pub category: String,
    pub first_seen: NaiveDate,
    pub last_seen: NaiveDate,
}

/// A funding round. Money is in minor units of its currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    pub stage: FundingStage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub announced_on: NaiveDate,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub investors: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lead_investors: Vec<String>,
}

/// How the company's mail works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailFacts {
    pub provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_all: Option<bool>,
}

/// The band that a range of revenue names, in whole dollars: `$1M-$10M`, `50M-100M`, `<$1M`, `$10B+`.
pub fn revenue_band(range: &str) -> Option<(i64, i64)> {
    let plain: String = range.chars().filter(|letter| !letter.is_whitespace() && *letter != '$').collect();
    if let Some(below) = plain.strip_prefix('<') {
        return Some((0, dollars(below)?));
    }
    if let Some(above) = plain.strip_suffix('+').or_else(|| plain.strip_prefix('>')) {
        return Some((dollars(above)?, i64::MAX));
    }
    let (from, to) = plain.split_once(['-', '–'])?;
    let band = (dollars(from)?, dollars(to)?);
    (band.0 <= band.1).then_some(band)
}

fn dollars(text: &str) -> Option<i64> {
    let unit = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 1_000,
        'M' => 1_000_000,
        'B' => 1_000_000_000,
        _ => 1,
    };
    let digits = if unit == 1 { text } else { text.get(..text.len() - 1)? };
    digits.replace(',', "").parse::<i64>().ok()?.checked_mul(unit)
}

impl Company {
    /// What a person's record shows of this company.
    pub fn as_employer(&self) -> Employer {
        Employer {
            id: self.id,
            name: self.facts.name.clone(),
            domain: self.facts.domain.clone(),
            network_url: self.facts.network_url.clone(),
            employee_count: self.facts.employee_count,
            industry: self.facts.industry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_of_revenue_are_read_as_people_write_them() {
        for (text, band) in [
            ("$1M-$10M", Some((1_000_000, 10_000_000))),
            ("50M-100M", Some((50_000_000, 100_000_000))),
            ("<$1M", Some((0, 1_000_000))),
            ("$10B+", Some((10_000_000_000, i64::MAX))),
            ("500K - 1M", Some((500_000, 1_000_000))),
            ("250,000-500,000", Some((250_000, 500_000))),
            ("10M-1M", None),
            ("much", None),
            ("", None),
            ("9999999999999999B+", None),
        ] {
            assert_eq!(revenue_band(text), band, "{text}");
        }
    }
}
