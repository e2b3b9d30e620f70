//! Press releases, by RSS 2.0 or Atom.

use super::xml::{self, Element};
use super::{Accept, Feed, Fetch, Pace, Page, Release, Unreadable, html, line, moment, web_address};
use assay_domain::limits::{FEED_ENTRIES_MAX, FEED_PAGE_BYTES_MAX, FEED_PRESS_EVERY, FEED_RELEASE_BYTES_MAX};
use chrono::{DateTime, Utc};
use std::collections::HashSet;

const PACE: Pace = Pace { every: FEED_PRESS_EVERY, per_second_max: 1, parallel_max: 1 };
/// Where the text of an entry may be, the longest first.
const BODIES: &[&str] = &["content:encoded", "content", "description", "summary"];
const DATES: &[&str] = &["pubDate", "published", "dc:date", "date", "updated"];

/// One feed of a wire or a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Press {
    name: String,
    url: String,
}

impl Press {
    /// Under a name of the operator's choice, without `rss/`. None when the address is not one of the web.
    pub fn new(name: &str, url: &str) -> Option<Self> {
        Some(Self { name: format!("rss/{}", line(name)?), url: web_address(url)? })
    }
}

impl Feed for Press {
    fn name(&self) -> &str {
        &self.name
    }

    fn pace(&self) -> Pace {
        PACE
    }

    fn start(&self) -> Vec<Fetch> {
        vec![Fetch::list(self.url.clone(), Accept::Xml)]
    }

    /// Of a feed that is cut off, the entries before the cut.
    fn read(&self, _: &Fetch, body: &[u8], seen_at: DateTime<Utc>) -> Result<Page, Unreadable> {
        let body = body.get(..body.len().min(FEED_PAGE_BYTES_MAX)).unwrap_or_default();
        let root = xml::read(body).ok_or(Unreadable::Not("a feed"))?;
        // In RSS 1.0 the items stand beside the channel.
        let entries: Vec<&Element> = match root.name.as_str() {
            "rss" => root.all("channel").flat_map(|channel| channel.all("item")).collect(),
            "rdf:RDF" => root.all("item").collect(),
            "feed" => root.all("entry").collect(),
            _ => return Err(Unreadable::Not("a feed")),
        };
        let whole = entries.iter().filter(|entry| entry.whole);
        let mut seen = HashSet::new();
        let releases: Vec<Release> = whole
            .take(FEED_ENTRIES_MAX)
            .filter_map(|entry| read_entry(entry, seen_at))
            .filter(|release| seen.insert(release.id.clone()))
            .collect();
        if releases.is_empty() && !root.whole {
            return Err(Unreadable::Lacks("its end"));
        }
        Ok(Page { releases, ..Page::default() })
    }
}

/// Nothing without a title, or without anything that names it.
fn read_entry(entry: &Element, seen_at: DateTime<Utc>) -> Option<Release> {
    let title = line(&html::plain(&entry.value("title")?))?;
    let url = link(entry);
    let id = ["guid", "id"].iter().find_map(|name| entry.value(name)).and_then(|id| line(&id));
    let id = id.or_else(|| url.clone())?;
    let body = BODIES.iter().find_map(|name| entry.value(name)).unwrap_or_default();
    let mut body = html::plain(&body);
    body.truncate(body.floor_char_boundary(FEED_RELEASE_BYTES_MAX));
    let dates = DATES.iter().filter_map(|name| entry.value(name));
    let told = dates.filter_map(|text| moment::mail_date(&text).or_else(|| moment::iso(&text)));
    let published_at = told.filter_map(|at| moment::told(&at, seen_at)).next().unwrap_or(seen_at);
    Some(Release { id, url, title, body, published_at })
}

/// The page of an entry: the text of its link, or what it points to unless that is something beside it. Else its id, where that
/// is an address.
fn link(entry: &Element) -> Option<String> {
    let is_page = |link: &&Element| link.attribute("rel").is_none_or(|rel| rel == "alternate");
    let links = entry.all("link").filter(is_page);
    let mut found = links.filter_map(|link| match link.attribute("href") {
        Some(href) => web_address(href),
        None => web_address(&link.text()),
    });
    let guid = || {
        let guid = entry.at("guid").filter(|guid| guid.attribute("isPermaLink") != Some("false"));
        web_address(&guid?.text())
    };
    found.next().or_else(guid)
}
