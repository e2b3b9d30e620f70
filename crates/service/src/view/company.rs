//! A company as users see one.

use super::meta::{MetaView, SourcesView};
use super::person::LocationView;
use super::terms;
use assay_domain::Company;
use assay_domain::company::{CompanyKind, MailFacts, Round, Technology};
use assay_domain::taxonomy::SizeBand;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Company")]
pub struct CompanyView {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    pub domains: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub industry: Option<&'static str>,
    pub keywords: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_count: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = terms::size_bands()))]
    pub employee_range: Option<&'static str>,
    /// Change of the head count over twelve months, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_growth: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revenue_range: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub founded_year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["private", "public", "nonprofit", "government", "education", "self_employed"]))]
    pub r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headquarters: Option<LocationView>,
    pub locations: Vec<LocationView>,
    pub technologies: Vec<TechnologyView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub funding_summary: Option<FundingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_roles: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<MailView>,
    pub meta: MetaView,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Technology")]
pub struct TechnologyView {
    pub name: String,
    pub category: String,
    pub first_seen: NaiveDate,
    pub last_seen: NaiveDate,
}

/// Amounts are in minor units of the currency beside them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FundingSummary")]
pub struct FundingView {
    /// The sum of all rounds with an amount, where they share one currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_raised: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub last_round: RoundView,
    pub rounds: Vec<RoundView>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Round")]
pub struct RoundView {
    #[schemars(extend("enum" = terms::funding_stages()))]
    pub stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    pub announced_on: NaiveDate,
    pub investors: Vec<String>,
    pub lead_investors: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CompanyMail")]
pub struct MailView {
    pub provider: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_all: Option<bool>,
}

impl CompanyView {
    fn shown_fields(&self) -> Vec<&'static str> {
        let shown = [
            ("name", true),
            ("domain", self.domain.is_some()),
            ("networkUrl", self.network_url.is_some()),
            ("description", self.description.is_some()),
            ("industry", self.industry.is_some()),
            ("employeeCount", self.employee_count.is_some()),
            ("foundedYear", self.founded_year.is_some()),
            ("headquarters", self.headquarters.is_some()),
            ("technologies", !self.technologies.is_empty()),
            ("fundingSummary", self.funding_summary.is_some()),
            ("openRoles", self.open_roles.is_some()),
            ("mail", self.mail.is_some()),
        ];
        shown.into_iter().filter_map(|(field, is_shown)| is_shown.then_some(field)).collect()
    }
}

impl From<Company> for CompanyView {
    fn from(company: Company) -> Self {
        let facts = company.facts;
        let range = facts.employee_count.and_then(SizeBand::of_count);
        let mut view = Self {
            id: company.id.to_string(),
            name: facts.name,
            legal_name: facts.legal_name,
            domain: facts.domain.map(|domain| domain.to_string()),
            domains: facts.domains.iter().map(ToString::to_string).collect(),
            network_url: facts.network_url.map(|url| url.to_string()),
            description: facts.description,
            industry: facts.industry.map(|industry| industry.as_str()),
            keywords: facts.keywords,
            employee_count: facts.employee_count,
            employee_range: range.map(|band| band.as_str()),
            employee_growth: facts.employee_growth_percent,
            revenue_range: facts.revenue_range,
            founded_year: facts.founded_year,
            r#type: facts.kind.map(kind_name),
            headquarters: facts.headquarters.map(LocationView::from),
            locations: facts.locations.into_iter().map(LocationView::from).collect(),
            technologies: facts.technologies.into_iter().map(TechnologyView::from).collect(),
            funding_summary: funding(facts.funding_rounds),
            open_roles: facts.open_roles,
            mail: facts.mail.map(MailView::from),
            meta: MetaView {
                sources: SourcesView::new(company.provenance, Vec::new()),
                refreshed_at: company.refreshed_at,
                cached: false,
                cache_age_seconds: None,
            },
        };
        view.meta.sources.set_fields(view.shown_fields());
        view
    }
}

const fn kind_name(kind: CompanyKind) -> &'static str {
    match kind {
        CompanyKind::Private => "private",
        CompanyKind::Public => "public",
        CompanyKind::Nonprofit => "nonprofit",
        CompanyKind::Government => "government",
        CompanyKind::Education => "education",
        CompanyKind::SelfEmployed => "self_employed",
    }
}

fn funding(rounds: Vec<Round>) -> Option<FundingView> {
    let mut rounds: Vec<RoundView> = rounds.into_iter().map(RoundView::from).collect();
    rounds.sort_by_key(|round| std::cmp::Reverse(round.announced_on));
    let last_round = rounds.first()?.clone();
    let paid: Vec<&RoundView> = rounds.iter().filter(|round| round.amount.is_some()).collect();
    let currency = paid.first().and_then(|round| round.currency.clone());
    let one_currency = !paid.is_empty() && paid.iter().all(|round| round.currency == currency);
    let total_raised =
        one_currency.then(|| paid.iter().filter_map(|round| round.amount).fold(0, i64::saturating_add));
    let currency = currency.filter(|_| one_currency);
    Some(FundingView { total_raised, currency, last_round, rounds })
}

impl From<Round> for RoundView {
    fn from(round: Round) -> Self {
        Self {
            stage: round.stage.as_str(),
            amount: round.amount,
            currency: round.currency,
            announced_on: round.announced_on,
            investors: round.investors,
            lead_investors: round.lead_investors,
        }
    }
}

impl From<Technology> for TechnologyView {
    fn from(technology: Technology) -> Self {
        let Technology { name, category, first_seen, last_seen } = technology;
        Self { name, category, first_seen, last_seen }
    }
}

impl From<MailFacts> for MailView {
    fn from(mail: MailFacts) -> Self {
        let MailFacts { provider, pattern, catch_all } = mail;
        Self { provider, pattern, catch_all }
    }
}
