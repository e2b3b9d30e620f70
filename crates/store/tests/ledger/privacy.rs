//! What the ledger forgets of an erased person, and the secrets it keeps sealed.

use crate::support;
use assay_domain::limits::SECRETS_PER_OWNER_MAX;
use assay_domain::{AccountId, Clock, Credits, KeyId, MasterKey, PersonId, Plan, RequestId, Sealed};
use assay_store::ledger::op::{Answer, Op, Record, ReplyDraft, Settle};
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
    let forgotten = ledger.forget_people(&[person(1), person(3), person(77)]).await.unwrap();
    assert_eq!(forgotten, Forgotten { replies: 3, resolved: 3 });
    assert_eq!(ledger.forget_people(&[person(1), person(3)]).await.unwrap(), Forgotten::default());
    assert_eq!(ledger.forget_people(&[]).await.unwrap(), Forgotten::default());
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
    assert_eq!(ledger.forget_people(&[person(1)]).await.unwrap().replies, 1);
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
            forgetting.forget_people(&everyone).await.unwrap();
        }
    });
    while let Some(ended) = racing.join_next().await {
        ended.unwrap();
    }
    ledger.forget_people(&people).await.unwrap();
    assert!(ledger.resolved_people(accounts[0], None, 100).await.unwrap().is_empty());
    assert_eq!(ledger.audit().await.unwrap(), []);
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
