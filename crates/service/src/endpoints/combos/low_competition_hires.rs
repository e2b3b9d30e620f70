//! `POST /v1/low-competition-hires`: open jobs that few have applied for, and the companies that have them.

use crate::context::Context;
use crate::endpoint::{Endpoint, Outcome};
use crate::example;
use crate::fault::Fault;
use crate::search::clauses::Range;
use crate::search::firm::FirmFilters;
use crate::search::values::{Phrase, TwoLetters, Values};
use crate::spec::{Group, Scope, Spec};
use crate::steps::hiring::JobFilter;
use crate::steps::recent::{Row, WalkWish, walk};
use crate::steps::rows::{Failures, Rows};
use crate::view::{CompanyView, JobView, example_signal};
use assay_domain::limits::{APPLICANTS_FEW_MAX, CURSOR_CHARS_MAX, PAGE_ROWS_MAX};
use assay_domain::signal::{Content, Posting};
use assay_domain::taxonomy::{Department, Industry, SizeBand};
use assay_domain::{Company, Credits, NetworkHosts, Price, Signal, SignalId, SignalKind};
use assay_engine::signals::{Part, RecentFilter, is_open};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Debug)]
pub enum LowCompetitionHires {}

/// Filters are met all together; of the values of one filter, any.
#[derive(Debug, Default, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields, default)]
#[garde(allow_unvalidated)]
pub struct LowCompetitionHiresRequest {
    /// No more than this; 24 if nothing is said.
    #[garde(range(min = 0, max = APPLICANTS_FEW_MAX))]
    max_applicants: Option<i32>,
    /// Words of the job's title.
    title: Option<Values<Phrase>>,
    department: Option<Values<Department>>,
    /// Of the company.
    industry: Option<Values<Industry>>,
    /// ISO 3166-1 alpha-2, of the company's headquarters or another place.
    country: Option<Values<TwoLetters>>,
    /// Of the company's headquarters or another place.
    city: Option<Values<Phrase>>,
    company_size: Option<Values<SizeBand>>,
    #[garde(dive)]
    employee_count: Option<Range>,
    #[garde(range(min = 1, max = PAGE_ROWS_MAX))]
    limit: Option<u32>,
    /// `next_cursor` of the page before, sent with the same filters.
    #[garde(length(chars, max = CURSOR_CHARS_MAX))]
    cursor: Option<String>,
}

#[derive(Debug)]
pub struct LowCompetitionHiresQuestion {
    wish: WalkWish,
    filter: RecentFilter,
    sieve: JobSieve,
}

#[derive(Debug)]
pub struct JobSieve {
    jobs: JobFilter,
    firm: FirmFilters,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenJob {
    pub job: JobView,
    pub company: CompanyView,
}

/// A job, and who has it.
#[derive(Debug)]
pub struct JobAtCompany {
    id: SignalId,
    posting: Posting,
    company: Company,
}

impl Row for JobAtCompany {
    type Sieve = JobSieve;

    async fn complete(context: &Context, sieve: &JobSieve, signal: Signal) -> Result<Option<Self>, Fault> {
        let Content::Hiring(posting) = signal.content else { return Ok(None) };
        if !is_open(&posting, context.now) || !sieve.jobs.takes(&posting) {
            return Ok(None);
        }
        let company = context.engine.company_behind(&signal.company, context.memory.account()).await?;
        let company = company.filter(|company| sieve.firm.fit(&company.facts));
        Ok(company.map(|company| Self { id: signal.id, posting, company }))
    }

    fn unit(&self) -> Uuid {
        self.id.uuid()
    }
}

impl From<JobAtCompany> for OpenJob {
    fn from(found: JobAtCompany) -> Self {
        Self { job: found.posting.into(), company: found.company.into() }
    }
}

impl Endpoint for LowCompetitionHires {
    const SPEC: Spec = Spec {
        scope: Scope::Signals,
        summary: "Open jobs with fewer than 25 applicants",
        description: "Jobs that are still open and that fewer than 25 have applied for, as somebody counts it, with the record of the \
                      company; the newest first. A job whose applicants nobody counts is none of few, and one at a company that is \
                      not known is neither told nor charged. Charged for each job.",
        ..Spec::research(
            "low-competition-hires",
            "/v1/low-competition-hires",
            Group::Combos,
            Price::PerUnit(Credits::whole(1)),
            "job",
        )
    };
    type Request = LowCompetitionHiresRequest;
    type Question = LowCompetitionHiresQuestion;
    type Response = Rows<OpenJob>;

    fn parse(
        request: LowCompetitionHiresRequest,
        _hosts: &NetworkHosts,
    ) -> Result<LowCompetitionHiresQuestion, Fault> {
        let max = request.max_applicants.unwrap_or(APPLICANTS_FEW_MAX);
        let asked = (Self::SPEC.name, max, &request.title, &request.department);
        let firm = (&request.industry, &request.country, &request.city, &request.company_size);
        let asked = (asked, firm, request.employee_count);
        let wish = WalkWish::read(&asked, None, request.cursor.as_deref(), request.limit)?;
        let jobs = JobFilter::new(request.title.as_ref(), request.department.as_ref());
        let departments = jobs.departments.iter().map(|department| department.as_str().to_owned());
        let filter = RecentFilter {
            departments: departments.collect(),
            part: Some(Part::Applicants { max }),
            ..RecentFilter::all(SignalKind::Hiring)
        };
        let firm = FirmFilters {
            industry: request.industry,
            country: request.country,
            city: request.city,
            company_size: request.company_size,
            employee_count: request.employee_count,
        };
        let sieve = JobSieve { jobs, firm: firm.checked()? };
        Ok(LowCompetitionHiresQuestion { wish, filter, sieve })
    }

    fn units_max(question: &LowCompetitionHiresQuestion) -> u32 {
        question.wish.limit()
    }

    fn example() -> (Value, Rows<OpenJob>) {
        let job = example_signal(SignalKind::Hiring).job;
        let row = |job: JobView| OpenJob { job, company: example::company().into() };
        let results = job.map(row).into_iter().collect();
        let request =
            json!({ "max_applicants": 15, "department": "engineering", "country": "US", "limit": 10 });
        (request, Rows::of(results))
    }

    fn not_found() -> Option<Rows<OpenJob>> {
        Some(Rows::of(Vec::new()))
    }

    async fn run(
        context: &Context,
        asked: LowCompetitionHiresQuestion,
    ) -> Result<Outcome<Rows<OpenJob>>, Fault> {
        let found = walk::<JobAtCompany>(context, &asked.wish, &asked.filter, &asked.sieve).await?;
        found.outcome(&Failures::default(), |_| None, OpenJob::from)
    }
}
