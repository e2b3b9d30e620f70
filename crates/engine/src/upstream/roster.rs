//! Who can be asked: the vendors the program knows, those an operator has declared, and whose keys open them.

use assay_domain::{AccountId, Lookup, Sealer};
use assay_sources::{Credentials, DeclarativeVendor, Vendor, vendors};
use assay_store::ledger::{PROVIDER_KEY, ProviderKey, ProviderRow, Providers, SecretPlace};
use std::collections::HashMap;
use std::sync::Arc;

/// A vendor as it is set up here.
#[derive(Debug, Clone)]
pub struct Provider {
    pub vendor: Arc<dyn Vendor>,
    pub name: Arc<str>,
    pub base_url: String,
    /// Whether it is asked with the operator's key.
    pub enabled: bool,
    pub is_declared: bool,
}

/// Why a vendor that is set up cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderFault {
    pub name: String,
    pub what: String,
}

/// Everybody who is set up, as of one moment.
#[derive(Debug, Default)]
pub struct Roster {
    pub providers: Vec<Arc<Provider>>,
    pub faults: Vec<ProviderFault>,
    orders: HashMap<Lookup, Vec<String>>,
    keys: HashMap<(Option<AccountId>, String), Credentials>,
}

/// Somebody who can be asked, and with whose key.
#[derive(Debug, Clone)]
pub(super) struct Able {
    pub(super) provider: Arc<Provider>,
    pub(super) key: Credentials,
    /// Whether it is the account's own.
    pub(super) is_own_key: bool,
}

impl Roster {
    pub fn of(providers: Providers, sealer: &Sealer) -> Self {
        let Providers { rows, orders, keys } = providers;
        let mut roster = Self::default();
        let mut rows: HashMap<String, ProviderRow> =
            rows.into_iter().map(|row| (row.name.clone(), row)).collect();
        for vendor in vendors::all() {
            let row = rows.remove(&*vendor.facts().name);
            roster.add(vendor, row, false);
        }
        for (name, row) in rows {
            let declared = row.declaration.as_deref().map(DeclarativeVendor::parse);
            match declared {
                Some(Ok(vendor)) => roster.add(Arc::new(vendor), Some(row), true),
                Some(Err(error)) => roster.faults.push(ProviderFault { name, what: error.to_string() }),
                None => {
                    let what = "the program does not know it, and it has no declaration".to_owned();
                    roster.faults.push(ProviderFault { name, what });
                }
            }
        }
        roster.providers.sort_by(|one, other| one.name.cmp(&other.name));
        let known = orders.into_iter().filter_map(|(word, names)| Some((Lookup::named(&word)?, names)));
        roster.orders = known.collect();
        roster.open_keys(keys, sealer);
        roster
    }

    fn add(&mut self, vendor: Arc<dyn Vendor>, row: Option<ProviderRow>, is_declared: bool) {
        let (enabled, moved) = row.map_or((false, None), |row| (row.enabled, row.base_url));
        let base_url = moved.unwrap_or_else(|| vendor.facts().base_url.to_string());
        let name = Arc::from(&*vendor.facts().name);
        self.providers.push(Arc::new(Provider { vendor, name, base_url, enabled, is_declared }));
    }

    fn open_keys(&mut self, keys: Vec<ProviderKey>, sealer: &Sealer) {
        for ProviderKey { provider, account, sealed } in keys {
            let place = SecretPlace { account, purpose: PROVIDER_KEY, name: &provider };
            let opened = sealer.open(&place.owner(), sealed.as_bytes()).ok();
            match opened.and_then(|bytes| String::from_utf8(bytes).ok()) {
                Some(key) => {
                    self.keys.insert((account, provider), Credentials::new(key));
                }
                None => {
                    let what = "its key cannot be opened: it was sealed with another master key".to_owned();
                    self.faults.push(ProviderFault { name: provider, what });
                }
            }
        }
    }

    pub fn provider(&self, name: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| &*provider.name == name)
    }

    /// The key an account's questions are asked with: its own before the operator's.
    pub fn key(&self, name: &str, asker: Option<AccountId>) -> Option<(&Credentials, bool)> {
        let own = asker.and_then(|account| self.keys.get(&(Some(account), name.to_owned())));
        let ours = || self.keys.get(&(None, name.to_owned()));
        own.map(|key| (key, true)).or_else(|| ours().map(|key| (key, false)))
    }

    /// The order somebody has fixed for a lookup.
    pub fn fixed_order(&self, lookup: Lookup) -> Option<&[String]> {
        self.orders.get(&lookup).map(Vec::as_slice)
    }

    /// Who takes this lookup on behalf of an account; those in a fixed order as it says, and nobody else.
    pub(super) fn able(&self, lookup: Lookup, asker: AccountId) -> Vec<Able> {
        let takes = |provider: &&Arc<Provider>| provider.vendor.facts().takes(lookup);
        let able = |provider: &Arc<Provider>| {
            let (key, is_own_key) = self.key(&provider.name, Some(asker))?;
            (is_own_key || provider.enabled).then(|| Able {
                provider: Arc::clone(provider),
                key: key.clone(),
                is_own_key,
            })
        };
        match self.fixed_order(lookup) {
            Some(names) => {
                names.iter().filter_map(|name| self.provider(name)).filter(takes).filter_map(able).collect()
            }
            None => self.providers.iter().filter(takes).filter_map(able).collect(),
        }
    }
}
