//! Values as they are typed into the environment: texts become numbers, addresses and choices, or the reason why not.

use super::Config;
use assay_domain::{IpRange, MasterKey};
use std::net::SocketAddr;
use std::time::Duration;

pub(super) fn read_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "is not an address and a port such as 127.0.0.1:8080".to_owned())
}

pub(super) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

pub(super) fn read_ranges(text: &str) -> Result<Vec<IpRange>, String> {
    listed(text).map(IpRange::parse).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

pub(super) fn read_url(text: &str) -> Result<String, String> {
    let known = text.starts_with("postgres://") || text.starts_with("postgresql://");
    let reason = || "is not a URL such as postgres://user:password@host:5432/database".to_owned();
    known.then(|| text.to_owned()).ok_or_else(reason)
}

pub(super) fn read_number(text: &str, least: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("is not a whole number of at least {least}"))
}

pub(super) fn at_most(number: u32, most: u32) -> Result<u32, String> {
    (number <= most).then_some(number).ok_or_else(|| format!("is more than {most}"))
}

pub(super) fn read_seconds(text: &str) -> Result<Duration, String> {
    read_number(text, 1).map(|seconds| Duration::from_secs(seconds.into()))
}

pub(super) fn read_master_key(config: &mut Config, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    let key = MasterKey::parse(text).map_err(|error| error.to_string())?;
    config.master_key = Some(key);
    Ok(())
}

pub(super) fn choose<T: Copy>(text: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let chosen = choices.iter().find(|(name, _)| *name == text);
    chosen.map(|(_, choice)| *choice).ok_or_else(|| format!("is not {}", names.join(" or ")))
}
