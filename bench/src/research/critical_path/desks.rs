//! One vendor for each kind of question, on loopback sockets: each answers after the delay it is told, counts, and fails when told to.

use crate::rig::Rig;
use crate::upstream::stage::{Terms, enable, give_key};
use anyhow::Result;
use assay_testkit::vendor::{VendorReply, VendorRequest, VendorServer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub const PERSON: &str = "person";
pub const EMAIL: &str = "work_email";
pub const PHONE: &str = "phone";
pub const LINE: &str = "line";

/// Every kind there is: one that no workflow is said to ask for is counted all the same.
const DESKS: [Terms; 7] = [
    desk("bar-person", &[PERSON]),
    desk("bar-work-email", &[EMAIL]),
    desk("bar-phone", &[PHONE]),
    desk("bar-line", &[LINE]),
    desk("bar-company", &["company"]),
    desk("bar-personal-email", &["personal_email"]),
    desk("bar-verify", &["verify"]),
];

/// What it says is the account's that asked: another that asks the same is not told what is kept.
const fn desk(name: &'static str, lookups: &'static [&'static str]) -> Terms {
    Terms { name, lookups, storable: true, shareable: false, price_micros: 10_000 }
}

/// Lines at these area codes that begin with 555 01 are kept for fiction, and the plan does not tell whether one is a mobile.
const AREAS: [u16; 20] =
    [201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228];

/// How often each kind was asked.
pub type Arrivals = BTreeMap<String, u64>;

#[derive(Debug, Default)]
struct Board {
    delay: Duration,
    failing: Option<&'static str>,
    arrivals: Arrivals,
    numbers: usize,
}

#[derive(Debug)]
pub struct Desks {
    board: Arc<Mutex<Board>>,
    _servers: Vec<VendorServer>,
}

impl Desks {
    pub fn open(rig: &Rig) -> Result<Self> {
        let board: Arc<Mutex<Board>> = Arc::default();
        let mut servers = Vec::new();
        for terms in DESKS {
            let shared = Arc::clone(&board);
            let server = VendorServer::start(move |request| answer(request, &mut lock(&shared)))?;
            terms.add(rig, &server.url())?;
            give_key(rig, terms.name, None, "bar-key")?;
            enable(rig, terms.name, None)?;
            servers.push(server);
        }
        Ok(Self { board, _servers: servers })
    }

    /// From now on every answer comes so late, and those of one kind are failures, which come at once.
    pub fn set(&self, delay: Duration, failing: Option<&'static str>) {
        let mut board = lock(&self.board);
        (board.delay, board.failing) = (delay, failing);
    }

    /// What was asked since the last time.
    pub fn arrivals(&self) -> Arrivals {
        std::mem::take(&mut lock(&self.board).arrivals)
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(request: &VendorRequest, board: &mut Board) -> VendorReply {
    let lookup = request.path.trim_start_matches('/');
    *board.arrivals.entry(lookup.to_owned()).or_default() += 1;
    if board.failing == Some(lookup) {
        return VendorReply::json(500, r#"{"error":"down"}"#);
    }
    let asked: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let said = match lookup {
        PERSON => somebody(&text(&asked, "network_url")),
        EMAIL => {
            let (first, last) = (text(&asked, "first_name"), text(&asked, "last_name"));
            let address = format!("{first}.{last}@{}", text(&asked, "domain")).to_lowercase();
            Some(json!({ "email": address, "email_status": "valid" }))
        }
        PHONE => {
            let (area, line) = (AREAS[board.numbers / 100 % AREAS.len()], board.numbers % 100);
            board.numbers += 1;
            Some(json!({ "phone": format!("+1{area}55501{line:02}"), "line_type": "mobile" }))
        }
        LINE => Some(json!({ "line_type": "mobile", "valid": true })),
        _ => None,
    };
    let reply =
        said.map_or_else(|| VendorReply::json(404, "{}"), |said| VendorReply::json(200, said.to_string()));
    reply.after(board.delay)
}

/// Whom a page `…/in/given-family` is of.
fn somebody(url: &str) -> Option<Value> {
    let (first, last) = url.rsplit('/').next()?.split_once('-')?;
    let employer = format!("{last}-works.example");
    Some(json!({ "person": {
        "first_name": titled(first), "last_name": titled(last), "full_name": format!("{} {}", titled(first), titled(last)),
        "network_url": url, "jobs": [{ "company_name": titled(last), "company_domain": employer, "title": "Head of Sales" }],
    } }))
}

pub fn titled(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn text(asked: &Value, field: &str) -> String {
    asked.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}
