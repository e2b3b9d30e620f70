//! The lanes' own connections against a real PostgreSQL: kept while they work, replaced when they break.

#[cfg(test)]
mod support;

#[cfg(test)]
mod lanes {
    use super::support;
    use assay_domain::{AccountId, Clock, Credits, IdentityKey, KeyId, Plan, RequestId, WatchListId};
    use assay_store::ledger::NewAccount;
    use assay_store::ledger::op::{Answer, Op, Record, Settle};
    use assay_store::{Database, Graph, Ledger};
    use assay_testkit::TestDatabase;
    use std::collections::HashSet;
    use std::future::{Future, poll_fn};
    use std::sync::Arc;
    use std::task::Poll;
    use std::time::Duration;
    use uuid::Uuid;

    /// Whoever talks to the database, this connection apart.
    const OTHERS: &str =
        "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";

    async fn ledger(database: &TestDatabase) -> Ledger {
        Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap()
    }

    async fn account(ledger: &Ledger, number: usize) -> AccountId {
        let new = NewAccount { name: format!("test {number}"), plan: Plan::Indie };
        ledger.create_account(&new).await.unwrap()
    }

    fn charge() -> (RequestId, Op) {
        let at = Clock::system().now();
        let request = RequestId::mint(at);
        let record = Record {
            in_history: true,
            key: KeyId::new("k"),
            at,
            endpoint: "enrich",
            status: 200,
            found: true,
            latency: Duration::from_millis(1),
            cached: false,
            cache_age_seconds: None,
            providers: vec!["graph".into()],
            upstream_micros: 0,
            subjects: Vec::new(),
        };
        let settle = Settle {
            request,
            hold: None,
            charge: Credits::whole(1),
            cap: None,
            record,
            people: Vec::new(),
            reply: None,
            deed: None,
        };
        (request, Op::Settle(Box::new(settle)))
    }

