//! `POST /v1/bundles/sales-deck`: an account on one page: who decides, who has a say, what happened there, and who is like it.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::search::values::{OneValue, Phrase};
use crate::spec::{Group, Spec};
use crate::steps::account::{known_company, read_domain};
use crate::steps::buyers::{BuyerView, buyers};
use crate::steps::funded::all_rounds;
use crate::steps::moves::{MoveView, moves_at};
use crate::steps::similarity::companies_like;
use crate::view::RoundView;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{DOMAIN_CHARS_MAX, LOOKALIKES_SHOWN_MAX};
use assay_domain::{Company, Credits, Domain, NetworkHosts, Price, Similarity};
use assay_engine::alike::Alike;
use assay_engine::research::{Buyer, Role};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Who decides, and two more.
const COMMITTEE: usize = 3;

#[derive(Debug)]
pub enum SalesDeck {}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SalesDeckRequest {
    #[garde(length(chars, max = DOMAIN_CHARS_MAX))]
    company_domain: String,
    /// Who decides, as one would say it: "VP of Sales".
    #[garde(skip)]
    target_role: OneValue<Phrase>,
}

#[derive(Debug)]
pub struct SalesDeckQuestion {
    domain: Domain,
    role: Role,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SalesDeckResponse {
    /// Whether the company is known; else nothing is charged.
    pub found: bool,
    pub company: Option<AccountView>,
    /// Null where nobody is known who decides.
    pub decision_maker: Option<BuyerView>,
    /// Who else has a say; two at most.
    pub buying_committee_extras: Vec<ExtraView>,
    /// The latest round; null where none is known.
    pub recent_funding: Option<RoundView>,
    /// Of the last 90 days, the newest first.
    pub recent_job_changes_at_account: Vec<MoveView>,
    /// Three at most.
    pub similar_companies: Vec<SimilarView>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Account")]
pub struct AccountView {
    pub id: String,
    pub name: String,
    pub domain: Option<String>,
    pub employee_count: Option<u32>,
    pub industry: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CommitteeExtra")]
pub struct ExtraView {
    pub full_name: String,
    pub title: String,
    /// Their part: why they have a say.
    pub role: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SimilarCompany")]
pub struct SimilarView {
    pub name: String,
    pub domain: Option<String>,
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub similarity: Similarity,
}

impl From<&Company> for AccountView {
    fn from(company: &Company) -> Self {
        Self {
            id: company.id.to_string(),
            name: company.facts.name.clone(),
            domain: company.facts.domain.as_ref().map(ToString::to_string),
            employee_count: company.facts.employee_count,
            industry: company.facts.industry.map(|industry| industry.as_str()),
        }
    }
}

impl From<Buyer> for ExtraView {
    fn from(buyer: Buyer) -> Self {
        let role = format!("{} in {}", buyer.seniority, buyer.department);
        Self { full_name: buyer.person.facts.full_name, title: buyer.title, role }
    }
}

impl From<Alike<Company>> for SimilarView {
    fn from(alike: Alike<Company>) -> Self {
        let domain = alike.record.facts.domain.as_ref().map(ToString::to_string);
        Self { name: alike.record.facts.name, domain, similarity: alike.likeness.similarity }
    }
}

impl Endpoint for SalesDeck {
    const SPEC: Spec = Spec {
        units_max: 1,
        summary: "An account on one page",
        description: "A domain and a role give the company, whoever decides there and two more who have a say, the latest round, who came \
                      and who left in the last 90 days, and three companies like it. Charged once the company is known, whatever \
                      else is; nothing is charged when it is not.",
        ..Spec::research(
            "sales-deck",
            "/v1/bundles/sales-deck",
            Group::Bundles,
            Price::Flat(Credits::whole(25)),
            "company",
        )
    };
    type Request = SalesDeckRequest;
    type Question = SalesDeckQuestion;
    type Response = SalesDeckResponse;

    fn parse(request: SalesDeckRequest, _: &NetworkHosts) -> Result<SalesDeckQuestion, Fault> {
        let domain = read_domain(&request.company_domain, "/company_domain")?;
        Ok(SalesDeckQuestion { domain, role: Role::read(&request.target_role.0.0) })
    }

    fn example() -> (Value, SalesDeckResponse) {
        let (company, round) = example::funded();
        let extra = |name: &str, title: &str, role: &str| ExtraView {
            full_name: name.to_owned(),
            title: title.to_owned(),
            role: role.to_owned(),
        };
        let moved = |name: &str, title: &str, change: &'static str| MoveView {
            full_name: name.to_owned(),
            title: title.to_owned(),
            change,
            on: example::moment().date_naive(),
            network_url: None,
        };
        let peers = example::peers().into_iter().filter_map(|peer| peer.company).zip([71, 64, 58]);
        let similar = peers.map(|(company, percent)| SimilarView {
            name: company.name,
            domain: company.domain.as_ref().map(ToString::to_string),
            similarity: Similarity::of(percent, 100),
        });
        let response = SalesDeckResponse {
            found: true,
            company: Some(AccountView::from(&company)),
            decision_maker: Some(BuyerView::example()),
            buying_committee_extras: vec![
                extra("Noor Haddad", "Director of Sales Operations", "director in sales"),
                extra("Otto Brandt", "Chief Revenue Officer", "c_suite in executive"),
            ],
            recent_funding: Some(round.into()),
            recent_job_changes_at_account: vec![
                moved("Priya Raman", "Sales Engineer", "hire"),
                moved("Quentin Moss", "Account Executive", "leave"),
            ],
            similar_companies: similar.collect(),
        };
        (json!({ "company_domain": "northwind-robotics.example", "target_role": "VP of Sales" }), response)
    }

    fn not_found() -> Option<SalesDeckResponse> {
        Some(SalesDeckResponse::default())
    }

    async fn run(context: &Context, asked: SalesDeckQuestion) -> Result<Outcome<SalesDeckResponse>, Fault> {
        let watch = Stopwatch::start();
        let Some(company) = known_company(context, &asked.domain).await? else {
            return Ok(Outcome::nothing(SalesDeckResponse::default()));
        };
        let (found, rounds, moves, similar) = tokio::try_join!(
            buyers(context, &company, &asked.role, COMMITTEE),
            all_rounds(context, &company),
            moves_at(context, &company),
            companies_like(context, &company, LOOKALIKES_SHOWN_MAX)
        )?;
        let people = found
            .iter()
            .map(|buyer| buyer.person.id)
            .chain(moves.iter().map(|(person, _)| *person))
            .collect();
        let mut found = found.into_iter();
        let body = SalesDeckResponse {
            found: true,
            company: Some(AccountView::from(&company)),
            decision_maker: found.next().map(|buyer| BuyerView::new(buyer, &company)),
            buying_committee_extras: found.map(ExtraView::from).collect(),
            recent_funding: rounds.into_iter().next().map(RoundView::from),
            recent_job_changes_at_account: moves.into_iter().map(|(_, view)| view).collect(),
            similar_companies: similar.into_iter().map(SimilarView::from).collect(),
        };
        Ok(Outcome::found(body, 1, Trace { people, ..Trace::graph(true, watch.elapsed()) }))
    }
}
