//! Job boards: one vendor after the other.

use super::kit::{at, board, body, read, seen_at};
use assay_domain::Notice;
use assay_domain::limits::{FEED_PAGE_BYTES_MAX, FEED_POSTINGS_MAX};
use assay_domain::signal::{Content, Party, Posting};
use assay_domain::taxonomy::{Department, Seniority};
use assay_sources::feeds::{Board, BoardVendor, Feed, NoBoard, Page, Unreadable, Worth};

fn page(vendor: BoardVendor) -> Page {
    read(&board(vendor), &body(&format!("{}.json", vendor.as_str()))).unwrap()
}

fn posting(notice: &Notice) -> &Posting {
    let Content::Hiring(posting) = &notice.content else { panic!("{notice:?}") };
    assert_eq!((&notice.reference, notice.occurred_at), (&posting.id, posting.posted_at));
    assert_eq!((notice.company.name.as_str(), posting.closed_at), ("Northwind", None));
    posting
}

fn places(posting: &Posting) -> String {
    let shown = posting.locations.iter().map(|place| {
        let parts = [&place.city, &place.region, &place.country];
        parts.map(|part| part.as_deref().unwrap_or("-")).join("/")
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn greenhouse_tells_of_its_jobs_and_not_of_posts_for_prospects() {
    let page = page(BoardVendor::Greenhouse);
    assert!(page.lists_all_open && page.follow.is_empty());
    let [first, second] = page.notices.as_slice() else { panic!("{:?}", page.notices) };
    let first = posting(first);
    assert_eq!((first.id.as_str(), first.title.as_str()), ("4001", "Senior Software Engineer"));
    assert_eq!((first.department, first.seniority), (Some(Department::Engineering), Some(Seniority::Senior)));
    assert_eq!(first.posted_at, at("2026-02-21T04:30:00Z"));
    assert_eq!(places(first), "San Francisco/CA/US -/-/DE");
    assert_eq!(first.url.as_deref(), Some("https://boards.greenhouse.io/northwind/jobs/4001"));
    // Its title tells no department; the office tells which Lyon it is.
    let second = posting(second);
    assert_eq!(second.department, Some(Department::Marketing));
    assert_eq!(places(second), "Lyon/-/FR");
    assert_eq!(second.posted_at, at("2026-03-01T09:00:00Z"));
}

#[test]
fn lever_tells_milliseconds_and_countries() {
    let page = page(BoardVendor::Lever);
    let first = posting(&page.notices[0]);
    assert_eq!(first.posted_at, at("2026-02-21T00:00:00Z"));
    assert_eq!(places(first), "Dublin/-/IE London/-/GB");
    assert_eq!((first.department, first.seniority), (Some(Department::Sales), Some(Seniority::Vp)));
    let second = posting(&page.notices[1]);
    assert_eq!((places(second).as_str(), second.url.as_deref()), ("-/-/PT", None));
}

#[test]
fn ashby_tells_of_what_is_listed() {
    let page = page(BoardVendor::Ashby);
    assert_eq!(page.notices.len(), 1);
    let job = posting(&page.notices[0]);
    assert_eq!(job.posted_at, at("2026-02-20T22:30:00.393Z"));
    assert_eq!(places(job), "Austin/Texas/US Berlin/-/DE");
    assert_eq!(job.department, Some(Department::Finance));
}

#[test]
fn recruitee_workable_and_smartrecruiters_are_read() {
    let recruitee = page(BoardVendor::Recruitee);
    let job = posting(&recruitee.notices[0]);
    assert_eq!((job.id.as_str(), job.posted_at), ("77", at("2026-02-20T10:00:00Z")));
    assert_eq!((places(job).as_str(), job.seniority), ("Amsterdam/NH/NL", Some(Seniority::Head)));
    let workable = page(BoardVendor::Workable);
    let job = posting(&workable.notices[0]);
    assert_eq!((job.id.as_str(), job.posted_at), ("ABC123", at("2026-02-20T00:00:00Z")));
    assert_eq!(
        (places(job).as_str(), job.seniority),
        ("Athens/Attica/GR Madrid/-/ES", Some(Seniority::Intern))
    );
    let smart = page(BoardVendor::SmartRecruiters);
    let job = posting(&smart.notices[0]);
    assert_eq!(
        (places(job).as_str(), job.department),
        ("Kraków/Lesser Poland/PL", Some(Department::Product))
    );
    assert_eq!(job.url.as_deref(), Some("https://jobs.smartrecruiters.com/Northwind1/743999"));
    assert_eq!(posting(&smart.notices[1]).posted_at, at("2026-02-20T11:00:00Z"));
}

#[test]
fn a_board_of_pages_is_read_to_its_end() {
    let feed = board(BoardVendor::SmartRecruiters);
    let first = page(BoardVendor::SmartRecruiters);
    assert!(first.lists_all_open);
    let next = &first.follow[0];
    assert_eq!(
        next.url,
        "https://api.smartrecruiters.com/v1/companies/northwind/postings?limit=100&offset=2"
    );
    assert_eq!(next.worth, Worth::Always);
    let last = br#"{"offset": 2, "limit": 100, "totalFound": 3, "content": [{"id": "9", "name": "Cook"}]}"#;
    let last = feed.read(next, last, seen_at()).unwrap();
    assert!(last.follow.is_empty() && last.lists_all_open);
    // An empty page before the end, and a list without one.
    let odd = feed.read(next, br#"{"offset": 2, "totalFound": 3, "content": []}"#, seen_at()).unwrap();
    assert!(odd.follow.is_empty() && !odd.lists_all_open);
    let long = br#"{"offset": 9999, "totalFound": 99999999, "content": [{"id": "9", "name": "Cook"}]}"#;
    let long = feed.read(next, long, seen_at()).unwrap();
    assert!(long.follow.is_empty() && !long.lists_all_open);
    assert!(feed.read(next, br#"{"content": []}"#, seen_at()).is_err());
}

#[test]
fn a_board_read_again_says_the_same() {
    for vendor in BoardVendor::ALL {
        let feed = board(vendor);
        let body = body(&format!("{}.json", vendor.as_str()));
        let again = feed.read(&feed.start()[0], &body, at("2026-04-01T00:00:00Z")).unwrap();
        assert_eq!(again, page(vendor), "{}", vendor.as_str());
    }
}

#[test]
fn half_a_board_or_none_is_unreadable_and_an_empty_one_is_empty() {
    for vendor in BoardVendor::ALL {
        let feed = board(vendor);
        let whole = body(&format!("{}.json", vendor.as_str()));
        for cut in 0..whole.trim_ascii_end().len() {
            assert!(read(&feed, &whole[..cut]).is_err(), "{} cut at {cut}", vendor.as_str());
        }
        for wrong in ["", "null", "<html>", "{\"error\": \"not found\"}", "{\"jobs\": 1}", "\"\"", "7"] {
            assert!(read(&feed, wrong.as_bytes()).is_err(), "{} {wrong}", vendor.as_str());
        }
    }
    let empty = read(&board(BoardVendor::Greenhouse), b"{\"jobs\": []}").unwrap();
    assert!(empty.notices.is_empty() && empty.lists_all_open);
    assert!(read(&board(BoardVendor::Lever), b"[]").unwrap().lists_all_open);
}

#[test]
fn a_job_that_is_not_dated_is_dated_by_when_it_was_seen() {
    for date in ["null", "\"soon\"", "\"2099-01-01T00:00:00Z\"", "7"] {
        let body = format!("{{\"jobs\": [{{\"id\": 1, \"title\": \"Cook\", \"first_published\": {date}}}]}}");
        let page = read(&board(BoardVendor::Greenhouse), body.as_bytes()).unwrap();
        assert_eq!(posting(&page.notices[0]).posted_at, seen_at(), "{date}");
    }
}

#[test]
fn a_huge_board_is_bounded_and_closes_nothing() {
    let row = |n: usize| format!("{{\"id\": {n}, \"title\": \"Cook\"}}");
    let rows: Vec<String> = (0..=FEED_POSTINGS_MAX).map(row).collect();
    let page =
        read(&board(BoardVendor::Greenhouse), format!("{{\"jobs\": [{}]}}", rows.join(",")).as_bytes())
            .unwrap();
    assert_eq!((page.notices.len(), page.lists_all_open), (FEED_POSTINGS_MAX, false));
    let spaces = vec![b' '; FEED_PAGE_BYTES_MAX + 1];
    let refused = read(&board(BoardVendor::Lever), &spaces);
    assert_eq!(refused, Err(Unreadable::Not("of a size a board has")));
}

#[test]
fn a_site_cannot_lead_elsewhere() {
    let new = |vendor, site| Board::new(vendor, site, Party::named("Northwind"));
    for site in ["", "..", "a/b", "a?b", "a#b", "a@b", "a\nb", "-a"] {
        assert_eq!(new(BoardVendor::Greenhouse, site), Err(NoBoard::Site), "{site}");
    }
    for site in ["evil.example", "a b", "ä"] {
        assert_eq!(new(BoardVendor::Recruitee, site), Err(NoBoard::Site), "{site}");
    }
    assert_eq!(Board::new(BoardVendor::Lever, "a", Party::default()), Err(NoBoard::Company));
    let spaced = new(BoardVendor::Ashby, "Northwind Robotics").unwrap();
    assert_eq!(spaced.name(), "ashby/Northwind Robotics");
    assert!(spaced.start()[0].url.ends_with("/job-board/Northwind%20Robotics"));
}
