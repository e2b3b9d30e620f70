//! What the clients sent and saw. Every request that can be charged asks for a person nobody asked for before on that
//! account, so that each charge in the ledger can be laid to one request.

use crate::bar::Complaints;
use crate::http_client::{Exchange, Reply};
use crate::rig::Known;
use assay_domain::{Credits, PersonId, RequestId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The pause before a request that is still running somewhere is sent again.
const BUSY_PAUSE: Duration = Duration::from_millis(500);
const FAILED_PAUSE: Duration = Duration::from_millis(200);

/// One request, however often it was sent.
#[derive(Debug)]
pub struct Ticket {
    pub account: usize,
    /// `None` asks for somebody nobody knows, which costs nothing.
    pub person: Option<PersonId>,
    /// Requests with a key are sent until a whole answer came; those without are sent once.
    pub key: Option<String>,
    pub fate: Fate,
    body: String,
}

impl Ticket {
    pub fn new(account: usize, person: Option<PersonId>, key: Option<String>, fate: Fate) -> Self {
        Self { account, person, key, fate, body: String::new() }
    }
}

/// What the client knows of a request in the end.
#[derive(Debug, Clone, Copy)]
pub enum Fate {
    /// It never saw a whole reply.
    Unseen,
    Answered(Seen),
    /// It was told that the call failed, so the call must be free.
    Failed {
        request: Option<RequestId>,
    },
}

/// A whole reply with status 200.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    pub request: RequestId,
    pub credits: Credits,
    pub balance: Credits,
    pub replayed: bool,
}

/// A request to be sent now.
#[derive(Debug, Clone)]
pub struct Job {
    pub ticket: usize,
    pub account: usize,
    pub key: Option<String>,
    pub body: String,
    /// It asks for somebody who is known, and so costs something.
    pub paid: bool,
}

#[derive(Debug, Default)]
struct Pages {
    tickets: Vec<Ticket>,
    /// Requests with a key that wait to be sent again.
    waiting: VecDeque<(Instant, usize)>,
    people_used: Vec<usize>,
    open_keys: usize,
    calls: usize,
    statuses: BTreeMap<u16, usize>,
    complaints: Complaints,
}

/// The journal all clients write to.
#[derive(Debug)]
pub struct Journal {
    people: Vec<Known>,
    pages: Mutex<Pages>,
}

impl Journal {
    pub fn new(people: Vec<Known>, accounts: usize) -> Self {
        let pages = Pages { people_used: vec![0; accounts], ..Pages::default() };
        Self { people, pages: Mutex::new(pages) }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request that is due to be sent again, or else a new one.
    pub fn next(&self) -> Job {
        self.next_waiting().unwrap_or_else(|| self.new_job())
    }

    pub fn next_waiting(&self) -> Option<Job> {
        let mut pages = self.pages();
        let (due, ticket) = *pages.waiting.front()?;
        if due > Instant::now() {
            return None;
        }
        pages.waiting.pop_front();
        job(&pages.tickets, ticket)
    }

    fn new_job(&self) -> Job {
        let mut pages = self.pages();
        let account = rand::random_range(0..pages.people_used.len());
        let ticket = pages.tickets.len();
        let known = if rand::random_ratio(3, 5) { self.fresh_person(&mut pages, account) } else { None };
        let email =
            known.map_or_else(|| format!("nobody-{ticket}@unknown.example"), |known| known.email.clone());
        let key = rand::random_ratio(1, 2).then(|| format!("crash-{ticket}"));
        pages.open_keys += usize::from(key.is_some());
        let body = format!("{{\"email\":\"{email}\"}}");
        let ticket_row = Ticket::new(account, known.map(|known| known.id), key.clone(), Fate::Unseen);
        pages.tickets.push(Ticket { body: body.clone(), ..ticket_row });
        Job { ticket, account, key, body, paid: known.is_some() }
    }

    fn fresh_person(&self, pages: &mut Pages, account: usize) -> Option<&Known> {
        let used = pages.people_used.get_mut(account)?;
        let known = self.people.get(*used)?;
        *used += 1;
        Some(known)
    }

    /// Writes down what came of a job.
    pub fn note(&self, job: &Job, exchange: &Exchange<'_>) {
        let mut pages = self.pages();
        pages.calls += 1;
        match exchange {
            Exchange::Whole(reply) => pages.note_reply(job, reply),
            Exchange::Half | Exchange::Nothing => pages.again(job, FAILED_PAUSE),
        }
    }

    pub fn complain(&self, text: &str) {
        self.pages().complaints.add(text);
    }

    /// Requests with a key that have no whole answer yet.
    pub fn open_keys(&self) -> usize {
        self.pages().open_keys
    }

    /// Calls that failed without a key: they must be free, and no client will ask for them again.
    pub fn failed_requests(&self) -> Vec<RequestId> {
        let failed = |ticket: &Ticket| match ticket.fate {
            Fate::Failed { request } => request,
            _ => None,
        };
        self.pages().tickets.iter().filter_map(failed).collect()
    }

    pub fn calls(&self) -> usize {
        self.pages().calls
    }

    /// How many replies of each status were seen.
    pub fn statuses(&self) -> String {
        let text = |(status, count): (&u16, &usize)| format!("{status}: {count}");
        self.pages().statuses.iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// Everything, once no client writes any more.
    pub fn close(self) -> (Vec<Ticket>, Complaints) {
        let pages = self.pages.into_inner().unwrap_or_else(PoisonError::into_inner);
        (pages.tickets, pages.complaints)
    }
}

impl Pages {
    fn note_reply(&mut self, job: &Job, reply: &Reply<'_>) {
        *self.statuses.entry(reply.status).or_default() += 1;
        match reply.status {
            200 => self.note_answer(job, reply),
            409 if job.key.is_some() => self.again(job, BUSY_PAUSE),
            429 | 500.. if job.key.is_some() => self.again(job, FAILED_PAUSE),
            status => {
                if status != 429 && status < 500 {
                    let text = String::from_utf8_lossy(reply.body);
                    self.complaints.add(format!("status {status} for {job:?}: {text}"));
                }
                self.settle(job, Fate::Failed { request: reply.request() });
            }
        }
    }

    fn note_answer(&mut self, job: &Job, reply: &Reply<'_>) {
        let cost = reply.cost().and_then(|cost| Some((cost.credits, cost.balance?)));
        let (Some(request), Some((credits, balance))) = (reply.request(), cost) else {
            self.complaints.add(format!("an answer without id or cost for {job:?}"));
            return;
        };
        let replayed = reply.is_replayed();
        self.settle(job, Fate::Answered(Seen { request, credits, balance, replayed }));
    }

    fn settle(&mut self, job: &Job, fate: Fate) {
        self.open_keys -= usize::from(job.key.is_some());
        if let Some(ticket) = self.tickets.get_mut(job.ticket) {
            ticket.fate = fate;
        }
    }

    fn again(&mut self, job: &Job, pause: Duration) {
        if job.key.is_some() {
            self.waiting.push_back((Instant::now() + pause, job.ticket));
        }
    }
}

fn job(tickets: &[Ticket], index: usize) -> Option<Job> {
    let ticket = tickets.get(index)?;
    Some(Job {
        ticket: index,
        account: ticket.account,
        key: ticket.key.clone(),
        body: ticket.body.clone(),
        paid: ticket.person.is_some(),
    })
}
