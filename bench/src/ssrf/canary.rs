//! Listeners that count who comes, and to which address.

use super::forms::{Expected, Form, Lead};
use super::namespace;
use anyhow::{Context, Result};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The receiver that may be reached: somewhere public, or an address of loopback that stands in for it.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
const STAND_IN: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 99, 99, 99));
const STAND_IN_RANGE: &str = "127.99.99.99";

type Calls = Arc<Mutex<Vec<IpAddr>>>;

/// All that listens. A connection to any address but the public one is one to a canary.
#[derive(Debug)]
pub struct Network {
    pub port: u16,
    pub ports: Vec<u16>,
    pub public: IpAddr,
    /// Whether a connection to any address would be seen.
    pub is_everywhere: bool,
    has_v6: bool,
    calls: Calls,
    _listening: JoinSet<()>,
}

impl Network {
    pub async fn listen(is_everywhere: bool) -> Result<Self> {
        if is_everywhere {
            namespace::make_everything_local()?;
        }
        let has_v6 = TcpListener::bind("[::1]:0").await.is_ok();
        let any = if has_v6 { "[::]" } else { "0.0.0.0" };
        let calls = Calls::default();
        let mut listening = JoinSet::new();
        let mut ports = Vec::new();
        // The usual ports are free only in a network of our own.
        let wanted: &[u16] = if is_everywhere { &[0, 80, 443] } else { &[0] };
        for port in wanted {
            let listener = TcpListener::bind(format!("{any}:{port}")).await;
            let listener = listener.with_context(|| format!("cannot listen at port {port}"))?;
            ports.push(listener.local_addr()?.port());
            listening.spawn(accept(listener, Arc::clone(&calls)));
        }
        let port = *ports.first().context("nothing listens")?;
        let public = if is_everywhere { PUBLIC } else { STAND_IN };
        Ok(Self { port, ports, public, is_everywhere, has_v6, calls, _listening: listening })
    }

    /// What has to be allowed for the public receiver to be reached.
    pub fn stand_in(&self) -> Option<&'static str> {
        (!self.is_everywhere).then_some(STAND_IN_RANGE)
    }

    /// The addresses of canaries that were reached.
    pub fn canary_calls(&self) -> Vec<IpAddr> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().copied().filter(|address| *address != self.public).collect()
    }

    pub fn public_calls(&self) -> usize {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter(|address| **address == self.public).count()
    }

    pub fn forget(&self) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub async fn wait_for_canary(&self, patience: Duration) -> bool {
        for _ in 0..20 {
            if !self.canary_calls().is_empty() {
                return true;
            }
            tokio::time::sleep(patience / 20).await;
        }
        !self.canary_calls().is_empty()
    }

    /// Whether a canary must be reached by this form when nothing is forbidden.
    pub fn sees(&self, form: &Form) -> bool {
        let leads = match form.lead {
            Lead::Loopback => true,
            Lead::Anywhere => self.is_everywhere,
            Lead::Nowhere => false,
        };
        leads && form.expected == Expected::Forbidden && (self.has_v6 || !form.needs_v6())
    }
}

async fn accept(listener: TcpListener, calls: Calls) {
    let mut answering = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // The address that was dialled.
        if let Ok(address) = stream.local_addr() {
            calls.lock().unwrap_or_else(PoisonError::into_inner).push(address.ip().to_canonical());
        }
        answering.spawn(answer(stream));
    }
}

/// `/301?LOCATION` redirects there; all else is taken.
async fn answer(mut stream: TcpStream) {
    let mut head = vec![0; 4_096];
    let length = stream.read(&mut head).await.unwrap_or(0);
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let answer = match path.trim_start_matches('/').split_once('?') {
        Some((status, location)) => {
            format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
        }
        None => "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
    };
    drop(stream.write_all(answer.as_bytes()).await);
}
