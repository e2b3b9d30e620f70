//! A template is prepared once for all; each test gets a database of its own that goes away with it.

use std::sync::atomic::{AtomicU32, Ordering};

use assay_testkit::{Postgres, PostgresOptions, SharedPostgres, TestDatabase, psql};

#[tokio::test]
async fn a_template_is_prepared_once_and_each_test_has_its_own_copy() {
    // A server of its own unless one is named: these tests must also run before `cargo xtask dev`.
    let own = assay_testkit::shared().is_err().then(|| Postgres::start(PostgresOptions::default()).unwrap());
    let server = match &own {
        Some(own) => SharedPostgres::at(&own.url("postgres")).unwrap(),
        None => assay_testkit::shared().unwrap(),
    };
    let fingerprint = format!("{:?}", std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap());
    let prepared = AtomicU32::new(0);
    let prepare = async |url: String| {
        prepared.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        psql(&url, "create table item (id int)").map(drop)
    };
    let (one, two) = tokio::join!(
        TestDatabase::on(&server, "testkit", &fingerprint, prepare),
        TestDatabase::on(&server, "testkit", &fingerprint, prepare),
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(prepared.load(Ordering::SeqCst), 1);

    one.psql("insert into item values (1)").unwrap();
    assert_eq!(one.psql("select count(*) from item").unwrap(), "1");
    assert_eq!(two.psql("select count(*) from item").unwrap(), "0");

    let names =
        format!("select count(*) from pg_database where datname in ('{}', '{}')", one.name(), two.name());
    assert_eq!(server.psql(&names).unwrap(), "2");
    drop((one, two));
    assert_eq!(server.psql(&names).unwrap(), "0");
    server
        .psql(
            "select format('drop database %I', datname)
         from pg_database where datname like 'tmpl_testkit_%' \\gexec",
        )
        .unwrap();
}

#[tokio::test]
async fn a_failed_preparation_leaves_no_template_and_no_scratch_database() {
    let own = Postgres::start(PostgresOptions::default()).unwrap();
    let server = SharedPostgres::at(&own.url("postgres")).unwrap();
    let failed =
        TestDatabase::on(&server, "testkit", "x", async |_| anyhow::bail!("a broken migration")).await;
    assert!(format!("{:#}", failed.unwrap_err()).contains("a broken migration"));
    let left = server.psql("select datname from pg_database where datname ~ '^(tmpl|scratch|t)_'").unwrap();
    assert_eq!(left, "");
    let made = TestDatabase::on(&server, "testkit", "x", async |_| Ok(())).await.unwrap();
    assert!(made.url().contains("/t_"));
}
