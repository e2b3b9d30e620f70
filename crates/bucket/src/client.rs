//! How requests to a bucket are sent: by the HTTP library and the certificates of the rest of the service.

use assay_domain::limits::{
    BUCKET_CODE_CHARS_MAX, BUCKET_CONNECT_DEADLINE, BUCKET_CONNECTION_IDLE_MAX, BUCKET_REFUSAL_BYTES_MAX,
    BUCKET_REQUEST_DEADLINE,
};
use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use std::error::Error;
use std::fmt::Write;

const AGENT: &str = concat!("assay/", env!("CARGO_PKG_VERSION"));

/// Makes clients: one for the bucket, and one for whoever gives out credentials for it.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) tls: ClientConfig,
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http =
            options.get_config_value(&ClientConfigKey::AllowHttp).is_some_and(|set| set == "true");
        let mut http = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .https_only(!allows_http)
            .http1_only()
            // A request is signed for one host.
            .redirect(Policy::none())
            .referer(false)
            // The store knows what may be sent again.
            .retry(reqwest::retry::never())
            .user_agent(AGENT)
            .timeout(BUCKET_REQUEST_DEADLINE)
            .connect_timeout(BUCKET_CONNECT_DEADLINE)
            .pool_idle_timeout(BUCKET_CONNECTION_IDLE_MAX)
            .tcp_nodelay(true);
        if allows_http {
            // What is asked in the clear is next door, as the machine that gives out credentials; a proxy knows another one.
            http = http.no_proxy();
        }
        let http = http
            .build()
            .map_err(|error| object_store::Error::Generic { store: "S3", source: Box::new(error) })?;
        Ok(HttpClient::new(Client { http }))
    }
}

#[derive(Debug)]
struct Client {
    http: reqwest::Client,
}

#[async_trait]
impl HttpService for Client {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string().parse();
        let url = url.map_err(|error: url::ParseError| HttpError::new(HttpErrorKind::Unknown, error))?;
        let mut request = reqwest::Request::new(parts.method, url);
        *request.headers_mut() = parts.headers;
        let body = match body.as_bytes() {
            Some(bytes) => bytes.clone().into(),
            None => reqwest::Body::wrap(body),
        };
        *request.body_mut() = Some(body);
        let answer: http::Response<reqwest::Body> = self.http.execute(request).await.map_err(failed)?.into();
        let (parts, body) = answer.into_parts();
        let body = if parts.status.is_client_error() || parts.status.is_server_error() {
            HttpResponseBody::new(Full::new(code_of(body).await).map_err(|never| match never {}))
        } else {
            HttpResponseBody::new(body.map_err(failed))
        };
        Ok(HttpResponse::from_parts(parts, body))
    }
}

/// Of an answer that says no, its code alone. S3 repeats what was signed and which token was no good, and an answer
/// becomes part of an error, which is logged.
async fn code_of(body: reqwest::Body) -> Bytes {
    let Ok(body) = Limited::new(body, BUCKET_REFUSAL_BYTES_MAX).collect().await else { return Bytes::new() };
    let body = body.to_bytes();
    let text = String::from_utf8_lossy(&body);
    let code =
        text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>")).map(|(code, _)| code);
    let is_code = |code: &&str| {
        code.len() <= BUCKET_CODE_CHARS_MAX
            && code.chars().all(|each| each.is_ascii_alphanumeric() || each == '.')
    };
    code.filter(is_code).map(|code| Bytes::from(code.to_owned())).unwrap_or_default()
}

/// What came in the way of a request, with all its causes: the outermost says only that it was not sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

fn failed(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_decode() {
        HttpErrorKind::Decode
    } else {
        HttpErrorKind::Interrupted
    };
    let error = error.without_url();
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let written = write!(told, ": {inner}");
        debug_assert!(written.is_ok(), "writing to a text cannot fail");
        cause = inner.source();
    }
    HttpError::new(kind, Failed(told))
}
