//! The guard: which addresses of mail hosts may be connected to. Whoever owns a domain chooses where its MX records
//! point, so that everything that is not plainly the public internet is refused unless an operator allows it.

use std::net::IpAddr;

use assay_domain::{IpRange, why_not_public};

/// The address to dial, an IPv4 address as one however it is written; `None` if it may not be dialled.
pub(super) fn judge(address: IpAddr, allowed: &[IpRange]) -> Option<IpAddr> {
    let address = address.to_canonical();
    (why_not_public(address).is_none() || allowed.iter().any(|range| range.contains(address)))
        .then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge_text(address: &str, allowed: &[IpRange]) -> Option<String> {
        judge(address.parse().unwrap(), allowed).map(|it| it.to_string())
    }

    #[test]
    fn what_is_not_public_is_refused_however_it_is_written() {
        for address in [
            "127.0.0.1",
            "127.255.255.255",
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.168.1.1",
            "192.0.2.1",
            "198.19.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "fe80::1",
            "fd00::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2001::1",
            "64:ff9b::127.0.0.1",
            "64:ff9b:1::1",
            "4000::1",
            "3fff::1",
        ] {
            assert_eq!(judge_text(address, &[]), None, "{address}");
        }
    }

    #[test]
    fn what_is_public_passes_as_what_it_is() {
        for (address, dialled) in [
            ("8.8.8.8", "8.8.8.8"),
            ("11.0.0.1", "11.0.0.1"),
            ("172.32.0.1", "172.32.0.1"),
            ("::ffff:8.8.8.8", "8.8.8.8"),
            ("2606:4700::1111", "2606:4700::1111"),
            ("64:ff9b::8.8.8.8", "64:ff9b::808:808"),
        ] {
            assert_eq!(judge_text(address, &[]).as_deref(), Some(dialled), "{address}");
        }
    }

    #[test]
    fn an_operator_allows_exactly_the_named_ranges() {
        let allowed = ["127.0.0.2".parse().unwrap(), "fd00::/8".parse().unwrap()];
        for address in ["127.0.0.2", "::ffff:127.0.0.2", "fd12::1"] {
            assert!(judge_text(address, &allowed).is_some(), "{address}");
        }
        for address in ["127.0.0.1", "fc00::1", "::127.0.0.2"] {
            assert!(judge_text(address, &allowed).is_none(), "{address}");
        }
    }
}
