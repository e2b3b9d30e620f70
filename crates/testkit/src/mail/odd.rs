//! The scripted servers: one thread waits at each address, and one holds all conversations.
//!
//! A connection costs no thread, so a tarpit may hold thousands: its connections are only looked at once a second.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;

use super::scripts::{Greeting, Script};
use super::session::{Arrival, Session};
use super::tally::{Counts, Tally};
use crate::clock::Deadline;

/// How often conversations are looked at.
const TICK: Duration = Duration::from_millis(4);
/// How often connections nobody speaks on are looked at.
const SWEEP: Duration = Duration::from_secs(1);
/// A process out of file handles waits this long for some to be given back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const WAKE_WAIT: Duration = Duration::from_secs(1);

/// All scripted servers of a rig; dropping the value closes them and every connection.
#[derive(Debug)]
pub(super) struct OddServers {
    stop: Arc<AtomicBool>,
    arrivals: Option<Sender<Arrival>>,
    counts: BTreeMap<SocketAddr, Arc<Counts>>,
    doors: Vec<(SocketAddr, JoinHandle<()>)>,
    desk: Option<JoinHandle<()>>,
}

impl OddServers {
    pub(super) fn start() -> Self {
        let (arrivals, arrived) = channel();
        let desk = std::thread::spawn(move || converse(&arrived));
        let stop = Arc::new(AtomicBool::new(false));
        Self { stop, arrivals: Some(arrivals), counts: BTreeMap::new(), doors: Vec::new(), desk: Some(desk) }
    }

    pub(super) fn serve(&mut self, address: SocketAddr, script: Script) -> anyhow::Result<()> {
        let arrivals = self.arrivals.clone().context("the scripted servers are closed")?;
        let listener = TcpListener::bind(address)
            .with_context(|| format!("cannot bind a scripted server to {address}"))?;
        let counts = Arc::new(Counts::default());
        self.counts.insert(address, Arc::clone(&counts));
        let later = script.later.as_ref().map(|(from, later)| (*from, Arc::new(Script::clone(later))));
        let (script, stop) = (Arc::new(script), Arc::clone(&self.stop));
        let door = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let Ok((stream, _)) = listener.accept() else {
                    std::thread::sleep(ACCEPT_PAUSE);
                    continue;
                };
                let number = counts.open();
                let later = later.as_ref().filter(|(from, _)| number >= *from);
                let script = Arc::clone(later.map_or(&script, |(_, later)| later));
                let arrival = Arrival::new(stream, script, Arc::clone(&counts));
                if arrival.stream.set_nonblocking(true).is_err() || arrivals.send(arrival).is_err() {
                    return;
                }
            }
        });
        self.doors.push((address, door));
        Ok(())
    }

    pub(super) fn tally(&self, address: SocketAddr) -> Option<Tally> {
        self.counts.get(&address).map(|counts| counts.tally())
    }
}

impl Drop for OddServers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for (address, door) in self.doors.drain(..) {
            // Wakes the thread that waits there.
            drop(TcpStream::connect_timeout(&address, WAKE_WAIT));
            drop(door.join());
        }
        // With the last sender gone the desk ends by itself.
        self.arrivals = None;
        if let Some(desk) = self.desk.take() {
            drop(desk.join());
        }
    }
}

fn converse(arrivals: &Receiver<Arrival>) {
    let mut sessions = Vec::new();
    let mut parked = Vec::new();
    let mut sweep = Deadline::after(SWEEP);
    loop {
        let wait = if sessions.is_empty() { SWEEP } else { TICK };
        let first = match arrivals.recv_timeout(wait) {
            Ok(arrival) => Some(arrival),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        for arrival in first.into_iter().chain(arrivals.try_iter()) {
            if arrival.script.greeting == Greeting::Never {
                parked.push(arrival);
            } else {
                sessions.push(Session::new(arrival));
            }
        }
        sessions.retain_mut(Session::step);
        if sweep.passed() {
            parked.retain_mut(Arrival::is_open);
            sweep = Deadline::after(SWEEP);
        }
    }
}
