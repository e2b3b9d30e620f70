//! Ranges of internet addresses (`10.0.0.0/8`, `2001:db8::/32`, a lone address), and whose address one is.

use crate::ParseError;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

const V4_BITS: u8 = 32;
const V6_BITS: u8 = 128;
/// The bits in front of an IPv4 address that is written as an IPv6 one.
const MAPPED_BITS: u8 = 96;
/// A provider gives each subscriber at least this much of IPv6, who may then use any address in it.
const SUBSCRIBER_BITS: u8 = 64;

/// An address and how many of its leading bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IpRange {
    first: IpAddr,
    bits: u8,
}

impl IpRange {
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let text = text.trim();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(read_bits(bits)?)),
            None => (text, None),
        };
        let address: IpAddr =
            address.parse().map_err(|_| ParseError::IpRange("does not start with an address"))?;
        let whole = if address.is_ipv4() { V4_BITS } else { V6_BITS };
        let bits = bits.unwrap_or(whole);
        if bits > whole {
            return Err(ParseError::IpRange("counts more bits than an address has"));
        }
        if masked(address, bits) != address {
            return Err(ParseError::IpRange("names an address inside the range instead of its first one"));
        }
        Ok(match address.to_canonical() {
            first @ IpAddr::V4(_) if address.is_ipv6() && bits >= MAPPED_BITS => {
                Self { first, bits: bits - MAPPED_BITS }
            }
            _ => Self { first: address, bits },
        })
    }

    /// Whether the address lies in the range. An IPv4 address counts as one however it is written.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.first.is_ipv4() && masked(address, self.bits) == self.first
    }

    /// Whether every address of the other range lies in this one.
    pub fn covers(&self, other: &Self) -> bool {
        self.bits <= other.bits && self.contains(other.first)
    }
}

/// The address that stands for everyone who shares it: an IPv6 subscriber's /64, an IPv4 address as it is.
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        v6 @ IpAddr::V6(_) => masked(v6, SUBSCRIBER_BITS),
    }
}

fn read_bits(text: &str) -> Result<u8, ParseError> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bits = plain.then(|| text.parse().ok()).flatten();
    bits.ok_or(ParseError::IpRange("has no number of bits after the slash"))
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(u32::from(V4_BITS.saturating_sub(bits))).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(u32::from(V6_BITS.saturating_sub(bits))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
        }
    }
}

impl FromStr for IpRange {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

/// The shortest form: a lone address carries no number of bits.
impl fmt::Display for IpRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.first.is_ipv4() { V4_BITS } else { V6_BITS };
        write!(out, "{}", self.first)?;
        if self.bits < whole { write!(out, "/{}", self.bits) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_range_holds_its_first_and_last_address_and_neither_neighbour() {
        let edges = [
            ("10.0.0.0/8", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
            ("192.0.2.4/30", "192.0.2.3", "192.0.2.4", "192.0.2.7", "192.0.2.8"),
            ("192.0.2.7", "192.0.2.6", "192.0.2.7", "192.0.2.7", "192.0.2.8"),
            (
                "2001:db8::/33",
                "2001:db7:ffff::",
                "2001:db8::",
                "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff",
                "2001:db8:8000::",
            ),
            ("::1/128", "::", "::1", "::1", "::2"),
        ];
        for (range, before, first, last, after) in edges {
            let range = IpRange::parse(range).unwrap();
            assert!(range.contains(address(first)) && range.contains(address(last)), "{range}");
            assert!(!range.contains(address(before)) && !range.contains(address(after)), "{range}");
        }
    }

    #[test]
    fn ipv4_is_ipv4_however_it_is_written() {
        let range = IpRange::parse("::ffff:10.0.0.0/104").unwrap();
        assert_eq!(range, IpRange::parse("10.0.0.0/8").unwrap());
        assert!(range.contains(address("::ffff:10.1.2.3")) && range.contains(address("10.1.2.3")));
        assert!(!IpRange::parse("::/0").unwrap().contains(address("10.1.2.3")));
        assert!(!IpRange::parse("0.0.0.0/0").unwrap().contains(address("2001:db8::1")));
        assert!(IpRange::parse("0.0.0.0/0").unwrap().contains(address("255.255.255.255")));
    }

    #[test]
    fn a_range_covers_itself_and_its_parts_only() {
        let range = |text: &str| IpRange::parse(text).unwrap();
        for part in ["10.0.0.0/8", "10.3.0.0/16", "10.255.255.255"] {
            assert!(range("10.0.0.0/8").covers(&range(part)), "{part}");
        }
        for other in ["8.0.0.0/7", "11.0.0.0/8", "0.0.0.0/0", "2001:db8::/32", "a00::/8"] {
            assert!(!range("10.0.0.0/8").covers(&range(other)), "{other}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "",
            "/",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.1/8",
            "10.0.0/8",
            "10.0.0.0/+8",
            "10.0.0.0/-1",
            "10.0.0.0/8/8",
            "::/129",
            "::/999",
            "2001:db8::1/64",
            "fe80::1%eth0",
            "010.0.0.1",
            "host.example",
            "10.0.0.0-10.0.0.9",
        ] {
            assert!(matches!(IpRange::parse(text), Err(ParseError::IpRange(_))), "{text}");
        }
    }

    #[test]
    fn a_range_is_written_as_it_is_read() {
        for text in ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1", "0.0.0.0/0", "::/0"] {
            assert_eq!(text.parse::<IpRange>().unwrap().to_string(), text);
        }
        assert_eq!(IpRange::parse(" 192.0.2.7/32 ").unwrap().to_string(), "192.0.2.7");
    }

    #[test]
    fn a_subscriber_is_one_ipv4_address_or_one_ipv6_64() {
        let same = |left, right| subscriber(address(left)) == subscriber(address(right));
        assert!(same("2001:db8:0:1::1", "2001:db8:0:1:ffff::9"));
        assert!(!same("2001:db8:0:1::1", "2001:db8:0:2::1"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2") && !same("::ffff:192.0.2.1", "::ffff:192.0.2.2"));
    }
}
