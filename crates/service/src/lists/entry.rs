//! The entries of a list: read as requests write them, kept so that only the account's own answers can show them.

use crate::fault::{Code, Fault, FieldError};
use assay_domain::limits::BULK_ERRORS_MAX;
use assay_domain::network_url::NetworkUrlKind;
use assay_domain::watch::WatchKind;
use assay_domain::{
    AccountId, Digest, Domain, MasterKey, NetworkHosts, NetworkUrl, SealError, Sealer, WatchListId,
};
use assay_engine::signals::Watched;
use rand::Rng;
use std::collections::HashSet;
use std::fmt;

/// Seals what accounts watch: the database cannot read it.
#[derive(Clone)]
pub struct ListKeys(Sealer);

impl fmt::Debug for ListKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ListKeys(***)")
    }
}

impl ListKeys {
    pub fn new(master: &MasterKey) -> Self {
        Self(master.sealer("watch-list"))
    }

    pub(crate) fn seal(
        &self,
        place: (AccountId, WatchListId),
        subject: Digest,
        text: &str,
    ) -> Result<Vec<u8>, Fault> {
        let random: &mut dyn FnMut(&mut [u8]) = &mut |bytes| rand::rng().fill_bytes(bytes);
        let sealed = self.0.seal(&owner(place, subject), text.as_bytes(), random).map_err(unreadable)?;
        Ok(sealed.into_bytes())
    }

    pub(crate) fn open(
        &self,
        place: (AccountId, WatchListId),
        subject: Digest,
        sealed: &[u8],
    ) -> Result<String, Fault> {
        let open = self.0.open(&owner(place, subject), sealed).map_err(unreadable)?;
        String::from_utf8(open).map_err(|_| unreadable(SealError))
    }
}

fn owner((account, list): (AccountId, WatchListId), subject: Digest) -> Vec<u8> {
    [account.uuid().as_bytes().as_slice(), list.uuid().as_bytes(), subject.as_bytes()].concat()
}

fn unreadable(error: SealError) -> Fault {
    tracing::error!(%error, "an entry of a watch list cannot be read");
    Fault::new(Code::Internal, "the failure was recorded")
}

/// The entry as it is shown.
pub(crate) fn shown(watched: &Watched) -> String {
    match watched {
        Watched::Person(url) => url.to_string(),
        Watched::Company(domain) => domain.as_str().to_owned(),
    }
}

/// Reads one entry of a list of the kind.
pub(crate) fn read_entry(kind: WatchKind, text: &str, hosts: &NetworkHosts) -> Result<Watched, String> {
    match kind {
        WatchKind::People => {
            let url = NetworkUrl::parse(text, hosts).map_err(|error| error.to_string())?;
            let is_person = url.kind() == NetworkUrlKind::Person;
            if is_person { Ok(Watched::Person(url)) } else { Err("not the profile of a person".to_owned()) }
        }
        WatchKind::Companies => {
            let domain = Domain::parse(text).map_err(|error| error.to_string())?;
            let is_network = hosts.contains(domain.as_str());
            if is_network {
                Err("the network's own address".to_owned())
            } else {
                Ok(Watched::Company(domain))
            }
        }
    }
}

/// Each once, in their order; says of each that cannot be read why.
pub(crate) fn read_entries(
    kind: WatchKind,
    texts: &[String],
    hosts: &NetworkHosts,
) -> Result<Vec<Watched>, Fault> {
    let (mut entries, mut seen, mut errors) = (Vec::with_capacity(texts.len()), HashSet::new(), Vec::new());
    for (place, text) in texts.iter().enumerate() {
        match read_entry(kind, text, hosts) {
            Ok(watched) => {
                if seen.insert(shown(&watched)) {
                    entries.push(watched);
                }
            }
            Err(message) if errors.len() < BULK_ERRORS_MAX => errors.push(FieldError {
                pointer: format!("/entries/{place}"),
                code: "invalid_entry".to_owned(),
                message,
                fix: fix(kind).to_owned(),
            }),
            Err(_) => {}
        }
    }
    if errors.is_empty() { Ok(entries) } else { Err(Fault::invalid(errors)) }
}

const fn fix(kind: WatchKind) -> &'static str {
    match kind {
        WatchKind::People => {
            "send the address of a person's profile, such as https://network.example/in/ada-okafor"
        }
        WatchKind::Companies => "send the company's own domain, such as northwind-robotics.example",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_the_network_is_nobodys_domain() {
        let hosts = NetworkHosts::default();
        let read = |text: &str| read_entry(WatchKind::Companies, text, &hosts);
        assert!(read("https://www.northwind-robotics.example/about").is_ok());
        for text in ["https://network.example/in/ada-okafor", "https://uk.network.example/company/northwind"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
