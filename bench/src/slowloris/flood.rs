//! The flood: connections that hold on to the service and give it nothing to do.

use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// Bytes are sent this far apart.
const TRICKLE: Duration = Duration::from_secs(1);
/// As small as the kernel allows, so that an answer nobody reads gets stuck soon.
const RECEIVE_BYTES: u32 = 4 * 1024;
/// Large answers sent for at once by those who do not read them: together more than any socket's buffers hold.
const UNREAD_ANSWERS: usize = 200;

/// How a connection misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Asks nothing.
    Idle,
    /// Sends one byte of a head a second.
    SlowHead,
    /// Sends one byte of a body a second.
    SlowBody,
    /// Asks for much and reads nothing.
    SlowReader,
}

/// When connections were closed by the service, each from its own opening.
#[derive(Debug, Default)]
pub struct Ends(Vec<(Kind, Duration)>);

impl Ends {
    /// Of one kind, the soonest first.
    pub fn of(&self, kind: Kind) -> Vec<Duration> {
        let mut after: Vec<_> =
            self.0.iter().filter(|(it, _)| *it == kind).map(|(_, after)| *after).collect();
        after.sort_unstable();
        after
    }
}

/// Open connections; closed when dropped.
#[derive(Debug)]
pub struct Flood {
    idle: Vec<(TcpStream, Stopwatch)>,
    slow: JoinSet<()>,
    ends: Arc<Mutex<Ends>>,
    opened: Stopwatch,
}

impl Flood {
    pub async fn open(address: SocketAddr, kinds: &[(Kind, usize)]) -> Result<Self> {
        let mut flood =
            Self { idle: Vec::new(), slow: JoinSet::new(), ends: Arc::default(), opened: Stopwatch::start() };
        for (kind, count) in kinds {
            for _ in 0..*count {
                let stream = connect(address, *kind).await?;
                if *kind == Kind::Idle {
                    flood.idle.push((stream, Stopwatch::start()));
                } else {
                    let ends = Arc::clone(&flood.ends);
                    flood.slow.spawn(misbehave(stream, *kind, ends));
                }
            }
        }
        Ok(flood)
    }

    pub fn len(&self) -> usize {
        self.idle.len() + self.slow.len()
    }

    /// Waits until `age` after the last was opened and tells which were closed by then.
    pub async fn watch_until(mut self, age: Duration) -> Ends {
        for (stream, opened) in self.idle.drain(..) {
            let ends = Arc::clone(&self.ends);
            self.slow.spawn(wait_for_end(stream, Kind::Idle, opened, ends));
        }
        tokio::time::sleep(age.saturating_sub(self.opened.elapsed())).await;
        std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes every idle connection one that has been used.
    pub async fn ask_once(&mut self) -> Result<()> {
        let mut answer = [0; 4096];
        for (stream, _) in &mut self.idle {
            stream.write_all(b"GET /v1/none HTTP/1.1\r\nhost: assay\r\n\r\n").await?;
            let count = stream.read(&mut answer).await?;
            ensure!(answer[..count].starts_with(b"HTTP/1.1 404"), "an unknown path was answered otherwise");
        }
        Ok(())
    }
}

async fn connect(address: SocketAddr, kind: Kind) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if kind == Kind::SlowReader {
        socket.set_recv_buffer_size(RECEIVE_BYTES)?;
    }
    socket.connect(address).await.context("the service does not take the connection")
}

async fn misbehave(mut stream: TcpStream, kind: Kind, ends: Arc<Mutex<Ends>>) {
    let opened = Stopwatch::start();
    let first: Vec<u8> = match kind {
        Kind::Idle => Vec::new(),
        Kind::SlowHead => b"G".to_vec(),
        Kind::SlowBody => b"POST /v1/enrich HTTP/1.1\r\nhost: assay\r\ncontent-length: 1000\r\n\r\n".to_vec(),
        Kind::SlowReader => {
            "GET /openapi.json HTTP/1.1\r\nhost: assay\r\n\r\n".repeat(UNREAD_ANSWERS).into_bytes()
        }
    };
    if stream.write_all(&first).await.is_err() {
        return;
    }
    if kind == Kind::SlowReader {
        wait_for_reset(stream, opened, ends).await;
        return;
    }
    // The head begins with its first byte.
    let (read, mut write) = stream.into_split();
    let trickle = async move {
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(TRICKLE).await;
        }
    };
    tokio::select! {
        () = trickle => {}
        () = hear_end(read) => {}
    }
    note(&ends, kind, opened);
}

async fn wait_for_end(stream: TcpStream, kind: Kind, opened: Stopwatch, ends: Arc<Mutex<Ends>>) {
    let (read, _write) = stream.into_split();
    hear_end(read).await;
    note(&ends, kind, opened);
}

async fn hear_end(mut read: tokio::net::tcp::OwnedReadHalf) {
    let mut buffer = [0; 1024];
    while read.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
}

/// Learns of the end without reading: a socket that was given up with bytes unsent is an error to write to.
async fn wait_for_reset(mut stream: TcpStream, opened: Stopwatch, ends: Arc<Mutex<Ends>>) {
    while stream.write_all(b"\r\n").await.is_ok() {
        tokio::time::sleep(TRICKLE / 2).await;
    }
    note(&ends, Kind::SlowReader, opened);
}

fn note(ends: &Mutex<Ends>, kind: Kind, opened: Stopwatch) {
    ends.lock().unwrap_or_else(PoisonError::into_inner).0.push((kind, opened.elapsed()));
}
