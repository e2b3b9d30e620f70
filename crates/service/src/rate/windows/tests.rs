//! What a node decides by itself, when it asks the others, and what it forgets.

use super::*;
use assay_domain::clock::Stopwatch;
use assay_domain::rate::Window;
use assay_domain::{Clock, KeyId};
use std::time::Duration;

const NOW: i64 = 1_790_000_000_000;

fn wish(number: u128, per_minute: u32, key: Option<u32>) -> Wish {
    let account = AccountId::from_uuid(Uuid::from_u128(number));
    Wish::new(account, per_minute, key.map(|rate| (KeyId::new("k"), rate)))
}

fn is_admitted(windows: &Windows, wish: &Wish, now_ms: i64) -> bool {
    windows.decide(wish, now_ms).unwrap().refusal.is_none()
}

#[test]
fn a_request_must_fit_both_the_account_and_its_key() {
    let windows = Windows::new();
    let (whole, tight) = (wish(1, 5, None), wish(1, 5, Some(2)));
    assert!((0..2).all(|_| is_admitted(&windows, &tight, NOW)));
    let refused = windows.decide(&tight, NOW).unwrap();
    let refusal = refused.refusal.unwrap();
    assert_eq!((refusal.whose, refusal.per_minute), ("key", 2));
    assert_eq!((refused.state.account.remaining, refused.state.key.unwrap().remaining), (3, 0));
    assert!((0..3).all(|_| is_admitted(&windows, &whole, NOW)), "a refused request takes nothing");
    assert_eq!(windows.decide(&whole, NOW).unwrap().refusal.unwrap().whose, "account");
    let longest = windows.decide(&tight, NOW + 30_000).unwrap().refusal.unwrap();
    assert!(is_admitted(&windows, &tight, NOW + 30_000 + i64::from(longest.wait_seconds) * 1_000));
}

#[test]
fn the_windows_stay_few_and_those_in_use_are_kept() {
    let windows = Windows::new();
    let busy = wish(0, 1_000, None);
    assert!((0..1_000).all(|_| is_admitted(&windows, &busy, NOW)));
    let most = limits::RATE_WINDOWS_MAX / SHARDS;
    for number in 1..=most * 2 {
        // All on the shard of the busy one.
        let number = u128::try_from(number * SHARDS).unwrap();
        assert!(is_admitted(&windows, &wish(number, 10, None), NOW));
        assert!(lock(&windows.shards[0]).len() <= most);
    }
    assert!(!is_admitted(&windows, &busy, NOW));
}

#[test]
fn a_decision_takes_about_a_microsecond() {
    let windows = Windows::new();
    let wishes = (0..1_000).map(|number| wish(number, 1_000_000, None)).collect::<Vec<_>>();
    let watch = Stopwatch::start();
    let rounds = 100;
    for round in 0..rounds {
        for wish in &wishes {
            assert!(is_admitted(&windows, wish, NOW + round * 10));
        }
    }
    let each = watch.elapsed() / u32::try_from(rounds * 1_000).unwrap();
    println!("{each:?} a decision");
    assert!(each < Duration::from_micros(100), "{each:?} even without optimisation");
}

#[tokio::test]
async fn who_waits_is_answered_when_the_others_were_heard_or_cannot_be() {
    let windows = Arc::new(Windows::new());
    windows.set_nodes(2, NOW);
    let small = wish(1, 2, None);
    assert!(windows.decide(&small, NOW).is_none(), "nothing of so small a quota is admitted unheard");
    let ask = || {
        let (windows, small) = (Arc::clone(&windows), small.clone());
        assay_store::task::spawn("ask", async move {
            assert!(windows.wait(small, NOW).await.refusal.is_none());
        })
    };
    for heard in [true, false] {
        let asked = ask();
        let round = loop {
            tokio::task::yield_now().await;
            if let Some(round) = windows.begin(NOW, Uuid::nil()) {
                break round;
            }
        };
        assert_eq!((round.told.len(), round.told[0].1.claims), (1, 1));
        if heard {
            windows.end(NOW, round, Vec::new());
            let round = windows.begin(NOW, Uuid::nil()).expect("what came of a claim is told");
            assert_eq!((round.told.len(), round.told[0].1.claims), (1, 0));
            windows.end(NOW, round, Vec::new());
            assert!(windows.begin(NOW, Uuid::nil()).is_none());
        } else {
            windows.fail(NOW, Some(round));
        }
        asked.await.unwrap();
    }
    assert_eq!(windows.nodes(), 1);
    assert!(!is_admitted(&windows, &small, NOW));
}

