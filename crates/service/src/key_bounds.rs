//! What a key may give: never more than it has itself. Pure rules on the terms of keys.

use crate::fault::{Code, Fault, FieldError};
use assay_domain::IpRange;
use assay_store::ledger::{KeyRecord, KeyTerms};
use chrono::{DateTime, Utc};

/// Whether a key with these terms may be made, or its secret be shown, by the caller.
pub fn may_make(caller: &KeyRecord, terms: &KeyTerms) -> Result<(), Fault> {
    lacks_no_scope(caller, &terms.scopes)?;
    if terms.live && !caller.live {
        return Err(beyond("/mode", "the calling key is a test key", "make a test key"));
    }
    // Two keys that may each spend what one may spend are more than that one.
    if caller.monthly_cap.is_some() || caller.key_requests_per_minute.is_some() {
        let message = "the calling key has a cap or a rate of its own, which a second key would double";
        return Err(beyond("", message, "call with a key that has neither"));
    }
    ends_in_time(caller, terms.expires_at)?;
    stays_within(caller, &terms.ip_allow)
}

/// Whether the caller may turn the one into the other: taking away is always allowed.
pub fn may_change(caller: &KeyRecord, before: &KeyTerms, after: &KeyTerms) -> Result<(), Fault> {
    let added = after.scopes.iter().filter(|scope| !before.scopes.contains(scope));
    lacks_no_scope(caller, added)?;
    if caller.monthly_cap.is_some() && grows(before.monthly_cap, after.monthly_cap) {
        return Err(beyond("/monthly_cap", "the calling key has a cap itself", "lower the cap only"));
    }
    let rated = caller.key_requests_per_minute.is_some();
    if rated && grows(before.requests_per_minute, after.requests_per_minute) {
        let message = "the calling key has a rate of its own";
        return Err(beyond("/requests_per_minute", message, "lower the rate only"));
    }
    if grows(before.expires_at, after.expires_at) {
        ends_in_time(caller, after.expires_at)?;
    }
    if are_within(&before.ip_allow, &after.ip_allow) { Ok(()) } else { stays_within(caller, &after.ip_allow) }
}

/// Whether the caller may have the successor's secret. Its own it may: the two share one cap.
pub fn may_rotate(caller: &KeyRecord, before: &KeyRecord, after: &KeyTerms) -> Result<(), Fault> {
    if caller.id == before.id { may_change(caller, &before.terms(), after) } else { may_make(caller, after) }
}

fn lacks_no_scope<'a>(caller: &KeyRecord, scopes: impl IntoIterator<Item = &'a String>) -> Result<(), Fault> {
    match scopes.into_iter().find(|scope| !caller.scopes.contains(scope)) {
        None => Ok(()),
        Some(scope) => Err(Fault::new(
            Code::InsufficientScope,
            format!("the calling key lacks the scope {scope}, so it cannot give it"),
        )),
    }
}

fn ends_in_time(caller: &KeyRecord, end: Option<DateTime<Utc>>) -> Result<(), Fault> {
    match caller.expires_at {
        Some(own) if end.is_none_or(|end| end > own) => {
            Err(beyond("/expires_at", "the key would outlive the calling key", "let it end no later"))
        }
        _ => Ok(()),
    }
}

fn stays_within(caller: &KeyRecord, ranges: &[IpRange]) -> Result<(), Fault> {
    if are_within(&caller.ip_allow, ranges) {
        return Ok(());
    }
    let message = "the key would be good at addresses where the calling key is not";
    Err(beyond("/ip_allow", message, "name addresses of the calling key's own list"))
}

/// No range stands for all addresses.
fn are_within(outer: &[IpRange], inner: &[IpRange]) -> bool {
    let covered = |range: &IpRange| outer.iter().any(|wide| wide.covers(range));
    outer.is_empty() || (!inner.is_empty() && inner.iter().all(covered))
}

/// Nothing stands for without bound.
fn grows<T: PartialOrd>(before: Option<T>, after: Option<T>) -> bool {
    match (before, after) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(before), Some(after)) => after > before,
    }
}

