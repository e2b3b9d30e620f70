//! The sandbox's counter against a real PostgreSQL.

#[cfg(test)]
mod support;

#[cfg(test)]
mod sandbox {
    use super::support::ledger_db;
    use assay_domain::{Clock, limits};
    use assay_store::{Database, Ledger, SandboxCounter};
    use assay_testkit::TestDatabase;
    use chrono::{Days, NaiveDate};
    use std::net::IpAddr;

    const LIMIT: u32 = 5;

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 15).unwrap()
    }

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    async fn counter(database: &TestDatabase) -> SandboxCounter {
        SandboxCounter::connect(&Database::at(&database.url()), LIMIT).await.unwrap()
    }

    #[tokio::test]
    async fn a_client_counts_down_to_nothing_and_the_next_day_starts_anew() {
        let database = ledger_db().await;
        let counter = counter(&database).await;
        assert_eq!(counter.look(day(), client(1)).await.unwrap(), LIMIT);
        for left in (0..LIMIT).rev() {
            assert_eq!(counter.count(day(), client(1)).await.unwrap(), Some(left));
            assert_eq!(counter.look(day(), client(1)).await.unwrap(), left);
        }
        assert_eq!(counter.count(day(), client(1)).await.unwrap(), None);
        assert_eq!(counter.count(day(), client(2)).await.unwrap(), Some(LIMIT - 1));
        let tomorrow = day().checked_add_days(Days::new(1)).unwrap();
        assert_eq!(counter.count(tomorrow, client(1)).await.unwrap(), Some(LIMIT - 1));
        assert_eq!(counter.count(day(), client(1)).await.unwrap(), None);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn calls_at_once_over_two_nodes_are_allowed_exactly_as_often_as_the_limit_says() {
        let database = ledger_db().await;
        let nodes = [counter(&database).await, counter(&database).await];
        let ask = |number: usize| {
            let (node, client) = (nodes[number % 2].clone(), client(u8::try_from(number % 7).unwrap()));
            async move { (client, node.count(day(), client).await.unwrap()) }
        };
        let answers = futures_util::future::join_all((0..700).map(ask)).await;
        for number in 0..7 {
            let mut left: Vec<u32> = answers
                .iter()
                .filter(|(who, _)| *who == client(number))
                .filter_map(|(_, left)| *left)
                .collect();
            left.sort_unstable();
            assert_eq!(left, (0..LIMIT).collect::<Vec<_>>(), "each place was given once");
        }
        assert_eq!(database.psql("select count(*), min(calls) >= 5 from sandbox_use").unwrap(), "7|t");
    }

    #[tokio::test]
    async fn no_address_is_stored_and_two_days_do_not_share_a_digest() {
        let database = ledger_db().await;
        let counter = counter(&database).await;
        let tomorrow = day().checked_add_days(Days::new(1)).unwrap();
        counter.count(day(), client(1)).await.unwrap();
        counter.count(tomorrow, client(1)).await.unwrap();
        let distinct = "select count(distinct client), min(length(client)) from sandbox_use";
        assert_eq!(database.psql(distinct).unwrap(), "2|32");
        let plain = "select count(*) from sandbox_use where position('\\xc0000201'::bytea in client) > 0
                     or client = sha256('\\xc0000201'::bytea)";
        assert_eq!(database.psql(plain).unwrap(), "0");
        let salted = "select count(*) from sandbox_use join sandbox_day using (day)
                      where client = sha256(salt || '\\xc0000201'::bytea)";
        assert_eq!(database.psql(salted).unwrap(), "2");
    }

    #[tokio::test]
    async fn past_days_are_forgotten_with_their_salt_in_bounded_steps_and_today_stays() {
        let database = ledger_db().await;
        let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
        let rows = limits::SANDBOX_SWEEP_BATCH + 10;
        let fill = format!(
            "insert into sandbox_day select (now() at time zone 'utc')::date - n, sha256('salt') from generate_series(0, 2) n;
             insert into sandbox_use select (now() at time zone 'utc')::date - 2, sha256(n::text::bytea), 1
                 from generate_series(1, {rows}) n;
             insert into sandbox_use select (now() at time zone 'utc')::date, sha256('x'), 1"
        );
        database.psql(&fill).unwrap();
        let swept = u64::try_from(limits::SANDBOX_SWEEP_BATCH).unwrap();
        assert_eq!(ledger.sweep_sandbox().await.unwrap(), swept);
        assert_eq!(ledger.sweep_sandbox().await.unwrap(), 10);
        assert_eq!(ledger.sweep_sandbox().await.unwrap(), 0);
        assert_eq!(database.psql("select count(*) from sandbox_use").unwrap(), "1");
        let days = database.psql("select count(*) from sandbox_day").unwrap();
        assert!(["1", "2"].contains(&&*days), "yesterday stays for an hour: {days}");
    }

    #[tokio::test]
    async fn without_its_database_the_counter_says_so() {
        let database = ledger_db().await;
        let counter = counter(&database).await;
        database.psql("alter table sandbox_use rename to elsewhere").unwrap();
        assert!(counter.count(day(), client(1)).await.is_err());
        database.psql("alter table elsewhere rename to sandbox_use").unwrap();
        assert_eq!(counter.count(day(), client(1)).await.unwrap(), Some(LIMIT - 1));
    }
}
