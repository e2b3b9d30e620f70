//! Keys against a real ledger: which are taken, which are refused and how, and what is remembered of them.

use super::*;
use crate::spec::{Scope, Verb};
use crate::test_ledger::{PEPPER, TestLedger, terms};
use assay_domain::{Clock, Price};
use assay_store::ledger::{KeyTerms, NewKey};
use chrono::TimeDelta;
use std::net::Ipv4Addr;
use std::time::Duration;

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
const AWAY: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));

fn now() -> DateTime<Utc> {
    Clock::system().now()
}

fn header(key: &ApiKey) -> String {
    format!("Bearer {}", key.reveal())
}

async fn code(keys: &Authenticator, header: &str, client: IpAddr) -> Option<Code> {
    keys.identify(Some(header), client, now()).await.err().map(|fault| fault.code)
}

#[tokio::test]
async fn a_key_is_known_by_its_header_and_nothing_else_is() {
    let test = TestLedger::new().await;
    let key = test.key(terms()).await;
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    for good in [header(&key), format!("bearer   {} ", key.reveal())] {
        let record = keys.identify(Some(&good), HOME, now()).await.unwrap();
        assert_eq!((record.account, record.id.as_str()), (test.account, key.id()));
    }
    let missing = keys.identify(None, HOME, now()).await.unwrap_err();
    assert_eq!(missing.code, Code::MissingApiKey);
    for bad in ["", "Bearer", "Bearer ", "Bearer   ", &format!("Basic {}", key.reveal()), key.reveal()] {
        assert_eq!(code(&keys, bad, HOME).await, Some(Code::MissingApiKey), "{bad}");
    }
    for bad in ["Bearer x", &header(&key).replace("assay_live", "assay_test")] {
        assert_eq!(code(&keys, bad, HOME).await, Some(Code::InvalidApiKey), "{bad}");
    }
    let unknown = ApiKey::generate(KeyMode::Live, &mut |bytes| bytes.fill(1));
    assert_eq!(code(&keys, &header(&unknown), HOME).await, Some(Code::InvalidApiKey));
    let other_pepper = Authenticator::new(test.ledger.clone(), [8; 32]);
    assert_eq!(code(&other_pepper, &header(&key), HOME).await, Some(Code::InvalidApiKey));
}

#[tokio::test]
async fn a_key_of_the_other_mode_with_the_same_secret_is_none() {
    let test = TestLedger::new().await;
    let draw = |mode| ApiKey::generate(mode, &mut |bytes: &mut [u8]| bytes.fill(5));
    let (live, other) = (draw(KeyMode::Live), draw(KeyMode::Test));
    let new = NewKey {
        id: KeyId::new(live.id()),
        account: test.account,
        secret_hash: live.secret_hash(&PEPPER),
        terms: terms(),
    };
    test.ledger.create_key(&new).await.unwrap();
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    assert_eq!(code(&keys, &header(&live), HOME).await, None);
    assert_eq!(code(&keys, &header(&other), HOME).await, Some(Code::InvalidApiKey));
}

#[tokio::test]
async fn a_key_ends_at_its_time_and_is_bound_to_its_addresses() {
    let test = TestLedger::new().await;
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    let end = now() + TimeDelta::days(1);
    let ending = test.key(KeyTerms { expires_at: Some(end), ..terms() }).await;
    let stored = test.ledger.find_key(&KeyId::new(ending.id())).await.unwrap().unwrap().expires_at.unwrap();
    let at = |moment| {
        let (keys, header) = (&keys, header(&ending));
        async move { keys.identify(Some(&header), HOME, moment).await.err().map(|fault| fault.code) }
    };
    assert_eq!(at(stored - TimeDelta::milliseconds(1)).await, None);
    assert_eq!(at(stored).await, Some(Code::ExpiredApiKey));
    assert_eq!(at(stored + TimeDelta::days(1)).await, Some(Code::ExpiredApiKey));
    let ranges = vec!["10.0.0.0/8".parse().unwrap(), "192.0.2.0/24".parse().unwrap()];
    let bound = test.key(KeyTerms { ip_allow: ranges, ..terms() }).await;
    assert_eq!(code(&keys, &header(&bound), HOME).await, None);
    assert_eq!(code(&keys, &header(&bound), AWAY).await, Some(Code::IpNotAllowed));
}

