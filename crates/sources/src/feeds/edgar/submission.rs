//! A filing as one text: a header, then its documents one after the other, the report first.

use super::super::xml::decode;
use super::super::{Unreadable, html, line, moment};
use super::{clean_company, codes, is_cik, is_item};
use assay_domain::limits::FEED_FILING_BYTES_MAX;
use chrono::NaiveDate;

/// Where the report ends, even if no document ends there.
const ENDS: &[&str] =
    &["signature", "signatures", "exhibit index", "pursuant to the requirements of the securities"];

/// What the header tells, and the report in lines.
#[derive(Debug)]
pub(super) struct Submission {
    pub(super) company: Option<String>,
    pub(super) cik: Option<String>,
    pub(super) country: Option<String>,
    /// The day of the earliest event reported. An amendment repeats it.
    pub(super) period: Option<NaiveDate>,
    report: String,
}

/// It may be cut off anywhere after the report has begun.
pub(super) fn read(body: &[u8]) -> Result<Submission, Unreadable> {
    let body = body.get(..body.len().min(FEED_FILING_BYTES_MAX)).unwrap_or_default();
    let text = decode(body);
    let (header, documents) = text.split_once("<DOCUMENT>").ok_or(Unreadable::Not("a filing"))?;
    let report = documents.split("<DOCUMENT>").find_map(report_of).ok_or(Unreadable::Lacks("its report"))?;
    // A filing of several companies is told of the first.
    let field = |name: &str| value(header, name);
    let business = header.split_once("BUSINESS ADDRESS:").map_or("", |(_, rest)| rest);
    let cik = field("CENTRAL INDEX KEY:").filter(|cik| is_cik(cik));
    Ok(Submission {
        company: field("COMPANY CONFORMED NAME:").and_then(|name| line(&clean_company(&name))),
        cik: cik.map(|cik| cik.trim_start_matches('0').to_owned()),
        country: codes::country_of(value(business, "STATE:").as_deref(), None),
        period: field("CONFORMED PERIOD OF REPORT:").and_then(|text| moment::packed_day(&text)),
        report,
    })
}

/// What stands in a header behind a name.
fn value(header: &str, name: &str) -> Option<String> {
    let found = header.lines().find_map(|row| row.trim_start().strip_prefix(name))?;
    Some(found.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The text of a document, if it is the report.
fn report_of(document: &str) -> Option<String> {
    let (_, kind) = document.split_once("<TYPE>")?;
    let kind = kind.lines().next()?.trim();
    let (_, text) = document.split_once("<TEXT>").filter(|_| kind == "8-K" || kind == "8-K/A")?;
    let text = text.split("</TEXT>").next()?;
    let head = text.get(..text.floor_char_boundary(10_000))?.to_ascii_lowercase();
    let is_html = ["<html", "<p", "<div", "<table", "<br"].iter().any(|tag| head.contains(tag));
    if is_html {
        return Some(html::plain(text));
    }
    // Typed as on a machine: an empty line parts blocks, the end of a line parts words.
    let unix = text.replace('\r', "");
    let blocks = unix.split("\n\n").map(html::plain).map(|block| block.replace('\n', " "));
    Some(blocks.filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n"))
}

impl Submission {
    /// What stands under an item, a line for each block, without its heading.
    pub(super) fn item(&self, number: &str) -> Vec<&str> {
        let mut inside = false;
        let mut lines = Vec::new();
        for text in self.report.lines() {
            if let Some((item, rest)) = heading(text) {
                inside = item == number;
                // The heading itself is no sentence; one that runs on into the text is.
                lines.extend(rest.split_once(". ").map(|(_, rest)| rest).filter(|_| inside));
            } else if inside && is_end(text) {
                inside = false;
            } else if inside {
                lines.push(text);
            }
        }
        lines
    }
}

/// `Item 5.02 Departure of …`, `ITEM 5.02.`: the number and what follows it.
fn heading(text: &str) -> Option<(&str, &str)> {
    let start = text.get(..4).filter(|start| start.eq_ignore_ascii_case("item"))?;
    let rest = text.get(start.len()..)?.trim_start();
    let number = rest.get(..4).filter(|number| is_item(number))?;
    let rest = rest.get(4..)?;
    // `Item 5.02 of this report` refers to one.
    let refers = ["of ", "is ", "and ", "by ", "above", "below"]
        .iter()
        .any(|word| rest.trim_start().starts_with(word));
    (!refers).then_some((number, rest.trim_start_matches(['.', ':', ' ', '-', '–', '—'])))
}

fn is_end(text: &str) -> bool {
    let low = text.get(..text.floor_char_boundary(60)).unwrap_or_default().to_lowercase();
    ENDS.iter().any(|end| low == *end || (end.len() > 15 && low.starts_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filing(text: &str) -> Submission {
        let all = format!(
            "<SEC-HEADER>\nCONFORMED PERIOD OF REPORT:\t20260227\n\tCOMPANY CONFORMED NAME:\t\tACME CORP /DE/\n\
             \tCENTRAL INDEX KEY:\t0000012345\n\tBUSINESS ADDRESS:\n\t\tSTATE:\t\t\tMA\n</SEC-HEADER>\n\
             <DOCUMENT>\n<TYPE>GRAPHIC\n<TEXT>begin</TEXT>\n</DOCUMENT>\n<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n{text}"
        );
        read(all.as_bytes()).unwrap()
    }

    #[test]
    fn the_header_and_the_items_are_found() {
        let it = filing(
            "<html><p>Item&nbsp;5.02. Departure of Officers</p><p>One left.</p><p>Item 5.02 of that report.</p>\
             <p>ITEM 9.01 Exhibits</p><p>Two.</p><p>SIGNATURES</p><p>Three</p>",
        );
        assert_eq!((it.company.as_deref(), it.cik.as_deref()), (Some("ACME CORP"), Some("12345")));
        assert_eq!((it.country.as_deref(), it.period), (Some("US"), NaiveDate::from_ymd_opt(2026, 2, 27)));
        assert_eq!(it.item("5.02"), ["One left.", "Item 5.02 of that report."]);
        assert_eq!(it.item("9.01"), ["Two."]);
        assert!(it.item("2.01").is_empty());
    }

    #[test]
    fn a_typed_report_is_joined_into_blocks() {
        let it = filing("\n\nItem 5.02 Departure\n\nOne who\nleft.\n\nSignature\n\nX");
        assert_eq!(it.item("5.02"), ["One who left."]);
    }

    #[test]
    fn what_is_no_filing_is_refused() {
        assert_eq!(read(b"").unwrap_err(), Unreadable::Not("a filing"));
        assert_eq!(read(b"<DOCUMENT><TYPE>EX-99").unwrap_err(), Unreadable::Lacks("its report"));
    }
}
