//! One delivery: one connection, one request, one answer, and an end to each of them.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::Clock;
use assay_domain::clock::Stopwatch;
use assay_domain::limits::{
    WEBHOOK_ANSWER_BYTES_MAX, WEBHOOK_CONNECT_DEADLINE, WEBHOOK_DEADLINE, WEBHOOK_EXCERPT_BYTES_MAX,
    WEBHOOK_HEAD_BYTES_MAX,
};
use assay_trust::{RootsError, client_config};
use bytes::Bytes;
use futures_util::future::{Either, select};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONNECTION, HOST, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use rustls::client::Resumption;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::connector::Connector;
use crate::guard::Guard;
use crate::outcome::{Outcome, Trouble, Verdict, excerpt, read_retry_after};
use crate::resolver::{Resolver, SystemResolver};
use crate::target::Target;

const AGENT: &str = concat!("Assay-Webhooks/", env!("CARGO_PKG_VERSION"));

/// What a sender needs to know.
#[derive(Debug, Clone)]
pub struct SenderSettings {
    pub guard: Guard,
    pub resolver: Arc<dyn Resolver>,
    pub clock: Clock,
    /// For a whole attempt, and out of it for connecting.
    pub deadline: Duration,
    pub connect_deadline: Duration,
    /// Certificates in PEM that are trusted beside those of the public authorities.
    pub extra_roots_pem: Vec<u8>,
}

impl Default for SenderSettings {
    fn default() -> Self {
        Self {
            guard: Guard::default(),
            resolver: Arc::new(SystemResolver::default()),
            clock: Clock::system(),
            deadline: WEBHOOK_DEADLINE,
            connect_deadline: WEBHOOK_CONNECT_DEADLINE,
            extra_roots_pem: Vec::new(),
        }
    }
}

/// Sends deliveries; shared by all that send. It keeps no connection: the next one may have to go elsewhere.
pub struct Sender {
    connector: Connector,
    clock: Clock,
    deadline: Duration,
}

impl Sender {
    pub fn new(settings: SenderSettings) -> Result<Self, RootsError> {
        let mut encryption = client_config(&settings.extra_roots_pem)?;
        // Every delivery sees the receiver's certificate; nothing is remembered of the one before.
        encryption.resumption = Resumption::disabled();
        let connector = Connector {
            guard: settings.guard,
            resolver: settings.resolver,
            tls: TlsConnector::from(Arc::new(encryption)),
            deadline: settings.connect_deadline,
        };
        Ok(Self { connector, clock: settings.clock, deadline: settings.deadline })
    }

    /// One attempt. It always ends, at the deadline at the latest, and redirects are never followed.
    ///
    /// The status decides: what comes after it is only for the log, so that an answer that trickles or breaks off after a
    /// 2xx was a delivery all the same.
    pub async fn send(&self, target: &Target, headers: &[(&str, String)], body: Bytes) -> Outcome {
        let watch = Stopwatch::start();
        let mut answer = Answer::default();
        let ended = match request(target, headers, body) {
            Err(trouble) => Err(Verdict::Unreachable(trouble)),
            Ok(request) => {
                let attempt = Box::pin(self.attempt(target, request, &mut answer));
                timeout(self.deadline, attempt).await.unwrap_or(Err(Verdict::TimedOut))
            }
        };
        let verdict = match (answer.status, ended) {
            (Some(status), _) => Verdict::of_status(status),
            (None, Err(verdict)) => verdict,
            (None, Ok(())) => Verdict::Unreachable(Trouble::Answer),
        };
        Outcome {
            status: answer.status,
            verdict,
            retry_after: answer.retry_after,
            took: watch.elapsed(),
            excerpt: excerpt(&answer.beginning),
        }
    }

