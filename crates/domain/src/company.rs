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
