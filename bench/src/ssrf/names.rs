//! Resolvers for names that are not what they seem.

use assay_notify::{Lookup, Resolver};
use std::collections::HashMap;
use std::io::{Error, ErrorKind};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Names that lead where they should not. Those that end in `6.test` need IPv6.
pub const NAMES: &[(&str, &[&str])] = &[
    ("localhost", &["127.0.0.1"]),
    ("loop.test", &["127.0.0.1"]),
    ("127.0.0.1.nip.test", &["127.0.0.1"]),
    ("other-loop.test", &["127.8.8.8"]),
    ("zero.test", &["0.0.0.0"]),
    ("loop6.test", &["::1"]),
    ("zero6.test", &["::"]),
    ("mapped.test", &["::ffff:127.0.0.1"]),
    ("mapped-metadata.test", &["::ffff:169.254.169.254"]),
    ("compatible6.test", &["::127.0.0.1"]),
    ("translated6.test", &["64:ff9b::7f00:1"]),
    ("private-translated6.test", &["64:ff9b:1::7f00:1"]),
    ("relayed6.test", &["2002:7f00:1::1"]),
    ("tunnelled6.test", &["2001:0:7f00:1::80ff:fffe"]),
    ("private.test", &["10.0.0.1"]),
    ("many.test", &["192.168.0.1", "192.168.0.2", "10.0.0.1", "172.16.0.1", "127.0.0.1"]),
    ("unique6.test", &["fd00::1"]),
    ("metadata.test", &["169.254.169.254"]),
    ("metadata6.test", &["fd00:ec2::254"]),
    ("carrier.test", &["100.64.0.1"]),
    ("cloud.test", &["168.63.129.16"]),
];

/// Answers the names above, always the same.
#[derive(Debug)]
pub struct Fixed;

impl Resolver for Fixed {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        let bare = name.strip_suffix('.').unwrap_or(name);
        let found = NAMES.iter().find(|(known, _)| *known == bare);
        Box::pin(async move {
            let (_, addresses) = found.ok_or_else(|| Error::from(ErrorKind::NotFound))?;
            addresses.iter().map(|text| text.parse().map_err(Error::other)).collect()
        })
    }
}

/// Where a name turns to after its first answer.
const HIDDEN: &[&str] = &[
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "::ffff:127.0.0.1",
    "0.0.0.0",
    "fd00::1",
    "100.100.100.200",
];

/// Gives each name another answer each time it is asked: a check of one answer says nothing about the next.
#[derive(Debug)]
pub struct Rebinding {
    public: IpAddr,
    hidden: Vec<IpAddr>,
    asked: AtomicUsize,
    /// How often each name was asked for.
    turns: Mutex<HashMap<usize, usize>>,
}

impl Rebinding {
    pub fn new(public: IpAddr) -> Self {
        let hidden = HIDDEN.iter().filter_map(|text| text.parse().ok()).collect();
        Self { public, hidden, asked: AtomicUsize::new(0), turns: Mutex::default() }
    }

    pub fn name(number: usize) -> String {
        format!("rebind-{number}.test")
    }

    /// What a name answers at its first look-up (turn 0) and after.
    pub fn answer(&self, number: usize, turn: usize) -> Vec<IpAddr> {
        let (public, hidden) = (self.public, self.hidden[number % self.hidden.len()]);
        match (turn, number % 4) {
            // All at once, in either order: only the public one may be dialled.
            (0, 1) => vec![hidden, public],
            (0, 2) => vec![public, hidden],
            (0, _) => vec![public],
            (_, 3) => vec![hidden, hidden, hidden],
            (_, _) => vec![hidden],
        }
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Resolver for Rebinding {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let number = name.trim_start_matches("rebind-").trim_end_matches(".test").parse::<usize>();
        Box::pin(async move {
            let number = number.map_err(Error::other)?;
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = turns.entry(number).or_default();
            let answer = self.answer(number, *turn);
            *turn += 1;
            Ok(answer)
        })
    }
}
