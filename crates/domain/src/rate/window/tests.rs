//! When a node tells the others of a window, and who goes first.

use super::*;
use crate::rate::WAIT_SECONDS_MAX;

const START_MS: i64 = 1_790_000_000_000;
const QUOTA: u32 = 1_000;
const NODES: u32 = 2;
const SLACK: u32 = 40;

fn node(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// A window that has admitted so many, and told nobody.
fn window_with(admitted: u32) -> Window {
    let mut window = Window::new(START_MS);
    for _ in 0..admitted {
        assert_eq!(window.judge(START_MS, QUOTA, 1), Verdict::Fits);
        window.take();
    }
    window
}

/// The same after the others were told and heard.
fn shared(mut window: Window, waiting: u32) -> Window {
    window.tell(START_MS, node(1), waiting);
    window.hear(START_MS, Vec::new());
    window
}

fn heard_from(other: Uuid, admitted: u32, claims: u32) -> Heard {
    let mut told = window_with(admitted).tell(START_MS, other, 0);
    told.claims = claims;
    Heard { node: other, told, age_ms: 0 }
}

#[test]
fn the_slack_of_all_nodes_together_is_a_share_of_the_quota() {
    assert_eq!(slack(QUOTA, NODES), SLACK);
    assert_eq!((slack(1_000, 1), slack(1_000, 0), slack(1_000, 3)), (80, 80, 26));
    assert_eq!((slack(12, 1), slack(13, 1), slack(u32::MAX, 1)), (0, 1, 343_597_383));
}

#[test]
fn a_node_that_is_alone_tells_nobody() {
    let window = window_with(QUOTA);
    assert!(window.should_tell(START_MS + 3_600_000, NODES));
    assert!(!window.should_tell(START_MS + 3_600_000, 1));
}

#[test]
fn the_others_are_told_when_half_of_the_slack_is_used() {
    let now = START_MS;
    for (first, more, tells) in
        [(SLACK, SLACK / 2, false), (SLACK, SLACK / 2 + 1, true), (1, SLACK / 2 + 1, false)]
    {
        let mut window = shared(window_with(first), 0);
        (0..more).for_each(|_| window.take());
        assert_eq!(window.should_tell(now, NODES), tells, "{first} and {more} more");
    }
    // What was claimed is known already.
    let mut claimed = shared(window_with(SLACK), 10);
    (0..SLACK / 2 + 10).for_each(|_| claimed.take());
    assert!(!claimed.should_tell(now, NODES));
    claimed.take();
    assert!(claimed.should_tell(now, NODES));
}

#[test]
fn what_is_known_of_the_others_does_not_grow_old() {
    let age = limits::RATE_VIEW_AGE_MAX_MS;
    for (admitted, age, tells) in
        [(SLACK, age + 1, true), (SLACK, age, false), (SLACK - 1, age + 1, false), (SLACK + 1, age + 1, true)]
    {
        let window = shared(window_with(admitted), 0);
        assert_eq!(window.should_tell(START_MS + age, NODES), tells, "{admitted} after {age} ms");
    }
}

#[test]
fn a_full_window_is_looked_at_more_often_also_by_a_node_that_admitted_little() {
    let refresh = limits::RATE_VIEW_REFRESH_MS;
    let mut window = shared(window_with(1), 0);
    window.hear(START_MS, vec![heard_from(node(2), QUOTA - 1, 0)]);
    assert!(!window.should_tell(START_MS + refresh, NODES));
    assert!(window.should_tell(START_MS + refresh + 1, NODES));
    let mut nearly = shared(window_with(1), 0);
    nearly.hear(START_MS, vec![heard_from(node(2), QUOTA - 2, 0)]);
    assert!(!nearly.should_tell(START_MS + refresh + 1, NODES));
}

#[test]
fn a_newcomer_need_only_know_of_windows_beyond_the_slack() {
    let mut little = window_with(SLACK);
    let mut much = window_with(SLACK + 1);
    assert!(!little.is_worth_telling(START_MS, NODES) && much.is_worth_telling(START_MS, NODES));
    assert!(!much.is_worth_telling(START_MS + 61_000, NODES), "a minute later all is forgotten");
}

#[test]
fn a_window_is_put_on_the_list_once_until_it_was_told() {
    let mut window = window_with(1);
    assert!(window.mark_due());
    assert!(!window.mark_due());
    window.tell(START_MS, node(1), 0);
    assert!(window.mark_due());
}

#[test]
fn of_nodes_that_claim_the_first_by_id_goes_first() {
    for (other, claims, yields) in [(1, 1, true), (1, 0, false), (3, 1, false), (2, 1, false)] {
        let mut window = window_with(1);
        window.hear(START_MS, vec![heard_from(node(other), 1, claims)]);
        let told = window.tell(START_MS, node(2), 5);
        assert_eq!(told.claims, if yields { 0 } else { 5 }, "node {other} with {claims} claims");
    }
    let mut nearly = window_with(QUOTA - 3);
    assert_eq!(nearly.tell(START_MS, node(1), 5).claims, 3, "no more than fit");
}

#[test]
fn no_more_nodes_are_remembered_than_the_limit() {
    let mut window = window_with(0);
    let nodes = u128::try_from(limits::RATE_NODES_MAX).unwrap();
    let rows = (0..nodes + 1).map(|number| heard_from(node(10 + number), 1, 0)).collect();
    window.hear(START_MS, rows);
    assert_eq!(window.used_at(START_MS), u32::try_from(limits::RATE_NODES_MAX).unwrap());
}

#[test]
fn nodes_with_nothing_to_tell_take_no_place() {
    let mut window = window_with(0);
    let nodes = u128::try_from(limits::RATE_NODES_MAX).unwrap();
    window.hear(START_MS, (0..nodes).map(|number| heard_from(node(10 + number), 0, 0)).collect());
    window.hear(START_MS, vec![heard_from(node(2), 7, 0)]);
    assert_eq!(window.used_at(START_MS), 7);
}

#[test]
fn what_was_claimed_and_not_used_is_given_back_once() {
    let mut window = shared(window_with(SLACK), 10);
    assert!(window.drop_claims());
    assert!(!window.drop_claims(), "nothing is left");
    assert!(!shared(window_with(SLACK), 0).drop_claims(), "nothing was claimed");
    let mut used = shared(window_with(SLACK), 10);
    (0..3).for_each(|_| used.take());
    assert!(used.drop_claims() && used.drop_claims(), "three were used and are not told yet");
}

#[test]
fn a_claim_that_nobody_took_back_counts_as_admitted_when_it_can_be_used_no_more() {
    let dead_after = 2 * limits::RATE_CLAIM_MS;
    for (age_ms, counted) in
        [(dead_after - 500, 0), (dead_after, 0), (dead_after + 1, 9), (dead_after + 900, 9)]
    {
        let mut window = window_with(0);
        window.hear(START_MS + age_ms, vec![Heard { age_ms, ..heard_from(node(2), 1, 9) }]);
        let seen = (window.used_at(START_MS + age_ms), window.claims_elsewhere());
        assert_eq!(seen, (1 + counted, 9 - counted), "after {age_ms} ms");
    }
}

#[test]
fn a_lost_claim_counts_from_the_last_instant_it_could_be_used() {
    let age_ms = 2 * limits::RATE_CLAIM_MS + 1;
    let mut window = window_with(0);
    window.hear(START_MS + age_ms, vec![Heard { age_ms, ..heard_from(node(2), 0, 9) }]);
    let used_until_ms = START_MS + limits::RATE_CLAIM_MS + SLOT_MS;
    let gone_ms = used_until_ms + SLOT_MS * i64::try_from(SLOTS).unwrap();
    assert_eq!((window.used_at(gone_ms - SLOT_MS), window.used_at(gone_ms)), (9, 0));
}

/// All of a quota at one instant and refused at once: a slot is kept until its last instant is a minute ago, so a second
/// beyond the minute may be told, and no more.
#[test]
fn the_wait_told_is_the_first_whole_second_that_fits_wherever_in_its_slot_the_quota_was_used() {
    for offset_ms in 0..SLOT_MS {
        let now = START_MS + offset_ms;
        let mut window = Window::new(now);
        (0..QUOTA).for_each(|_| window.take());
        assert_eq!(window.judge(now, QUOTA, 1), Verdict::Full);
        let wait = window.wait_seconds(now, 1);
        assert!(wait <= WAIT_SECONDS_MAX, "{wait} s told {offset_ms} ms into a slot");
        let mut early = window.clone();
        assert_eq!(early.judge(now + i64::from(wait - 1) * 1_000, QUOTA, 1), Verdict::Full);
        assert_eq!(window.judge(now + i64::from(wait) * 1_000, QUOTA, 1), Verdict::Fits);
    }
}
