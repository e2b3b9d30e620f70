//! What the ledger forgets of an erased person, and the secrets it keeps sealed.

use crate::support;
use assay_domain::limits::SECRETS_PER_OWNER_MAX;
use assay_domain::watch::{Track, WatchKind};
use assay_domain::{
    AccountId, Clock, Credits, Digest, KeyId, MasterKey, PersonId, Plan, RequestId, Sealed, WatchListId,
};
use assay_store::ledger::op::{Answer, Op, Record, ReplyDraft, Settle};
use assay_store::ledger::watch::{EntryWrite, NewWatchList, ScheduleOwner};
use assay_store::ledger::{Claimed, Forgotten, NewAccount, SecretPlace};
use assay_store::{Database, Ledger, StoreError};
use assay_testkit::TestDatabase;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

async fn ledger() -> (TestDatabase, Ledger) {
    let database = support::ledger_db().await;
    let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
    (database, ledger)
}

async fn account(ledger: &Ledger) -> AccountId {
    ledger.create_account(&NewAccount { name: "test".into(), plan: Plan::Indie }).await.unwrap()
}

fn person(number: u128) -> PersonId {
    PersonId::from_uuid(Uuid::from_u128(number))
}

/// A call that found these people, paid for and stored under a key.
async fn found(ledger: &Ledger, account: AccountId, key: u8, people: &[PersonId]) {
    let Claimed::Run(claim) = ledger.claim(account, [key; 32], [key; 32]).await.unwrap() else {
        panic!("the key is free");
    };
    let now = Clock::system().now();
    let record = Record {
        in_history: true,
        key: KeyId::new("k"),
        at: now,
        endpoint: "enrich",
        status: 200,
        found: true,
        latency: Duration::from_millis(3),
        cached: false,
        cache_age_seconds: None,
        providers: Vec::new(),
        upstream_micros: 0,
        subjects: people.iter().map(|person| person.uuid()).collect(),
    };
    let settle = Settle {
        request: RequestId::mint(now),
        hold: None,
        charge: Credits::whole(1),
        cap: None,
        record,
        people: people.to_vec(),
        reply: Some(ReplyDraft { claim: claim.claim(), render: Arc::new(|_| b"sealed".to_vec()) }),
        deed: None,
    };
    let answer = ledger.ask(account, Op::Settle(Box::new(settle))).await.unwrap();
    assert!(matches!(answer, Answer::Settled(_)));
    claim.settled();
}

async fn replays(ledger: &Ledger, account: AccountId, key: u8) -> bool {
    matches!(ledger.claim(account, [key; 32], [key; 32]).await.unwrap(), Claimed::Replay { .. })
}

#[tokio::test]
async fn forgetting_takes_replies_and_memory_of_the_person_and_nothing_else() {
    let (db, ledger) = ledger().await;
    let (one, other) = (account(&ledger).await, account(&ledger).await);
    found(&ledger, one, 1, &[person(1)]).await;
    found(&ledger, one, 2, &[person(2), person(3)]).await;
    found(&ledger, one, 3, &[person(4)]).await;
    found(&ledger, other, 4, &[person(3)]).await;
    found(&ledger, other, 5, &[]).await;
    let money = "select string_agg(b::text, ' ' order by account_id) from balance b";
    let history = "select count(*) from history where subjects <> '{}'";
    let before = (db.psql(money).unwrap(), db.psql(history).unwrap());
    let forgotten = ledger.forget_people(&[person(1), person(3), person(77)], &[]).await.unwrap();
    assert_eq!(forgotten, Forgotten { replies: 3, resolved: 3, shown: 0, watched: 0 });
    assert_eq!(ledger.forget_people(&[person(1), person(3)], &[]).await.unwrap(), Forgotten::default());
    assert_eq!(ledger.forget_people(&[], &[]).await.unwrap(), Forgotten::default());
    for (account, key, stays) in [(one, 1, false), (one, 2, false), (one, 3, true), (other, 4, false)] {
        assert_eq!(replays(&ledger, account, key).await, stays, "{key}");
    }
    assert!(replays(&ledger, other, 5).await);
    let left = ledger.resolved_people(one, None, 10).await.unwrap();
    let mut left: Vec<PersonId> = left.into_iter().map(|row| row.person).collect();
    left.sort_unstable();
    assert_eq!(left, [person(2), person(4)]);
    assert_eq!((db.psql(money).unwrap(), db.psql(history).unwrap()), before);
    assert_eq!(ledger.audit().await.unwrap(), []);
}

