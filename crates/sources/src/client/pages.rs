//! Asking for the pages of public sources: politely, under a name that says whom to write to, and only for what has changed.

use super::guard::SourceGuard;
use super::transport::{AGENT, SetupError, Transport, is_forbidden};
use crate::feeds::{Fetch, told_moment};
use crate::reading::retry_after;
use assay_domain::limits::{FEED_PAGE_DEADLINE, FEED_REDIRECTS_MAX, FEED_REFUSED_REST, FEED_RETRY_AFTER_MAX};
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use http::header::{
    ACCEPT, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LOCATION, RETRY_AFTER,
};
use http::{Method, StatusCode};
use reqwest::{Request, Response};
use std::time::Duration;
use tokio::time::timeout;
use url::Url;

/// By what a host tells that a page is still the same, as it said it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    pub etag: Option<String>,
    pub modified: Option<String>,
}

/// What came of asking for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Got {
    Page {
        /// At most one byte more than was wanted.
        body: Bytes,
        validators: Validators,
    },
    /// As it was when these validators were given.
    Unchanged,
    /// The host wants to be left alone for so long.
    Later(Duration),
    /// There is no such page.
    Gone,
    Failed(&'static str),
}

/// Asks for pages. Clones share connections.
#[derive(Debug, Clone)]
pub struct Pages {
    transport: std::sync::Arc<Transport>,
    mirror: Option<Url>,
}

/// Why nobody can be asked.
#[derive(Debug, thiserror::Error)]
pub enum NoPages {
    #[error("the contact has signs that a header cannot have")]
    Contact,
    #[error("the mirror is no address of the web, or not one that may be asked: {0}")]
    Mirror(&'static str),
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Pages {
    /// `contact` is told to every host: who asks, and where they can be reached. With a mirror, all is asked of it, under the name
    /// of the host: `https://mirror/www.example.com/page`.
    pub fn new(
        contact: &str,
        guard: SourceGuard,
        extra_roots_pem: &[u8],
        mirror: Option<&str>,
    ) -> Result<Self, NoPages> {
        let agent = format!("{AGENT} ({contact})");
        if HeaderValue::from_str(&agent).is_err() {
            return Err(NoPages::Contact);
        }
        let mirror = match mirror {
            None => None,
            Some(text) => {
                let url = Url::parse(text).map_err(|_| NoPages::Mirror("not readable"))?;
                guard.judge(&url).map_err(NoPages::Mirror)?;
                Some(url)
            }
        };
        let transport = Transport::known_as(&agent, guard, extra_roots_pem)?.into();
        Ok(Self { transport, mirror })
    }

    /// Asks for a page, unless it is still as these validators say.
    pub async fn get(&self, fetch: &Fetch, known: &Validators, now: DateTime<Utc>) -> Got {
        let asking = Box::pin(self.follow(fetch, known, now));
        timeout(FEED_PAGE_DEADLINE, asking).await.unwrap_or(Got::Failed("it took too long"))
    }

    async fn follow(&self, fetch: &Fetch, known: &Validators, now: DateTime<Utc>) -> Got {
        let Ok(mut url) = Url::parse(&fetch.url) else { return Got::Failed("the url is not readable") };
        for _ in 0..=FEED_REDIRECTS_MAX {
            let asked = match self.place(&url) {
                Ok(asked) => asked,
                Err(why) => return Got::Failed(why),
            };
            let request = request(asked, fetch, known);
            let response = match self.transport.http.execute(request).await {
                Ok(response) => response,
                Err(error) if is_forbidden(&error) => return Got::Failed("it is not at a public address"),
                Err(error) if error.is_connect() => return Got::Failed("it cannot be reached"),
                Err(_) => return Got::Failed("the connection broke"),
            };
            if !is_elsewhere(response.status()) {
                return read(response, fetch.bytes_max, now).await;
            }
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let Some(next) = to.and_then(|to| url.join(to).ok()) else {
                return Got::Failed("it leads nowhere");
            };
            url = next;
        }
        Got::Failed("it leads from one place to another")
    }

    /// Where a page is asked for.
    fn place(&self, url: &Url) -> Result<Url, &'static str> {
        let Some(mirror) = &self.mirror else { return self.transport.guard.judge(url).map(|()| url.clone()) };
        let host = url.host_str().ok_or("the url has no host")?;
        let mut placed = mirror.clone();
        placed.set_path(&format!("{}/{host}{}", mirror.path().trim_end_matches('/'), url.path()));
        placed.set_query(url.query());
        Ok(placed)
    }
}

fn request(url: Url, fetch: &Fetch, known: &Validators) -> Request {
    let mut request = Request::new(Method::GET, url);
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static(fetch.accept.as_str()));
    let conditions = [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.modified)];
    for (name, value) in conditions {
        // As the host gave it; what a header cannot have was never one.
        let value = value.as_deref().and_then(|value| HeaderValue::from_str(value).ok());
        value.map(|value| headers.insert(name, value));
    }
    request
}

fn is_elsewhere(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

async fn read(mut response: Response, bytes_max: usize, now: DateTime<Utc>) -> Got {
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_MODIFIED => return Got::Unchanged,
        StatusCode::NOT_FOUND | StatusCode::GONE => return Got::Gone,
        // EDGAR answers who asks too often with 403.
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::FORBIDDEN => {
            return Got::Later(rest_wanted(response.headers(), now));
        }
        _ => return Got::Failed("it answers with an error"),
    }
    let validators = Validators {
        etag: text_of(response.headers(), &ETAG),
        modified: text_of(response.headers(), &LAST_MODIFIED),
    };
    let mut body = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(_) => return Got::Failed("the page broke off"),
        }
        // One more tells the reader that it is not the whole page.
        if body.len() > bytes_max {
            body.truncate(bytes_max.saturating_add(1));
            break;
        }
    }
    Got::Page { body: body.freeze(), validators }
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// In seconds, or as a date.
fn rest_wanted(headers: &HeaderMap, now: DateTime<Utc>) -> Duration {
    let date = || {
        let at = told_moment(headers.get(RETRY_AFTER)?.to_str().ok()?)?;
        (at - now).to_std().ok()
    };
    retry_after(headers).or_else(date).unwrap_or(FEED_REFUSED_REST).min(FEED_RETRY_AFTER_MAX)
}
