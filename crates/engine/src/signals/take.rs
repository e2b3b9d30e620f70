//! Taking in what a source says, and reading the feed.

use super::decide::{Newest, decide};
use super::fuse::Fused;
use super::keys::keys_of;
use super::unmatched::unmatched_keys;
use crate::likeness::{CompanyLikeness, CompanyWords, compare_companies};
use crate::{CompanyQuery, Engine, EngineError, PersonQuery};
use assay_domain::company::CompanyFacts;
use assay_domain::limits::{SIGNAL_SOURCE_CHARS_MAX, SIGNAL_TAIL_ROWS, SIGNALS_TAKEN_AT_ONCE};
use assay_domain::signal::{Content, Party, PersonNamed};
use assay_domain::taxonomy::Industry;
use assay_domain::{AccountId, Confidence, Digest, Notice, PersonName, Signal, SignalId};
use assay_store::graph::{FeedFilter, FeedHead, FeedPage, FeedRow, FeedStart, HeldNotice, NewNotice, Taken};
use chrono::{DateTime, SubsecRound, Utc};
use futures_util::{StreamExt, stream};
use serde_json::value::RawValue;
use uuid::Uuid;

/// What became of a notice.
pub type Told = Taken;

impl Engine {
    /// Takes in what a source says of an event: known companies and people are recognised, and what others said of the same event
    /// becomes one signal with it.
    pub async fn take_notice(
        &self,
        source: &str,
        mut notice: Notice,
        now: DateTime<Utc>,
    ) -> Result<Told, EngineError> {
        notice.occurred_at = notice.occurred_at.trunc_subsecs(6);
        let industry = self.recognise(&mut notice).await?;
        let (keys, subjects) = (keys_of(&notice, &self.identity), self.subjects_of(&notice));
        let unmatched = unmatched_keys(&notice, &self.identity);
        let source: String = source.chars().take(SIGNAL_SOURCE_CHARS_MAX).collect();
        let seen_at = now.trunc_subsecs(6);
        let new = NewNotice {
            source: &source,
            notice: &notice,
            keys: &keys,
            unmatched: &unmatched,
            subjects: &subjects,
            seen_at,
        };
        let said = HeldNotice { source: source.clone(), notice: notice.clone(), seen_at };
        let newest = Newest { said, industry, key: &self.identity };
        Ok(self.graph.take_notice(&new, |held| decide(newest, held)).await?)
    }

