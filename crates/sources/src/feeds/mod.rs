//! Public sources of signals that are looked at again and again: filings, job boards, press releases.
//!
//! A feed is pure, as a vendor is: it says which pages to ask for, and reads what came. Who asks, how often, what was read
//! before and what is closed since are a poller's business.

mod boards;
mod edgar;
mod html;
mod moment;
mod money;
mod place;
mod press;
mod xml;

pub use boards::{Board, BoardVendor, NoBoard};
pub use edgar::{EightK, Filing, FormD};
pub use money::{minor_units, read_money};
pub use press::Press;

use assay_domain::Notice;
use assay_domain::limits::{FEED_LINE_BYTES_MAX, FEED_PAGE_BYTES_MAX};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A source that is looked at again and again: which pages to ask for, and what they say.
pub trait Feed: fmt::Debug + Send + Sync {
    /// As its notices are attributed: `sec-form-d`, `greenhouse/acme`, `rss/prwire`.
    fn name(&self) -> &str;

    fn pace(&self) -> Pace;

    /// The pages a look begins with.
    fn start(&self) -> Vec<Fetch>;

    /// What a page says. It never panics, whatever came. Read again, a page says the same: only what is told without any date
    /// is dated by when it was seen.
    fn read(&self, fetch: &Fetch, body: &[u8], seen_at: DateTime<Utc>) -> Result<Page, Unreadable>;
}

/// How a source wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// From the beginning of one look to that of the next, at least.
    pub every: Duration,
    /// Of all feeds that ask the same host, together.
    pub per_second_max: u32,
    pub parallel_max: u32,
}

/// A page to ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetch {
    pub url: String,
    pub accept: Accept,
    /// What comes after so many bytes is not needed: the rest may be left unread.
    pub bytes_max: usize,
    pub worth: Worth,
    /// What the page before told of the filing this one holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filing: Option<Filing>,
}

impl Fetch {
    fn list(url: String, accept: Accept) -> Self {
        Self { url, accept, bytes_max: FEED_PAGE_BYTES_MAX, worth: Worth::Always, filing: None }
    }
}

/// As the header `Accept` says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    Json,
    Xml,
    Text,
}

impl Accept {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Xml => "application/atom+xml, application/rss+xml, application/xml, text/xml",
            Self::Text => "text/plain",
        }
    }
}

/// When a page is worth asking for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worth {
    Always,
    /// It goes on with a list, newest first: only while the page before led to something that was not read yet.
    IfNews,
    /// It never changes: not after it was read once. What it is about is named within the feed.
    Once(String),
}

/// What a page says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub notices: Vec<Notice>,
    /// Texts that others read.
    pub releases: Vec<Release>,
    /// Pages this one leads to.
    pub follow: Vec<Fetch>,
    /// Together with the pages it leads to it lists all that is open: what none of them lists is closed. Only when all of them
    /// say so, and all were read.
    pub lists_all_open: bool,
}

/// A press release, without markup.
#[derive(Clone, PartialEq, Eq)]
pub struct Release {
    /// Names it within its feed.
    pub id: String,
    pub url: Option<String>,
    pub title: String,
    pub body: String,
    pub published_at: DateTime<Utc>,
}

/// It names people, and so may its address.
impl fmt::Debug for Release {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Release({} bytes)", self.body.len())
    }
}

/// A page that says nothing, and should have. It is worth another try; that nothing happened is a page without notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the page is not {0}")]
    Not(&'static str),
    #[error("the page lacks {0}")]
    Lacks(&'static str),
}

/// One line of text: without spaces around and more than one between, and not too long.
fn line(text: &str) -> Option<String> {
    let start = text.trim_start();
    // What is cut away need not be walked through.
    let near = start.get(..start.floor_char_boundary(2 * FEED_LINE_BYTES_MAX)).unwrap_or(start);
    let mut joined = near.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.truncate(joined.floor_char_boundary(FEED_LINE_BYTES_MAX));
    joined.truncate(joined.trim_end().len());
    Some(joined).filter(|text| !text.is_empty())
}

/// An address that may be shown: of the web, and of a sane length.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let plain = text.len() <= assay_domain::limits::URL_CHARS_MAX
        && text.bytes().all(|byte| byte.is_ascii_graphic() || !byte.is_ascii());
    let url = url::Url::parse(text).ok().filter(|_| plain)?;
    (matches!(url.scheme(), "https" | "http") && url.has_host()).then(|| text.to_owned())
}

/// A moment as headers of HTTP tell it.
pub(crate) fn told_moment(text: &str) -> Option<DateTime<Utc>> {
    moment::mail_date(text).map(|at| at.to_utc())
}
