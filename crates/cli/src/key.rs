//! `assay key`: API keys. A key is shown once, when it is made.

use crate::failure::Failure;
use crate::nearest::nearest;
use crate::{Session, connect, out};
use assay_domain::api_key::ApiKey;
use assay_domain::{AccountId, Clock, Credits, IpRange, KeyId, limits};
use assay_service::spec::Scope;
use assay_service::{Issue, KeyDesk};
use assay_store::Ledger;
use assay_store::ledger::{KeyTerms, ListedKey};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a key and print it, once.
    Create(Create),
    /// List an account's keys, newest first, without their secrets.
    List {
        #[arg(long)]
        account: AccountId,
    },
    /// Make a key in place of another, and print it, once.
    Rotate(Rotate),
    /// Revoke a key: within seconds no node takes it any more.
    Revoke {
        /// As listed, with or without the leading key_.
        key_id: String,
    },
}

#[derive(Debug, Args)]
pub struct Create {
    #[arg(long)]
    account: AccountId,
    /// What the key is for.
    #[arg(long, default_value = "default")]
    name: String,
    /// A test key answers from the sandbox and never charges.
    #[arg(long, value_enum, default_value = "live")]
    mode: Mode,
    /// What the key may do; everything but `operator` unless given.
    #[arg(long, value_delimiter = ',')]
    scopes: Vec<String>,
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(limits::KEY_LIFETIME_DAYS_MAX)))]
    expires_in_days: Option<u32>,
    /// Addresses and ranges that calls may come from, such as 192.0.2.7,10.0.0.0/8; from anywhere unless given.
    #[arg(long, value_delimiter = ',')]
    ip_allow: Vec<IpRange>,
    /// The most credits the key may spend in a calendar month.
    #[arg(long)]
    monthly_cap: Option<Credits>,
    /// A rate below the plan's.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(limits::KEY_REQUESTS_PER_MINUTE_MAX)))]
    requests_per_minute: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Rotate {
    /// As listed, with or without the leading key_.
    key_id: String,
    /// How long the old key goes on.
    #[arg(long, default_value_t = limits::KEY_OVERLAP_HOURS_DEFAULT,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(limits::KEY_OVERLAP_HOURS_MAX)))]
    overlap_hours: u32,
    /// When the new key ends; when the old one would have ended, unless given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(limits::KEY_LIFETIME_DAYS_MAX)))]
    expires_in_days: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Live,
    Test,
}

impl Key {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let ledger = connect::ledger(&config).await?;
        match self {
            Self::Create(create) => {
                connect::check_key(&config, &ledger, None).await?;
                create.run(session, &ledger, &KeyDesk::new(ledger.clone(), config.key_pepper()?)).await
            }
            Self::Rotate(rotate) => {
                connect::check_key(&config, &ledger, None).await?;
                rotate.run(session, &ledger, &KeyDesk::new(ledger.clone(), config.key_pepper()?)).await
            }
            Self::List { account } => list(session, &ledger, account).await,
            Self::Revoke { key_id } => revoke(session, &ledger, &key_id).await,
        }
    }
}

impl Create {
    async fn run(self, session: &Session, ledger: &Ledger, desk: &KeyDesk) -> Result<(), Failure> {
        if ledger.overview(self.account).await?.is_none() {
            return Err(Failure::new(format!("there is no account {}", self.account), "check the id"));
        }
        if self.monthly_cap.is_some_and(|cap| cap < Credits::ZERO) {
            return Err(Failure::new("a monthly cap cannot be negative", "give zero credits or more"));
        }
        if self.ip_allow.len() > limits::KEY_IP_RANGES_MAX {
            let most = limits::KEY_IP_RANGES_MAX;
            return Err(Failure::new(
                "the list of addresses is too long",
                format!("give at most {most} ranges"),
            ));
        }
        let terms = KeyTerms {
            name: self.name,
            live: self.mode == Mode::Live,
            scopes: read_scopes(self.scopes)?,
            ip_allow: self.ip_allow,
            monthly_cap: self.monthly_cap,
            requests_per_minute: self.requests_per_minute,
            expires_at: self.expires_in_days.map(in_days),
        };
        match desk.issue(self.account, terms).await? {
            Issue::Made(key) => show(session, ledger, self.account, &key).await,
            Issue::TooMany | Issue::Changed => {
                let most = limits::KEYS_PER_ACCOUNT_MAX;
                Err(Failure::new(format!("the account has {most} live keys"), "revoke one that is not used"))
            }
        }
    }
}

impl Rotate {
    async fn run(self, session: &Session, ledger: &Ledger, desk: &KeyDesk) -> Result<(), Failure> {
        let before = ledger.find_key(&read_id(&self.key_id)).await?;
        let before = before.filter(|key| key.revoked_at.is_none()).ok_or_else(|| absent(&self.key_id))?;
        let mut terms = before.terms();
        terms.expires_at = self.expires_in_days.map(in_days).or(terms.expires_at);
        let now = Clock::system().now();
        if terms.expires_at.is_some_and(|end| end <= now) {
            let fix = "give the new key an end of its own: --expires-in-days";
            return Err(Failure::new(format!("{} has expired, and so would its successor", before.id), fix));
        }
        let ends_at = now + TimeDelta::hours(i64::from(self.overlap_hours));
        match desk.rotate(&before, terms, ends_at).await? {
            Issue::Made(key) => {
                show(session, ledger, before.account, &key).await?;
                if !session.json {
                    let hours = self.overlap_hours;
                    out::note(&format!("{} goes on for {hours} hours at most", before.id));
                }
                Ok(())
            }
            Issue::TooMany => {
                let most = limits::KEYS_PER_LINE_MAX;
                let what = format!("{most} keys of this line are still live");
                Err(Failure::new(what, "revoke one of them, or wait until it expires"))
            }
            Issue::Changed => {
                Err(Failure::new(format!("{} was changed at the same time", before.id), "try again"))
            }
        }
    }
}

