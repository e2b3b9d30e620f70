//! Signals: one event, however many tell of it, and a feed from which nobody misses anything.

use super::people::{KEY, graph};
use assay_domain::company::Round;
use assay_domain::limits::{SIGNAL_CLOCKS_APART, SIGNAL_SCAN_MAX};
use assay_domain::signal::{Content, Party, PersonNamed};
use assay_domain::suppression::{SuppressedKind, SuppressionReason};
use assay_domain::taxonomy::FundingStage;
use assay_domain::{Clock, Confidence, Digest, NetworkHosts, NetworkUrl, Notice, SignalId, SignalKind};
use assay_store::Graph;
use assay_store::graph::{
    Decision, FeedEntry, FeedFilter, FeedStart, HeldSignal, MovedNotice, NewNotice, NewSuppression,
    SignalFacets, SignalWrite, SuppressWish, Taken, Turn,
};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

const NODE: Uuid = Uuid::from_u128(0xa);

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

fn notice(reference: &str, company: &str, amount: i64) -> Notice {
    Notice {
        reference: reference.into(),
        url: None,
        occurred_at: now(),
        company: Party::named(company),
        person: None,
        confidence: Confidence::percent(80),
        content: Content::Funding(Round {
            stage: FundingStage::Seed,
            amount: Some(amount),
            currency: Some("USD".into()),
            announced_on: now().date_naive(),
            investors: Vec::new(),
            lead_investors: Vec::new(),
        }),
    }
}

/// Everything with one of the keys is one event; the body is what was said, sorted.
fn decide(new: &Notice, source: &str, held: &[HeldSignal]) -> SignalWrite {
    let event = held.first();
    let mut said: Vec<(String, String)> = event
        .into_iter()
        .flat_map(|signal| &signal.notices)
        .map(|said| (said.source.clone(), serde_json::to_string(&said.notice).unwrap()))
        .filter(|(by, text)| by != source || !text.contains(&format!("\"{}\"", new.reference)))
        .collect();
    said.push((source.to_owned(), serde_json::to_string(new).unwrap()));
    said.sort();
    SignalWrite {
        id: event.map_or_else(|| SignalId::mint(Clock::system().now()), |signal| signal.id),
        moved: Vec::new(),
        detected_at: now(),
        occurred_at: new.occurred_at,
        facets: SignalFacets {
            domain: Some(format!("{}.example", new.company.name)),
            ..SignalFacets::default()
        },
        body: serde_json::value::to_raw_value(&said).unwrap(),
    }
}

async fn take(graph: &Graph, source: &str, notice: &Notice, key: i64) -> Taken {
    take_of(graph, source, notice, key, &[]).await
}

async fn take_of(graph: &Graph, source: &str, notice: &Notice, key: i64, subjects: &[Digest]) -> Taken {
    let new =
        NewNotice { source, notice, keys: &[key, key + 1_000_000], unmatched: &[], subjects, seen_at: now() };
    graph.take_notice(&new, |held| Ok(decide(notice, source, held).into())).await.unwrap()
}

async fn sequence(graph: &Graph) {
    while !matches!(graph.sequence(NODE).await.unwrap(), Turn::Sequenced { moved: 0, .. }) {}
}

async fn page(graph: &Graph, filter: &FeedFilter, start: FeedStart, limit: u32) -> (Vec<FeedEntry>, i64) {
    let head = graph.feed_head().await.unwrap();
    let page = graph.feed(filter, start, head.seq, limit).await.unwrap();
    (page.rows, page.upto)
}

fn funding() -> FeedFilter {
    FeedFilter::all(SignalKind::Funding)
}

