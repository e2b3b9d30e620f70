//! The guard: which addresses a delivery may be sent to. Whoever registers a webhook chooses where this service
//! connects to, so everything that is not plainly the public internet is refused, and asked for again at every connect.

use std::net::IpAddr;

use assay_domain::{IpRange, judge_address};

use crate::refusal::Refusal;

/// What an operator lets through beyond public addresses over https. By default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    /// Ranges that may be connected to although they are not public: for development, or receivers next door.
    pub allowed: Vec<IpRange>,
    /// Whether `http://` will do.
    pub allow_http: bool,
    /// Ports beside the scheme's own.
    pub ports: Vec<u16>,
}

/// An address that the guard let through. The connector dials nothing else, so what was judged is what is dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Judged(IpAddr);

impl Judged {
    pub fn address(self) -> IpAddr {
        self.0
    }
}

impl Guard {
    /// An IPv4 address is judged, and dialled, as one however it is written.
    pub fn judge(&self, address: IpAddr) -> Result<Judged, Refusal> {
        judge_address(address, &self.allowed).map(Judged).map_err(Refusal::Address)
    }

    /// `own` is the port of the scheme.
    pub(crate) fn judge_port(&self, port: u16, own: u16) -> Result<(), Refusal> {
        if port == own || self.ports.contains(&port) { Ok(()) } else { Err(Refusal::Port(port)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::{Ipv4Addr, Ipv6Addr};

    /// Where a network without IPv4 finds the rest of the internet.
    const TRANSLATED: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

    fn is_refused(address: &str) -> bool {
        Guard::default().judge(address.parse().unwrap()).is_err()
    }

    #[test]
    fn every_special_network_is_refused_to_its_last_address_and_its_neighbours_are_not() {
        // The address before, first, last, the address after; "" where the neighbour is refused for its own sake.
        for (before, first, last, after) in [
            ("", "0.0.0.0", "0.255.255.255", "1.0.0.0"),
            ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
            ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
            ("168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"),
            ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
            ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
            ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
            ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
            ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
            ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
            ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
            ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
            ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
            ("223.255.255.255", "224.0.0.0", "239.255.255.255", ""),
            ("", "240.0.0.0", "255.255.255.255", ""),
            ("", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
            ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff::", "2001:200::"),
            ("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff::", "2001:db9::"),
            ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff::", "2003::"),
            ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff::", "3fff:1000::"),
            ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff::", ""),
        ] {
            assert!(is_refused(first) && is_refused(last), "{first} {last}");
            for neighbour in [before, after].into_iter().filter(|it| !it.is_empty()) {
                assert!(!is_refused(neighbour), "{neighbour}");
            }
        }
    }

    #[test]
    fn each_refusal_says_what_lives_there() {
        for (address, what) in [
            ("127.0.0.1", "this host itself"),
            ("::1", "this host itself"),
            ("0.0.0.0", "this host itself"),
            ("::", "this host itself"),
            ("169.254.169.254", "the local link"),
            ("fe80::1", "the local link"),
            ("febf:ffff::1", "the local link"),
            ("10.1.2.3", "a private network"),
            ("fd00:ec2::254", "a private network"),
            ("fec0::1", "a private network"),
            ("100.100.100.200", "a provider's inner network"),
            ("5f00::1", "a provider's inner network"),
            ("192.0.0.192", "a protocol's reserved network"),
            ("2001:10::1", "a protocol's reserved network"),
            ("168.63.129.16", "a cloud's machinery"),
            ("::127.0.0.1", "IPv4 inside of IPv6"),
            ("::8.8.8.8", "IPv4 inside of IPv6"),
            ("2002:808:808::1", "IPv4 inside of IPv6"),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "IPv4 inside of IPv6"),
            ("64:ff9b:1::808:808", "a translator to private IPv4"),
            ("100::1", "a network that discards"),
            ("ff02::1", "a multicast group"),
            ("255.255.255.255", "a reserved network"),
            ("4000::1", "a reserved network"),
            ("64:ff9b:0:0:1::1", "a reserved network"),
        ] {
            let judged = Guard::default().judge(address.parse().unwrap());
            assert_eq!(judged, Err(Refusal::Address(what)), "{address}");
        }
    }

    #[test]
    fn public_addresses_are_let_through_as_what_they_are() {
        for (address, dialled) in [
            ("8.8.8.8", "8.8.8.8"),
            ("::ffff:8.8.8.8", "8.8.8.8"),
            ("2606:4700::1111", "2606:4700::1111"),
            ("64:ff9b::8.8.8.8", "64:ff9b::8.8.8.8"),
        ] {
            let judged = Guard::default().judge(address.parse().unwrap()).map(Judged::address);
            assert_eq!(judged, Ok(dialled.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn an_operator_allows_exactly_the_named_ranges() {
        let allowed = vec!["127.0.0.2".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let guard = Guard { allowed, ..Guard::default() };
        for (address, passes) in [
            ("127.0.0.2", true),
            ("::ffff:127.0.0.2", true),
            ("fd12::1", true),
            ("127.0.0.1", false),
            ("fc00::1", false),
            ("64:ff9b::127.0.0.2", false),
            ("::127.0.0.2", false),
        ] {
            assert_eq!(guard.judge(address.parse().unwrap()).is_ok(), passes, "{address}");
        }
    }

    #[test]
    fn a_port_is_the_schemes_own_or_the_operators() {
        let guard = Guard { ports: vec![8443], ..Guard::default() };
        assert_eq!(guard.judge_port(443, 443), Ok(()));
        assert_eq!(guard.judge_port(8443, 443), Ok(()));
        for port in [0, 22, 80, 8080] {
            assert_eq!(guard.judge_port(port, 443), Err(Refusal::Port(port)));
        }
    }

    proptest! {
        #[test]
        fn an_ipv4_address_is_judged_alike_however_it_is_wrapped(bits in any::<u32>()) {
            let v4 = Ipv4Addr::from_bits(bits);
            let verdict = Guard::default().judge(IpAddr::V4(v4)).is_ok();
            let mapped = IpAddr::V6(v4.to_ipv6_mapped());
            prop_assert_eq!(Guard::default().judge(mapped).is_ok(), verdict);
            let translated = Ipv6Addr::from_bits(TRANSLATED.to_bits() | u128::from(bits));
            prop_assert_eq!(Guard::default().judge(IpAddr::V6(translated)).is_ok(), verdict);
            let compatible = Ipv6Addr::from_bits(u128::from(bits));
            prop_assert!(Guard::default().judge(IpAddr::V6(compatible)).is_err());
        }

        /// Said in another way than the table does: by the standard library, as far as it goes.
        #[test]
        fn what_passes_is_neither_private_nor_special(bits in any::<u128>(), short in any::<bool>()) {
            let address = if short {
                IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap()))
            } else {
                IpAddr::V6(Ipv6Addr::from_bits(bits))
            };
            let passes = Guard::default().judge(address).is_ok();
            let special = match address {
                IpAddr::V4(v4) => {
                    let [first, second, ..] = v4.octets();
                    v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast()
                        || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified()
                        || first == 0 || first >= 240 || first == 100 && (64..128).contains(&second)
                }
                IpAddr::V6(v6) => v6.segments()[0] & 0xe000 != 0x2000,
            };
            prop_assert!(!(passes && special), "{}", address);
        }
    }
}
