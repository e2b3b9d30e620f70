//! One connection to a scripted server: reads commands and says what the script has for them, without ever waiting.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use super::scripts::{Greeting, Recipients, Script};
use super::tally::Counts;
use crate::clock::Deadline;

/// Longer than any command RFC 5321 allows; who sends more without a line end is cut off.
const LINE_BYTES_MAX: usize = 4_096;

/// A connection that was taken and not yet given a voice.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) stream: TcpStream,
    pub(super) script: Arc<Script>,
    pub(super) counts: Arc<Counts>,
    /// Whether it counts as open no more.
    is_closed: bool,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.close();
    }
}

/// What was read in one go.
enum Heard {
    Nothing,
    Bytes(usize),
    End,
}

impl Arrival {
    pub(super) fn new(stream: TcpStream, script: Arc<Script>, counts: Arc<Counts>) -> Self {
        Self { stream, script, counts, is_closed: false }
    }

    fn close(&mut self) {
        if !std::mem::replace(&mut self.is_closed, true) {
            self.counts.close();
        }
    }

    fn hear(&mut self, buffer: &mut [u8]) -> Heard {
        match self.stream.read(buffer) {
            Ok(0) => Heard::End,
            Ok(length) => Heard::Bytes(length),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Heard::Nothing
            }
            Err(_) => Heard::End,
        }
    }

    /// Whether the client still holds the line. What it says goes unheard.
    pub(super) fn is_open(&mut self) -> bool {
        !matches!(self.hear(&mut [0; LINE_BYTES_MAX]), Heard::End)
    }
}

/// A conversation.
#[derive(Debug)]
pub(super) struct Session {
    arrival: Arrival,
    heard: Vec<u8>,
    unsaid: Vec<u8>,
    /// Nothing may be said before; only for servers that speak byte by byte.
    silence: Option<Deadline>,
    closing: bool,
}

impl Session {
    pub(super) fn new(arrival: Arrival) -> Self {
        let script = Arc::clone(&arrival.script);
        let mut session =
            Self { arrival, heard: Vec::new(), unsaid: Vec::new(), silence: None, closing: false };
        match &script.greeting {
            Greeting::Line(line) => session.say(line),
            Greeting::Refuse(line) => session.say_and_close(line),
            Greeting::Never => {}
        }
        session
    }

    /// Does what can be done now; false when the conversation is over.
    pub(super) fn step(&mut self) -> bool {
        let mut buffer = [0; LINE_BYTES_MAX];
        match self.arrival.hear(&mut buffer) {
            Heard::End => return false,
            Heard::Bytes(length) => self.heard.extend(buffer.iter().take(length)),
            Heard::Nothing => {}
        }
        while let Some(line) = self.next_line() {
            if !self.closing && !self.answer(&line) {
                return false;
            }
        }
        if self.heard.len() > LINE_BYTES_MAX || !self.speak() {
            return false;
        }
        !(self.closing && self.unsaid.is_empty())
    }

    fn next_line(&mut self) -> Option<String> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line = self.heard.drain(..=end).collect::<Vec<_>>();
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// False when the server hangs up at once.
    fn answer(&mut self, line: &str) -> bool {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let script = Arc::clone(&self.arrival.script);
        let code = |code| script.enhanced(code);
        match verb.as_str() {
            "EHLO" => self.say_extensions(),
            "HELO" => self.say("250 pleased to meet you"),
            "MAIL" => self.say(&format!("250 {}Sender OK", code("2.1.0"))),
            "RCPT" => return self.answer_recipient(line),
            "RSET" | "NOOP" => self.say(&format!("250 {}Ok", code("2.0.0"))),
            "QUIT" => self.say_and_close(&format!("221 {}Bye", code("2.0.0"))),
            "DATA" | "BDAT" => {
                self.arrival.counts.note_data();
                self.say(&format!("554 {}No message is taken here", code("5.5.1")));
            }
            _ => self.say(&format!("502 {}Command not recognized", code("5.5.2"))),
        }
        true
    }

    fn answer_recipient(&mut self, line: &str) -> bool {
        let address = line.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(it, _)| it);
        let address = address.unwrap_or_default();
        let script = Arc::clone(&self.arrival.script);
        let reply = match &script.recipients {
            Recipients::HangUp => return false,
            Recipients::Every(reply) => reply,
            Recipients::Listed { replies, otherwise } => {
                let local = address.rsplit_once('@').map_or(address, |(local, _)| local).to_lowercase();
                let name = local.split('+').next().unwrap_or_default();
                replies.get(name).unwrap_or(otherwise)
            }
        };
        self.say(&reply.replace("{address}", address));
        true
    }

    fn say_extensions(&mut self) {
        let script = Arc::clone(&self.arrival.script);
        let mut lines = vec!["at your service"];
        lines.extend(script.extensions.iter().map(String::as_str));
        let last = lines.len();
        for (number, line) in (1..).zip(lines) {
            let mark = if number == last { ' ' } else { '-' };
            self.say(&format!("250{mark}{line}"));
        }
    }

    fn say(&mut self, reply: &str) {
        self.unsaid.extend_from_slice(reply.as_bytes());
        self.unsaid.extend_from_slice(b"\r\n");
    }

    fn say_and_close(&mut self, reply: &str) {
        self.say(reply);
        self.closing = true;
    }

    /// False when the client no longer listens.
    fn speak(&mut self) -> bool {
        if self.unsaid.is_empty() || self.silence.is_some_and(|silence| !silence.passed()) {
            return true;
        }
        let delay = self.arrival.script.byte_delay;
        let length = if delay.is_zero() { self.unsaid.len() } else { 1 };
        if self.closing && length == self.unsaid.len() {
            // Whoever hears the last word may be back before this thread runs again.
            self.arrival.close();
        }
        let now = self.unsaid.get(..length).unwrap_or_default();
        match self.arrival.stream.write(now) {
            Ok(said) => {
                self.unsaid.drain(..said);
                self.silence = (!delay.is_zero()).then(|| Deadline::after(delay));
                true
            }
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }
}
