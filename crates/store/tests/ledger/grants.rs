//! Credits that come in every month, with a plan, and the mark below which they count as low.

use crate::support;
use assay_domain::{AccountId, Clock, Credits, HoldId, KeyId, LotId, Plan, Price, RequestId, limits};
use assay_store::ledger::op::{Answer, Grant, HoldWish, LotSource, Op, Record, Settle};
use assay_store::ledger::{MonthGranted, NewAccount, Overview, TrialChange};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

struct Bank {
    database: TestDatabase,
    ledger: Ledger,
}

impl Bank {
    async fn open() -> Self {
        let database = support::ledger_db().await;
        let ledger = connect(&database, Clock::system()).await;
        Self { database, ledger }
    }

    /// Another node, whose clock stands still at `at`.
    async fn node_at(&self, at: DateTime<Utc>) -> Ledger {
        connect(&self.database, Clock::fixed(at)).await
    }

    async fn account(&self, plan: Plan) -> AccountId {
        self.ledger.create_account(&NewAccount { name: "test".into(), plan }).await.unwrap()
    }

    async fn seen(&self, account: AccountId) -> Overview {
        self.ledger.overview(account).await.unwrap().unwrap()
    }

    async fn available(&self, account: AccountId) -> Credits {
        self.seen(account).await.available
    }

    async fn charge(&self, account: AccountId, credits: i64) {
        let answer = self.ledger.ask(account, Op::Settle(Box::new(settle(credits)))).await.unwrap();
        assert!(matches!(answer, Answer::Settled(_)), "{answer:?}");
    }

    async fn is_sound(&self) {
        assert_eq!(self.ledger.audit().await.unwrap(), []);
    }
}

async fn connect(database: &TestDatabase, clock: Clock) -> Ledger {
    Ledger::connect(&Database::at(&database.url()), clock).await.unwrap()
}

fn now() -> DateTime<Utc> {
    Clock::system().now()
}

fn months_ahead(months: i64) -> DateTime<Utc> {
    now() + TimeDelta::days(31 * months)
}

fn settle(credits: i64) -> Settle {
    let record = Record {
        in_history: true,
        key: KeyId::new("k"),
        at: now(),
        endpoint: "enrich",
        status: 200,
        found: true,
        latency: Duration::from_millis(3),
        cached: false,
        cache_age_seconds: None,
        providers: Vec::new(),
        upstream_micros: 0,
        subjects: Vec::new(),
    };
    let (request, charge) = (RequestId::mint(now()), Credits::whole(credits));
    Settle { request, hold: None, charge, cap: None, record, people: Vec::new(), reply: None, deed: None }
}

