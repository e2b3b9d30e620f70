//! Encrypted deliveries: only to whom the certificate names, and only when somebody trusted says so.

use super::rebinding::Scripted;
use super::receiver::{LOOPBACK, Receiver, deliver_with, guard, settings};
use assay_notify::{SenderSettings, Trouble, Verdict};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;

/// An authority of our own, in PEM, and a server's side of what it vouches for.
fn authority(names: &[&str]) -> (String, TlsAcceptor) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = params.self_signed(&key).unwrap();
    let issuer = Issuer::new(params, key);
    let own_key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let own = CertificateParams::new(names).unwrap().signed_by(&own_key, &issuer).unwrap();
    let mut server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.der().clone()], PrivateKeyDer::try_from(own_key.serialize_der()).unwrap())
        .unwrap();
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (root.pem(), TlsAcceptor::from(Arc::new(server)))
}

async fn receiver(acceptor: TlsAcceptor) -> Receiver {
    Receiver::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            // A delivery is small and comes in one piece.
            let mut received = Vec::with_capacity(4_096);
            if stream.read_buf(&mut received).await.unwrap_or(0) == 0 {
                return;
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.ok();
            stream.shutdown().await.ok();
        }
    })
    .await
}

fn trusting(receiver: &Receiver, root_pem: &str) -> SenderSettings {
    SenderSettings {
        extra_roots_pem: root_pem.as_bytes().to_vec(),
        deadline: Duration::from_secs(5),
        connect_deadline: Duration::from_secs(5),
        resolver: Scripted::always(&[LOOPBACK]),
        ..settings(guard("127.0.0.1", &[receiver.port()]))
    }
}

#[tokio::test]
async fn a_receiver_with_a_certificate_of_its_own_name_is_delivered_to() {
    let (root, acceptor) = authority(&["hooks.acme.test", "127.0.0.1"]);
    let receiver = receiver(acceptor).await;
    for host in ["hooks.acme.test", "HOOKS.acme.test.", "127.0.0.1"] {
        let url = format!("https://{host}:{}/hook", receiver.port());
        let outcome = deliver_with(trusting(&receiver, &root), &url).await;
        assert_eq!((outcome.verdict, outcome.excerpt.as_str()), (Verdict::Delivered, "ok"), "{host}");
    }
}

#[tokio::test]
async fn nothing_is_sent_to_whom_nobody_trusted_vouches_for() {
    let (root, acceptor) = authority(&["hooks.acme.test"]);
    let (strange_root, _) = authority(&["hooks.acme.test"]);
    let receiver = receiver(acceptor).await;
    let untrusted = Verdict::Unreachable(Trouble::Encryption);
    for (host, roots) in [
        ("hooks.acme.test", ""),
        ("hooks.acme.test", strange_root.as_str()),
        ("other.acme.test", root.as_str()),
        ("127.0.0.1", root.as_str()),
    ] {
        let url = format!("https://{host}:{}/hook", receiver.port());
        let outcome = deliver_with(trusting(&receiver, roots), &url).await;
        assert_eq!((outcome.verdict, outcome.status), (untrusted, None), "{host}");
    }
}

#[tokio::test]
async fn a_receiver_that_speaks_no_encryption_is_not_spoken_to_in_the_open() {
    let plain = Receiver::start(|mut stream| async move {
        stream.readable().await.ok();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.ok();
    })
    .await;
    let url = format!("https://127.0.0.1:{}/hook", plain.port());
    let outcome = deliver_with(trusting(&plain, ""), &url).await;
    assert_eq!(outcome.verdict, Verdict::Unreachable(Trouble::Encryption));
}

#[tokio::test]
async fn a_handshake_that_hangs_counts_as_connecting() {
    let silent = Receiver::start(|stream| async move {
        pending::<()>().await;
        drop(stream);
    })
    .await;
    let url = format!("https://127.0.0.1:{}/hook", silent.port());
    let settings = SenderSettings {
        deadline: Duration::from_secs(60),
        connect_deadline: Duration::from_millis(200),
        ..trusting(&silent, "")
    };
    let outcome = deliver_with(settings, &url).await;
    assert_eq!(outcome.verdict, Verdict::TimedOut);
    assert!(outcome.took < Duration::from_secs(5), "{:?}", outcome.took);
}