#[tokio::test]
async fn what_several_say_of_one_event_is_one_signal_with_revisions() {
    let (_db, graph) = graph().await;
    let (filing, release) = (notice("f-1", "acme", 5), notice("r-1", "acme", 6));
    let Taken::Written { id, revision: 1 } = take(&graph, "filings", &filing, 1).await else { panic!() };
    assert_eq!(take(&graph, "filings", &filing, 1).await, Taken::Known(id));
    assert_eq!(take(&graph, "wire", &release, 1).await, Taken::Written { id, revision: 2 });
    // Amended under its reference, also where no key is shared any more.
    let amended = notice("f-1", "acme", 7);
    assert_eq!(take(&graph, "filings", &amended, 77).await, Taken::Written { id, revision: 3 });
    let Taken::Written { id: other, revision: 1 } = take(&graph, "wire", &notice("r-2", "beta", 9), 2).await
    else {
        panic!()
    };
    assert!(
        page(&graph, &funding(), FeedStart::After(0), 10).await.0.is_empty(),
        "not before it has its place"
    );
    sequence(&graph).await;
    let (rows, upto) = page(&graph, &funding(), FeedStart::After(0), 10).await;
    let shown: Vec<(SignalId, i64)> = rows.iter().map(|row| (row.id, row.revision)).collect();
    assert_eq!(shown, [(id, 3), (other, 1)]);
    assert_eq!(upto, graph.log_head().await.unwrap().seq);
    // What comes next is only what is new.
    take(&graph, "third", &notice("t-1", "acme", 5), 1).await;
    sequence(&graph).await;
    let (rows, _) = page(&graph, &funding(), FeedStart::After(upto), 10).await;
    assert_eq!(rows.iter().map(|row| (row.id, row.revision)).collect::<Vec<_>>(), [(id, 4)]);
}

#[tokio::test]
async fn a_page_is_told_by_filters_from_a_place_or_from_the_newest() {
    let (_db, graph) = graph().await;
    for number in 0..30_i64 {
        let mut said = notice(&number.to_string(), if number % 3 == 0 { "acme" } else { "beta" }, number);
        said.occurred_at = now() + TimeDelta::days(number);
        take(&graph, "wire", &said, 100 + number).await;
    }
    sequence(&graph).await;
    let numbers = |rows: &[FeedEntry]| -> Vec<i64> { rows.iter().map(|row| row.seq).collect() };
    let (rows, upto) = page(&graph, &funding(), FeedStart::Newest, 4).await;
    assert_eq!((numbers(&rows), upto), (vec![27, 28, 29, 30], 30));
    let acme = FeedFilter { domains: vec!["acme.example".into()], ..funding() };
    let (first, upto) = page(&graph, &acme, FeedStart::After(0), 4).await;
    assert_eq!((numbers(&first), upto), (vec![1, 4, 7, 10], 10));
    let (rest, upto) = page(&graph, &acme, FeedStart::After(upto), 100).await;
    assert_eq!((numbers(&rest), upto), (vec![13, 16, 19, 22, 25, 28], 30));
    let both =
        FeedFilter { domains: ["acme.example", "beta.example"].map(String::from).to_vec(), ..funding() };
    assert_eq!(numbers(&page(&graph, &both, FeedStart::After(2), 4).await.0), [3, 4, 5, 6]);
    assert_eq!(numbers(&page(&graph, &both, FeedStart::Newest, 3).await.0), [28, 29, 30]);
    let early = FeedFilter {
        since: Some(now() + TimeDelta::days(5)),
        until: Some(now() + TimeDelta::days(8)),
        ..funding()
    };
    assert_eq!(numbers(&page(&graph, &early, FeedStart::After(0), 100).await.0), [6, 7, 8]);
    let other = FeedFilter::all(SignalKind::Hiring);
    assert_eq!(page(&graph, &other, FeedStart::Newest, 5).await.1, 30);
}

