//! A small DNS server on loopback for tests: UDP and TCP, answers from a table, bad manners on request.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::{Dns, DnsSettings};

pub(crate) const A: u16 = 1;
pub(crate) const CNAME: u16 = 5;
pub(crate) const MX: u16 = 15;
pub(crate) const TXT: u16 = 16;
pub(crate) const AAAA: u16 = 28;
const NS: u16 = 2;

#[derive(Clone)]
pub(crate) enum Data {
    Four(Ipv4Addr),
    Six(Ipv6Addr),
    Mail(u16, &'static str),
    Alias(&'static str),
    Text(Vec<Vec<u8>>),
}

/// What the server says to a question.
#[derive(Clone)]
pub(crate) enum Reply {
    Records(Vec<Data>),
    /// The name exists, with records of other types.
    Empty,
    /// NXDOMAIN (3), SERVFAIL (2), REFUSED (5) and the like.
    Code(u8),
    /// No answer but the name of another server to ask.
    Referral,
    Silence,
    /// Bytes that are no message, under the right number or a wrong one.
    Garbage {
        right_number: bool,
    },
    /// Cut off over UDP, complete over TCP.
    TooLong(Vec<Data>),
}

type Table = Arc<Mutex<HashMap<(String, u16), Reply>>>;

/// Names that are not in the table do not exist.
pub(crate) struct DnsServer {
    pub(crate) address: SocketAddr,
    table: Table,
    asked: Arc<AtomicUsize>,
}

impl DnsServer {
    pub(crate) fn start() -> Self {
        // The same port for both, which somebody may hold for TCP already.
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()) {
                break (udp, tcp);
            }
        };
        let server =
            Self { address: udp.local_addr().unwrap(), table: Table::default(), asked: Arc::default() };
        let (table, asked) = (server.table.clone(), server.asked.clone());
        thread::spawn(move || serve_udp(&udp, &table, &asked));
        let (table, asked) = (server.table.clone(), server.asked.clone());
        thread::spawn(move || {
            for stream in tcp.incoming() {
                let (table, asked) = (table.clone(), asked.clone());
                thread::spawn(move || serve_tcp(stream.unwrap(), &table, &asked));
            }
        });
        server
    }

    pub(crate) fn say(&self, name: &str, kind: u16, reply: Reply) -> &Self {
        self.table.lock().unwrap().insert((name.to_owned(), kind), reply);
        self
    }

    pub(crate) fn records(&self, name: &str, kind: u16, records: Vec<Data>) -> &Self {
        self.say(name, kind, Reply::Records(records))
    }

    /// Questions so far.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    pub(crate) fn settings(&self) -> DnsSettings {
        DnsSettings { nameservers: vec![self.address], private_hosts: true, ipv6_first: false }
    }

    pub(crate) fn dns(&self) -> Dns {
        Dns::new(&self.settings()).unwrap()
    }
}

fn serve_udp(socket: &UdpSocket, table: &Table, asked: &AtomicUsize) {
    let mut buffer = [0; 4096];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).unwrap();
        asked.fetch_add(1, Ordering::SeqCst);
        if let Some(answer) = answer(&buffer[..length], table, true) {
            socket.send_to(&answer, from).unwrap();
        }
    }
}

fn serve_tcp(mut stream: TcpStream, table: &Table, asked: &AtomicUsize) {
    let mut length = [0; 2];
    while stream.read_exact(&mut length).is_ok() {
        let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
        if stream.read_exact(&mut question).is_err() {
            return;
        }
        asked.fetch_add(1, Ordering::SeqCst);
        let Some(answer) = answer(&question, table, false) else { continue };
        let length = u16::try_from(answer.len()).unwrap().to_be_bytes();
        if stream.write_all(&[&length[..], &answer].concat()).is_err() {
            return;
        }
    }
}

/// The question's name, in lower case, and where the question ends.
fn read_question(message: &[u8]) -> (String, u16, usize) {
    let (mut at, mut labels) = (12, Vec::new());
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        labels.push(String::from_utf8_lossy(&message[at + 1..end]).to_lowercase());
        at = end;
    }
    (labels.join("."), u16::from_be_bytes([message[at + 1], message[at + 2]]), at + 5)
}

fn answer(question: &[u8], table: &Table, udp: bool) -> Option<Vec<u8>> {
    let (name, kind, end) = read_question(question);
    let number = [question[0], question[1]];
    let reply = {
        let table = table.lock().unwrap();
        let exists = table.keys().any(|(known, _)| *known == name);
        // A name with an alias has it under every type.
        let alias = table.get(&(name.clone(), CNAME));
        let missing = if exists { Reply::Empty } else { Reply::Code(3) };
        table.get(&(name, kind)).or(alias).cloned().unwrap_or(missing)
    };
    let (code, cut, records) = match reply {
        Reply::Silence => return None,
        Reply::Garbage { right_number: true } => return Some([&number[..], &[0xff; 40]].concat()),
        Reply::Garbage { right_number: false } => return Some(vec![0xff; 7]),
        Reply::Code(code) => (code, false, Vec::new()),
        Reply::Empty | Reply::Referral => (0, false, Vec::new()),
        Reply::TooLong(_) if udp => (0, true, Vec::new()),
        Reply::TooLong(ref records) | Reply::Records(ref records) => (0, false, records.clone()),
    };
    let referral = u8::from(matches!(reply, Reply::Referral));
    let count = u16::try_from(records.len()).unwrap().to_be_bytes();
    let flags = [0x81 | if cut { 2 } else { 0 }, 0x80 | code];
    let mut message = [&number[..], &flags, &[0, 1], &count, &[0, referral], &[0, 0]].concat();
    message.extend_from_slice(&question[12..end]);
    for record in &records {
        write_record(&mut message, record);
    }
    if referral == 1 {
        write_fields(&mut message, NS, &write_name("ns.elsewhere.test"));
    }
    Some(message)
}

fn write_record(message: &mut Vec<u8>, record: &Data) {
    let (kind, data) = match record {
        Data::Four(address) => (A, address.octets().to_vec()),
        Data::Six(address) => (AAAA, address.octets().to_vec()),
        Data::Mail(preference, host) => (MX, [&preference.to_be_bytes()[..], &write_name(host)].concat()),
        Data::Alias(target) => (CNAME, write_name(target)),
        Data::Text(pieces) => {
            let sized = pieces.iter().map(|p| [&[u8::try_from(p.len()).unwrap()][..], p].concat());
            (TXT, sized.collect::<Vec<_>>().concat())
        }
    };
    write_fields(message, kind, &data);
}

/// Owned by the name of the question, which stands at octet 12; kept for five minutes.
fn write_fields(message: &mut Vec<u8>, kind: u16, data: &[u8]) {
    message.extend_from_slice(&[0xc0, 12]);
    message.extend_from_slice(&kind.to_be_bytes());
    message.extend_from_slice(&[0, 1, 0, 0, 1, 44]);
    message.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
    message.extend_from_slice(data);
}

fn write_name(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.').filter(|label| !label.is_empty()) {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend_from_slice(label.as_bytes());
    }
    bytes.push(0);
    bytes
}
