//! A vendor's HTTP server on a loopback socket: it answers as it is told to, as late and as wrong as a test wants, and counts.

use anyhow::{Context, Result};
use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A question as it arrived.
#[derive(Debug, Clone, Default)]
pub struct VendorRequest {
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl VendorRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// What is sent back.
#[derive(Debug, Clone)]
pub struct VendorReply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// Before the first byte.
    pub delay: Duration,
}

impl VendorReply {
    pub fn json(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), delay: Duration::ZERO }
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

type Answer = dyn Fn(&VendorRequest) -> VendorReply + Send + Sync;

struct Shared {
    answer: Mutex<Arc<Answer>>,
    asked: AtomicU64,
    /// The last ones.
    seen: Mutex<VecDeque<VendorRequest>>,
    stopped: AtomicBool,
}

const SEEN_MAX: usize = 1_000;

/// The server; it stops when it is dropped.
pub struct VendorServer {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl fmt::Debug for VendorServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "VendorServer({})", self.address)
    }
}

impl VendorServer {
    pub fn start(answer: impl Fn(&VendorRequest) -> VendorReply + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no port for a vendor")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            answer: Mutex::new(Arc::new(answer)),
            asked: AtomicU64::new(0),
            seen: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&serving);
                // A client that goes away in the middle is none of a test's concern.
                std::thread::spawn(move || drop(serve(&stream, &shared)));
            }
        });
        Ok(Self { address, shared })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it answers like this.
    pub fn answers(&self, answer: impl Fn(&VendorRequest) -> VendorReply + Send + Sync + 'static) {
        *lock(&self.shared.answer) = Arc::new(answer);
    }

    /// How many questions arrived so far.
    pub fn asked(&self) -> u64 {
        self.shared.asked.load(Ordering::Relaxed)
    }

    /// The last questions, oldest first.
    pub fn seen(&self) -> Vec<VendorRequest> {
        lock(&self.shared.seen).iter().cloned().collect()
    }
}

impl Drop for VendorServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        // Wakes the listener, so that it sees it.
        drop(TcpStream::connect(self.address));
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One connection, for as many questions as the client has.
fn serve(stream: &TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        shared.asked.fetch_add(1, Ordering::Relaxed);
        let answer = Arc::clone(&lock(&shared.answer));
        let reply = answer(&request);
        let mut seen = lock(&shared.seen);
        if seen.len() >= SEEN_MAX {
            seen.pop_front();
        }
        seen.push_back(request);
        drop(seen);
        std::thread::sleep(reply.delay);
        let mut head = format!(
            "HTTP/1.1 {} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            reply.status,
            reply.body.len()
        );
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut out = stream;
        out.write_all(format!("{head}\r\n{}", reply.body).as_bytes())?;
    }
    Ok(())
}

/// The next question; none when the client has gone.
fn read(reader: &mut BufReader<&TcpStream>) -> Result<Option<VendorRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut request = VendorRequest {
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        ..VendorRequest::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(request))
}
