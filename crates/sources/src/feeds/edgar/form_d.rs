//! Form D: money raised without a public offering. It tells the amount and the day, and never who gave it.

use super::super::xml::{self, Element};
use super::super::{Accept, Feed, Fetch, Pace, Page, Unreadable, line, moment, money};
use super::{Filing, PACE, codes, newest, read_list};
use assay_domain::company::Round;
use assay_domain::limits::FEED_FILING_BYTES_MAX;
use assay_domain::signal::{Content, Party};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Confidence, Notice};
use chrono::{DateTime, NaiveDate, Utc};

const FORMS: [&str; 2] = ["D", "D/A"];
/// Filed under penalty of law, but by hand.
const CONFIDENCE: Confidence = Confidence::percent(95);

#[derive(Debug, Clone, Copy, Default)]
pub struct FormD;

impl Feed for FormD {
    fn name(&self) -> &str {
        "sec-form-d"
    }

    fn pace(&self) -> Pace {
        PACE
    }

    fn start(&self) -> Vec<Fetch> {
        vec![newest(FORMS[0], 0)]
    }

    fn read(&self, fetch: &Fetch, body: &[u8], seen_at: DateTime<Utc>) -> Result<Page, Unreadable> {
        if let Some(filing) = &fetch.filing {
            let notices = read_form(filing, body, seen_at)?.into_iter().collect();
            return Ok(Page { notices, ..Page::default() });
        }
        let (filings, next) = read_list(fetch, body, seen_at, FORMS)?;
        let documents = filings
            .into_iter()
            .map(|filing| filing.fetch("primary_doc.xml", Accept::Xml, FEED_FILING_BYTES_MAX))
            .chain(next);
        Ok(Page { follow: documents.collect(), ..Page::default() })
    }
}

/// What a form says; nothing where no company raised money.
fn read_form(filing: &Filing, body: &[u8], seen_at: DateTime<Utc>) -> Result<Option<Notice>, Unreadable> {
    let body = body.get(..body.len().min(FEED_FILING_BYTES_MAX)).unwrap_or_default();
    let root = xml::read(body).filter(|root| root.name == "edgarSubmission");
    let root = root.ok_or(Unreadable::Not("a form D"))?;
    // Half a form may lack just the words that make it none.
    if !root.whole {
        return Err(Unreadable::Lacks("its end"));
    }
    let form = root.value("submissionType").unwrap_or_else(|| filing.form.clone());
    if !FORMS.contains(&form.as_str()) {
        return Err(Unreadable::Not("a form D"));
    }
    let issuer = root.at("primaryIssuer").ok_or(Unreadable::Lacks("its issuer"))?;
    let name =
        issuer.value("entityName").and_then(|name| line(&name)).ok_or(Unreadable::Lacks("its issuer"))?;
    let offering = root.at("offeringData").ok_or(Unreadable::Lacks("its offering"))?;
    if !is_live(&root) || is_fund(offering) || is_merger(offering) {
        return Ok(None);
    }
    let first_sale = first_sale(offering, seen_at);
    let amount = sold(offering);
    // Offered, but not yet bought by anybody: its amendment will tell.
    if first_sale.is_none() && amount.is_none() {
        return Ok(None);
    }
    let cik = issuer.value("cik").map(|cik| cik.trim_start_matches('0').to_owned());
    let cik = cik.filter(|cik| super::is_cik(cik)).unwrap_or_else(|| filing.cik.clone());
    let announced_on = first_sale.unwrap_or(filing.filed_on);
    let country = codes::country_of(
        issuer.value("issuerAddress/stateOrCountry").as_deref(),
        issuer.value("issuerAddress/stateOrCountryDescription").as_deref(),
    );
    let round = Round {
        stage: FundingStage::Other,
        amount,
        currency: amount.map(|_| "USD".to_owned()),
        announced_on,
        investors: Vec::new(),
        lead_investors: Vec::new(),
    };
    Ok(Some(Notice {
        reference: reference(&cik, first_sale, offering, filing),
        url: Some(filing.page()),
        occurred_at: first_sale.map_or(filing.filed_at, moment::midnight),
        company: Party { country, ..Party::named(name) },
        person: None,
        confidence: CONFIDENCE,
        content: Content::Funding(round),
    }))
}

/// The issuer and the day of the first sale, which an amendment repeats: its number is another, and so may be all else.
fn reference(cik: &str, first_sale: Option<NaiveDate>, offering: &Element, filing: &Filing) -> String {
    if let Some(day) = first_sale {
        return format!("{cik}/{day}");
    }
    let amended = offering.value("typeOfFiling/newOrAmendment/previousAccessionNumber");
    let amended = amended.and_then(|text| super::accession_in(&text));
    format!("{cik}/{}", amended.unwrap_or_else(|| filing.accession.clone()))
}

fn is_live(root: &Element) -> bool {
    root.value("testOrLive").is_none_or(|word| !word.eq_ignore_ascii_case("test"))
}

/// A fund that collects money to invest it is no company that raised some.
fn is_fund(offering: &Element) -> bool {
    let group = offering.value("industryGroup/industryGroupType").unwrap_or_default().to_ascii_lowercase();
    group.contains("pooled investment fund")
        || offering.at("industryGroup/investmentFundInfo").is_some()
        || is_true(offering, "typesOfSecuritiesOffered/isPooledInvestmentFundType")
}

/// Shares given for another company bring no money.
fn is_merger(offering: &Element) -> bool {
    is_true(offering, "businessCombinationTransaction/isBusinessCombinationTransaction")
}

fn is_true(element: &Element, path: &str) -> bool {
    element.value(path).is_some_and(|word| word.eq_ignore_ascii_case("true") || word == "1")
}

/// Older forms have the day without an element of its own.
fn first_sale(offering: &Element, seen_at: DateTime<Utc>) -> Option<NaiveDate> {
    let date = offering.at("typeOfFiling/dateOfFirstSale")?;
    let text = date.value("value").unwrap_or_else(|| date.text());
    moment::day(&text).and_then(|day| moment::told_day(day, seen_at))
}

/// In cents. Nothing where it is nothing, or not said (`Indefinite`).
fn sold(offering: &Element) -> Option<i64> {
    let text = offering.value("offeringSalesAmounts/totalAmountSold")?;
    money::minor_units(&text, 0, "USD").filter(|amount| *amount > 0)
}
