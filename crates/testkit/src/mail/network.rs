//! A /24 of loopback addresses that no other rig uses.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener};

use anyhow::{Context, bail};

use crate::template::random;

/// With thousands of networks to choose from, this many taken ones in a row mean something else is wrong.
const ATTEMPTS: u32 = 50;
/// Bound for as long as the rig lives, so that another rig's probe fails.
const CLAIM_HOST: u8 = 254;
/// Any host a server of the rig will listen on; bound for a moment only.
const PROBED_HOST: u8 = 10;
const DNS_PORT: u16 = 53;

/// The network 127.a.b.0/24 and the socket that marks it as taken.
#[derive(Debug)]
pub(super) struct Network {
    a: u8,
    b: u8,
    smtp_port: u16,
    _claim: TcpListener,
}

impl Network {
    pub(super) fn claim(smtp_port: u16) -> anyhow::Result<Self> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let [a, b, ..] = random().to_le_bytes();
            // 127.0 and 127.1 hold what systems put there themselves, such as resolvers.
            let a = 16 + a % 96;
            let at = |host, port| SocketAddrV4::new(Ipv4Addr::new(127, a, b, host), port);
            // Every rig needs the DNS port, whatever its port for mail.
            let bound = TcpListener::bind(at(CLAIM_HOST, DNS_PORT)).and_then(|claim| {
                TcpListener::bind(at(PROBED_HOST, smtp_port))?;
                Ok(claim)
            });
            match bound {
                Ok(claim) => return Ok(Self { a, b, smtp_port, _claim: claim }),
                Err(error) if error.kind() == ErrorKind::AddrInUse => last = Some(error),
                Err(error) => {
                    return Err(error).context(format!("cannot listen on loopback ports {smtp_port} and {DNS_PORT}; the mail rig runs as root"));
                }
            }
        }
        bail!("no loopback network has the ports {smtp_port} and {DNS_PORT} free: {last:?}")
    }

    pub(super) fn address(&self, host: u8) -> Ipv4Addr {
        Ipv4Addr::new(127, self.a, self.b, host)
    }

    pub(super) fn smtp(&self, host: u8) -> SocketAddr {
        self.at(host, self.smtp_port)
    }

    pub(super) fn dns(&self, host: u8) -> SocketAddr {
        self.at(host, DNS_PORT)
    }

    pub(super) fn at(&self, host: u8, port: u16) -> SocketAddr {
        SocketAddr::V4(SocketAddrV4::new(self.address(host), port))
    }

    pub(super) fn smtp_port(&self) -> u16 {
        self.smtp_port
    }

    /// The first three numbers, as zone files and templates write them.
    pub(super) fn prefix(&self) -> String {
        format!("127.{}.{}", self.a, self.b)
    }
}