    /// Who wrote a charge since, as PostgreSQL's process id: a lane's last statement stays visible after it ended.
    fn writers(database: &TestDatabase, since: &str) -> HashSet<String> {
        // A charge that is one statement commits by itself.
        let ends = "(query ilike 'commit%' or query like 'with met as%')";
        let wrote = format!("{OTHERS} and {ends} and query_start > '{since}'");
        let rows = database.psql(&format!("select pid {wrote}")).unwrap();
        rows.split_whitespace().map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn batches_go_over_the_same_few_connections() {
        let database = support::ledger_db().await;
        let ledger = ledger(&database).await;
        let account = account(&ledger, 0).await;
        let since = database.psql("select clock_timestamp()").unwrap();
        let mut seen = HashSet::new();
        for _ in 0..20 {
            assert!(matches!(ledger.ask(account, charge().1).await.unwrap(), Answer::Settled(_)));
            seen.extend(writers(&database, since.trim()));
        }
        let lines = 2 * assay_store::lane::batches_at_once();
        assert!((1..=lines).contains(&seen.len()), "{seen:?}");
    }

    #[tokio::test]
    async fn a_charge_is_booked_once_when_its_connection_is_killed_before_and_meanwhile() {
        let database = Arc::new(support::ledger_db().await);
        let ledger = ledger(&database).await;
        let account = account(&ledger, 0).await;
        ledger.ask(account, charge().1).await.unwrap();
        for _ in 0..5 {
            database.psql(&format!("select pg_terminate_backend(pid) {OTHERS}")).unwrap();
            assert!(matches!(ledger.ask(account, charge().1).await.unwrap(), Answer::Settled(_)));
        }
        // The charge waits for this lock, so that its connection dies in the middle of the batch.
        let locked = Arc::clone(&database);
        let lock = std::thread::spawn(move || {
            locked.psql("begin; lock table balance; select pg_sleep(1); commit").unwrap();
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        let (request, op) = charge();
        let kill = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let waiting = format!("select pg_terminate_backend(pid) {OTHERS} and wait_event_type = 'Lock'");
            database.psql(&waiting).unwrap()
        };
        let (answer, killed) = tokio::join!(ledger.ask(account, op), kill);
        lock.join().unwrap();
        assert!(killed.contains('t'), "nothing was killed: {killed:?}");
        assert!(matches!(answer.unwrap(), Answer::Settled(_)));
        let booked =
            format!("select count(*), count(*) filter (where id = '{}') from history", request.uuid());
        assert_eq!(database.psql(&booked).unwrap(), "7|1");
        // The pool's connections died too; those that rested are looked at before they are lent out.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        assert_eq!(ledger.overview(account).await.unwrap().unwrap().available, Credits::whole(493));
        assert_eq!(ledger.audit().await.unwrap(), []);
    }

    #[tokio::test]
    async fn a_commit_in_progress_does_not_hold_up_other_accounts_and_keeps_its_own_in_order() {
        let database = support::ledger_db().await;
        let ledger = ledger(&database).await;
        let mut accounts = Vec::new();
        for number in 0..4 {
            accounts.push(account(&ledger, number).await);
        }
        let mut asking = tokio::task::JoinSet::new();
        for number in 0..200 {
            let (ledger, account) = (ledger.clone(), accounts[number % 4]);
            asking.spawn(async move { ledger.ask(account, charge().1).await.unwrap() });
        }
        let mut balances = Vec::new();
        while let Some(answer) = asking.join_next().await {
            let Answer::Settled(settled) = answer.unwrap() else { panic!("a charge was refused") };
            balances.push(settled.balance);
        }
        // Four accounts, each charged from 500 down to 450: every balance between appears once an account.
        balances.sort_unstable();
        let wanted: Vec<_> = (450..500).flat_map(|credits| [Credits::whole(credits); 4]).collect();
        assert_eq!(balances, wanted);
        assert_eq!(ledger.audit().await.unwrap(), []);
    }

    /// A connection keeps its plans. Those of a new installation are made while its tables are empty.
    #[tokio::test]
    async fn rows_of_an_empty_table_are_found_by_an_index_already() {
        let database = support::ledger_db().await;
        let ledger = ledger(&database).await;
        database.psql("vacuum analyze").unwrap();
        for (table, key) in [
            ("balance", "account_id"),
            ("hold", "id"),
            ("job", "id"),
            ("bulk_job", "id"),
            ("bulk_slice", "bulk_id"),
        ] {
            let sql = format!("explain select from {table} where {key} = any(array[gen_random_uuid()])");
            let plan: Vec<String> =
                sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_all(ledger.pool()).await.unwrap();
            assert!(!plan.iter().any(|line| line.contains("Seq Scan")), "{plan:?}");
        }
    }

    #[tokio::test]
    async fn a_lookup_survives_the_death_of_its_connection() {
        let database = support::graph_db().await;
        let graph = Graph::connect(&Database::at(&database.url())).await.unwrap();
        let nobody = IdentityKey::new([7; 32]).digest_email(&"a@b.example".parse().unwrap());
        for _ in 0..3 {
            assert_eq!(graph.people_by_digest(nobody).await.unwrap(), []);
            assert_eq!(graph.companies_by_digest(nobody).await.unwrap(), []);
            database.psql(&format!("select pg_terminate_backend(pid) {OTHERS}")).unwrap();
        }
        assert_eq!(graph.people_by_digest(nobody).await.unwrap(), []);
    }

    #[tokio::test]
    async fn whoever_goes_away_while_a_transaction_begins_leaves_none_open() {
        let database = support::ledger_db().await;
        let ledger = ledger(&database).await;
        let account = account(&ledger, 1).await;
        let nowhere = WatchListId::from_uuid(Uuid::nil());
        let remove = || ledger.remove_watch_entries(account, nowhere, &[]);
        remove().await.unwrap();
        let open = format!("select count(*) {OTHERS} and state like 'idle in transaction%'");
        for _ in 0..20 {
            let mut leaving = Box::pin(remove());
            let first = poll_fn(|context| Poll::Ready(leaving.as_mut().poll(context))).await;
            assert!(first.is_pending());
            drop(leaving);
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(database.psql(&open).unwrap(), "0");
        }
    }
}
