//! Press releases: RSS and Atom.

use super::kit::{at, body, press, read, seen_at};
use assay_domain::limits::{FEED_ENTRIES_MAX, FEED_RELEASE_BYTES_MAX};
use assay_sources::feeds::{Feed, Press, Unreadable};

#[test]
fn releases_are_read_without_markup_and_each_once() {
    let page = read(&press(), &body("press.rss")).unwrap();
    assert!(page.notices.is_empty() && page.follow.is_empty() && !page.lists_all_open);
    let [first, second] = page.releases.as_slice() else { panic!("{}", page.releases.len()) };
    assert_eq!(first.id, "wire-1");
    assert_eq!(first.url.as_deref(), Some("https://wire.example/news/1?a=1&b=2"));
    assert_eq!(first.title, "Northwind Raises $12 Million & Opens R&D Lab");
    assert_eq!(first.body, "BOSTON, March 2, 2026 – Northwind, maker of arms,\nraised $12 million.");
    assert_eq!(first.published_at, at("2026-03-02T14:00:00Z"));
    assert_eq!(second.id, "https://wire.example/news/2");
    assert_eq!(second.body, "Contoso “names” AT&T chief.");
    assert_eq!(second.published_at, at("2026-03-02T15:00:00Z"));
}

#[test]
fn atom_is_read_as_well() {
    let page = read(&press(), &body("press.atom")).unwrap();
    let release = &page.releases[0];
    assert_eq!(release.id, "tag:wire.example,2026:9");
    assert_eq!(release.url.as_deref(), Some("https://wire.example/9"));
    assert_eq!(release.title, "Tailspin acquires Wingtip");
    assert_eq!(release.body, "LONDON. Bought & done.");
    assert_eq!(release.published_at, at("2026-03-02T16:00:00Z"));
}

#[test]
fn a_feed_that_is_cut_gives_what_is_whole() {
    let text = String::from_utf8(body("press.rss")).unwrap();
    let cut = text.find("</item>").unwrap() + 30;
    assert_eq!(read(&press(), &text.as_bytes()[..cut]).unwrap().releases.len(), 1);
    assert_eq!(read(&press(), &text.as_bytes()[..300]), Err(Unreadable::Lacks("its end")));
    for wrong in ["", "{}", "<html></html>", "null"] {
        assert_eq!(read(&press(), wrong.as_bytes()), Err(Unreadable::Not("a feed")), "{wrong}");
    }
}

#[test]
fn what_is_not_dated_is_dated_by_when_it_was_seen() {
    let feed =
        "<rss><channel><item><title>A</title><link>https://a.example/1</link>{}</item></channel></rss>";
    for date in ["", "<pubDate>soon</pubDate>", "<pubDate>Mon, 02 Mar 2099 09:00:00 GMT</pubDate>"] {
        let page = read(&press(), feed.replace("{}", date).as_bytes()).unwrap();
        assert_eq!(page.releases[0].published_at, seen_at(), "{date}");
    }
}

#[test]
fn long_feeds_and_long_texts_are_bounded() {
    let item = |n: usize| format!("<item><title>T{n}</title><guid>{n}</guid></item>");
    let many: String = (0..FEED_ENTRIES_MAX * 2).map(item).collect();
    let page = read(&press(), format!("<rss><channel>{many}</channel></rss>").as_bytes()).unwrap();
    assert_eq!(page.releases.len(), FEED_ENTRIES_MAX);
    let long = "é".repeat(FEED_RELEASE_BYTES_MAX);
    let item = format!(
        "<rss><channel><item><title>{long}</title><guid>{long}</guid><description>{long}</description></item></channel></rss>"
    );
    let release = read(&press(), item.as_bytes()).unwrap().releases.remove(0);
    assert!(
        release.body.len() <= FEED_RELEASE_BYTES_MAX && release.title.len() <= 512 && release.id.len() <= 512
    );
}

#[test]
fn a_feed_has_a_name_and_an_address_of_the_web() {
    assert_eq!(press().name(), "rss/wire");
    for (name, url) in
        [("", "https://a.example/"), ("a", "ftp://a.example/"), ("a", "javascript:1"), ("a", "")]
    {
        assert_eq!(Press::new(name, url), None, "{name} {url}");
    }
}
