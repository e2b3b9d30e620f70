//! Tests of the questions to DNS, against a server on loopback.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use proptest::prelude::*;

use super::loopback::{A, AAAA, CNAME, Data, DnsServer, MX, Reply, TXT};
use super::*;

fn four(last: u8) -> Data {
    Data::Four(Ipv4Addr::new(127, 0, 0, last))
}

fn hosts(exchanges: Exchanges) -> Vec<String> {
    match exchanges {
        Exchanges::Hosts(hosts) => hosts.into_iter().map(|exchange| exchange.host).collect(),
        other => panic!("no hosts but {other:?}"),
    }
}

fn text(pieces: &[&str]) -> Data {
    Data::Text(pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect())
}

#[tokio::test]
async fn exchanges_come_in_order_of_preference() {
    let server = DnsServer::start();
    let records = vec![Data::Mail(20, "Backup.Acme.test"), Data::Mail(5, "mx.acme.test")];
    server.records("acme.test", MX, records);
    let expected = vec![
        Exchange { preference: 5, host: "mx.acme.test".into() },
        Exchange { preference: 20, host: "backup.acme.test".into() },
    ];
    assert_eq!(server.dns().exchanges("acme.test").await, Exchanges::Hosts(expected));
}

#[tokio::test]
async fn a_domain_without_exchange_but_with_an_address_takes_its_mail_itself() {
    let server = DnsServer::start();
    server.records("four.test", A, vec![four(9)]);
    server.records("six.test", AAAA, vec![Data::Six(Ipv6Addr::LOCALHOST)]);
    let dns = server.dns();
    assert_eq!(dns.exchanges("four.test").await, Exchanges::Implicit);
    assert_eq!(dns.exchanges("six.test").await, Exchanges::Implicit);
}

#[tokio::test]
async fn absence_is_told_apart() {
    let server = DnsServer::start();
    server.records("null.test", MX, vec![Data::Mail(0, ".")]);
    server.records("bare.test", TXT, vec![text(&["nothing here"])]);
    let dns = server.dns();
    assert_eq!(dns.exchanges("null.test").await, Exchanges::NullMx);
    assert_eq!(dns.exchanges("bare.test").await, Exchanges::Nothing);
    assert_eq!(dns.exchanges("gone.test").await, Exchanges::NoDomain);
    assert_eq!(dns.addresses("gone.test").await, Ok(vec![]));
    assert_eq!(dns.texts("gone.test").await, Ok(vec![]));
}

