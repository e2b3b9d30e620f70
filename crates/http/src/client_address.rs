//! Whose call it is: the peer's own address, or what trusted proxies say about the client behind them.

use crate::request::Peer;
use assay_domain::IpRange;
use assay_domain::limits::FORWARDED_HOPS_MAX;
use axum::http::{Extensions, HeaderMap, HeaderName, Request};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose word about a client is believed. Nobody else's is: anybody can write the header.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Arc<[IpRange]>);

impl TrustedProxies {
    pub fn new(ranges: &[IpRange]) -> Self {
        Self(ranges.into())
    }

    /// The client of a request.
    pub(crate) fn client_of<B>(&self, request: &Request<B>) -> IpAddr {
        self.client_in(request.headers(), request.extensions())
    }

    pub(crate) fn client_in(&self, headers: &HeaderMap, extensions: &Extensions) -> IpAddr {
        let peer = extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0);
        self.client(peer, headers)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|range| range.contains(address))
    }

    /// The client's own address. Each proxy adds the address it was called from on the right, so the header is read from
    /// there, back over proxies we trust, to the first address that is none. What cannot be read ends the way.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        // Several lines mean one list, in their order.
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        for hop in hops.take(FORWARDED_HOPS_MAX) {
            let Some(address) = read_hop(hop) else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

/// An address, with or without a port and brackets.
fn read_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop.trim_ascii()).ok()?;
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bracketed =
        || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok().filter(IpAddr::is_ipv6);
    bare().or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client(proxies: &[&str], peer: &str, lines: &[&str]) -> String {
        let ranges: Vec<IpRange> = proxies.iter().map(|range| range.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        TrustedProxies::new(&ranges).client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn without_trusted_proxies_the_header_means_nothing() {
        assert_eq!(client(&[], "198.51.100.1", &["203.0.113.9"]), "198.51.100.1");
        assert_eq!(client(&["10.0.0.0/8"], "198.51.100.1", &["203.0.113.9"]), "198.51.100.1");
        assert_eq!(client(&[], "::ffff:198.51.100.1", &[]), "198.51.100.1");
    }

    #[test]
    fn a_trusted_proxy_names_the_client() {
        let seen = |lines: &[&str]| client(&["10.0.0.0/8", "2001:db8:ffff::/48"], "10.0.0.1", lines);
        assert_eq!(seen(&["203.0.113.9"]), "203.0.113.9");
        assert_eq!(seen(&["203.0.113.9:4711"]), "203.0.113.9");
        assert_eq!(seen(&["[2001:db8::7]:4711"]), "2001:db8::7");
        assert_eq!(seen(&["[2001:db8::7]"]), "2001:db8::7");
        assert_eq!(seen(&["2001:db8::7"]), "2001:db8::7");
        assert_eq!(seen(&["::ffff:203.0.113.9"]), "203.0.113.9");
        assert_eq!(seen(&[]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "::ffff:10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
    }

    #[test]
    fn the_walk_ends_at_the_first_address_that_is_no_trusted_proxy() {
        let seen = |lines: &[&str]| client(&["10.0.0.0/8"], "10.0.0.1", lines);
        assert_eq!(seen(&["192.0.2.66, 203.0.113.9, 10.0.0.2 ,\t10.0.0.3"]), "203.0.113.9");
        assert_eq!(seen(&["192.0.2.66", "203.0.113.9", "10.0.0.2"]), "203.0.113.9");
        assert_eq!(seen(&["10.0.0.4, 203.0.113.9", "10.0.0.2"]), "203.0.113.9");
        assert_eq!(seen(&["10.0.0.4, 10.0.0.2"]), "10.0.0.4");
    }

    #[test]
    fn what_cannot_be_read_ends_the_walk_where_it_stands() {
        let seen = |lines: &[&str]| client(&["10.0.0.0/8"], "10.0.0.1", lines);
        for garbage in
            ["", ",", "unknown", "_hidden", "203.0.113", "203.0.113.9 203.0.113.8", "é", "[10.0.0.4]"]
        {
            assert_eq!(seen(&[garbage]), "10.0.0.1", "{garbage}");
            assert_eq!(seen(&[&format!("203.0.113.9, {garbage}, 10.0.0.2")]), "10.0.0.2", "{garbage}");
        }
        let chain = vec!["10.0.0.2"; FORWARDED_HOPS_MAX].join(",");
        assert_eq!(seen(&[&format!("203.0.113.9,{chain}")]), "10.0.0.2");
    }
}
