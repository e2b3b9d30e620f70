//! A vendor's server on loopback that does what it is told, and counts.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// What is done with one request.
#[derive(Debug, Clone)]
pub enum Reply {
    Status(u16),
    /// A status and header lines, each with its end.
    Headed(u16, String),
    After(Duration, u16),
    /// Answers, and closes a moment later without having said so.
    Last(u16),
    /// Reads, and says nothing.
    Hang,
    /// Reads, and closes.
    Close,
    /// A body that never ends: this often so many bytes of it.
    Endless(Duration, usize),
    /// Says that so many bytes follow.
    Announce(usize),
}

/// Decides by the number of the request, from 0.
type Doing = Arc<dyn Fn(usize) -> Reply + Send + Sync>;

pub struct Server {
    pub address: SocketAddr,
    doing: Arc<Mutex<Doing>>,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    _running: JoinSet<()>,
}

impl Server {
    pub async fn start(doing: impl Fn(usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(None, doing).await
    }

    pub async fn start_with(
        encryption: Option<TlsAcceptor>,
        doing: impl Fn(usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let doing: Doing = Arc::new(doing);
        let doing = Arc::new(Mutex::new(doing));
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (told, counted, heard) = (Arc::clone(&doing), Arc::clone(&connections), Arc::clone(&requests));
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut serving = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let (told, heard) = (Arc::clone(&told), Arc::clone(&heard));
                match encryption.clone() {
                    Some(encryption) => serving.spawn(async move {
                        if let Ok(stream) = encryption.accept(stream).await {
                            serve(stream, told, heard).await;
                        }
                    }),
                    None => serving.spawn(serve(stream, told, heard)),
                };
            }
        });
        Self { address, doing, connections, requests, _running: running }
    }

    pub fn does(&self, doing: impl Fn(usize) -> Reply + Send + Sync + 'static) {
        *self.doing.lock().unwrap() = Arc::new(doing);
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub fn last_request(&self) -> String {
        self.requests.lock().unwrap().last().cloned().unwrap_or_default()
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    doing: Arc<Mutex<Doing>>,
    requests: Arc<Mutex<Vec<String>>>,
) {
    while let Some(request) = read_request(&mut stream).await {
        let number = {
            let mut requests = requests.lock().unwrap();
            requests.push(request);
            requests.len() - 1
        };
        let doing = Arc::clone(&doing.lock().unwrap());
        if !reply(&mut stream, doing(number)).await {
            return;
        }
    }
}

/// Whether the connection stays open.
async fn reply<S: AsyncWrite + Unpin>(stream: &mut S, reply: Reply) -> bool {
    let is_last = matches!(reply, Reply::Last(_));
    let (status, headers) = match reply {
        Reply::Status(status) | Reply::Last(status) => (status, String::new()),
        Reply::Headed(status, headers) => (status, headers),
        Reply::After(wait, status) => {
            tokio::time::sleep(wait).await;
            (status, String::new())
        }
        Reply::Hang => std::future::pending().await,
        Reply::Close => return false,
        Reply::Announce(bytes) => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.ok();
            std::future::pending().await
        }
        Reply::Endless(wait, bytes) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await.ok();
            let chunk = format!("{bytes:x}\r\n{}\r\n", "a".repeat(bytes));
            while stream.write_all(chunk.as_bytes()).await.is_ok() {
                tokio::time::sleep(wait).await;
            }
            return false;
        }
    };
    let answer = format!("HTTP/1.1 {status} Said\r\n{headers}content-length: 2\r\n\r\n{{}}");
    stream.write_all(answer.as_bytes()).await.is_ok() && !is_last
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |it| it.parse().unwrap()) {
                return Some(text);
            }
        }
        if stream.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}
