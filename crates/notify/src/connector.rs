//! Connecting. The guard sits between looking a name up and dialling: a name that was public when the webhook was made,
//! or a moment ago, gets nowhere else today.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::clock::Stopwatch;
use assay_domain::limits::WEBHOOK_ADDRESSES_MAX;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::guard::{Guard, Judged};
use crate::outcome::{Trouble, Verdict};
use crate::resolver::Resolver;
use crate::target::{Place, Target};

/// A connection, encrypted or not.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Opens connections, each for one delivery.
pub(crate) struct Connector {
    pub(crate) guard: Guard,
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) tls: TlsConnector,
    pub(crate) deadline: Duration,
}

impl Connector {
    /// Looks up, judges, dials and encrypts, all within the deadline. The error says how the delivery ended.
    pub(crate) async fn connect(&self, target: &Target) -> Result<Box<dyn Stream>, Verdict> {
        let opening = Box::pin(self.open(target));
        timeout(self.deadline, opening).await.unwrap_or(Err(Verdict::TimedOut))
    }

    async fn open(&self, target: &Target) -> Result<Box<dyn Stream>, Verdict> {
        let watch = Stopwatch::start();
        let addresses = self.judge(target).await?;
        let stream = self.dial(&addresses, target.port, watch).await?;
        // A delivery is one small write, and nobody gains by waiting for more.
        stream.set_nodelay(true).map_err(|_| Verdict::Unreachable(Trouble::Connect))?;
        if !target.is_encrypted {
            return Ok(Box::new(stream));
        }
        let name = server_name(&target.place).ok_or(Verdict::Unreachable(Trouble::Encryption))?;
        let stream = self.tls.connect(name, stream).await;
        Ok(Box::new(stream.map_err(|_| Verdict::Unreachable(Trouble::Encryption))?))
    }

    /// The addresses that may be dialled. Some of a name's may be refused without harm to the others; when all are, the
    /// first says why. A literal address is judged here as well: the target may be older than the guard's settings.
    async fn judge(&self, target: &Target) -> Result<Vec<Judged>, Verdict> {
        let found: Vec<IpAddr> = match &target.place {
            Place::Address(address) => vec![*address],
            Place::Name(name) => {
                self.resolver.resolve(name).await.map_err(|_| Verdict::Unreachable(Trouble::Name))?
            }
        };
        let mut refusal = None;
        let mut judged = Vec::new();
        for address in found {
            match self.guard.judge(address) {
                Ok(address) => judged.push(address),
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        match refusal {
            Some(reason) if judged.is_empty() => Err(Verdict::Forbidden(reason)),
            None if judged.is_empty() => Err(Verdict::Unreachable(Trouble::Name)),
            _ => {
                judged.truncate(WEBHOOK_ADDRESSES_MAX);
                Ok(judged)
            }
        }
    }

    /// Tries one address after the other. Each gets its share of the time that is left, so that one which swallows all
    /// packets does not keep the next from being tried.
    async fn dial(&self, addresses: &[Judged], port: u16, watch: Stopwatch) -> Result<TcpStream, Verdict> {
        let mut verdict = Verdict::TimedOut;
        for (number, address) in addresses.iter().enumerate() {
            let untried = u32::try_from(addresses.len() - number).unwrap_or(u32::MAX);
            let share = self.deadline.saturating_sub(watch.elapsed()) / untried;
            match timeout(share, TcpStream::connect((address.address(), port))).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(_)) => verdict = Verdict::Unreachable(Trouble::Connect),
                Err(_) => {}
            }
        }
        Err(verdict)
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Connector({:?}, {:?}, {:?})", self.guard, self.resolver, self.deadline)
    }
}

/// Whom the certificate has to name. The dot at the end of a name is for the resolver only.
fn server_name(place: &Place) -> Option<ServerName<'static>> {
    match place {
        Place::Address(address) => Some(ServerName::from(*address)),
        Place::Name(name) => ServerName::try_from(name.strip_suffix('.').unwrap_or(name).to_owned()).ok(),
    }
}
