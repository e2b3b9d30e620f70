//! Sending one question over HTTP and reading what comes back, within bounds. What goes wrong is told in a word: an error of
//! the HTTP library may have the URL in it, and that has the key.

use super::guard::{Forbidden, GuardedResolver, SourceGuard};
use crate::HttpQuestion;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    SOURCE_ANSWER_BYTES_MAX, SOURCE_CONNECT_DEADLINE, SOURCE_CONNECTION_IDLE_MAX, SOURCE_IN_FLIGHT_MAX,
    SOURCE_OVERSLEPT,
};
use assay_trust::{RootsError, client_config};
use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Request;
use reqwest::redirect::Policy;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What we call ourselves.
pub(super) const AGENT: &str = concat!("Assay/", env!("CARGO_PKG_VERSION"));

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Roots(#[from] RootsError),
    #[error("the http client cannot be set up: {0}")]
    Http(reqwest::Error),
}

/// How one try ended.
#[derive(Debug)]
pub(super) enum Sent {
    Answered {
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
    },
    /// No connection stood, so nothing was sent.
    Unreached,
    /// The name has no address that may be dialled.
    Forbidden,
    /// The connection broke with the question sent, or part of it.
    Broken,
    TooLarge,
    TimedOut,
}

#[derive(Debug)]
pub(super) struct Transport {
    pub(super) http: reqwest::Client,
    pub(super) guard: SourceGuard,
}

impl Transport {
    pub(super) fn new(guard: SourceGuard, extra_roots_pem: &[u8]) -> Result<Self, SetupError> {
        Self::known_as(AGENT, guard, extra_roots_pem)
    }

    /// Under a name that says more of us.
    pub(super) fn known_as(
        agent: &str,
        guard: SourceGuard,
        extra_roots_pem: &[u8],
    ) -> Result<Self, SetupError> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(client_config(extra_roots_pem)?)
            .dns_resolver(Arc::new(GuardedResolver::new(&guard)))
            .https_only(!guard.allow_http)
            .http1_only()
            // Where a vendor sends us on to would have to be judged as a base URL is, and would be shown the key.
            .redirect(Policy::none())
            .referer(false)
            // A proxy of the environment would dial what was never judged.
            .no_proxy()
            // What is tried again is decided by the client, which knows what costs money.
            .retry(reqwest::retry::never())
            .user_agent(agent)
            .connect_timeout(SOURCE_CONNECT_DEADLINE)
            .pool_idle_timeout(SOURCE_CONNECTION_IDLE_MAX)
            .pool_max_idle_per_host(SOURCE_IN_FLIGHT_MAX)
            .tcp_nodelay(true)
            .build()
            .map_err(SetupError::Http)?;
        Ok(Self { http, guard })
    }

    /// The question as it is sent. The error says why it cannot be.
    pub(super) fn prepare(&self, base_url: &str, question: &HttpQuestion) -> Result<Prepared, &'static str> {
        let url = self.guard.address(base_url, question)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, JSON);
        let body = question.body.as_ref().map(serde_json::to_vec).transpose();
        let body = body.map_err(|_| "the body cannot be written")?.map(Bytes::from);
        if body.is_some() {
            headers.insert(CONTENT_TYPE, JSON);
        }
        for (name, value) in &question.headers {
            let name = HeaderName::try_from(name).map_err(|_| "a header has no readable name")?;
            let mut value = HeaderValue::try_from(value).map_err(|_| "a header's value cannot be sent")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Prepared { method: question.method.clone(), url, headers, body })
    }

    /// Sends it and reads the answer to its end, all within the deadline.
    pub(super) async fn send(&self, prepared: &Prepared, deadline: Duration) -> Sent {
        let (mut exchange, watch) = (Box::pin(self.exchange(prepared.request())), Stopwatch::start());
        if let Ok(sent) = timeout(deadline, &mut exchange).await {
            return sent;
        }
        if watch.elapsed() < deadline + SOURCE_OVERSLEPT {
            return Sent::TimedOut;
        }
        // Nobody ran here when the time was over: what the vendor said meanwhile has not been looked at.
        timeout(SOURCE_OVERSLEPT, exchange).await.unwrap_or(Sent::TimedOut)
    }

    async fn exchange(&self, request: Request) -> Sent {
        let mut response = match self.http.execute(request).await {
            Ok(response) => response,
            Err(error) if is_forbidden(&error) => return Sent::Forbidden,
            Err(error) if error.is_connect() => return Sent::Unreached,
            Err(_) => return Sent::Broken,
        };
        let most = u64::try_from(SOURCE_ANSWER_BYTES_MAX).unwrap_or(u64::MAX);
        if response.content_length().is_some_and(|length| length > most) {
            return Sent::TooLarge;
        }
        let mut body = BytesMut::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len().saturating_add(chunk.len()) > SOURCE_ANSWER_BYTES_MAX => {
                    return Sent::TooLarge;
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(_) => return Sent::Broken,
            }
        }
        let headers = std::mem::take(response.headers_mut());
        Sent::Answered { status: response.status(), headers, body: body.freeze() }
    }
}

/// A question ready to be sent, once or twice.
pub(super) struct Prepared {
    method: http::Method,
    url: url::Url,
    headers: HeaderMap,
    body: Option<Bytes>,
}

impl Prepared {
    fn request(&self) -> Request {
        let mut request = Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = self.headers.clone();
        *request.body_mut() = self.body.clone().map(Into::into);
        request
    }
}

/// The resolver's own word, wherever the HTTP library wrapped it in.
pub(super) fn is_forbidden(error: &reqwest::Error) -> bool {
    let mut next = error.source();
    while let Some(error) = next {
        if error.is::<Forbidden>() {
            return true;
        }
        next = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_cannot_be_sent_is_refused_without_repeating_it() {
        let transport = Transport::new(SourceGuard::default(), b"").unwrap();
        let question = HttpQuestion::get("/find").header("x-key", "secret\r\nx-other: 1");
        let refusal = transport.prepare("https://api.vendor.example", &question).err().unwrap();
        assert!(!refusal.contains("secret"));
    }
}
