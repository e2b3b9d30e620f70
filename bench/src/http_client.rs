//! A small HTTP/1.1 client that tells apart no reply, half a reply and a whole one. Its buffers live as long as it does.

use assay_domain::{Credits, RequestId};
use serde::Deserialize;
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const READ_BYTES: usize = 16 * 1024;
/// Longer than any deadline the bars give the service, so that it is the service that ends a call.
const LIMIT: Duration = Duration::from_secs(90);

/// A POST as the bars send it.
#[derive(Debug, Clone, Copy)]
pub struct Post<'a> {
    pub path: &'a str,
    pub api_key: &'a str,
    pub idempotency_key: Option<&'a str>,
    pub body: &'a [u8],
}

/// What came back.
#[derive(Debug)]
pub enum Exchange<'a> {
    Whole(Reply<'a>),
    /// The connection ended inside the reply.
    Half,
    /// Not one byte came back. The request may have been worked on all the same.
    Nothing,
}

/// A whole reply, borrowed from the client until its next request.
#[derive(Debug)]
pub struct Reply<'a> {
    pub status: u16,
    head: &'a [u8],
    pub body: &'a [u8],
}

/// What a reply says it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Cost {
    pub credits: Credits,
    #[serde(rename = "balance_remaining")]
    pub balance: Option<Credits>,
}

impl Reply<'_> {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }

    pub fn request(&self) -> Option<RequestId> {
        self.header("x-request-id")?.parse().ok()
    }

    pub fn is_replayed(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }

    pub fn cost(&self) -> Option<Cost> {
        #[derive(Deserialize)]
        struct Costly {
            cost: Cost,
        }
        serde_json::from_slice::<Costly>(self.body).ok().map(|costly| costly.cost)
    }
}

/// One connection, opened when it is needed and kept as long as the server keeps it.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    request: Vec<u8>,
    received: Vec<u8>,
}

/// Where the parts of a whole reply lie in what was received.
struct Extent {
    status: u16,
    head_end: usize,
    closes: bool,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, stream: None, request: Vec::new(), received: Vec::with_capacity(READ_BYTES) }
    }

    pub async fn post(&mut self, post: &Post<'_>) -> Exchange<'_> {
        self.write_request(post);
        self.converse().await
    }

    pub async fn get(&mut self, path: &str, api_key: &str) -> Exchange<'_> {
        self.request.clear();
        drop(write!(self.request, "GET {path} HTTP/1.1\r\nhost: {}\r\n", self.address));
        self.write_key(api_key);
        self.request.extend_from_slice(b"\r\n");
        self.converse().await
    }

    /// Opens the connection ahead of a request, for those who want to know whether that is what fails.
    pub async fn connect(&mut self) -> std::io::Result<()> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        self.stream = Some(stream);
        Ok(())
    }

    /// Whether there is a connection that the server, as far as one can know, has not closed. One it has is let go.
    pub fn is_connected(&mut self) -> bool {
        let Some(stream) = &self.stream else { return false };
        let open = stream.try_read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        if !open {
            self.stream = None;
        }
        open
    }

    async fn converse(&mut self) -> Exchange<'_> {
        self.received.clear();
        let ended = tokio::time::timeout(LIMIT, self.exchange()).await;
        match ended {
            Ok(Some(extent)) => {
                if extent.closes {
                    self.stream = None;
                }
                let (head, body) = self.received.split_at_checked(extent.head_end).unwrap_or_default();
                Exchange::Whole(Reply { status: extent.status, head, body })
            }
            Ok(None) | Err(_) => {
                self.stream = None;
                if self.received.is_empty() { Exchange::Nothing } else { Exchange::Half }
            }
        }
    }

    fn write_request(&mut self, post: &Post<'_>) {
        let Post { path, api_key, idempotency_key, body } = post;
        self.request.clear();
        // Writing to memory cannot fail.
        drop(write!(
            self.request,
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        ));
        self.write_key(api_key);
        if let Some(key) = idempotency_key {
            drop(write!(self.request, "idempotency-key: {key}\r\n"));
        }
        self.request.extend_from_slice(b"\r\n");
        self.request.extend_from_slice(body);
    }

    /// Whoever has none says nothing of one.
    fn write_key(&mut self, api_key: &str) {
        if !api_key.is_empty() {
            drop(write!(self.request, "authorization: Bearer {api_key}\r\n"));
        }
    }

    /// `None` when the connection ended, or never was.
    async fn exchange(&mut self) -> Option<Extent> {
        if self.stream.is_none() {
            self.connect().await.ok()?;
        }
        let stream = self.stream.as_mut()?;
        stream.write_all(&self.request).await.ok()?;
        let mut searched = 0;
        let head_end = loop {
            if let Some(end) = head_end(&self.received, searched) {
                break end;
            }
            searched = self.received.len().saturating_sub(3);
            read_more(stream, &mut self.received).await?;
        };
        let head = self.received.get(..head_end)?;
        let status = std::str::from_utf8(head.get(9..12)?).ok()?.parse().ok()?;
        let closes = header(head, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let length: usize = header(head, "content-length")?.parse().ok()?;
        while self.received.len() < head_end + length {
            read_more(stream, &mut self.received).await?;
        }
        Some(Extent { status, head_end, closes })
    }
}

