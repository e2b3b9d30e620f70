//! What is kept of an address is served while it is fresh, waited for while it is asked again, and never undone by not knowing.

use super::*;
use assay_mailbox::check;

const DAY: Duration = Duration::from_hours(24);

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// Kept so long ago, and to be asked again so much later than now, in seconds.
fn kept(reason: Reason, age: Duration, again: Option<i64>) -> KeptVerdict {
    KeptVerdict {
        reason: reason.as_str().to_owned(),
        mx_found: Some(true),
        provider: None,
        free_provider: false,
        catch_all: Some(false),
        asked_at: now() - age,
        retry_at: again.map(|seconds| now() + TimeDelta::seconds(seconds)),
        put_off: i16::from(again.is_some()),
    }
}

fn served(kept: KeptVerdict, freshness: Freshness) -> Option<(&'static str, bool)> {
    let checked = check("ada@acme.example").unwrap();
    let known = KnownMailbox { verdict: Some(kept), ..KnownMailbox::default() };
    let verification = recall(&checked, &known, freshness, now())?;
    Some((verification.verdict.reason.as_str(), verification.retry_at.is_some()))
}

#[test]
fn a_verdict_is_served_for_as_long_as_whoever_asks_may_believe_it() {
    let verify = Freshness::to_verify(None);
    let find = Freshness::to_find(None);
    let valid = |age| kept(Reason::Accepted, age, None);
    let missing = |age| kept(Reason::NoSuchMailbox, age, None);
    let fresh = Some(("accepted", false));
    assert_eq!(served(valid(90 * DAY), verify), fresh);
    assert_eq!(served(valid(91 * DAY), verify), None);
    assert_eq!(served(valid(30 * DAY), find), fresh);
    assert_eq!(served(valid(31 * DAY), find), None);
    assert_eq!(served(missing(90 * DAY), verify), Some(("no_such_mailbox", false)));
    assert_eq!(served(missing(7 * DAY), find), Some(("no_such_mailbox", false)));
    assert_eq!(served(missing(8 * DAY), find), None);
    assert_eq!(served(valid(2 * DAY), Freshness::to_verify(Some(DAY))), None);
    // Nobody may believe one longer than everybody.
    assert_eq!(served(valid(91 * DAY), Freshness::to_verify(Some(400 * DAY))), None);
    let doubt = |age| kept(Reason::TimedOut, age, None);
    assert_eq!(served(doubt(Duration::from_mins(14)), verify), Some(("timed_out", false)));
    assert_eq!(served(doubt(Duration::from_mins(16)), verify), None);
}

#[test]
fn who_was_put_off_is_waited_for_until_its_time_has_come() {
    let verify = Freshness::to_verify(None);
    assert_eq!(served(kept(Reason::Greylisted, DAY, Some(30)), verify), Some(("greylisted", true)));
    assert_eq!(served(kept(Reason::Greylisted, Duration::ZERO, Some(-1)), verify), None);
    // Told before and asked anew: whoever may believe the old one has it, the others wait.
    let old = kept(Reason::Accepted, 40 * DAY, Some(30));
    assert_eq!(served(old.clone(), verify), Some(("accepted", false)));
    assert_eq!(served(old, Freshness::to_find(None)), Some(("deferred", true)));
}

#[test]
fn not_knowing_does_not_undo_what_was_told() {
    let checked = check("ada@acme.example").unwrap();
    let route = assay_mailbox::Route::nowhere();
    let keep = |before: &KeptVerdict, new: KeptVerdict| {
        let asking = Asking {
            checked: &checked,
            digest: Digest::from_bytes([0; 16]),
            route: &route,
            freshness: Freshness::to_verify(None),
            before: Some(before),
            origin: Origin::Call,
            within: MAIL_DEADLINE,
            now: now(),
            watch: Stopwatch::start(),
        };
        asking.rather_the_old(new)
    };
    let put_off = kept(Reason::Greylisted, Duration::ZERO, Some(60));
    let told = kept(Reason::Accepted, 40 * DAY, None);
    let both = keep(&told, put_off.clone());
    assert_eq!((both.reason.as_str(), both.asked_at), ("accepted", told.asked_at));
    assert_eq!((both.retry_at, both.put_off), (put_off.retry_at, 1));
    // What was told too long ago, or was no word on the mailbox, gives way; and so does everything to a new word.
    assert_eq!(keep(&kept(Reason::Accepted, 91 * DAY, None), put_off.clone()), put_off);
    assert_eq!(keep(&kept(Reason::TimedOut, DAY, None), put_off.clone()), put_off);
    let gone = kept(Reason::NoSuchMailbox, Duration::ZERO, None);
    assert_eq!(keep(&told, gone.clone()), gone);
}