    async fn attempt(
        &self,
        target: &Target,
        request: Request<Full<Bytes>>,
        answer: &mut Answer,
    ) -> Result<(), Verdict> {
        let stream = self.connector.connect(target).await?;
        let broken = |_| Verdict::Unreachable(Trouble::Answer);
        let (mut client, connection) = http1::Builder::new()
            .max_buf_size(WEBHOOK_HEAD_BYTES_MAX)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(broken)?;
        let exchange = pin!(async {
            let response = client.send_request(request).await.map_err(broken)?;
            self.read_head(&response, answer);
            answer.read_body(response.into_body()).await;
            Ok(())
        });
        // The connection has to be driven along. When it ends first, what it brought is still there to be read.
        match select(exchange, pin!(connection)).await {
            Either::Left((done, _)) => done,
            Either::Right((_, exchange)) => exchange.await,
        }
    }

    fn read_head(&self, response: &Response<Incoming>, answer: &mut Answer) {
        answer.status = Some(response.status().as_u16());
        let asked = response.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok());
        answer.retry_after = asked.and_then(|value| read_retry_after(value, self.clock.now().into()));
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Sender({:?}, {:?})", self.connector, self.deadline)
    }
}

/// What has come so far: it outlives the attempt that is cut off.
#[derive(Default)]
struct Answer {
    status: Option<u16>,
    retry_after: Option<Duration>,
    /// One byte more than is kept is enough to see that something was left out.
    beginning: Vec<u8>,
}

impl Answer {
    /// Reads on to the end, as far as that is near, so that the receiver is not cut off in the middle of its answer.
    async fn read_body(&mut self, mut body: Incoming) {
        let mut unread = WEBHOOK_ANSWER_BYTES_MAX;
        while unread > 0 {
            let Some(Ok(frame)) = body.frame().await else { return };
            let Ok(bytes) = frame.into_data() else { continue };
            let missing = (WEBHOOK_EXCERPT_BYTES_MAX + 1).saturating_sub(self.beginning.len());
            self.beginning.extend(bytes.iter().take(missing));
            unread = unread.saturating_sub(bytes.len());
        }
    }
}

/// The caller's headers first: those that hold for every delivery are not theirs to change.
fn request(
    target: &Target,
    headers: &[(&str, String)],
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Trouble> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = Uri::from(target.path.clone());
    let all = request.headers_mut();
    for (name, value) in headers {
        let name = HeaderName::try_from(*name).map_err(|_| Trouble::Request)?;
        all.insert(name, HeaderValue::try_from(value).map_err(|_| Trouble::Request)?);
    }
    all.insert(HOST, target.authority.clone());
    all.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    all.insert(ACCEPT, HeaderValue::from_static("*/*"));
    all.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(headers: &[(&str, &str)]) -> Result<Request<Full<Bytes>>, Trouble> {
        let target = Target::parse("https://acme.example:443/a?b=c", &Guard::default()).unwrap();
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        request(&target, &headers, Bytes::from_static(b"{}"))
    }

    #[test]
    fn a_request_carries_the_callers_headers_and_our_own() {
        let request =
            built(&[("webhook-id", "msg_1"), ("Host", "other.example"), ("user-agent", "x")]).unwrap();
        assert_eq!((request.method(), request.uri().to_string().as_str()), (&Method::POST, "/a?b=c"));
        let header = |name: &str| request.headers().get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(header("webhook-id"), "msg_1");
        assert_eq!(header("host"), "acme.example");
        assert_eq!(header("user-agent"), concat!("Assay-Webhooks/", env!("CARGO_PKG_VERSION")));
        assert_eq!(header("connection"), "close");
        assert_eq!(request.headers().get_all(HOST).iter().count(), 1);
    }

    #[test]
    fn what_is_no_header_is_not_sent() {
        for header in [("a b", "x"), ("", "x"), ("x", "a\r\nb: c"), ("x", "\0")] {
            assert_eq!(built(&[header]).err(), Some(Trouble::Request), "{header:?}");
        }
    }
}
