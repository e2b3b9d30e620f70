//! One look at one feed: its pages, what is new in them, and what is closed.

use super::item::{digest_of_notice, digest_of_release};
use super::release::notice_of;
use super::{Gate, Newsroom};
use crate::EngineError;
use crate::signals::Told;
use assay_domain::Notice;
use assay_domain::limits::FEED_PAGES_PER_LOOK_MAX;
use assay_domain::signal::Content;
use assay_sources::feeds::{Feed, Fetch, Page, Worth};
use assay_sources::{Got, Pages, Validators};
use assay_store::graph::{ITEM_READ, ListedItem, PageMark};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::time::Duration;

/// Why a look ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The host wants to be left alone.
    Later(Duration),
    Failed(&'static str),
}

impl Stop {
    pub(super) const fn rest(self) -> Option<Duration> {
        match self {
            Self::Later(rest) => Some(rest),
            Self::Failed(_) => None,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Later(rest) => write!(out, "it wants to be left alone for {} s", rest.as_secs()),
            Self::Failed(why) => out.write_str(why),
        }
    }
}

const UNREADABLE: &str = "its page cannot be read";

pub(super) struct Look<'a> {
    room: &'a Newsroom,
    feed: &'a dyn Feed,
    gate: &'a mut Gate,
    seen_at: DateTime<Utc>,
    known: HashMap<String, PageMark>,
    /// Of the pages a look begins with.
    marks: HashMap<String, PageMark>,
    /// What was listed, and whether all pages said that they list all that is open.
    listed: Vec<String>,
    lists_all_open: Option<bool>,
    unchanged: usize,
    read: usize,
    /// Whether the last list led to something that was not read yet.
    news: bool,
    /// Something that is listed could not be read: the list must be read again.
    gaps: bool,
    pub(super) signals: u64,
}

impl<'a> Look<'a> {
    pub(super) async fn begin(
        room: &'a Newsroom,
        feed: &'a dyn Feed,
        gate: &'a mut Gate,
    ) -> Result<Self, EngineError> {
        let known = room.graph().page_marks(feed.name()).await?;
        Ok(Self {
            room,
            feed,
            gate,
            seen_at: room.clock.now(),
            known,
            marks: HashMap::new(),
            listed: Vec::new(),
            lists_all_open: None,
            unchanged: 0,
            read: 0,
            news: true,
            gaps: false,
            signals: 0,
        })
    }

    /// Reads all there is to be read; why not, where it could not.
    pub(super) async fn run(&mut self) -> Result<Option<Stop>, EngineError> {
        let mut waiting: VecDeque<Fetch> = self.feed.start().into();
        let mut asked = 0;
        while let Some(fetch) = waiting.pop_front() {
            if fetch.worth == Worth::IfNews && !self.news {
                continue;
            }
            if asked >= FEED_PAGES_PER_LOOK_MAX {
                // What is left is read at the next look, from the same lists.
                self.gaps = true;
                break;
            }
            asked += 1;
            self.gate.pass(self.feed.pace()).await;
            match self.page(&fetch).await? {
                Ok(follow) => waiting.extend(follow),
                Err(stop) => return Ok(Some(stop)),
            }
        }
        self.close_missing().await?;
        Ok(None)
    }

    /// What the pages are known by the next time. A list with gaps is read again as if it were new.
    pub(super) fn marks(self) -> HashMap<String, PageMark> {
        let gaps = self.gaps;
        let marks = self.marks.into_iter();
        marks.map(|(url, mark)| (url, if gaps { PageMark::default() } else { mark })).collect()
    }

    /// Reads one page; the pages it leads to.
    async fn page(&mut self, fetch: &Fetch) -> Result<Result<Vec<Fetch>, Stop>, EngineError> {
        let validators = self.known.get(&fetch.url).cloned().map(validators).unwrap_or_default();
        let trouble = match self.room.pages.get(fetch, &validators, self.seen_at).await {
            Got::Unchanged => {
                self.unchanged += 1;
                return Ok(Ok(Vec::new()));
            }
            Got::Later(rest) => return Ok(Err(Stop::Later(rest))),
            Got::Page { body, validators } => match self.feed.read(fetch, &body, self.seen_at) {
                Ok(page) => return self.take(fetch, page, validators).await.map(Ok),
                Err(unreadable) => {
                    tracing::info!(feed = self.feed.name(), %unreadable, "a page of a feed");
                    UNREADABLE
                }
            },
            Got::Gone => "its page is gone",
            Got::Failed(why) => why,
        };
        let Worth::Once(reference) = &fetch.worth else { return Ok(Err(Stop::Failed(trouble))) };
        // One filing that cannot be read does not keep the others.
        self.gaps = true;
        self.room.graph().unread_item(self.feed.name(), reference, self.seen_at).await?;
        Ok(Ok(Vec::new()))
    }

