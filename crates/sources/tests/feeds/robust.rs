//! Whatever comes, reading ends, panics never, and stays within its bounds.

use super::kit::{all, seen_at};
use assay_domain::limits::{FEED_FILING_BYTES_MAX, FEED_FILING_NOTICES_MAX};
use assay_sources::feeds::{EightK, Feed, Fetch, Page};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

type Sample = (Box<dyn Feed>, Fetch, Vec<u8>);

static ALL: LazyLock<Vec<Sample>> = LazyLock::new(all);

fn check(page: &Page) {
    for notice in &page.notices {
        assert!(!notice.reference.is_empty() && notice.reference.len() <= 600);
        assert!(notice.occurred_at <= seen_at() + chrono::Duration::days(3));
        assert!(!notice.company.name.is_empty());
    }
    for fetch in &page.follow {
        assert!(fetch.url.starts_with("https://") && fetch.bytes_max > 0);
    }
}

#[test]
fn every_sample_is_read_and_says_something() {
    for (feed, fetch, body) in ALL.iter() {
        let page =
            feed.read(fetch, body, seen_at()).unwrap_or_else(|error| panic!("{}: {error}", feed.name()));
        check(&page);
        assert!(page.notices.len() + page.releases.len() + page.follow.len() > 0, "{}", feed.name());
    }
}

#[test]
fn feeds_say_how_they_want_to_be_asked() {
    for (feed, ..) in ALL.iter() {
        let pace = feed.pace();
        assert!(pace.every >= Duration::from_secs(30) && pace.parallel_max >= 1);
        assert!((1..=5).contains(&pace.per_second_max), "{}", feed.name());
    }
}

#[test]
fn a_fetch_can_be_kept_and_taken_up_again() {
    for (_, fetch, _) in ALL.iter() {
        let kept = serde_json::to_string(fetch).unwrap();
        assert_eq!(&serde_json::from_str::<Fetch>(&kept).unwrap(), fetch);
    }
}

#[test]
fn samples_cut_anywhere_are_read_or_refused() {
    for (feed, fetch, body) in ALL.iter() {
        for cut in (0..body.len()).step_by(7) {
            if let Ok(page) = feed.read(fetch, &body[..cut], seen_at()) {
                check(&page);
            }
        }
    }
}

/// Pages that are made to keep a careless reader busy.
#[test]
fn hostile_pages_are_read_in_no_time() {
    let names = "Jane Roe, Chief Executive Officer, ".repeat(30_000);
    let filing = |text: &str| {
        format!("<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n<p>Item 5.02</p><p>{text}</p><p>Item 2.01</p><p>{text}")
    };
    let hostile = [
        filing(&names),
        filing(&"Acme Corp. (\"".repeat(60_000)),
        filing(&"On May 1, 2026, appointed ".repeat(30_000)),
        filing(&"<".repeat(FEED_FILING_BYTES_MAX)),
        filing(&"</".repeat(FEED_FILING_BYTES_MAX / 2)),
        filing(&"<script></".repeat(FEED_FILING_BYTES_MAX / 10)),
        filing(&"&".repeat(FEED_FILING_BYTES_MAX)),
        "<a>".repeat(1_000_000),
        "<a b='".repeat(500_000),
        "[".repeat(1_000_000),
        "{\"jobs\":[".repeat(200_000),
        format!("{{\"jobs\":[{}]}}", "[".repeat(100_000)),
        "<!DOCTYPE a [<!ENTITY a \"&a;&a;\">]><rss><channel><item><title>&a;</title></item></channel></rss>"
            .to_owned(),
    ];
    #[expect(clippy::disallowed_methods, reason = "a test that measures how long reading takes")]
    let begun = Instant::now();
    for text in &hostile {
        let mut asked = HashSet::new();
        for (feed, fetch, _) in ALL.iter().filter(|(_, fetch, _)| asked.insert(&fetch.url)) {
            if let Ok(page) = feed.read(fetch, text.as_bytes(), seen_at()) {
                check(&page);
                assert!(page.notices.len() <= FEED_FILING_NOTICES_MAX.max(10_000));
            }
        }
    }
    // More than a hundred pages of a megabyte, unoptimised.
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

#[test]
fn many_notices_of_one_filing_are_bounded() {
    let fetch = &ALL.iter().find(|(_, fetch, _)| fetch.url.ends_with(".txt")).unwrap().1;
    let first = ["Ann", "Bea", "Cid", "Dora", "Eve"];
    let last: Vec<String> = (b'a'..=b'z').map(|c| format!("S{}oe", char::from(c))).collect();
    let people = first.iter().flat_map(|first| last.iter().map(move |last| format!("{first} {last}")));
    let told = people
        .map(|name| format!("<p>On March 2, 2026, {name} resigned as President.</p>"))
        .collect::<String>();
    let page = format!("<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n<p>Item 5.02</p>{told}");
    let found = EightK.read(fetch, page.as_bytes(), seen_at()).unwrap().notices;
    assert_eq!(found.len(), FEED_FILING_NOTICES_MAX);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..600)) {
        for (feed, fetch, _) in ALL.iter() {
            if let Ok(page) = feed.read(fetch, &body, seen_at()) {
                check(&page);
            }
        }
    }

    #[test]
    fn samples_with_something_changed_are_read_or_refused(
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        put in prop_oneof![
            "[ -~]{0,12}",
            "[<>&;\"'(){}\\[\\],.:é“”\u{a0}\u{fffd}]{0,6}",
            Just("9999999999999999999999".to_owned()),
            Just("-1".to_owned()),
            Just("null".to_owned()),
        ],
    ) {
        for (feed, fetch, body) in ALL.iter() {
            let from = at.index(body.len());
            let until = body.len().min(from + length);
            let changed = [&body[..from], put.as_bytes(), &body[until..]].concat();
            if let Ok(page) = feed.read(fetch, &changed, seen_at()) {
                check(&page);
            }
        }
    }
}
