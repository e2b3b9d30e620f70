//! `POST /v1/search/people`: people by what they do, where, for whom and for how long.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome, Trace};
use crate::example;
use crate::fault::Fault;
use crate::input::{Decoded, RawInput};
use crate::search::clauses::{
    LocationFilter, Range, domains, folded, language, one_of, since, words, years_of_work,
};
use crate::search::values::{DomainText, Phrase, TwoLetters, Values};
use crate::search::{
    Conditions, Count, FoundPage, PageWish, Sort, TotalRelation, TruncatedBy, find_telling, foreseen,
};
use crate::spec::{Group, Spec};
use crate::view::{PersonView, ToldPerson, tell_people};
use assay_domain::taxonomy::{Department, Industry, Seniority, SizeBand};
use assay_domain::{Credits, Domain, NetworkHosts, PersonId, Price};
use assay_index::{Clause, Number, Term, Text};
use chrono::{Days, NaiveDate};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub enum SearchPeople {}

/// What people are asked for by, and what those have who are left out: whoever meets one of the fields of `exclude` is.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
#[schemars(rename = "PeopleFilters")]
pub struct PeopleFilters {
    /// Words of the present title.
    title: Option<Values<Phrase>>,
    seniority: Option<Values<Seniority>>,
    department: Option<Values<Department>>,
    skills: Option<Values<Phrase>>,
    /// Of the company they work for.
    industry: Option<Values<Industry>>,
    #[garde(dive)]
    location: Option<LocationFilter>,
    /// ISO 639-1.
    language: Option<Values<TwoLetters>>,
    certifications: Option<Values<Phrase>>,
    company_domain: Option<Values<DomainText>>,
    company_size: Option<Values<SizeBand>>,
    /// Words of the headline, the title, the company, skills and certifications.
    keywords: Option<Values<Phrase>>,
    /// Whole years since the first job.
    #[garde(dive)]
    years_experience: Option<Range>,
    #[garde(range(min = 1, max = 365))]
    changed_jobs_within_days: Option<u32>,
}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
pub struct SearchPeopleRequest {
    /// Words of the present title.
    title: Option<Values<Phrase>>,
    seniority: Option<Values<Seniority>>,
    department: Option<Values<Department>>,
    skills: Option<Values<Phrase>>,
    /// Of the company they work for.
    industry: Option<Values<Industry>>,
    #[garde(dive)]
    location: Option<LocationFilter>,
    /// ISO 639-1.
    language: Option<Values<TwoLetters>>,
    certifications: Option<Values<Phrase>>,
    company_domain: Option<Values<DomainText>>,
    company_size: Option<Values<SizeBand>>,
    /// Words of the headline, the title, the company, skills and certifications.
    keywords: Option<Values<Phrase>>,
    /// Whole years since the first job.
    #[garde(dive)]
    years_experience: Option<Range>,
    #[garde(range(min = 1, max = 365))]
    changed_jobs_within_days: Option<u32>,
    /// Leaves out whoever meets one of these.
    #[garde(dive)]
    exclude: Option<PeopleFilters>,
    /// Those of whom most is known come first.
    sort: Option<Sort>,
    /// How far `total` is counted: to 10,000, or to the end, which takes longer the more there are.
    count: Option<Count>,
    #[garde(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[garde(length(chars, max = 512))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct SearchPeopleQuestion {
    filters: Checked,
    exclude: Checked,
    page: PageWish,
}

/// Filters whose domains are read.
#[derive(Debug)]
struct Checked {
    filters: PeopleFilters,
    domains: Option<Vec<Domain>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchPeopleResponse {
    #[schemars(with = "Vec<PersonView>")]
    pub results: Vec<ToldPerson>,
    /// How many meet the filters, as of the first page.
    pub total: u64,
    pub total_relation: TotalRelation,
    /// `credits` when the page would have been longer if there were more of them.
    pub truncated_by: Option<TruncatedBy>,
    pub next_cursor: Option<String>,
}

impl Endpoint for SearchPeople {
    const SPEC: Spec = Spec {
        summary: "Find people by what they are",
        description: "People by title, rank, department, skills, industry, place, language and more. Filters take a text or an \
                      array and are met all together; of the values of one filter, any. The base price is charged for every \
                      page, whatever it finds. Pages never show a person twice, and whoever changes while you read may be \
                      left out.",
        ..Spec::research(
            "search-people",
            "/v1/search/people",
            Group::Search,
            Price::BasePlus { base: Credits::whole(1), unit: Credits::whole(1) },
            "person",
        )
    };
    type Request = SearchPeopleRequest;
    type Question = SearchPeopleQuestion;
    type Response = SearchPeopleResponse;

