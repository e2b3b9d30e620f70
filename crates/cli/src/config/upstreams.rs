//! Vendors and feeds: where their servers may be, beyond the public internet.

use super::key::{Key, Kind};
use super::values::{choose, read_ranges};
use crate::failure::Failure;
use assay_domain::{IpRange, NetworkHosts};
use assay_sources::{Client, ClientSettings, SourceGuard, Uptime};
use std::path::PathBuf;

/// The settings of `[upstreams]`. Which vendors are asked is set by `assay provider`.
#[derive(Debug, Clone, Default)]
pub struct UpstreamsConfig {
    allowed: Vec<IpRange>,
    allow_http: bool,
    extra_roots: Option<PathBuf>,
}

impl UpstreamsConfig {
    pub fn client(&self, hosts: &NetworkHosts) -> Result<Client, Failure> {
        let (guard, extra_roots_pem) = (self.guard(), self.extra_roots_pem()?);
        let settings =
            ClientSettings { guard, hosts: hosts.clone(), extra_roots_pem, uptime: Uptime::start() };
        Client::new(settings).map_err(|error| {
            let fix = "put certificates in PEM into the file of upstreams.extra_roots";
            Failure::new(format!("vendors cannot be asked: {error}"), fix)
        })
    }

    pub fn guard(&self) -> SourceGuard {
        SourceGuard { allowed: self.allowed.clone(), allow_http: self.allow_http }
    }

    pub fn extra_roots_pem(&self) -> Result<Vec<u8>, Failure> {
        let Some(path) = &self.extra_roots else { return Ok(Vec::new()) };
        std::fs::read(path).map_err(|error| {
            let fix = "name a readable file for upstreams.extra_roots";
            Failure::new(format!("cannot read {}: {error}", path.display()), fix)
        })
    }
}

pub static UPSTREAM_KEYS: &[Key] = &[
    Key {
        section: "upstreams",
        name: "allowed_ranges",
        kind: Kind::List,
        default: String::new,
        doc: &[
            "Ranges that vendors and feeds may be in although they are not public: for development, or a provider next door.",
            "Public addresses are always allowed, and nothing else is.",
        ],
        set: |config, text| read_ranges(text).map(|ranges| config.upstreams.allowed = ranges),
    },
    Key {
        section: "upstreams",
        name: "allow_http",
        kind: Kind::Switch,
        default: || "false".to_owned(),
        doc: &["Whether a vendor or a feed may be asked without encryption."],
        set: |config, text| {
            choose(text, &[("true", true), ("false", false)]).map(|on| config.upstreams.allow_http = on)
        },
    },
    Key {
        section: "upstreams",
        name: "extra_roots",
        kind: Kind::Text,
        default: String::new,
        doc: &["A file of certificates in PEM to trust beside the public authorities; empty for none."],
        set: |config, text| {
            config.upstreams.extra_roots = (!text.is_empty()).then(|| text.into());
            Ok(())
        },
    },
];
