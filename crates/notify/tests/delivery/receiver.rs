//! Receivers on loopback, and senders that may reach them.

use assay_notify::{Guard, Outcome, Sender, SenderSettings, Target};
use bytes::Bytes;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

pub const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// Stands for a public address where loopback must stay out of reach: the guard lets through just this one.
pub const PUBLIC: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Counts who connects, and does with each what it was told. It ends when dropped.
pub struct Receiver {
    pub address: SocketAddr,
    calls: Arc<AtomicUsize>,
    _running: JoinSet<()>,
}

impl Receiver {
    /// At any free port.
    pub async fn start<F, D>(doing: F) -> Self
    where
        F: Fn(TcpStream) -> D + Send + Sync + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        Self::start_at((LOOPBACK, 0).into(), doing).await
    }

    pub async fn start_at<F, D>(address: SocketAddr, doing: F) -> Self
    where
        F: Fn(TcpStream) -> D + Send + Sync + 'static,
        D: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut answering = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                answering.spawn(doing(stream));
            }
        });
        Self { address, calls, _running: running }
    }

    /// Answers everyone with these bytes and closes.
    pub async fn answering(answer: impl Into<String>) -> Self {
        Self::start(answer_with(answer)).await
    }

    /// Connections so far. Called after an attempt has ended, so that one on its way has arrived.
    pub async fn calls(&self) -> usize {
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.calls.load(Ordering::SeqCst)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

/// For [`Receiver::start_at`]: reads the request, answers with these bytes and closes.
pub fn answer_with(
    answer: impl Into<String>,
) -> impl Fn(TcpStream) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync + 'static {
    let answer: Arc<str> = answer.into().into();
    move |mut stream| {
        let answer = Arc::clone(&answer);
        Box::pin(async move {
            read_request(&mut stream).await;
            stream.write_all(answer.as_bytes()).await.ok();
            stream.shutdown().await.ok();
        })
    }
}

/// Reads until the body is as long as the head says.
pub async fn read_request(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |it| it.parse().unwrap()) {
                return text;
            }
        }
        if stream.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

/// A receiver that keeps what it was sent.
pub async fn recording(answer: &'static str) -> (Receiver, Arc<Mutex<String>>) {
    let kept = Arc::new(Mutex::new(String::new()));
    let keeping = Arc::clone(&kept);
    let receiver = Receiver::start(move |mut stream| {
        let keeping = Arc::clone(&keeping);
        async move {
            let request = read_request(&mut stream).await;
            *keeping.lock().unwrap() = request;
            stream.write_all(answer.as_bytes()).await.ok();
        }
    })
    .await;
    (receiver, kept)
}

/// Lets plain http through to an address of loopback, at these ports.
pub fn guard(allowed: &str, ports: &[u16]) -> Guard {
    Guard { allowed: vec![allowed.parse().unwrap()], allow_http: true, ports: ports.to_vec() }
}

/// Impatient enough for a test.
pub fn settings(guard: Guard) -> SenderSettings {
    SenderSettings {
        guard,
        deadline: Duration::from_millis(600),
        connect_deadline: Duration::from_millis(300),
        ..SenderSettings::default()
    }
}

pub async fn deliver_with(settings: SenderSettings, url: &str) -> Outcome {
    let target = Target::parse(url, &settings.guard).unwrap();
    let headers = [("webhook-id", "msg_1".to_owned()), ("content-type", "application/json".to_owned())];
    let sender = Sender::new(settings).unwrap();
    sender.send(&target, &headers, Bytes::from_static(b"{\"type\":\"webhook.test\"}")).await
}

/// One delivery to a receiver on loopback.
pub async fn deliver(receiver: &Receiver) -> Outcome {
    deliver_with(settings(guard("127.0.0.0/8", &[receiver.port()])), &receiver.url()).await
}
