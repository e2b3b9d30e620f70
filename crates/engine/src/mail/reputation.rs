//! Whether our own address stands on a list that mail servers refuse by.

use super::Mailroom;
use assay_mailbox::{Dns, Listing, look_up};
use std::net::IpAddr;

/// Where to look, and for which address.
#[derive(Debug, Clone)]
pub struct Blocklists {
    pub dns: Dns,
    pub source: IpAddr,
    pub zones: Vec<String>,
}

impl Mailroom {
    /// What each list says of our address; nothing where none is told.
    pub async fn own_listings(&self) -> Vec<(String, Listing)> {
        let Some(lists) = &self.blocklists else { return Vec::new() };
        let mut found = Vec::with_capacity(lists.zones.len());
        for zone in &lists.zones {
            found.push((zone.clone(), look_up(&lists.dns, lists.source, zone).await));
        }
        found
    }
}
