//! The DNS server a verifier is given: it fails for some names on purpose and asks nsd for all others.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;

use super::network::Network;
use super::nsd;

/// The last number of its address.
pub(super) const HOST: u8 = 3;
/// Enough that a slow answer of nsd does not hold up the next question.
const THREADS: usize = 4;
const MESSAGE_BYTES_MAX: usize = 4_096;
/// How soon threads notice that the rig is gone.
const STOP_POLL: Duration = Duration::from_millis(200);
const UPSTREAM_WAIT: Duration = Duration::from_secs(2);
const HEADER_BYTES: usize = 12;
const RESPONSE: u8 = 0x80;
const SERVER_FAILURE: u8 = 2;

/// Names below this label of the failing domain get SERVFAIL.
const FAILING: &str = "servfail.dns-failure.test";
/// Names below this one get no answer at all.
const SILENT: &str = "silent.dns-failure.test";

/// Threads that answer until the value is dropped.
#[derive(Debug)]
pub(super) struct DnsFront {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl DnsFront {
    pub(super) fn start(network: &Network) -> anyhow::Result<Self> {
        let upstream = network.dns(nsd::HOST);
        let socket = UdpSocket::bind(network.dns(HOST)).context("cannot bind the scripted DNS server")?;
        socket.set_read_timeout(Some(STOP_POLL))?;
        let listener = TcpListener::bind(network.dns(HOST)).context("cannot bind the scripted DNS server")?;
        listener.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            let (socket, stop) = (socket.try_clone()?, Arc::clone(&stop));
            threads.push(std::thread::spawn(move || answer_datagrams(&socket, upstream, &stop)));
        }
        let stopped = Arc::clone(&stop);
        threads.push(std::thread::spawn(move || answer_streams(&listener, upstream, &stopped)));
        Ok(Self { stop, threads })
    }
}

impl Drop for DnsFront {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

fn answer_datagrams(socket: &UdpSocket, upstream: SocketAddr, stop: &AtomicBool) {
    let mut question = [0; MESSAGE_BYTES_MAX];
    while !stop.load(Ordering::Relaxed) {
        let Ok((length, asker)) = socket.recv_from(&mut question) else { continue };
        let question = question.get(..length).unwrap_or_default();
        if let Some(answer) = answer(question, upstream) {
            // An asker that has gone meanwhile is no concern of the server.
            drop(socket.send_to(&answer, asker));
        }
    }
}

fn answer_streams(listener: &TcpListener, upstream: SocketAddr, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => drop(answer_stream(stream, upstream)),
            Err(_) => std::thread::sleep(STOP_POLL),
        }
    }
}

/// One question a connection; who has more asks again.
fn answer_stream(mut stream: TcpStream, upstream: SocketAddr) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(STOP_POLL))?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut question)?;
    let Some(answer) = answer(&question, upstream) else { return Ok(()) };
    let length = u16::try_from(answer.len()).unwrap_or_default();
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(&answer)
}

fn answer(question: &[u8], upstream: SocketAddr) -> Option<Vec<u8>> {
    let name = asked_name(question)?;
    if is_below(&name, SILENT) {
        return None;
    }
    if is_below(&name, FAILING) {
        return failure(question);
    }
    forward(question, upstream).ok()
}

fn is_below(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The name in the question, in lower case, without the final dot.
fn asked_name(question: &[u8]) -> Option<String> {
    let mut rest = question.get(HEADER_BYTES..)?;
    let mut labels = Vec::new();
    while let Some((length, tail)) = rest.split_first() {
        if *length == 0 {
            return Some(labels.join("."));
        }
        let (label, tail) = tail.split_at_checked(usize::from(*length))?;
        labels.push(String::from_utf8_lossy(label).to_lowercase());
        rest = tail;
    }
    None
}

/// The question sent back as an answer that says the server failed.
fn failure(question: &[u8]) -> Option<Vec<u8>> {
    let mut answer = question.to_vec();
    let [_, _, flags, result, ..] = answer.as_mut_slice() else { return None };
    *flags |= RESPONSE;
    *result = SERVER_FAILURE;
    Some(answer)
}

fn forward(question: &[u8], upstream: SocketAddr) -> std::io::Result<Vec<u8>> {
    let socket = UdpSocket::bind(("127.0.0.1", 0))?;
    socket.set_read_timeout(Some(UPSTREAM_WAIT))?;
    socket.connect(upstream)?;
    socket.send(question)?;
    let mut answer = vec![0; MESSAGE_BYTES_MAX];
    let length = socket.recv(&mut answer)?;
    answer.truncate(length);
    Ok(answer)
}