    fn parse(request: SearchPeopleRequest, _hosts: &NetworkHosts) -> Result<SearchPeopleQuestion, Fault> {
        let (cursor, limit, count) = (request.cursor, request.limit, request.count);
        let (sort, exclude) = (request.sort.unwrap_or_default(), request.exclude.unwrap_or_default());
        let filters = PeopleFilters {
            title: request.title,
            seniority: request.seniority,
            department: request.department,
            skills: request.skills,
            industry: request.industry,
            location: request.location,
            language: request.language,
            certifications: request.certifications,
            company_domain: request.company_domain,
            company_size: request.company_size,
            keywords: request.keywords,
            years_experience: request.years_experience,
            changed_jobs_within_days: request.changed_jobs_within_days,
        };
        let asked = (Self::SPEC.name, &filters, &exclude, sort);
        let page = PageWish::read(&asked, cursor.as_deref(), limit, count)?;
        Ok(SearchPeopleQuestion {
            filters: Checked::new(filters, "")?,
            exclude: Checked::new(exclude, "/exclude")?,
            page,
        })
    }

    fn units_max(question: &SearchPeopleQuestion) -> u32 {
        question.page.limit()
    }

    fn example() -> (Value, SearchPeopleResponse) {
        let request = json!({
            "seniority": ["vp", "c_suite"],
            "department": "sales",
            "location": { "country": "US" },
            "exclude": { "company_size": "1-10" },
            "limit": 10
        });
        let response = SearchPeopleResponse {
            results: ToldPerson::write(example::person()).into_iter().collect(),
            total: 1,
            total_relation: TotalRelation::Eq,
            truncated_by: None,
            next_cursor: None,
        };
        (request, response)
    }

    fn not_found() -> Option<SearchPeopleResponse> {
        Some(SearchPeopleResponse {
            results: Vec::new(),
            total: 0,
            total_relation: TotalRelation::Eq,
            truncated_by: None,
            next_cursor: None,
        })
    }

    async fn run(
        context: &Context,
        question: SearchPeopleQuestion,
    ) -> Result<Outcome<SearchPeopleResponse>, Fault> {
        let conditions = question.conditions(question.page.day(context));
        let page = question.page;
        let FoundPage { rows, total, total_relation, truncated_by, next_cursor, steps } =
            find_telling::<ToldPerson>(context, conditions, &page, |ids| {
                let people = || ids.iter().copied().map(PersonId::from_uuid).collect();
                context.foresight.foresee(ids.len(), || foreseen(ids, people()));
            })
            .await?;
        let people = rows.iter().map(|person| person.id).collect();
        let trace = Trace { steps, people, ..Trace::default() };
        let units = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let body = SearchPeopleResponse { results: rows, total, total_relation, truncated_by, next_cursor };
        Ok(Outcome::found(body, units, trace))
    }

    async fn finish(context: &Context, answer: &mut SearchPeopleResponse) -> Result<u32, Fault> {
        Ok(tell_people(&context.engine, &mut answer.results).await?)
    }
}

impl SearchPeople {
    /// Reads the fields of a request that came by another way than a call of its own.
    pub(crate) fn read(
        fields: Map<String, Value>,
        hosts: &NetworkHosts,
    ) -> Result<SearchPeopleQuestion, Fault> {
        let Decoded(request) = RawInput::Body(fields).decode::<SearchPeopleRequest>()?;
        Self::parse(request, hosts)
    }
}

impl SearchPeopleQuestion {
    pub(crate) fn page(&self) -> &PageWish {
        &self.page
    }

    /// `day` is what filters count back from.
    pub(crate) fn conditions(&self, day: NaiveDate) -> Conditions {
        self.filters.conditions(day).without(self.exclude.conditions(day))
    }
}

impl Checked {
    fn new(filters: PeopleFilters, pointer: &str) -> Result<Self, Fault> {
        let domains = domains(filters.company_domain.as_ref(), &format!("{pointer}/company_domain"))?;
        if let Some(years) = filters.years_experience {
            years.check(&format!("{pointer}/years_experience"))?;
        }
        Ok(Self { filters, domains })
    }

    fn conditions(&self, day: NaiveDate) -> Conditions {
        let Self { filters, domains } = self;
        let written = |domains: &Vec<Domain>| domains.iter().map(ToString::to_string).collect();
        let mut conditions = Conditions::default();
        conditions.add([
            words(Text::Title, filters.title.as_ref()),
            one_of(Term::Seniority, filters.seniority.as_ref(), ToString::to_string),
            one_of(Term::Department, filters.department.as_ref(), ToString::to_string),
            folded(Term::Skill, filters.skills.as_ref()),
            one_of(Term::Industry, filters.industry.as_ref(), ToString::to_string),
            filters.location.as_ref().and_then(LocationFilter::clause),
            language(filters.language.as_ref()),
            folded(Term::Certification, filters.certifications.as_ref()),
            domains.as_ref().map(|domains| Clause::OneOf(Term::CompanyDomain, written(domains))),
            one_of(Term::CompanySize, filters.company_size.as_ref(), ToString::to_string),
            words(Text::Keywords, filters.keywords.as_ref()),
            filters.years_experience.and_then(|years| years_of_work(years, day)),
            filters
                .changed_jobs_within_days
                .and_then(|days| day.checked_sub_days(Days::new(days.into())))
                .map(|day| since(Number::JobChangedOn, day)),
        ]);
        conditions
    }
}
