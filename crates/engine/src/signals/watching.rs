//! What happens to those who are watched: read once from the feed for everybody, or looked back for when somebody is new.

use super::take::signal_of;
use crate::{Engine, EngineError};
use assay_domain::limits::{WATCH_MATCH_BATCH, WATCH_NEWS_DAYS};
use assay_domain::signal::Content;
use assay_domain::watch::{Happening, Transition, is_spike};
use assay_domain::{Digest, Domain, NetworkUrl, Signal, SignalId, SignalKind};
use assay_store::graph::FeedRow;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{HashMap, HashSet};

/// What somebody is watched by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    Person(NetworkUrl),
    Company(Domain),
}

/// What happened after a place of the feed.
#[derive(Debug)]
pub struct Happened {
    pub all: Vec<Happening>,
    /// Where to go on.
    pub upto: i64,
    /// Whether more was there already.
    pub has_more: bool,
}

/// Of engagement: how long it counts as now, and what it is compared with.
const NOW_DAYS: i64 = 30;
const BEFORE_DAYS: i64 = 90;

impl Engine {
    /// What an entry is kept and found by.
    pub fn watch_digest(&self, watched: &Watched) -> Digest {
        match watched {
            Watched::Person(url) => self.identity.digest_network_url(url),
            Watched::Company(domain) => self.identity.digest_domain(domain),
        }
    }

    /// What happened between two places of the feed, to whomever.
    pub async fn happened_after(
        &self,
        after: i64,
        head: i64,
        now: DateTime<Utc>,
    ) -> Result<Happened, EngineError> {
        let rows = self.graph.feed_of_all(after, head, WATCH_MATCH_BATCH).await?;
        let has_more = i64::try_from(rows.len()).is_ok_and(|count| count >= WATCH_MATCH_BATCH);
        let upto = if has_more { rows.last().map_or(head, |row| row.seq) } else { head };
        let oldest = now - TimeDelta::days(WATCH_NEWS_DAYS);
        let mut all = Vec::new();
        for row in rows.iter().filter(|row| row.occurred_at >= oldest) {
            let Some(signal) = signal_of(row.id, row.revision, &row.body) else { continue };
            for subject in self.whom(row, &signal) {
                all.push((subject, signal.clone()));
            }
        }
        Ok(Happened { all: self.matched(all).await?, upto, has_more })
    }

    /// What happened to them since then, whichever of it is watched for.
    pub async fn happened_to(
        &self,
        watched: &[Watched],
        since: DateTime<Utc>,
    ) -> Result<Vec<Happening>, EngineError> {
        let people: Vec<Digest> =
            watched.iter().filter(|it| is_person(it)).map(|it| self.watch_digest(it)).collect();
        let domains: HashMap<String, Digest> = watched
            .iter()
            .filter_map(|it| match it {
                Watched::Company(domain) => Some((domain.as_str().to_owned(), self.watch_digest(it))),
                Watched::Person(_) => None,
            })
            .collect();
        let mut all = Vec::new();
        if !people.is_empty() {
            for (subject, row) in self.graph.signals_of_people(&people, &OF_PEOPLE, since).await? {
                all.extend(signal_of(row.id, row.revision, &row.body).map(|signal| (subject, signal)));
            }
        }
        if !domains.is_empty() {
            let asked: Vec<String> = domains.keys().cloned().collect();
            for (domain, row) in self.graph.signals_of_companies(&asked, &OF_COMPANIES, since).await? {
                let subject = domains.get(&domain).copied();
                all.extend(subject.zip(signal_of(row.id, row.revision, &row.body)));
            }
        }
        self.matched(all).await
    }

