//! Ids: a prefix that says what it is, then a sortable UUIDv7. Typed, so that one cannot stand for another.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use uuid::Uuid;

/// What an id names.
pub trait Named {
    const PREFIX: &'static str;
}

/// An id of one kind of thing.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Id<T>(Uuid, #[serde(skip)] PhantomData<fn() -> T>);

impl<T> Id<T> {
    pub const fn from_uuid(uuid: Uuid) -> Self {
        Self(uuid, PhantomData)
    }

    pub const fn uuid(self) -> Uuid {
        self.0
    }

    /// A new id minted at `now`; its order follows the clock to the millisecond.
    pub fn mint(now: DateTime<Utc>) -> Self {
        let seconds = u64::try_from(now.timestamp()).unwrap_or(0);
        let moment = uuid::Timestamp::from_unix(uuid::NoContext, seconds, now.timestamp_subsec_nanos());
        Self::from_uuid(Uuid::new_v7(moment))
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}
impl<T> std::hash::Hash for Id<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T: Named> fmt::Display for Id<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}_{}", T::PREFIX, self.0.as_simple())
    }
}

impl<T: Named> fmt::Debug for Id<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The text is no id of the wanted kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form {0}_ followed by 32 hexadecimal digits")]
pub struct IdError(&'static str);

impl<T: Named> FromStr for Id<T> {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        text.strip_prefix(T::PREFIX)
            .and_then(|rest| rest.strip_prefix('_'))
            .filter(|rest| rest.len() == 32 && !rest.bytes().any(|byte| byte.is_ascii_uppercase()))
            .and_then(|rest| Uuid::try_parse(rest).ok())
            .map(Self::from_uuid)
            .ok_or(IdError(T::PREFIX))
    }
}

/// The kinds of things that have ids.
pub mod kind {
    use super::Named;

    #[derive(Debug)]
    pub enum Account {}
    #[derive(Debug)]
    pub enum Organisation {}
    #[derive(Debug)]
    pub enum User {}
    #[derive(Debug)]
    pub enum Hold {}
    #[derive(Debug)]
    pub enum Lot {}
    #[derive(Debug)]
    pub enum Person {}
    #[derive(Debug)]
    pub enum Company {}
    #[derive(Debug)]
    pub enum Request {}
    #[derive(Debug)]
    pub enum Suppression {}
    #[derive(Debug)]
    pub enum Erasure {}
    #[derive(Debug)]
    pub enum Job {}
    #[derive(Debug)]
    pub enum Bulk {}
    #[derive(Debug)]
    pub enum Webhook {}
    #[derive(Debug)]
    pub enum Delivery {}
    #[derive(Debug)]
    pub enum Signal {}
    #[derive(Debug)]
    pub enum WatchList {}
    #[derive(Debug)]
    pub enum Icp {}

    impl Named for Account {
        const PREFIX: &'static str = "acc";
    }
    impl Named for Organisation {
        const PREFIX: &'static str = "org";
    }
    impl Named for User {
        const PREFIX: &'static str = "usr";
    }
    impl Named for Hold {
        const PREFIX: &'static str = "hld";
    }
    impl Named for Lot {
        const PREFIX: &'static str = "lot";
    }
    impl Named for Person {
        const PREFIX: &'static str = "per";
    }
    impl Named for Company {
        const PREFIX: &'static str = "com";
    }
    impl Named for Request {
        const PREFIX: &'static str = "req";
    }
    impl Named for Suppression {
        const PREFIX: &'static str = "sup";
    }
    impl Named for Erasure {
        const PREFIX: &'static str = "era";
    }
    impl Named for Job {
        const PREFIX: &'static str = "job";
    }
    impl Named for Bulk {
        const PREFIX: &'static str = "blk";
    }
    impl Named for Webhook {
        const PREFIX: &'static str = "whk";
    }
    impl Named for Delivery {
        const PREFIX: &'static str = "msg";
    }
    impl Named for Signal {
        const PREFIX: &'static str = "sig";
    }
    impl Named for WatchList {
        const PREFIX: &'static str = "wl";
    }
    impl Named for Icp {
        const PREFIX: &'static str = "icp";
    }
}

pub type AccountId = Id<kind::Account>;
pub type OrganisationId = Id<kind::Organisation>;
pub type UserId = Id<kind::User>;
pub type HoldId = Id<kind::Hold>;
pub type LotId = Id<kind::Lot>;
pub type PersonId = Id<kind::Person>;
pub type CompanyId = Id<kind::Company>;
pub type RequestId = Id<kind::Request>;
pub type SuppressionId = Id<kind::Suppression>;
pub type ErasureId = Id<kind::Erasure>;
/// A job of the queue.
pub type JobId = Id<kind::Job>;
/// A bulk job.
pub type BulkId = Id<kind::Bulk>;
/// An endpoint that webhooks are sent to.
pub type WebhookId = Id<kind::Webhook>;
/// A message to such an endpoint; the same on every attempt.
pub type DeliveryId = Id<kind::Delivery>;
pub type SignalId = Id<kind::Signal>;
pub type WatchListId = Id<kind::WatchList>;
/// A saved ideal customer profile.
pub type IcpId = Id<kind::Icp>;

/// A key's public id: the 12 base62 characters inside the key itself, shown as `key_…`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(String);

impl KeyId {
    pub fn new(id: &str) -> Self {
        Self(id.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "key_{}", self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_and_no_other_kind_does() {
        let now = DateTime::from_timestamp(1_790_000_000, 5_000_000).unwrap();
        let id = PersonId::mint(now);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!(id.to_string().parse::<CompanyId>().is_err());
        for broken in ["", "per_", "per_1", "per-0", &id.to_string().to_uppercase()] {
            assert!(broken.parse::<PersonId>().is_err(), "{broken}");
        }
    }

    #[test]
    fn ids_sort_by_the_time_they_were_minted() {
        let at = |ms: i64| DateTime::from_timestamp_millis(1_790_000_000_000 + ms).unwrap();
        let ids: Vec<_> = (0..50).map(|ms| RequestId::mint(at(ms))).collect();
        assert!(ids.is_sorted());
    }
}