/// A page looks at so many rows and no more, and says how far it looked; however few fit, all of them are found by going on.
#[tokio::test]
async fn where_few_of_many_fit_a_page_is_short_and_the_next_goes_on_from_there() {
    let (db, graph) = graph().await;
    let (all, fitting) = (SIGNAL_SCAN_MAX + 700, [3, SIGNAL_SCAN_MAX - 1, SIGNAL_SCAN_MAX + 300]);
    db.psql(&format!(
        "insert into signal_feed (signal_id, seq, revision, kind, detected_at, occurred_at, domain, country, body)
         select gen_random_uuid(), 2 * place, 1, 1, now(), now(), 'acme.example',
             case when place in ({}) then 'DE' else 'US' end, '{{}}'
         from generate_series(1, {all}) as place;
         insert into signal_feed (signal_id, seq, revision, kind, detected_at, occurred_at, country, body)
         select gen_random_uuid(), 2 * place - 1, 1, 3, now(), now(), 'DE', '{{}}' from generate_series(1, {all}) as place;
         update change_log_head set seq = 2 * {all}",
        fitting.map(|place| place.to_string()).join(", ")
    ))
    .unwrap();
    let german = FeedFilter { countries: vec!["DE".into(), "FR".into()], ..funding() };
    let of_acme =
        FeedFilter { domains: vec!["acme.example".into(), "other.example".into()], ..german.clone() };
    for filter in [german, of_acme] {
        let walk = async |limit: u32| {
            let (mut place, mut pages) = (0, Vec::new());
            while place < 2 * all {
                let (rows, upto) = page(&graph, &filter, FeedStart::After(place), limit).await;
                assert!(upto > place, "it goes on");
                place = upto;
                pages.push((rows.iter().map(|row| row.seq / 2).collect::<Vec<i64>>(), upto / 2));
            }
            pages
        };
        let short = vec![(fitting[..2].to_vec(), SIGNAL_SCAN_MAX), (vec![fitting[2]], all)];
        assert_eq!(walk(10).await, short);
        let each: Vec<(Vec<i64>, i64)> = fitting.iter().map(|place| (vec![*place], *place)).collect();
        assert_eq!(walk(1).await, [each, vec![(vec![], all)]].concat());
        // Whatever was known of the head: what is there is shown, and how far was looked is told by what was looked at.
        let earlier = graph.feed(&filter, FeedStart::After(0), 10, 10).await.unwrap();
        assert_eq!((earlier.rows.len(), earlier.upto), (2, 2 * SIGNAL_SCAN_MAX));
        let rest = graph.feed(&filter, FeedStart::After(earlier.upto), 10, 10).await.unwrap();
        assert_eq!((rest.rows.len(), rest.upto), (1, 2 * fitting[2]));
    }
    // All kinds together, in the order of their places.
    let rows = graph.feed_of_all(5, 2 * all, 4).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [6, 7, 8, 9]);
}

/// Halving finds the same place as looking at every line.
#[tokio::test]
async fn the_feed_begins_where_a_time_does() {
    let (db, graph) = graph().await;
    for number in 0..40_i64 {
        take(&graph, "wire", &notice(&number.to_string(), "acme", number), 100 + number).await;
    }
    sequence(&graph).await;
    let head = graph.feed_head().await.unwrap().seq;
    let apart = SIGNAL_CLOCKS_APART.as_secs();
    db.psql(&format!("update change_log set at = to_timestamp(1790000000 + seq / 3 * 60 - {apart})"))
        .unwrap();
    for minute in -2..16_i64 {
        let place = graph.feed_place_of(now() + TimeDelta::minutes(minute), head).await.unwrap();
        let right = (1..=head).take_while(|seq| seq / 3 < minute).count();
        assert_eq!(usize::try_from(place).unwrap(), right, "minute {minute}");
    }
    assert_eq!(graph.feed_place_of(now(), 0).await.unwrap(), 0);
}

