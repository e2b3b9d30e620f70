//! Raw HTTP, well-formed or not: bytes out, bytes back.

use crate::bar::progress;
use assay_testkit::Stopwatch;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(40);
/// Longer than this a request waits for something it should not wait for, which makes the bar slow.
const SLOW: Duration = Duration::from_secs(5);

/// A request, ready to be sent as it is.
#[derive(Debug, Clone)]
pub struct Shot {
    pub what: &'static str,
    pub bytes: Vec<u8>,
    /// Nothing more comes: what is broken off is refused at once instead of being waited for.
    pub broken_off: bool,
}

/// The parts of an ordinary request.
#[derive(Debug, Clone, Default)]
pub struct Parts<'a> {
    pub method: &'a str,
    pub target: String,
    pub key: Option<&'a str>,
    pub headers: Vec<(&'a str, String)>,
    pub body: Vec<u8>,
}

impl Parts<'_> {
    pub fn shot(&self, what: &'static str) -> Shot {
        let Self { method, target, key, headers, body } = self;
        let mut bytes =
            format!("{method} {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", Ipv4Addr::LOCALHOST)
                .into_bytes();
        if let Some(key) = key {
            bytes.extend_from_slice(format!("authorization: Bearer {key}\r\n").as_bytes());
        }
        for (name, value) in headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        if !body.is_empty() || *method != "GET" {
            bytes.extend_from_slice(format!("content-length: {}\r\n", body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        Shot { what, bytes, broken_off: false }
    }
}

/// What came back, head and body; nothing when the server said nothing.
#[derive(Debug)]
pub struct Told {
    pub what: &'static str,
    pub status: u16,
    head_end: usize,
    bytes: Vec<u8>,
}

impl Told {
    /// All of a refusal; of an answer only its head, because its body may carry what was asked for.
    pub fn must_be_clean(&self) -> &[u8] {
        let end = if self.is_answer() { self.head_end } else { self.bytes.len() };
        self.bytes.get(..end).unwrap_or_default()
    }

    pub fn is_answer(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub fn body(&self) -> &[u8] {
        self.bytes.get(self.head_end..).unwrap_or_default()
    }
}

pub fn send(address: SocketAddr, shot: &Shot) -> anyhow::Result<Told> {
    let watch = Stopwatch::start();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    // A server that refuses early may close before it has read all of it.
    let written = stream.write_all(&shot.bytes);
    if shot.broken_off {
        drop(stream.shutdown(Shutdown::Write));
    }
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    drop((written, read));
    if watch.elapsed() > SLOW {
        progress(format!("{} took {:?}", shot.what, watch.elapsed()));
    }
    let head_end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
    let status = bytes.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    Ok(Told { what: shot.what, status: status.unwrap_or(0), head_end, bytes })
}

pub fn get(address: SocketAddr, path: &str) -> anyhow::Result<Told> {
    let parts = Parts { method: "GET", target: path.to_owned(), ..Parts::default() };
    send(address, &parts.shot("get"))
}
