//! One of the concurrent clients: draws operations from the seed and sends them to the real ledger.

use super::model::Sent;
use anyhow::{Result, ensure};
use assay_domain::{AccountId, Credits, HoldId, KeyId, LotId, Price, RequestId};
use assay_store::Ledger;
use assay_store::ledger::batch::{self, Asked};
use assay_store::ledger::op::{
    Answer, Cap, Grant, HoldWish, LotSource, Op, Record, Refund, ReplyDraft, Settle,
};
use assay_store::ledger::{ClaimGuard, Claimed};
use chrono::{TimeDelta, Utc};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;

/// What was sent and what came back.
#[derive(Debug, Clone)]
pub struct Event {
    pub account: AccountId,
    pub sent: Sent,
    pub answer: Answer,
}

/// What a key with a cap may spend a month; all capped operations of a seed share one key an account.
pub const CAP: i64 = 30_000;

#[derive(Debug)]
pub struct Client {
    ledger: Ledger,
    accounts: Vec<AccountId>,
    random: ChaCha8Rng,
    name: String,
    holds: Vec<(AccountId, HoldId)>,
    settles: Vec<(AccountId, Settle)>,
    pub events: Vec<Event>,
}

const PRICES: [Price; 4] = [
    Price::Flat(Credits::whole(1)),
    Price::PerUnit(Credits::from_thousandths(600)),
    Price::PerUnit(Credits::whole(12)),
    Price::BasePlus { base: Credits::whole(1), unit: Credits::from_thousandths(500) },
];

impl Client {
    pub fn new(ledger: &Ledger, accounts: &[AccountId], seed: u64, number: u64) -> Self {
        Self {
            ledger: ledger.clone(),
            accounts: accounts.to_vec(),
            random: ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000).wrapping_add(number)),
            name: format!("{seed}-{number}"),
            holds: Vec::new(),
            settles: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Sends `count` operations, one after the other.
    pub async fn run(mut self, count: usize) -> Result<Vec<Event>> {
        for _ in 0..count {
            let at = self.random.random_range(0..self.accounts.len());
            let account = self.accounts[at];
            match self.random.random_range(0..100) {
                0..12 => self.grant(account).await?,
                12..34 => self.hold(account).await?,
                34..56 => self.settle(account, false).await?,
                56..72 => self.settle(account, true).await?,
                72..80 => self.release().await?,
                80..86 => self.expire().await?,
                86..92 => self.refund().await?,
                92..96 => self.retry_lost().await?,
                _ => self.settle_with_key(account).await?,
            }
        }
        Ok(self.events)
    }

    /// Spends most of what every account starts with.
    pub async fn drain(mut self) -> Result<Vec<Event>> {
        for account in self.accounts.clone() {
            let settle = draft(account, None, 95_000, None);
            let sent = Sent::Settle { request: settle.request, hold: None, charge: 95_000, cap: None };
            self.send(account, sent, Op::Settle(Box::new(settle))).await?;
        }
        Ok(self.events)
    }

    async fn send(&mut self, account: AccountId, sent: Sent, op: Op) -> Result<Answer> {
        let answer = self.ledger.ask(account, op).await?;
        self.events.push(Event { account, sent, answer: answer.clone() });
        Ok(answer)
    }

    async fn grant(&mut self, account: AccountId) -> Result<()> {
        let lot = LotId::mint(Utc::now());
        let amount = self.random.random_range(1..20_000);
        let expires_at = match self.random.random_range(0..4) {
            0 => None,
            1 => Some(Utc::now() + TimeDelta::milliseconds(self.random.random_range(-50..150))),
            _ => Some(Utc::now() + TimeDelta::seconds(self.random.random_range(3_600..9_999))),
        }
        .map(to_micros);
        // Few reasons, so that grants repeat: a month's grant asked for twice, a payment told twice.
        let reason = format!("reason:{}", self.random.random_range(0..40));
        let grant = Grant {
            lot,
            source: LotSource::Topup,
            reason: reason.clone(),
            amount: Credits::from_thousandths(amount),
            expires_at,
        };
        self.send(account, Sent::Grant { lot, reason, amount, expires_at }, Op::Grant(grant)).await?;
        Ok(())
    }

    async fn hold(&mut self, account: AccountId) -> Result<()> {
        let hold = HoldId::mint(Utc::now());
        let price = PRICES[self.random.random_range(0..PRICES.len())];
        let units_max = if matches!(price, Price::Flat(_)) { 1 } else { self.random.random_range(1..8) };
        let max_credits = self.random.random_bool(0.3).then(|| self.random.random_range(0..20_000));
        let cap = self.random.random_bool(0.3).then_some(CAP);
        let wish = HoldWish {
            hold,
            request: RequestId::mint(Utc::now()),
            price,
            units_max,
            max_credits: max_credits.map(Credits::from_thousandths),
            cap: cap.map(|_| cap_of(account)),
            lifetime: Duration::from_secs(600),
            lease: None,
            starts: None,
        };
        let sent = Sent::Hold { hold, price, units_max, max_credits, cap };
        if let Answer::Held { .. } = self.send(account, sent, Op::Hold(wish)).await? {
            self.holds.push((account, hold));
        }
        Ok(())
    }

    async fn settle(&mut self, account: AccountId, with_hold: bool) -> Result<()> {
        let held = if with_hold { self.any_hold() } else { None };
        let (account, hold) = held.map_or((account, None), |(account, hold)| (account, Some(hold)));
        let charge = match self.random.random_range(0..3) {
            0 => 0,
            _ => self.random.random_range(1..9_000),
        };
        let cap = self.random.random_bool(0.3).then_some(CAP);
        let settle = draft(account, hold, charge, cap);
        let sent = Sent::Settle { request: settle.request, hold, charge, cap };
        self.send(account, sent, Op::Settle(Box::new(settle.clone()))).await?;
        self.settles.push((account, settle));
        Ok(())
    }

