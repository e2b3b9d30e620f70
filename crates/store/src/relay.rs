//! Connections that follow the primary: a socket inside this process, behind which is whichever server takes writes.
//!
//! A server that vanished or was stopped says nothing, and whoever waits for its answer would wait for as long as TCP does,
//! which is a quarter of an hour. Here all that lead to the old primary are cut at the moment there is a new one, whatever
//! they wait for. One that is opened while nobody takes writes waits until somebody does, or until its owner gives up.

use crate::primary::{Primary, servers_of, watch_over};
use crate::task;
use assay_domain::limits::{PRIMARY_CONNECT_MAX, PRIMARY_RETRY_EVERY};
use sqlx::Error;
use sqlx::postgres::PgConnectOptions;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{Interest, copy_bidirectional};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Names tried before there must be another reason why none is free.
const NAMES_MAX: u32 = 1_000;
static NAMES: AtomicU32 = AtomicU32::new(0);

/// The socket and what is behind it, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Relay {
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// How to connect to what a connection string names: one server as it is, several through a relay, which must be kept.
pub(crate) fn reach(url: &str) -> Result<(PgConnectOptions, Option<Relay>), Error> {
    let servers = servers_of(url)?;
    match servers.as_slice() {
        [first, _, ..] => {
            let (listener, folder) = listen(first.get_port())?;
            let options = first.clone().socket(folder);
            let (told, primary) = watch::channel(None);
            let places = servers.iter().map(|server| (server.get_host().to_owned(), server.get_port()));
            let places: Places = places.collect();
            let accepting = task::spawn("relay", accept(listener, places, primary));
            let watching = task::spawn("primary", watch_over(servers, told));
            Ok((options, Some(Relay { tasks: vec![accepting, watching] })))
        }
        [only] => Ok((only.clone(), None)),
        [] => Err(Error::Configuration("no server is named".into())),
    }
}

type Places = Arc<[(String, u16)]>;

/// A socket that has a name but no file, and so leaves nothing behind; the name is of the form the driver makes of a
/// folder and a port. Processes that share a network may have the same number, so the next free name is taken.
fn listen(port: u16) -> io::Result<(UnixListener, String)> {
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..NAMES_MAX {
        let number = NAMES.fetch_add(1, Ordering::Relaxed);
        let folder = format!("\0assay-{}-{number}", std::process::id());
        match UnixListener::bind(format!("{folder}/.s.PGSQL.{port}")) {
            Ok(listener) => return Ok((listener, folder)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

async fn accept(listener: UnixListener, places: Places, primary: watch::Receiver<Option<Primary>>) {
    // It belongs to the user whom this process runs as.
    let me = std::fs::metadata("/proc/self").map(|process| process.uid()).ok();
    loop {
        match listener.accept().await {
            // A name without a file has no permissions: everybody on this machine can connect to it.
            Ok((client, _)) if client.peer_cred().ok().map(|peer| peer.uid()) == me => {
                task::spawn("relayed", carry(client, Arc::clone(&places), primary.clone()));
            }
            Ok(_) => tracing::warn!("another user connected to the socket that leads to the database"),
            Err(error) => {
                tracing::warn!(%error, "a connection to the database could not be taken");
                tokio::time::sleep(PRIMARY_RETRY_EVERY).await;
            }
        }
    }
}

/// One connection, until either side ends it or another server is the primary.
async fn carry(mut client: UnixStream, places: Places, mut primary: watch::Receiver<Option<Primary>>) {
    let Some((at, mut server)) = connect(&client, &places, &mut primary).await else { return };
    // Broken by whichever side: both are closed, which is all there is to tell.
    tokio::select! {
        carried = copy_bidirectional(&mut client, &mut server) => drop(carried),
        changed = primary.wait_for(|now| *now != Some(at)) => drop(changed),
    }
}

/// Tries until the primary takes the connection. None when nobody waits for it any more.
async fn connect(
    client: &UnixStream,
    places: &Places,
    primary: &mut watch::Receiver<Option<Primary>>,
) -> Option<(Primary, TcpStream)> {
    loop {
        let at = *primary.borrow_and_update();
        if let Some(at) = at
            && let Some((host, port)) = places.get(at.server)
        {
            let connecting = TcpStream::connect((host.trim_matches(['[', ']']), *port));
            tokio::select! {
                connected = tokio::time::timeout(PRIMARY_CONNECT_MAX, connecting) => {
                    if let Ok(Ok(server)) = connected {
                        server.set_nodelay(true).ok()?;
                        return Some((at, server));
                    }
                }
                changed = primary.changed() => changed.ok()?,
            }
        }
        if let Ok(changed) = tokio::time::timeout(PRIMARY_RETRY_EVERY, primary.changed()).await {
            changed.ok()?;
        }
        if is_gone(client).await {
            return None;
        }
    }
}

/// Whether the other side has hung up. What it has sent is left where it is.
async fn is_gone(client: &UnixStream) -> bool {
    let ready = tokio::time::timeout(PRIMARY_RETRY_EVERY, client.ready(Interest::READABLE)).await;
    match ready {
        Ok(Ok(ready)) => ready.is_read_closed(),
        Ok(Err(_)) => true,
        Err(_) => false,
    }
}
