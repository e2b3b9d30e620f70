//! Starts real servers: what is committed survives a kill, templates are made once and cloned.

use assay_testkit::{Postgres, PostgresOptions};

fn small() -> PostgresOptions {
    PostgresOptions {
        extra_settings: vec![("shared_buffers".to_owned(), "16MB".to_owned())],
        ..PostgresOptions::default()
    }
}

#[test]
fn a_committed_row_survives_kill_dash_nine_and_a_restart() {
    let mut server = Postgres::start(small()).unwrap();
    let folder = server.data_dir().to_owned();
    let port = server.port();
    server.create_database("kept").unwrap();
    server.psql("kept", "create table row (id int); insert into row values (7);").unwrap();
    assert_eq!(
        server.psql("kept", "show fsync; show synchronous_commit; show shared_buffers").unwrap(),
        "on\non\n16MB"
    );

    server.kill_dash_nine().unwrap();
    assert!(server.psql("kept", "select 1").is_err());
    assert!(server.postmaster_pid().is_err());

    server.restart().unwrap();
    assert_eq!(server.port(), port);
    assert_eq!(server.psql("kept", "select id from row").unwrap(), "7");

    server.stop_fast().unwrap();
    server.restart().unwrap();
    assert_eq!(server.psql("kept", "select count(*) from row").unwrap(), "1");

    let pid = server.postmaster_pid().unwrap();
    drop(server);
    assert!(!folder.exists());
    assert!(!std::path::Path::new(&format!("/proc/{pid}/exe")).exists());
}

#[test]
fn a_failing_statement_is_an_error_that_says_why() {
    let server = Postgres::start(small()).unwrap();
    let error = server.psql("postgres", "select 1; select nonsense;").unwrap_err();
    assert!(error.to_string().contains("column \"nonsense\" does not exist"), "{error}");
}