#[tokio::test]
async fn every_paid_account_gets_a_months_credits_once_whatever_nodes_ask() {
    let bank = Bank::open().await;
    let (indie, pro, trial) =
        (bank.account(Plan::Indie).await, bank.account(Plan::Pro).await, bank.account(Plan::Trial).await);
    assert_eq!(bank.ledger.grant_month().await.unwrap(), MonthGranted::default());
    let next = months_ahead(1);
    let nodes = [bank.node_at(next).await, bank.node_at(next).await, bank.node_at(next).await];
    let [first, second, third] = &nodes;
    let (first, second, third) = tokio::join!(first.grant_month(), second.grant_month(), third.grant_month());
    let granted = [first, second, third].map(|done| done.unwrap().granted);
    assert_eq!(granted.iter().sum::<u64>(), 2, "{granted:?}");
    assert_eq!(bank.available(indie).await, Credits::whole(1_000));
    assert_eq!(bank.available(pro).await, Credits::whole(25_000));
    assert_eq!(bank.available(trial).await, Credits::whole(100));
    assert_eq!(bank.node_at(months_ahead(2)).await.grant_month().await.unwrap().granted, 2);
    assert_eq!(bank.available(indie).await, Credits::whole(1_500));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_round_reaches_more_accounts_than_one_query_reads() {
    let bank = Bank::open().await;
    let many = limits::GRANT_BATCH + 30;
    let accounts = format!(
        "insert into organisation (id, name) values (gen_random_uuid(), 'many');
         insert into account (id, organisation_id, name, plan)
             select gen_random_uuid(), o.id, 'many', 'indie' from organisation o, generate_series(1, {many});
         insert into balance (account_id, available, held, version, lots) select id, 0, 0, 0, '[]' from account"
    );
    bank.database.psql(&accounts).unwrap();
    let done = bank.ledger.grant_month().await.unwrap();
    assert_eq!(done, MonthGranted { granted: u64::try_from(many).unwrap(), refused: 0 });
    bank.is_sound().await;
}

#[tokio::test]
async fn an_account_that_cannot_take_its_credits_does_not_keep_the_others_from_theirs() {
    let bank = Bank::open().await;
    let full = bank.account(Plan::Indie).await;
    let behind = bank.account(Plan::Indie).await;
    for number in 1..limits::LOTS_PER_ACCOUNT_MAX {
        bank.ledger.top_up(full, Credits::whole(1), &number.to_string()).await.unwrap();
    }
    let node = bank.node_at(months_ahead(1)).await;
    assert_eq!(node.grant_month().await.unwrap(), MonthGranted { granted: 1, refused: 1 });
    assert_eq!(bank.available(behind).await, Credits::whole(1_000));
    bank.charge(full, 500).await;
    assert_eq!(node.grant_month().await.unwrap(), MonthGranted { granted: 1, refused: 0 });
    bank.is_sound().await;
}

#[tokio::test]
async fn a_plan_may_let_its_credits_end_or_give_none() {
    let bank = Bank::open().await;
    bank.database.psql("update plan set credits_expire_days = 40 where name = 'indie'").unwrap();
    bank.database.psql("update plan set credits = 0 where name = 'starter'").unwrap();
    let (ending, without) = (bank.account(Plan::Indie).await, bank.account(Plan::Starter).await);
    let days_left = |overview: &Overview| (overview.lots[0].expires_at.unwrap() - now()).num_days();
    assert_eq!(days_left(&bank.seen(ending).await), 39);
    let next = months_ahead(1);
    assert_eq!(
        bank.node_at(next).await.grant_month().await.unwrap(),
        MonthGranted { granted: 1, refused: 0 }
    );
    let lots = bank.seen(ending).await.lots;
    assert_eq!(lots.last().unwrap().expires_at.map(|end| (end - next).num_days()), Some(40));
    let seen = bank.seen(without).await;
    assert_eq!((seen.available, seen.low_mark, seen.low_since), (Credits::ZERO, Credits::ZERO, None));
    bank.is_sound().await;
}

#[tokio::test]
async fn a_change_of_plan_ends_the_trial_and_grants_the_month_once() {
    let bank = Bank::open().await;
    let account = bank.account(Plan::Trial).await;
    assert_eq!(bank.seen(account).await.low_mark, Credits::whole(10));
    let answer = bank.ledger.change_plan(account, Plan::Pro).await.unwrap();
    assert!(matches!(answer, Some(Answer::Granted { repeated: false, .. })));
    let seen = bank.seen(account).await;
    assert_eq!((seen.plan, seen.trial_ends_at, seen.low_since), (Plan::Pro, None, None));
    assert_eq!((seen.available, seen.low_mark), (Credits::whole(12_600), Credits::whole(1_250)));
    let answer = bank.ledger.change_plan(account, Plan::Scale).await.unwrap();
    assert!(matches!(answer, Some(Answer::Granted { repeated: true, .. })));
    let seen = bank.seen(account).await;
    assert_eq!((seen.available, seen.low_mark), (Credits::whole(12_600), Credits::whole(10_000)));
    assert_eq!(bank.ledger.change_plan(AccountId::mint(now()), Plan::Pro).await.unwrap(), None);
    bank.is_sound().await;
}

#[tokio::test]
async fn the_end_of_a_trial_takes_its_credits_along() {
    let bank = Bank::open().await;
    let (trial, paid) = (bank.account(Plan::Trial).await, bank.account(Plan::Indie).await);
    bank.ledger.top_up(trial, Credits::whole(5), "kept").await.unwrap();
    let later = now() + TimeDelta::days(60);
    assert_eq!(bank.ledger.move_trial_end(trial, later).await.unwrap(), TrialChange::Changed);
    let seen = bank.seen(trial).await;
    let ends = [seen.trial_ends_at, seen.lots[0].expires_at].map(|end| end.map(|end| end.timestamp_micros()));
    assert_eq!(ends, [Some(later.timestamp_micros()); 2]);
    assert_eq!(bank.ledger.move_trial_end(trial, now()).await.unwrap(), TrialChange::Changed);
    assert_eq!(bank.ledger.sweep().await.unwrap().lots_expired, 1);
    assert_eq!(bank.available(trial).await, Credits::whole(5));
    assert!(bank.seen(trial).await.low_since.is_some());
    assert_eq!(bank.ledger.move_trial_end(paid, later).await.unwrap(), TrialChange::NoTrial);
    let nobody = AccountId::mint(now());
    assert_eq!(bank.ledger.move_trial_end(nobody, later).await.unwrap(), TrialChange::NoAccount);
    bank.is_sound().await;
}

#[tokio::test]
async fn credits_are_marked_low_by_the_charge_that_makes_them_so_and_only_once() {
    let bank = Bank::open().await;
    let account = bank.account(Plan::Indie).await;
    assert_eq!(bank.seen(account).await.low_mark, Credits::whole(50));
    bank.charge(account, 450).await;
    assert_eq!(bank.seen(account).await.low_since, None, "at the mark is not below it");
    bank.charge(account, 1).await;
    let since = bank.seen(account).await.low_since;
    assert!(since.is_some());
    bank.charge(account, 1).await;
    assert_eq!(bank.seen(account).await.low_since, since);
    bank.ledger.top_up(account, Credits::whole(2), "enough").await.unwrap();
    assert_eq!(bank.seen(account).await.low_since, None);
    bank.is_sound().await;
}

#[tokio::test]
async fn holds_and_lots_that_end_mark_credits_low_too() {
    let bank = Bank::open().await;
    let account = bank.account(Plan::Indie).await;
    let wish = HoldWish {
        hold: HoldId::mint(now()),
        request: RequestId::mint(now()),
        price: Price::PerUnit(Credits::whole(480)),
        units_max: 1,
        max_credits: None,
        cap: None,
        lifetime: Duration::from_secs(60),
        lease: None,
        starts: None,
    };
    bank.ledger.ask(account, Op::Hold(wish.clone())).await.unwrap();
    assert!(bank.seen(account).await.low_since.is_some());
    bank.ledger.ask(account, Op::Release(wish.hold)).await.unwrap();
    assert_eq!(bank.seen(account).await.low_since, None);
    bank.charge(account, 460).await;
    let grant = Grant {
        lot: LotId::mint(now()),
        source: LotSource::Adjustment,
        reason: "brief".into(),
        amount: Credits::whole(100),
        expires_at: Some(now() + TimeDelta::milliseconds(500)),
    };
    bank.ledger.ask(account, Op::Grant(grant)).await.unwrap();
    assert_eq!(bank.seen(account).await.low_since, None);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(bank.ledger.sweep().await.unwrap().lots_expired, 1);
    assert!(bank.seen(account).await.low_since.is_some());
    bank.is_sound().await;
}

#[tokio::test]
async fn an_operator_moves_the_mark_and_the_audit_sees_a_wrong_one() {
    let bank = Bank::open().await;
    let account = bank.account(Plan::Indie).await;
    assert!(bank.ledger.set_low_mark(account, Credits::whole(501)).await.unwrap());
    assert!(bank.seen(account).await.low_since.is_some());
    assert!(bank.ledger.set_low_mark(account, Credits::whole(500)).await.unwrap());
    assert_eq!(bank.seen(account).await.low_since, None);
    assert!(!bank.ledger.set_low_mark(AccountId::mint(now()), Credits::whole(5)).await.unwrap());
    bank.is_sound().await;
    bank.database.psql("update balance set low_since = now()").unwrap();
    let violations = bank.ledger.audit().await.unwrap();
    assert!(violations.iter().any(|it| it.invariant.starts_with("I12")), "{violations:?}");
}
