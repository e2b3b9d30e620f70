//! Running a list: what happened to its entries that nobody was told of, taken, read and told.

use super::entry::{ListKeys, read_entry};
use super::matching::catch_up;
use crate::fault::Fault;
use crate::view::{CompanyView, PersonView, SignalView};
use assay_domain::limits::{RECENT_COMPLETED_AT_ONCE, WATCH_LOOK_BACK_BATCH, WATCH_LOOK_BACK_DAYS};
use assay_domain::watch::{Track, Transition, WatchKind};
use assay_domain::{AccountId, Confidence, Digest, PersonId, RequestId, Signal, SignalId};
use assay_engine::signals::Watched;
use assay_engine::{CompanyQuery, Engine, PersonQuery};
use assay_store::Ledger;
use assay_store::ledger::op::Deed;
use assay_store::ledger::watch::{TakenMatch, WatchListRow, WatchReport};
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;

/// What a list is run with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub ledger: &'a Ledger,
    pub engine: &'a Engine,
    pub keys: &'a ListKeys,
    pub list: &'a WatchListRow,
    /// What it takes is another's after this: nobody waits for a run that died.
    pub lease: Duration,
}

/// An entry to which something happened.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchHit {
    /// As the list names it.
    pub entry: String,
    /// What happened, by kind.
    pub changes: Vec<&'static str>,
    /// The newest first; of many only the newest 20.
    pub signals: Vec<SignalView>,
    /// How many there are.
    pub signal_count: u32,
    /// In a list of people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonView>,
    /// In a list of companies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<CompanyView>,
    #[serde(skip)]
    pub(crate) person_id: Option<PersonId>,
}

/// What a run found.
#[derive(Debug)]
pub(crate) struct Found {
    pub hits: Vec<WatchHit>,
    pub report: WatchReport,
    pub has_more: bool,
}

impl Found {
    /// What becomes true when the run is charged for: that its entries were told of.
    pub(crate) fn into_parts(self) -> (Vec<WatchHit>, Deed) {
        (self.hits, Deed::ReportWatch(Box::new(self.report)))
    }
}

impl Run<'_> {
    fn account(&self) -> AccountId {
        self.list.account
    }

    /// Finds what to tell, at most so many entries. It is told when the report is settled; until then it is nobody else's.
    pub(crate) async fn find(&self, run: RequestId, limit: u32, now: DateTime<Utc>) -> Result<Found, Fault> {
        catch_up(self.ledger, self.engine, now).await?;
        self.look_back(now).await?;
        let found = self.take(run, limit, now).await;
        if found.is_err() {
            // What cannot be given back now is free again when its time is over.
            drop(self.ledger.let_go_of_matches(self.account(), self.list.id, run).await);
        }
        found
    }

    /// Looks for what happened before entries were added. It is kept with each batch, so whoever is interrupted goes on from there.
    async fn look_back(&self, now: DateTime<Utc>) -> Result<(), Fault> {
        let since = now - TimeDelta::days(WATCH_LOOK_BACK_DAYS);
        loop {
            let (account, list) = (self.account(), self.list.id);
            let entries = self.ledger.new_watch_entries(account, list, WATCH_LOOK_BACK_BATCH).await?;
            if entries.is_empty() {
                return Ok(());
            }
            let read = entries.iter().map(|entry| self.watched(entry.subject, &entry.named));
            let watched: Vec<Watched> = read.collect::<Result<_, Fault>>()?;
            let happened = self.engine.happened_to(&watched, since).await?;
            let subjects: Vec<Digest> = entries.iter().map(|entry| entry.subject).collect();
            self.ledger.look_back_for(account, list, &subjects, &happened).await?;
        }
    }

    async fn take(&self, run: RequestId, limit: u32, now: DateTime<Utc>) -> Result<Found, Fault> {
        let (account, list) = (self.account(), self.list.id);
        let taken = self.ledger.take_matches(account, list, run, limit, self.lease).await?;
        let mut report =
            WatchReport { list, run, told: Vec::new(), put_off: Vec::new(), events: &[], at: now };
        let mut hits = Vec::with_capacity(taken.len());
        for (subject, hit) in self.show_all(&taken).await? {
            match hit {
                Some(hit) => {
                    report.told.push(subject);
                    hits.push(hit);
                }
                None => report.put_off.push(subject),
            }
        }
        let has_more = self.ledger.has_waiting_matches(account, list).await?;
        Ok(Found { hits, report, has_more })
    }

    /// What is shown of each; none of those of whom nothing can be told now.
    async fn show_all(&self, taken: &[TakenMatch]) -> Result<Vec<(Digest, Option<WatchHit>)>, Fault> {
        let subjects: Vec<Digest> = taken.iter().map(|one| one.subject).collect();
        let entries = self.ledger.watch_entries(self.account(), self.list.id, &subjects).await?;
        let named: HashMap<Digest, Vec<u8>> =
            entries.into_iter().map(|entry| (entry.subject, entry.named)).collect();
        let ids: Vec<SignalId> = taken.iter().flat_map(|one| one.signals.iter().copied()).collect();
        let signals = self.engine.signals(&ids).await?;
        let (named, signals) = (&named, &signals);
        let showing = taken.iter().map(|one| async move {
            let Some(sealed) = named.get(&one.subject) else { return Ok((one.subject, None)) };
            let watched = self.watched(one.subject, sealed)?;
            Ok((one.subject, show_one(self, &watched, one, signals).await?))
        });
        let showing: Vec<_> = showing.collect();
        stream::iter(showing).buffered(RECENT_COMPLETED_AT_ONCE).try_collect().await
    }

    fn watched(&self, subject: Digest, sealed: &[u8]) -> Result<Watched, Fault> {
        let text = self.keys.open((self.account(), self.list.id), subject, sealed)?;
        let read = read_entry(self.list.kind, &text, self.engine.hosts());
        read.map_err(|_| Fault::new(crate::fault::Code::Internal, "the failure was recorded"))
    }
}

