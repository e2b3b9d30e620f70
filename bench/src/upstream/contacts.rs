//! The bar `contacts`: telephones, private addresses and whose they are, from the graph and from vendors with different rights,
//! asked for by several accounts. What is true of every question is known beforehand, so is what everybody pays.
//!
//! A vendor that may not be shared says something else every time it is asked: an account that is told what another was told
//! is thereby found out. In the last round every vendor fails, so that all that is told comes from what is kept.

mod cast;
mod people;
mod tally;
mod truth;

use super::stage::{KEY_HEADER, NOTICED, Terms, enable, give_key, question_of, serve};
use crate::bar::{Complaints, Verdict, grouped, progress};
use crate::http_client::{Client, Exchange, Post};
use crate::rig::{Rig, RigOptions, Server};
use anyhow::{Context, Result, bail, ensure};
use assay_testkit::vendor::{VendorReply, VendorServer};
use assay_testkit::{PostgresOptions, Stopwatch};
use cast::{Book, Cast};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tally::{Got, Tally};
use truth::{Endpoint, Expected, Question, Round, Teller, Truth};

/// How large a run is: groups of twelve questions to each endpoint, each asked in six rounds.
struct Size {
    people: u64,
    groups: usize,
}

const FULL: Size = Size { people: 4_000, groups: 14 };
const SHORT: Size = Size { people: 600, groups: 1 };
const ACCOUNTS: usize = 4;
const CREDITS: &str = "1000000";
const CALLS_AT_ONCE: usize = 8;
/// A vendor takes so long over questions that several accounts ask at the same moment.
const RUSH_DELAY: Duration = Duration::from_millis(400);

const LOOKUPS: &[&str] = &["phone", "personal_email", "person"];

const fn terms(teller: Teller) -> Terms {
    let (name, storable, shareable) = match teller {
        Teller::Shared => ("bar-shared", true, true),
        Teller::Private => ("bar-private", true, false),
        Teller::Passing => ("bar-passing", false, false),
        Teller::Keyed => ("bar-keyed", true, true),
    };
    Terms { name, lookups: LOOKUPS, storable, shareable, price_micros: 10_000 }
}

/// A vendor, and how often it was asked each question it knows the answer to.
struct Desk {
    server: VendorServer,
    asked: Arc<Mutex<HashMap<String, u64>>>,
}

pub async fn run(short: bool) -> Result<Verdict> {
    let size = if short { SHORT } else { FULL };
    let rig = start_rig(&size)?;
    let before = balances(&rig).await?;
    let cast = Cast::draw(rig.world(), size.groups)?;
    let server = serve(&rig)?;
    let is_down = Arc::new(AtomicBool::new(false));
    let desks = open_desks(&rig, &cast, &is_down)?;
    progress(format!("erasing {} people and identifiers", cast.erased.len()));
    for erased in &cast.erased {
        let args: Vec<&str> =
            ["suppression", "add"].into_iter().chain(erased.iter().map(String::as_str)).collect();
        rig.cli(&args)?;
    }
    tokio::time::sleep(NOTICED).await;
    let mut tally = Tally::default();
    for round in Round::ALL {
        if round == Round::Late {
            rush(&rig, &server, &cast, &mut tally).await?;
            is_down.store(true, Ordering::Relaxed);
        }
        let watch = Stopwatch::start();
        ask_all(&rig, &server, &cast, round, &mut tally).await?;
        progress(format!("{round:?}: asked within {:.1} s", watch.elapsed().as_secs_f64()));
    }
    check_desks(&cast, &desks, &mut tally);
    check_balances(&rig, &before, &mut tally).await?;
    let mut audit = Complaints::default();
    for violation in rig.audit().await? {
        audit.add(violation);
    }
    server.stop()?;
    let figure = format!(
        "contacts: {} of each of {} endpoints by {ACCOUNTS} accounts: {} wrong bills (bar 0), {} answers without the right to \
         them (bar 0), {} erased people shown (bar 0), {} wrong answers (bar 0)",
        grouped(size.groups * 12 * Round::ALL.len()),
        Endpoint::ALL.len(),
        tally.bills.count(),
        tally.rights.count(),
        tally.erased.count(),
        tally.answers.count()
    );
    Ok(Verdict { figure, passed: tally.is_clean() && audit.is_empty() })
}

fn start_rig(size: &Size) -> Result<Rig> {
    let rig = Rig::start(RigOptions {
        failpoints: false,
        accounts: ACCOUNTS,
        people: size.people,
        postgres: PostgresOptions::default(),
        // A world in two databases may be one that is kept for other bars, and this one erases people in it.
        one_database: true,
    })?;
    for account in &rig.accounts {
        rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
    }
    Ok(rig)
}

fn open_desks(rig: &Rig, cast: &Cast, is_down: &Arc<AtomicBool>) -> Result<HashMap<Teller, Desk>> {
    let mut desks = HashMap::new();
    let slow: Vec<String> = cast.rush.iter().map(|question| question.asked_as.clone()).collect();
    for teller in Teller::ALL {
        let Terms { name, .. } = terms(teller);
        let book = cast.books.get(&teller).cloned().unwrap_or_default();
        let desk = Desk::open(name, book, slow.clone(), Arc::clone(is_down))?;
        terms(teller).add(rig, &desk.server.url())?;
        let owner = rig.accounts.get(Round::Keyed.account()).map(|account| account.id);
        give_key(rig, name, owner.filter(|_| teller == Teller::Keyed), name)?;
        if teller != Teller::Keyed {
            enable(rig, name, None)?;
        }
        desks.insert(teller, desk);
    }
    Ok(desks)
}

