//! Real mail servers and a real DNS server on loopback addresses, for tests and bars of the email verifier.
//!
//! [`MailRig`] starts them; [`BEHAVIOURS`] says what each domain does and what is true of its addresses.

mod behaviours;
mod certificate;
mod dns_front;
mod exim;
mod hosted;
mod jail;
mod leftovers;
mod mailboxes;
mod network;
mod nsd;
mod odd;
mod opensmtpd;
mod packages;
mod postfix;
mod postfix_instances;
mod postgrey;
mod scripts;
mod session;
mod tally;
#[cfg(test)]
mod tests;
mod zones;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Child;

use anyhow::{anyhow, bail};

pub use behaviours::{BEHAVIOUR_COUNT, BEHAVIOURS, Behaviour, Server, Truth, behaviour};
pub use hosted::{HostedDomain, Hosting};
pub use mailboxes::ADDRESSES;
pub use scripts::{Greeting, Recipients, Script};
pub use tally::Tally;

use crate::template::random;
use dns_front::DnsFront;
use jail::Jail;
use network::Network;
use odd::OddServers;

/// What may be chosen about a rig; the default has all servers, on the port mail uses.
#[derive(Debug, Clone)]
pub struct MailRigOptions {
    /// The port of every mail server, each on an address of its own.
    pub smtp_port: u16,
    /// Which servers are started, DNS apart. Exim's second domain needs Postfix behind it.
    pub servers: Vec<Server>,
    /// How long a greylisted sender must wait.
    pub greylist_delay_s: u32,
    /// How long the server that greets late keeps its clients waiting.
    pub greet_delay_s: u32,
    /// Lines for the zone `test`, with whole names such as `more.test. MX 10 mx.more.test.`; `{net}` stands for the
    /// first three numbers of the rig's network.
    pub records: Vec<String>,
    /// The same for the zone `example`.
    pub example_records: Vec<String>,
    /// Domains below `example` with mailboxes of the caller's; the rig writes the records that lead to their servers.
    pub hosted: Vec<HostedDomain>,
}

impl Default for MailRigOptions {
    fn default() -> Self {
        Self {
            smtp_port: 25,
            servers: vec![Server::Postfix, Server::Exim, Server::OpenSmtpd, Server::Scripted],
            greylist_delay_s: 2,
            greet_delay_s: 6,
            records: Vec::new(),
            example_records: Vec::new(),
            hosted: Vec::new(),
        }
    }
}

/// Running servers. Dropping the value stops them and removes all they wrote.
#[derive(Debug)]
pub struct MailRig {
    folder: PathBuf,
    network: Network,
    odd: Option<OddServers>,
    dns_front: Option<DnsFront>,
    postgrey: Option<Child>,
}