/// What was told before, as it is now; whoever is gone is left out.
pub(crate) async fn show(run: &Run<'_>, told: &[TakenMatch]) -> Result<Vec<Option<WatchHit>>, Fault> {
    Ok(run.show_all(told).await?.into_iter().map(|(_, hit)| hit).collect())
}

async fn show_one(
    run: &Run<'_>,
    watched: &Watched,
    taken: &TakenMatch,
    signals: &HashMap<SignalId, Signal>,
) -> Result<Option<WatchHit>, Fault> {
    let told: Vec<&Signal> = taken.signals.iter().filter_map(|id| signals.get(id)).collect();
    if told.is_empty() {
        return Ok(None);
    }
    let changes = Track::new(told.iter().map(|signal| Transition::told_by(&signal.content)));
    let mut hit = WatchHit {
        entry: super::shown(watched),
        changes: changes.iter().map(Transition::as_str).collect(),
        signals: told.into_iter().cloned().map(SignalView::from).collect(),
        signal_count: taken.count,
        person: None,
        company: None,
        person_id: None,
    };
    let is_known = match watched {
        Watched::Person(url) => {
            let found =
                run.engine.resolve_person(&PersonQuery::NetworkUrl(url.clone()), run.account()).await?;
            let person =
                found.filter(|found| found.confidence >= Confidence::ENOUGH).map(|found| found.record);
            hit.person_id = person.as_ref().map(|person| person.id);
            hit.person = person.map(PersonView::from);
            hit.person.is_some()
        }
        Watched::Company(domain) => {
            let found =
                run.engine.resolve_company(&CompanyQuery::Domain(domain.clone()), run.account()).await?;
            hit.company = found.map(|found| found.record.into());
            hit.company.is_some()
        }
    };
    Ok(is_known.then_some(hit))
}

/// What the account's webhooks are told of a scheduled run.
pub(super) const fn events(kind: WatchKind) -> &'static [&'static str] {
    match kind {
        WatchKind::People => &["watch_list.matched", "quiet_power_users.matched"],
        WatchKind::Companies => &["watch_list.matched"],
    }
}
