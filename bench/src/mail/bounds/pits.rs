//! Mail servers that keep whoever asks waiting, and one that does not. A connection is a task, so that thousands are light.

use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// What a good server takes for an answer, as one does that is near. At once, a verification would be over in three
/// milliseconds, and the figure would be of what else this machine does.
pub const GOOD_PAUSE: Duration = Duration::from_millis(10);
/// Between two bytes of those who speak a byte at a time.
const BYTE_PAUSE: Duration = Duration::from_secs(3);
/// Just within what a server may take for an answer, every time.
const ANSWER_PAUSE: Duration = Duration::from_secs(14);
/// The one who is there; nobody else is.
pub const KNOWN: &str = "anna";

/// How a server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Good,
    /// Never says a word.
    Mute,
    /// Greets a byte at a time, and never to the end.
    DripsGreeting,
    StallsAtMail,
    StallsAtRecipient,
    /// Answers for a recipient a byte at a time, and never to the end.
    DripsAtRecipient,
    /// Answers everything as late as it may.
    Late,
    /// Four hosts, none of which says a word.
    FourMute,
}

/// What was asked: the greeting, which nobody asks for, is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Greeting,
    Mail,
    Recipient,
    Other,
}

enum Manner {
    AnswersAfter(Duration),
    Drips,
    Stalls,
}

impl Kind {
    pub const ALL: &[Self] = &[
        Self::Good,
        Self::Mute,
        Self::DripsGreeting,
        Self::StallsAtMail,
        Self::StallsAtRecipient,
        Self::DripsAtRecipient,
        Self::Late,
        Self::FourMute,
    ];

    pub fn tarpits() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| *kind != Self::Good)
    }

    /// Every name below it is a domain that behaves so.
    pub fn zone(self) -> &'static str {
        match self {
            Self::Good => "good.test",
            Self::Mute => "mute.test",
            Self::DripsGreeting => "drips-greeting.test",
            Self::StallsAtMail => "stalls-at-mail.test",
            Self::StallsAtRecipient => "stalls-at-recipient.test",
            Self::DripsAtRecipient => "drips-at-recipient.test",
            Self::Late => "late.test",
            Self::FourMute => "four-mute.test",
        }
    }

    fn manner(self, turn: Turn) -> Manner {
        match (self, turn) {
            (Self::Mute | Self::FourMute, _) => Manner::Stalls,
            (Self::DripsGreeting, Turn::Greeting) | (Self::DripsAtRecipient, Turn::Recipient) => {
                Manner::Drips
            }
            (Self::StallsAtMail, Turn::Mail) | (Self::StallsAtRecipient, Turn::Recipient) => Manner::Stalls,
            (Self::Late, _) => Manner::AnswersAfter(ANSWER_PAUSE),
            _ => Manner::AnswersAfter(GOOD_PAUSE),
        }
    }
}

/// Lines for the rig's zone: every kind has an address of its own, from `first` on.
pub fn records(first: u8) -> Vec<String> {
    let mut records = Vec::new();
    for (kind, host) in Kind::ALL.iter().zip(first..) {
        let zone = kind.zone();
        let hosts = if *kind == Kind::FourMute { 4 } else { 1 };
        for rank in 1..=hosts {
            records.push(format!("*.{zone}. MX {rank}0 mx{rank}.{zone}."));
            records.push(format!("mx{rank}.{zone}. A {{net}}.{host}"));
        }
    }
    records
}

/// What happened at the servers.
#[derive(Debug, Default)]
struct Counts {
    held: AtomicUsize,
    held_max: AtomicUsize,
    messages: AtomicUsize,
}

/// Running servers; they and all connections end with the value.
#[derive(Debug, Default)]
pub struct Servers {
    counts: Arc<Counts>,
    doors: JoinSet<()>,
}

impl Servers {
    pub async fn serve(&mut self, kind: Kind, address: SocketAddr) -> Result<()> {
        let listener =
            TcpListener::bind(address).await.with_context(|| format!("cannot listen at {address}"))?;
        let counts = Arc::clone(&self.counts);
        self.doors.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                // Those that are over are forgotten, else they would pile up.
                while open.try_join_next().is_some() {}
                if let Ok((stream, _)) = listener.accept().await {
                    open.spawn(hold(stream, kind, Arc::clone(&counts)));
                }
            }
        });
        Ok(())
    }

    /// The most connections that tarpits held at once.
    pub fn held_max(&self) -> usize {
        self.counts.held_max.load(Ordering::Relaxed)
    }

    /// Commands that would have sent one.
    pub fn messages(&self) -> usize {
        self.counts.messages.load(Ordering::Relaxed)
    }
}

async fn hold(stream: TcpStream, kind: Kind, counts: Arc<Counts>) {
    if kind == Kind::Good {
        return converse(stream, kind, &counts).await;
    }
    let held = counts.held.fetch_add(1, Ordering::Relaxed) + 1;
    counts.held_max.fetch_max(held, Ordering::Relaxed);
    converse(stream, kind, &counts).await;
    counts.held.fetch_sub(1, Ordering::Relaxed);
}

async fn converse(stream: TcpStream, kind: Kind, counts: &Counts) {
    // Without delay, else an answer waits for the acknowledgement of the one before.
    drop(stream.set_nodelay(true));
    let mut stream = BufStream::with_capacity(512, 512, stream);
    let mut answer = "220 mx.test ESMTP";
    let mut turn = Turn::Greeting;
    let mut line = String::new();
    while speak(&mut stream, kind.manner(turn), answer).await {
        line.clear();
        if !matches!(stream.read_line(&mut line).await, Ok(length) if length > 0) {
            return;
        }
        let is_known = line.contains(&format!("<{KNOWN}@"));
        (turn, answer) = match line.get(..4).unwrap_or_default() {
            "EHLO" => (Turn::Other, "250-mx.test\r\n250 ENHANCEDSTATUSCODES"),
            "MAIL" => (Turn::Mail, "250 2.1.0 Ok"),
            "RCPT" if is_known => (Turn::Recipient, "250 2.1.5 Ok"),
            "RCPT" => (Turn::Recipient, "550 5.1.1 User unknown"),
            "QUIT" => (Turn::Other, "221 2.0.0 Bye"),
            "DATA" | "BDAT" => {
                counts.messages.fetch_add(1, Ordering::Relaxed);
                (Turn::Other, "554 5.5.1 No")
            }
            _ => (Turn::Other, "502 5.5.2 What"),
        };
    }
}

/// False when the other side has gone, as it has when a tarpit is done with it.
async fn speak(stream: &mut BufStream<TcpStream>, manner: Manner, answer: &str) -> bool {
    match manner {
        Manner::AnswersAfter(pause) => {
            stays(stream, pause).await && say(stream, &format!("{answer}\r\n")).await
        }
        Manner::Drips => {
            let begun = answer.chars().take(4).chain(std::iter::repeat('x'));
            for letter in begun {
                if !stays(stream, BYTE_PAUSE).await || !say(stream, &letter.to_string()).await {
                    break;
                }
            }
            false
        }
        Manner::Stalls => {
            while stays(stream, BYTE_PAUSE).await {}
            false
        }
    }
}

async fn say(stream: &mut BufStream<TcpStream>, text: &str) -> bool {
    stream.write_all(text.as_bytes()).await.is_ok() && stream.flush().await.is_ok()
}

/// Whether the other side is still there after so long. It says nothing out of turn.
async fn stays(stream: &mut BufStream<TcpStream>, pause: Duration) -> bool {
    timeout(pause, stream.read_u8()).await.is_err()
}