#[tokio::test]
async fn a_failure_is_never_an_absence() {
    let server = DnsServer::start();
    server.say("servfail.test", MX, Reply::Code(2));
    server.say("refused.test", MX, Reply::Code(5));
    server.say("strange.test", MX, Reply::Code(14));
    server.say("referral.test", MX, Reply::Referral);
    server.say("garbage.test", MX, Reply::Garbage { right_number: true });
    server.say("half.test", MX, Reply::Empty).say("half.test", A, Reply::Code(2));
    let dns = server.dns();
    for (host, failure) in [
        ("servfail.test", DnsFailure::ServerFailed),
        ("refused.test", DnsFailure::Refused),
        ("strange.test", DnsFailure::ServerFailed),
        ("referral.test", DnsFailure::Referred),
        ("garbage.test", DnsFailure::Unreadable),
        ("half.test", DnsFailure::ServerFailed),
    ] {
        assert_eq!(dns.exchanges(host).await, Exchanges::Failed(failure), "{host}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    let server = DnsServer::start();
    server.say("silent.test", MX, Reply::Silence);
    server.say("forged.test", MX, Reply::Garbage { right_number: false });
    let dns = Dns::with_deadline(&server.settings(), Duration::from_millis(600)).unwrap();
    let patience = Duration::from_secs(5);
    for host in ["silent.test", "forged.test"] {
        let answer = tokio::time::timeout(patience, dns.exchanges(host)).await;
        assert_eq!(answer, Ok(Exchanges::Failed(DnsFailure::TimedOut)), "{host}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failure() {
    // Bound for a moment, so that nobody is there afterwards.
    let deserted = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nameservers = vec![deserted];
    let settings = DnsSettings { nameservers, ..DnsSettings::default() };
    let dns = Dns::with_deadline(&settings, Duration::from_secs(1)).unwrap();
    assert!(matches!(dns.exchanges("acme.test").await, Exchanges::Failed(_)));
}

#[tokio::test]
async fn an_answer_too_long_for_udp_is_asked_for_over_tcp() {
    let server = DnsServer::start();
    let long = vec![text(&["v=spf1 -all"]), text(&["x".repeat(250).as_str(); 12])];
    server.say("long.test", TXT, Reply::TooLong(long));
    server.say("long.test", MX, Reply::TooLong(vec![Data::Mail(1, "mx.long.test")]));
    let dns = server.dns();
    assert_eq!(hosts(dns.exchanges("long.test").await), ["mx.long.test"]);
    let texts = dns.texts("long.test").await.unwrap();
    assert_eq!(texts.iter().map(String::len).collect::<Vec<_>>(), [11, 3000]);
}

#[tokio::test]
async fn aliases_are_followed_and_loops_end() {
    let server = DnsServer::start();
    server.records("alias.test", CNAME, vec![Data::Alias("real.test")]);
    server.records("real.test", MX, vec![Data::Mail(1, "mx.alias.test")]);
    server.records("mx.alias.test", CNAME, vec![Data::Alias("host.real.test")]);
    server.records("host.real.test", A, vec![four(7)]);
    server.records("one.test", CNAME, vec![Data::Alias("two.test")]);
    server.records("two.test", CNAME, vec![Data::Alias("one.test")]);
    server.records("dangling.test", CNAME, vec![Data::Alias("gone.test")]);
    let dns = server.dns();
    assert_eq!(hosts(dns.exchanges("alias.test").await), ["mx.alias.test"]);
    assert_eq!(dns.addresses("mx.alias.test").await, Ok(vec![IpAddr::from([127, 0, 0, 7])]));
    assert_eq!(dns.exchanges("one.test").await, Exchanges::Nothing);
    assert_eq!(dns.exchanges("dangling.test").await, Exchanges::NoDomain);
}

#[tokio::test]
async fn hosts_nobody_can_reach_do_not_count() {
    let server = DnsServer::start();
    let useless = ["localhost", "mail", "192.0.2.1", "a b.test", "x.localhost"];
    server.records("useless.test", MX, useless.map(|host| Data::Mail(1, host)).to_vec());
    server.records("useless.test", A, vec![four(1)]);
    let mixed = vec![Data::Mail(0, "."), Data::Mail(1, "localhost"), Data::Mail(9, "mx.mixed.test")];
    server.records("mixed.test", MX, mixed);
    let dns = server.dns();
    assert_eq!(dns.exchanges("useless.test").await, Exchanges::Nothing);
    assert_eq!(hosts(dns.exchanges("mixed.test").await), ["mx.mixed.test"]);
}

#[tokio::test]
async fn addresses_of_version_4_come_first_unless_told_otherwise() {
    let server = DnsServer::start();
    let six = Ipv6Addr::new(0x2600, 0, 0, 0, 0, 0, 0, 1);
    server.records("both.test", A, vec![four(1)]).records("both.test", AAAA, vec![Data::Six(six)]);
    server.records("many.test", A, (1..=9).map(four).collect());
    let one = IpAddr::from([127, 0, 0, 1]);
    let dns = server.dns();
    assert_eq!(dns.addresses("both.test").await, Ok(vec![one, six.into()]));
    assert_eq!(dns.addresses("many.test").await.unwrap().len(), MAIL_HOST_ADDRESSES_MAX);
    let turned = Dns::new(&DnsSettings { ipv6_first: true, ..server.settings() }).unwrap();
    assert_eq!(turned.addresses("both.test").await, Ok(vec![six.into(), one]));
}

#[tokio::test]
async fn one_family_is_enough_when_the_other_fails() {
    let server = DnsServer::start();
    server.records("lame.test", A, vec![four(1)]).say("lame.test", AAAA, Reply::Code(2));
    server.say("lost.test", A, Reply::Code(2)).say("lost.test", AAAA, Reply::Empty);
    let dns = server.dns();
    assert_eq!(dns.addresses("lame.test").await, Ok(vec![IpAddr::from([127, 0, 0, 1])]));
    assert_eq!(dns.addresses("lost.test").await, Err(DnsFailure::ServerFailed));
}

#[tokio::test]
async fn a_record_that_points_into_our_network_is_not_followed() {
    let server = DnsServer::start();
    let inner = [[10, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [100, 64, 0, 1], [0, 0, 0, 0]];
    let inner = inner.map(|octets| Data::Four(Ipv4Addr::from(octets)));
    server.records("inner.test", A, inner.to_vec());
    server.records("inner.test", AAAA, vec![Data::Six(Ipv4Addr::LOCALHOST.to_ipv6_mapped())]);
    server.records(
        "outer.test",
        A,
        vec![Data::Four(Ipv4Addr::new(10, 0, 0, 1)), four(1), Data::Four(Ipv4Addr::new(9, 9, 9, 9))],
    );
    let dns = Dns::new(&DnsSettings { private_hosts: false, ..server.settings() }).unwrap();
    assert_eq!(dns.exchanges("inner.test").await, Exchanges::Nothing);
    assert_eq!(dns.addresses("inner.test").await, Ok(vec![]));
    assert_eq!(dns.addresses("outer.test").await, Ok(vec![IpAddr::from([9, 9, 9, 9])]));
    assert_eq!(dns.addresses("localhost").await, Ok(vec![]));
}

#[tokio::test]
async fn answers_are_remembered() {
    let server = DnsServer::start();
    server.records("acme.test", MX, vec![Data::Mail(1, "mx.acme.test")]);
    let dns = server.dns();
    let first = dns.exchanges("acme.test").await;
    server.records("acme.test", MX, vec![Data::Mail(1, "mx.moved.test")]);
    assert_eq!(dns.clone().exchanges("ACME.test.").await, first);
    assert_ne!(server.dns().exchanges("acme.test").await, first);
}

#[tokio::test]
async fn texts_are_bounded_and_a_sender_policy_is_not_lost() {
    let server = DnsServer::start();
    let mut records: Vec<Data> = (0..60).map(|n| text(&[format!("site-proof={n}").as_str()])).collect();
    records.push(text(&["v=spf1 include:_spf.goo", "gle.com ~all"]));
    records.push(text(&["y".repeat(255).as_str(); 20]));
    server.say("wordy.test", TXT, Reply::TooLong(records));
    server.records("odd.test", TXT, vec![Data::Text(vec![vec![0xff, b'a']])]);
    let dns = server.dns();
    let texts = dns.texts("wordy.test").await.unwrap();
    assert_eq!(texts.len(), DNS_TEXTS_MAX);
    assert_eq!(texts[0], "v=spf1 include:_spf.google.com ~all");
    assert!(texts.iter().all(|text| text.len() <= DNS_TEXT_BYTES_MAX));
    assert_eq!(dns.texts("odd.test").await.unwrap(), ["\u{fffd}a"]);
}

#[tokio::test]
async fn what_is_no_name_is_not_asked_for() {
    let server = DnsServer::start();
    let dns = server.dns();
    let long = format!("{}.test", "x".repeat(64));
    for host in ["", ".", "a..test", long.as_str()] {
        assert_eq!(dns.exchanges(host).await, Exchanges::Failed(DnsFailure::NotAName), "{host}");
    }
    assert_eq!(server.asked(), 0);
}

#[test]
fn equal_preferences_are_shuffled() {
    let named: Vec<(u16, String)> = (0..4).map(|n| (10, format!("mx{n}.acme.test."))).collect();
    let mut firsts = std::collections::BTreeSet::new();
    for _ in 0..200 {
        firsts.insert(hosts(choose_exchanges(&named, &mut rand::random::<u64>)).swap_remove(0));
    }
    assert_eq!(firsts.len(), 4);
}

proptest! {
    #[test]
    fn whatever_is_published_the_hosts_are_few_distinct_and_plain(
        named in prop::collection::vec((any::<u16>(), ".{0,12}(\\.[a-z]{1,3}){0,3}\\.?"), 0..20),
        seed: u64,
    ) {
        let mut state = seed;
        let chosen = choose_exchanges(&named, &mut || { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); state });
        let Exchanges::Hosts(hosts) = chosen else { return Ok(()) };
        prop_assert!(!hosts.is_empty() && hosts.len() <= MAIL_HOSTS_MAX);
        prop_assert!(hosts.is_sorted_by_key(|exchange| exchange.preference));
        let names: std::collections::BTreeSet<&str> = hosts.iter().map(|e| e.host.as_str()).collect();
        prop_assert_eq!(names.len(), hosts.len());
        prop_assert!(hosts.iter().all(|e| e.host.contains('.') && e.host.bytes().all(|b| b.is_ascii_graphic())));
    }
}