async fn read_more(stream: &mut TcpStream, received: &mut Vec<u8>) -> Option<()> {
    received.reserve(READ_BYTES);
    let count = stream.read_buf(received).await.ok()?;
    (count > 0).then_some(())
}

fn head_end(received: &[u8], from: usize) -> Option<usize> {
    let at = received.get(from..)?.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(from + at + 4)
}

fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let head = std::str::from_utf8(head).ok()?;
    head.split("\r\n").skip(1).find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    const POST: Post<'_> = Post { path: "/v1/enrich", api_key: "k", idempotency_key: Some("i"), body: b"{}" };

    /// A server that reads one request a piece, writes the piece, and at the end hangs up.
    async fn serve(pieces: &'static [&'static str]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assay_store::task::spawn("test-server", async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for piece in pieces {
                let mut request = [0_u8; 1024];
                assert!(stream.read(&mut request).await.unwrap() > 0);
                stream.write_all(piece.as_bytes()).await.unwrap();
            }
        });
        address
    }

    #[tokio::test]
    async fn a_whole_reply_is_read_and_the_connection_kept() {
        let first = "HTTP/1.1 200 OK\r\nContent-Length: 49\r\nIdempotent-Replayed: true\r\n\r\n\
                     {\"cost\":{\"credits\":1.5,\"balance_remaining\":98.25}}";
        let second = "HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n";
        let mut client = Client::new(serve(Box::leak(Box::new([first, second]))).await);
        let Exchange::Whole(reply) = client.post(&POST).await else { panic!("no whole reply") };
        assert!(reply.status == 200 && reply.is_replayed());
        let cost = reply.cost().unwrap();
        assert_eq!((cost.credits, cost.balance), ("1.5".parse().unwrap(), "98.25".parse().ok()));
        let Exchange::Whole(reply) = client.post(&POST).await else { panic!("no whole reply") };
        assert_eq!((reply.status, reply.body), (409, &b""[..]));
    }

    #[tokio::test]
    async fn half_a_reply_and_none_are_told_apart() {
        let half = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345";
        let mut client = Client::new(serve(Box::leak(Box::new([half]))).await);
        assert!(matches!(client.post(&POST).await, Exchange::Half));
        let mut client = Client::new(serve(&[""]).await);
        assert!(matches!(client.post(&POST).await, Exchange::Nothing));
        let mut client = Client::new(serve(&[]).await);
        assert!(matches!(client.post(&POST).await, Exchange::Nothing));
    }
}
