//! Drives a verification: asks DNS who takes the mail, asks them for the address and for strangers, judges the answers.
//!
//! Remembers nothing and keeps no pace: whoever calls knows what was learnt before and when an operator may be asked.

use std::time::Duration;

use assay_domain::clock::Stopwatch;
use assay_domain::limits::{MAIL_DEADLINE, MAIL_VERDICT_MARGIN};
use futures_util::future::join_all;
use rand::Rng;

use crate::address::Checked;
use crate::error::MailboxError;
use crate::exchange::{Dns, Exchange, Exchanges};
use crate::probe::{MailHost, ProbeSettings, Prober};
use crate::provider::MailService;

use super::{DomainKnowledge, Reason, Verdict, draw_strangers, judge};

/// Verifies addresses. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Verifier {
    dns: Dns,
    /// None where there is no way to mail servers.
    prober: Option<Prober>,
    pub(super) deadline: Duration,
}

/// The way to a domain's mail, as DNS tells it.
#[derive(Debug, Clone)]
pub struct Route {
    exchanges: Exchanges,
    /// Nothing where nobody takes the mail.
    service: Option<MailService>,
    /// Nothing where DNS would not tell where any of them stands.
    hosts: Option<Vec<MailHost>>,
}

impl Route {
    /// Of a domain whose mail nobody takes.
    pub fn nowhere() -> Self {
        Self { exchanges: Exchanges::Nothing, service: None, hosts: None }
    }

    /// Who will be asked, if anybody has to be: before that, their pace can be kept.
    pub fn service(&self) -> Option<&MailService> {
        self.service.as_ref().filter(|_| self.hosts.is_some())
    }
}

impl Verifier {
    pub fn new(dns: Dns, settings: ProbeSettings) -> Result<Self, MailboxError> {
        Ok(Self { dns, prober: Some(Prober::new(settings)?), deadline: MAIL_DEADLINE })
    }

    /// Asks DNS alone: for an installation that may not connect to mail servers.
    pub fn without_servers(dns: Dns) -> Self {
        Self { dns, prober: None, deadline: MAIL_DEADLINE }
    }

    /// Whether mail servers are asked at all.
    pub fn asks_servers(&self) -> bool {
        self.prober.is_some()
    }

    /// A verdict within `MAIL_DEADLINE`. Strangers are drawn from `random`: where the verdict says to try again, a
    /// generator seeded alike asks for the same ones, else a server that makes everyone wait never gets to know them.
    pub async fn verify(
        &self,
        checked: &Checked,
        known: DomainKnowledge,
        random: &mut (impl Rng + Send),
    ) -> Verdict {
        let watch = Stopwatch::start();
        let route = self.find_route(checked).await;
        let left = self.deadline.saturating_sub(MAIL_VERDICT_MARGIN).saturating_sub(watch.elapsed());
        self.ask(checked, &route, known, random, left).await
    }

    /// The first half: asks DNS alone, and not even that for an address to throw away.
    pub async fn find_route(&self, checked: &Checked) -> Route {
        if checked.disposable.is_some() {
            return Route::nowhere();
        }
        let domain = checked.email.host();
        let exchanges = self.dns.exchanges(domain).await;
        let listed = match &exchanges {
            Exchanges::Hosts(listed) => listed.clone(),
            Exchanges::Implicit => vec![Exchange { preference: 0, host: domain.to_owned() }],
            _ => return Route { exchanges, service: None, hosts: None },
        };
        let mut service = MailService::of_exchanges(&listed);
        let texts = async {
            let wants = service.as_ref().is_some_and(MailService::wants_texts);
            // Texts only complete the picture: without them it is less complete.
            if wants { self.dns.texts(domain).await.unwrap_or_default() } else { Vec::new() }
        };
        let (texts, hosts) = tokio::join!(texts, self.find_hosts(&listed));
        if let Some(service) = &mut service {
            service.read_texts(&texts);
        }
        Route { exchanges, service, hosts }
    }

    /// The hosts whose addresses can be learnt; nothing if that fails for all that might have one.
    async fn find_hosts(&self, listed: &[Exchange]) -> Option<Vec<MailHost>> {
        let found = join_all(listed.iter().map(|exchange| self.dns.addresses(&exchange.host))).await;
        let is_any_unknown = found.iter().any(Result::is_err);
        let hosts: Vec<MailHost> = listed
            .iter()
            .zip(found)
            .filter_map(|(exchange, found)| {
                Some(MailHost { name: exchange.host.clone(), addresses: found.ok()? })
            })
            .collect();
        let is_nowhere = hosts.iter().all(|host| host.addresses.is_empty());
        if is_any_unknown && is_nowhere { None } else { Some(hosts) }
    }

    /// The second half: asks the servers on the route, for no longer than `within`.
    pub async fn ask(
        &self,
        checked: &Checked,
        route: &Route,
        known: DomainKnowledge,
        random: &mut (impl Rng + Send),
        within: Duration,
    ) -> Verdict {
        let service = route.service.as_ref();
        let Some(prober) = &self.prober else { return self.put_off(checked, route, known, Reason::NotAsked) };
        let probed = match &route.hosts {
            Some(hosts) => {
                let mut recipients = vec![checked.email.clone()];
                if wants_strangers(service, known) {
                    recipients.extend(draw_strangers(checked.email.host(), random));
                }
                Some(Box::pin(prober.probe_first(hosts, &recipients, within)).await)
            }
            None => None,
        };
        judge(checked, &route.exchanges, service, probed.as_ref(), known)
    }

    /// What can be said without asking the servers on the route, if it has any: then why nobody asked.
    pub fn put_off(&self, checked: &Checked, route: &Route, known: DomainKnowledge, why: Reason) -> Verdict {
        let service = route.service.as_ref();
        let verdict = judge(checked, &route.exchanges, service, None, known);
        if route.service().is_some() { verdict.because(why) } else { verdict }
    }
}

/// Whether the answers for strangers could change the verdict.
fn wants_strangers(service: Option<&MailService>, known: DomainKnowledge) -> bool {
    let is_spared =
        service.is_some_and(|service| service.skip_catch_all_probe || !service.operator.settles_by_rcpt());
    known.catch_all.is_none() && !is_spared
}
