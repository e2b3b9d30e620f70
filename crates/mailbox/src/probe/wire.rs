//! The connection to a mail server: lines out, whole replies in, each within its deadline.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::reply::{Reply, ReplyReader};

const READ_BYTES: usize = 2 * 1024;

enum Stream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

/// What came instead of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    Closed,
    Garbled,
    Deadline,
}

pub(super) struct Wire {
    stream: Stream,
    reader: ReplyReader,
    /// Read and not yet looked at.
    ahead: Vec<u8>,
}

impl Wire {
    pub(super) async fn connect(source: Option<IpAddr>, target: SocketAddr) -> io::Result<Self> {
        let socket = if target.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if let Some(source) = source {
            socket.bind(SocketAddr::new(source, 0))?;
        }
        let stream = socket.connect(target).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: Stream::Plain(stream), reader: ReplyReader::default(), ahead: Vec::new() })
    }

    /// Whether the server has said more than it was asked.
    pub(super) fn has_more(&self) -> bool {
        !self.ahead.is_empty() || self.reader.is_inside()
    }

    pub(super) async fn send(&mut self, line: &str, until: Instant) -> Result<(), Broken> {
        let sent = async {
            match &mut self.stream {
                Stream::Plain(stream) => stream.write_all(line.as_bytes()).await,
                Stream::Encrypted(stream) => {
                    stream.write_all(line.as_bytes()).await?;
                    stream.flush().await
                }
            }
        };
        match timeout_at(until, sent).await {
            Ok(Ok(())) => Ok(()),
            // What the server said before it hung up is still there to be read.
            Ok(Err(_)) => Ok(()),
            Err(_) => Err(Broken::Deadline),
        }
    }

    /// The next reply, whole. A server that sends it byte by byte has no more time than another.
    pub(super) async fn receive(&mut self, until: Instant) -> Result<Reply, Broken> {
        timeout_at(until, self.read_reply()).await.unwrap_or(Err(Broken::Deadline))
    }

    async fn read_reply(&mut self) -> Result<Reply, Broken> {
        let mut buffer = [0_u8; READ_BYTES];
        loop {
            let mut bytes = self.ahead.as_slice();
            let reply = self.reader.read(&mut bytes).map_err(|_| Broken::Garbled)?;
            self.ahead = bytes.to_vec();
            if let Some(reply) = reply {
                return Ok(reply);
            }
            let read = match &mut self.stream {
                Stream::Plain(stream) => stream.read(&mut buffer).await,
                Stream::Encrypted(stream) => stream.read(&mut buffer).await,
            };
            let length = read.ok().filter(|length| *length > 0).ok_or(Broken::Closed)?;
            self.ahead.extend_from_slice(buffer.get(..length).unwrap_or_default());
        }
    }

    /// What was read ahead is forgotten: it was not encrypted, so anyone on the way may have added it.
    pub(super) async fn encrypt(
        self,
        connector: &TlsConnector,
        host: &str,
        until: Instant,
    ) -> Result<Self, Broken> {
        let Stream::Plain(stream) = self.stream else { return Err(Broken::Garbled) };
        let peer = stream.peer_addr().map_err(|_| Broken::Closed)?.ip();
        let name = ServerName::try_from(host.trim_end_matches('.').to_owned())
            .unwrap_or_else(|_| ServerName::IpAddress(peer.into()));
        let encrypted = timeout_at(until, Box::pin(connector.connect(name, stream))).await;
        let stream = encrypted.map_err(|_| Broken::Deadline)?.map_err(|_| Broken::Closed)?;
        Ok(Self {
            stream: Stream::Encrypted(Box::new(stream)),
            reader: ReplyReader::default(),
            ahead: Vec::new(),
        })
    }
}
