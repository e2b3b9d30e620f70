//! Public sources of signals on one loopback socket, as a mirror has them: `/www.sec.gov/…`, `/boards-api.greenhouse.io/…`.
//!
//! It speaks their documented formats, tells by ETag what has changed, and fails in whatever way a test wants.

use crate::vendor::{VendorReply, VendorRequest, VendorServer};
use anyhow::Result;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A form D, as it is filed.
#[derive(Debug, Clone)]
pub struct FiledForm {
    /// `D`, or `D/A` for an amendment.
    pub form: &'static str,
    pub cik: u32,
    /// Numbers the filings of one filer.
    pub number: u32,
    pub company: String,
    /// In dollars.
    pub sold: u64,
    /// A day: `2026-02-17`.
    pub first_sale: String,
    /// With its zone: `2026-03-02T21:05:17-05:00`.
    pub filed_at: String,
}

impl FiledForm {
    fn accession(&self) -> String {
        format!("{:010}-26-{:06}", self.cik, self.number)
    }

    fn folder(&self) -> String {
        format!("/Archives/edgar/data/{}/{}", self.cik, self.accession().replace('-', ""))
    }

    fn entry(&self) -> String {
        let (form, cik, accession) = (self.form, self.cik, self.accession());
        let (company, folder, filed_at) = (escape(&self.company), self.folder(), &self.filed_at);
        let day = filed_at.get(..10).unwrap_or_default();
        format!(
            "<entry><title>{form} - {company} ({cik:010}) (Filer)</title>\
             <link rel=\"alternate\" type=\"text/html\" href=\"https://www.sec.gov{folder}/{accession}-index.htm\"/>\
             <summary type=\"html\"> &lt;b&gt;Filed:&lt;/b&gt; {day} &lt;b&gt;AccNo:&lt;/b&gt; {accession}</summary>\
             <updated>{filed_at}</updated>\
             <category scheme=\"https://www.sec.gov/\" label=\"form type\" term=\"{form}\"/>\
             <id>urn:tag:sec.gov,2008:accession-number={accession}</id></entry>"
        )
    }

    fn document(&self) -> String {
        let Self { form, cik, sold, first_sale, .. } = self;
        let (company, is_amendment) = (escape(&self.company), *form == "D/A");
        format!(
            "<?xml version=\"1.0\"?><edgarSubmission><submissionType>{form}</submissionType><testOrLive>LIVE</testOrLive>\
             <primaryIssuer><cik>{cik:010}</cik><entityName>{company}</entityName><issuerAddress>\
             <stateOrCountry>MA</stateOrCountry></issuerAddress></primaryIssuer><offeringData>\
             <industryGroup><industryGroupType>Other Technology</industryGroupType></industryGroup><typeOfFiling>\
             <newOrAmendment><isAmendment>{is_amendment}</isAmendment></newOrAmendment>\
             <dateOfFirstSale><value>{first_sale}</value></dateOfFirstSale></typeOfFiling>\
             <typesOfSecuritiesOffered><isEquityType>true</isEquityType></typesOfSecuritiesOffered>\
             <businessCombinationTransaction><isBusinessCombinationTransaction>false</isBusinessCombinationTransaction>\
             </businessCombinationTransaction><offeringSalesAmounts><totalAmountSold>{sold}</totalAmountSold>\
             </offeringSalesAmounts></offeringData></edgarSubmission>"
        )
    }
}

/// An entry of a feed of press releases.
#[derive(Debug, Clone)]
pub struct Published {
    pub guid: String,
    pub title: String,
    pub body: String,
    /// `Mon, 02 Mar 2026 09:00:00 -0500`.
    pub at: String,
}

type Fault = Arc<dyn Fn(&VendorRequest) -> Option<VendorReply> + Send + Sync>;

#[derive(Default)]
struct State {
    forms: Vec<FiledForm>,
    /// By site, and by number: title and when it was first published.
    jobs: BTreeMap<String, BTreeMap<u64, (String, String)>>,
    /// By host, newest last.
    wires: BTreeMap<String, Vec<Published>>,
    fault: Option<Fault>,
}

/// The hosts; they are gone when this is dropped.
#[derive(Debug)]
pub struct PublicHosts {
    pub server: VendorServer,
    state: Shared,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<State>>);

