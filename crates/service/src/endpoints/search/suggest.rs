//! `GET /v1/suggest`: the values that a filter can be given, by how they begin.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::fault::Fault;
use crate::spec::{Group, Scope, Spec, Verb};
use assay_domain::NetworkHosts;
use assay_domain::limits::{PAGE_ROWS_DEFAULT, SUGGESTIONS_CLOSED_MAX};
use assay_index::{Asker, Term, fold_term};
use assay_replica::Side;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug)]
pub enum Suggest {}

/// A filter whose values are suggested, by its name in a search.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuggestField {
    Seniority,
    Department,
    Skills,
    Certifications,
    Language,
    Industry,
    Country,
    Region,
    City,
    CompanyDomain,
    CompanySize,
    Technologies,
    Stage,
}

#[derive(Debug, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct SuggestRequest {
    #[garde(skip)]
    field: SuggestField,
    /// How the value begins; case and accents do not matter. Without it the commonest values of all are told.
    #[garde(length(chars, max = 200))]
    text: Option<String>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
}

#[derive(Debug)]
pub struct SuggestQuestion {
    field: SuggestField,
    text: String,
    limit: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SuggestResponse {
    pub results: Vec<SuggestedValue>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SuggestedValue {
    /// As a search takes it.
    pub value: String,
    /// How many people, or companies, have it; about, where there are more than 10,000.
    pub count: u64,
}

impl Endpoint for Suggest {
    const SPEC: Spec = Spec {
        summary: "Which values a filter can be given",
        description: "The values of a search filter that begin with a text, the commonest first, each with how many people \
                      (for technologies and stage: companies) have it.",
        ..Spec::free("suggest", Verb::Get, "/v1/suggest", Group::Suggest, Scope::Search)
    };
    type Request = SuggestRequest;
    type Question = SuggestQuestion;
    type Response = SuggestResponse;

    fn parse(request: SuggestRequest, _hosts: &NetworkHosts) -> Result<SuggestQuestion, Fault> {
        let limit = request.limit.unwrap_or(PAGE_ROWS_DEFAULT);
        Ok(SuggestQuestion {
            field: request.field,
            text: request.text.unwrap_or_default(),
            limit: usize::try_from(limit).unwrap_or(1),
        })
    }

    fn example() -> (Value, SuggestResponse) {
        let suggested = |value: &str, count| SuggestedValue { value: value.to_owned(), count };
        let results = vec![suggested("enterprise sales", 1_204), suggested("enterprise architecture", 311)];
        (json!({ "field": "skills", "text": "enter" }), SuggestResponse { results })
    }

    async fn run(context: &Context, question: SuggestQuestion) -> Result<Outcome<SuggestResponse>, Fault> {
        let SuggestQuestion { field, text, limit } = question;
        let asker = Asker::Account(context.memory.account().uuid());
        let (indexes, _) = context.replica.newest()?;
        let (place, spelling) = field.place();
        let found = match spelling {
            Spelling::Folded => indexes.suggest(place, fold_term(&text), asker, limit).await?,
            Spelling::Lower => indexes.suggest(place, text.to_lowercase(), asker, limit).await?,
            Spelling::Upper => indexes.suggest(place, text.to_uppercase(), asker, limit).await?,
            Spelling::OfAList => {
                let beginning = text.to_lowercase();
                let mut all = indexes.suggest(place, String::new(), asker, SUGGESTIONS_CLOSED_MAX).await?;
                all.retain(|one| one.value.to_lowercase().starts_with(&beginning));
                all.truncate(limit);
                all
            }
        };
        let results =
            found.into_iter().map(|one| SuggestedValue { value: one.value, count: one.count }).collect();
        Ok(Outcome::nothing(SuggestResponse { results }))
    }
}

/// How the index has the values of a field.
#[derive(Debug, Clone, Copy)]
enum Spelling {
    Folded,
    Lower,
    Upper,
    /// As a list of ours has them, which is short enough to be looked through.
    OfAList,
}

impl SuggestField {
    const fn place(self) -> ((Side, Term), Spelling) {
        let (term, spelling) = match self {
            Self::Seniority => (Term::Seniority, Spelling::OfAList),
            Self::Department => (Term::Department, Spelling::OfAList),
            Self::Skills => (Term::Skill, Spelling::Folded),
            Self::Certifications => (Term::Certification, Spelling::Folded),
            Self::Language => (Term::Language, Spelling::Lower),
            Self::Industry => (Term::Industry, Spelling::OfAList),
            Self::Country => (Term::Country, Spelling::Upper),
            Self::Region => (Term::Region, Spelling::Folded),
            Self::City => (Term::City, Spelling::Folded),
            Self::CompanyDomain => (Term::CompanyDomain, Spelling::Lower),
            Self::CompanySize => (Term::CompanySize, Spelling::OfAList),
            Self::Technologies => return ((Side::Companies, Term::Technology), Spelling::Folded),
            Self::Stage => return ((Side::Companies, Term::FundingStage), Spelling::OfAList),
        };
        ((Side::People, term), spelling)
    }
}
