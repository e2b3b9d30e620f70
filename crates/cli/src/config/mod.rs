//! The configuration: one table of keys, read from defaults, then the file, then the environment.

mod example;
mod feeds;
mod key;
mod keys;
mod layers;
mod mail;
#[cfg(test)]
mod tests;
mod upstreams;
mod values;

pub use example::example;
pub use layers::{Effective, load};

use crate::failure::Failure;
use crate::snapshots::SnapshotsPlace;
use assay_domain::{IdentityKey, IpRange, MasterKey, NetworkHosts};
use assay_notify::Guard;
use assay_service::{
    Billing, BulkKeys, HoldPolicy, ListKeys, ReplyKeys, Settings, WebhookRules, WebhookSeal,
};
use assay_store::Database;
use feeds::FeedsConfig;
use mail::MailConfig;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use upstreams::UpstreamsConfig;

/// Every setting with its type. `keys.rs` says what each one means.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    pub operations_listen: SocketAddr,
    pub trusted_proxies: Vec<IpRange>,
    pub signup_url: Option<String>,
    pub sandbox_enabled: bool,
    pub sandbox_daily_limit: u32,
    pub ledger: Database,
    pub graph: Database,
    pub index_folder: PathBuf,
    /// Where nodes leave snapshots of it for each other, if anywhere.
    pub index_snapshots: Option<SnapshotsPlace>,
    /// 0 for as many as this machine has processors.
    pub index_partitions: u32,
    pub master_key: Option<MasterKey>,
    pub hosts: NetworkHosts,
    pub holds: HoldPolicy,
    pub hold_lifetime: Duration,
    pub billing: Billing,
    pub deadline: Duration,
    pub connections_max: u32,
    pub stop_notice: Duration,
    /// 0 for as many as this machine's processors suggest.
    pub calls_active_max: u32,
    pub history_retention_months: u32,
    pub webhook_guard: Guard,
    pub webhook_roots: Option<PathBuf>,
    pub webhook_time_scale: u32,
    pub mail: MailConfig,
    pub upstreams: UpstreamsConfig,
    pub feeds: FeedsConfig,
    pub log_level: String,
    pub log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Json,
    Text,
}

impl Config {
    /// Nothing is set yet: every key's default is written over this.
    fn blank() -> Self {
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            listen: nowhere,
            operations_listen: nowhere,
            trusted_proxies: Vec::new(),
            signup_url: None,
            sandbox_enabled: false,
            sandbox_daily_limit: 0,
            ledger: Database::at(""),
            graph: Database::at(""),
            index_folder: PathBuf::new(),
            index_snapshots: None,
            index_partitions: 0,
            master_key: None,
            hosts: NetworkHosts::default(),
            holds: HoldPolicy::WhenSpending,
            hold_lifetime: Duration::ZERO,
            billing: Billing::default(),
            deadline: Duration::ZERO,
            connections_max: 0,
            stop_notice: Duration::ZERO,
            calls_active_max: 0,
            history_retention_months: 0,
            webhook_guard: Guard::default(),
            webhook_roots: None,
            webhook_time_scale: 1,
            mail: MailConfig::default(),
            upstreams: UpstreamsConfig::default(),
            feeds: FeedsConfig::default(),
            log_level: String::new(),
            log_format: LogFormat::Json,
        }
    }

    /// The one secret. Commands that hash or look up need it; the others run without.
    pub fn master_key(&self) -> Result<&MasterKey, Failure> {
        self.master_key.as_ref().ok_or_else(|| {
            Failure::new(
                "no master key is set",
                "make one with `openssl rand -hex 32` and set ASSAY_SECRETS_MASTER_KEY, or master_key in [secrets]; keep it safe",
            )
        })
    }

    /// The secret that key hashes are made with.
    pub fn key_pepper(&self) -> Result<[u8; 32], Failure> {
        Ok(self.master_key()?.derive("api-key"))
    }

    /// The secret that identifiers are looked up under.
    pub fn identity_key(&self) -> Result<IdentityKey, Failure> {
        Ok(IdentityKey::new(self.master_key()?.derive("identity")))
    }

    /// Where webhooks may lead, and what their secrets are sealed with.
    pub fn webhook_rules(&self) -> Result<WebhookRules, Failure> {
        let seal = WebhookSeal::new(self.master_key()?);
        Ok(WebhookRules { seal, guard: self.webhook_guard.clone() })
    }

    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings {
            key_pepper: self.key_pepper()?,
            reply_keys: ReplyKeys::new(self.master_key()?),
            bulk_keys: BulkKeys::new(self.master_key()?),
            list_keys: ListKeys::new(self.master_key()?),
            webhook_rules: self.webhook_rules()?,
            holds: self.holds,
            hold_lifetime: self.hold_lifetime,
            billing: self.billing,
            deadline: self.deadline,
        })
    }
}
