//! A proxy in front of PostgreSQL that loses the acknowledgement of a COMMIT: the commit took place, nobody was told.

use anyhow::Context;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

const READ_BYTES: usize = 32 * 1024;
/// Codes in the place of a protocol version: the client asks for encryption and then starts over.
const ENCRYPTION_REQUESTS: [u32; 2] = [80_877_103, 80_877_104];

type Strike = Box<dyn FnOnce() + Send>;

/// A running proxy; it ends, with every connection through it, when dropped.
#[derive(Debug)]
pub struct CutProxy {
    address: SocketAddr,
    trap: Arc<Trap>,
    _running: JoinSet<()>,
}

#[derive(Default)]
struct Trap {
    /// COMMITs until the trap springs; 0 when it is not armed.
    commits_left: AtomicU32,
    strike: Mutex<Option<Strike>>,
    cuts: AtomicU32,
}

impl std::fmt::Debug for Trap {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Trap({} cuts)", self.cuts.load(Ordering::SeqCst))
    }
}

impl CutProxy {
    pub async fn start(upstream: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("the proxy cannot listen")?;
        let address = listener.local_addr()?;
        let trap = Arc::new(Trap::default());
        let mut running = JoinSet::new();
        running.spawn(accept(listener, upstream, Arc::clone(&trap)));
        Ok(Self { address, trap, _running: running })
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Springs at the `nth` COMMIT from now: PostgreSQL answers it, `strike` runs, and the connection is cut before
    /// the answer is passed on.
    pub fn arm(&self, nth: u32, strike: impl FnOnce() + Send + 'static) {
        *self.trap.strike.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(strike));
        self.trap.commits_left.store(nth.max(1), Ordering::SeqCst);
    }

    pub fn cuts(&self) -> u32 {
        self.trap.cuts.load(Ordering::SeqCst)
    }
}

impl Trap {
    fn springs(&self) -> bool {
        let before =
            self.commits_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        before == Ok(1)
    }

    fn spring(&self) {
        let strike = self.strike.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(strike) = strike {
            strike();
        }
        self.cuts.fetch_add(1, Ordering::SeqCst);
    }
}

async fn accept(listener: TcpListener, upstream: SocketAddr, trap: Arc<Trap>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let trap = Arc::clone(&trap);
        connections.spawn(async move {
            // Whatever ends a connection, both its sides are closed by being dropped.
            drop(carry(client, upstream, &trap).await);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn carry(mut client: TcpStream, upstream: SocketAddr, trap: &Trap) -> std::io::Result<()> {
    let mut server = TcpStream::connect(upstream).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let mut messages = Messages::default();
    let mut answer = vec![0_u8; READ_BYTES];
    loop {
        tokio::select! {
            count = client.read_buf(&mut messages.received) => {
                if count? == 0 {
                    return Ok(());
                }
                while let Some(message) = messages.next() {
                    server.write_all(&message).await?;
                    if is_commit(&message) && trap.springs() {
                        // The first byte of the answer means that the commit is on disk.
                        server.read_exact(&mut [0_u8; 1]).await?;
                        trap.spring();
                        return Ok(());
                    }
                }
            }
            count = server.read(&mut answer) => {
                let count = count?;
                if count == 0 {
                    return Ok(());
                }
                client.write_all(answer.get(..count).unwrap_or_default()).await?;
            }
        }
    }
}

fn is_commit(message: &[u8]) -> bool {
    message
        .strip_prefix(b"Q")
        .and_then(|rest| rest.get(4..))
        .is_some_and(|text| text.eq_ignore_ascii_case(b"COMMIT\0"))
}

/// What a client sends, message by message. The first ones have no letter in front, only a length and a code.
#[derive(Default)]
struct Messages {
    received: Vec<u8>,
    started: bool,
}

impl Messages {
    fn next(&mut self) -> Option<Vec<u8>> {
        let letter = usize::from(self.started);
        let length = number(&self.received, letter)?;
        let whole = letter + usize::try_from(length).ok()?;
        if self.received.len() < whole {
            return None;
        }
        if !self.started {
            self.started = !number(&self.received, 4).is_some_and(|code| ENCRYPTION_REQUESTS.contains(&code));
        }
        let rest = self.received.split_off(whole);
        Some(std::mem::replace(&mut self.received, rest))
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    four.try_into().ok().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(letter: &str, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [letter.as_bytes(), &length, body].concat()
    }

    #[test]
    fn messages_are_cut_at_their_ends_however_they_arrive() {
        let encryption = message("", &80_877_103_u32.to_be_bytes());
        let startup = message("", b"\0\x03\0\0user\0me\0\0");
        let query = message("Q", b"COMMIT\0");
        let all = [encryption.clone(), startup.clone(), query.clone()].concat();
        let mut messages = Messages::default();
        let mut seen = Vec::new();
        for byte in all {
            messages.received.push(byte);
            seen.extend(messages.next());
        }
        assert_eq!(seen, [encryption, startup, query]);
    }

    #[test]
    fn only_a_bare_commit_is_a_commit() {
        assert!(is_commit(&message("Q", b"COMMIT\0")));
        for other in [message("Q", b"ROLLBACK\0"), message("P", b"COMMIT\0"), message("Q", b"COMMIT;x\0")] {
            assert!(!is_commit(&other));
        }
    }

    #[test]
    fn the_trap_springs_once_at_the_nth_commit() {
        let trap = Trap::default();
        assert!(!trap.springs());
        trap.commits_left.store(2, Ordering::SeqCst);
        assert_eq!([trap.springs(), trap.springs(), trap.springs()], [false, true, false]);
    }
}