    /// The hold may have ended before: by its time, by another operation of this client, or not.
    fn any_hold(&mut self) -> Option<(AccountId, HoldId)> {
        if self.holds.is_empty() {
            return None;
        }
        let at = self.random.random_range(0..self.holds.len());
        if self.random.random_bool(0.8) { Some(self.holds.swap_remove(at)) } else { Some(self.holds[at]) }
    }

    async fn release(&mut self) -> Result<()> {
        if let Some((account, hold)) = self.any_hold() {
            self.send(account, Sent::Release { hold }, Op::Release(hold)).await?;
        }
        Ok(())
    }

    /// Lets a hold's time run out, then asks for its end as the sweeper does.
    async fn expire(&mut self) -> Result<()> {
        let Some((account, hold)) = self.any_hold() else { return Ok(()) };
        sqlx::query("update hold set expires_at = now() - interval '1 second' where id = $1")
            .bind(hold.uuid())
            .execute(self.ledger.pool())
            .await?;
        self.send(account, Sent::ExpireHold { hold }, Op::ExpireHold(hold)).await?;
        Ok(())
    }

    async fn refund(&mut self) -> Result<()> {
        if self.settles.is_empty() {
            return Ok(());
        }
        let at = self.random.random_range(0..self.settles.len());
        let (account, settle) = self.settles[at].clone();
        let most = settle.charge.thousandths().max(1);
        let amount = if self.random.random_bool(0.7) { most } else { self.random.random_range(1..=most) };
        let refund = Refund {
            lot: LotId::mint(Utc::now()),
            request: settle.request,
            amount: Credits::from_thousandths(amount),
        };
        let sent = Sent::Refund { lot: refund.lot, request: refund.request, amount };
        self.send(account, sent, Op::Refund(refund)).await?;
        Ok(())
    }

    /// Sends a settled call again, as a node does whose connection broke while the commit was on its way.
    async fn retry_lost(&mut self) -> Result<()> {
        let Some((account, settle)) = self.settles.last().cloned() else { return Ok(()) };
        let asked = Asked::new(account, Op::Settle(Box::new(settle.clone())));
        let answer = batch::attempt(&self.ledger, &[asked], true).await?.remove(0);
        let cap = settle.cap.as_ref().map(|_| CAP);
        let sent = Sent::Settle {
            request: settle.request,
            hold: settle.hold,
            charge: settle.charge.thousandths(),
            cap,
        };
        self.events.push(Event { account, sent, answer });
        Ok(())
    }

    /// A call under an idempotency key, sent three times: one charge, the same bytes.
    async fn settle_with_key(&mut self, account: AccountId) -> Result<()> {
        let mut key = [0; 32];
        self.random.fill_bytes(&mut key);
        let Claimed::Run(claim) = self.ledger.claim(account, key, [1; 32]).await? else {
            anyhow::bail!("{}: a fresh key was taken", self.name);
        };
        ensure!(
            matches!(self.ledger.claim(account, key, [1; 32]).await?, Claimed::Running),
            "a running key ran twice"
        );
        ensure!(
            matches!(self.ledger.claim(account, key, [2; 32]).await?, Claimed::Mismatch),
            "another body was taken"
        );
        let charge = self.random.random_range(0..3_000);
        let settle = with_reply(draft(account, None, charge, None), &claim);
        let sent = Sent::Settle { request: settle.request, hold: None, charge, cap: None };
        let answer = self.send(account, sent, Op::Settle(Box::new(settle.clone()))).await?;
        let Answer::Settled(settled) = answer else { return Ok(claim.release().await?) };
        claim.settled();
        for _ in 0..2 {
            let Claimed::Replay { status, body } = self.ledger.claim(account, key, [1; 32]).await? else {
                anyhow::bail!("{}: a settled key did not replay", self.name);
            };
            ensure!(status == 200 && body == rendered(&settled), "a replay differs from the first answer");
        }
        self.settles.push((account, settle));
        Ok(())
    }
}

fn rendered(settled: &assay_store::ledger::op::Settled) -> Vec<u8> {
    format!("{} {}", settled.credits, settled.balance).into_bytes()
}

fn with_reply(settle: Settle, claim: &ClaimGuard) -> Settle {
    Settle { reply: Some(ReplyDraft { claim: claim.claim(), render: Arc::new(rendered) }), ..settle }
}

fn cap_of(account: AccountId) -> Cap {
    let key = KeyId::new(&account.uuid().as_simple().to_string()[20..]);
    Cap { key, monthly: Credits::from_thousandths(CAP) }
}

/// PostgreSQL keeps microseconds; a model that kept more would disagree about order.
fn to_micros(at: chrono::DateTime<Utc>) -> chrono::DateTime<Utc> {
    chrono::DateTime::from_timestamp_micros(at.timestamp_micros()).unwrap_or(at)
}

fn draft(account: AccountId, hold: Option<HoldId>, charge: i64, cap: Option<i64>) -> Settle {
    let at = Utc::now();
    Settle {
        request: RequestId::mint(at),
        hold,
        charge: Credits::from_thousandths(charge),
        cap: cap.map(|_| cap_of(account)),
        record: Record {
            in_history: true,
            key: KeyId::new("bar"),
            at,
            endpoint: "enrich",
            status: 200,
            found: charge > 0,
            latency: Duration::from_millis(1),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: Vec::new(),
        },
        people: Vec::new(),
        reply: None,
        deed: None,
    }
}
