//! Network URLs: all spellings of one page give one identity, and nothing else gives any.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails, also in a function it calls")]

use assay_domain::network_url::NetworkUrlKind;
use assay_domain::{NetworkHosts, NetworkUrl};

fn hosts() -> NetworkHosts {
    NetworkHosts::new(["network.example", "Other.Example"]).unwrap()
}

#[test]
fn every_spelling_of_one_page_gives_one_identity() {
    let pages = [
        (
            "in",
            "jane-doe-1a2b",
            &["jane-doe-1a2b", "Jane-Doe-1A2B", "jane%2Ddoe%2d1a2b", "%4Aane-doe-1a2b"][..],
            "jane-doe-1a2b",
        ),
        (
            "in",
            "josé",
            &["josé", "JOSÉ", "jos%C3%A9", "jos%c3%a9", "JOS%C3%89", "jose\u{301}", "jose%CC%81"],
            "jos%C3%A9",
        ),
        ("company", "acme", &["acme", "ACME", "%41cme"], "acme"),
        ("company", "李-co", &["李-co", "%E6%9D%8E-co", "%e6%9d%8e-CO"], "%E6%9D%8E-co"),
        ("company", "100%", &["100%25"], "100%25"),
        ("company", "a&b", &["a&b", "A%26B"], "a%26b"),
    ];
    let mut tried = 0;
    for (section, slug, spellings, encoded) in pages {
        let kind = if section == "in" { NetworkUrlKind::Person } else { NetworkUrlKind::Company };
        for scheme in ["", "http://", "https://", "HtTpS://", "//"] {
            for host in [
                "network.example",
                "www.network.example",
                "de.network.example",
                "NETWORK.example",
                "m.other.example",
                "other.example:443",
            ] {
                for spelling in spellings {
                    for section in [section.to_owned(), section.to_uppercase()] {
                        for rest in ["", "/", "?trk=1", "/?a=b/c", "#x", "/#/in/other"] {
                            let text = format!(" {scheme}{host}/{section}/{spelling}{rest} ");
                            let url =
                                NetworkUrl::parse(&text, &hosts()).unwrap_or_else(|e| panic!("{text}: {e}"));
                            let path = section.to_lowercase();
                            assert_eq!(url.identity(), format!("/{path}/{slug}"), "{text}");
                            assert_eq!(
                                url.as_str(),
                                format!("https://network.example/{path}/{encoded}"),
                                "{text}"
                            );
                            assert_eq!((url.kind(), url.slug()), (kind, slug));
                            tried += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 5_000);
}

#[test]
fn the_canonical_form_is_a_fixed_point_in_parsing_and_in_json() {
    for path in ["in/jane", "in/jos%C3%A9", "company/100%25", "company/%E6%9D%8E", "in/a%3Fb%23c"] {
        let url = NetworkUrl::parse(&format!("network.example/{path}"), &hosts()).unwrap();
        assert_eq!(NetworkUrl::parse(url.as_str(), &hosts()).unwrap(), url);
        let json = serde_json::to_string(&url).unwrap();
        assert_eq!(json, format!("\"{url}\""));
        assert_eq!(serde_json::from_str::<NetworkUrl>(&json).unwrap(), url);
    }
    assert!(serde_json::from_str::<NetworkUrl>("\"https://network.example/jobs/1\"").is_err());
}

#[test]
fn what_is_no_page_of_the_network_is_refused() {
    let long = format!("network.example/in/{}", "a".repeat(401));
    for text in [
        "",
        "network.example",
        "https://network.example/",
        "network.example/in",
        "network.example/in/",
        "network.example/in//",
        "network.example/in/jane/en",
        "network.example/in/jane/en/",
        "network.example/in/jane//",
        "network.example//in/jane",
        "network.example/jobs/1",
        "network.example/inn/jane",
        "network.example/in/jane%2Fdoe",
        "network.example/in/..",
        "network.example/in/%2e%2E",
        "network.example/in/ja ne",
        "network.example/in/ja%20ne",
        "network.example/in/ja%00ne",
        "network.example/in/%",
        "network.example/in/%z1",
        "network.example/in/%4",
        "network.example/in/%ff",
        "network.example/in/%C3%28",
        "network.example/in/a\\b",
        "/in/jane",
        "in/jane",
        "jane",
        "notnetwork.example/in/jane",
        "network.example.evil.test/in/jane",
        "evil.test/in/jane",
        "https://evil.test/network.example/in/jane",
        "https://network.example@evil.test/in/jane",
        "https://evil@network.example/in/jane",
        "ftp://network.example/in/jane",
        "evil.test?network.example/in/jane",
        "evil.test#.network.example/in/jane",
        "network.example?/in/jane",
        long.as_str(),
    ] {
        let error = NetworkUrl::parse(text, &hosts()).expect_err(text);
        assert_eq!(error.code(), "invalid_network_url");
    }
}

#[test]
fn hosts_are_checked_when_they_are_configured() {
    assert!(NetworkHosts::new(Vec::<String>::new()).is_err());
    for host in ["", "localhost", "127.0.0.1", "a b.example", "https://network.example"] {
        assert!(NetworkHosts::new([host]).is_err(), "{host}");
    }
    assert_eq!(NetworkHosts::default().canonical(), "network.example");
    assert_eq!(NetworkHosts::new(["Bücher.example"]).unwrap().canonical(), "xn--bcher-kva.example");
}

#[test]
fn debug_output_hides_the_slug() {
    let url = NetworkUrl::parse("network.example/in/jane-doe", &hosts()).unwrap();
    assert_eq!(format!("{url:?}"), "NetworkUrl(/in/j***)");
}
