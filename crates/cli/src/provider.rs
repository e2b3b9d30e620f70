//! `assay provider`: which vendors are asked, with which keys, in which order, and what they answer.

mod test;

use crate::failure::Failure;
use crate::{Session, connect, out};
use assay_domain::{AccountId, Lookup};
use assay_engine::upstream::Roster;
use assay_sources::{DeclarativeVendor, Price, Vendor};
use assay_store::Ledger;
use assay_store::ledger::{PROVIDER_KEY, ProviderRow, SecretPlace};
use clap::Subcommand;
use rand::Rng;
use serde_json::{Value, json};
use std::io::Read;
use std::path::PathBuf;
use test::Test;

/// A key is a line of text, not a file of it.
const KEY_BYTES_MAX: u64 = 4_096;
const LEARNT: &str = "learnt";

#[derive(Debug, Subcommand)]
pub enum ProviderCommand {
    /// List vendors, what each can be asked for, at which price, and whether it is.
    List,
    /// Add a vendor from its file, or read the file again.
    Add { file: PathBuf },
    /// Ask a vendor one question, and show its answer as it came beside what is read from it. It may charge for it.
    Test(Box<Test>),
    /// Ask a vendor from now on.
    Enable {
        name: String,
        /// Where it lives, if not where the program believes.
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
    },
    /// Ask a vendor no more. Accounts with keys of their own go on asking it.
    Disable { name: String },
    /// Fix the order in which vendors are asked, or let it be learnt.
    Order {
        #[arg(value_parser = read_lookup)]
        lookup: Lookup,
        /// Names of vendors, the first to be asked first; or the one word `learnt`.
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Keep the key to a vendor, sealed; it is read from standard input.
    Key {
        name: String,
        /// The key is this account's own: used for its calls only.
        #[arg(long)]
        account: Option<AccountId>,
    },
}

fn read_lookup(word: &str) -> Result<Lookup, String> {
    Lookup::named(word).ok_or_else(|| {
        let words: Vec<&str> = Lookup::ALL.iter().map(|lookup| lookup.as_str()).collect();
        format!("not one of {}", words.join(", "))
    })
}

impl ProviderCommand {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let ledger = connect::ledger(&config).await?;
        connect::check_key(&config, &ledger, None).await?;
        let sealer = config.master_key()?.sealer(PROVIDER_KEY);
        let roster = Roster::of(ledger.providers().await?, &sealer);
        match self {
            Self::List => list(session, &roster),
            Self::Add { file } => return add(&ledger, &roster, &file).await,
            Self::Test(test) => return test.run(session, &config, &roster).await,
            Self::Enable { name, base_url } => {
                let row = row(&ledger, &roster, &name).await?;
                let base_url = base_url.or(row.base_url);
                ledger.put_provider(&ProviderRow { enabled: true, base_url, ..row }).await?;
                if roster.key(&name, None).is_none() {
                    out::note(&format!("{name} has no key yet: assay provider key {name}"));
                }
                out::note(&format!("{name} is asked from now on"));
            }
            Self::Disable { name } => {
                let row = row(&ledger, &roster, &name).await?;
                ledger.put_provider(&ProviderRow { enabled: false, ..row }).await?;
                out::note(&format!("{name} is asked no more"));
            }
            Self::Order { lookup, names } => order(&ledger, &roster, lookup, &names).await?,
            Self::Key { name, account } => {
                known(&roster, &name)?;
                let place = SecretPlace { account, purpose: PROVIDER_KEY, name: &name };
                let random = &mut |bytes: &mut [u8]| rand::rng().fill_bytes(bytes);
                let sealed = sealer.seal(&place.owner(), read_key()?.as_bytes(), random);
                let fix = "check security.master_key";
                let sealed = sealed.map_err(|error| Failure::new(error.to_string(), fix))?;
                ledger.put_secret(place, &sealed).await?;
                out::note(&format!("the key to {name} is kept, sealed"));
            }
        }
        Ok(())
    }
}

