//! A GET whose answer is read piece by piece, and that knows a whole answer from one that broke off.

use anyhow::{Context, bail, ensure};
use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const BUFFER_BYTES: usize = 256 * 1024;

/// Hands every piece to `take` and says whether the answer came to its end.
pub async fn download(
    address: SocketAddr,
    path: &str,
    api_key: &str,
    mut take: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let mut stream = TcpStream::connect(address).await.context("cannot reach the server")?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {api_key}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, stream);
    let status = line(&mut reader).await?.context("no answer")?;
    let mut chunked = false;
    loop {
        let header = line(&mut reader).await?.context("the head broke off")?.to_lowercase();
        if header.is_empty() {
            break;
        }
        chunked |= header == "transfer-encoding: chunked";
    }
    if !status.contains(" 200 ") {
        let mut problem = String::new();
        reader.read_to_string(&mut problem).await?;
        bail!("{path} answered {status}: {problem}");
    }
    ensure!(chunked, "the answer is not chunked");
    loop {
        let Some(size) = line(&mut reader).await? else { return Ok(false) };
        let mut left = usize::from_str_radix(&size, 16).with_context(|| format!("{size:?} is no size"))?;
        if left == 0 {
            return Ok(true);
        }
        while left > 0 {
            let ready = reader.fill_buf().await?;
            if ready.is_empty() {
                return Ok(false);
            }
            let count = left.min(ready.len());
            take(&ready[..count])?;
            reader.consume(count);
            left -= count;
        }
        line(&mut reader).await?;
    }
}

/// A line without its end; `None` when the connection is over.
async fn line(reader: &mut BufReader<TcpStream>) -> anyhow::Result<Option<String>> {
    let mut text = String::new();
    reader.read_line(&mut text).await?;
    Ok(text.strip_suffix("\r\n").map(str::to_owned))
}
