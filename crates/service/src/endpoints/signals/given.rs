//! Signals as an operator gives them.

use crate::input::RawInput;
use crate::search::values::OneValue;
use assay_domain::company::Round;
use assay_domain::limits::{
    AMOUNT_MAX, ANNOUNCEMENT_CHARS_MAX, DOMAIN_CHARS_MAX, FEED_PLACES_MAX, NAME_CHARS_MAX,
    SIGNAL_INVESTORS_MAX, URL_CHARS_MAX,
};
use assay_domain::person::Location;
use assay_domain::signal::{Content, Deal, Engagement, Move, MoveKind, Party, PersonNamed, Post, Posting};
use assay_domain::taxonomy::{Department, FundingStage, Seniority};
use assay_domain::title::read_title;
use assay_domain::{Confidence, Domain, NetworkHosts, NetworkUrl, Notice};
use chrono::{DateTime, NaiveDate, Utc};
use garde::Validate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Of what is said without a word on how sure it is.
const CONFIDENCE: Confidence = Confidence::percent(90);

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenSignal")]
pub(super) struct GivenSignal {
    /// Names the event within the feed: sent again, it amends what was sent before.
    #[garde(length(chars, min = 1, max = NAME_CHARS_MAX))]
    id: String,
    #[garde(skip)]
    kind: GivenKind,
    #[garde(skip)]
    occurred_at: DateTime<Utc>,
    #[garde(length(chars, max = URL_CHARS_MAX))]
    url: Option<String>,
    /// Who raised, was bought, hires, or is where somebody goes to.
    #[garde(dive)]
    company: GivenParty,
    #[garde(dive)]
    person: Option<GivenPerson>,
    #[garde(skip)]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    confidence: Option<Confidence>,
    #[garde(dive)]
    funding: Option<GivenRound>,
    #[garde(dive)]
    acquisition: Option<GivenDeal>,
    #[garde(dive)]
    job: Option<GivenJob>,
    #[garde(dive)]
    change: Option<GivenChange>,
    #[garde(dive)]
    engagement: Option<GivenEngagement>,
    /// What somebody wrote of their change of jobs, and where.
    #[serde(rename = "announcement_text")]
    #[garde(length(chars, max = ANNOUNCEMENT_CHARS_MAX))]
    announcement_text: Option<String>,
    #[serde(rename = "announcement_post_url")]
    #[garde(length(chars, max = URL_CHARS_MAX))]
    announcement_post_url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum GivenKind {
    Funding,
    Acquisition,
    Hiring,
    JobChange,
    Engagement,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenCompany")]
struct GivenParty {
    #[garde(length(chars, min = 1, max = NAME_CHARS_MAX))]
    name: String,
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    domain: Option<String>,
    #[garde(length(chars, max = URL_CHARS_MAX))]
    network_url: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[garde(length(chars, min = 2, max = 2))]
    country: Option<String>,
}

#[derive(Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenPerson")]
struct GivenPerson {
    #[garde(length(chars, min = 1, max = NAME_CHARS_MAX))]
    full_name: String,
    #[garde(length(chars, max = URL_CHARS_MAX))]
    network_url: Option<String>,
}

impl std::fmt::Debug for GivenPerson {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("GivenPerson(…)")
    }
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenRound")]
struct GivenRound {
    #[garde(skip)]
    stage: OneValue<FundingStage>,
    /// In minor units of `currency`.
    #[garde(range(min = 0, max = AMOUNT_MAX))]
    amount: Option<i64>,
    #[garde(length(chars, min = 3, max = 3))]
    currency: Option<String>,
    #[garde(skip)]
    announced_on: Option<NaiveDate>,
    #[serde(default)]
    #[garde(length(max = SIGNAL_INVESTORS_MAX), inner(length(chars, max = NAME_CHARS_MAX)))]
    investors: Vec<String>,
    #[serde(default)]
    #[garde(length(max = SIGNAL_INVESTORS_MAX), inner(length(chars, max = NAME_CHARS_MAX)))]
    lead_investors: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenDeal")]
struct GivenDeal {
    /// Who buys; `company` is who is bought.
    #[garde(dive)]
    acquirer: GivenParty,
    #[garde(range(min = 0, max = AMOUNT_MAX))]
    price: Option<i64>,
    #[garde(length(chars, min = 3, max = 3))]
    currency: Option<String>,
    #[garde(skip)]
    announced_on: Option<NaiveDate>,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[garde(allow_unvalidated)]
#[schemars(rename = "GivenJob")]
struct GivenJob {
    #[garde(length(chars, min = 1, max = NAME_CHARS_MAX))]
    title: String,
    /// Read from the title if left out.
    department: Option<OneValue<Department>>,
    seniority: Option<OneValue<Seniority>>,
    #[serde(default)]
    #[garde(length(max = FEED_PLACES_MAX))]
    locations: Vec<GivenPlace>,
    closed_at: Option<DateTime<Utc>>,
    #[garde(range(max = 1_000_000))]
    applicants: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenPlace")]
struct GivenPlace {
    city: Option<String>,
    region: Option<String>,
    country: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenChange")]
struct GivenChange {
    #[garde(skip)]
    kind: GivenMove,
    #[garde(dive)]
    from: Option<GivenPost>,
    #[garde(dive)]
    to: Option<GivenPost>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GivenMove {
    NewCompany,
    Promotion,
    NewRole,
    Left,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenPost")]
struct GivenPost {
    #[garde(length(chars, min = 1, max = NAME_CHARS_MAX))]
    title: String,
    #[garde(dive)]
    company: GivenParty,
    #[garde(skip)]
    on: Option<NaiveDate>,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "GivenEngagement")]
struct GivenEngagement {
    #[garde(range(max = 1_000_000_000))]
    count: u32,
    #[garde(range(max = 1_000_000_000))]
    usual: Option<u32>,
    #[garde(length(chars, max = URL_CHARS_MAX))]
    post_url: Option<String>,
}

/// Which field, and what is wrong with it.
pub(super) type Wrong = (&'static str, String);

/// One signal, as a line of a file gives it; else the field that is wrong, and why.
pub fn read_signal(row: Value, hosts: &NetworkHosts) -> Result<Notice, (String, String)> {
    let Value::Object(fields) = row else { return Err((String::new(), "a signal is an object".to_owned())) };
    let given = RawInput::Body(fields).decode::<GivenSignal>().map_err(|fault| {
        let first = fault.errors.into_iter().next();
        first.map(|error| (error.pointer, format!("{}; {}", error.message, error.fix))).unwrap_or_default()
    })?;
    given.0.read(hosts).map_err(|(field, reason)| (field.to_owned(), reason))
}

impl GivenSignal {
    pub(super) fn read(self, hosts: &NetworkHosts) -> Result<Notice, Wrong> {
        let company = self.company.read("company", hosts)?;
        let person = self.person.map(|person| person.read(hosts)).transpose()?;
        let day = self.occurred_at.date_naive();
        let missing = |field: &'static str| (field, format!("a signal of this kind has {field}"));
        let content = match self.kind {
            GivenKind::Funding => {
                let round = self.funding.ok_or_else(|| missing("funding"))?;
                Content::Funding(round.read(day))
            }
            GivenKind::Acquisition => {
                let deal = self.acquisition.ok_or_else(|| missing("acquisition"))?;
                Content::Acquisition(Deal {
                    acquirer: deal.acquirer.read("acquisition/acquirer", hosts)?,
                    target: company.clone(),
                    price: deal.price,
                    currency: deal.currency.map(|currency| currency.to_ascii_uppercase()),
                    announced_on: deal.announced_on.unwrap_or(day),
                })
            }
            GivenKind::Hiring => {
                let job = self.job.ok_or_else(|| missing("job"))?;
                Content::Hiring(job.read(self.id.clone(), self.occurred_at, self.url.clone()))
            }
            GivenKind::JobChange => {
                let change = self.change.ok_or_else(|| missing("change"))?;
                if person.is_none() {
                    return Err(missing("person"));
                }
                let mut change = change.read(hosts)?;
                change.announcement_text = self.announcement_text;
                change.announcement_post_url = self.announcement_post_url;
                Content::JobChange(change)
            }
            GivenKind::Engagement => {
                let GivenEngagement { count, usual, post_url } =
                    self.engagement.ok_or_else(|| missing("engagement"))?;
                Content::Engagement(Engagement { count, usual, post_url })
            }
        };
        Ok(Notice {
            reference: self.id,
            url: self.url,
            occurred_at: self.occurred_at,
            company,
            person,
            confidence: self.confidence.unwrap_or(CONFIDENCE),
            content,
        })
    }
}

impl GivenParty {
    fn read(self, field: &'static str, hosts: &NetworkHosts) -> Result<Party, Wrong> {
        let domain = self.domain.as_deref().map(Domain::parse).transpose();
        let url = self.network_url.as_deref().map(|url| NetworkUrl::parse(url, hosts)).transpose();
        Ok(Party {
            name: self.name,
            domain: domain.map_err(|error| (field, error.to_string()))?,
            network_url: url.map_err(|error| (field, error.to_string()))?,
            country: self.country.map(|country| country.to_ascii_uppercase()),
            ..Party::default()
        })
    }
}

impl GivenPerson {
    fn read(self, hosts: &NetworkHosts) -> Result<PersonNamed, Wrong> {
        let url = self.network_url.as_deref().map(|url| NetworkUrl::parse(url, hosts)).transpose();
        let network_url = url.map_err(|error| ("person", error.to_string()))?;
        Ok(PersonNamed { full_name: self.full_name, network_url, id: None })
    }
}

impl GivenRound {
    fn read(self, day: NaiveDate) -> Round {
        Round {
            stage: self.stage.0,
            amount: self.amount,
            currency: self.currency.map(|currency| currency.to_ascii_uppercase()),
            announced_on: self.announced_on.unwrap_or(day),
            investors: self.investors,
            lead_investors: self.lead_investors,
        }
    }
}

impl GivenJob {
    fn read(self, id: String, posted_at: DateTime<Utc>, url: Option<String>) -> Posting {
        let read = read_title(&self.title);
        let place =
            |place: GivenPlace| Location { city: place.city, region: place.region, country: place.country };
        Posting {
            id,
            department: Some(self.department.map_or(read.department, |given| given.0)),
            seniority: Some(self.seniority.map_or(read.seniority, |given| given.0)),
            title: self.title,
            locations: self.locations.into_iter().map(place).collect(),
            posted_at,
            closed_at: self.closed_at,
            applicants: self.applicants,
            url,
        }
    }
}

impl GivenChange {
    fn read(self, hosts: &NetworkHosts) -> Result<Move, Wrong> {
        let kind = match self.kind {
            GivenMove::NewCompany => MoveKind::NewCompany,
            GivenMove::Promotion => MoveKind::Promotion,
            GivenMove::NewRole => MoveKind::NewRole,
            GivenMove::Left => MoveKind::Left,
        };
        let read = |post: Option<GivenPost>, field: &'static str| {
            let post = post.map(|GivenPost { title, company, on }| {
                company.read(field, hosts).map(|company| Post { title, company, on })
            });
            post.transpose()
        };
        let (from, to) = (read(self.from, "change/from")?, read(self.to, "change/to")?);
        Ok(Move { kind, from, to, announcement_post_url: None, announcement_text: None })
    }
}
