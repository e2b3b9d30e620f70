//! Job boards. Each company that recruits through one of these vendors has a site there, which lists all its open jobs.

mod ashby;
mod greenhouse;
mod lever;
mod recruitee;
mod smartrecruiters;
mod workable;

use super::{Accept, Feed, Fetch, Pace, Page, Unreadable, line, moment, web_address};
use crate::reading::Piece;
use assay_domain::limits::{FEED_BOARD_EVERY, FEED_PAGE_BYTES_MAX, FEED_PLACES_MAX, FEED_POSTINGS_MAX};
use assay_domain::person::Location;
use assay_domain::signal::{Content, Party, Posting};
use assay_domain::taxonomy::Department;
use assay_domain::title::read_title;
use assay_domain::{Confidence, NetworkHosts, Notice};
use chrono::{DateTime, FixedOffset, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashSet};
use std::str::FromStr;
use std::sync::LazyLock;

/// The company says it itself.
const CONFIDENCE: Confidence = Confidence::percent(95);
const SITE_CHARS_MAX: usize = 100;
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

static HOSTS: LazyLock<NetworkHosts> = LazyLock::new(NetworkHosts::default);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoardVendor {
    Ashby,
    Greenhouse,
    Lever,
    Recruitee,
    SmartRecruiters,
    Workable,
}

impl BoardVendor {
    pub const ALL: [Self; 6] =
        [Self::Ashby, Self::Greenhouse, Self::Lever, Self::Recruitee, Self::SmartRecruiters, Self::Workable];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ashby => "ashby",
            Self::Greenhouse => "greenhouse",
            Self::Lever => "lever",
            Self::Recruitee => "recruitee",
            Self::SmartRecruiters => "smartrecruiters",
            Self::Workable => "workable",
        }
    }

    /// The first page of a site, whose name is already encoded.
    fn page(self, site: &str) -> String {
        match self {
            Self::Ashby => format!("https://api.ashbyhq.com/posting-api/job-board/{site}"),
            Self::Greenhouse => {
                format!("https://boards-api.greenhouse.io/v1/boards/{site}/jobs?content=true")
            }
            Self::Lever => format!("https://api.lever.co/v0/postings/{site}?mode=json"),
            Self::Recruitee => format!("https://{site}.recruitee.com/api/offers"),
            Self::SmartRecruiters => smartrecruiters::page(site, 0),
            Self::Workable => format!("https://apply.workable.com/api/v1/widget/accounts/{site}"),
        }
    }

    /// What the list of jobs is called; none when it is the whole answer.
    const fn list(self) -> Option<&'static str> {
        match self {
            Self::Ashby | Self::Greenhouse | Self::Workable => Some("jobs"),
            Self::Lever => None,
            Self::Recruitee => Some("offers"),
            Self::SmartRecruiters => Some("content"),
        }
    }

    fn job(self, site: &str, job: &Value) -> Option<Job> {
        let piece = Piece::new(job, &HOSTS);
        match self {
            Self::Ashby => ashby::job(piece),
            Self::Greenhouse => greenhouse::job(job, piece),
            Self::Lever => lever::job(piece),
            Self::Recruitee => recruitee::job(piece),
            Self::SmartRecruiters => smartrecruiters::job(site, piece),
            Self::Workable => workable::job(piece),
        }
    }

    /// Workable shuts out who asks for more than a few sites at once.
    const fn pace(self) -> Pace {
        let (per_second_max, parallel_max) = match self {
            Self::Workable => (1, 1),
            _ => (2, 2),
        };
        Pace { every: FEED_BOARD_EVERY, per_second_max, parallel_max }
    }
}

impl FromStr for BoardVendor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|vendor| vendor.as_str() == text).ok_or(())
    }
}

/// The site of one company at one vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    vendor: BoardVendor,
    site: String,
    company: Party,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoBoard {
    #[error("the vendor has no site of that name")]
    Site,
    #[error("the company has no name")]
    Company,
}

impl Board {
    /// A site as the vendor names it in its addresses.
    pub fn new(vendor: BoardVendor, site: &str, company: Party) -> Result<Self, NoBoard> {
        let letters = |c: char| c.is_alphanumeric() || "-_. &+".contains(c);
        let in_path = site.starts_with(char::is_alphanumeric) && site.chars().all(letters);
        // There it is part of the host's name.
        let in_host = site.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let fits = in_path && site.chars().count() <= SITE_CHARS_MAX;
        if !fits || (vendor == BoardVendor::Recruitee && (!in_host || site.len() > 63)) {
            return Err(NoBoard::Site);
        }
        if company.name.trim().is_empty() {
            return Err(NoBoard::Company);
        }
        let name = format!("{}/{site}", vendor.as_str());
        Ok(Self { vendor, site: site.to_owned(), company, name })
    }

