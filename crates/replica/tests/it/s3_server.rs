//! A server that speaks S3 over HTTP, checks signatures and keeps objects as files; it can be told to break down.

use assay_store::task::spawn;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

pub const KEY_ID: &str = "assay-test";
pub const SECRET: &str = "correct-horse-battery";
/// As S3 does, a refusal repeats what it was sent.
pub const REPEATED: &str = "token-that-was-sent";

pub struct S3Server {
    pub address: SocketAddr,
    pub counts: Arc<Counts>,
    accepting: JoinHandle<()>,
}

/// What was asked of it.
#[derive(Debug)]
pub struct Counts {
    /// So many more requests that write are answered.
    pub writes_left: AtomicI64,
    pub parts: AtomicU32,
}

impl S3Server {
    /// Each folder in `root` is a bucket.
    pub async fn start(root: &Path) -> Self {
        Self::start_with(root, None).await
    }

    /// The same over https.
    pub async fn start_with(root: &Path, encryption: Option<TlsAcceptor>) -> Self {
        std::fs::create_dir_all(root).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(root).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY_ID, SECRET));
        let service = builder.build();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let counts = Arc::new(Counts { writes_left: AtomicI64::new(i64::MAX), parts: AtomicU32::new(0) });
        let accepting = spawn("s3", accept(listener, encryption, service, Arc::clone(&counts)));
        Self { address, counts, accepting }
    }

    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    encryption: Option<TlsAcceptor>,
    service: S3Service,
    counts: Arc<Counts>,
) {
    while let Ok((socket, _)) = listener.accept().await {
        let (service, counts) = (service.clone(), Arc::clone(&counts));
        let answer = service_fn(move |request| answer(service.clone(), Arc::clone(&counts), request));
        let encryption = encryption.clone();
        let connection = async move {
            let http = http1::Builder::new();
            // A client that goes away, or does not believe the certificate, is part of the tests.
            match encryption {
                None => drop(http.serve_connection(TokioIo::new(socket), answer).await),
                Some(encryption) => {
                    if let Ok(socket) = encryption.accept(socket).await {
                        drop(http.serve_connection(TokioIo::new(socket), answer).await);
                    }
                }
            }
        };
        drop(spawn("s3 connection", connection));
    }
}

async fn answer(
    service: S3Service,
    counts: Arc<Counts>,
    request: Request<Incoming>,
) -> Result<Response<s3s::Body>, s3s::HttpError> {
    if request.uri().query().is_some_and(|query| query.contains("partNumber=")) {
        counts.parts.fetch_add(1, Ordering::Relaxed);
    }
    let writes = request.method() == Method::PUT || request.method() == Method::POST;
    if writes && counts.writes_left.fetch_sub(1, Ordering::Relaxed) <= 0 {
        // Read to its end first, so that the refusal is read and not a broken connection.
        drop(request.into_body().collect().await);
        let refusal = format!("<Error><Code>SlowDown</Code><Token-0>{REPEATED}</Token-0></Error>");
        let mut refused = Response::new(s3s::Body::from(refusal));
        *refused.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return Ok(refused);
    }
    service.call(request.map(s3s::Body::from)).await
}
