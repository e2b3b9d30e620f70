//! What can happen to snapshots only in a bucket: it cannot be reached, it turns somebody away, it breaks down half-way.

use crate::s3_server::{REPEATED, S3Server, SECRET};
use crate::setting::{PEOPLE, Setting};
use crate::shelf::{Shelf, bucket, bucket_with, files, folders, node};
use crate::snapshots::{EVERY, everybody, publisher};
use assay_domain::Clock;
use assay_domain::limits::INDEX_COPY_PART_BYTES;
use assay_replica::{Manifest, Snapshots, Turn};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_rustls::TlsAcceptor;
use uuid::Uuid;

/// A node with this bucket is filled from the tables, and what is wrong with the bucket is told.
async fn assert_starts_without(setting: &Setting, snapshots: &Snapshots, told: &str) {
    let node = node(setting, &format!("without-{}", Uuid::now_v7()), snapshots);
    assert_eq!(node.turn().await.unwrap(), Turn::Built);
    assert_eq!(everybody(&node), PEOPLE);
    let failed = node.publish(EVERY, Clock::system().now()).await.unwrap_err().to_string();
    assert!(failed.contains(told), "{failed}");
    assert!(!failed.contains(SECRET), "{failed}");
}

#[tokio::test]
async fn a_node_that_is_turned_away_or_finds_nobody_starts_from_the_tables() {
    let setting = Setting::new().await;
    let shelf = Shelf::in_bucket(&setting).await;
    publisher(&setting, &shelf).await;
    let endpoint = shelf.server.as_ref().unwrap().endpoint();
    assert_starts_without(&setting, &bucket(&endpoint, "guessed"), "SignatureDoesNotMatch").await;
    // The bucket is not there.
    std::fs::rename(setting.folder.join("buckets/shelf"), setting.folder.join("gone")).unwrap();
    assert_starts_without(&setting, &shelf.snapshots, "NoSuchBucket").await;
    // Nobody listens: the port was somebody's until now.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_starts_without(&setting, &bucket(&nobody, SECRET), "Connection refused").await;
}

#[tokio::test]
async fn an_upload_that_was_cut_half_way_is_nobodys_and_goes_with_the_old_ones() {
    let setting = Setting::new().await;
    let shelf = Shelf::in_bucket(&setting).await;
    let first = publisher(&setting, &shelf).await;
    let whole = shelf.folders();
    let counts = &shelf.server.as_ref().unwrap().counts;
    counts.writes_left.store(4, Ordering::Relaxed);
    let now = Clock::system().now();
    let failed = first.publish(Duration::ZERO, now).await.unwrap_err().to_string();
    assert!(failed.contains("SlowDown") && !failed.contains(REPEATED), "{failed}");
    counts.writes_left.store(i64::MAX, Ordering::Relaxed);
    assert_eq!(shelf.folders().len(), whole.len() + 1);
    assert_eq!(folders(&setting.folder.join("first")).len(), 1, "nothing is left beside the generation");

    // A new node begins with the one before, and where there is none other, with none.
    assert_eq!(shelf.node(&setting, "second").turn().await.unwrap(), Turn::Fetched);
    std::fs::remove_dir_all(&whole[0]).unwrap();
    let third = shelf.node(&setting, "third");
    assert_eq!(third.turn().await.unwrap(), Turn::Built);
    assert_eq!(everybody(&third), PEOPLE);

    // The cut one is removed once there are enough newer ones.
    let cut = shelf.folders().pop().unwrap();
    for _ in 0..2 {
        first.publish(Duration::ZERO, now).await.unwrap().unwrap();
    }
    let left = shelf.folders();
    assert!(left.len() == 2 && !left.contains(&cut), "{left:?}");
}

#[tokio::test]
async fn a_large_file_goes_up_and_down_in_parts_and_none_are_left_when_it_fails() {
    let setting = Setting::new().await;
    let shelf = Shelf::in_bucket(&setting).await;
    let counts = &shelf.server.as_ref().unwrap().counts;
    let source = setting.folder.join("source");
    std::fs::create_dir_all(&source).unwrap();
    let size = INDEX_COPY_PART_BYTES + 1_000;
    let content: Vec<u8> = (0..size).map(|place| u8::try_from(place % 251).unwrap()).collect();
    std::fs::write(source.join("large"), &content).unwrap();
    let now = Clock::system().now();
    let manifest = Manifest { made_at: now, epoch: Uuid::nil(), seq: 1, files: vec![("large".into(), size)] };

    // It begins, takes the first part, and no more.
    counts.writes_left.store(2, Ordering::Relaxed);
    shelf.snapshots.upload(manifest.clone(), &source).await.unwrap_err();
    counts.writes_left.store(i64::MAX, Ordering::Relaxed);
    assert!(counts.parts.load(Ordering::Relaxed) > 1);
    assert_eq!(shelf.snapshots.newest().await.unwrap(), None);
    let left = files(&setting.folder.join("buckets"));
    assert!(left.is_empty(), "{left:?}");

    counts.parts.store(0, Ordering::Relaxed);
    let uploaded = shelf.snapshots.upload(manifest, &source).await.unwrap();
    assert_eq!(counts.parts.load(Ordering::Relaxed), 2);
    assert_eq!(shelf.snapshots.newest().await.unwrap().as_ref(), Some(&uploaded));
    let target = setting.folder.join("target");
    shelf.snapshots.fetch(&uploaded, &target).await.unwrap();
    assert!(std::fs::read(target.join("large")).unwrap() == content, "what came back is something else");
}

#[tokio::test]
async fn over_https_a_certificate_of_ones_own_is_believed_where_it_is_named() {
    let setting = Setting::new().await;
    let root = setting.folder.join("buckets");
    std::fs::create_dir_all(root.join("shelf")).unwrap();
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into());
    let encryption = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key)
        .unwrap();
    let server = S3Server::start_with(&root, Some(TlsAcceptor::from(Arc::new(encryption)))).await;
    let endpoint = format!("https://localhost:{}", server.address.port());

    let unknown = bucket(&endpoint, SECRET).newest().await.unwrap_err().to_string();
    assert!(unknown.contains("certificate"), "{unknown}");
    let pem = setting.folder.join("own.pem");
    std::fs::write(&pem, own.cert.pem()).unwrap();
    let named = bucket_with(&endpoint, SECRET, &[("AWS_CA_BUNDLE", pem.to_str().unwrap())]);
    let manifest = Manifest { made_at: Clock::system().now(), epoch: Uuid::nil(), seq: 1, files: Vec::new() };
    let uploaded = named.upload(manifest, &setting.folder).await.unwrap();
    assert_eq!(named.newest().await.unwrap(), Some(uploaded));
}
