//! Urls that lead to a canary, each in another disguise.

use super::canary::Network;
use super::names::NAMES;

/// Where a url would lead if nobody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    Loopback,
    /// To an address that is ours in a network of our own.
    Anywhere,
    /// To an address that cannot be connected to, or nowhere since the url itself is refused.
    Nowhere,
}

/// How an attempt has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    Forbidden,
    /// A redirect, which is not followed.
    Refused(u16),
}

#[derive(Debug, Clone)]
pub struct Form {
    pub url: String,
    pub lead: Lead,
    pub expected: Expected,
}

impl Form {
    /// An address in brackets that is not IPv4 after all, or a name of that kind.
    pub fn needs_v6(&self) -> bool {
        let url = self.url.to_lowercase();
        let is_v4 = url.contains("[::ffff:") && !url.contains("[::ffff:0:");
        (url.contains('[') && !is_v4) || url.contains("6.test")
    }
}

const LOOPBACK: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7F000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "0x7f.0.0.1",
    "017700000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "00177.1",
    "0x7f.01",
    "127.0.0.1.",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127%2E1",
    "１２７．０．０．１",
    "127。0。0。1",
    "127｡1",
    "①②⑦.⓪.⓪.①",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "0.0.0.0",
    "0",
    "0x0",
    "00",
    "loc%61lhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::0.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
];

const ANYWHERE: &[&str] = &[
    // Private.
    "10.0.0.1",
    "10.255.255.254",
    "10.1",
    "167772161",
    "0xa000001",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.254",
    "192.168.0.1",
    "192.168.257",
    "3232235521",
    "0xc0a80001",
    "[::ffff:10.0.0.1]",
    "[::ffff:c0a8:1]",
    "[fc00::1]",
    "[fd00::1]",
    "[fec0::1]",
    "100.64.0.1",
    "100.127.255.254",
    // Metadata of clouds, and the local link.
    "169.254.169.254",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "169.254.0.1",
    // IPv4 inside of IPv6.
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::1]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::80ff:fffe]",
    "[::ffff:0:127.0.0.1]",
    // Nobody's.
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "240.0.0.1",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[2001:2::1]",
    "[2001:20::1]",
    "[4000::1]",
];

/// The system itself connects to none of these.
const NOWHERE: &[&str] =
    &["0.1.2.3", "224.0.0.1", "239.255.255.250", "255.255.255.255", "[fe80::1]", "[ff02::1]"];

/// `{}` is the port. The url itself is refused, whatever its address.
const BAD_URLS: &[&str] = &[
    "http://hooks.test@127.0.0.1:{}/",
    "http://user:secret@127.0.0.1:{}/",
    "http://:@127.0.0.1:{}/",
    "http://hooks.test\\@127.0.0.1:{}/",
    "http:\\\\127.0.0.1:{}\\",
    " http://127.0.0.1:{}/",
    "http://127.0.0.1:{}/ ",
    "http://127.0.\t0.1:{}/",
    "http://127.0.0.1\r\n:{}/",
    "http://127.0.0.1:{}/#",
    "http://127.0.0.1:{}#@hooks.test/",
    "http://[::1%25lo]:{}/",
    "http://[fe80::1%25lo]:{}/",
    "http://[::1%lo]:{}/",
    "ftp://127.0.0.1:{}/",
    "ws://127.0.0.1:{}/",
    "gopher://127.0.0.1:{}/_x",
    "file://127.0.0.1:{}/etc/passwd",
    "127.0.0.1:{}",
    "//127.0.0.1:{}/",
];

/// Read as `http://127.0.0.1:port/`, as a browser would.
const ODD_URLS: &[&str] = &[
    "HTTP://127.0.0.1:{}/",
    "http:127.0.0.1:{}/",
    "http:/127.0.0.1:{}/",
    "http:///127.0.0.1:{}/",
    "http:////127.0.0.1:{}/",
    "http://@127.0.0.1:{}/",
    "http://127.0.0.1:0{}/",
    "http://127.0.0.1:{}?@hooks.test/",
    "https://127.0.0.1:{}/",
    "https://localhost:{}/",
    "https://[::1]:{}/",
    "https://[::ffff:127.0.0.1]:{}/",
    "http://127.0.0.1:{}/%2e%2e/../x",
];

/// At the schemes' own ports.
const USUAL_PORTS: &[&str] = &[
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://127.0.0.1:443/",
    "http://10.0.0.1/",
];

const REDIRECTS: &[u16] = &[301, 302, 303, 307, 308];

pub fn forms(network: &Network) -> Vec<Form> {
    let port = network.port;
    let forbidden = |url: String, lead| Form { url, lead, expected: Expected::Forbidden };
    let host = |host: &&str, lead| forbidden(format!("http://{host}:{port}/"), lead);
    let whole = |url: &&str, lead| forbidden(url.replace("{}", &port.to_string()), lead);
    let mut forms = Vec::new();
    forms.extend(LOOPBACK.iter().map(|it| host(it, Lead::Loopback)));
    forms.extend(ANYWHERE.iter().map(|it| host(it, Lead::Anywhere)));
    forms.extend(NOWHERE.iter().map(|it| host(it, Lead::Nowhere)));
    forms.extend(BAD_URLS.iter().map(|it| whole(it, Lead::Nowhere)));
    forms.extend(ODD_URLS.iter().map(|it| whole(it, Lead::Loopback)));
    forms.extend(USUAL_PORTS.iter().map(|it| whole(it, Lead::Anywhere)));
    for (name, addresses) in NAMES {
        let local =
            addresses.iter().any(|it| it.starts_with("127.") || ["::1", "0.0.0.0", "::"].contains(it));
        let lead = if local { Lead::Loopback } else { Lead::Anywhere };
        forms.extend([*name, &format!("{name}."), &name.to_uppercase()].iter().map(|it| host(it, lead)));
    }
    let public = network.public;
    for status in REDIRECTS {
        for location in [
            format!("http://127.0.0.1:{port}/"),
            format!("//[::1]:{port}/"),
            format!("http://10.0.0.1:{port}/"),
        ] {
            let url = format!("http://{public}:{port}/{status}?{location}");
            forms.push(Form { url, lead: Lead::Nowhere, expected: Expected::Refused(*status) });
        }
    }
    forms
}
