//! Where a notice waits for a company that the graph does not know: under hashes of what the company is called.

use super::take::parties_of;
use crate::likeness::CompanyWords;
use assay_domain::{Domain, IdentityKey, Notice};

/// Under what a company that becomes known is looked for.
pub(super) fn company_keys<'a>(
    names: impl IntoIterator<Item = &'a str>,
    domains: impl IntoIterator<Item = &'a Domain>,
    key: &IdentityKey,
) -> Vec<i64> {
    let by_name = names.into_iter().map(|name| ["c:", CompanyWords::of(name).core()].concat());
    let by_domain = domains.into_iter().map(|domain| ["d:", domain.as_str()].concat());
    let abouts = by_name.chain(by_domain);
    abouts.map(|about| key.match_key(&[b"unmatched", about.as_bytes()])).collect()
}

/// Of all companies it names that were not recognised.
pub(super) fn unmatched_keys(notice: &Notice, key: &IdentityKey) -> Vec<i64> {
    let unknown = parties_of(notice).into_iter().filter(|party| party.id.is_none());
    let keys = unknown.flat_map(|party| company_keys([party.name.as_str()], &party.domain, key));
    let mut keys: Vec<i64> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