    pub fn vendor(&self) -> BoardVendor {
        self.vendor
    }

    pub fn site(&self) -> &str {
        &self.site
    }

    pub fn company(&self) -> &Party {
        &self.company
    }

    fn encoded(&self) -> String {
        utf8_percent_encode(&self.site, IN_PATH).to_string()
    }

    fn notice(&self, job: Job, seen_at: DateTime<Utc>) -> Notice {
        let posted_at = job.posted.and_then(|at| moment::told(&at, seen_at)).unwrap_or(seen_at);
        let read = read_title(&job.title);
        // A title tells what somebody does; a department of the board's own naming is asked only where it does not.
        let named = || job.departments.iter().map(|name| read_title(name).department);
        let department = std::iter::once(read.department).chain(named()).find(|it| *it != Department::Other);
        let mut locations: Vec<Location> = Vec::new();
        for place in job.places {
            if locations.len() < FEED_PLACES_MAX && !locations.contains(&place) {
                locations.push(place);
            }
        }
        let posting = Posting {
            id: job.id.clone(),
            title: job.title,
            department,
            seniority: Some(read.seniority),
            locations,
            posted_at,
            closed_at: None,
            applicants: None,
            url: job.url.clone(),
        };
        Notice {
            reference: job.id,
            url: job.url,
            occurred_at: posted_at,
            company: self.company.clone(),
            person: None,
            confidence: CONFIDENCE,
            content: Content::Hiring(posting),
        }
    }
}

impl Feed for Board {
    fn name(&self) -> &str {
        &self.name
    }

    fn pace(&self) -> Pace {
        self.vendor.pace()
    }

    fn start(&self) -> Vec<Fetch> {
        vec![Fetch::list(self.vendor.page(&self.encoded()), Accept::Json)]
    }

    /// Half a list is none: what is missing would be taken for closed.
    fn read(&self, fetch: &Fetch, body: &[u8], seen_at: DateTime<Utc>) -> Result<Page, Unreadable> {
        if body.len() > FEED_PAGE_BYTES_MAX {
            return Err(Unreadable::Not("of a size a board has"));
        }
        let (rows, fields) = rows(body, self.vendor.list())?;
        let mut page = Page { lists_all_open: rows.len() <= FEED_POSTINGS_MAX, ..Page::default() };
        let mut seen = HashSet::new();
        for row in rows.iter().take(FEED_POSTINGS_MAX) {
            // One at a time: texts of jobs are long.
            let Ok(value) = serde_json::from_str::<Value>(row.get()) else { continue };
            let job = self.vendor.job(&self.site, &value).filter(|job| seen.insert(job.id.clone()));
            page.notices.extend(job.map(|job| self.notice(job, seen_at)));
        }
        if self.vendor == BoardVendor::SmartRecruiters {
            smartrecruiters::go_on(&mut page, fetch, &self.encoded(), rows.len(), &fields)?;
        }
        Ok(page)
    }
}

type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// The rows of the list, and what stands beside it; neither is looked into.
fn rows<'a>(body: &'a [u8], list: Option<&str>) -> Result<(Vec<&'a RawValue>, Fields<'a>), Unreadable> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let Some(list) = list else {
        let rows = serde_json::from_slice(body).map_err(|_| Unreadable::Not("a list of jobs"))?;
        return Ok((rows, Fields::new()));
    };
    let fields: Fields<'a> = serde_json::from_slice(body).map_err(|_| Unreadable::Not("a list of jobs"))?;
    let found = fields.get(list).copied().ok_or(Unreadable::Lacks("its list of jobs"))?;
    let rows = serde_json::from_str(found.get()).map_err(|_| Unreadable::Lacks("its list of jobs"))?;
    Ok((rows, fields))
}

/// A job, as a vendor tells of it.
#[derive(Debug)]
struct Job {
    id: String,
    title: String,
    /// As the company names them, the best one first.
    departments: Vec<String>,
    places: Vec<Location>,
    posted: Option<DateTime<FixedOffset>>,
    url: Option<String>,
}

impl Job {
    /// With the address already known to be one of a page.
    fn new(id: Piece<'_>, title: Piece<'_>, url: Piece<'_>) -> Option<Self> {
        let number = || id.whole::<i64>().map(|number| number.to_string());
        let id = id.text().and_then(line).or_else(number)?;
        let title = line(title.text()?)?;
        let url = url.text().and_then(web_address);
        Some(Self { id, title, departments: Vec::new(), places: Vec::new(), posted: None, url })
    }
}

/// The first of these places in which a moment is told.
fn posted(job: Piece<'_>, places: &[&str]) -> Option<DateTime<FixedOffset>> {
    places.iter().filter_map(|place| job.at(place).text()).find_map(moment::iso)
}
