//! 8-K: who comes and goes, and who buys whom, in the words of reports.

use super::kit::{at, body, day, filings, seen_at};
use assay_domain::signal::{Content, Deal, Move, MoveKind};
use assay_domain::{Confidence, Notice};
use assay_sources::feeds::{EightK, Feed, Page, Unreadable};

fn page(bytes: &[u8]) -> Result<Page, Unreadable> {
    EightK.read(&filings(&EightK, "sec_list_8k.atom")[0], bytes, seen_at())
}

fn notices(name: &str) -> Vec<Notice> {
    page(&body(name)).unwrap().notices
}

/// A report of this text under an item.
fn told(item: &str, text: &str) -> Vec<Notice> {
    let report = String::from_utf8(body("sec_8k_officers.txt")).unwrap();
    let head = report.split_once("<html").unwrap().0;
    page(format!("{head}<html><p>Item {item} Heading</p><p>{text}</p><p>SIGNATURES</p>").as_bytes())
        .unwrap()
        .notices
}

fn name(notice: &Notice) -> &str {
    notice.person.as_ref().map_or("", |person| person.full_name.as_str())
}

fn moved(notice: &Notice) -> &Move {
    let Content::JobChange(moved) = &notice.content else { panic!("{notice:?}") };
    moved
}

fn deal(notice: &Notice) -> &Deal {
    let Content::Acquisition(deal) = &notice.content else { panic!("{notice:?}") };
    deal
}

/// `Jane Roe: new_company - > Chief Financial Officer`.
fn shown(notice: &Notice) -> String {
    let moved = moved(notice);
    let title = |post: &Option<assay_domain::signal::Post>| {
        post.as_ref().map_or("-".to_owned(), |it| it.title.clone())
    };
    format!("{}: {:?} {} > {}", name(notice), moved.kind, title(&moved.from), title(&moved.to))
}

#[test]
fn only_reports_on_these_items_are_asked_for() {
    let found = filings(&EightK, "sec_list_8k.atom");
    let urls: Vec<&str> = found.iter().map(|fetch| fetch.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://www.sec.gov/Archives/edgar/data/1900001/000190000126000011/0001900001-26-000011.txt",
            "https://www.sec.gov/Archives/edgar/data/1900005/000190000526000013/0001900005-26-000013.txt",
        ]
    );
    assert_eq!(found[0].filing.as_ref().unwrap().items, ["5.02", "9.01"]);
    assert_eq!(found[1].filing.as_ref().unwrap().items, ["2.01", "5.01"]);
}

#[test]
fn officers_come_go_and_rise() {
    let all = notices("sec_8k_officers.txt");
    let lines: Vec<String> = all.iter().map(shown).collect();
    assert_eq!(
        lines,
        [
            "John A. Doe: Left Chief Financial Officer and Treasurer > -",
            "Jane Q. Roe: NewCompany - > Executive Vice President, Chief Financial Officer and Treasurer",
            "Mary-Ann O'Neil: Promotion Senior Vice President, Operations > Chief Operating Officer",
        ]
    );
    let left = moved(&all[0]).from.as_ref().unwrap();
    assert_eq!((left.on, left.company.name.as_str()), (Some(day("2026-03-31")), "NORTHWIND ROBOTICS, INC."));
    // What is still to come was told when it was filed; what is done was done on its day.
    assert_eq!(all[0].occurred_at, at("2026-03-03T21:05:17Z"));
    assert_eq!(moved(&all[1]).to.as_ref().unwrap().on, Some(day("2026-04-01")));
    assert_eq!(all[2].occurred_at, at("2026-03-01T00:00:00Z"));
    assert!(all.iter().all(|it| it.confidence >= Confidence::percent(80)));
    assert!(all.iter().all(|it| it.company.country.as_deref() == Some("US")));
}

#[test]
fn an_amendment_has_the_same_references_which_name_nobody() {
    let first = notices("sec_8k_officers.txt");
    let amended = String::from_utf8(body("sec_8k_officers.txt")).unwrap();
    let amended = amended
        .replace("0001900001-26-000011", "0001900001-26-000099")
        .replace("<TYPE>8-K\n", "<TYPE>8-K/A\n");
    let again = page(amended.as_bytes()).unwrap().notices;
    let references = |all: &[Notice]| all.iter().map(|it| it.reference.clone()).collect::<Vec<_>>();
    assert_eq!(references(&first), references(&again));
    for notice in &first {
        let debug = format!("{notice:?} {:?} {}", notice.content, notice.reference).to_lowercase();
        assert!(!["roe", "doe", "neil"].iter().any(|name| debug.contains(name)), "{debug}");
    }
}