fn list(session: &Session, roster: &Roster) {
    if session.json {
        let rows: Vec<Value> = roster.providers.iter().map(|provider| json!({
            "name": &*provider.name,
            "lookups": provider.vendor.facts().lookups.iter().map(|asked| json!({
                "lookup": asked.lookup.as_str(), "price_micros": asked.price.micros(),
                "charged": if matches!(asked.price, Price::PerHit(_)) { "per_hit" } else { "per_call" },
            })).collect::<Vec<_>>(),
            "enabled": provider.enabled,
            "has_key": roster.key(&provider.name, None).is_some(),
            "base_url": provider.base_url,
            "declared": provider.is_declared,
        })).collect();
        let faults: Vec<Value> =
            roster.faults.iter().map(|fault| json!({ "name": fault.name, "what": fault.what })).collect();
        return out::json(&json!({ "results": rows, "faults": faults }));
    }
    let mut table = out::table(["name", "asked for", "price in US cents", "state", "shared"]);
    for provider in &roster.providers {
        let state = match (provider.enabled, roster.key(&provider.name, None)) {
            (true, Some(_)) => "asked",
            (true, None) => "enabled, no key",
            (false, _) => "off",
        };
        for (number, asked) in provider.vendor.facts().lookups.iter().enumerate() {
            let first = number == 0;
            let price = match asked.price {
                Price::PerHit(micros) => format!("{} a find", cents(micros)),
                Price::PerCall(micros) => format!("{} a question", cents(micros)),
            };
            let shared = if provider.vendor.facts().rights.shareable { "yes" } else { "no" };
            table.add_row([
                if first { provider.name.to_string() } else { String::new() },
                asked.lookup.to_string(),
                price,
                if first { state.to_owned() } else { String::new() },
                if first { shared.to_owned() } else { String::new() },
            ]);
        }
    }
    out::data(&table.to_string());
    for lookup in Lookup::ALL {
        if let Some(names) = roster.fixed_order(lookup) {
            out::note(&format!("{lookup} is asked in the order {}", names.join(", ")));
        }
    }
    for fault in &roster.faults {
        out::note(&format!("{}: {}", fault.name, fault.what));
    }
}

/// Millionths of a dollar in hundredths, to the digit.
fn cents(micros: u32) -> String {
    let (whole, rest) = (micros / 10_000, micros % 10_000);
    if rest == 0 {
        whole.to_string()
    } else {
        format!("{whole}.{}", format!("{rest:04}").trim_end_matches('0'))
    }
}

async fn add(ledger: &Ledger, roster: &Roster, file: &std::path::Path) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", file.display()), "name a readable file")
    })?;
    let vendor = DeclarativeVendor::parse(&text)
        .map_err(|error| Failure::new(format!("{}: {error}", file.display()), "see docs/providers.md"))?;
    let name = vendor.facts().name.to_string();
    let known = roster.provider(&name);
    if known.is_some_and(|known| !known.is_declared) {
        let what = format!("{name} is a vendor the program knows by itself");
        return Err(Failure::new(what, "choose another name in the file"));
    }
    let enabled = known.is_some_and(|known| known.enabled);
    let row = ProviderRow { name: name.clone(), enabled, base_url: None, declaration: Some(text) };
    ledger.put_provider(&row).await?;
    out::note(&format!("{name} is known; next: assay provider key {name} && assay provider enable {name}"));
    Ok(())
}

async fn order(ledger: &Ledger, roster: &Roster, lookup: Lookup, names: &[String]) -> Result<(), Failure> {
    if names == [LEARNT] {
        ledger.put_provider_order(lookup.as_str(), None).await?;
        out::note(&format!("the order for {lookup} is learnt"));
        return Ok(());
    }
    for name in names {
        let provider = known(roster, name)?;
        if !provider.vendor.facts().takes(lookup) {
            let what = format!("{name} cannot be asked for {lookup}");
            return Err(Failure::new(what, "leave it out; `assay provider list` says who can"));
        }
    }
    ledger.put_provider_order(lookup.as_str(), Some(names)).await?;
    out::note(&format!("{lookup} is asked in the order {}; nobody else is asked", names.join(", ")));
    Ok(())
}

fn known<'a>(roster: &'a Roster, name: &str) -> Result<&'a assay_engine::upstream::Provider, Failure> {
    roster.provider(name).map(|provider| &**provider).ok_or_else(|| {
        let fix = "`assay provider list` says who is known; `assay provider add FILE` makes another known";
        Failure::new(format!("there is no vendor {name}"), fix)
    })
}

/// What is set about a vendor; nothing yet for one that was never touched.
async fn row(ledger: &Ledger, roster: &Roster, name: &str) -> Result<ProviderRow, Failure> {
    known(roster, name)?;
    let stored = ledger.providers().await?.rows.into_iter().find(|row| row.name == name);
    Ok(stored.unwrap_or(ProviderRow {
        name: name.to_owned(),
        enabled: false,
        base_url: None,
        declaration: None,
    }))
}

fn read_key() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(KEY_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| Failure::new(format!("the key cannot be read: {error}"), "pipe it in as text"))?;
    let key = text.trim();
    if key.is_empty() || key.chars().any(char::is_control) {
        let fix = "pipe the key in as one line: printf %s \"$KEY\" | assay provider key NAME";
        return Err(Failure::new("there is no key on standard input", fix));
    }
    Ok(key.to_owned())
}