#[tokio::test]
async fn a_key_is_read_once_an_epoch_and_a_revoked_one_is_noticed_at_once() {
    let test = TestLedger::new().await;
    let key = test.key(terms()).await;
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    keys.epoch.look().await.unwrap();
    let first = keys.identify(Some(&header(&key)), HOME, now()).await.unwrap();
    let second = keys.identify(Some(&header(&key)), HOME, now()).await.unwrap();
    assert!(Arc::ptr_eq(&first, &second), "the key was read twice");
    assert!(test.ledger.revoke_key(Some(test.account), &first.id).await.unwrap());
    keys.desk().notice().await;
    assert_eq!(code(&keys, &header(&key), HOME).await, Some(Code::RevokedApiKey));
}

#[tokio::test]
async fn the_use_of_a_key_is_noted() {
    let test = TestLedger::new().await;
    let key = test.key(terms()).await;
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    assert_eq!(code(&keys, &header(&key), HOME).await, None);
    for _ in 0..200 {
        let record = test.ledger.find_key(&KeyId::new(key.id())).await.unwrap().unwrap();
        if record.last_used_at.is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the use of the key was never noted");
}

#[tokio::test]
async fn who_guesses_is_soon_not_looked_up_any_more_but_a_good_key_is() {
    let test = TestLedger::new().await;
    let (good, late) = (test.key(terms()).await, test.key(terms()).await);
    let keys = Authenticator::new(test.ledger.clone(), PEPPER);
    let moment = now();
    let ask = async |header: &str, client| {
        keys.identify(Some(header), client, moment).await.map(|key| key.id.clone())
    };
    assert!(ask(&header(&good), HOME).await.is_ok());
    for _ in 0..limits::FAILED_AUTH_PER_MINUTE {
        assert_eq!(ask("Bearer x", HOME).await.unwrap_err().code, Code::InvalidApiKey);
    }
    let refused = ask("Bearer x", HOME).await.unwrap_err();
    assert_eq!(refused.code, Code::TooManyFailedAttempts);
    assert!(refused.retry_after_seconds.is_some_and(|seconds| seconds > 0));
    assert!(refused.detail.contains(&limits::FAILED_AUTH_PER_MINUTE.to_string()));
    assert!(ask(&header(&good), HOME).await.is_ok(), "a key that proved itself is let in");
    assert_eq!(ask(&header(&late), HOME).await.unwrap_err().code, Code::TooManyFailedAttempts);
    assert!(ask(&header(&late), AWAY).await.is_ok(), "other addresses are not concerned");
}

#[tokio::test]
async fn a_key_may_do_what_its_scopes_its_plan_and_its_trial_allow() {
    const SPEC: Spec = Spec {
        name: "test",
        verb: Verb::Post,
        path: "/v1/test",
        status: 200,
        group: Group::Resolve,
        price: Price::Free,
        unit: "call",
        units_max: 0,
        plan: Plan::Trial,
        scope: Scope::Lookup,
        spends_upstream: false,
        summary: "",
        description: "",
    };
    let test = TestLedger::new().await;
    let key = test.key(terms()).await;
    let record = test.ledger.find_key(&KeyId::new(key.id())).await.unwrap().unwrap();
    let moment = now();
    let code = |key: &KeyRecord, spec: &Spec| permit(key, spec, moment).err().map(|fault| fault.code);
    assert_eq!(code(&record, &SPEC), None);
    assert_eq!(code(&record, &Spec { scope: Scope::Operator, ..SPEC }), Some(Code::InsufficientScope));
    assert_eq!(code(&record, &Spec { plan: Plan::Indie, ..SPEC }), None);
    assert_eq!(code(&record, &Spec { plan: Plan::Pro, ..SPEC }), Some(Code::PlanRequired));
    let over = |ended_ago| KeyRecord {
        plan: Plan::Trial,
        trial_ends_at: Some(moment - TimeDelta::seconds(ended_ago)),
        ..record.clone()
    };
    assert_eq!(code(&over(-1), &SPEC), None);
    for ended_ago in [0, 1] {
        assert_eq!(code(&over(ended_ago), &SPEC), Some(Code::TrialEnded));
        for group in [Group::Account, Group::Keys] {
            assert_eq!(code(&over(ended_ago), &Spec { group, ..SPEC }), None);
        }
    }
    let paying = KeyRecord { plan: Plan::Indie, ..over(1) };
    assert_eq!(code(&paying, &SPEC), None, "only a trial can be over");
}
