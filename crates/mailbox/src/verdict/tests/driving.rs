//! Whole verifications against a DNS server and a mail server on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use assay_domain::clock::Stopwatch;
use assay_domain::limits::MAIL_VERDICT_MARGIN;

use super::*;
use crate::exchange::loopback::{A, Data, DnsServer, MX, Reply};
use crate::probe::{Patience, ProbeSettings};

const UNKNOWN_USER: &str = "550 5.1.1 User unknown";
const TAKEN: &str = "250 2.1.5 ok";

/// Answers every recipient by its local part, for as many connections as come.
struct MailServer {
    port: u16,
    asked_for: Arc<Mutex<Vec<String>>>,
}

impl MailServer {
    fn start(answer: fn(&str) -> &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { port: listener.local_addr().unwrap().port(), asked_for: Arc::default() };
        let asked_for = Arc::clone(&server.asked_for);
        thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), answer, &asked_for);
            }
        });
        server
    }

    fn asked_for(&self) -> Vec<String> {
        self.asked_for.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, answer: fn(&str) -> &'static str, asked_for: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream);
    let mut reply = "220 mx.acme.test";
    loop {
        lines.get_mut().write_all(format!("{reply}\r\n").as_bytes()).unwrap();
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or_default() == 0 || reply.starts_with("221") {
            return;
        }
        reply = match line.trim_end().strip_prefix("RCPT TO:<") {
            Some(rest) => {
                let local = rest.split('@').next().unwrap();
                asked_for.lock().unwrap().push(local.to_owned());
                answer(local)
            }
            None if line.starts_with("QUIT") => "221 bye",
            None => "250 ok",
        };
    }
}

/// Of a domain `acme.test` whose exchange is the server.
fn verifier(dns: &DnsServer, port: u16) -> Verifier {
    dns.records("acme.test", MX, vec![Data::Mail(10, "mx.acme.test")]);
    dns.records("mx.acme.test", A, vec![Data::Four(Ipv4Addr::LOCALHOST)]);
    let settings = ProbeSettings {
        helo: "verifier.example".to_owned(),
        sender: Some(Email::parse("probe@verifier.example").unwrap()),
        source: None,
        port,
        allowed: vec!["127.0.0.0/8".parse().unwrap()],
        patience: Patience::default(),
    };
    Verifier::new(dns.dns(), settings).unwrap()
}

async fn verify(verifier: &Verifier, address: &str, known: DomainKnowledge) -> Verdict {
    verifier.verify(&check(address).unwrap(), known, &mut StdRng::seed_from_u64(7)).await
}

#[tokio::test]
async fn who_is_refused_is_asked_for_alone_and_who_is_taken_with_two_strangers() {
    let dns = DnsServer::start();
    let server = MailServer::start(|local| if local == "anna" { TAKEN } else { UNKNOWN_USER });
    let verifier = verifier(&dns, server.port);

    let missing = verify(&verifier, "ana@acme.test", KNOW_NOTHING).await;
    assert_eq!(missing.status, Invalid);
    assert_eq!(server.asked_for(), ["ana"]);

    let anna = verify(&verifier, "anna@acme.test", KNOW_NOTHING).await;
    assert_eq!((anna.status, anna.catch_all), (Valid, Some(false)));
    assert_eq!(server.asked_for().len(), 4);

    let known = DomainKnowledge { catch_all: Some(false) };
    assert_eq!(verify(&verifier, "anna@acme.test", known).await.status, Valid);
    assert_eq!(server.asked_for().len(), 5);
}

#[tokio::test]
async fn a_server_that_makes_everyone_wait_is_told_of_the_same_strangers_each_time() {
    let dns = DnsServer::start();
    let server = MailServer::start(|_| "450 4.2.0 Greylisted, try again later");
    let verifier = verifier(&dns, server.port);
    for _ in 0..2 {
        let verdict = verify(&verifier, "anna@acme.test", KNOW_NOTHING).await;
        assert_eq!((verdict.status, verdict.retry), (Unknown, Some(Retry::Greylisted)));
    }
    let asked_for = server.asked_for();
    assert_eq!(asked_for.len(), 6);
    assert_eq!(asked_for[..3], asked_for[3..]);
}

#[tokio::test]
async fn nobody_is_asked_about_an_address_to_throw_away() {
    let dns = DnsServer::start();
    let verifier = verifier(&dns, 1);
    assert_eq!(verify(&verifier, "anna@mailinator.com", KNOW_NOTHING).await.status, Disposable);
    assert_eq!(dns.asked(), 0);
}

#[tokio::test]
async fn exchanges_whose_addresses_cannot_be_learnt_are_not_taken_for_missing() {
    let dns = DnsServer::start();
    let verifier = verifier(&dns, 1);
    dns.say("mx.acme.test", A, Reply::Code(2));
    let failed = verify(&verifier, "anna@acme.test", KNOW_NOTHING).await;
    assert_eq!((failed.status, failed.reason, failed.mx_found), (Unknown, Reason::DnsFailed, Some(true)));

    let route = verifier.find_route(&check("anna@gone.test").unwrap()).await;
    assert!(route.service().is_none());
    assert_eq!(verify(&verifier, "anna@gone.test", KNOW_NOTHING).await.reason, Reason::NoDomain);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_before_the_deadline() {
    let dns = DnsServer::start();
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut verifier = verifier(&dns, mute.local_addr().unwrap().port());
    verifier.deadline = 2 * MAIL_VERDICT_MARGIN;
    let watch = Stopwatch::start();
    let verdict = verify(&verifier, "anna@acme.test", KNOW_NOTHING).await;
    assert!(watch.elapsed() < verifier.deadline, "{:?}", watch.elapsed());
    assert_eq!((verdict.status, verdict.reason), (Unknown, Reason::TimedOut));
}

#[tokio::test]
async fn a_domain_without_exchanges_is_asked_itself() {
    let dns = DnsServer::start();
    let server = MailServer::start(|_| TAKEN);
    let verifier = verifier(&dns, server.port);
    dns.records("plain.test", A, vec![Data::Four(Ipv4Addr::LOCALHOST)]);
    let verdict = verify(&verifier, "anna@plain.test", KNOW_NOTHING).await;
    assert_eq!((verdict.status, verdict.mx_found), (CatchAll, Some(true)));
    assert_eq!(verdict.operator.unwrap().name(), "plain.test");
}
