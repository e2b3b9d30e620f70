//! One question taken from vendor to vendor, until whoever asks has what they need.

use super::flights::{Landed, Route};
use super::order::Lesson;
use super::roster::{Able, Provider};
use super::{Inner, Upstreams};
use assay_domain::clock::Stopwatch;
use assay_domain::limits::UPSTREAM_DEADLINE;
use assay_domain::{AccountId, Lookup};
use assay_sources::{Answer, Asked, NotAsked, Question, Reading, VendorPlace};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// One source that was asked, or could not be.
#[derive(Debug, Clone)]
pub struct UpstreamStep {
    pub provider: Arc<str>,
    pub outcome: &'static str,
    pub latency: Duration,
    /// In millionths of a US dollar.
    pub micros: u32,
    pub is_own_key: bool,
}

/// Who was asked, and whether anybody said anything.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    pub steps: Vec<UpstreamStep>,
    /// That somebody was asked and has nothing.
    pub said_no: bool,
    /// That somebody should have been asked and could not, or failed.
    pub has_failed: bool,
}

impl Trail {
    /// Everybody who could be asked failed: then nobody knows whether there is anything to find.
    pub fn is_silent(&self) -> bool {
        self.has_failed && !self.said_no
    }

    /// Asked to the end: a miss that may be remembered.
    pub(super) fn is_miss(&self) -> bool {
        self.said_no && !self.has_failed
    }

    pub(super) fn add(&mut self, more: Self) {
        self.steps.extend(more.steps);
        self.said_no |= more.said_no;
        self.has_failed |= more.has_failed;
    }
}

/// What a vendor said, to be judged.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) provider: Arc<Provider>,
    pub(super) answer: Answer,
    pub(super) is_own_key: bool,
    micros: u32,
}

/// A question on its way through the vendors.
#[derive(Debug)]
pub(super) struct Cascade<'a> {
    upstreams: &'a Upstreams,
    question: Question,
    segment: Arc<str>,
    asker: AccountId,
    left: VecDeque<Able>,
    watch: Stopwatch,
    trail: Trail,
}

impl Able {
    pub(super) fn list_price(&self, lookup: Lookup) -> u32 {
        self.provider.vendor.facts().price_of(lookup).map_or(0, |price| price.micros())
    }

    /// Whether accounts that ask the same at once may share one answer.
    fn is_shared(&self) -> bool {
        !self.is_own_key && self.provider.vendor.facts().rights.shareable
    }

    fn place(&self, asker: AccountId) -> VendorPlace {
        VendorPlace {
            base_url: self.provider.base_url.clone(),
            key: self.key.clone(),
            scope: if self.is_own_key { asker.to_string() } else { "operator".to_owned() },
            requests_per_minute: self.provider.vendor.facts().requests_per_minute,
            price: None,
        }
    }
}

impl Upstreams {
    /// `segment` is what vendors may be good or bad at: a country, a mail provider.
    pub(super) fn cascade(&self, question: Question, segment: &str, asker: AccountId) -> Cascade<'_> {
        let roster = self.roster();
        let able = roster.able(question.lookup, asker);
        let segment: Arc<str> = Arc::from(segment);
        let sorted = match roster.fixed_order(question.lookup) {
            Some(_) => able,
            None => self.sort(question.lookup, &segment, able),
        };
        let (left, watch) = (VecDeque::from(sorted), Stopwatch::start());
        Cascade { upstreams: self, question, segment, asker, left, watch, trail: Trail::default() }
    }

    fn ask(
        &self,
        able: &Able,
        asker: AccountId,
        question: &Question,
        time_left: Duration,
    ) -> BoxFuture<'static, Result<Asked, NotAsked>> {
        let inner: Arc<Inner> = Arc::clone(&self.0);
        let (provider, place) = (Arc::clone(&able.provider), able.place(asker));
        let question = question.clone();
        let time_left = able.provider.vendor.facts().timeout.map_or(time_left, |most| most.min(time_left));
        async move { inner.client.ask(&*provider.vendor, &place, &question, time_left).await }.boxed()
    }
}