impl Desk {
    fn open(key: &'static str, book: Book, slow: Vec<String>, is_down: Arc<AtomicBool>) -> Result<Self> {
        let asked: Arc<Mutex<HashMap<String, u64>>> = Arc::default();
        let counted = Arc::clone(&asked);
        let server = VendorServer::start(move |request| {
            if is_down.load(Ordering::Relaxed) {
                return VendorReply::json(500, r#"{"error":"down"}"#);
            }
            if request.header(KEY_HEADER) != Some(key) {
                return VendorReply::json(401, r#"{"error":"key"}"#);
            }
            let question = question_of(request);
            let Some(answers) = book.get(&question) else { return VendorReply::json(404, "{}") };
            let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counted.entry(question.clone()).or_default();
            *count += 1;
            let place = usize::try_from(*count - 1).unwrap_or(usize::MAX).min(answers.len() - 1);
            let reply = VendorReply::json(200, answers[place].to_string());
            if slow.contains(&question) { reply.after(RUSH_DELAY) } else { reply }
        })?;
        Ok(Self { server, asked })
    }

    fn asks(&self, question: &str) -> u64 {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.get(question).copied().unwrap_or(0)
    }
}

/// One account asks everything, some at once.
async fn ask_all(rig: &Rig, server: &Server, cast: &Cast, round: Round, tally: &mut Tally) -> Result<()> {
    let place = round.account();
    let key = &rig.accounts.get(place).context("no account")?.api_key;
    for endpoint in Endpoint::ALL {
        let questions: Vec<&Question> = cast.questions.iter().filter(|it| it.endpoint == endpoint).collect();
        let workers = (0..CALLS_AT_ONCE).map(|worker| {
            let some = questions.iter().copied().skip(worker).step_by(CALLS_AT_ONCE);
            async move {
                let mut client = server.client();
                let mut heard = Vec::new();
                for question in some {
                    heard.push((question, ask(&mut client, key, question).await?));
                }
                anyhow::Ok(heard)
            }
        });
        for heard in futures_util::future::try_join_all(workers).await? {
            for (question, got) in heard {
                tally.check(question, &question.expected(round), round, &got);
                tally.spend(place, got.price);
            }
        }
    }
    Ok(())
}

async fn ask(client: &mut Client, api_key: &str, question: &Question) -> Result<Got> {
    let body = question.body.to_string();
    let post = Post { path: question.endpoint.path(), api_key, idempotency_key: None, body: body.as_bytes() };
    let Exchange::Whole(reply) = client.post(&post).await else { bail!("no whole answer") };
    let price = reply.cost().map_or(0, |cost| cost.credits.thousandths());
    let answer: Value = serde_json::from_slice(reply.body).unwrap_or_default();
    Ok(Got { status: reply.status, price, answer })
}

/// Two accounts ask a vendor that may not be shared the same at the same moment: it is asked twice, and each has its own answer.
async fn rush(rig: &Rig, server: &Server, cast: &Cast, tally: &mut Tally) -> Result<()> {
    progress(format!("{} questions asked by two accounts at once", cast.rush.len()));
    for question in &cast.rush {
        let (mut one, mut other) = (server.client(), server.client());
        let keys = [0, 1].map(|place| rig.accounts[place].api_key.as_str());
        let asking = tokio::join!(ask(&mut one, keys[0], question), ask(&mut other, keys[1], question));
        let got = [asking.0?, asking.1?];
        let shown = [0, 1].map(|place: usize| question.endpoint.shown(&got[place].answer, &question.truth));
        let Truth::Said(_, said) = &question.truth else { continue };
        if shown[0].is_some() && shown[0] == shown[1] {
            tally.rights.add("two accounts at once were told one answer of a vendor that may not be shared");
        }
        for (place, got) in got.iter().enumerate() {
            tally.spend(place, got.price);
            let expected = Expected { status: 200, found: true, price: 12_000, shown: shown[place].clone() };
            tally.check(question, &expected, Round::First, got);
            if !shown[place].as_ref().is_some_and(|shown| said.contains(shown)) {
                tally.answers.add("an answer that no vendor gave");
            }
        }
    }
    Ok(())
}

fn check_desks(cast: &Cast, desks: &HashMap<Teller, Desk>, tally: &mut Tally) {
    for question in &cast.questions {
        let Some((teller, wanted)) = question.asks() else { continue };
        let asks = desks.get(&teller).map_or(0, |desk| desk.asks(&question.asked_as));
        if asks < wanted && teller != Teller::Shared {
            tally.rights.add(format!("{:?} {teller:?}: asked {asks} times, not {wanted}", question.endpoint));
        } else if asks != wanted {
            tally
                .answers
                .add(format!("{:?} {teller:?}: asked {asks} times, not {wanted}", question.endpoint));
        }
    }
}

/// What every account has, in thousandths of a credit. Nothing may be held back.
async fn balances(rig: &Rig) -> Result<Vec<i64>> {
    let ledger = rig.ledger().await?;
    let mut balances = Vec::new();
    for account in &rig.accounts {
        let overview = ledger.overview(account.id).await?.context("an account is gone")?;
        ensure!(overview.held.is_zero(), "credits are held although no call is under way");
        balances.push(overview.available.thousandths());
    }
    Ok(balances)
}

/// What is left is what was there, less what every answer said it costs.
async fn check_balances(rig: &Rig, before: &[i64], tally: &mut Tally) -> Result<()> {
    for (place, (before, left)) in before.iter().zip(balances(rig).await?).enumerate() {
        let spent = tally.spent(place);
        progress(format!("account {place} paid {} thousandths", grouped(usize::try_from(spent)?)));
        if left != before - spent {
            tally.bills.add(format!("account {place} has {left} left, of {before} less {spent}"));
        }
    }
    Ok(())
}
