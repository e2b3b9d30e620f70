//! Pages from files, and feeds to read them with.

use assay_domain::signal::Party;
use assay_sources::feeds::{Board, BoardVendor, EightK, Feed, Fetch, FormD, Page, Press, Unreadable};
use chrono::{DateTime, NaiveDate, Utc};

pub(crate) fn body(name: &str) -> Vec<u8> {
    let path = format!("{}/fixtures/feeds/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The afternoon after everything in the fixtures happened.
pub(crate) fn seen_at() -> DateTime<Utc> {
    "2026-03-03T22:00:00Z".parse().unwrap()
}

pub(crate) fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

pub(crate) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub(crate) fn board(vendor: BoardVendor) -> Board {
    Board::new(vendor, "northwind", Party::named("Northwind")).unwrap()
}

pub(crate) fn press() -> Press {
    Press::new("wire", "https://wire.example/rss").unwrap()
}

/// Reads the page a look begins with.
pub(crate) fn read(feed: &dyn Feed, body: &[u8]) -> Result<Page, Unreadable> {
    feed.read(&feed.start()[0], body, seen_at())
}

/// The pages the list of a form leads to.
pub(crate) fn filings(feed: &dyn Feed, list: &str) -> Vec<Fetch> {
    read(feed, &body(list)).unwrap().follow
}

/// Every feed with a page that it reads, and one that page leads to.
pub(crate) fn all() -> Vec<(Box<dyn Feed>, Fetch, Vec<u8>)> {
    let mut all: Vec<(Box<dyn Feed>, Fetch, Vec<u8>)> = Vec::new();
    let mut put = |feed: Box<dyn Feed>, fetch: Option<Fetch>, name: &str| {
        let fetch = fetch.unwrap_or_else(|| feed.start()[0].clone());
        all.push((feed, fetch, body(name)));
    };
    put(Box::new(FormD), None, "sec_list_d.atom");
    put(Box::new(FormD), Some(filings(&FormD, "sec_list_d.atom")[0].clone()), "sec_form_d.xml");
    put(Box::new(EightK), None, "sec_list_8k.atom");
    for name in ["sec_8k_officers.txt", "sec_8k_bought.txt", "sec_8k_sold.txt", "sec_8k_merged.txt"] {
        put(Box::new(EightK), Some(filings(&EightK, "sec_list_8k.atom")[0].clone()), name);
    }
    for vendor in BoardVendor::ALL {
        put(Box::new(board(vendor)), None, &format!("{}.json", vendor.as_str()));
    }
    put(Box::new(press()), None, "press.rss");
    put(Box::new(press()), None, "press.atom");
    all
}
