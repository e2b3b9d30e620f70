//! Keys on a real PostgreSQL: how many there may be, and what becomes of changes that meet.

use crate::support;
use assay_domain::{AccountId, Clock, Credits, KeyId, Plan, limits};
use assay_store::ledger::{KeyRecord, KeyTerms, KeyWrite, NewAccount, NewKey};
use assay_store::{Database, Ledger};
use assay_testkit::TestDatabase;
use chrono::TimeDelta;

struct Vault {
    ledger: Ledger,
    account: AccountId,
    database: TestDatabase,
}

async fn vault() -> Vault {
    let database = support::ledger_db().await;
    let ledger = Ledger::connect(&Database::at(&database.url()), Clock::system()).await.unwrap();
    let new = NewAccount { name: "test".into(), plan: Plan::Indie };
    let account = ledger.create_account(&new).await.unwrap();
    Vault { ledger, account, database }
}

impl Vault {
    fn new_key(&self, id: &str) -> NewKey {
        let terms = KeyTerms {
            name: id.to_owned(),
            live: true,
            scopes: vec!["keys".into()],
            ip_allow: Vec::new(),
            monthly_cap: None,
            requests_per_minute: None,
            expires_at: None,
        };
        NewKey { id: KeyId::new(id), account: self.account, secret_hash: [7; 32], terms }
    }

    async fn create(&self, id: &str) -> KeyWrite {
        self.ledger.create_key(&self.new_key(id)).await.unwrap()
    }

    async fn read(&self, id: &str) -> KeyRecord {
        self.ledger.key(self.account, &KeyId::new(id)).await.unwrap().unwrap().record
    }

    /// Keys by the dozen, without asking whether there may be so many.
    fn fill(&self, count: i64, revoked: bool) {
        let revoked = if revoked { "now() - make_interval(secs => n)" } else { "null" };
        let sql = format!(
            "insert into api_key (id, account_id, name, mode, secret_hash, scopes, revoked_at)
             select 'f' || n, id, 'f', 'live', '', '{{}}', {revoked} from account, generate_series(1, {count}) n"
        );
        self.database.psql(&sql).unwrap();
    }
}

#[tokio::test]
async fn makers_at_the_same_time_never_make_one_key_too_many() {
    let vault = vault().await;
    vault.fill(limits::KEYS_PER_ACCOUNT_MAX - 2, false);
    let ids = ["a", "b", "c", "d", "e", "f"];
    let made = futures_util::future::join_all(ids.map(|id| vault.create(id))).await;
    assert_eq!(made.iter().filter(|made| **made == KeyWrite::Done).count(), 2, "{made:?}");
    assert!(made.iter().all(|made| *made != KeyWrite::Changed));
}

#[tokio::test]
async fn dead_keys_are_listed_until_there_are_too_many_of_them() {
    let vault = vault().await;
    vault.fill(limits::KEYS_DEAD_KEPT_MAX + 5, true);
    assert_eq!(vault.create("new").await, KeyWrite::Done);
    let listed = vault.ledger.list_keys(vault.account, None, u32::MAX).await.unwrap();
    assert_eq!(i64::try_from(listed.len()).unwrap(), limits::KEYS_DEAD_KEPT_MAX + 1);
    let has = |id: String| listed.iter().any(|key| key.record.id == KeyId::new(&id));
    assert!(has("new".into()) && has("f1".into()) && has(format!("f{}", limits::KEYS_DEAD_KEPT_MAX)));
    assert!(!has(format!("f{}", limits::KEYS_DEAD_KEPT_MAX + 1)));
}

#[tokio::test]
async fn a_change_decided_on_an_old_state_is_refused() {
    let vault = vault().await;
    vault.create("k").await;
    let seen = vault.read("k").await;
    let capped = KeyTerms { monthly_cap: Some(Credits::whole(1)), ..seen.terms() };
    assert_eq!(vault.ledger.change_key(&seen, &capped).await.unwrap(), KeyWrite::Done);
    assert_eq!(vault.ledger.change_key(&seen, &seen.terms()).await.unwrap(), KeyWrite::Changed);
    let successor = vault.new_key("next");
    let soon = Clock::system().now() + TimeDelta::hours(1);
    assert_eq!(vault.ledger.rotate_key(&seen, &successor, soon).await.unwrap(), KeyWrite::Changed);
    assert_eq!(vault.read("k").await.monthly_cap, Some(Credits::whole(1)));
    assert!(vault.ledger.find_key(&KeyId::new("next")).await.unwrap().is_none());
    let seen = vault.read("k").await;
    assert!(vault.ledger.revoke_key(Some(vault.account), &seen.id).await.unwrap());
    assert_eq!(vault.ledger.change_key(&seen, &capped).await.unwrap(), KeyWrite::Changed);
}

#[tokio::test]
async fn every_change_of_a_key_grows_the_epoch_and_its_use_does_not() {
    let vault = vault().await;
    vault.create("k").await;
    let epoch = async || vault.ledger.key_epoch().await.unwrap();
    let start = epoch().await;
    vault.ledger.touch_key(&vault.read("k").await).await.unwrap();
    assert!(vault.read("k").await.last_used_at.is_some());
    assert_eq!(epoch().await, start);
    let seen = vault.read("k").await;
    let renamed = KeyTerms { name: "other".into(), ..seen.terms() };
    vault.ledger.change_key(&seen, &renamed).await.unwrap();
    let changed = epoch().await;
    let soon = Clock::system().now() + TimeDelta::hours(1);
    let seen = vault.read("k").await;
    vault.ledger.rotate_key(&seen, &vault.new_key("next"), soon).await.unwrap();
    let rotated = epoch().await;
    vault.ledger.revoke_key(None, &seen.id).await.unwrap();
    assert!(start < changed && changed < rotated && rotated < epoch().await);
    assert_eq!(vault.read("next").await.line, KeyId::new("k"));
}