impl std::fmt::Debug for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("State")
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PublicHosts {
    pub fn start() -> Result<Self> {
        let state = Shared::default();
        let shared = state.clone();
        let server = VendorServer::start(move |request| answer(&shared, request))?;
        Ok(Self { server, state })
    }

    /// What `feeds.mirror` is set to.
    pub fn url(&self) -> String {
        self.server.url()
    }

    pub fn file(&self, form: FiledForm) {
        self.state.lock().forms.push(form);
    }

    /// A job on the board of a company at Greenhouse; `at` is `2026-02-20T23:30:00-05:00`.
    pub fn post_job(&self, site: &str, number: u64, title: &str, at: &str) {
        let jobs = &mut self.state.lock().jobs;
        jobs.entry(site.to_owned()).or_default().insert(number, (title.to_owned(), at.to_owned()));
    }

    pub fn take_down_job(&self, site: &str, number: u64) {
        if let Some(jobs) = self.state.lock().jobs.get_mut(site) {
            jobs.remove(&number);
        }
    }

    /// Published on the feed at `https://{host}/rss`.
    pub fn publish(&self, host: &str, release: Published) {
        self.state.lock().wires.entry(host.to_owned()).or_default().push(release);
    }

    /// What is answered instead, where it gives anything.
    pub fn fail(&self, fault: impl Fn(&VendorRequest) -> Option<VendorReply> + Send + Sync + 'static) {
        self.state.lock().fault = Some(Arc::new(fault));
    }

    pub fn heal(&self) {
        self.state.lock().fault = None;
    }
}

fn answer(shared: &Shared, request: &VendorRequest) -> VendorReply {
    let fault = shared.lock().fault.clone();
    if let Some(reply) = fault.and_then(|fault| fault(request)) {
        return reply;
    }
    let Some(body) = page(&shared.lock(), &request.path) else { return VendorReply::json(404, "") };
    let mut hash = DefaultHasher::new();
    body.hash(&mut hash);
    let tag = format!("\"{:x}\"", hash.finish());
    let is_known = request.header("if-none-match") == Some(&tag);
    let reply = if is_known { VendorReply::json(304, "") } else { VendorReply::json(200, body) };
    reply.header("etag", &tag)
}

/// So many filings are on one page of the list.
const LIST_ROWS: usize = 100;

fn page(state: &State, path: &str) -> Option<String> {
    let (_, rest) = path.split_once('/')?;
    let (host, page) = rest.split_once('/')?;
    if host == "www.sec.gov" {
        return edgar(state, page);
    }
    if let Some(site) = page.strip_prefix("v1/boards/").and_then(|rest| rest.split('/').next()) {
        let jobs = state.jobs.get(site)?.iter().map(|(number, (title, at))| {
            format!(
                "{{\"id\":{number},\"internal_job_id\":{number},\"title\":\"{title}\",\"first_published\":\"{at}\",\"location\":{{\"name\":\"Berlin, Germany\"}},\
                 \"absolute_url\":\"https://boards.greenhouse.io/{site}/jobs/{number}\"}}"
            )
        });
        let jobs: Vec<String> = jobs.collect();
        return Some(format!("{{\"jobs\":[{}],\"meta\":{{\"total\":{}}}}}", jobs.join(","), jobs.len()));
    }
    let items = state.wires.get(host)?.iter().rev().take(LIST_ROWS).map(|release| {
        format!(
            "<item><guid isPermaLink=\"false\">{}</guid><title>{}</title><link>https://{host}/{}</link>\
             <pubDate>{}</pubDate><description>{}</description></item>",
            escape(&release.guid),
            escape(&release.title),
            escape(&release.guid),
            release.at,
            escape(&release.body)
        )
    });
    Some(format!("<rss version=\"2.0\"><channel>{}</channel></rss>", items.collect::<String>()))
}

fn edgar(state: &State, page: &str) -> Option<String> {
    if !page.starts_with("cgi-bin/browse-edgar?") {
        let form =
            state.forms.iter().find(|form| page == format!("{}/primary_doc.xml", &form.folder()[1..]))?;
        return Some(form.document());
    }
    let start = page.split("&start=").nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
    // The newest first.
    let entries = state.forms.iter().rev().skip(start).take(LIST_ROWS).map(FiledForm::entry);
    let entries: String = if page.contains("&type=D&") { entries.collect() } else { String::new() };
    Some(format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Latest Filings</title>{entries}</feed>"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
