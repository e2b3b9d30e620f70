//! `assay provider test`: one question to one vendor, raw beside mapped.

use super::read_lookup;
use crate::config::Config;
use crate::failure::Failure;
use crate::{Session, out};
use assay_domain::{AccountId, Domain, Email, Lookup, NetworkUrl, PersonName, Phone};
use assay_engine::upstream::Roster;
use assay_sources::{Question, Subject, VendorPlace};
use clap::Args;
use serde_json::{Value, json};

#[derive(Debug, Args)]
pub struct Test {
    name: String,
    #[arg(value_parser = read_lookup)]
    lookup: Lookup,
    #[arg(long)]
    first_name: Option<String>,
    #[arg(long)]
    last_name: Option<String>,
    #[arg(long)]
    domain: Option<Domain>,
    #[arg(long)]
    company: Option<String>,
    #[arg(long)]
    email: Option<Email>,
    #[arg(long)]
    phone: Option<Phone>,
    #[arg(long)]
    network_url: Option<String>,
    #[arg(long)]
    country: Option<String>,
    /// With this account's own key.
    #[arg(long)]
    account: Option<AccountId>,
}

impl Test {
    pub async fn run(self, session: &Session, config: &Config, roster: &Roster) -> Result<(), Failure> {
        let provider = super::known(roster, &self.name)?;
        let fix = format!("keep one first: assay provider key {}", self.name);
        let (key, _) = roster
            .key(&self.name, self.account)
            .ok_or_else(|| Failure::new(format!("{} has no key", self.name), fix))?;
        let place = VendorPlace {
            base_url: provider.base_url.clone(),
            key: key.clone(),
            scope: "test".to_owned(),
            requests_per_minute: None,
            price: None,
        };
        let question = Question { lookup: self.lookup, subject: self.subject(config)? };
        let client = config.upstreams.client(&config.hosts)?;
        let shown = client.show(&*provider.vendor, &place, &question).await.map_err(|why| {
            let fix =
                "give it more to go by: --first-name, --last-name, --domain, --email, --phone, --network-url";
            Failure::new(format!("{} was not asked: {why}", self.name), fix)
        })?;
        let raw = serde_json::from_slice::<Value>(&shown.body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&shown.body).into_owned()));
        let mapped = mapped(&shown.reading);
        if session.json {
            let latency = u64::try_from(shown.latency.as_millis()).unwrap_or(u64::MAX);
            out::json(&json!({
                "status": shown.status, "latency_ms": latency, "outcome": shown.reading.as_str(),
                "raw": raw, "mapped": mapped,
            }));
            return Ok(());
        }
        let status = shown.status.map_or("no answer".to_owned(), |status| status.to_string());
        out::note(&format!("{status} after {} ms: {}", shown.latency.as_millis(), shown.reading.as_str()));
        let mut table = out::table(["raw", "mapped"]);
        table.add_row([format!("{raw:#}"), format!("{mapped:#}")]);
        out::data(&table.to_string());
        Ok(())
    }

    fn subject(&self, config: &Config) -> Result<Subject, Failure> {
        let failed = |error: assay_domain::ParseError| Failure::new(error.to_string(), error.fix());
        let name = match (&self.first_name, &self.last_name) {
            (Some(first), Some(last)) => Some(PersonName::from_parts(first, last).map_err(failed)?),
            _ => None,
        };
        let url = self.network_url.as_deref().map(|url| NetworkUrl::parse(url, &config.hosts));
        Ok(Subject {
            name,
            domain: self.domain.clone(),
            company_name: self.company.clone(),
            network_url: url.transpose().map_err(failed)?,
            email: self.email.clone(),
            phone: self.phone.clone(),
            country: self.country.clone(),
        })
    }
}

/// What is read from an answer, for the person who asked for it.
fn mapped(reading: &assay_sources::Reading) -> Value {
    let assay_sources::Reading::Hit(answer) = reading else { return json!({ "outcome": reading.as_str() }) };
    json!({
        "outcome": "found",
        "emails": answer.emails.iter().map(|email| json!({
            "address": email.address.as_str(), "kind": email.kind, "status": email.status,
            "confidence": email.confidence,
        })).collect::<Vec<_>>(),
        "phones": answer.phones.iter().map(|phone| json!({
            "number": phone.number.as_str(), "line": phone.line,
        })).collect::<Vec<_>>(),
        "verdict": answer.verdict.as_ref().map(|verdict| json!({
            "status": verdict.status, "catch_all": verdict.catch_all, "mx_found": verdict.mx_found,
        })),
        "person": answer.person.as_ref().map(|person| json!({
            "facts": person.facts,
            "jobs": person.jobs.iter().map(|job| json!({
                "title": job.title, "company": job.company_name,
                "domain": job.company_domain.as_ref().map(Domain::as_str),
                "started_on": job.started_on, "ended_on": job.ended_on,
            })).collect::<Vec<_>>(),
        })),
        "company": answer.company,
        "line": answer.line.as_ref().map(|line| json!({
            "kind": line.kind, "carrier": line.carrier, "country": line.country,
        })),
    })
}