/// Many tell of the same few events at once while somebody reads: nothing is missed, no revision comes twice, and each event is one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_follows_the_feed_misses_nothing_and_sees_nothing_twice() {
    const WRITERS: i64 = 12;
    const EVENTS: i64 = 25;
    let (_db, graph) = graph().await;
    let done = Arc::new(AtomicBool::new(false));
    let mut others = JoinSet::new();
    {
        let (graph, done) = (graph.clone(), Arc::clone(&done));
        others.spawn(async move {
            let mut seen: Vec<(SignalId, i64)> = Vec::new();
            let mut place = 0;
            loop {
                let last = done.load(Ordering::SeqCst);
                if last {
                    sequence(&graph).await;
                }
                graph.sequence(NODE).await.unwrap();
                let (rows, upto) = page(&graph, &funding(), FeedStart::After(place), 7).await;
                let is_empty = rows.is_empty();
                seen.extend(rows.iter().map(|row| (row.id, row.revision)));
                place = upto;
                if last && is_empty {
                    return seen;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        });
    }
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let graph = graph.clone();
        writers.spawn(async move {
            let source = format!("source-{writer}");
            let mut ids = Vec::new();
            for event in 0..EVENTS {
                let said = notice(&event.to_string(), "acme", writer * 1_000 + event);
                let taken = take(&graph, &source, &said, event).await;
                let Taken::Written { id, .. } = taken else { panic!("{taken:?}") };
                ids.push(id);
            }
            ids
        });
    }
    let ids = writers.join_all().await;
    done.store(true, Ordering::SeqCst);
    let seen = others.join_all().await.remove(0);
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "all mean the same events");
    assert_eq!(seen.iter().collect::<HashSet<_>>().len(), seen.len(), "a revision came twice");
    let mut last: HashMap<SignalId, i64> = HashMap::new();
    for (id, revision) in seen {
        assert!(last.insert(id, revision).unwrap_or(0) < revision, "a revision came late");
    }
    assert_eq!(last.len(), usize::try_from(EVENTS).unwrap());
    assert!(last.values().all(|revision| *revision == WRITERS), "the last word was missed");
}

/// Each of them shares a key with the signal, and none with another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_share_a_signal_but_no_key_take_turns() {
    const WRITERS: i64 = 12;
    let (db, graph) = graph().await;
    let keys: Vec<i64> = (1..=WRITERS).collect();
    let first = notice("0", "acme", 1);
    let new = NewNotice {
        source: "wire",
        notice: &first,
        keys: &keys,
        unmatched: &[],
        subjects: &[],
        seen_at: now(),
    };
    graph.take_notice(&new, |held| Ok(decide(&first, "wire", held).into())).await.unwrap();
    let mut writers = JoinSet::new();
    for key in keys {
        let graph = graph.clone();
        writers.spawn(async move {
            let (said, source) = (notice(&key.to_string(), "acme", key), format!("source-{key}"));
            take(&graph, &source, &said, key).await
        });
    }
    let revisions = writers.join_all().await.into_iter().map(|taken| match taken {
        Taken::Written { revision, .. } => revision,
        other => panic!("{other:?}"),
    });
    assert_eq!(revisions.collect::<HashSet<_>>(), (2..=WRITERS + 1).collect());
    assert_eq!(db.psql("select json_array_length(body) from signal").unwrap(), (WRITERS + 1).to_string());
}

