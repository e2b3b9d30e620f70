//! Who decides at a company, for a role.

use super::people::{find_people, has_one, works_at};
use crate::context::Context;
use crate::fault::Fault;
use crate::view::terms;
use assay_domain::limits::BUYER_CANDIDATES_MAX;
use assay_domain::{Company, Confidence};
use assay_engine::research::{Buyer, Role, rank_buyers};
use assay_index::Term;
use schemars::JsonSchema;
use serde::Serialize;

/// The best first, at most so many.
pub async fn buyers(
    context: &Context,
    company: &Company,
    role: &Role,
    most: usize,
) -> Result<Vec<Buyer>, Fault> {
    let mut people = Vec::new();
    for tier in role.tiers() {
        let department = tier.department.and_then(|department| has_one(Term::Department, &[department]));
        let wanted = [Some(works_at(company)), department, has_one(Term::Seniority, tier.ranks)];
        people.extend(
            find_people(context, wanted.into_iter().flatten().collect(), BUYER_CANDIDATES_MAX).await?,
        );
        // Whoever is in a later group fits less.
        if people.len() >= most {
            break;
        }
    }
    Ok(rank_buyers(role, people, company.id, most))
}

/// The one who decides; none where nobody is known.
pub async fn buyer(context: &Context, company: &Company, role: &Role) -> Result<Option<Buyer>, Fault> {
    Ok(buyers(context, company, role, 1).await?.into_iter().next())
}

/// Somebody who decides, and why they are thought to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Buyer")]
pub struct BuyerView {
    pub id: String,
    pub full_name: String,
    pub title: String,
    #[schemars(extend("enum" = terms::seniorities()))]
    pub seniority: &'static str,
    #[schemars(extend("enum" = terms::departments()))]
    pub department: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_url: Option<String>,
    pub company: BuyerCompany,
    /// How well they fit the role.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub score: Confidence,
    /// What the score stands on, and what decided between equals.
    pub reasons: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BuyerCompany {
    pub name: String,
    pub domain: Option<String>,
}

impl BuyerView {
    pub fn new(buyer: Buyer, company: &Company) -> Self {
        let Buyer { person, title, seniority, department, score, reasons } = buyer;
        Self {
            id: person.id.to_string(),
            full_name: person.facts.full_name,
            title,
            seniority: seniority.as_str(),
            department: department.as_str(),
            network_url: person.facts.network_url.map(|url| url.to_string()),
            company: BuyerCompany {
                name: company.facts.name.clone(),
                domain: company.facts.domain.as_ref().map(ToString::to_string),
            },
            score,
            reasons,
        }
    }

    /// Of the worked examples.
    pub fn example() -> Self {
        use crate::example;
        use assay_domain::taxonomy::{Department, Seniority};
        let buyer = Buyer {
            person: example::person(),
            title: "VP of Sales".to_owned(),
            seniority: Seniority::Vp,
            department: Department::Sales,
            score: Confidence::percent(100),
            reasons: vec!["works in sales".to_owned(), "has the rank asked for".to_owned()],
        };
        Self::new(buyer, &example::company())
    }
}
