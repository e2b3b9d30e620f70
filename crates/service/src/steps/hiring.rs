//! What a company is hiring for, as the feed knows it.

use super::account::domains_of;
use super::recent::{FirstAsked, WalkWish, is_told_at_newer};
use crate::context::Context;
use crate::fault::Fault;
use crate::search::firm::FirmFilters;
use crate::search::values::{Phrase, Values};
use crate::view::JobView;
use assay_domain::limits::{HIRING_JOBS_READ_MAX, HIRING_JOBS_SHOWN_MAX};
use assay_domain::name::fold_text;
use assay_domain::signal::{Content, Posting};
use assay_domain::taxonomy::Department;
use assay_domain::{Company, Signal, SignalKind};
use assay_engine::signals::{Moment, RecentFilter, is_open};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

/// Open jobs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Hiring")]
pub struct HiringView {
    /// Of the departments asked for, where some were.
    pub open_roles: u32,
    /// Where they are, the most first.
    pub departments: Vec<String>,
    /// The newest first; ten at most.
    pub jobs: Vec<JobView>,
}

/// The open jobs of a company, posted at or after `since` and not after `until`.
pub async fn open_jobs(
    context: &Context,
    company: &Company,
    departments: &[Department],
    since: Option<DateTime<Utc>>,
    until: DateTime<Utc>,
) -> Result<Vec<Posting>, Fault> {
    let domains = domains_of(company);
    if domains.is_empty() {
        return Ok(Vec::new());
    }
    let filter = RecentFilter {
        since,
        domains,
        departments: departments.iter().map(|department| department.as_str().to_owned()).collect(),
        ..RecentFilter::all(SignalKind::Hiring)
    };
    let start = Moment::after(until);
    let recent = context.engine.recent_signals(&filter, i64::MAX, start, HIRING_JOBS_READ_MAX).await?;
    let posting =
        |content: Content| if let Content::Hiring(posting) = content { Some(posting) } else { None };
    let jobs = recent.signals.into_iter().filter_map(|(_, signal)| posting(signal.content));
    Ok(jobs.filter(|posting| is_open(posting, context.now)).collect())
}

/// Which jobs are meant. An empty list asks for nothing.
#[derive(Debug)]
pub struct JobFilter {
    /// Of each text its words, all of which the title must have.
    pub titles: Vec<String>,
    pub departments: Vec<Department>,
}

impl JobFilter {
    pub fn new(titles: Option<&Values<Phrase>>, departments: Option<&Values<Department>>) -> Self {
        let titles = titles.into_iter().flat_map(Values::iter).map(|text| fold_text(&text.0));
        let departments = departments.into_iter().flat_map(Values::iter).copied();
        Self { titles: titles.collect(), departments: departments.collect() }
    }

    pub fn takes(&self, job: &Posting) -> bool {
        let title = fold_text(&job.title);
        let has = |word: &str| title.split(' ').any(|other| other == word);
        let has_title = self.titles.is_empty() || self.titles.iter().any(|text| text.split(' ').all(has));
        let is_there = job.department.is_some_and(|department| self.departments.contains(&department));
        has_title && (self.departments.is_empty() || is_there)
    }
}

/// Jobs posted in the window of this call.
pub fn jobs_of(context: &Context, wish: &WalkWish, jobs: &JobFilter) -> RecentFilter {
    RecentFilter {
        since: wish.since(context),
        departments: jobs.departments.iter().map(|department| department.as_str().to_owned()).collect(),
        ..RecentFilter::all(SignalKind::Hiring)
    }
}

/// Which companies are meant that have open jobs.
#[derive(Debug)]
pub struct Hirers {
    pub jobs: JobFilter,
    firm: FirmFilters,
    /// What happened after the first page was asked for is on none.
    first_asked: FirstAsked,
}

impl Hirers {
    pub fn new(jobs: JobFilter, firm: FirmFilters, wish: &WalkWish) -> Self {
        Self { jobs, firm, first_asked: wish.first_asked() }
    }

    pub fn until(&self, context: &Context) -> DateTime<Utc> {
        self.first_asked.at(context)
    }
}

/// The company that has an open job which is meant. One with several is told at the newest until then.
pub async fn hirer(context: &Context, hirers: &Hirers, signal: &Signal) -> Result<Option<Company>, Fault> {
    let Hirers { jobs, firm, .. } = hirers;
    let is_meant = |content: &Content| matches!(content, Content::Hiring(job) if is_open(job, context.now) && jobs.takes(job));
    if !is_meant(&signal.content) {
        return Ok(None);
    }
    let company = context.engine.company_behind(&signal.company, context.memory.account()).await?;
    let Some(company) = company.filter(|company| firm.fit(&company.facts)) else { return Ok(None) };
    let is_told = is_told_at_newer(context, &company, signal, hirers.until(context), is_meant).await?;
    Ok((!is_told).then_some(company))
}

impl HiringView {
    pub fn new(jobs: Vec<Posting>) -> Self {
        let mut counts: Vec<(u32, Department)> = Vec::new();
        for department in jobs.iter().filter_map(|job| job.department) {
            match counts.iter_mut().find(|(_, known)| *known == department) {
                Some((count, _)) => *count += 1,
                None => counts.push((1, department)),
            }
        }
        counts.sort_by_key(|(count, department)| (std::cmp::Reverse(*count), *department));
        Self {
            open_roles: u32::try_from(jobs.len()).unwrap_or(u32::MAX),
            departments: counts.into_iter().map(|(_, department)| department.as_str().to_owned()).collect(),
            jobs: jobs.into_iter().take(HIRING_JOBS_SHOWN_MAX).map(JobView::from).collect(),
        }
    }

    /// Of the worked examples.
    pub fn example() -> Self {
        let job = crate::view::example_signal(SignalKind::Hiring).job;
        Self { open_roles: 17, departments: vec!["engineering".to_owned()], jobs: job.into_iter().collect() }
    }
}
