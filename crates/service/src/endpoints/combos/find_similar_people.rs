//! `POST /v1/find-similar-people`: people like somebody, at other companies, and why.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::endpoints::resolve::profile_url;
use crate::example;
use crate::fault::Fault;
use crate::search::TruncatedBy;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{Phrase, TwoLetters, Values};
use crate::spec::{Group, Spec};
use crate::steps::similarity::{ReasonView, affordable, candidates, question, step};
use crate::view::PersonView;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::PAGE_ROWS_DEFAULT;
use assay_domain::taxonomy::{Industry, SizeBand};
use assay_domain::{Confidence, Credits, NetworkHosts, NetworkUrl, Person, Price, Similarity};
use assay_engine::PersonQuery;
use assay_engine::alike::{Alike, Aspect, Lookout};
use assay_replica::Side;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum FindSimilarPeople {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct FindSimilarPeopleRequest {
    /// The profile of the person that others shall be like.
    #[serde(rename = "networkUrl")]
    #[garde(length(chars, max = 2048))]
    network_url: String,
    industry: Option<Values<Industry>>,
    /// ISO 3166-1 alpha-2, of where they live.
    country: Option<Values<TwoLetters>>,
    city: Option<Values<Phrase>>,
    company_size: Option<Values<SizeBand>>,
    /// Of the company they work at.
    #[garde(dive)]
    employee_count: Option<Range>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Debug)]
pub struct FindSimilarPeopleQuestion {
    source: NetworkUrl,
    filters: FirmFilters,
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FindSimilarPeopleResponse {
    /// Whether the person that others shall be like is known; else nothing is charged.
    pub found: bool,
    /// The most alike first.
    pub results: Vec<SimilarPerson>,
    /// `credits` when there would have been more results if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
}

impl FindSimilarPeopleResponse {
    fn nothing() -> Self {
        Self { found: false, results: Vec::new(), truncated_by: None }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SimilarPerson {
    pub person: PersonView,
    /// 1 where all that is compared is the same.
    #[schemars(with = "f64", range(min = 0.0, max = 1.0))]
    pub similarity: Similarity,
    /// What the similarity consists of, the largest share first.
    pub reasons: Vec<ReasonView>,
}

impl From<Alike<Person>> for SimilarPerson {
    fn from(alike: Alike<Person>) -> Self {
        Self {
            person: alike.record.into(),
            similarity: alike.likeness.similarity,
            reasons: alike.likeness.reasons.into_iter().map(Into::into).collect(),
        }
    }
}

impl SimilarPerson {
    /// Of the worked examples, the most alike first.
    pub fn examples() -> Vec<Self> {
        example::peers()
            .into_iter()
            .zip((40..=64).rev().step_by(3))
            .map(|(peer, share)| Self::example(peer, share))
            .collect()
    }

    fn example(peer: Person, percent: u64) -> Self {
        let reason = |aspect: Aspect, share: u64, text: &str, shared: &str| ReasonView {
            aspect: aspect.as_str(),
            share: Similarity::of(share, 100),
            text: text.to_owned(),
            shared: vec![shared.to_owned()],
        };
        Self {
            person: peer.into(),
            similarity: Similarity::of(percent, 100),
            reasons: vec![
                reason(Aspect::Title, 50, "same title", "sales"),
                reason(Aspect::Department, 30, "same department", "sales"),
                reason(Aspect::Industry, 20, "same industry", "Industrial Automation"),
            ],
        }
    }
}

impl Endpoint for FindSimilarPeople {
    const SPEC: Spec = Spec {
        summary: "Find people like somebody, at other companies",
        description: "People like one other, by title, skills, department, rank, industry and size of the company, with the \
                      reasons and how much each counts. Nobody at the same company comes. The base price is charged when \
                      the person is known, and a price for each result.",
        ..Spec::research(
            "find-similar-people",
            "/v1/find-similar-people",
            Group::Combos,
            Price::BasePlus { base: Credits::whole(1), unit: Credits::from_thousandths(800) },
            "person",
        )
    };
    type Request = FindSimilarPeopleRequest;
    type Question = FindSimilarPeopleQuestion;
    type Response = FindSimilarPeopleResponse;

    fn parse(
        request: FindSimilarPeopleRequest,
        hosts: &NetworkHosts,
    ) -> Result<FindSimilarPeopleQuestion, Fault> {
        let filters = FirmFilters {
            industry: request.industry,
            country: request.country,
            city: request.city,
            company_size: request.company_size,
            employee_count: request.employee_count,
        };
        Ok(FindSimilarPeopleQuestion {
            source: profile_url(&request.network_url, hosts)?,
            filters: filters.checked()?,
            limit: request.limit.unwrap_or(PAGE_ROWS_DEFAULT),
        })
    }

    fn units_max(question: &FindSimilarPeopleQuestion) -> u32 {
        question.limit
    }

    fn example() -> (Value, FindSimilarPeopleResponse) {
        let request = json!({
            "networkUrl": "https://network.example/in/sam-rivera",
            "company_size": ["201-500", "501-1000"],
            "limit": 10
        });
        (
            request,
            FindSimilarPeopleResponse {
                found: true,
                results: SimilarPerson::examples().into_iter().take(1).collect(),
                truncated_by: None,
            },
        )
    }

    fn not_found() -> Option<FindSimilarPeopleResponse> {
        Some(FindSimilarPeopleResponse::nothing())
    }

    fn not_found_ran() -> bool {
        false
    }

    async fn run(
        context: &Context,
        asked: FindSimilarPeopleQuestion,
    ) -> Result<Outcome<FindSimilarPeopleResponse>, Fault> {
        let watch = Stopwatch::start();
        let account = context.memory.account();
        let source = context.engine.resolve_person(&PersonQuery::NetworkUrl(asked.source), account).await?;
        let Some(source) = source.filter(|found| found.confidence >= Confidence::ENOUGH) else {
            // Whoever is not known cannot be compared with: the search did not run.
            return Ok(Outcome { ran: false, ..Outcome::nothing(FindSimilarPeopleResponse::nothing()) });
        };
        let source = source.record;
        let wanted = usize::try_from(asked.limit).unwrap_or(usize::MAX);
        let lookout = Lookout::people(&source, question(context, asked.filters.conditions()), wanted);
        let shortlist = candidates(context, Side::People, lookout).await?;
        let mut found = context.engine.people_alike(&source, &shortlist, account).await?;
        let truncated_by = affordable(context, &mut found);
        let people = found.iter().map(|alike| alike.record.id).collect();
        let trace = Trace { steps: vec![step(&found, watch)], people, ..Trace::default() };
        let results: Vec<SimilarPerson> = found.into_iter().map(Into::into).collect();
        let units = u32::try_from(results.len()).unwrap_or(u32::MAX);
        Ok(Outcome::found(FindSimilarPeopleResponse { found: true, results, truncated_by }, units, trace))
    }
}