    /// The same for many, several at a time; what became of each, in their order.
    pub async fn take_notices(
        &self,
        source: &str,
        notices: Vec<Notice>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Told, EngineError>> {
        let taking = notices.into_iter().map(|notice| self.take_notice(source, notice, now));
        stream::iter(taking).buffered(SIGNALS_TAKEN_AT_ONCE).collect().await
    }

    pub async fn feed_head(&self) -> Result<FeedHead, EngineError> {
        Ok(self.graph.feed_head().await?)
    }

    /// Where the feed stood at most a moment ago.
    pub async fn recent_feed_head(&self) -> Result<FeedHead, EngineError> {
        Ok(self.graph.recent_feed_head().await?)
    }

    /// What happened of all kinds after a place, for whoever passes it on to many.
    pub async fn read_whole_feed(&self, after: i64, head: i64) -> Result<Vec<FeedRow>, EngineError> {
        Ok(self.graph.feed_of_all(after, head, SIGNAL_TAIL_ROWS).await?)
    }

    /// A page of the feed as it is kept, and where to go on. `head` is where the feed stood before.
    pub async fn feed_page(
        &self,
        filter: &FeedFilter,
        start: FeedStart,
        head: i64,
        limit: u32,
    ) -> Result<FeedPage, EngineError> {
        let start = match (start, filter.since) {
            // What happened since then became known since then, but for what was told ahead of its day.
            (FeedStart::Newest, Some(since)) => {
                FeedStart::After(self.graph.feed_place_of(since, head).await?)
            }
            (start, _) => start,
        };
        Ok(self.graph.feed(filter, start, head, limit).await?)
    }

    /// The place before the first signal that became known since then.
    pub async fn feed_place_of(&self, since: DateTime<Utc>, head: i64) -> Result<i64, EngineError> {
        Ok(self.graph.feed_place_of(since, head).await?)
    }

    /// Fills in what the graph knows of whom it names; the industry of the company it is about.
    async fn recognise(&self, notice: &mut Notice) -> Result<Option<Industry>, EngineError> {
        let facts = self.recognise_party(&mut notice.company).await?;
        match &mut notice.content {
            Content::Acquisition(deal) => {
                self.recognise_party(&mut deal.acquirer).await?;
                self.recognise_party(&mut deal.target).await?;
            }
            Content::JobChange(change) => {
                for post in change.from.iter_mut().chain(&mut change.to) {
                    self.recognise_party(&mut post.company).await?;
                }
            }
            Content::Funding(_) | Content::Hiring(_) | Content::Engagement(_) => {}
        }
        if let Some(person) = &mut notice.person {
            self.recognise_person(person).await?;
        }
        Ok(facts.and_then(|facts| facts.industry))
    }

    async fn recognise_party(&self, party: &mut Party) -> Result<Option<CompanyFacts>, EngineError> {
        let query = match (&party.domain, &party.network_url) {
            (Some(domain), _) => CompanyQuery::Domain(domain.clone()),
            (None, Some(url)) => CompanyQuery::NetworkUrl(url.clone()),
            (None, None) => CompanyQuery::Name { name: party.name.clone(), country: party.country.clone() },
        };
        let found = self.resolve_company(&query, everybody()).await?;
        let Some(found) = found.filter(|found| found.confidence >= Confidence::ENOUGH) else {
            return Ok(None);
        };
        let company = found.record;
        // A longer name that happens to be the only known one of its beginning is another company as often as not.
        if matches!(query, CompanyQuery::Name { .. }) && !is_named(&party.name, &company.facts) {
            return Ok(None);
        }
        party.id = Some(company.id);
        party.by_name = matches!(query, CompanyQuery::Name { .. });
        let facts = company.facts;
        party.domain = party.domain.take().or_else(|| facts.domain.clone());
        party.network_url = party.network_url.take().or_else(|| facts.network_url.clone());
        let headquarters = facts.headquarters.as_ref().and_then(|place| place.country.clone());
        party.country = party.country.take().or(headquarters);
        Ok(Some(facts))
    }

    async fn recognise_person(&self, person: &mut PersonNamed) -> Result<(), EngineError> {
        let Some(url) = person.network_url.clone() else { return Ok(()) };
        let found = self.resolve_person(&PersonQuery::NetworkUrl(url), everybody()).await?;
        person.id = found.map(|found| found.record.id);
        Ok(())
    }

    /// By what somebody it names may be erased.
    fn subjects_of(&self, notice: &Notice) -> Vec<Digest> {
        let Some(person) = &notice.person else { return Vec::new() };
        let mut subjects: Vec<Digest> =
            person.network_url.iter().map(|url| self.identity.digest_network_url(url)).collect();
        subjects.extend(person.id.map(|id| Digest::from_bytes(id.uuid().into_bytes())));
        if let Ok(name) = PersonName::parse(&person.full_name) {
            for company in companies_of(notice) {
                subjects.push(self.identity.digest_name_at_company(&name, &company.name));
                subjects.extend(
                    company.domain.iter().map(|domain| self.identity.digest_name_at_domain(&name, domain)),
                );
            }
        }
        subjects.sort_unstable();
        subjects.dedup();
        subjects
    }
}

/// What belongs to no account is seen by everybody, and only that is told of in a feed for all.
fn everybody() -> AccountId {
    AccountId::from_uuid(Uuid::nil())
}

/// Every company it names.
pub(super) fn parties_of(notice: &Notice) -> Vec<&Party> {
    let mut parties = companies_of(notice);
    if let Content::Acquisition(deal) = &notice.content {
        parties.extend([&deal.acquirer, &deal.target]);
    }
    parties
}

/// Whether a company is called so, and not only partly.
fn is_named(name: &str, facts: &CompanyFacts) -> bool {
    let asked = CompanyWords::of(name);
    let names = std::iter::once(&facts.name).chain(&facts.legal_name);
    names.map(|name| compare_companies(&asked, &CompanyWords::of(name))).any(|it| it >= CompanyLikeness::Slip)
}

fn companies_of(notice: &Notice) -> Vec<&Party> {
    let mut companies = vec![&notice.company];
    if let Content::JobChange(change) = &notice.content {
        companies.extend(change.from.iter().chain(&change.to).map(|post| &post.company));
    }
    companies
}

/// Nothing for a row that cannot be read, such as one of a newer program: the others are fed all the same.
/// A signal as it is kept, read; none where it cannot be, of which operators are told.
pub fn signal_of(id: SignalId, revision: i64, body: &RawValue) -> Option<Signal> {
    let read = serde_json::from_str(body.get());
    // The error's own text may quote what was read.
    let fused: Fused = read.inspect_err(|_| tracing::error!(%id, "a signal cannot be read")).ok()?;
    let Fused { occurred_at, detected_at, company, person, confidence, sources, content } = fused;
    Some(Signal { id, revision, occurred_at, detected_at, company, person, confidence, sources, content })
}
