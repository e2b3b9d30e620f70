//! Fuzz target: any bytes as the message of a nameserver. What is read from it is safe to ask, to connect to and to log.
#![no_main]

use assay_domain::limits::{DNS_TEXT_BYTES_MAX, DNS_TEXTS_MAX, MAIL_HOSTS_MAX};
use assay_mailbox::fuzzing::{Heard, read_message};
use assay_mailbox::{Class, Exchange, Exchanges, MailService, Operator};
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(heard) = read_message(data, false) else { return Corpus::Keep };
    let backwards = read_message(data, true);
    let Ok(heard) = heard else {
        assert_eq!(backwards, Some(heard), "a failure is one in any order");
        return Corpus::Keep;
    };
    let Some(Ok(backwards)) = backwards else { panic!("the order of records makes a failure") };
    assert_eq!(heard.exchanges, backwards.exchanges, "records have no order");
    see_texts(&heard, &backwards);
    if heard.no_name {
        assert!(heard.exchanges.is_none() && heard.texts.is_empty() && heard.addresses.is_empty());
    }
    match &heard.exchanges {
        Some(Exchanges::Hosts(hosts)) => see_hosts(hosts, &heard.texts),
        None | Some(Exchanges::NullMx | Exchanges::Nothing) => {}
        Some(other) => panic!("records cannot say {other:?}"),
    }
    Corpus::Keep
});

fn see_texts(heard: &Heard, backwards: &Heard) {
    let texts = &heard.texts;
    assert!(texts.len() <= DNS_TEXTS_MAX);
    // A byte that is no text becomes a mark of three.
    assert!(texts.iter().all(|text| text.len() <= 3 * DNS_TEXT_BYTES_MAX));
    let is_policy = |text: &String| {
        let version = text.get(..6).unwrap_or_default();
        version.eq_ignore_ascii_case("v=spf1")
            && text.get(6..).is_some_and(|it| it.is_empty() || it.starts_with(' '))
    };
    assert!(texts.is_sorted_by_key(|text| !is_policy(text)), "sender policies come first");
    if texts.len() < DNS_TEXTS_MAX {
        let sorted = |texts: &[String]| {
            let mut texts = texts.to_vec();
            texts.sort();
            texts
        };
        assert_eq!(sorted(texts), sorted(&backwards.texts));
    }
}

fn see_hosts(hosts: &[Exchange], texts: &[String]) {
    assert!((1..=MAIL_HOSTS_MAX).contains(&hosts.len()));
    assert!(hosts.is_sorted_by_key(|exchange| exchange.preference));
    for (at, Exchange { host, .. }) in hosts.iter().enumerate() {
        see_host(host);
        assert!(hosts[..at].iter().all(|other| other.host != *host), "a host is asked twice");
    }
    let service = MailService::of_exchanges(hosts).expect("whoever has a host has a service");
    assert_eq!(service.operator, Operator::of_host(&hosts[0].host));
    assert!(service.gateway.is_none_or(|gateway| gateway.class == Class::Gateway));
    assert!(service.provider.is_none_or(|provider| provider.class != Class::Gateway));
    assert!(!service.wants_texts() || service.gateway.is_some());
    let read = |texts: &[String]| {
        let mut service = service.clone();
        service.read_texts(texts);
        service
    };
    let with_texts = read(texts);
    if !service.wants_texts() {
        assert_eq!(with_texts, service, "texts only complete the picture");
    }
    assert!(service.provider.is_none() || with_texts.provider == service.provider);
    assert_eq!((with_texts.gateway, &with_texts.operator), (service.gateway, &service.operator));
    let backwards: Vec<String> = texts.iter().rev().cloned().collect();
    assert_eq!(read(&backwards).provider, with_texts.provider, "texts have no order");
}

/// A name that can be asked for, and that breaks no line of a log and no command.
fn see_host(host: &str) {
    assert!(host.len() <= 255 && host.contains('.') && !host.ends_with('.'));
    assert!(host.split('.').all(|label| (1..=63).contains(&label.len())), "{host}");
    assert!(host.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b)));
    assert!(host.parse::<std::net::IpAddr>().is_err() && !host.ends_with(".localhost"));
    let operator = Operator::of_host(host);
    assert!(!operator.name().is_empty());
    assert_eq!(Operator::of_host(&host.to_ascii_uppercase()), operator);
    assert_eq!(Operator::of_host(&format!("{host}.")), operator);
    assert_eq!(operator.settles_by_rcpt(), operator.doubt().is_none());
}
