//! The zone files: every domain of the catalogue, a list of blocked addresses, and what a bar adds or has hosted.

use std::fmt::Write;
use std::net::Ipv4Addr;

use super::behaviours::{BEHAVIOURS, Behaviour};
use super::network::Network;

/// The block list. It has the address every list has for tests, and that of whoever connects over loopback.
pub(super) const BLOCK_LIST: &str = "dnsbl.test";
const LISTED: &[Ipv4Addr] = &[Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::new(127, 0, 0, 2)];
/// Stands for the first three numbers of the rig's network in records that a bar adds.
const NETWORK_MARK: &str = "{net}";

/// Text of the zone `test`.
pub(super) fn forward(network: &Network, extra: &[String]) -> Result<String, std::fmt::Error> {
    let net = network.prefix();
    let mut zone = head("test", &net)?;
    writeln!(zone, "ns.test. A {net}.2")?;
    // A name a verifier can call itself by: it resolves, and takes mail.
    writeln!(zone, "verifier.test. A 127.0.0.1")?;
    writeln!(zone, "verifier.test. MX 10 verifier.test.")?;
    writeln!(zone, "verifier.test. TXT \"v=spf1 a -all\"")?;
    for behaviour in BEHAVIOURS {
        write_domain(&mut zone, behaviour, &net)?;
    }
    for listed in LISTED {
        let [a, b, c, d] = listed.octets();
        writeln!(zone, "{d}.{c}.{b}.{a}.{BLOCK_LIST}. A 127.0.0.2")?;
        writeln!(zone, "{d}.{c}.{b}.{a}.{BLOCK_LIST}. TXT \"listed for a test\"")?;
    }
    write_extra(&mut zone, extra, &net)?;
    Ok(zone)
}

/// Text of the zone `example`, which has only what a bar gives it.
pub(super) fn example(network: &Network, extra: &[String]) -> Result<String, std::fmt::Error> {
    let net = network.prefix();
    let mut zone = head("example", &net)?;
    write_extra(&mut zone, extra, &net)?;
    Ok(zone)
}

fn write_extra(zone: &mut String, extra: &[String], net: &str) -> std::fmt::Result {
    extra.iter().try_for_each(|record| writeln!(zone, "{}", record.replace(NETWORK_MARK, net)))
}

/// Text of the zone of reverse names. It has none: a client without a name is what one server is there to refuse.
pub(super) fn reverse(network: &Network) -> Result<String, std::fmt::Error> {
    head("127.in-addr.arpa", &network.prefix())
}

fn head(origin: &str, net: &str) -> Result<String, std::fmt::Error> {
    let mut zone = format!("$ORIGIN {origin}.\n$TTL 60\n");
    writeln!(zone, "@ SOA ns.test. hostmaster.test. 1 3600 600 86400 60 ; servers at {net}.0/24")?;
    writeln!(zone, "@ NS ns.test.")?;
    Ok(zone)
}

fn write_domain(zone: &mut String, behaviour: &Behaviour, net: &str) -> std::fmt::Result {
    let domain = behaviour.domain;
    writeln!(zone, "{domain}. TXT \"v=spf1 mx -all\"")?;
    match (behaviour.name, behaviour.hosts) {
        // The address is a trap: with a null MX it does not count.
        ("no-mail", _) => writeln!(zone, "null-mx.{domain}. MX 0 .\nnull-mx.{domain}. A {net}.10"),
        ("implicit-mx", [host, ..]) => writeln!(zone, "{domain}. A {net}.{host}"),
        (_, hosts) => {
            for (rank, host) in (1..).zip(hosts) {
                writeln!(zone, "{domain}. MX {rank}0 mx{rank}.{domain}.")?;
                writeln!(zone, "mx{rank}.{domain}. A {net}.{host}")?;
            }
            Ok(())
        }
    }
}
