//! Form D: rounds, and what is none.

use super::kit::{at, body, day, filings, read, seen_at};
use assay_domain::Notice;
use assay_domain::company::Round;
use assay_domain::signal::Content;
use assay_domain::taxonomy::FundingStage;
use assay_sources::feeds::{Feed, FormD, Page, Unreadable, Worth};

fn text() -> String {
    String::from_utf8(body("sec_form_d.xml")).unwrap()
}

fn page(xml: &str) -> Result<Page, Unreadable> {
    FormD.read(&filings(&FormD, "sec_list_d.atom")[0], xml.as_bytes(), seen_at())
}

fn notice(xml: &str) -> Option<Notice> {
    page(xml).unwrap().notices.into_iter().next()
}

fn round(notice: &Notice) -> &Round {
    let Content::Funding(round) = &notice.content else { panic!("{notice:?}") };
    round
}

#[test]
fn the_list_leads_to_each_filing_once_and_to_no_other_form() {
    let found = filings(&FormD, "sec_list_d.atom");
    let urls: Vec<&str> = found.iter().map(|fetch| fetch.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://www.sec.gov/Archives/edgar/data/1900001/000190000126000001/primary_doc.xml",
            "https://www.sec.gov/Archives/edgar/data/1900002/000190000226000007/primary_doc.xml",
        ]
    );
    assert_eq!(found[0].worth, Worth::Once("0001900001-26-000001".to_owned()));
    let filing = found[1].filing.as_ref().unwrap();
    assert_eq!((filing.form.as_str(), filing.company.as_str()), ("D/A", "Société Contoso SA"));
    // An evening in Washington is the next day in UTC.
    let evening = found[0].filing.as_ref().unwrap();
    assert_eq!((evening.filed_at, evening.filed_on), (at("2026-03-03T02:05:17Z"), day("2026-03-02")));
    let start = FormD.start();
    assert_eq!(
        start[0].url,
        "https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent&type=D&output=atom&count=100"
    );
}

#[test]
fn a_form_tells_of_a_round_in_cents() {
    let notice = notice(&text()).unwrap();
    assert_eq!(notice.reference, "1900001/2026-02-17");
    assert_eq!(notice.occurred_at, at("2026-02-17T00:00:00Z"));
    assert_eq!(notice.company.name, "NORTHWIND ROBOTICS, INC.");
    assert_eq!(notice.company.country.as_deref(), Some("US"));
    assert_eq!(
        notice.url.as_deref(),
        Some(
            "https://www.sec.gov/Archives/edgar/data/1900001/000190000126000001/0001900001-26-000001-index.htm"
        )
    );
    let round = round(&notice);
    assert_eq!(
        (round.stage, round.amount, round.currency.as_deref()),
        (FundingStage::Other, Some(977_713_800), Some("USD"))
    );
    assert_eq!(round.announced_on, day("2026-02-17"));
    assert!(notice.person.is_none(), "related persons are not what a round is about");
}

#[test]
fn an_amendment_amends_the_same_round() {
    let amended = text()
        .replace("<submissionType>D<", "<submissionType>D/A<")
        .replace("<isAmendment>false<", "<isAmendment>true<")
        .replace("9777138", "18500000");
    let fetch = &filings(&FormD, "sec_list_d.atom")[1];
    let page = FormD.read(fetch, amended.as_bytes(), seen_at()).unwrap();
    assert_eq!(page.notices[0].reference, notice(&text()).unwrap().reference);
    assert_eq!(round(&page.notices[0]).amount, Some(1_850_000_000));
}

#[test]
fn an_amount_that_is_not_told_is_not_made_up() {
    for word in ["Indefinite", "0", "", "-5", "1e9", "99999999999999999999"] {
        let notice = notice(&text().replace("9777138", word)).unwrap();
        assert_eq!((round(&notice).amount, round(&notice).currency.as_deref()), (None, None), "{word}");
    }
}

