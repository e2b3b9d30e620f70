//! Domains and email addresses: every accepted spelling of one gives one value, and what is refused stays refused.

use assay_domain::{Domain, Email, ParseError};

#[test]
fn every_spelling_of_a_site_gives_one_domain() {
    let mut tried = 0;
    for (host, want) in [
        ("acme.example", "acme.example"),
        ("ACME.Example", "acme.example"),
        ("example.com", "example.com"),
        ("acme.co.uk", "acme.co.uk"),
        ("acme.test", "acme.test"),
        ("acme.invalid", "acme.invalid"),
        ("acme.localhost", "acme.localhost"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("BÜCHER.de", "xn--bcher-kva.de"),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("acme.github.io", "acme.github.io"),
        ("acme.kawasaki.jp", "a.acme.kawasaki.jp"),
    ] {
        for scheme in ["", "http://", "https://", "HTTPS://", "//"] {
            for subdomain in ["", "www.", "www.a.", "mail.eu."] {
                // Under a wildcard suffix the subdomain is the registrable label, tried on its own below.
                if want.starts_with("a.acme") && subdomain != "www.a." {
                    continue;
                }
                for port in ["", ":", ":443", ":8080"] {
                    for rest in ["", ".", "/", "/about/us", "?x=1", "#top", "/a?u=https://other.example/b@c"]
                    {
                        let (dot, rest) = if rest == "." { (".", "") } else { ("", rest) };
                        let text = format!(" {scheme}{subdomain}{host}{dot}{port}{rest}\n");
                        let domain = Domain::parse(&text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
                        assert_eq!(domain.as_str(), want, "{text:?}");
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(tried > 5_000);
}

#[test]
fn a_private_suffix_is_its_owners_domain() {
    for (host, want) in
        [("github.io", "github.io"), ("www.github.io", "www.github.io"), ("pro.typeform.com", "typeform.com")]
    {
        assert_eq!(Domain::parse(host).unwrap().as_str(), want);
    }
}

#[test]
fn what_is_no_registrable_domain_is_refused() {
    let long_label = format!("{}.example", "a".repeat(64));
    let long_name = format!("{}example", "abcdefg.".repeat(32));
    let huge = "a.".repeat(1_000_000);
    for text in [
        "",
        " ",
        ".",
        "..",
        "com",
        "co.uk",
        "公司.cn",
        "localhost",
        "example",
        "acme",
        "acme..example",
        ".acme.example",
        "acme.example..",
        "127.0.0.1",
        "http://127.0.0.1/",
        "1.2.3",
        "0x7f.0x1",
        "acme.0x7f",
        "[::1]",
        "http://[2001:db8::1]:80/",
        "acme.1",
        "-acme.example",
        "acme-.example",
        "ac me.example",
        "ac_me.example",
        "acme.example:http",
        "acme.example:99999",
        "jane@acme.example",
        "https://jane@acme.example/",
        "mailto:jane@acme.example",
        "ftp://acme.example",
        "://acme.example",
        "acme%2eexample",
        "acme\0.example",
        "acme.exam\u{202e}ple",
        "https://",
        "?acme.example",
        "xn--a.example",
        long_label.as_str(),
        long_name.as_str(),
        huge.as_str(),
    ] {
        let error = Domain::parse(text).expect_err(text);
        assert!(matches!(error, ParseError::Domain(_)));
        assert_eq!(error.code(), "invalid_domain");
    }
}

#[test]
fn a_name_of_253_characters_passes_and_one_of_254_does_not() {
    let label = "a".repeat(61);
    let name = |first: usize| format!("{}.{label}.{label}.{label}.example", "b".repeat(first));
    let at_most = 253 - (62 * 3 + 8);
    assert_eq!(name(at_most).len(), 253);
    assert!(Domain::parse(&name(at_most)).is_ok());
    assert!(Domain::parse(&name(at_most + 1)).is_err());
}

#[test]
fn every_spelling_of_an_address_gives_one_email() {
    for local in ["jane.doe", "JANE.DOE", "Jane.Doe"] {
        for host in ["mail.acme.example", "MAIL.ACME.EXAMPLE", "Mail.Acme.example", "mail.acme.example."] {
            for (before, after) in [("", ""), (" ", " "), ("\t", "\r\n"), ("\u{a0}", "\u{3000}")] {
                let email = Email::parse(&format!("{before}{local}@{host}{after}")).unwrap();
                assert_eq!(email.as_str(), "jane.doe@mail.acme.example");
                assert_eq!((email.local(), email.host()), ("jane.doe", "mail.acme.example"));
                assert_eq!(email.domain().as_str(), "acme.example");
            }
        }
    }
}

#[test]
fn every_atom_character_is_allowed_and_every_other_ascii_character_is_not() {
    for byte in 0..128_u8 {
        let c = char::from(byte);
        let allowed = c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
        let text = format!("a{c}b@acme.example");
        assert_eq!(Email::parse(&text).is_ok(), allowed, "{text:?}");
    }
}

#[test]
fn letters_beyond_ascii_are_kept_composed_and_hosts_become_ascii() {
    for local in ["josé", "JOSÉ", "jose\u{301}", "JOSE\u{301}"] {
        let email = Email::parse(&format!("{local}@bücher.de")).unwrap();
        assert_eq!(email.as_str(), "josé@xn--bcher-kva.de");
    }
    assert!(Email::parse("用户@acme.example").is_ok());
    for invisible in ["\u{200b}", "\u{feff}", "\u{ad}", "\u{202e}", "\u{a0}", "\u{85}", "\u{2028}"] {
        assert!(Email::parse(&format!("ja{invisible}ne@acme.example")).is_err(), "{invisible:?}");
    }
}

#[test]
fn what_is_no_address_is_refused() {
    let long_local = format!("{}@acme.example", "a".repeat(65));
    let label = "a".repeat(60);
    let long = format!("{}@{label}.{label}.{label}.acme.example", "a".repeat(64));
    assert!(long.len() > 254 && long.len() < 320);
    for text in [
        "",
        "@",
        "jane",
        "jane@",
        "@acme.example",
        "jane@acme",
        "jane@com",
        "jane@co.uk",
        "jane@@acme.example",
        "a@b@acme.example",
        ".jane@acme.example",
        "jane.@acme.example",
        "ja..ne@acme.example",
        "\"jane\"@acme.example",
        "\"ja ne\"@acme.example",
        "Jane <jane@acme.example>",
        "<jane@acme.example>",
        "jane@[127.0.0.1]",
        "jane@127.0.0.1",
        "jane@[IPv6:::1]",
        "jane@acme_corp.example",
        "jane@-acme.example",
        "jane@acme..example",
        "jane@acme.example/x",
        "jane@acme.example:25",
        "jane@acme.example,joe@acme.example",
        "mailto:jane@acme.example",
        "jane@acme.example\0",
        "jane(x)@acme.example",
        long_local.as_str(),
        long.as_str(),
    ] {
        let error = Email::parse(text).expect_err(text);
        assert_eq!(error.code(), "invalid_email", "{text}");
    }
    assert!(Email::parse(&format!("{}@acme.example", "a".repeat(64))).is_ok());
}

#[test]
fn values_survive_json_and_are_masked_in_debug_output() {
    for text in ["jane.doe@mail.acme.example", "josé@xn--bcher-kva.de", "a@acme.co.uk"] {
        let email = Email::parse(text).unwrap();
        let json = serde_json::to_string(&email).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Email>(&json).unwrap(), email);
        assert_eq!(email.to_string(), text);
        assert!(!format!("{email:?}").contains(&format!("{}@", email.local())));
        let json = serde_json::to_string(&email.domain()).unwrap();
        assert_eq!(serde_json::from_str::<Domain>(&json).unwrap(), email.domain());
        assert!(!format!("{:?}", email.domain()).contains(email.domain().as_str()));
    }
    assert_eq!(format!("{:?}", Email::parse("jane@acme.example").unwrap()), "Email(j***@acme.example)");
    assert!(serde_json::from_str::<Email>("\"jane\"").is_err());
    assert!(serde_json::from_str::<Domain>("\"com\"").is_err());
}

#[test]
fn errors_never_repeat_what_was_sent() {
    for text in ["secret-person@", "secret-person", "secret person@acme.example", "secret-person@secret"] {
        let error = Email::parse(text).unwrap_err();
        assert!(!format!("{error} {error:?} {}", error.fix()).contains("secret"));
    }
}