#[tokio::test]
async fn a_call_that_runs_keeps_its_claim() {
    let (_db, ledger) = ledger().await;
    let account = account(&ledger).await;
    found(&ledger, account, 1, &[person(1)]).await;
    let Claimed::Run(_claim) = ledger.claim(account, [9; 32], [9; 32]).await.unwrap() else {
        panic!("the key is free");
    };
    assert_eq!(ledger.forget_people(&[person(1)], &[]).await.unwrap().replies, 1);
    assert!(matches!(ledger.claim(account, [9; 32], [9; 32]).await.unwrap(), Claimed::Running));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forgetting_and_charging_the_same_people_never_wait_for_each_other_for_ever() {
    let (_db, ledger) = ledger().await;
    let accounts = [account(&ledger).await, account(&ledger).await, account(&ledger).await];
    let people: Vec<PersonId> = (1..20).map(person).collect();
    let mut racing = tokio::task::JoinSet::new();
    for (index, account) in accounts.into_iter().enumerate() {
        let (ledger, people) = (ledger.clone(), people.clone());
        racing.spawn(async move {
            for round in 0..20_u8 {
                let key = round * 3 + u8::try_from(index).unwrap();
                found(&ledger, account, key, &people).await;
            }
        });
    }
    let forgetting = ledger.clone();
    let everyone = people.clone();
    racing.spawn(async move {
        for _ in 0..40 {
            forgetting.forget_people(&everyone, &[]).await.unwrap();
        }
    });
    while let Some(ended) = racing.join_next().await {
        ended.unwrap();
    }
    ledger.forget_people(&people, &[]).await.unwrap();
    assert!(ledger.resolved_people(accounts[0], None, 100).await.unwrap().is_empty());
    assert_eq!(ledger.audit().await.unwrap(), []);
}

/// A list with these entries.
async fn watch(ledger: &Ledger, account: AccountId, entries: &[u8]) -> WatchListId {
    let now = Clock::system().now();
    let owner = ScheduleOwner { key: KeyId::new("k"), line: KeyId::new("k"), monthly_cap: None };
    let list = NewWatchList {
        id: WatchListId::mint(now),
        account,
        owner,
        name: "list".into(),
        kind: WatchKind::People,
        track: Track::all(WatchKind::People),
        schedule: None,
        at: now,
    };
    let entries: Vec<EntryWrite> =
        entries.iter().map(|number| EntryWrite { subject: page(*number), named: vec![*number] }).collect();
    ledger.create_watch_list(&list, &entries).await.unwrap();
    list.id
}

fn page(number: u8) -> Digest {
    Digest::from_bytes([number; 16])
}

#[tokio::test]
async fn forgetting_takes_entries_of_watch_lists_with_what_happened_to_them_and_counts_them() {
    let (db, ledger) = ledger().await;
    let (one, other) = (account(&ledger).await, account(&ledger).await);
    let (first, second) = (watch(&ledger, one, &[1, 2, 3]).await, watch(&ledger, other, &[2]).await);
    let happened =
        "insert into watch_match (list_id, account_id, subject, signal_id, transition, occurred_at, told_at)
        select list_id, account_id, subject, gen_random_uuid(), 1, now(), case when n = 1 then now() end
        from watch_entry, generate_series(1, 2) n";
    db.psql(happened).unwrap();
    let forgotten = ledger.forget_people(&[], &[page(2), page(3), page(9)]).await.unwrap();
    assert_eq!(forgotten, Forgotten { watched: 3, ..Forgotten::default() });
    assert_eq!(
        ledger.forget_people(&[], &[page(2), page(3)]).await.unwrap(),
        Forgotten::default(),
        "nobody is counted twice"
    );
    for (account, list, left) in [(one, first, 1), (other, second, 0)] {
        let counted = ledger.watch_list(account, list).await.unwrap().unwrap().entry_count;
        let there = ledger.watch_entries(account, list, &[page(1), page(2), page(3)]).await.unwrap();
        assert_eq!((counted, there.len()), (left, usize::try_from(left).unwrap()));
    }
    assert_eq!(
        db.psql("select count(*) from watch_match where subject = '\\x01010101010101010101010101010101'")
            .unwrap(),
        "2"
    );
    assert_eq!(db.psql("select count(*) from watch_match").unwrap(), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_that_are_added_removed_and_forgotten_at_once_are_counted_right() {
    let (db, ledger) = ledger().await;
    let account = account(&ledger).await;
    let lists = [watch(&ledger, account, &[1]).await, watch(&ledger, account, &[2]).await];
    let everybody: Vec<u8> = (1..40).collect();
    let mut racing = tokio::task::JoinSet::new();
    for list in lists.into_iter().chain(lists) {
        let (ledger, everybody) = (ledger.clone(), everybody.clone());
        racing.spawn(async move {
            for _ in 0..20 {
                let entries: Vec<EntryWrite> = everybody
                    .iter()
                    .map(|number| EntryWrite { subject: page(*number), named: vec![*number] })
                    .collect();
                ledger.add_watch_entries(account, list, &entries).await.unwrap();
                ledger.remove_watch_entries(account, list, &[page(5), page(6)]).await.unwrap();
            }
        });
    }
    let forgetting = ledger.clone();
    racing.spawn(async move {
        let pages: Vec<Digest> = everybody.iter().step_by(3).map(|number| page(*number)).collect();
        for _ in 0..40 {
            forgetting.forget_people(&[], &pages).await.unwrap();
        }
    });
    while let Some(ended) = racing.join_next().await {
        ended.unwrap();
    }
    let wrong = "select count(*) from watch_list l
        where entry_count <> (select count(*) from watch_entry e where e.list_id = l.id)";
    assert_eq!(db.psql(wrong).unwrap(), "0");
}

#[tokio::test]
async fn a_saved_search_forgets_that_it_has_shown_somebody() {
    let (db, ledger) = ledger().await;
    let account = account(&ledger).await;
    let saved = format!(
        "insert into saved_icp (id, account_id, name, target, filters, created_at)
             values ('{0}', '{0}', 'x', 1, '{{}}', now());
         insert into saved_icp_seen select '{0}', '{0}', id from unnest(array['{1}'::uuid, '{2}']) id",
        account.uuid(),
        person(1).uuid(),
        person(2).uuid(),
    );
    db.psql(&saved).unwrap();
    let forgotten = ledger.forget_people(&[person(1), person(3)], &[]).await.unwrap();
    assert_eq!(forgotten, Forgotten { shown: 1, ..Forgotten::default() });
    assert_eq!(db.psql("select record_id from saved_icp_seen").unwrap(), person(2).uuid().to_string());
}

#[tokio::test]
async fn a_secret_is_kept_sealed_under_its_owner_purpose_and_name() {
    let (db, ledger) = ledger().await;
    let account = account(&ledger).await;
    let sealer = MasterKey::parse(&"5a".repeat(32)).unwrap().sealer("upstream");
    let place = |account, name| SecretPlace { account, purpose: "upstream", name };
    let (ours, theirs) = (place(None, "acme"), place(Some(account), "acme"));
    let seal = |place: SecretPlace<'_>, text: &[u8], nonce: u8| {
        sealer.seal(&place.owner(), text, &mut |bytes| bytes.fill(nonce)).unwrap()
    };
    ledger.put_secret(ours, &seal(ours, b"installation-secret", 1)).await.unwrap();
    ledger.put_secret(theirs, &seal(theirs, b"account-secret", 2)).await.unwrap();
    let open = |place: SecretPlace<'_>, sealed: Sealed| sealer.open(&place.owner(), sealed.as_bytes());
    let (first, second) =
        (ledger.secret(ours).await.unwrap().unwrap(), ledger.secret(theirs).await.unwrap().unwrap());
    assert_eq!(open(ours, first.clone()).unwrap(), b"installation-secret");
    assert_eq!(open(theirs, second).unwrap(), b"account-secret");
    // Moved to another row, it does not open.
    assert!(open(theirs, first).is_err());
    let stored = db.psql("select string_agg(encode(sealed, 'escape'), '') from sealed_secret").unwrap();
    assert!(!stored.contains("secret"), "{stored}");

    ledger.put_secret(ours, &seal(ours, b"rotated", 3)).await.unwrap();
    assert_eq!(open(ours, ledger.secret(ours).await.unwrap().unwrap()).unwrap(), b"rotated");
    ledger.put_secret(place(None, "beta"), &seal(place(None, "beta"), b"x", 4)).await.unwrap();
    let names = ledger.secret_names(None, "upstream").await.unwrap();
    let told: Vec<_> = names.iter().map(|row| (row.name.as_str(), row.rotated_at.is_some())).collect();
    assert_eq!(told, [("acme", true), ("beta", false)]);
    assert_eq!(ledger.secret_names(Some(account), "upstream").await.unwrap().len(), 1);
    assert!(ledger.secret_names(Some(account), "webhook").await.unwrap().is_empty());

    assert!(ledger.delete_secret(ours).await.unwrap());
    assert!(!ledger.delete_secret(ours).await.unwrap());
    assert_eq!(ledger.secret(ours).await.unwrap(), None);
    assert!(ledger.secret(theirs).await.unwrap().is_some());
}

#[tokio::test]
async fn an_owner_has_only_so_many_secrets_and_may_replace_those() {
    let (db, ledger) = ledger().await;
    let fill = format!(
        "insert into sealed_secret (purpose, name, sealed)
         select 'webhook', n::text, '' from generate_series(1, {SECRETS_PER_OWNER_MAX}) n"
    );
    db.psql(&fill).unwrap();
    let sealed = Sealed::from_bytes(vec![1]);
    let place = |name| SecretPlace { account: None, purpose: "webhook", name };
    let refused = ledger.put_secret(place("one more"), &sealed).await.unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
    ledger.put_secret(place("7"), &sealed).await.unwrap();
    assert_eq!(ledger.secret(place("7")).await.unwrap(), Some(sealed));
}
