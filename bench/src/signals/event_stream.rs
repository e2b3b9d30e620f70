//! A stream of events as it comes over a connection: the chunks taken apart, and its lines put together.

use anyhow::{Context, Result, bail, ensure};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const READ_BYTES: usize = 2 * 1024;
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// An open stream whose head was read.
pub struct EventStream {
    stream: TcpStream,
    /// What came with the head.
    early: Vec<u8>,
    chunks: Chunks,
    /// What came of the line that is not over.
    line: Vec<u8>,
}

impl EventStream {
    pub async fn open(address: SocketAddr, path: &str, api_key: &str) -> Result<Self> {
        Self::resume(address, path, api_key, None).await
    }

    /// After the event with this id.
    pub async fn resume(address: SocketAddr, path: &str, api_key: &str, last: Option<&str>) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await.context("the node takes no connection")?;
        let last = last.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {api_key}\r\naccept: text/event-stream\r\n{last}\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut received = Vec::new();
        let end = loop {
            if let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            let count = stream.read_buf(&mut received).await?;
            ensure!(count > 0 && received.len() < HEAD_BYTES_MAX, "the head broke off");
        };
        let early = received.split_off(end);
        let head = String::from_utf8_lossy(&received).to_ascii_lowercase();
        ensure!(
            head.starts_with("http/1.1 200") && head.contains("transfer-encoding: chunked"),
            "no stream but {}",
            head.lines().next().unwrap_or_default()
        );
        Ok(Self { stream, early, chunks: Chunks::default(), line: Vec::new() })
    }

    /// Waits for more and hands on every line that is whole by then.
    pub async fn read(&mut self, mut take: impl FnMut(&[u8])) -> Result<()> {
        let mut buffer = [0; READ_BYTES];
        let early = std::mem::take(&mut self.early);
        let mut bytes = early.as_slice();
        if bytes.is_empty() {
            let count = self.stream.read(&mut buffer).await?;
            ensure!(count > 0, "the stream ended");
            bytes = buffer.get(..count).unwrap_or_default();
        }
        let line = &mut self.line;
        self.chunks.take(bytes, |byte| {
            if byte == b'\n' {
                take(line);
                line.clear();
            } else {
                line.push(byte);
            }
        })
    }
}

/// Where in the chunks one is.
#[derive(Debug, Default)]
enum Chunks {
    #[default]
    Before,
    Size(usize),
    /// So many bytes of it are left.
    Inside(usize),
    /// The line end behind it.
    Behind,
}

impl Chunks {
    fn take(&mut self, bytes: &[u8], mut content: impl FnMut(u8)) -> Result<()> {
        for byte in bytes {
            *self = match (&*self, byte) {
                (Self::Before, digit) => Self::Size(value(*digit)?),
                (Self::Size(size), b'\r') => Self::Size(*size),
                (Self::Size(0), b'\n') => bail!("the stream was ended"),
                (Self::Size(size), b'\n') => Self::Inside(*size),
                (Self::Size(size), digit) => Self::Size(size * 16 + value(*digit)?),
                (Self::Inside(left), byte) => {
                    content(*byte);
                    if *left > 1 { Self::Inside(left - 1) } else { Self::Behind }
                }
                (Self::Behind, b'\r') => Self::Behind,
                (Self::Behind, _) => Self::Before,
            };
        }
        Ok(())
    }
}

fn value(digit: u8) -> Result<usize> {
    let value = char::from(digit).to_digit(16).context("a chunk without a size")?;
    Ok(usize::try_from(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_taken_apart_wherever_they_are_cut() {
        let whole = b"5\r\nid: 1\r\n1a\r\n\ndata: {\"a\":\"\r\n5\r\n\"}\n\n: \n\n\r\n3\r\nend\r\n";
        for cut in 0..whole.len() {
            let (mut chunks, mut content) = (Chunks::default(), Vec::new());
            chunks.take(&whole[..cut], |byte| content.push(byte)).unwrap();
            chunks.take(&whole[cut..], |byte| content.push(byte)).unwrap();
            assert_eq!(content, b"id: 1\ndata: {\"a\":\"\r\n5\r\n\"}\n\n: \n\nend");
        }
        Chunks::default().take(b"0\r\n\r\n", drop).unwrap_err();
        Chunks::default().take(b"id: 1", drop).unwrap_err();
    }
}
