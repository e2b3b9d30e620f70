//! The reference over HTTP: made once, when it is first asked for, and answered from memory, without key or database.

use assay_service::reference::{self, ICON_PATH, STYLE_PATH};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

/// The library behind `/docs`, as it was published; `assets/scalar-1.72.1.licences.txt` says where it comes from.
static SCALAR: &[u8] = include_bytes!("../assets/scalar-1.72.1.js.gz");
/// Names the version, so that a browser may keep it for ever.
const SCALAR_PATH: &str = "/docs/assets/scalar-1.72.1.js";

/// Scripts, styles and answers come from this server alone, and nobody may frame or redirect a page. Styles may stand in
/// the page because the library writes its own there; scripts may not.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      form-action 'none'";
/// Kept, but asked for again each time: a page changes with the program.
const ASK_AGAIN: &str = "no-cache";
const FOR_EVER: &str = "public, max-age=31536000, immutable";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

const HOME_PATH: &str = "/docs";

const REDIRECTS: [(&str, &str); 5] = [
    ("/", "/docs"),
    ("/docs/", "/docs"),
    ("/docs/errors/", "/docs/errors"),
    ("/docs/reference", "/docs/reference/index.md"),
    ("/docs/reference/", "/docs/reference/index.md"),
];

/// Something to answer with, ready to be sent.
#[derive(Debug)]
struct Ready {
    headers: HeaderMap,
    body: Bytes,
}

impl Ready {
    fn new(content_type: &'static str, cache: &'static str, body: Bytes) -> Self {
        let mut headers = HeaderMap::new();
        let fixed = [
            (CONTENT_TYPE, content_type),
            (CACHE_CONTROL, cache),
            (CONTENT_SECURITY_POLICY, POLICY),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
        ];
        headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
        let digest = hex::encode(Sha256::digest(&body));
        let tag = digest.get(..32).unwrap_or(&digest);
        headers.extend(HeaderValue::try_from(format!("\"{tag}\"")).ok().map(|tag| (ETAG, tag)));
        Self { headers, body }
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The whole of it, or word that the client has it already.
    fn answer(&self, request: &HeaderMap) -> Response {
        let known = self.headers.get(ETAG).is_some_and(|tag| names_tag(request, tag.as_bytes()));
        let mut response =
            if known { Response::new(Body::empty()) } else { Response::new(Body::from(self.body.clone())) };
        response.headers_mut().clone_from(&self.headers);
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response.headers_mut().remove(CONTENT_TYPE);
        }
        response
    }
}

/// Written when the first of them is asked for: a server that only answers calls need not.
static PAGES: LazyLock<HashMap<String, Ready>> = LazyLock::new(|| {
    let written = reference::pages().into_iter().map(|page| {
        let ready = Ready::new(page.content_type, ASK_AGAIN, Bytes::from(page.text));
        (page.path, ready)
    });
    let home = Bytes::from(reference::home(SCALAR_PATH));
    let style = Bytes::from_static(include_bytes!("../assets/reference.css"));
    let icon = Bytes::from_static(include_bytes!("../assets/icon.svg"));
    let fixed = [
        (HOME_PATH, Ready::new("text/html; charset=utf-8", ASK_AGAIN, home)),
        (STYLE_PATH, Ready::new("text/css; charset=utf-8", ASK_AGAIN, style)),
        (ICON_PATH, Ready::new("image/svg+xml", ASK_AGAIN, icon)),
    ];
    written.chain(fixed.map(|(path, ready)| (path.to_owned(), ready))).collect()
});

/// The routes of the reference. GET also answers HEAD.
pub(crate) fn routes() -> Router {
    let mut router = Router::new();
    let fixed = [HOME_PATH, STYLE_PATH, ICON_PATH].map(str::to_owned);
    for path in reference::paths().into_iter().chain(fixed) {
        router = router.route(&path, get(page));
    }
    for (from, to) in REDIRECTS {
        router = router.route(from, get(move || async move { redirect(to) }));
    }
    router.route(SCALAR_PATH, get(|headers: HeaderMap| async move { scalar(&headers) }))
}

