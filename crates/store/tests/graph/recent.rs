//! Going back through what happened: exact windows, parts that must be there, and a walk that never stops short of its end.

use super::people::graph;
use assay_domain::SignalKind;
use assay_domain::limits::SIGNAL_SCAN_MAX;
use assay_store::Graph;
use assay_store::graph::{FeedRow, Moment, Part, RecentFilter};
use assay_testkit::TestDatabase;
use chrono::{DateTime, TimeDelta, Utc};

/// 15:20:00 of a day.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_004_000, 0).unwrap()
}

/// Rows of the feed: `number` is their place and the end of their id.
fn put(db: &TestDatabase, rows: &str) {
    let sql = format!(
        "insert into signal_feed (signal_id, seq, revision, kind, detected_at, occurred_at, domain, country, department, applicants, body)
         select lpad(to_hex(number), 32, '0')::uuid, number, 1, kind, now(), at, domain, country, department, applicants, body::json
         from ({rows}) as r (number, kind, at, domain, country, department, applicants, body)"
    );
    db.psql(&sql).unwrap();
}

fn hiring() -> RecentFilter {
    let (domains, countries, departments) = (Vec::new(), Vec::new(), Vec::new());
    RecentFilter { kind: SignalKind::Hiring, since: None, domains, countries, departments, part: None }
}

/// All there are, read so many at a time: their places in the feed.
async fn all(graph: &Graph, filter: &RecentFilter, head: i64, limit: i64) -> Vec<i64> {
    let (mut seen, mut before): (Vec<FeedRow>, _) = (Vec::new(), Moment::after(now()));
    loop {
        let page = graph.recent(filter, head, before, limit).await.unwrap();
        seen.extend(page.rows);
        let Some(place) = page.go_on else { return seen.iter().map(|row| row.seq).collect() };
        before = place;
    }
}

#[tokio::test]
async fn a_window_is_exact_and_what_is_known_by_its_day_is_compared_as_a_day() {
    let (db, graph) = graph().await;
    let (since, day) = (now() - TimeDelta::days(2), "2026-09-19T00:00:00Z");
    let at = |time: DateTime<Utc>| time.to_rfc3339();
    let microsecond = TimeDelta::microseconds(1);
    let times = [
        at(since),
        at(since - microsecond),
        day.to_owned(),
        at(day.parse::<DateTime<Utc>>().unwrap() - microsecond),
        at(now()),
        at(now() + microsecond),
        at(since),
    ];
    let row = |(number, time): (usize, &String)| {
        format!("({}, 3, '{time}'::timestamptz, null, null, null, null::integer, '{{}}')", number + 1)
    };
    let rows: Vec<String> = times.iter().enumerate().map(row).collect();
    put(&db, &format!("values {}", rows.join(", ")));
    assert_eq!(since.date_naive().to_string(), "2026-09-19");
    let window = RecentFilter { since: Some(since), ..hiring() };
    for limit in [1, 2, 100] {
        assert_eq!(all(&graph, &window, 100, limit).await, [5, 7, 1, 3], "{limit} at a time");
    }
    assert_eq!(all(&graph, &window, 6, 2).await, [5, 1, 3], "not what came later");
    assert_eq!(all(&graph, &hiring(), 100, 2).await, [5, 7, 1, 2, 3, 4]);
    let other = RecentFilter { kind: SignalKind::Funding, ..hiring() };
    assert_eq!(all(&graph, &other, 100, 2).await, Vec::<i64>::new());
}

#[tokio::test]
async fn what_few_of_many_have_is_found_however_far_back_it_is() {
    let (db, graph) = graph().await;
    let many = SIGNAL_SCAN_MAX * 2 + 10;
    put(
        &db,
        &format!(
            "select n, 3, timestamptz '{}' - n * interval '1 second', null, 'US', case when n in (7, {many}) then 'legal' end,
                 case when n % 5000 = 0 then 24 when n % 5000 = 1 then 25 end, '{{}}' from generate_series(1, {many}) as n",
            now().to_rfc3339()
        ),
    );
    let legal = RecentFilter { departments: vec!["hr".into(), "legal".into()], ..hiring() };
    assert_eq!(all(&graph, &legal, i64::MAX, 5).await, [7, many]);
    let first = graph.recent(&legal, i64::MAX, Moment::after(now()), 5).await.unwrap();
    assert!(first.rows.len() == 1 && first.go_on.is_some(), "a bounded look at a time");
    let elsewhere = RecentFilter { countries: vec!["DE".into()], ..hiring() };
    assert_eq!(all(&graph, &elsewhere, i64::MAX, 5).await, Vec::<i64>::new());
    let few = RecentFilter { part: Some(Part::Applicants { max: 24 }), ..hiring() };
    assert_eq!(all(&graph, &few, i64::MAX, 2).await, [5_000, 10_000, 15_000, 20_000]);
    let fewer = RecentFilter { part: Some(Part::Applicants { max: 23 }), ..hiring() };
    assert_eq!(all(&graph, &fewer, i64::MAX, 2).await, Vec::<i64>::new());
}

#[tokio::test]
async fn changes_of_jobs_are_found_by_page_text_and_either_company() {
    let (db, graph) = graph().await;
    let body = |page: &str, text: &str| {
        format!(
            r#"{{"person": {{"full_name": "J"{page}}}, "content": {{"event": "job-change", "said": {{"kind": "left"{text}}}}}}}"#
        )
    };
    let (page, text) =
        (r#", "network_url": "https://network.example/in/j""#, r#", "announcement_text": "hello""#);
    let bodies = [body(page, text), body(page, ""), body("", text), body("", "")];
    let row = |(number, body): (usize, &String)| {
        let n = number + 1;
        format!(
            "({n}, 4, '{}'::timestamptz - {n} * interval '1 day', 'c{n}.example', 'DE', 'sales', null::integer, '{body}')",
            now().to_rfc3339()
        )
    };
    let rows: Vec<String> = bodies.iter().enumerate().map(row).collect();
    put(&db, &format!("values {}", rows.join(", ")));
    db.psql("update signal_feed set other_domain = 'c1.example' where seq = 2").unwrap();
    let moves = RecentFilter { kind: SignalKind::JobChange, ..hiring() };
    let with = |part: Part| RecentFilter { part: Some(part), ..moves.clone() };
    assert_eq!(all(&graph, &moves, 9, 2).await, [1, 2, 3, 4]);
    assert_eq!(all(&graph, &with(Part::Profile), 9, 1).await, [1, 2]);
    assert_eq!(all(&graph, &with(Part::Announcement), 9, 1).await, [1]);
    let at = |domains: &[&str]| RecentFilter {
        domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        ..moves.clone()
    };
    assert_eq!(all(&graph, &at(&["c1.example"]), 9, 1).await, [1, 2]);
    assert_eq!(all(&graph, &at(&["c4.example", "c2.example"]), 9, 5).await, [2, 4]);
    assert_eq!(all(&graph, &at(&["c9.example"]), 9, 5).await, Vec::<i64>::new());
}
