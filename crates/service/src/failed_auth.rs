//! Keys that were refused, counted by the address they came from: who guesses is soon answered without a look-up.

use assay_domain::ip_range::subscriber;
use assay_domain::token_bucket::TokenBucket;
use assay_domain::{KeyId, limits};
use chrono::{DateTime, TimeDelta, Utc};
use moka::future::Cache;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// The counts of this node, and the keys it knows to be good whatever their neighbours do.
#[derive(Debug)]
pub struct FailedAuth {
    counts: Mutex<Counts>,
    good: Cache<KeyId, ()>,
}

#[derive(Debug, Default)]
struct Counts {
    by_address: HashMap<IpAddr, TokenBucket>,
    /// What all addresses share that found the table full: it must not grow, and must not let them go free.
    shared: Option<TokenBucket>,
    cleared_at: DateTime<Utc>,
}

impl FailedAuth {
    pub fn new() -> Self {
        let good =
            Cache::builder().max_capacity(limits::GOOD_KEYS_MAX).time_to_live(limits::GOOD_KEY_IDLE).build();
        Self { counts: Mutex::default(), good }
    }

    /// Remembers that a key proved itself on this node.
    pub async fn trust(&self, key: KeyId) {
        self.good.insert(key, ()).await;
    }

    /// Seconds to wait before this key may be looked up for this address; none if it may be now.
    pub fn wait(&self, client: IpAddr, key: &KeyId, now: DateTime<Utc>) -> Option<u32> {
        let wait = self.lock().wait(subscriber(client), now)?;
        (!self.good.contains_key(key)).then_some(wait)
    }

    /// Counts a refused key. Seconds to wait if the address has been refused too often.
    pub fn count(&self, client: IpAddr, now: DateTime<Utc>) -> Option<u32> {
        self.lock().take(subscriber(client), now)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    /// Looks without counting: the bucket that is taken from is a copy.
    fn wait(&self, address: IpAddr, now: DateTime<Utc>) -> Option<u32> {
        let shared = self.shared.as_ref().filter(|_| self.is_full());
        let mut copy = *self.by_address.get(&address).or(shared)?;
        take_from(&mut copy, now)
    }

    fn take(&mut self, address: IpAddr, now: DateTime<Utc>) -> Option<u32> {
        if self.is_full() && !self.by_address.contains_key(&address) {
            self.clear(now);
            if self.is_full() {
                return take_from(self.shared.get_or_insert_with(|| TokenBucket::full(now)), now);
            }
        }
        take_from(self.by_address.entry(address).or_insert_with(|| TokenBucket::full(now)), now)
    }

    fn is_full(&self) -> bool {
        self.by_address.len() >= limits::FAILED_AUTH_ADDRESSES_MAX
    }

    /// Forgets the addresses that have nothing to wait for; at most once a second, because it looks at all of them.
    fn clear(&mut self, now: DateTime<Utc>) {
        if now - self.cleared_at >= TimeDelta::seconds(1) {
            self.cleared_at = now;
            self.by_address.retain(|_, bucket| !bucket.is_full(now));
        }
    }
}

fn take_from(bucket: &mut TokenBucket, now: DateTime<Utc>) -> Option<u32> {
    let allowance = bucket.take(now, limits::FAILED_AUTH_PER_MINUTE);
    (!allowance.allowed).then_some(allowance.reset_seconds.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + seconds, 0).unwrap()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn exhaust(failed: &FailedAuth, client: IpAddr) {
        for _ in 0..limits::FAILED_AUTH_PER_MINUTE {
            assert_eq!(failed.count(client, at(0)), None);
        }
    }

    #[tokio::test]
    async fn an_address_that_failed_too_often_waits_and_its_neighbours_do_not() {
        let failed = FailedAuth::new();
        let (client, unknown) = (address("192.0.2.1"), KeyId::new("unknown"));
        assert_eq!(failed.wait(client, &unknown, at(0)), None);
        exhaust(&failed, client);
        let wait = failed.count(client, at(0)).unwrap();
        assert_eq!(failed.wait(client, &unknown, at(0)), Some(wait));
        assert_eq!(failed.wait(address("192.0.2.2"), &unknown, at(0)), None);
        assert_eq!(failed.wait(client, &unknown, at(i64::from(wait))), None);
    }

    #[tokio::test]
    async fn a_key_that_proved_itself_is_still_looked_up() {
        let failed = FailedAuth::new();
        let client = address("192.0.2.1");
        failed.trust(KeyId::new("good")).await;
        exhaust(&failed, client);
        assert_eq!(failed.wait(client, &KeyId::new("good"), at(0)), None);
        assert!(failed.wait(client, &KeyId::new("other"), at(0)).is_some());
    }

    #[tokio::test]
    async fn all_addresses_of_an_ipv6_subscriber_count_as_one() {
        let failed = FailedAuth::new();
        for host in 0..limits::FAILED_AUTH_PER_MINUTE {
            assert_eq!(failed.count(address(&format!("2001:db8::{host:x}")), at(0)), None);
        }
        assert!(failed.count(address("2001:db8::ffff:1"), at(0)).is_some());
        assert_eq!(failed.count(address("2001:db8:0:1::1"), at(0)), None);
    }

    #[tokio::test]
    async fn a_full_table_does_not_grow_and_lets_nobody_go_free() {
        let failed = FailedAuth::new();
        let nth = |number: u32| IpAddr::from(std::net::Ipv4Addr::from_bits(0x0a00_0000 + number));
        let most = u32::try_from(limits::FAILED_AUTH_ADDRESSES_MAX).unwrap();
        for number in 0..most {
            assert_eq!(failed.count(nth(number), at(0)), None);
        }
        for number in 0..limits::FAILED_AUTH_PER_MINUTE {
            assert_eq!(failed.count(nth(most + number), at(0)), None);
        }
        let late = nth(most + 1_000);
        assert!(failed.count(late, at(0)).is_some());
        assert!(failed.wait(late, &KeyId::new("unknown"), at(0)).is_some());
        assert_eq!(failed.lock().by_address.len(), limits::FAILED_AUTH_ADDRESSES_MAX);
        assert_eq!(failed.count(late, at(61)), None);
        assert_eq!(failed.lock().by_address.len(), 1);
    }
}