    async fn take(
        &mut self,
        fetch: &Fetch,
        page: Page,
        validators: Validators,
    ) -> Result<Vec<Fetch>, EngineError> {
        self.read += 1;
        if let Worth::Once(reference) = &fetch.worth {
            self.take_in(page.notices).await?;
            let item = ListedItem { reference: reference.clone(), digest: ITEM_READ, is_open: false };
            self.room.graph().keep_items(self.feed.name(), &[item], self.seen_at).await?;
            return Ok(Vec::new());
        }
        self.lists_all_open = Some(self.lists_all_open.unwrap_or(true) && page.lists_all_open);
        let leads_on = page.follow.iter().any(|next| next.worth == Worth::Always);
        // Where a list has several pages, one that is as it was says nothing of the others.
        if fetch.worth == Worth::Always && !leads_on && self.listed.is_empty() {
            let mark = PageMark { etag: validators.etag, modified: validators.modified };
            self.marks.insert(fetch.url.clone(), mark);
        }
        let items = items_of(&page, self.seen_at);
        let references: Vec<String> = items.iter().map(|item| item.reference.clone()).collect();
        let before = self.room.graph().item_digests(self.feed.name(), &references).await?;
        let mut is_new = items.iter().map(|item| before.get(&item.reference) != Some(&item.digest));
        let mut new: Vec<Notice> = Vec::new();
        // In the order of `items`: notices, then releases.
        for notice in page.notices {
            new.extend(is_new.next().unwrap_or(true).then_some(notice));
        }
        for release in &page.releases {
            new.extend(is_new.next().unwrap_or(true).then(|| notice_of(release)).flatten());
        }
        drop(is_new);
        self.take_in(new).await?;
        self.room.graph().keep_items(self.feed.name(), &items, self.seen_at).await?;
        self.listed.extend(references);
        self.unread(page.follow).await
    }

    async fn take_in(&mut self, notices: Vec<Notice>) -> Result<(), EngineError> {
        for told in self.room.engine.take_notices(self.feed.name(), notices, self.seen_at).await {
            self.signals += u64::from(matches!(told?, Told::Written { .. }));
        }
        Ok(())
    }

    /// Without those that were read before.
    async fn unread(&mut self, follow: Vec<Fetch>) -> Result<Vec<Fetch>, EngineError> {
        let references: Vec<String> = follow.iter().filter_map(|next| once(next).cloned()).collect();
        let before = self.room.graph().item_digests(self.feed.name(), &references).await?;
        let is_read = |next: &Fetch| once(next).is_some_and(|it| before.get(it) == Some(&ITEM_READ));
        let unread: Vec<Fetch> = follow.into_iter().filter(|next| !is_read(next)).collect();
        self.news = unread.iter().any(|next| once(next).is_some());
        Ok(unread)
    }

    /// What is open and was listed at neither of two looks is closed.
    async fn close_missing(&mut self) -> Result<(), EngineError> {
        let (graph, name) = (self.room.graph(), self.feed.name());
        let gone = match (self.lists_all_open, self.unchanged) {
            (Some(true), 0) if !self.gaps => graph.miss_items(name, Some(&self.listed)).await?,
            // The list is the one of the look before: what was missing there is missing still.
            (None, 1..) => graph.miss_items(name, None).await?,
            _ => return Ok(()),
        };
        if gone.is_empty() {
            return Ok(());
        }
        let mut notices = graph.notices_of(name, &gone).await?;
        for notice in &mut notices {
            if let Content::Hiring(posting) = &mut notice.content {
                posting.closed_at = posting.closed_at.or(Some(self.seen_at));
            }
        }
        self.take_in(notices).await?;
        Ok(self.room.graph().close_items(name, &gone).await?)
    }
}

fn validators(mark: PageMark) -> Validators {
    Validators { etag: mark.etag, modified: mark.modified }
}

fn once(fetch: &Fetch) -> Option<&String> {
    match &fetch.worth {
        Worth::Once(reference) => Some(reference),
        Worth::Always | Worth::IfNews => None,
    }
}

/// What a list says, notices first.
fn items_of(page: &Page, seen_at: DateTime<Utc>) -> Vec<ListedItem> {
    let notices = page.notices.iter().map(|notice| ListedItem {
        reference: notice.reference.clone(),
        digest: digest_of_notice(notice, seen_at),
        is_open: page.lists_all_open && matches!(notice.content, Content::Hiring(_)),
    });
    let releases = page.releases.iter().map(|release| ListedItem {
        reference: release.id.clone(),
        digest: digest_of_release(release),
        is_open: false,
    });
    notices.chain(releases).collect()
}

/// What a feed says, for somebody who wants to see it.
#[derive(Debug, Default)]
pub struct Looked {
    pub pages: usize,
    pub notices: Vec<Notice>,
    /// Press releases, of which those that announce something are notices too.
    pub releases: usize,
    /// Pages that were not asked for: there were enough.
    pub left: usize,
    /// By the address of the page.
    pub trouble: Vec<(String, String)>,
}

pub(super) async fn try_out(
    pages: &Pages,
    feed: &dyn Feed,
    pages_max: usize,
    seen_at: DateTime<Utc>,
) -> Looked {
    let mut looked = Looked::default();
    let mut gate = Gate::default();
    let mut waiting: VecDeque<Fetch> = feed.start().into();
    while let Some(fetch) = waiting.pop_front() {
        if looked.pages >= pages_max {
            looked.left = waiting.len() + 1;
            break;
        }
        looked.pages += 1;
        gate.pass(feed.pace()).await;
        let trouble = match pages.get(&fetch, &Validators::default(), seen_at).await {
            Got::Page { body, .. } => match feed.read(&fetch, &body, seen_at) {
                Ok(page) => {
                    looked.releases += page.releases.len();
                    looked.notices.extend(page.notices);
                    looked.notices.extend(page.releases.iter().filter_map(notice_of));
                    waiting.extend(page.follow);
                    continue;
                }
                Err(unreadable) => unreadable.to_string(),
            },
            Got::Unchanged => "it says that nothing changed, unasked".to_owned(),
            Got::Later(rest) => Stop::Later(rest).to_string(),
            Got::Gone => "it is gone".to_owned(),
            Got::Failed(why) => why.to_owned(),
        };
        looked.trouble.push((fetch.url, trouble));
    }
    looked
}