#[test]
fn without_a_first_sale_the_day_of_filing_counts_unless_nothing_is_sold() {
    let yet = "<yetToOccur>true</yetToOccur>";
    let unsold = text().replace("<value>2026-02-17</value>", yet);
    let found = notice(&unsold).unwrap();
    assert_eq!(round(&found).announced_on, day("2026-03-02"));
    assert_eq!(found.reference, "1900001/0001900001-26-000001");
    assert_eq!(notice(&unsold.replace("9777138", "0")), None);
    // Long ago or far ahead it is a slip of the pen.
    for wrong in ["0206-02-17", "2062-02-17", "2026-02-31"] {
        assert_eq!(
            round(&notice(&text().replace("2026-02-17", wrong)).unwrap()).announced_on,
            day("2026-03-02")
        );
    }
}

#[test]
fn funds_mergers_and_tests_are_no_rounds() {
    for (from, to) in [
        (">Other Technology<", ">Pooled Investment Fund<"),
        (
            "<isEquityType>true</isEquityType>",
            "<isPooledInvestmentFundType>true</isPooledInvestmentFundType>",
        ),
        ("<isBusinessCombinationTransaction>false<", "<isBusinessCombinationTransaction>true<"),
        ("<testOrLive>LIVE<", "<testOrLive>TEST<"),
    ] {
        let changed = text().replace(from, to);
        assert_ne!(changed, text());
        assert_eq!(notice(&changed), None, "{to}");
    }
}

#[test]
fn addresses_abroad_are_told_from_states() {
    for (code, name, country) in [
        ("2M", "GERMANY", "DE"),
        ("DE", "DELAWARE", "US"),
        ("A6", "ONTARIO, CANADA", "CA"),
        ("X0", "UNITED KINGDOM", "GB"),
    ] {
        let changed = text().replace(">MA<", &format!(">{code}<")).replace("MASSACHUSETTS", name);
        assert_eq!(notice(&changed).unwrap().company.country.as_deref(), Some(country), "{code}");
    }
}

#[test]
fn a_form_cut_anywhere_is_unreadable() {
    let text = text();
    for cut in 0..text.trim_end().len() {
        assert!(page(&text[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn a_list_that_is_cut_leads_to_the_filings_before_the_cut() {
    let list = body("sec_list_d.atom");
    let second = list.windows(7).enumerate().filter(|(_, it)| *it == b"<entry>").nth(1).unwrap().0;
    let page = read(&FormD, &list[..second + 40]).unwrap();
    assert_eq!(page.follow.len(), 1);
    assert_eq!(read(&FormD, &list[..200]), Err(Unreadable::Lacks("its end")));
    assert!(read(&FormD, b"<html><body>Rate limited</body></html>").is_err());
}

#[test]
fn a_full_page_leads_to_the_one_before_it_and_not_for_ever() {
    let list = body("sec_list_d.atom");
    let text: String = list.iter().map(|byte| char::from(*byte)).collect();
    let (head, rest) = text.split_once("<entry>").unwrap();
    let entry = rest.split_once("</entry>").unwrap().0;
    let many = (0..100).map(|n| {
        let number = format!("0001900001-26-{n:06}");
        format!("<entry>{}</entry>", entry.replace("0001900001-26-000001", &number))
    });
    let full = format!("{head}{}</feed>", many.collect::<String>());
    let mut fetch = FormD.start()[0].clone();
    let mut pages = 1;
    loop {
        let page = FormD.read(&fetch, full.as_bytes(), seen_at()).unwrap();
        let lists = page.follow.iter().filter(|it| it.filing.is_none());
        let Some(next) = lists.inspect(|it| assert_eq!(it.worth, Worth::IfNews)).next() else { break };
        assert!(next.url.ends_with(&format!("&start={}", pages * 100)));
        assert_eq!(page.follow.len(), 101);
        (fetch, pages) = (next.clone(), pages + 1);
    }
    assert!(pages <= 10);
}
