//! What all traffic shares: the way to the nodes, who pays, whom there is to ask for, and the books.

use super::books::Books;
use super::front::{Answer, Ask, Came, Front};
use crate::research::coverage::cast::Cast;
use crate::research::coverage::rows::{ROWS, credits};
use crate::rig::Rig;
use anyhow::{Context, Result};
use assay_domain::AccountId;
use serde_json::Value;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Accounts of the rig, by what they do.
pub const ACCOUNTS: usize = 9;
pub const CALLERS: Range<usize> = 0..4;
/// Sends no idempotency keys and asks nothing twice.
pub const CARELESS: usize = 4;
pub const BULK_BUYERS: [usize; 2] = [5, 6];
pub const WATCHER: usize = 7;
pub const READER: usize = 8;
/// Has the credits of a trial, and soon none.
pub const POOR: usize = 9;
/// The reader's account, with a key that may tell signals.
pub const OPERATOR: usize = 10;
const CREDITS: &str = "10000000";

/// An account, and a key of it.
#[derive(Debug, Clone)]
pub struct Payer {
    pub id: AccountId,
    pub api_key: String,
    may_be_used_up: bool,
}

pub struct Stage {
    pub front: Front,
    pub payers: Vec<Payer>,
    pub books: Books,
    pub cast: Cast,
    pub emails: Vec<String>,
    numbers: AtomicUsize,
    stopped: AtomicBool,
}

impl Stage {
    pub fn new(rig: &Rig, front: Front) -> Result<Self> {
        for account in &rig.accounts {
            rig.cli(&["account", "topup", &account.id.to_string(), CREDITS, "--reference", "bar"])?;
        }
        let mut payers: Vec<Payer> = rig
            .accounts
            .iter()
            .map(|account| Payer { id: account.id, api_key: account.api_key.clone(), may_be_used_up: false })
            .collect();
        let poor = rig.make_account("poor", "trial")?;
        payers.push(Payer { id: poor.id, api_key: poor.api_key, may_be_used_up: true });
        let reader = payers.get(READER).context("no account")?.id;
        let key = rig.cli(&["key", "create", "--account", &reader.to_string(), "--scopes", "operator"])?;
        payers.push(Payer { id: reader, api_key: key.trim().to_owned(), may_be_used_up: false });
        let known = (0..rig.world().people_count()).filter_map(|index| rig.known(index));
        Ok(Self {
            front,
            payers,
            books: Books::default(),
            cast: Cast::of(rig.world())?,
            emails: known.map(|known| known.email).collect(),
            numbers: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        })
    }

    /// No two are the same.
    pub fn number(&self) -> usize {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    pub fn complain(&self, text: impl AsRef<str>) {
        self.front.judge.complain(text);
    }

    /// A call as a careful client makes it: under a key, and again until there is an answer. What it cost goes into the books.
    pub async fn call(&self, payer: usize, template: &str, path: &str, body: &Value) -> Option<Answer> {
        let key = format!("soak-{}", self.number());
        let body = body.to_string();
        let payer = self.payers.get(payer)?;
        let ask = Ask {
            template,
            path,
            api_key: &payer.api_key,
            idempotency_key: Some(&key),
            body: Some(&body),
            may_be_used_up: payer.may_be_used_up,
        };
        let answer = self.front.insist(&ask).await?;
        self.books.note(payer.id, &answer);
        self.check_price(template, &answer);
        if answer.is_good() && rand::random_ratio(1, 16) {
            self.repeat(&ask, &answer).await;
        }
        Some(answer)
    }

    /// Asked once more under its key, an answer comes back byte for byte.
    async fn repeat(&self, ask: &Ask<'_>, first: &Answer) {
        let Some(again) = self.front.insist(ask).await else { return };
        if !again.replayed || again.status != first.status || again.body != first.body {
            self.complain(format!("{}: another answer under the same key", ask.name()));
        }
    }

    /// A call as a careless client makes it: once, and without a key.
    pub async fn call_carelessly(&self, template: &str, body: &Value) {
        let Some(payer) = self.payers.get(CARELESS) else { return };
        let body = body.to_string();
        let ask = Ask { body: Some(&body), ..Ask::get(template, template, &payer.api_key) };
        match self.front.send(&ask).await {
            Came::Whole(answer) if answer.is_good() => {
                self.books.note(payer.id, &answer);
                self.check_price(template, &answer);
            }
            Came::Whole(answer) => {
                self.books.note_unsure(payer.id, answer.node, answer.ended, Some(&answer));
            }
            Came::Lost { node, ended } => self.books.note_unsure(payer.id, node, ended, None),
            Came::Nowhere => {}
        }
    }

    /// Reads something, again until there is an answer.
    pub async fn read(&self, payer: usize, template: &str, path: &str) -> Option<Answer> {
        let payer = self.payers.get(payer)?;
        let ask = Ask { may_be_used_up: payer.may_be_used_up, ..Ask::get(template, path, &payer.api_key) };
        self.front.insist(&ask).await.filter(Answer::is_good)
    }

    /// An answer costs what its rows or its find do by the price list.
    fn check_price(&self, template: &str, answer: &Answer) {
        let Some(row) = ROWS.iter().find(|row| row.path == template).filter(|_| answer.is_good()) else {
            return;
        };
        let told = answer.json();
        let units = row.units(&told);
        let price = if units == 0 { row.miss } else { row.cost.of(units) };
        let cost = credits(&told["cost"]["credits"]);
        if cost != Some(price) {
            self.complain(format!("{template} with {units} units cost {cost:?}, not {price}"));
        }
    }
}

/// The id of what was made.
pub fn id_of(answer: Option<&Answer>) -> Result<String> {
    let made = answer.context("nothing was made")?.json();
    made["id"].as_str().map(str::to_owned).with_context(|| format!("no id in {made}"))
}
