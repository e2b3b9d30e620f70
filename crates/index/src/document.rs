//! What is indexed of a person or a company: terms that are met whole, words of texts, and numbers.

use assay_domain::name::fold_text;
use uuid::Uuid;

/// Where a document stands: the highest order first, of equal ones the lowest id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub order: u64,
    pub id: Uuid,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.order.cmp(&self.order).then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Fields whose values are met whole. One list for people and companies, each of which leaves some empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// The account that alone may see the document; public ones have none.
    Owner,
    /// The id of the company somebody works at.
    Employer,
    /// The ids of companies somebody worked at before.
    FormerEmployer,
    CompanyDomain,
    CompanySize,
    Industry,
    Seniority,
    Department,
    Skill,
    Certification,
    Language,
    Country,
    Region,
    City,
    Technology,
    FundingStage,
    FundingCurrency,
}

impl Term {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Employer => "employer",
            Self::FormerEmployer => "former_employer",
            Self::CompanyDomain => "company_domain",
            Self::CompanySize => "company_size",
            Self::Industry => "industry",
            Self::Seniority => "seniority",
            Self::Department => "department",
            Self::Skill => "skill",
            Self::Certification => "certification",
            Self::Language => "language",
            Self::Country => "country",
            Self::Region => "region",
            Self::City => "city",
            Self::Technology => "technology",
            Self::FundingStage => "funding_stage",
            Self::FundingCurrency => "funding_currency",
        }
    }
}

/// Texts, met word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Text {
    /// The present title.
    Title,
    /// The same in plain words, so that one role has the same ones however its title is written.
    Role,
    /// All that a record says of what somebody or some company does.
    Keywords,
}

impl Text {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Role => "role",
            Self::Keywords => "keywords",
        }
    }
}

/// Numbers, met by a range. Days count from 1970; a document without the number meets no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    CareerBeganOn,
    JobChangedOn,
    /// Of a company, or of the one somebody works at.
    EmployeeCount,
    FoundedYear,
    /// Of the latest round, in minor units of its currency, and its day.
    FundingAmount,
    FundedOn,
    OpenRoles,
    /// The band of a year's revenue, in whole US dollars.
    RevenueFrom,
    RevenueTo,
}

impl Number {
    pub(crate) const ALL: [Self; 9] = [
        Self::CareerBeganOn,
        Self::JobChangedOn,
        Self::EmployeeCount,
        Self::FoundedYear,
        Self::FundingAmount,
        Self::FundedOn,
        Self::OpenRoles,
        Self::RevenueFrom,
        Self::RevenueTo,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CareerBeganOn => "career_began_on",
            Self::JobChangedOn => "job_changed_on",
            Self::EmployeeCount => "employee_count",
            Self::FoundedYear => "founded_year",
            Self::FundingAmount => "funding_amount",
            Self::FundedOn => "funded_on",
            Self::OpenRoles => "open_roles",
            Self::RevenueFrom => "revenue_from",
            Self::RevenueTo => "revenue_to",
        }
    }
}

/// The name of a skill or a technology as a term: folded, but for the signs that tell C from C++ and from C#.
pub fn fold_term(name: &str) -> String {
    if name.contains(['+', '#']) {
        return fold_text(&name.replace('+', " plus ").replace('#', " sharp "));
    }
    fold_text(name)
}

/// One person or company as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub place: Place,
    /// The entry of the change log that this state of the record came with.
    pub seq: u64,
    pub terms: Vec<(Term, String)>,
    pub texts: Vec<(Text, String)>,
    pub numbers: Vec<(Number, i64)>,
}
