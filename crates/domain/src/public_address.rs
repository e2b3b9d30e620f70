//! Which addresses are on the public internet. Whoever may name a host chooses where this service connects to: everything else
//! is refused unless an operator allows it.

use crate::IpRange;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// First address, bits that count, and what lives there. After IANA's registry of special addresses, with the one
/// address that a cloud uses for its own machinery although it is public.
const NOT_PUBLIC_V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this host itself"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a provider's inner network"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this host itself"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud's machinery"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "the local link"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a protocol's reserved network"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a network for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a relay from IPv6 to IPv4"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a network for measurements"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a network for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a network for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast group"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved network"),
];

/// The same of IPv6, in the order they are looked at: the smaller ranges first.
const NOT_PUBLIC_V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "this host itself"),
    (Ipv6Addr::LOCALHOST, 128, "this host itself"),
    (Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0, 0), 96, "IPv4 inside of IPv6"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "a translator to private IPv4"),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "a network that discards"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "IPv4 inside of IPv6"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a protocol's reserved network"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a network for documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "IPv4 inside of IPv6"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a network for documentation"),
    (Ipv6Addr::new(0x5f00, 0, 0, 0, 0, 0, 0, 0), 16, "a provider's inner network"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private network"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "the local link"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a private network"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "a multicast group"),
];

/// All that IANA gives out as public IPv6.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// Where a network without IPv4 finds the rest of the internet: the last 32 bits are the IPv4 address.
const TRANSLATED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// The address to dial when it is public or in a range that an operator allows; else what lives there. An IPv4 address is
/// judged, and dialled, as one however it is written.
pub fn judge_address(address: IpAddr, allowed: &[IpRange]) -> Result<IpAddr, &'static str> {
    let address = address.to_canonical();
    match why_not_public(address) {
        Some(what) if !allowed.iter().any(|range| range.contains(address)) => Err(what),
        _ => Ok(address),
    }
}

/// What lives at an address that is not plainly on the public internet; an IPv4 address is judged as one however it is
/// written.
pub fn why_not_public(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(v4) => why_not_public_v4(v4),
        // Judged by what is meant. An operator's ranges are not asked: they name what is next door, not behind there.
        IpAddr::V6(v6) if starts(v6, TRANSLATED) => {
            let [.., a, b, c, d] = v6.octets();
            why_not_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        IpAddr::V6(v6) => {
            let found = NOT_PUBLIC_V6.iter().find(|(first, bits, _)| starts(v6, (*first, *bits)));
            match found {
                Some((_, _, what)) => Some(what),
                None if starts(v6, PUBLIC_V6) => None,
                None => Some("a reserved network"),
            }
        }
    }
}

fn why_not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
    let same = |first: Ipv4Addr, bits: u32| {
        (address.to_bits() ^ first.to_bits()).checked_shr(u32::BITS - bits).unwrap_or(0) == 0
    };
    NOT_PUBLIC_V4.iter().find(|(first, bits, _)| same(*first, *bits)).map(|(_, _, what)| *what)
}

fn starts(address: Ipv6Addr, (first, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ first.to_bits()).checked_shr(u128::BITS - bits).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_range_lets_through_what_is_in_it_and_nothing_else() {
        let allowed = [IpRange::parse("10.1.0.0/16").unwrap()];
        let judge = |text: &str| judge_address(text.parse().unwrap(), &allowed);
        assert_eq!(judge("::ffff:10.1.2.3"), Ok("10.1.2.3".parse().unwrap()));
        assert_eq!(judge("10.2.0.1"), Err("a private network"));
        assert_eq!(judge("64:ff9b::10.1.2.3"), Err("a private network"));
        assert_eq!(judge("9.9.9.9"), Ok("9.9.9.9".parse().unwrap()));
    }

    #[test]
    fn public_addresses_are_told_from_special_ones() {
        let is_public = |text: &str| why_not_public(text.parse().unwrap()).is_none();
        for public in
            ["9.9.9.9", "100.128.0.1", "198.20.0.1", "2600::1", "64:ff9b::909:909", "::ffff:9.9.9.9"]
        {
            assert!(is_public(public), "{public}");
        }
        for special in [
            "0.0.0.1",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.51.100.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "2001:db8::1",
            "2002:a00:1::",
            "64:ff9b::a00:1",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_public(special), "{special}");
        }
    }
}