    /// The signals with these ids that are still there.
    pub async fn signals(&self, ids: &[SignalId]) -> Result<HashMap<SignalId, Signal>, EngineError> {
        let rows = self.graph.signals_by_ids(ids).await?;
        let read = |row: FeedRow| Some((row.id, signal_of(row.id, row.revision, &row.body)?));
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Whom a signal happens to.
    fn whom(&self, row: &FeedRow, signal: &Signal) -> Vec<Digest> {
        match signal.content.kind() {
            SignalKind::JobChange | SignalKind::Engagement => {
                let url = signal.person.as_ref().and_then(|person| person.network_url.as_ref());
                url.map(|url| self.identity.digest_network_url(url)).into_iter().collect()
            }
            SignalKind::Funding | SignalKind::Acquisition | SignalKind::Hiring => {
                let domains = [&row.facets.domain, &row.facets.other_domain].into_iter().flatten();
                let domains: HashSet<Domain> =
                    domains.filter_map(|domain| Domain::parse(domain).ok()).collect();
                domains.iter().map(|domain| self.identity.digest_domain(domain)).collect()
            }
        }
    }

    /// As it is kept. Of engagement only where a spike begins.
    async fn matched(&self, all: Vec<(Digest, Signal)>) -> Result<Vec<Happening>, EngineError> {
        let mut matched = Vec::with_capacity(all.len());
        for (subject, signal) in all {
            let transition = Transition::told_by(&signal.content);
            if transition == Transition::EngagementSpike && !self.begins_spike(subject, &signal).await? {
                continue;
            }
            let Signal { id: signal, occurred_at, detected_at, .. } = signal;
            matched.push(Happening { subject, signal, transition, occurred_at, detected_at });
        }
        Ok(matched)
    }

    /// Whether somebody is talked about much more than before, and was not before this.
    async fn begins_spike(&self, subject: Digest, signal: &Signal) -> Result<bool, EngineError> {
        let since = signal.occurred_at - TimeDelta::days(NOW_DAYS + BEFORE_DAYS);
        let rows = self.graph.signals_of_people(&[subject], &[SignalKind::Engagement], since).await?;
        let told: Vec<(DateTime<Utc>, SignalId, u64)> = rows
            .iter()
            .filter_map(|(_, row)| Some((row.occurred_at, row.id, count_of(row)?)))
            .filter(|(at, id, _)| (*at, *id) <= (signal.occurred_at, signal.id))
            .collect();
        Ok(begins_spike(&told, signal.occurred_at, signal.id))
    }
}

const OF_PEOPLE: [SignalKind; 2] = [SignalKind::JobChange, SignalKind::Engagement];
const OF_COMPANIES: [SignalKind; 3] = [SignalKind::Funding, SignalKind::Acquisition, SignalKind::Hiring];

const fn is_person(watched: &Watched) -> bool {
    matches!(watched, Watched::Person(_))
}

fn count_of(row: &FeedRow) -> Option<u64> {
    match signal_of(row.id, row.revision, &row.body)?.content {
        Content::Engagement(engagement) => Some(engagement.count.into()),
        _ => None,
    }
}

/// By all that was counted up to and with this one, whether it makes a spike of what was none.
fn begins_spike(told: &[(DateTime<Utc>, SignalId, u64)], at: DateTime<Utc>, this: SignalId) -> bool {
    let begin = at - TimeDelta::days(NOW_DAYS);
    let sum = |is_counted: &dyn Fn(DateTime<Utc>, SignalId) -> bool| {
        told.iter().filter(|(when, id, _)| is_counted(*when, *id)).map(|(_, _, count)| count).sum::<u64>()
    };
    let before = sum(&|when, _| when < begin);
    let now = sum(&|when, _| when >= begin);
    let without = sum(&|when, id| when >= begin && id != this);
    is_spike(now, before) && !is_spike(without, before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_spike_begins_once() {
        let day = |day: i64| DateTime::UNIX_EPOCH + TimeDelta::days(200 + day);
        let id = |number: u128| SignalId::from_uuid(Uuid::from_u128(number));
        // Six in the 90 days before; then three and three.
        let told = [(day(-100), id(1), 4), (day(-40), id(2), 2), (day(-3), id(3), 3), (day(0), id(4), 3)];
        assert!(!begins_spike(&told[..3], day(-3), id(3)));
        assert!(begins_spike(&told, day(0), id(4)));
        let more = [told.as_slice(), &[(day(1), id(5), 9)]].concat();
        assert!(!begins_spike(&more, day(1), id(5)));
        // The edge of 30 days belongs to now.
        let edge = [(day(-30), id(1), 4), (day(0), id(2), 1)];
        assert!(begins_spike(&edge, day(0), id(2)));
    }
}
