//! Three vendors, of which the one in the middle can be told to fail.

use super::load::Kind;
use crate::rig::Rig;
use crate::upstream::stage::{Terms, enable, give_key, question_of};
use anyhow::Result;
use assay_testkit::Stopwatch;
use assay_testkit::vendor::{VendorReply, VendorRequest, VendorServer};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What a vendor usually takes.
const USUAL: Duration = Duration::from_millis(20);
/// What it takes while it is slow.
pub const SLOW: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Healthy,
    Errors,
    Slow,
}

/// A question that reached the vendor in the middle.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub at: Duration,
    pub question: String,
    pub mode: Mode,
}

#[derive(Debug)]
struct Middle {
    mode: Mode,
    arrivals: Vec<Arrival>,
}

#[derive(Debug)]
pub struct Vendors {
    middle: Arc<Mutex<Middle>>,
    _servers: [VendorServer; 3],
}

const BEFORE: Terms =
    Terms { name: "bar-before", lookups: &["phone"], storable: true, shareable: true, price_micros: 10_000 };
const FAULTY: Terms = Terms { name: "bar-faulty", lookups: &["phone", "personal_email"], ..BEFORE };
const BEHIND: Terms = Terms { name: "bar-behind", ..BEFORE };

impl Vendors {
    pub fn open(rig: &Rig, watch: Stopwatch) -> Result<Self> {
        let middle = Arc::new(Mutex::new(Middle { mode: Mode::Healthy, arrivals: Vec::new() }));
        let shared = Arc::clone(&middle);
        let servers = [
            VendorServer::start(|request| answer(request, &[Kind::Before]))?,
            VendorServer::start(move |request| {
                let mut middle = lock(&shared);
                let mode = middle.mode;
                middle.arrivals.push(Arrival { at: watch.elapsed(), question: question_of(request), mode });
                drop(middle);
                match mode {
                    Mode::Healthy => answer(request, &[Kind::Faulty, Kind::Only]),
                    Mode::Errors => VendorReply::json(500, r#"{"error":"down"}"#),
                    Mode::Slow => answer(request, &[Kind::Faulty, Kind::Only]).after(SLOW),
                }
            })?,
            VendorServer::start(|request| answer(request, &[Kind::Behind]))?,
        ];
        for (terms, server) in [BEFORE, FAULTY, BEHIND].iter().zip(&servers) {
            terms.add(rig, &server.url())?;
            give_key(rig, terms.name, None, "bar-key")?;
            enable(rig, terms.name, None)?;
        }
        rig.cli(&["provider", "order", "phone", BEFORE.name, FAULTY.name, BEHIND.name])?;
        Ok(Self { middle, _servers: servers })
    }

    pub fn set(&self, mode: Mode) {
        lock(&self.middle).mode = mode;
    }

    pub fn arrivals(&self) -> Vec<Arrival> {
        lock(&self.middle).arrivals.clone()
    }

    /// When the vendor in the middle was asked for the nth time since.
    pub fn nth_since(&self, since: Duration, nth: usize) -> Option<Duration> {
        let middle = lock(&self.middle);
        middle.arrivals.iter().map(|arrival| arrival.at).filter(|at| *at >= since).nth(nth.saturating_sub(1))
    }
}

fn lock(middle: &Mutex<Middle>) -> MutexGuard<'_, Middle> {
    middle.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(request: &VendorRequest, known: &[Kind]) -> VendorReply {
    let question = question_of(request);
    let is_known = known.iter().any(|kind| question.contains(&format!(" at {}-", kind.word())));
    let reply = match (is_known, question.starts_with("phone")) {
        (false, _) => VendorReply::json(404, "{}"),
        (true, true) => VendorReply::json(200, r#"{"phone":"+12025550143","line_type":"mobile"}"#),
        (true, false) => {
            VendorReply::json(200, r#"{"email":"vesna.quill@gmail.com","email_status":"valid"}"#)
        }
    };
    reply.after(USUAL)
}