#[tokio::test]
async fn two_signals_that_are_one_event_become_one() {
    let (db, graph) = graph().await;
    let url = NetworkUrl::parse("https://network.example/in/jane-doe", &NetworkHosts::default()).unwrap();
    let subject = KEY.digest_network_url(&url);
    let Taken::Written { id: kept, .. } = take(&graph, "wire", &notice("r-1", "acme", 5), 1).await else {
        panic!()
    };
    let taken = take_of(&graph, "rows", &notice("d-1", "acme", 5), 2, &[subject]).await;
    let Taken::Written { id: other, .. } = taken else { panic!() };
    sequence(&graph).await;
    let (rows, upto) = page(&graph, &funding(), FeedStart::After(0), 10).await;
    assert_eq!(rows.len(), 2);
    let filing = notice("f-1", "acme", 5);
    let keys = [1, 2];
    let new = NewNotice {
        source: "filings",
        notice: &filing,
        keys: &keys,
        unmatched: &[],
        subjects: &[],
        seen_at: now(),
    };
    let decide_one = |held: &[HeldSignal]| {
        let mut signal = decide(&filing, "filings", &[]);
        signal.id = kept;
        let (source, reference) = ("rows".to_owned(), "d-1".to_owned());
        signal.moved = vec![MovedNotice { source, reference, keys: vec![2, 3] }];
        assert_eq!(held.len(), 2);
        Ok(Decision { signal, others: Vec::new(), gone: vec![other] })
    };
    let taken = graph.take_notice(&new, decide_one).await.unwrap();
    assert_eq!(taken, Taken::Written { id: kept, revision: 2 });
    sequence(&graph).await;
    let (rows, _) = page(&graph, &funding(), FeedStart::After(0), 10).await;
    assert_eq!(rows.iter().map(|row| (row.id, row.revision)).collect::<Vec<_>>(), [(kept, 2)]);
    assert_eq!(page(&graph, &funding(), FeedStart::After(upto), 10).await.0.len(), 1);
    // What was moved is found by its own key, under its reference, and by whom it names.
    let Taken::Written { id, .. } = take(&graph, "late", &notice("l-1", "acme", 5), 3).await else {
        panic!()
    };
    assert_eq!(id, kept);
    let Taken::Written { id, .. } = take(&graph, "rows", &notice("d-1", "acme", 6), 9).await else {
        panic!()
    };
    assert_eq!(id, kept);
    let left = "select (select count(*) from signal), (select count(distinct signal_id) from signal_key),
                       (select count(*) from signal where cardinality(subjects) = 1)";
    assert_eq!(db.psql(left).unwrap(), "1|1|1");
}

#[tokio::test]
async fn whoever_is_erased_is_in_no_signal_and_comes_into_none() {
    let (db, graph) = graph().await;
    let url = NetworkUrl::parse("https://network.example/in/jane-doe", &NetworkHosts::default()).unwrap();
    let subject = KEY.digest_network_url(&url);
    let mut said = notice("c-1", "acme", 1);
    said.person = Some(PersonNamed { full_name: "Jane Doe".into(), network_url: Some(url), id: None });
    let taken = take_of(&graph, "wire", &said, 1, &[subject]).await;
    assert!(matches!(taken, Taken::Written { .. }));
    take(&graph, "wire", &notice("c-2", "beta", 1), 2).await;
    sequence(&graph).await;
    assert_eq!(page(&graph, &funding(), FeedStart::After(0), 10).await.0.len(), 2);
    // And one more that has no place yet when it goes.
    let mut later = said.clone();
    later.reference = "c-3".into();
    take_of(&graph, "wire", &later, 3, &[subject]).await;
    let kind = SuppressedKind::Identity(assay_domain::identity::IdentityKind::PersonUrl);
    let wish = SuppressWish {
        entries: vec![NewSuppression { digest: subject, kind, list_hash: None }],
        reason: SuppressionReason::Request,
        at: now(),
        seal_hashes: Arc::new(|_| Vec::new()),
        match_keys: Arc::new(|_, _| Vec::new()),
    };
    graph.suppress(&wish).await.unwrap();
    sequence(&graph).await;
    let (rows, _) = page(&graph, &funding(), FeedStart::After(0), 10).await;
    assert_eq!(rows.len(), 1);
    for table in ["signal", "signal_feed", "signal_notice"] {
        let column = if table == "signal_notice" { "notice" } else { "body" };
        let found =
            db.psql(&format!("select count(*) from {table} where {column}::text like '%Jane%'")).unwrap();
        assert_eq!(found, "0", "{table}");
    }
    assert_eq!(take_of(&graph, "wire", &said, 1, &[subject]).await, Taken::Suppressed);
}
