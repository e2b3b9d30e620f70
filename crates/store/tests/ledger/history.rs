//! What history shows and sums up, and how its months go.

use crate::support;
use assay_domain::{AccountId, Clock, Credits, KeyId, Plan, RequestId};
use assay_store::ledger::op::{Answer, Op, Record, Settle};
use assay_store::ledger::{HistoryFilter, HistoryTotals, NewAccount};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;
use chrono::{DateTime, Datelike, Months, TimeDelta, Utc};
use std::time::Duration;

struct Archive {
    database: TestDatabase,
    ledger: Ledger,
    account: AccountId,
}

/// A call to be put into history.
#[derive(Clone, Copy)]
struct Call {
    at: DateTime<Utc>,
    endpoint: &'static str,
    status: u16,
    key: &'static str,
    latency_ms: u64,
    cached: bool,
}

fn now() -> DateTime<Utc> {
    Clock::system().now()
}

fn call() -> Call {
    Call { at: now(), endpoint: "enrich", status: 200, key: "first", latency_ms: 3, cached: false }
}

impl Archive {
    async fn open() -> Self {
        let database = support::ledger_db().await;
        let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
        let new = NewAccount { name: "test".into(), plan: Plan::Indie };
        let account = ledger.create_account(&new).await.unwrap();
        Self { database, ledger, account }
    }

    /// Each call costs a credit.
    async fn keep(&self, call: Call) -> RequestId {
        let record = Record {
            in_history: true,
            key: KeyId::new(call.key),
            at: call.at,
            endpoint: call.endpoint,
            status: call.status,
            found: true,
            latency: Duration::from_millis(call.latency_ms) + Duration::from_micros(400),
            cached: call.cached,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: Vec::new(),
        };
        let (request, charge) = (RequestId::mint(call.at), Credits::whole(1));
        let settle = Settle {
            request,
            hold: None,
            charge,
            cap: None,
            record,
            people: Vec::new(),
            reply: None,
            deed: None,
        };
        let answer = self.ledger.ask(self.account, Op::Settle(Box::new(settle))).await.unwrap();
        assert!(matches!(answer, Answer::Settled(_)), "{answer:?}");
        request
    }

    async fn seen(&self, filter: &HistoryFilter) -> Vec<RequestId> {
        let page = self.ledger.history(self.account, filter, None, 100).await.unwrap();
        assert_eq!(page.next, None);
        page.rows.iter().map(|row| row.id).collect()
    }

    async fn totals(&self, filter: &HistoryFilter) -> HistoryTotals {
        self.ledger.history_totals(self.account, filter).await.unwrap()
    }

    /// The months that have a table, oldest first.
    fn months(&self) -> Vec<String> {
        let sql = "select relname from pg_class where relkind = 'r' and relname like 'history\\_%' order by relname";
        self.database.psql(sql).unwrap().lines().map(|line| line.trim().to_owned()).collect()
    }
}

/// The middle of the month that many months ago.
fn months_ago(months: u32) -> DateTime<Utc> {
    let day = now().date_naive().with_day(15).unwrap() - Months::new(months);
    day.and_hms_opt(12, 0, 0).unwrap().and_utc()
}

fn month_table(months: u32) -> String {
    months_ago(months).format("history_%Y_%m").to_string()
}

#[tokio::test]
async fn a_filter_means_the_same_to_pages_and_totals() {
    let archive = Archive::open().await;
    let start = now() - TimeDelta::seconds(100);
    let mut kept = Vec::new();
    for number in 0_u16..10 {
        let odd = number % 2 == 1;
        kept.push(
            archive
                .keep(Call {
                    at: start + TimeDelta::seconds(number.into()),
                    endpoint: if odd { "companies" } else { "enrich" },
                    status: if number < 8 { 200 } else { 404 },
                    key: if number < 5 { "first" } else { "second" },
                    latency_ms: u64::from(number) + 1,
                    cached: odd,
                })
                .await,
        );
    }
    kept.reverse();
    let all = HistoryFilter::default();
    assert_eq!(archive.seen(&all).await, kept);
    let expected =
        HistoryTotals { requests: 10, credits: Credits::whole(10), cache_hits: 5, p50_ms: 5, p95_ms: 10 };
    assert_eq!(archive.totals(&all).await, expected);
    let at = |seconds| Some(start + TimeDelta::seconds(seconds));
    for (filter, expected) in [
        (HistoryFilter { from: at(3), ..all.clone() }, &kept[..7]),
        (HistoryFilter { to: at(3), ..all.clone() }, &kept[7..]),
        (HistoryFilter { from: at(2), to: at(4), ..all.clone() }, &kept[6..8]),
        (HistoryFilter { status: Some(404), ..all.clone() }, &kept[..2]),
        (HistoryFilter { key_id: Some("second".into()), ..all.clone() }, &kept[..5]),
        (HistoryFilter { from: Some(DateTime::<Utc>::MAX_UTC), ..all.clone() }, &[]),
    ] {
        assert_eq!(archive.seen(&filter).await, expected, "{filter:?}");
        let counted = archive.totals(&filter).await.requests;
        assert_eq!(usize::try_from(counted).unwrap(), expected.len(), "{filter:?}");
    }
    let companies = HistoryFilter { endpoint: Some("companies".into()), ..all };
    assert_eq!(archive.totals(&companies).await.cache_hits, 5);
    let other = AccountId::mint(now());
    let nothing = archive.ledger.history_totals(other, &HistoryFilter::default()).await.unwrap();
    assert_eq!(nothing, HistoryTotals::default());
}

