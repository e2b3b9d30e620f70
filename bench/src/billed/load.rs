//! The load: connections that call the service over HTTP as fast as they can, or at a given rate.

use super::targets::Targets;
use anyhow::{Context, Result, ensure};
use assay_domain::clock::Stopwatch;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a run showed.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub calls: usize,
    pub per_second: f64,
    pub p50: Duration,
    pub p99: Duration,
}

impl Load {
    pub fn of(mut latencies: Vec<Duration>, took: Duration) -> Self {
        latencies.sort_unstable();
        let calls = latencies.len();
        let count = u32::try_from(calls).unwrap_or(u32::MAX);
        Self {
            calls,
            per_second: f64::from(count) / took.as_secs_f64(),
            p50: super::percentile(&latencies, 50),
            p99: super::percentile(&latencies, 99),
        }
    }
}

/// How calls are timed.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// Each connection sends its next call when the last one is answered.
    Closed,
    /// Calls start on a fixed schedule, whatever became of the ones before; a call that starts late counts its waiting.
    Open { per_second: f64 },
}

/// Drives the service for `seconds` over `connections` connections.
pub async fn run(
    address: SocketAddr,
    targets: &Arc<Targets>,
    connections: usize,
    pace: Pace,
    seconds: u64,
) -> Result<Load> {
    let next = Arc::new(AtomicUsize::new(0));
    let end = Duration::from_secs(seconds);
    let mut streams = Vec::new();
    for _ in 0..connections {
        let stream = TcpStream::connect(address).await.context("cannot connect to the service")?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let watch = Stopwatch::start();
    let mut running = tokio::task::JoinSet::new();
    for stream in streams {
        let (targets, next) = (Arc::clone(targets), Arc::clone(&next));
        running.spawn(async move { Connection::new(stream, targets).run(&next, pace, watch, end).await });
    }
    let mut latencies = Vec::new();
    for outcome in running.join_all().await {
        latencies.extend(outcome?);
    }
    Ok(Load::of(latencies, watch.elapsed()))
}

struct Connection {
    stream: TcpStream,
    targets: Arc<Targets>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    fn new(stream: TcpStream, targets: Arc<Targets>) -> Self {
        Self { stream, targets, request: Vec::with_capacity(512), answer: Vec::with_capacity(16 * 1024) }
    }

    async fn run(
        mut self,
        next: &AtomicUsize,
        pace: Pace,
        watch: Stopwatch,
        end: Duration,
    ) -> Result<Vec<Duration>> {
        let mut latencies = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let due = match pace {
                Pace::Closed => watch.elapsed(),
                Pace::Open { per_second } => {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    Duration::from_secs_f64(f64::from(number) / per_second)
                }
            };
            if due >= end {
                return Ok(latencies);
            }
            let early = due.saturating_sub(watch.elapsed());
            if !early.is_zero() {
                tokio::time::sleep(early).await;
            }
            self.call().await?;
            latencies.push(watch.elapsed().saturating_sub(due));
        }
    }

    async fn call(&mut self) -> Result<()> {
        let target = self.targets.draw();
        let secret = &self.targets.payers[target.payer].secret;
        let length = target.email.len() + r#"{"email":""}"#.len();
        self.request.clear();
        write!(
            self.request,
            "POST /v1/enrich HTTP/1.1\r\nhost: assay\r\ncontent-type: application/json\r\nauthorization: Bearer {secret}\r\n\
             content-length: {length}\r\n\r\n{{\"email\":\"{}\"}}",
            target.email
        )?;
        self.stream.write_all(&self.request).await?;
        let body = self.read_answer().await?;
        ensure!(
            self.answer.starts_with(b"HTTP/1.1 200") && self.answer[body..].starts_with(br#"{"found":true"#),
            "a call was not answered with a person: {}",
            String::from_utf8_lossy(&self.answer)
        );
        Ok(())
    }

    /// Reads one whole answer and says where its body starts.
    async fn read_answer(&mut self) -> Result<usize> {
        self.answer.clear();
        loop {
            ensure!(self.stream.read_buf(&mut self.answer).await? > 0, "the service closed the connection");
            if let Some(head) = find(&self.answer, b"\r\n\r\n") {
                let length = content_length(&self.answer[..head]).context("an answer without a length")?;
                while self.answer.len() < head + 4 + length {
                    ensure!(
                        self.stream.read_buf(&mut self.answer).await? > 0,
                        "the service closed the connection"
                    );
                }
                return Ok(head + 4);
            }
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn content_length(head: &[u8]) -> Option<usize> {
    let head = std::str::from_utf8(head).ok()?;
    let line =
        head.lines().find(|line| line.len() > 15 && line[..15].eq_ignore_ascii_case("content-length:"))?;
    line[15..].trim().parse().ok()
}
