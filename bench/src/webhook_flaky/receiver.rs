//! A server that takes messages, or does not, in every way there is; and remembers each that came.

use anyhow::Context;
use assay_store::task;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What becomes of a message that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Take,
    Answer(u16),
    /// No answer until the sender gives up.
    Hang,
    /// The connection is broken off.
    Reset,
}

/// A message that came.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub path: String,
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: Vec<u8>,
    pub at: Instant,
    /// Seconds since 1970, when it came.
    pub unix: i64,
    pub manner: Manner,
}

/// Decides by the path, the message's id, and how often each was seen before.
type Decide = dyn Fn(&str, &str, Before) -> Manner + Send + Sync;

#[derive(Debug, Clone, Copy)]
pub struct Before {
    pub of_id: usize,
    pub of_path: usize,
}

#[derive(Default)]
struct Memory {
    arrivals: Vec<Arrival>,
    by_id: HashMap<String, usize>,
    by_path: HashMap<String, usize>,
    /// Messages that hang now, and the most that ever did at once.
    hanging: usize,
    most_hanging: usize,
}

pub struct Receiver {
    pub address: SocketAddr,
    memory: Arc<Mutex<Memory>>,
    release: Arc<Notify>,
}

impl Receiver {
    pub async fn start(
        decide: impl Fn(&str, &str, Before) -> Manner + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen for messages")?;
        let address = listener.local_addr()?;
        let (memory, release): (Arc<Mutex<Memory>>, Arc<Notify>) = Default::default();
        let (kept, decide): (_, Arc<Decide>) = (Arc::clone(&memory), Arc::new(decide));
        let released = Arc::clone(&release);
        task::spawn("receiver", async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, decide, released) =
                    (Arc::clone(&kept), Arc::clone(&decide), Arc::clone(&released));
                task::spawn("receive", async move {
                    // A sender that hangs up early has done what there is to be seen.
                    drop(receive(stream, &kept, &*decide, &released).await);
                });
            }
        });
        Ok(Self { address, memory, release })
    }

    /// Everything that came so far, in order.
    pub fn arrivals(&self) -> Vec<Arrival> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).arrivals.clone()
    }

    /// Hangs up on all that hang now.
    pub fn release(&self) {
        self.release.notify_waiters();
    }

    /// The most messages that hung at the same time.
    pub fn most_hanging(&self) -> usize {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).most_hanging
    }

    /// When each message came first.
    pub fn first_seen(&self) -> HashMap<String, Instant> {
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = HashMap::new();
        for arrival in &memory.arrivals {
            first.entry(arrival.id.clone()).or_insert(arrival.at);
        }
        first
    }
}

async fn receive(
    mut stream: TcpStream,
    kept: &Mutex<Memory>,
    decide: &Decide,
    released: &Notify,
) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::with_capacity(2_048);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        anyhow::ensure!(stream.read_buf(&mut bytes).await? > 0, "hung up");
    };
    let head = String::from_utf8(bytes[..end].to_vec())?;
    let mut lines = head.split("\r\n");
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).context("no path")?.to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let header = |name: &str| headers.get(name).cloned().with_context(|| format!("no {name}"));
    let length: usize = header("content-length")?.parse()?;
    while bytes.len() < end + 4 + length {
        anyhow::ensure!(stream.read_buf(&mut bytes).await? > 0, "hung up");
    }
    let at = Instant::now();
    let unix = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut arrival = Arrival {
        path,
        id: header("webhook-id")?,
        timestamp: header("webhook-timestamp")?,
        signature: header("webhook-signature")?,
        body: bytes.split_off(end + 4),
        at,
        unix: i64::try_from(unix)?,
        manner: Manner::Take,
    };
    let manner = {
        let mut memory = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let of_id = count(&mut memory.by_id, &arrival.id);
        let of_path = count(&mut memory.by_path, &arrival.path);
        arrival.manner = decide(&arrival.path, &arrival.id, Before { of_id, of_path });
        let manner = arrival.manner;
        memory.arrivals.push(arrival);
        manner
    };
    let hangs = usize::from(manner == Manner::Hang);
    let change = |by: fn(usize, usize) -> usize| {
        let mut memory = kept.lock().unwrap_or_else(PoisonError::into_inner);
        memory.hanging = by(memory.hanging, hangs);
        memory.most_hanging = memory.most_hanging.max(memory.hanging);
    };
    change(usize::saturating_add);
    let answered = answer(stream, manner, released).await;
    change(usize::saturating_sub);
    answered
}

/// How often it was there before.
fn count(counts: &mut HashMap<String, usize>, name: &str) -> usize {
    let count = counts.entry(name.to_owned()).or_default();
    *count += 1;
    *count - 1
}

async fn answer(mut stream: TcpStream, manner: Manner, released: &Notify) -> anyhow::Result<()> {
    let status = match manner {
        Manner::Take => 204,
        Manner::Answer(status) => status,
        Manner::Reset => return Ok(stream.set_zero_linger()?),
        Manner::Hang => {
            // Nothing more comes: this ends when the other side has had enough.
            let mut nothing = [0; 64];
            tokio::select! {
                _ = stream.read(&mut nothing) => {}
                () = released.notified() => {}
            }
            return Ok(());
        }
    };
    let answer = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    Ok(stream.write_all(answer.as_bytes()).await?)
}