async fn page(request: Request) -> Response {
    match PAGES.get(request.uri().path()) {
        Some(ready) => ready.answer(request.headers()),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn redirect(to: &'static str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static(to));
    response
}

/// Packed for whoever takes it so, which every browser does.
fn scalar(request: &HeaderMap) -> Response {
    static PACKED: LazyLock<Ready> = LazyLock::new(|| {
        let ready = Ready::new(JAVASCRIPT, FOR_EVER, Bytes::from_static(SCALAR));
        ready.with(CONTENT_ENCODING, "gzip").with(VARY, "accept-encoding")
    });
    // Unpacked when the first client wants it so, and then kept: it is 4 MB.
    static PLAIN: LazyLock<Ready> = LazyLock::new(|| {
        let ready = Ready::new(JAVASCRIPT, FOR_EVER, unpack(SCALAR));
        ready.with(VARY, "accept-encoding")
    });
    if takes_gzip(request) { PACKED.answer(request) } else { PLAIN.answer(request) }
}

fn unpack(packed: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    if let Err(error) = GzDecoder::new(packed).read_to_end(&mut plain) {
        tracing::error!(%error, "an asset of the reference cannot be unpacked");
    }
    plain.into()
}

fn names_tag(request: &HeaderMap, tag: &[u8]) -> bool {
    let lists = request.get_all(IF_NONE_MATCH).into_iter();
    let mut named =
        lists.flat_map(|list| list.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    named.any(|name| name == b"*" || name.strip_prefix(b"W/").unwrap_or(name) == tag)
}

fn takes_gzip(request: &HeaderMap) -> bool {
    let lists = request.get_all(ACCEPT_ENCODING).into_iter().filter_map(|list| list.to_str().ok());
    let wishes: Vec<(&str, bool)> = lists.flat_map(|list| list.split(',')).map(read_wish).collect();
    let named = |wanted: &str| wishes.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
    named("gzip").or_else(|| named("*")).is_some_and(|(_, wanted)| *wanted)
}

/// `gzip;q=0` is wished away.
fn read_wish(wish: &str) -> (&str, bool) {
    let (name, weight) = wish.split_once(';').unwrap_or((wish, ""));
    let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
    (name.trim(), weight.chars().any(|digit| ('1'..='9').contains(&digit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Method;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    async fn ask(method: Method, path: &str, headers: &[(HeaderName, &str)]) -> (Response<()>, Bytes) {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let response = routes().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        (Response::from_parts(parts, ()), body.collect().await.unwrap().to_bytes())
    }

    fn text(response: &Response<()>, name: HeaderName) -> String {
        response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[tokio::test]
    async fn every_page_has_its_type_a_tag_and_the_strict_policy_and_heads_have_no_body() {
        let mut paths = reference::paths();
        paths.extend([HOME_PATH, STYLE_PATH, ICON_PATH, SCALAR_PATH].map(str::to_owned));
        for path in paths {
            let (page, body) = ask(Method::GET, &path, &[]).await;
            assert_eq!(page.status(), StatusCode::OK, "{path}");
            assert_eq!(text(&page, CONTENT_SECURITY_POLICY), POLICY);
            assert_eq!(text(&page, X_CONTENT_TYPE_OPTIONS), "nosniff");
            let kind = text(&page, CONTENT_TYPE);
            assert!(kind.ends_with("; charset=utf-8") || kind == "image/svg+xml", "{path}: {kind}");
            assert!(!body.is_empty(), "{path}");
            let (head, nothing) = ask(Method::HEAD, &path, &[]).await;
            assert_eq!((head.status(), nothing.len()), (StatusCode::OK, 0), "{path}");
            assert_eq!(text(&head, CONTENT_TYPE), kind);
            let tag = text(&page, ETAG);
            assert!(tag.starts_with('"') && tag.len() == 34, "{tag}");
            let (same, nothing) = ask(Method::GET, &path, &[(IF_NONE_MATCH, &tag)]).await;
            assert_eq!((same.status(), nothing.len()), (StatusCode::NOT_MODIFIED, 0), "{path}");
            assert_eq!(text(&same, ETAG), tag);
        }
    }

    #[tokio::test]
    async fn the_library_is_sent_packed_to_those_who_take_it_and_is_the_published_one() {
        for (wish, packed) in [
            ("gzip, deflate, br", true),
            ("br;q=1.0, GZIP;q=0.2", true),
            ("*", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("gzip;q=0.000, *", false),
        ] {
            let (answer, body) = ask(Method::GET, SCALAR_PATH, &[(ACCEPT_ENCODING, wish)]).await;
            assert_eq!(text(&answer, CONTENT_ENCODING) == "gzip", packed, "{wish}");
            assert_eq!(text(&answer, CACHE_CONTROL), FOR_EVER);
            assert_eq!(text(&answer, VARY), "accept-encoding");
            let plain = if packed { unpack(&body) } else { body };
            let published = "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c";
            assert_eq!(hex::encode(Sha256::digest(&plain)), published);
            assert!(include_str!("../assets/scalar-1.72.1.licences.txt").contains(published));
        }
        let packed = ask(Method::GET, SCALAR_PATH, &[(ACCEPT_ENCODING, "gzip")]).await.0;
        let plain = ask(Method::GET, SCALAR_PATH, &[]).await.0;
        assert_ne!(text(&packed, ETAG), text(&plain, ETAG));
    }

    #[tokio::test]
    async fn short_addresses_lead_to_pages() {
        for (from, to) in REDIRECTS {
            let (answer, _) = ask(Method::GET, from, &[]).await;
            assert_eq!((answer.status(), text(&answer, LOCATION)), (StatusCode::FOUND, to.to_owned()));
            assert_eq!(ask(Method::GET, to, &[]).await.0.status(), StatusCode::OK);
        }
    }

    #[tokio::test]
    async fn only_a_tag_that_is_still_right_spares_the_body() {
        for stale in ["\"0\"", "W/\"0\"", "0"] {
            assert_eq!(ask(Method::GET, "/docs", &[(IF_NONE_MATCH, stale)]).await.0.status(), StatusCode::OK);
        }
        let tag = text(&ask(Method::GET, "/docs", &[]).await.0, ETAG);
        for good in [format!("W/{tag}"), format!("\"0\", {tag}"), "*".to_owned()] {
            let answer = ask(Method::GET, "/docs", &[(IF_NONE_MATCH, &good)]).await.0;
            assert_eq!(answer.status(), StatusCode::NOT_MODIFIED, "{good}");
        }
    }
}