fn beyond(pointer: &str, message: &str, fix: &str) -> Fault {
    let error = FieldError {
        pointer: pointer.to_owned(),
        code: "exceeds_calling_key".to_owned(),
        message: message.to_owned(),
        fix: fix.to_owned(),
    };
    Fault { errors: vec![error], ..Fault::new(Code::KeyBoundsExceeded, message.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{AccountId, Credits, KeyId, Plan};

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + hour * 3_600, 0).unwrap()
    }

    fn terms() -> KeyTerms {
        KeyTerms {
            name: "n".into(),
            live: true,
            scopes: vec!["lookup".into(), "keys".into()],
            ip_allow: Vec::new(),
            monthly_cap: None,
            requests_per_minute: None,
            expires_at: None,
        }
    }

    fn ranges(texts: &[&str]) -> Vec<IpRange> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn key(id: &str, terms: KeyTerms) -> KeyRecord {
        KeyRecord {
            id: KeyId::new(id),
            line: KeyId::new(id),
            revision: 0,
            account: AccountId::mint(at(0)),
            name: terms.name,
            live: terms.live,
            secret_hash: Vec::new(),
            scopes: terms.scopes,
            ip_allow: terms.ip_allow,
            monthly_cap: terms.monthly_cap,
            requests_per_minute: 1,
            plan_requests_per_minute: 1,
            key_requests_per_minute: terms.requests_per_minute,
            created_at: at(0),
            expires_at: terms.expires_at,
            revoked_at: None,
            last_used_at: None,
            plan: Plan::Scale,
            trial_ends_at: None,
        }
    }

    fn code(result: Result<(), Fault>) -> Option<Code> {
        result.err().map(|fault| fault.code)
    }

    const BEYOND: Option<Code> = Some(Code::KeyBoundsExceeded);

    #[test]
    fn a_key_makes_keys_within_its_scopes_end_addresses_and_mode() {
        let caller = key(
            "a",
            KeyTerms { expires_at: Some(at(5)), ip_allow: ranges(&["10.0.0.0/8", "::1"]), ..terms() },
        );
        let inside = KeyTerms { expires_at: Some(at(5)), ip_allow: ranges(&["10.1.0.0/16"]), ..terms() };
        assert_eq!(code(may_make(&caller, &inside)), None);
        let scopes = vec!["lookup".to_owned(), "operator".to_owned()];
        let fault = may_make(&caller, &KeyTerms { scopes, ..inside.clone() }).unwrap_err();
        assert_eq!(fault.code, Code::InsufficientScope);
        assert!(fault.detail.contains("operator"));
        for outside in [
            KeyTerms { expires_at: Some(at(6)), ..inside.clone() },
            KeyTerms { expires_at: None, ..inside.clone() },
            KeyTerms { ip_allow: Vec::new(), ..inside.clone() },
            KeyTerms { ip_allow: ranges(&["10.0.0.1", "11.0.0.1"]), ..inside.clone() },
        ] {
            assert_eq!(code(may_make(&caller, &outside)), BEYOND, "{outside:?}");
        }
        let test = key("t", KeyTerms { live: false, ..terms() });
        assert_eq!(code(may_make(&test, &terms())), BEYOND);
        assert_eq!(code(may_make(&test, &KeyTerms { live: false, ..terms() })), None);
    }

    #[test]
    fn a_key_with_a_cap_or_a_rate_makes_no_key_at_all() {
        for bounded in [
            KeyTerms { monthly_cap: Some(Credits::whole(5)), ..terms() },
            KeyTerms { requests_per_minute: Some(9), ..terms() },
        ] {
            assert_eq!(code(may_make(&key("a", bounded.clone()), &bounded)), BEYOND);
        }
    }

    #[test]
    fn a_bounded_key_may_only_take_away() {
        let before = KeyTerms {
            monthly_cap: Some(Credits::whole(5)),
            requests_per_minute: Some(9),
            expires_at: Some(at(5)),
            ip_allow: ranges(&["10.0.0.0/8"]),
            ..terms()
        };
        let caller = key("a", before.clone());
        let less = KeyTerms {
            monthly_cap: Some(Credits::whole(4)),
            requests_per_minute: Some(8),
            expires_at: Some(at(4)),
            ip_allow: ranges(&["10.0.0.1"]),
            scopes: vec!["keys".into()],
            ..terms()
        };
        assert_eq!(code(may_change(&caller, &before, &less)), None);
        for more in [
            KeyTerms { monthly_cap: Some(Credits::whole(6)), ..before.clone() },
            KeyTerms { monthly_cap: None, ..before.clone() },
            KeyTerms { requests_per_minute: Some(10), ..before.clone() },
            KeyTerms { requests_per_minute: None, ..before.clone() },
            KeyTerms { expires_at: Some(at(6)), ..before.clone() },
            KeyTerms { expires_at: None, ..before.clone() },
            KeyTerms { ip_allow: Vec::new(), ..before.clone() },
            KeyTerms { ip_allow: ranges(&["10.0.0.1", "192.0.2.1"]), ..before.clone() },
        ] {
            assert_eq!(code(may_change(&caller, &before, &more)), BEYOND, "{more:?}");
            assert_eq!(code(may_change(&key("free", terms()), &before, &more)), None);
        }
        let scopes = vec!["keys".to_owned(), "bulk".to_owned()];
        let fault = may_change(&caller, &before, &KeyTerms { scopes, ..before.clone() });
        assert_eq!(code(fault), Some(Code::InsufficientScope));
    }

    #[test]
    fn a_scope_the_caller_lacks_may_stay_but_not_be_shown() {
        let caller = key("a", KeyTerms { scopes: vec!["keys".into()], ..terms() });
        let target = key("b", KeyTerms { scopes: vec!["lookup".into()], ..terms() });
        let renamed = KeyTerms { name: "other".into(), ..target.terms() };
        assert_eq!(code(may_change(&caller, &target.terms(), &renamed)), None);
        assert_eq!(code(may_rotate(&caller, &target, &target.terms())), Some(Code::InsufficientScope));
    }

    #[test]
    fn a_capped_key_rotates_itself_and_no_other() {
        let caller = key("a", KeyTerms { monthly_cap: Some(Credits::whole(5)), ..terms() });
        assert_eq!(code(may_rotate(&caller, &caller, &caller.terms())), None);
        let raised = KeyTerms { monthly_cap: None, ..caller.terms() };
        assert_eq!(code(may_rotate(&caller, &caller, &raised)), BEYOND);
        let other = key("b", caller.terms());
        assert_eq!(code(may_rotate(&caller, &other, &other.terms())), BEYOND);
    }
}
