//! One request over one connection, from an address of the caller's choice: on Linux all of 127.0.0.0/8 is this machine.

use anyhow::{Context, bail};
use assay_service::Entry;
use serde_json::{Map, Value};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

const LIMIT: Duration = Duration::from_secs(30);

/// A request, ready to be sent.
#[derive(Debug, Clone)]
pub struct Ask {
    pub method: &'static str,
    pub path: String,
    pub key: Option<String>,
    pub body: Option<Value>,
}

/// A whole reply.
#[derive(Debug, Clone)]
pub struct Told {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Ask {
    /// A row called with the fields of its own example. `id` takes the place of whatever id the path has.
    pub fn of(entry: &Entry, id: Option<&str>, key: Option<&str>) -> Self {
        Self::with(entry, &(entry.example)().0, id, key)
    }

    pub fn with(entry: &Entry, fields: &Value, id: Option<&str>, key: Option<&str>) -> Self {
        let spec = &entry.spec;
        let mut fields = fields.as_object().cloned().unwrap_or_default();
        let mut in_path = |part: &str| match part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => {
                let example = fields.shift_remove(name).map(|value| text(&value));
                id.map(str::to_owned).or(example).unwrap_or_else(|| "none".to_owned())
            }
            None => part.to_owned(),
        };
        let mut path = spec.path.split('/').map(&mut in_path).collect::<Vec<_>>().join("/");
        let body = spec.verb.has_body().then(|| Value::Object(fields.clone()));
        if body.is_none() && !fields.is_empty() {
            path = format!("{path}?{}", query(&fields));
        }
        Self { method: spec.verb.as_str(), path, key: key.map(str::to_owned), body }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

fn query(fields: &Map<String, Value>) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b',' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    let pairs = fields.iter().map(|(name, value)| {
        let value: String = text(value).bytes().map(encode).collect();
        format!("{name}={value}")
    });
    pairs.collect::<Vec<_>>().join("&")
}

impl Told {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("no JSON: {}", self.text()))
    }

    /// All of it but what names the call or tells the time and the calls before it.
    pub fn masked(&self) -> String {
        let request = self.header("x-request-id").unwrap_or("no request id");
        let fleeting = ["x-request-id", "server-timing", "date", "ratelimit"];
        let headers = self.headers.iter().filter(|(name, _)| !fleeting.contains(&&**name));
        let headers: Vec<String> = headers.map(|(name, value)| format!("{name}: {value}")).collect();
        format!("{}\n{}\n\n{}", self.status, headers.join("\n"), self.text().replace(request, "req"))
    }
}

/// The addresses a bar calls from, each a client of its own.
#[derive(Debug, Default)]
pub struct Addresses(u32);

impl Addresses {
    /// One that was not used before.
    pub fn fresh(&mut self) -> Ipv4Addr {
        self.0 += 1;
        Ipv4Addr::from_bits(Ipv4Addr::new(127, 1, 0, 0).to_bits() + self.0)
    }
}

pub async fn send(node: SocketAddr, from: Ipv4Addr, ask: &Ask) -> anyhow::Result<Told> {
    let sent = tokio::time::timeout(LIMIT, exchange(node, from, ask)).await;
    sent.context("no reply in time")?.with_context(|| format!("{} {}", ask.method, ask.path))
}

async fn exchange(node: SocketAddr, from: Ipv4Addr, ask: &Ask) -> anyhow::Result<Told> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((IpAddr::V4(from), 0)))?;
    let mut stream = socket.connect(node).await?;
    let body = ask.body.as_ref().map(Value::to_string).unwrap_or_default();
    let mut head = format!("{} {} HTTP/1.1\r\nhost: {node}\r\nconnection: close\r\n", ask.method, ask.path);
    if let Some(key) = &ask.key {
        head.push_str(&format!("authorization: Bearer {key}\r\n"));
    }
    if ask.body.is_some() {
        head.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received).await?;
    read(&received)
}

fn read(received: &[u8]) -> anyhow::Result<Told> {
    let end = received.windows(4).position(|four| four == b"\r\n\r\n").context("no whole head")?;
    let (head, body) = received.split_at(end);
    let mut lines = std::str::from_utf8(head)?.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
    let pair = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_lowercase(), value.trim().to_owned()))
    };
    let headers = lines.map(pair).collect::<Option<Vec<_>>>().context("a header without a colon")?;
    let told = Told { status, headers, body: body.get(4..).unwrap_or_default().to_vec() };
    if told.header("content-length").is_some_and(|length| length != told.body.len().to_string()) {
        bail!("half a reply");
    }
    Ok(told)
}
