//! EDGAR, where companies in the United States file what the law wants known.
//!
//! Both feeds begin with the list of the newest filings of a form, and lead to the filings.

mod codes;
mod eight_k;
mod form_d;
mod grammar;
mod submission;

pub use eight_k::EightK;
pub use form_d::FormD;

use super::xml::{self, Element};
use super::{Accept, Fetch, Pace, Unreadable, Worth, html, line, moment};
use assay_domain::limits::{
    FEED_EDGAR_EVERY, FEED_EDGAR_REQUESTS_PER_SECOND, FEED_ENTRIES_MAX, FEED_LINE_BYTES_MAX,
    FEED_OLDER_PAGES_MAX, FEED_PAGE_BYTES_MAX,
};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

const PACE: Pace =
    Pace { every: FEED_EDGAR_EVERY, per_second_max: FEED_EDGAR_REQUESTS_PER_SECOND, parallel_max: 2 };
/// The most EDGAR lists on a page.
const LIST_ROWS: u32 = 100;
/// Numbers of filers have ten digits at most.
const CIK_DIGITS_MAX: usize = 10;
/// Items of one report: there are some thirty in all.
const ITEMS_MAX: usize = 40;

/// A filing, as the list of the newest tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filing {
    /// `D`, `D/A`, `8-K`, …
    pub form: String,
    /// The filer's number, without zeros in front.
    pub cik: String,
    /// `0001234567-26-000042`.
    pub accession: String,
    pub company: String,
    pub filed_at: DateTime<Utc>,
    /// The day in Washington: in UTC an evening's filings are of the day after.
    pub filed_on: NaiveDate,
    /// Of a current report: `5.02`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
}

impl Filing {
    /// Where its files are.
    fn folder(&self) -> String {
        let packed: String = self.accession.split('-').collect();
        format!("https://www.sec.gov/Archives/edgar/data/{}/{packed}", self.cik)
    }

    /// The page that a reader would open.
    fn page(&self) -> String {
        format!("{}/{}-index.htm", self.folder(), self.accession)
    }

    fn fetch(self, file: &str, accept: Accept, bytes_max: usize) -> Fetch {
        let url = format!("{}/{file}", self.folder());
        Fetch { url, accept, bytes_max, worth: Worth::Once(self.accession.clone()), filing: Some(self) }
    }
}

/// The list of the newest filings of a form.
fn newest(form: &str, page: u32) -> Fetch {
    let from = if page == 0 { String::new() } else { format!("&start={}", page * LIST_ROWS) };
    let url = format!(
        "https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent&type={form}&output=atom&count={LIST_ROWS}{from}"
    );
    let worth = if page == 0 { Worth::Always } else { Worth::IfNews };
    Fetch { worth, ..Fetch::list(url, Accept::Xml) }
}

/// The filings on a page of that list, and the page after it. Only of these forms: asked for D, EDGAR lists all that begins so.
fn read_list(
    fetch: &Fetch,
    body: &[u8],
    seen_at: DateTime<Utc>,
    forms: [&str; 2],
) -> Result<(Vec<Filing>, Option<Fetch>), Unreadable> {
    let body = body.get(..body.len().min(FEED_PAGE_BYTES_MAX)).unwrap_or_default();
    let root =
        xml::read(body).filter(|root| root.name == "feed").ok_or(Unreadable::Not("a list of filings"))?;
    let entries: Vec<&Element> =
        root.all("entry").filter(|entry| entry.whole).take(FEED_ENTRIES_MAX).collect();
    if entries.is_empty() && !root.whole {
        return Err(Unreadable::Lacks("its end"));
    }
    // One filing is listed once for each of its filers.
    let mut seen = HashSet::new();
    let filings = entries.iter().filter_map(|entry| read_entry(entry, seen_at));
    let filings = filings.filter(|it| forms.contains(&it.form.as_str()) && seen.insert(it.accession.clone()));
    let number = (0..=FEED_OLDER_PAGES_MAX).find(|page| newest(forms[0], *page).url == fetch.url);
    let is_full = u32::try_from(entries.len()).is_ok_and(|count| count >= LIST_ROWS);
    let next =
        number.filter(|page| is_full && *page < FEED_OLDER_PAGES_MAX).map(|page| newest(forms[0], page + 1));
    Ok((filings.collect(), next))
}

fn read_entry(entry: &Element, seen_at: DateTime<Utc>) -> Option<Filing> {
    let title = line(&entry.value("title")?)?;
    let (title_form, named) = title.split_once(" - ")?;
    let term = entry.at("category").and_then(|category| category.attribute("term"));
    let form = line(term.unwrap_or(title_form))?.to_ascii_uppercase();
    let accession = accession_in(&entry.value("id")?)?;
    let link = entry.at("link").and_then(|link| link.attribute("href")).unwrap_or_default();
    let after = link.split_once("/edgar/data/").map(|(_, rest)| rest.split('/').next().unwrap_or_default());
    // `NORTHWIND ROBOTICS, INC. (0001234567) (Filer)`
    let number =
        named.rsplit('(').map(|part| part.trim_end().trim_end_matches(')')).find(|part| is_cik(part));
    let cik = after.filter(|text| is_cik(text)).or(number)?.trim_start_matches('0').to_owned();
    let company = named.split(" (").next().map(clean_company).and_then(|name| line(&name))?;
    let updated = moment::iso(&entry.value("updated")?)?;
    let summary = html::plain(&entry.value("summary").unwrap_or_default());
    let filed = summary.split_once("Filed:").and_then(|(_, rest)| moment::day(rest.trim().get(..10)?));
    Some(Filing {
        form,
        cik,
        accession,
        company,
        filed_at: moment::told(&updated, seen_at)?,
        filed_on: filed.unwrap_or_else(|| updated.date_naive()),
        items: items_in(&summary),
    })
}

fn is_cik(text: &str) -> bool {
    (1..=CIK_DIGITS_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte != b'0')
}

/// Without what EDGAR adds to tell namesakes apart: `ACME CORP /DE/`.
fn clean_company(name: &str) -> String {
    let name = name.trim();
    let cut = name.strip_suffix('/').and_then(|name| name.rsplit_once('/'));
    cut.filter(|(_, mark)| mark.len() <= 4).map_or(name, |(name, _)| name.trim_end()).to_owned()
}

/// The first number of a filing in a text.
fn accession_in(text: &str) -> Option<String> {
    let text = text.get(..text.floor_char_boundary(FEED_LINE_BYTES_MAX))?;
    let runs = text.split(|c: char| !(c.is_ascii_digit() || c == '-'));
    let is_accession = |run: &&str| {
        let lengths: Vec<usize> = run.split('-').map(str::len).collect();
        lengths == [10, 2, 6]
    };
    runs.map(|run| run.trim_matches('-')).find(is_accession).map(str::to_owned)
}

/// The numbers of items: `Item 5.02: Departure of Directors …`.
fn items_in(summary: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for (at, _) in summary.match_indices("Item ") {
        let number = summary.get(at + 5..at + 9).unwrap_or_default();
        if is_item(number) && !items.iter().any(|item| item == number) {
            items.push(number.to_owned());
        }
        if items.len() >= ITEMS_MAX {
            break;
        }
    }
    items
}

fn is_item(text: &str) -> bool {
    matches!(text.as_bytes(), [a, b'.', b, c] if [a, b, c].iter().all(|byte| byte.is_ascii_digit()))
}
