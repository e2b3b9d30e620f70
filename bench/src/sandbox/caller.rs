//! Somebody who calls the sandbox: from an address of their own choice, or from behind a proxy's header.

use anyhow::{Context, bail};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const BODY: &str = r#"{"email":"ada.okafor@northwind-robotics.example"}"#;
const WAIT: Duration = Duration::from_secs(30);

/// One connection, opened when it is needed and kept as long as the server keeps it.
#[derive(Debug)]
pub struct Caller {
    server: SocketAddr,
    source: IpAddr,
    stream: Option<TcpStream>,
    received: Vec<u8>,
}

/// What an answer says that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub remaining: Option<u32>,
    /// The code of a problem.
    pub code: Option<String>,
}

impl Answer {
    /// Answered from the sandbox.
    pub fn is_served(&self) -> bool {
        self.status == 200
    }

    /// Refused because the day is used up.
    pub fn is_used_up(&self) -> bool {
        self.status == 429 && self.code.as_deref() == Some("sandbox_daily_limit")
    }
}

impl Caller {
    pub fn new(server: SocketAddr) -> Self {
        Self::from(server, Ipv4Addr::LOCALHOST.into())
    }

    /// With another address of this machine as its own.
    pub fn from(server: SocketAddr, source: IpAddr) -> Self {
        Self { server, source, stream: None, received: Vec::new() }
    }

    /// Calls `POST /v1/sandbox/enrich`. `forwarded` is what a proxy would say about the client.
    pub async fn call(&mut self, forwarded: Option<&str>) -> anyhow::Result<Answer> {
        let done = tokio::time::timeout(WAIT, self.exchange(forwarded)).await;
        let answer = done.context("no answer in time").and_then(|answer| answer);
        if answer.is_err() {
            self.stream = None;
        }
        answer
    }

    async fn exchange(&mut self, forwarded: Option<&str>) -> anyhow::Result<Answer> {
        let forwarded = forwarded.map(|client| format!("x-forwarded-for: {client}\r\n")).unwrap_or_default();
        let request = format!(
            "POST /v1/sandbox/enrich HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{forwarded}\
             content-length: {}\r\n\r\n{BODY}",
            self.server,
            BODY.len()
        );
        if self.stream.is_none() {
            self.stream = Some(connect(self.server, self.source).await?);
        }
        let stream = self.stream.as_mut().context("no connection")?;
        stream.write_all(request.as_bytes()).await?;
        self.received.clear();
        let head_end = loop {
            if let Some(at) = self.received.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            read_more(stream, &mut self.received).await?;
        };
        let head = std::str::from_utf8(&self.received[..head_end])?.to_lowercase();
        let header = |name: &str| {
            head.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned()))
        };
        let length: usize = header("content-length").context("an answer without a length")?.parse()?;
        while self.received.len() < head_end + length {
            read_more(stream, &mut self.received).await?;
        }
        let status: u16 = head.get(9..12).context("no status")?.parse()?;
        let remaining = header("x-sandbox-remaining").map(|left| left.parse()).transpose()?;
        if header("connection").is_some_and(|value| value == "close") {
            self.stream = None;
        }
        let body = &self.received[head_end..head_end + length];
        let code = if status == 200 { None } else { problem_code(body) };
        Ok(Answer { status, remaining, code })
    }
}

async fn connect(server: SocketAddr, source: IpAddr) -> anyhow::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(source, 0))?;
    let stream = socket.connect(server).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn read_more(stream: &mut TcpStream, received: &mut Vec<u8>) -> anyhow::Result<()> {
    if stream.read_buf(received).await? == 0 {
        bail!("the connection ended inside an answer");
    }
    Ok(())
}

fn problem_code(body: &[u8]) -> Option<String> {
    let problem: Value = serde_json::from_slice(body).ok()?;
    problem.get("code")?.as_str().map(str::to_owned)
}