#[test]
fn the_usual_sentences_are_understood() {
    for (text, lines) in [
        ("On March 2, 2026, Jane Roe resigned as President of the Company.", "Jane Roe: Left President > -"),
        (
            "(b) On March 2, 2026, Jane Roe, Chief Financial Officer, advised that she will leave the Company. Ms. Roe will leave the Company on May 1, 2026.",
            "Jane Roe: Left Chief Financial Officer > -",
        ),
        (
            "Effective March 1, 2026, Jane Roe, who has served as the Company's Interim Chief Executive Officer since September 2025, was appointed Chief Executive Officer.",
            "Jane Roe: Promotion Interim Chief Executive Officer > Chief Executive Officer",
        ),
        (
            "The Board appointed Jane Roe, 47, to serve as the Company's Chief Financial Officer and principal financial officer, succeeding John Doe, who is retiring, effective as of March 16, 2026.",
            "Jane Roe: NewCompany - > Chief Financial Officer and principal financial officer",
        ),
        (
            "On March 2, 2026, Jane Roe, our Chief Legal Officer, informed us of her intention to retire on June 30, 2026.",
            "Jane Roe: Left Chief Legal Officer > -",
        ),
        (
            "The Company announced the appointment of Jane Roe as Chief Executive Officer, effective March 9, 2026.",
            "Jane Roe: NewCompany - > Chief Executive Officer",
        ),
        (
            "On March 2, 2026, the Board named Jane Roe Chief Marketing Officer.",
            "Jane Roe: NewCompany - > Chief Marketing Officer",
        ),
        (
            "On March 2, 2026, the employment of Jane Roe, the Company's General Counsel, was terminated.",
            "Jane Roe: Left General Counsel > -",
        ),
        (
            "On March 2, 2026, the Company terminated the employment of Jane Roe, its General Counsel.",
            "Jane Roe: Left General Counsel > -",
        ),
        (
            "On March 2, 2026, John Doe stepped down as Chief Executive Officer, and Jane Roe was appointed as interim Chief Executive Officer.",
            "John Doe: Left Chief Executive Officer > -|Jane Roe: NewCompany - > interim Chief Executive Officer",
        ),
        (
            "On March 2, 2026, Jane Roe, the Company's Chief Operating Officer, was appointed Chief Executive Officer.",
            "Jane Roe: Promotion Chief Operating Officer > Chief Executive Officer",
        ),
        (
            "On March 2, 2026, Jane Roe resigned as Chief Operating Officer. On March 2, 2026, Ms. Roe was appointed as President.",
            "Jane Roe: Promotion Chief Operating Officer > President",
        ),
        (
            "On March 2, 2026, Jane Roe retired as Chief Executive Officer and the Board appointed Ms. Roe as Executive Chair.",
            "Jane Roe: NewRole Chief Executive Officer > Executive Chair",
        ),
    ] {
        let found = told("5.02", text).iter().map(shown).collect::<Vec<_>>().join("|");
        assert_eq!(found, lines, "{text}");
    }
}

