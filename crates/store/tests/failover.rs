//! A connection string that names several servers leads to the one that takes writes, and follows it.

#[cfg(test)]
mod failover {
    use assay_domain::Clock;
    use assay_store::{Database, Ledger, StoreError, task};
    use assay_testkit::{Postgres, PostgresOptions};
    use std::time::Duration;

    /// Ten times as long as a new primary should go unnoticed: what is shown is that nobody waits for a dead connection.
    const NOTICED_WITHIN: Duration = Duration::from_secs(20);

    async fn reach(servers: &[&Postgres]) -> Ledger {
        let hosts: Vec<String> =
            servers.iter().map(|server| format!("127.0.0.1:{}", server.port())).collect();
        let url = format!("postgres://postgres@{}/postgres?target_session_attrs=read-write", hosts.join(","));
        Ledger::connect(&Database::at(&url), Clock::system()).await.unwrap()
    }

    async fn port_of(ledger: &Ledger) -> Result<i32, StoreError> {
        let port = sqlx::query_scalar("select current_setting('port')::int").fetch_one(ledger.pool()).await?;
        Ok(port)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_primary_that_stands_still_is_left_for_its_successor_and_never_gone_back_to() {
        let options =
            PostgresOptions::with_settings(&[("shared_buffers", "16MB"), ("max_wal_size", "256MB")]);
        let old = Postgres::start(options).unwrap();
        let new = old.follow().unwrap();
        let ledger = reach(&[&new, &old]).await;
        assert_eq!(port_of(&ledger).await.unwrap(), i32::from(old.port()));

        let waiting = ledger.clone();
        let (tell, told) = tokio::sync::oneshot::channel();
        task::spawn("test", async move {
            let slept = sqlx::query("select pg_sleep(600)").execute(waiting.pool()).await;
            drop(tell.send(slept.map(drop)));
        });
        let is_asleep = "select count(*) from pg_stat_activity where query like 'select pg_sleep(6%'";
        while old.psql("postgres", is_asleep).unwrap() != "1" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        old.freeze().unwrap();
        assert_eq!(new.psql("postgres", "select pg_promote()").unwrap(), "t");

        // Whoever waits for the old one is told, and everybody goes on at the new one.
        tokio::time::timeout(NOTICED_WITHIN, told).await.unwrap().unwrap().unwrap_err();
        let goes_on = async {
            while port_of(&ledger).await.ok() != Some(i32::from(new.port())) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(NOTICED_WITHIN, goes_on).await.unwrap();

        // It wakes up and believes that it is the primary.
        old.thaw().unwrap();
        assert_eq!(old.psql("postgres", "select pg_is_in_recovery()").unwrap(), "f");
        for _ in 0..30 {
            assert_eq!(port_of(&ledger).await.unwrap(), i32::from(new.port()));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
