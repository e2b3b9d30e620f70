//! The bar `ssrf`: no webhook leads into a private network, however its url is spelt and whatever its name turns into.
//!
//! It runs in a network of its own in which every address leads back to this machine, so that a connection to any address
//! is seen. Where the system allows no such network, only what leads to loopback can be seen.

mod canary;
mod forms;
mod names;
mod namespace;

use crate::bar::{Complaints, Verdict as BarVerdict, grouped, progress};
use anyhow::{Result, ensure};
use assay_domain::IpRange;
use assay_notify::{Guard, Resolver, Sender, SenderSettings, Target, Verdict};
use bytes::Bytes;
use canary::Network;
use forms::{Expected, Form, forms};
use names::{Fixed, Rebinding};
use std::sync::Arc;
use std::time::Duration;

const TRIES: usize = 1_000;
const TRIES_SHORT: usize = 200;
const FORMS_MIN: usize = 80;
const CONTROL_TRIES: usize = 20;
/// Nothing here is further away than this machine.
const DEADLINE: Duration = Duration::from_secs(2);
/// Time for a connection that was made to be counted.
const SETTLE: Duration = Duration::from_millis(200);

pub async fn run(short: bool) -> Result<BarVerdict> {
    if !namespace::is_inside()
        && let Some(verdict) = namespace::run_inside("ssrf", short)?
    {
        return Ok(verdict);
    }
    let network = Network::listen(namespace::is_inside()).await?;
    let tries = if short { TRIES_SHORT } else { TRIES };
    let mut complaints = Complaints::default();
    let forms = forms(&network);
    ensure!(forms.len() >= FORMS_MIN, "{} forms are too few", forms.len());

    try_forms(&network, &forms, &mut complaints).await?;
    try_names(&network, tries, &mut complaints).await?;
    tokio::time::sleep(SETTLE).await;
    let reached = network.canary_calls();
    for address in &reached {
        complaints.add(format!("a canary at {address} was reached"));
    }
    let control = control(&network, &forms, &mut complaints).await?;
    let figure = format!(
        "ssrf: {} connections to canaries from {} url forms and {} rebinding tries ({}), {} complaints; control with every \
         range allowed: {control} forms reached one",
        reached.len(),
        forms.len(),
        grouped(tries),
        if network.is_everywhere { "canaries at every address" } else { "canaries on loopback only" },
        complaints.count(),
    );
    Ok(BarVerdict { figure, passed: complaints.is_empty() && reached.is_empty() })
}

/// What stands between a url and a canary is the guard of addresses alone: plain http and the canaries' ports are allowed.
fn guard(network: &Network, allowed: &[&str]) -> Result<Guard> {
    let allowed = allowed.iter().copied().chain(network.stand_in());
    let allowed = allowed.map(IpRange::parse).collect::<Result<_, _>>()?;
    Ok(Guard { allowed, allow_http: true, ports: network.ports.clone() })
}

fn sender(guard: &Guard, resolver: Arc<impl Resolver + 'static>) -> Result<Sender> {
    Ok(Sender::new(SenderSettings {
        guard: guard.clone(),
        resolver,
        deadline: DEADLINE,
        connect_deadline: DEADLINE,
        ..SenderSettings::default()
    })?)
}

async fn send(sender: &Sender, guard: &Guard, url: &str) -> Verdict {
    match Target::parse(url, guard) {
        Ok(target) => sender.send(&target, &[], Bytes::from_static(b"{}")).await.verdict,
        Err(refusal) => Verdict::Forbidden(refusal),
    }
}

async fn try_forms(network: &Network, forms: &[Form], complaints: &mut Complaints) -> Result<()> {
    progress(format!("{} url forms", forms.len()));
    let guard = guard(network, &[])?;
    let sender = sender(&guard, Arc::new(Fixed))?;
    for form in forms {
        let verdict = send(&sender, &guard, &form.url).await;
        let right = match form.expected {
            Expected::Forbidden => matches!(verdict, Verdict::Forbidden(_)),
            Expected::Refused(status) => verdict == Verdict::Refused(status),
        };
        if !right {
            complaints.add(format!("{} ended as {verdict:?}", form.url));
        }
    }
    Ok(())
}

/// Each name is public when it is looked up first and private from then on, or both at once.
async fn try_names(network: &Network, tries: usize, complaints: &mut Complaints) -> Result<()> {
    progress(format!("{} tries with names that change", grouped(tries)));
    let guard = guard(network, &[])?;
    let names = Arc::new(Rebinding::new(network.public));
    let sender = sender(&guard, Arc::clone(&names))?;
    let before = network.public_calls();
    let mut delivered = 0;
    for number in 0..tries {
        let url = format!("http://{}:{}/", Rebinding::name(number / 2), network.port);
        let verdict = send(&sender, &guard, &url).await;
        delivered += usize::from(verdict == Verdict::Delivered);
        let right = match names.answer(number / 2, number % 2).contains(&network.public) {
            true => verdict == Verdict::Delivered,
            false => matches!(verdict, Verdict::Forbidden(_)),
        };
        if !right {
            complaints.add(format!("{url} ended as {verdict:?}"));
        }
    }
    tokio::time::sleep(SETTLE).await;
    let reached = network.public_calls() - before;
    if names.asked() != tries {
        complaints.add(format!("{} look-ups for {tries} tries", names.asked()));
    }
    if reached != delivered || delivered < tries / 2 {
        complaints.add(format!("{delivered} delivered, {reached} connections to the public receiver"));
    }
    Ok(())
}

/// The same with every range allowed: what was not reached before is reached now, or the bar is blind.
async fn control(network: &Network, forms: &[Form], complaints: &mut Complaints) -> Result<String> {
    let guard = guard(network, &["0.0.0.0/0", "::/0"])?;
    let fixed = sender(&guard, Arc::new(Fixed))?;
    let visible = forms.iter().filter(|form| network.sees(form)).collect::<Vec<_>>();
    let mut reached = 0;
    for form in &visible {
        network.forget();
        send(&fixed, &guard, &form.url).await;
        if network.wait_for_canary(SETTLE).await {
            reached += 1;
        } else {
            complaints.add(format!("control: {} did not reach a canary", form.url));
        }
    }
    network.forget();
    let names = Arc::new(Rebinding::new(network.public));
    let changing = sender(&guard, names)?;
    for number in 0..CONTROL_TRIES {
        let url = format!("http://{}:{}/", Rebinding::name(number / 2), network.port);
        send(&changing, &guard, &url).await;
    }
    if !network.wait_for_canary(SETTLE).await {
        complaints.add("control: no name that changes reached a canary");
    }
    ensure!(!visible.is_empty(), "no form leads to a canary");
    Ok(format!("{reached} of {}", visible.len()))
}