impl Cascade<'_> {
    /// The next vendor that has found something; none when nobody is left.
    pub(super) async fn next(&mut self) -> Option<Said> {
        loop {
            let able = self.left.pop_front()?;
            if let Some(said) = self.ask_one(able).await {
                return Some(said);
            }
        }
    }

    async fn ask_one(&mut self, able: Able) -> Option<Said> {
        let time_left = UPSTREAM_DEADLINE.saturating_sub(self.watch.elapsed());
        let Self { upstreams, question, asker, .. } = self;
        let route = Route {
            vendor: Arc::clone(&able.provider.name),
            asker: (!able.is_shared()).then_some(*asker),
            question: question.clone(),
        };
        let asking = || upstreams.ask(&able, *asker, question, time_left);
        let Landed { asked, is_shared } = upstreams.0.flights.board(route, asking).await;
        match asked {
            // It has no way to be asked this: as if it were not there.
            Err(NotAsked::Unanswerable) => None,
            Err(why) => {
                self.trail.has_failed = true;
                self.note(&able, why.as_str(), Duration::ZERO, 0);
                None
            }
            Ok(Asked { reading, latency, cost_micros, .. }) => {
                // Whoever only listened in pays nothing.
                let micros = if is_shared { 0 } else { u32::try_from(cost_micros).unwrap_or(u32::MAX) };
                self.note(&able, reading.as_str(), latency, micros);
                self.read(able, reading, micros)
            }
        }
    }

    fn read(&mut self, able: Able, reading: Reading, micros: u32) -> Option<Said> {
        match reading {
            Reading::Hit(answer) => {
                let Able { provider, is_own_key, .. } = able;
                Some(Said { provider, answer: *answer, is_own_key, micros })
            }
            Reading::Miss => {
                self.trail.said_no = true;
                self.learn(&able.provider.name, Lesson { verified: false, micros });
                None
            }
            Reading::Suppressed => {
                self.trail.said_no = true;
                None
            }
            // Not taken is not failed: another may take it, and if nobody does there is nobody to ask.
            Reading::Refused => None,
            _ => {
                self.trail.has_failed = true;
                None
            }
        }
    }

    /// Notes and learns whether what was said is of use. Nothing in it, or nothing that holds, is as a miss.
    pub(super) fn judge(&mut self, said: &Said, is_of_use: bool) {
        if !is_of_use {
            self.trail.said_no = true;
            if let Some(step) = self.trail.steps.last_mut() {
                step.outcome = "unverified";
            }
        }
        self.learn(&said.provider.name, Lesson { verified: is_of_use, micros: said.micros });
    }

    pub(super) fn finish(self) -> Trail {
        self.trail
    }

    fn note(&mut self, able: &Able, outcome: &'static str, latency: Duration, micros: u32) {
        let provider = Arc::clone(&able.provider.name);
        let is_own_key = able.is_own_key;
        self.trail.steps.push(UpstreamStep { provider, outcome, latency, micros, is_own_key });
    }

    fn learn(&self, vendor: &Arc<str>, lesson: Lesson) {
        self.upstreams.learn(self.question.lookup, &self.segment, vendor, lesson);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_sources::{Credentials, DeclarativeVendor};

    fn able(shareable: bool, is_own_key: bool) -> Able {
        let file = format!(
            "name = \"some\"\nbase_url = \"https://some.example\"\n[auth]\nkind = \"bearer\"\n\
             [rights]\nshareable = {shareable}\n\
             [lookups.phone]\npath = \"/\"\nprice_per_hit_micros = 1\nanswer = '.'\n"
        );
        let provider = Provider {
            vendor: Arc::new(DeclarativeVendor::parse(&file).unwrap()),
            name: Arc::from("some"),
            base_url: "https://some.example".to_owned(),
            enabled: true,
            is_declared: true,
        };
        Able { provider: Arc::new(provider), key: Credentials::new("key".to_owned()), is_own_key }
    }

    #[test]
    fn accounts_share_an_answer_only_where_it_may_be_shared_and_the_key_is_the_operators() {
        let shared = [(true, false), (true, true), (false, false), (false, true)]
            .map(|(shareable, is_own_key)| able(shareable, is_own_key).is_shared());
        assert_eq!(shared, [true, false, false, false]);
    }
}
