//! What happened lately, the newest first, and whom it is about: people unmasked by the page behind a row, companies by what the
//! graph knows of them now.

use super::take::signal_of;
use crate::{CompanyQuery, Engine, EngineError, PersonQuery};
use assay_domain::signal::{Content, Party, Posting};
use assay_domain::taxonomy::Seniority;
use assay_domain::title::read_title;
use assay_domain::{AccountId, Company, Confidence, Person, Signal};
use assay_store::graph::{FeedRow, Moment, RecentFilter};
use chrono::{DateTime, Utc};

/// Signals, each with its place, and where more may be.
#[derive(Debug)]
pub struct Recent {
    pub signals: Vec<(Moment, Signal)>,
    pub go_on: Option<Moment>,
}

impl Engine {
    /// The next signals back in time, as the feed had them at `head`. There may be more although none came: `go_on` tells.
    pub async fn recent_signals(
        &self,
        filter: &RecentFilter,
        head: i64,
        before: Moment,
        limit: i64,
    ) -> Result<Recent, EngineError> {
        let page = self.graph.recent(filter, head, before, limit).await?;
        let place = |row: &FeedRow| Moment { at: row.occurred_at, id: row.id.uuid() };
        let signals = page
            .rows
            .iter()
            .filter_map(|row| Some((place(row), signal_of(row.id, row.revision, &row.body)?)))
            .collect();
        Ok(Recent { signals, go_on: page.go_on })
    }

    /// Who is behind a masked row, as far as `asker` may see them: whoever the page of the row leads to now. Nobody without a
    /// page, and nobody who was erased since the row was read.
    pub async fn unmask(&self, signal: &Signal, asker: AccountId) -> Result<Option<Person>, EngineError> {
        let Some(url) = signal.person.as_ref().and_then(|person| person.network_url.clone()) else {
            return Ok(None);
        };
        let found = self.resolve_person(&PersonQuery::NetworkUrl(url), asker).await?;
        Ok(found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record))
    }

    /// The company a signal is about, also where it became known only after the signal did.
    pub async fn company_behind(
        &self,
        party: &Party,
        asker: AccountId,
    ) -> Result<Option<Company>, EngineError> {
        let query = match (&party.domain, &party.network_url) {
            (Some(domain), _) => CompanyQuery::Domain(domain.clone()),
            (None, Some(url)) => CompanyQuery::NetworkUrl(url.clone()),
            (None, None) => CompanyQuery::Name { name: party.name.clone(), country: party.country.clone() },
        };
        let found = self.resolve_company(&query, asker).await?;
        Ok(found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record))
    }
}

/// The rank of the job somebody goes to, or of the one they leave where nothing is told of another.
pub fn rank_of(signal: &Signal) -> Option<Seniority> {
    let Content::JobChange(change) = &signal.content else { return None };
    let post = change.to.as_ref().or(change.from.as_ref())?;
    Some(read_title(&post.title).seniority)
}

/// Whether a job can still be had: one that will be closed can.
pub fn is_open(posting: &Posting, now: DateTime<Utc>) -> bool {
    posting.closed_at.is_none_or(|closed_at| closed_at > now)
}