#[tokio::test]
async fn a_node_that_gets_company_tells_what_it_admitted_alone() {
    let windows = Windows::new();
    assert!((0..50).all(|_| is_admitted(&windows, &wish(1, 100, None), NOW)));
    assert!(is_admitted(&windows, &wish(2, 100, None), NOW));
    assert!(windows.begin(NOW, Uuid::nil()).is_none(), "alone it tells nobody");
    windows.set_nodes(2, NOW);
    let woken = tokio::time::timeout(Duration::from_secs(5), windows.wake().notified()).await;
    assert!(woken.is_ok(), "whoever tells the others is woken");
    let round = windows.begin(NOW, Uuid::nil()).unwrap();
    assert_eq!(round.told.len(), 1, "one request is not worth telling");
    windows.end(NOW, round, Vec::new());
    for nodes in [3, 1] {
        windows.set_nodes(nodes, NOW);
        assert!(windows.begin(NOW, Uuid::nil()).is_none(), "with {nodes} nodes nothing is news");
    }
}

#[test]
fn the_system_clock_counts_in_milliseconds() {
    let windows = Windows::new();
    let now = Clock::system().now().timestamp_millis();
    assert!(is_admitted(&windows, &wish(1, 1, None), now));
    assert!(!is_admitted(&windows, &wish(1, 1, None), now + 59_000));
    assert!(is_admitted(&windows, &wish(1, 1, None), now + 60_251));
}

#[tokio::test]
async fn who_waits_no_more_is_not_counted() {
    let windows = Windows::new();
    windows.set_nodes(2, NOW);
    let small = wish(1, 2, None);
    assert!(windows.decide(&small, NOW).is_none());
    let gone = tokio::time::timeout(Duration::from_millis(1), windows.wait(small.clone(), NOW)).await;
    assert!(gone.is_err());
    let round = windows.begin(NOW, Uuid::nil()).unwrap();
    windows.end(NOW, round, Vec::new());
    windows.set_nodes(1, NOW);
    assert!((0..2).all(|_| is_admitted(&windows, &small, NOW)));
    assert!(!is_admitted(&windows, &small, NOW));
}

#[tokio::test]
async fn who_cannot_be_answered_yet_is_asked_for_again() {
    let windows = Arc::new(Windows::new());
    windows.set_nodes(2, NOW);
    let (waiting, small) = (Arc::clone(&windows), wish(1, 2, None));
    assert!(windows.decide(&small, NOW).is_none());
    let asked = assay_store::task::spawn("ask", async move {
        assert!(waiting.wait(small, NOW).await.refusal.is_none());
    });
    let round = loop {
        tokio::task::yield_now().await;
        if let Some(round) = windows.begin(NOW, Uuid::nil()) {
            break round;
        }
    };
    // Another node claims all that there is.
    let (id, mut told) = round.told[0].clone();
    told.claims = 2;
    windows.end(NOW, round, vec![(id, Heard { node: Uuid::from_u128(9), told, age_ms: 0 })]);
    let again = windows.begin(NOW, Uuid::nil()).expect("it is asked again");
    assert_eq!(again.waiters.len(), 1);
    windows.fail(NOW, Some(again));
    asked.await.unwrap();
}

/// Windows of which each has admitted what its number says.
fn map_of(count: usize, admitted: impl Fn(usize) -> u32) -> WindowMap {
    (0..count)
        .map(|number| {
            let account = AccountId::from_uuid(Uuid::from_u128(u128::try_from(number).unwrap()));
            let mut window = Window::new(NOW);
            (0..admitted(number)).for_each(|_| window.take());
            (WindowId { account, key: None }, window)
        })
        .collect()
}

#[test]
fn room_is_made_when_there_is_none_and_no_more_than_is_needed() {
    let most = limits::RATE_WINDOWS_MAX / SHARDS;
    let stay = most * 3 / 4;
    let left = |count: usize, admitted: &dyn Fn(usize) -> u32| {
        let mut map = map_of(count, admitted);
        make_room(&mut map, NOW);
        map.len()
    };
    assert_eq!(left(most - 1, &|_| 0), most - 1, "there is room: not even idle ones go");
    assert_eq!(left(most, &|number| u32::from(number < stay)), stay, "idle ones go");
    assert_eq!(left(most, &|number| 1 + u32::from(number < stay)), stay, "then those with the least in them");
}
