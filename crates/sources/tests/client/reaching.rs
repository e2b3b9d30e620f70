//! Where questions go: not to private places, not without encryption, not where somebody sends them on to. And what is told
//! when they do not: never the key.

use super::server::{Reply, Server};
use super::vendor::{Asker, KEY, loopback};
use assay_domain::limits::SOURCE_BREAKER_ROW;
use assay_sources::{NotAsked, Reading, SourceGuard};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use std::sync::Arc;
use std::time::Duration;
use tokio_rustls::TlsAcceptor;

#[tokio::test]
async fn nobody_is_followed_elsewhere() {
    let elsewhere = Server::start(|_| Reply::Status(200)).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}/v1/find\r\n", elsewhere.url());
        let server = Server::start(move |_| Reply::Headed(status, location.clone())).await;
        let asked = Asker::at(&server.url()).ask().await.unwrap();
        assert_eq!((asked.reading, asked.attempts), (Reading::Failed("redirected"), 1), "{status}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn private_places_are_not_dialled_unless_allowed() {
    let server = Server::start(|_| Reply::Status(200)).await;
    let strict = || SourceGuard { allowed: Vec::new(), allow_http: true };
    let asked = Asker::guarded(&server.url(), strict(), b"").ask().await;
    assert_eq!(asked, Err(NotAsked::Unsendable("the address is not public")));
    let by_name = format!("http://localhost:{}", server.address.port());
    let asked = Asker::guarded(&by_name, strict(), b"").ask().await.unwrap();
    assert_eq!((asked.reading, asked.attempts), (Reading::Failed("not at a public address"), 1));
    assert_eq!(server.connections(), 0);
    assert!(matches!(Asker::at(&by_name).reading().await, Reading::Hit(_)));
}

#[tokio::test]
async fn nothing_is_sent_in_the_clear_unless_allowed() {
    let server = Server::start(|_| Reply::Status(200)).await;
    let guard = SourceGuard { allowed: loopback(), allow_http: false };
    let asked = Asker::guarded(&server.url(), guard, b"").ask().await;
    assert_eq!(asked, Err(NotAsked::Unsendable("the url is not https")));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn only_known_certificates_are_believed() {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let settings = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let encryption = TlsAcceptor::from(Arc::new(settings));
    let server = Server::start_with(Some(encryption), |_| Reply::Status(200)).await;
    let url = format!("https://localhost:{}", server.address.port());
    let guard = || SourceGuard { allowed: loopback(), allow_http: false };
    let stranger = Asker::guarded(&url, guard(), b"").ask().await.unwrap();
    assert_eq!(stranger.reading, Reading::Failed("not reachable"));
    assert_eq!(server.requests(), 0, "nothing was said to it");
    let known = Asker::guarded(&url, guard(), own.cert.pem().as_bytes());
    assert!(matches!(known.reading().await, Reading::Hit(_)));
    assert!(matches!(known.reading().await, Reading::Hit(_)));
}

#[tokio::test]
async fn the_key_is_never_told() {
    let server = Server::start(|_| Reply::Hang).await;
    let asker = Asker::at(&server.url());
    let mut told = vec![format!("{:?} {:?}", asker.place, asker.client)];
    told.push(format!("{:?}", asker.ask_within(Duration::from_millis(100)).await));
    for reply in [
        Reply::Close,
        Reply::Status(401),
        Reply::Headed(302, format!("location: /?api_key={KEY}\r\n")),
        Reply::Announce(usize::MAX),
    ] {
        server.does(move |_| reply.clone());
        told.push(format!("{:?}", asker.ask().await));
        asker.uptime.skip(Duration::from_secs(600));
    }
    for base in ["http://10.0.0.1", "http://127.0.0.1:1", "http://no such host", "gopher://vendor.example"] {
        told.push(format!("{:?}", Asker::at(base).ask().await));
    }
    for _ in 0..=SOURCE_BREAKER_ROW {
        server.does(|_| Reply::Status(500));
        if let Err(reason) = asker.ask().await {
            told.push(format!("{reason:?} {reason}"));
        }
    }
    let mut broken = Asker::at(&server.url()).as_scope("broken");
    broken.place.key = assay_sources::Credentials::new(format!("{KEY}\r\nx: y"));
    told.push(format!("{:?}", broken.ask().await));
    assert!(told.len() > 11, "{told:?}");
    assert!(told.iter().all(|it| !it.contains(KEY)), "{told:?}");
}
