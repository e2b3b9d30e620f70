//! `assay key`: API keys. A key is shown once, when it is made.

use crate::failure::Failure;
use crate::nearest::nearest;
use crate::{Session, connect, out};
use assay_domain::api_key::{ApiKey, KeyMode};
use assay_domain::{AccountId, Clock, Credits, KeyId};
use assay_service::spec::Scope;
use assay_store::Ledger;
use assay_store::ledger::{KeyRecord, NewKey};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use clap::{Args, Subcommand};
use rand::Rng;
use serde_json::{Value, json};

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Make a key and print it, once.
    Create(Create),
    /// List an account's keys, without their secrets.
    List {
        #[arg(long)]
        account: AccountId,
    },
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
    /// What the key may do; everything but `operator` unless given.
    #[arg(long, value_delimiter = ',')]
    scopes: Vec<String>,
    #[arg(long)]
    expires_in_days: Option<u32>,
    /// The most credits the key may spend in a calendar month.
    #[arg(long)]
    monthly_cap: Option<Credits>,
}

impl Key {
    pub async fn run(self, session: &Session) -> Result<(), Failure> {
        let config = session.settings()?.config;
        let ledger = connect::ledger(&config).await?;
        match self {
            Self::Create(create) => {
                connect::check_key(&config, &ledger, None).await?;
                create.run(session, &ledger, &config.key_pepper()?).await
            }
            Self::List { account } => list(session, &ledger, account).await,
            Self::Revoke { key_id } => revoke(session, &ledger, &key_id).await,
        }
    }
}

impl Create {
    async fn run(self, session: &Session, ledger: &Ledger, pepper: &[u8; 32]) -> Result<(), Failure> {
        if ledger.overview(self.account).await?.is_none() {
            return Err(Failure::new(format!("there is no account {}", self.account), "check the id"));
        }
        let key = ApiKey::generate(KeyMode::Live, &mut |bytes| rand::rng().fill_bytes(bytes));
        let lifetime = self.expires_in_days.map(|days| TimeDelta::days(days.into()));
        let new = NewKey {
            id: KeyId::new(key.id()),
            account: self.account,
            name: self.name,
            live: true,
            secret_hash: key.secret_hash(pepper),
            scopes: read_scopes(self.scopes)?,
            expires_at: lifetime.map(|lifetime| Clock::system().now() + lifetime),
            monthly_cap: self.monthly_cap,
        };
        ledger.create_key(&new).await?;
        if session.json {
            out::json(&json!({
                "id": new.id.to_string(), "key": key.reveal(), "account": self.account.to_string(), "name": new.name,
                "scopes": new.scopes, "expires_at": new.expires_at.map(moment), "monthly_cap": new.monthly_cap,
            }));
        } else {
            out::data(key.reveal());
            out::note(&format!("this is {}; the key is not stored and not shown again", new.id));
        }
        Ok(())
    }
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

async fn list(session: &Session, ledger: &Ledger, account: AccountId) -> Result<(), Failure> {
    let keys = ledger.list_keys(account).await?;
    let now = Clock::system().now();
    if session.json {
        let rows: Vec<Value> = keys.iter().map(|key| as_json(key, now)).collect();
        out::json(&json!({"results": rows}));
        return Ok(());
    }
    let mut table = out::table(["id", "name", "state", "last used", "monthly cap", "scopes"]);
    for key in &keys {
        table.add_row([
            key.id.to_string(),
            key.name.clone(),
            state(key, now).to_owned(),
            key.last_used_at.map_or("never".to_owned(), moment),
            key.monthly_cap.map_or("none".to_owned(), |cap| cap.to_string()),
            key.scopes.join(","),
        ]);
    }
    out::data(&table.trim_fmt());
    Ok(())
}

fn state(key: &KeyRecord, now: DateTime<Utc>) -> &'static str {
    match (key.revoked_at, key.expires_at) {
        (Some(_), _) => "revoked",
        (None, Some(end)) if end <= now => "expired",
        _ => "active",
    }
}

fn as_json(key: &KeyRecord, now: DateTime<Utc>) -> Value {
    json!({
        "id": key.id.to_string(), "name": key.name, "state": state(key, now), "scopes": key.scopes,
        "monthly_cap": key.monthly_cap, "created_at": moment(key.created_at), "expires_at": key.expires_at.map(moment),
        "revoked_at": key.revoked_at.map(moment), "last_used_at": key.last_used_at.map(moment),
    })
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

async fn revoke(session: &Session, ledger: &Ledger, key_id: &str) -> Result<(), Failure> {
    let id = KeyId::new(key_id.strip_prefix("key_").unwrap_or(key_id));
    if !ledger.revoke_key(None, &id).await? {
        let fix = "list the keys with `assay key list --account …`; a revoked one cannot be revoked again";
        return Err(Failure::new(format!("there is no active key {id}"), fix));
    }
    if session.json {
        out::json(&json!({"id": id.to_string(), "state": "revoked"}));
    } else {
        out::data(&format!("{id} is revoked"));
    }
    Ok(())
}
