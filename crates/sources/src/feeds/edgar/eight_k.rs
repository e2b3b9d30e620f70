//! 8-K, the current report: officers who come and go, companies bought and sold.

use super::super::{Accept, Feed, Fetch, Pace, Page, Unreadable};
use super::grammar::{self, Reported};
use super::{Filing, PACE, newest, read_list, submission};
use assay_domain::limits::{FEED_FILING_BYTES_MAX, FEED_FILING_NOTICES_MAX};
use assay_domain::signal::Party;
use chrono::{DateTime, Utc};

const FORMS: [&str; 2] = ["8-K", "8-K/A"];
/// A company bought or sold, who controls the filer, and its officers.
const BOUGHT: &str = "2.01";
const CONTROL: &str = "5.01";
const OFFICERS: &str = "5.02";

#[derive(Debug, Clone, Copy, Default)]
pub struct EightK;

impl Feed for EightK {
    fn name(&self) -> &str {
        "sec-8-k"
    }

    fn pace(&self) -> Pace {
        PACE
    }

    fn start(&self) -> Vec<Fetch> {
        vec![newest(FORMS[0], 0)]
    }

    fn read(&self, fetch: &Fetch, body: &[u8], seen_at: DateTime<Utc>) -> Result<Page, Unreadable> {
        if let Some(filing) = &fetch.filing {
            return read_report(filing, body);
        }
        let (filings, next) = read_list(fetch, body, seen_at, FORMS)?;
        let wanted = |filing: &Filing| {
            filing.items.iter().any(|item| [BOUGHT, CONTROL, OFFICERS].contains(&item.as_str()))
        };
        let reports = filings.into_iter().filter(wanted).map(|filing| {
            let file = format!("{}.txt", filing.accession);
            filing.fetch(&file, Accept::Text, FEED_FILING_BYTES_MAX)
        });
        Ok(Page { follow: reports.chain(next).collect(), ..Page::default() })
    }
}

fn read_report(filing: &Filing, body: &[u8]) -> Result<Page, Unreadable> {
    let submission = submission::read(body)?;
    let name = submission.company.clone().unwrap_or_else(|| filing.company.clone());
    let reported = Reported {
        company: Party { country: submission.country.clone(), ..Party::named(name) },
        cik: submission.cik.clone().unwrap_or_else(|| filing.cik.clone()),
        period: submission.period.unwrap_or(filing.filed_on),
        filed_at: filing.filed_at,
        filed_on: filing.filed_on,
        url: filing.page(),
    };
    let mut notices = grammar::read_moves(&reported, &submission.item(OFFICERS));
    let mut deals = submission.item(BOUGHT);
    deals.extend(submission.item(CONTROL));
    notices.extend(grammar::read_deals(&reported, &deals));
    notices.truncate(FEED_FILING_NOTICES_MAX);
    Ok(Page { notices, ..Page::default() })
}