#[tokio::test]
async fn a_row_names_its_key_as_the_account_calls_it_today() {
    let archive = Archive::open().await;
    archive.keep(call()).await;
    let key = format!(
        "insert into api_key (id, account_id, name, mode, secret_hash, scopes)
         values ('first', '{}', '=1+1', 'live', '', '{{}}')",
        archive.account.uuid()
    );
    let name = async || {
        let page = archive.ledger.history(archive.account, &HistoryFilter::default(), None, 1).await.unwrap();
        page.rows[0].key_name.clone()
    };
    assert_eq!(name().await, None);
    archive.database.psql(&key).unwrap();
    assert_eq!(name().await.as_deref(), Some("=1+1"));
}

#[tokio::test]
async fn months_older_than_kept_are_dropped_and_money_does_not_notice() {
    let archive = Archive::open().await;
    for months in [40, 25, 24, 23] {
        let day = months_ago(months).date_naive();
        archive.database.psql(&format!("select make_history_partition('{day}')")).unwrap();
        archive.keep(Call { at: months_ago(months), ..call() }).await;
    }
    let recent = archive.keep(call()).await;
    let before = archive.months();
    let balance = archive.ledger.overview(archive.account).await.unwrap().unwrap().available;
    assert_eq!(archive.ledger.drop_old_history(0).await.unwrap(), 0);
    assert_eq!(archive.months(), before);

    let other = Ledger::connect(&Database::at(&archive.database.url()), Clock::system()).await.unwrap();
    let (first, second) = tokio::join!(archive.ledger.drop_old_history(24), other.drop_old_history(24));
    assert_eq!(first.unwrap() + second.unwrap(), 2);
    let gone = [month_table(40), month_table(25)];
    let kept: Vec<String> = before.into_iter().filter(|name| !gone.contains(name)).collect();
    assert!(kept.contains(&month_table(24)) && kept.len() >= 5);
    assert_eq!(archive.months(), kept);
    assert_eq!(archive.ledger.drop_old_history(24).await.unwrap(), 0);

    assert_eq!(archive.seen(&HistoryFilter::default()).await.len(), 3);
    let after = archive.ledger.overview(archive.account).await.unwrap().unwrap().available;
    assert_eq!((after, balance), (Credits::whole(495), Credits::whole(495)));
    assert_eq!(archive.ledger.audit().await.unwrap(), []);
    // The audit still sees what is missing among the months that are kept.
    archive.database.psql(&format!("delete from history where id = '{}'", recent.uuid())).unwrap();
    let violations = archive.ledger.audit().await.unwrap();
    assert!(violations.iter().any(|it| it.invariant.starts_with("I8")), "{violations:?}");
}

#[tokio::test]
async fn a_drop_that_a_reader_broke_off_is_finished_the_next_time() {
    let archive = Archive::open().await;
    let day = months_ago(30).date_naive();
    archive.database.psql(&format!("select make_history_partition('{day}')")).unwrap();
    let mut reader = archive.ledger.pool().begin().await.unwrap();
    sqlx::query("select count(*) from history").execute(&mut *reader).await.unwrap();
    assert!(archive.ledger.drop_old_history(24).await.is_err());
    // While one reader stays, paid calls go on and pages are read.
    archive.keep(call()).await;
    assert_eq!(archive.seen(&HistoryFilter::default()).await.len(), 1);
    reader.commit().await.unwrap();
    assert!(archive.months().contains(&month_table(30)));
    assert_eq!(archive.ledger.drop_old_history(24).await.unwrap(), 1);
    assert!(!archive.months().contains(&month_table(30)));
    assert_eq!(archive.ledger.audit().await.unwrap(), []);
}
