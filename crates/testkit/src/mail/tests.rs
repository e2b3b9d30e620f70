//! Starts the whole rig and speaks raw SMTP to its real servers.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::clock::{Deadline, POLL};

use super::{HostedDomain, Hosting, MailRig, MailRigOptions, Recipients, Script, behaviour};

/// Not 25: a test may run where that port is somebody's.
const PORT: u16 = 2_525;

struct Client {
    lines: BufReader<TcpStream>,
}

impl Client {
    fn connect(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut client = Self { lines: BufReader::new(stream) };
        client.expect("220");
        client.ask("EHLO verifier.test", "250");
        client.ask("MAIL FROM:<probe@verifier.test>", "250");
        client
    }

    /// Reads a reply to its last line.
    fn hear(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "hung up after {reply:?}");
            reply.push_str(&line);
            if line.as_bytes().get(3) != Some(&b'-') {
                return reply;
            }
        }
    }

    fn expect(&mut self, start: &str) {
        let reply = self.hear();
        assert!(reply.starts_with(start), "wanted {start}, heard {reply:?}");
    }

    fn ask(&mut self, command: &str, start: &str) {
        self.lines.get_mut().write_all(format!("{command}\r\n").as_bytes()).unwrap();
        let reply = self.hear();
        assert!(reply.starts_with(start), "wanted {start} to {command}, heard {reply:?}");
    }

    fn ask_for(&mut self, address: &str, start: &str) {
        self.ask(&format!("RCPT TO:<{address}>"), start);
    }
}

#[test]
fn the_mail_rig_runs_real_servers_that_answer_as_the_catalogue_says_and_leaves_nothing() {
    let options = MailRigOptions { smtp_port: PORT, ..MailRigOptions::default() };
    let rig = MailRig::start(&options).unwrap();
    let server = |name: &str| rig.smtp(behaviour(name).unwrap().hosts[0]);

    let mut postfix = Client::connect(server("postfix-plain"));
    postfix.ask_for("DIETER@postfix-plain.test", "250 2.1.5");
    postfix.ask_for("emma+news@postfix-plain.test", "250 2.1.5");
    postfix.ask_for("ana@postfix-plain.test", "550 5.1.1");

    let mut exim = Client::connect(server("exim-plain"));
    exim.ask_for("anna@exim-plain.test", "250");
    exim.ask_for("ana@exim-plain.test", "550 Unrouteable address");

    let mut opensmtpd = Client::connect(server("opensmtpd-plain"));
    opensmtpd.ask_for("kowalski@opensmtpd-plain.test", "250");
    opensmtpd.ask_for("kowalsky@opensmtpd-plain.test", "550 Invalid recipient");

    Client::connect(server("postfix-greylist")).ask_for("anna@postfix-greylist.test", "450 4.2.0");
    std::thread::sleep(Duration::from_secs(3));
    Client::connect(server("postfix-greylist")).ask_for("anna@postfix-greylist.test", "250");
    // Proves that the servers ask the rig's own DNS.
    Client::connect(server("postfix-dnsbl")).ask_for("kowalski@postfix-dnsbl.test", "554 5.7.1");

    let folder = rig.folder().to_owned();
    let postfix = server("postfix-plain");
    drop(rig);
    assert!(!folder.exists());
    assert!(TcpStream::connect(postfix).is_err());
}

#[test]
fn the_mail_rig_hosts_domains_with_mailboxes_of_the_callers_and_counts_the_sessions() {
    let hosted = |label: &str, hosting| HostedDomain {
        domain: format!("{label}.example"),
        hosting,
        mailboxes: vec!["anna.bauer".to_owned()],
    };
    let options = MailRigOptions {
        smtp_port: PORT,
        servers: Vec::new(),
        example_records: vec!["more.example. TXT \"at {net}.70\"".to_owned()],
        hosted: vec![
            hosted("acme", Hosting::Plain),
            hosted("globex", Hosting::CatchAll),
            hosted("initech", Hosting::Greylisted),
        ],
        ..MailRigOptions::default()
    };
    let rig = MailRig::start(&options).unwrap();
    let mut plain = Client::connect(rig.smtp(70));
    plain.ask_for("anna.bauer@acme.example", "250 2.1.5");
    plain.ask_for("anna.bauer2@acme.example", "550 5.1.1");
    plain.ask_for("anna.bauer@elsewhere.example", "554 5.7.1");
    Client::connect(rig.smtp(71)).ask_for("whoever@globex.example", "250 2.1.5");
    let mut stranger = Client::connect(rig.smtp(72));
    stranger.ask_for("anna.bauer@initech.example", "450 4.2.0");
    stranger.ask_for("nobody@initech.example", "450 4.2.0");
    std::thread::sleep(Duration::from_secs(3));
    let mut known = Client::connect(rig.smtp(72));
    known.ask_for("anna.bauer@initech.example", "250 2.1.5");
    known.ask_for("nobody@initech.example", "550 5.1.1");
    let sessions = |hosting| rig.hosted_sessions(hosting).unwrap();
    wait_until(|| sessions(Hosting::Greylisted) == 2);
    assert_eq!([Hosting::Plain, Hosting::CatchAll].map(sessions), [1, 1]);
}

#[test]
fn a_mail_tarpit_holds_two_thousand_connections_without_a_thread_for_each() {
    let options = MailRigOptions { smtp_port: PORT, servers: Vec::new(), ..MailRigOptions::default() };
    let mut rig = MailRig::start(&options).unwrap();
    rig.serve(100, Script::tarpit()).unwrap();
    // Both ends are in this process, and some systems allow it no more than 1,024 files.
    let wanted = if files_max() > 5_000 { 2_000 } else { 400 };
    let mut clients = Vec::new();
    for number in 1..=wanted {
        clients.push(TcpStream::connect(rig.smtp(100)).unwrap());
        // The kernel holds 128 connections for a listener; the next one would try again only after a second.
        if number % 100 == 0 {
            wait_until(|| rig.tally(100).unwrap().taken == number);
        }
    }
    let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
    assert!(threads < 30, "{threads} threads");
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(rig.tally(100).unwrap().open, wanted);
    drop(clients);
    wait_until(|| rig.tally(100).unwrap().open == 0);
    assert_eq!(rig.tally(100).unwrap().open_max, wanted);
}

#[test]
fn a_scripted_mail_server_changes_its_mind_after_so_many_connections() {
    let options = MailRigOptions { smtp_port: PORT, servers: Vec::new(), ..MailRigOptions::default() };
    let mut rig = MailRig::start(&options).unwrap();
    let says = |reply: &str| Script::plain("moody.test", Recipients::Every(reply.to_owned()));
    rig.serve(100, says("250 2.1.5 OK").until(2, says("550 5.7.1 Enough"))).unwrap();
    for start in ["250 2.1.5", "250 2.1.5", "550 5.7.1", "550 5.7.1"] {
        let mut client = Client::connect(rig.smtp(100));
        client.ask_for("anna@moody.test", start);
        // Whoever was told goodbye counts no more, however soon they look.
        client.ask("QUIT", "221");
        assert_eq!(rig.tally(100).unwrap().open, 0);
    }
    let tally = rig.tally(100).unwrap();
    assert_eq!((tally.taken, tally.open_max), (4, 1));
}

fn wait_until(done: impl Fn() -> bool) {
    let deadline = Deadline::after(Duration::from_secs(30));
    while !done() {
        assert!(!deadline.passed(), "waited too long");
        std::thread::sleep(POLL);
    }
}

/// How many files this process may have open.
fn files_max() -> u64 {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap_or(u64::MAX)
}