#[test]
fn what_did_not_happen_or_not_here_is_not_told() {
    for text in [
        "If Ms. Roe resigns for Good Reason, Jane Roe would cease to be Chief Executive Officer.",
        "Jane Roe has not resigned as Chief Executive Officer.",
        "On March 2, 2026, Jane Roe resigned from the Board of Directors.",
        "On March 2, 2026, Jane Roe, Chief Executive Officer, resigned as a director of the Company.",
        "On March 2, 2026, the Board elected Jane Roe to the Board.",
        "Prior to that, Jane Roe was appointed Chief Financial Officer of Contoso, Inc.",
        "Jane Roe was appointed Chief Financial Officer in 2015.",
        "Jane Roe was appointed Chief Financial Officer of Contoso Labs.",
        "On March 2, 2026, Jane Roe was appointed to the Audit Committee in her capacity as Chief Executive Officer.",
        "Jane Roe will continue to serve as Chief Financial Officer.",
        "The Compensation Committee approved an award to Jane Roe, Chief Financial Officer.",
        "On March 2, 2026, the Chief Financial Officer resigned as an officer.",
        "",
    ] {
        let found: Vec<String> = told("5.02", text).iter().map(shown).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_company_that_was_bought_is_told_with_its_price() {
    let all = notices("sec_8k_bought.txt");
    let [notice] = all.as_slice() else { panic!("{all:?}") };
    let deal = deal(notice);
    assert_eq!(
        (deal.acquirer.name.as_str(), deal.target.name.as_str()),
        ("FABRIKAM CORP", "Contoso Labs, Inc.")
    );
    assert_eq!((deal.price, deal.currency.as_deref()), (Some(12_050_000_000), Some("USD")));
    assert_eq!((deal.announced_on, notice.occurred_at), (day("2026-03-02"), at("2026-03-02T00:00:00Z")));
    assert_eq!(notice.company.name, "Contoso Labs, Inc.");
    assert_eq!(deal.acquirer.country.as_deref(), Some("GB"));
}

#[test]
fn a_company_that_was_sold_goes_to_its_buyer() {
    let all = notices("sec_8k_sold.txt");
    let [notice] = all.as_slice() else { panic!("{all:?}") };
    let deal = deal(notice);
    assert_eq!(
        (deal.acquirer.name.as_str(), deal.target.name.as_str()),
        ("Adventure Works Holdings, LLC", "Wingtip")
    );
    assert_eq!(deal.price, Some(8_000_000_000));
    assert!(notice.confidence < Confidence::percent(80), "a name without a legal form is a guess");
}

#[test]
fn a_merger_is_told_once_whichever_item_tells_it() {
    let all = notices("sec_8k_merged.txt");
    let [notice] = all.as_slice() else { panic!("{all:?}") };
    let deal = deal(notice);
    assert_eq!(
        (deal.acquirer.name.as_str(), deal.target.name.as_str()),
        ("Adventure Works Holdings, LLC", "TAILSPIN TOYS PLC")
    );
    assert_eq!(deal.price, None);
}

#[test]
fn other_sentences_on_deals_are_read_or_left() {
    let pair = |text: &str| {
        let all = told("2.01", text);
        all.iter()
            .map(|it| format!("{} > {}", deal(it).acquirer.name, deal(it).target.name))
            .collect::<Vec<_>>()
            .join("|")
    };
    let own = "NORTHWIND ROBOTICS, INC.";
    for (text, deals) in [
        (
            "On March 2, 2026, Northwind Robotics Holdings, Inc. (the “Company”) completed its acquisition (the “Acquisition”) of Contoso Labs, Inc.",
            format!("{own} > Contoso Labs, Inc."),
        ),
        ("On March 2, 2026, the Company acquired Contoso Labs, Inc.", format!("{own} > Contoso Labs, Inc.")),
        (
            "On March 2, 2026, the Company was acquired by Contoso Labs, Inc.",
            format!("Contoso Labs, Inc. > {own}"),
        ),
        (
            "On March 2, 2026, Contoso Labs, Inc. completed its acquisition of the Company.",
            format!("Contoso Labs, Inc. > {own}"),
        ),
        (
            "On March 2, 2026, the Company completed the acquisition of certain assets of Contoso Labs, Inc.",
            String::new(),
        ),
        (
            "On March 2, 2026, the Company completed the acquisition of Riverside Plaza, a shopping center.",
            String::new(),
        ),
        (
            "On March 2, 2026, the Company completed the acquisition of a 200-unit apartment community.",
            String::new(),
        ),
        ("On March 2, 2026, the Company acquired Contoso's pump line.", String::new()),
        ("The Company would have acquired Contoso Labs, Inc. if it could.", String::new()),
        ("The Company acquired Contoso Labs, Inc. in 2014.", String::new()),
        ("The information in Item 1.01 is incorporated by reference.", String::new()),
    ] {
        assert_eq!(pair(text), deals, "{text}");
    }
}

#[test]
fn a_report_cut_off_after_its_item_is_read_and_before_it_is_not() {
    let whole = body("sec_8k_officers.txt");
    let text = String::from_utf8(whole.clone()).unwrap();
    let end = text.find("The foregoing").unwrap();
    assert_eq!(page(&whole[..end]).unwrap().notices.len(), 3);
    assert!(page(&whole[..text.find("<DOCUMENT>").unwrap()]).is_err());
    assert_eq!(page(b"<html>Request Rate Threshold Exceeded</html>"), Err(Unreadable::Not("a filing")));
}

#[test]
fn kinds_are_told_apart() {
    let kinds: Vec<MoveKind> = notices("sec_8k_officers.txt").iter().map(|it| moved(it).kind).collect();
    assert_eq!(kinds, [MoveKind::Left, MoveKind::NewCompany, MoveKind::Promotion]);
}