impl MailRig {
    /// What is not installed, by the names of Debian's packages.
    #[must_use]
    pub fn missing_packages() -> Vec<&'static str> {
        packages::missing()
    }

    /// Installs what is missing, as root, and starts none of it. It replaces a mail server the system may have.
    pub fn install() -> anyhow::Result<()> {
        packages::install()
    }

    /// Starts the servers and returns when all answer.
    pub fn start(options: &MailRigOptions) -> anyhow::Result<Self> {
        let missing = Self::missing_packages();
        if !missing.is_empty() {
            bail!("the mail rig needs Debian packages that are missing: {}", missing.join(", "));
        }
        leftovers::sweep()?;
        let network = Network::claim(options.smtp_port)?;
        let folder = leftovers::create_folder(random())?;
        let mut rig = Self { folder, network, odd: None, dns_front: None, postgrey: None };
        rig.postgrey = rig.start_processes(options)?;
        rig.dns_front = Some(DnsFront::start(&rig.network)?);
        let mut odd = OddServers::start();
        if options.servers.contains(&Server::Scripted) {
            for (host, script) in scripts::of_catalogue() {
                odd.serve(rig.network.smtp(host), script)?;
            }
        }
        rig.odd = Some(odd);
        Ok(rig)
    }

    /// The DNS server to give to a verifier: it knows every domain of the catalogue, and fails where it should.
    #[must_use]
    pub fn dns(&self) -> SocketAddr {
        self.network.dns(dns_front::HOST)
    }

    /// The real DNS server behind [`MailRig::dns`].
    #[must_use]
    pub fn name_server(&self) -> SocketAddr {
        self.network.dns(nsd::HOST)
    }

    /// An address of the rig's network. Numbers from 100 to 250 are for whoever uses the rig.
    #[must_use]
    pub fn address(&self, host: u8) -> Ipv4Addr {
        self.network.address(host)
    }

    /// The mail server at an address of the rig's network.
    #[must_use]
    pub fn smtp(&self, host: u8) -> SocketAddr {
        self.network.smtp(host)
    }

    #[must_use]
    pub fn smtp_port(&self) -> u16 {
        self.network.smtp_port()
    }

    /// Where the servers keep settings and logs until the rig is dropped.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a scripted server at an address nobody listens at yet.
    pub fn serve(&mut self, host: u8, script: Script) -> anyhow::Result<()> {
        let address = self.network.smtp(host);
        self.odd.as_mut().map_or(Ok(()), |odd| odd.serve(address, script))
    }

    /// What clients did to a scripted server; `None` for a real one.
    #[must_use]
    pub fn tally(&self, host: u8) -> Option<Tally> {
        self.odd.as_ref()?.tally(self.network.smtp(host))
    }

    /// How many sessions the server of the hosted domains of a kind has had so far.
    pub fn hosted_sessions(&self, hosting: Hosting) -> anyhow::Result<usize> {
        hosted::sessions(&self.folder, hosting)
    }

    /// Starts what runs outside of this process, side by side, since each is slow for reasons of its own.
    fn start_processes(&self, options: &MailRigOptions) -> anyhow::Result<Option<Child>> {
        let wants = |server| options.servers.contains(&server);
        std::thread::scope(|scope| {
            let mut starting = vec![
                scope.spawn(|| nsd::start(&self.folder, &self.network, options)),
                scope.spawn(|| self.start_jailed(wants(Server::Exim), wants(Server::OpenSmtpd))),
            ];
            if wants(Server::Postfix) {
                starting.push(scope.spawn(|| {
                    certificate::write_expired(&self.folder.join("tls"))?;
                    postfix_instances::mailboxes(&self.folder, &self.network)?.start(&self.folder)
                }));
                starting.push(scope.spawn(|| {
                    postfix_instances::gates(&self.folder, &self.network, options.greet_delay_s)?
                        .start(&self.folder)
                }));
            }
            let hosts = !options.hosted.is_empty();
            if hosts {
                starting.push(scope.spawn(|| {
                    hosted::instance(&self.folder, &self.network, &options.hosted).start(&self.folder)
                }));
            }
            let postgrey = (hosts || wants(Server::Postfix)).then(|| {
                scope.spawn(|| postgrey::start(&self.folder, &self.network, options.greylist_delay_s))
            });
            let started = starting.into_iter().map(join).collect::<Vec<_>>();
            let child = postgrey.map(join).transpose()?;
            match started.into_iter().collect::<anyhow::Result<()>>() {
                Ok(()) => Ok(child),
                Err(error) => {
                    if let Some(child) = child {
                        reap(child);
                    }
                    Err(error)
                }
            }
        })
    }

    fn start_jailed(&self, exim: bool, opensmtpd: bool) -> anyhow::Result<()> {
        if !exim && !opensmtpd {
            return Ok(());
        }
        let jail = Jail::build(&self.folder, &self.network)?;
        if exim {
            exim::start(&jail, &self.network)?;
        }
        if opensmtpd {
            opensmtpd::start(&jail, &self.network)?;
        }
        Ok(())
    }
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, anyhow::Result<T>>) -> anyhow::Result<T> {
    thread.join().map_err(|_| anyhow!("a thread that starts servers panicked"))?
}

fn reap(mut child: Child) {
    // Gone already, or killed with the rest of the folder: both are what is wanted.
    drop(child.kill());
    drop(child.wait());
}

impl Drop for MailRig {
    fn drop(&mut self) {
        self.odd = None;
        self.dns_front = None;
        if let Some(child) = self.postgrey.take() {
            reap(child);
        }
        drop(leftovers::remove(&self.folder));
    }
}
