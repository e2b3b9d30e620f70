//! SmartRecruiters, the only one that lists jobs page by page.

use super::super::{Accept, Fetch, Page, Unreadable, place, web_address};
use super::{Fields, IN_PATH, Job, posted};
use crate::reading::Piece;
use assay_domain::limits::FEED_POSTINGS_MAX;
use percent_encoding::utf8_percent_encode;

/// The most it lists at once.
const ROWS: usize = 100;

pub(super) fn page(site: &str, offset: usize) -> String {
    format!("https://api.smartrecruiters.com/v1/companies/{site}/postings?limit={ROWS}&offset={offset}")
}

pub(super) fn job(site: &str, job: Piece<'_>) -> Option<Job> {
    let mut read = Job::new(job.at("id"), job.at("name"), job.at("postingUrl"))?;
    let site = job.at("company.identifier").text().unwrap_or(site);
    let [site, id] = [site, read.id.as_str()].map(|part| utf8_percent_encode(part, IN_PATH).to_string());
    read.url = read.url.or_else(|| web_address(&format!("https://jobs.smartrecruiters.com/{site}/{id}")));
    read.departments =
        ["department", "function"].iter().filter_map(|name| job.at(name).at("label").owned()).collect();
    read.posted = posted(job, &["releasedDate"]);
    let location = job.at("location");
    let [city, region, country] = ["city", "region", "country"].map(|name| location.at(name).text());
    read.places = place::known(city, region, country).into_iter().collect();
    Some(read)
}

/// Leads to the next page, unless this is the last one. Where the list ends too early or goes on too long, nothing is said of
/// what is closed.
pub(super) fn go_on(
    page_read: &mut Page,
    fetch: &Fetch,
    site: &str,
    rows: usize,
    fields: &Fields<'_>,
) -> Result<(), Unreadable> {
    let number = |name: &str| fields.get(name).and_then(|raw| raw.get().parse::<usize>().ok());
    let total = number("totalFound").ok_or(Unreadable::Lacks("how many jobs there are"))?;
    let asked = fetch.url.rsplit_once("offset=").and_then(|(_, offset)| offset.parse().ok());
    let offset = number("offset").or(asked).unwrap_or(0);
    let next = offset.saturating_add(rows);
    if next >= total {
        return Ok(());
    }
    page_read.lists_all_open = rows > 0 && total <= FEED_POSTINGS_MAX;
    if rows > 0 && next < FEED_POSTINGS_MAX {
        page_read.follow.push(Fetch::list(page(site, next), Accept::Json));
    }
    Ok(())
}