fn in_days(days: u32) -> DateTime<Utc> {
    Clock::system().now() + TimeDelta::days(i64::from(days))
}

fn read_id(text: &str) -> KeyId {
    KeyId::new(text.strip_prefix("key_").unwrap_or(text))
}

fn absent(id: &str) -> Failure {
    let fix = "list the keys with `assay key list --account …`; a revoked one is revoked for good";
    Failure::new(format!("there is no active key {}", read_id(id)), fix)
}

fn read_scopes(given: Vec<String>) -> Result<Vec<String>, Failure> {
    if given.is_empty() {
        return Ok(Scope::defaults());
    }
    let known = || Scope::ALL.iter().map(|scope| scope.as_str());
    for scope in &given {
        if !known().any(|name| name == scope) {
            let fix = match nearest(scope, known()) {
                Some(name) => format!("did you mean {name}?"),
                None => format!("use some of {}", known().collect::<Vec<_>>().join(", ")),
            };
            return Err(Failure::new(format!("the scope {scope} is not known"), fix));
        }
    }
    Ok(given)
}

/// Prints a key that was just made.
async fn show(session: &Session, ledger: &Ledger, account: AccountId, key: &ApiKey) -> Result<(), Failure> {
    let id = KeyId::new(key.id());
    if !session.json {
        out::data(key.reveal());
        out::note(&format!("this is {id}; the key is not stored and not shown again"));
        return Ok(());
    }
    let listed = ledger.key(account, &id).await?;
    let mut fields = listed.map(|listed| as_json(&listed, Clock::system().now())).unwrap_or_default();
    fields.insert("key".to_owned(), json!(key.reveal()));
    fields.insert("account".to_owned(), json!(account.to_string()));
    out::json(&Value::Object(fields));
    Ok(())
}

async fn list(session: &Session, ledger: &Ledger, account: AccountId) -> Result<(), Failure> {
    let keys = ledger.list_keys(account, None, u32::MAX).await?;
    let now = Clock::system().now();
    if session.json {
        let rows: Vec<Value> = keys.iter().map(|key| Value::Object(as_json(key, now))).collect();
        out::json(&json!({"results": rows}));
        return Ok(());
    }
    let mut table = out::table([
        "id",
        "name",
        "mode",
        "state",
        "last used",
        "spent of cap",
        "rate",
        "addresses",
        "scopes",
    ]);
    for ListedKey { record: key, spent_this_month } in &keys {
        let spent = spent_this_month.unwrap_or_default();
        table.add_row([
            key.id.to_string(),
            key.name.clone(),
            mode(key.live).to_owned(),
            key.state(now).to_owned(),
            key.last_used_at.map_or("never".to_owned(), moment),
            key.monthly_cap.map_or("no cap".to_owned(), |cap| format!("{spent} of {cap}")),
            key.key_requests_per_minute.map_or("plan".to_owned(), |rate| rate.to_string()),
            if key.ip_allow.is_empty() { "any".to_owned() } else { ranges(&key.ip_allow).join(",") },
            key.scopes.join(","),
        ]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

fn mode(live: bool) -> &'static str {
    if live { "live" } else { "test" }
}

fn ranges(ranges: &[IpRange]) -> Vec<String> {
    ranges.iter().map(IpRange::to_string).collect()
}

fn as_json(listed: &ListedKey, now: DateTime<Utc>) -> Map<String, Value> {
    let ListedKey { record: key, spent_this_month } = listed;
    [
        ("id", json!(key.id.to_string())),
        ("name", json!(key.name)),
        ("mode", json!(mode(key.live))),
        ("state", json!(key.state(now))),
        ("scopes", json!(key.scopes)),
        ("ip_allow", json!(ranges(&key.ip_allow))),
        ("monthly_cap", json!(key.monthly_cap)),
        ("spent_this_month", json!(spent_this_month)),
        ("requests_per_minute", json!(key.key_requests_per_minute)),
        ("created_at", json!(moment(key.created_at))),
        ("expires_at", json!(key.expires_at.map(moment))),
        ("revoked_at", json!(key.revoked_at.map(moment))),
        ("last_used_at", json!(key.last_used_at.map(moment))),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .collect()
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

async fn revoke(session: &Session, ledger: &Ledger, key_id: &str) -> Result<(), Failure> {
    let id = read_id(key_id);
    if !ledger.revoke_key(None, &id).await? {
        return Err(absent(key_id));
    }
    if session.json {
        out::json(&json!({"id": id.to_string(), "state": "revoked"}));
    } else {
        out::data(&format!("{id} is revoked"));
    }
    Ok(())
}
