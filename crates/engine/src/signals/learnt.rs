//! What the graph learns becomes signals: that two snapshots of somebody show another job, and that a company is known by now which
//! notices have named before.

use super::unmatched::company_keys;
use crate::{Engine, EngineError};
use assay_domain::company::CompanyFacts;
use assay_domain::limits::{SIGNAL_FOLLOW_ROWS, SIGNAL_UNMATCHED_MAX};
use assay_domain::signal::{Content, Move, MoveKind, Party, PersonNamed, Post};
use assay_domain::{Company, CompanyId, Confidence, Notice, Person, PersonId};
use assay_store::graph::{
    EmploymentChange, EmploymentChangeKind, EntityKind, Followed, LogHead, Source, ToldChange, WorkSide,
};
use chrono::{DateTime, NaiveTime, Utc};
use std::collections::HashMap;
use uuid::Uuid;

/// Whose place in the log it is.
const FOLLOWER: &str = "signals";
/// Two snapshots of one source that differ: one of them may be wrong.
const CONFIDENCE: Confidence = Confidence::percent(80);

/// What came of following for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// There may be more.
    More,
    UpToDate,
    /// Another node does it.
    Another,
}

impl Engine {
    /// Follows the change log a little further. What was told already changes nothing, so that a node that dies over it is no loss.
    pub async fn learn_signals(&self, node: Uuid, now: DateTime<Utc>) -> Result<Learning, EngineError> {
        let Some(place) = self.graph.follow_as(FOLLOWER, node).await? else { return Ok(Learning::Another) };
        let changes = match self.graph.changes_after(place.epoch, place.seq, SIGNAL_FOLLOW_ROWS).await? {
            Followed::Changes(changes) => changes,
            // The log was restored, and so was this place in it.
            Followed::EpochChanged(head) => {
                let same = LogHead { epoch: head.epoch, seq: place.seq.min(head.seq) };
                self.graph.followed_to(FOLLOWER, node, same).await?;
                return Ok(Learning::More);
            }
        };
        let Some(last) = changes.rows.last() else { return Ok(Learning::UpToDate) };
        let upto = LogHead { epoch: changes.epoch, seq: last.seq };
        let of = |kind: EntityKind| {
            let rows = changes.rows.iter().filter(move |row| row.kind == kind);
            rows.map(|row| (row.entity_id, row.version))
        };
        let people: Vec<(Uuid, i64)> = of(EntityKind::Person).collect();
        self.tell_changes(&people, now).await?;
        let mut companies: Vec<CompanyId> =
            of(EntityKind::Company).map(|(id, _)| CompanyId::from_uuid(id)).collect();
        companies.sort_unstable();
        companies.dedup();
        self.match_later(&companies, now).await?;
        self.graph.followed_to(FOLLOWER, node, upto).await?;
        Ok(if upto.seq < changes.head { Learning::More } else { Learning::UpToDate })
    }

    async fn tell_changes(&self, people: &[(Uuid, i64)], now: DateTime<Utc>) -> Result<(), EngineError> {
        let changes = self.graph.employment_changes(people).await?;
        if changes.is_empty() {
            return Ok(());
        }
        let ids: Vec<PersonId> = changes.iter().map(|(_, change)| change.person).collect();
        let people: HashMap<PersonId, Person> =
            self.graph.people_by_ids(&ids).await?.into_iter().map(|person| (person.id, person)).collect();
        let sides = changes.iter().flat_map(|(_, change)| [change.from.0, change.to.0]);
        let ids: Vec<CompanyId> = sides.flatten().collect();
        let companies = self.graph.companies_by_ids(&ids).await?;
        let companies: HashMap<CompanyId, Company> =
            companies.into_iter().map(|company| (company.id, company)).collect();
        let sources = self.graph.all_sources().await?;
        for change in &changes {
            let source = sources.iter().find(|source| source.id == change.1.source);
            let Some((source, person)) = source.zip(people.get(&change.1.person)) else { continue };
            if let Some(notice) = notice_of(change, source, person, &companies) {
                self.take_notice(&source.name, notice, now).await?;
            }
        }
        Ok(())
    }

    /// Notices of companies that nobody knew when they came are taken in again.
    async fn match_later(&self, ids: &[CompanyId], now: DateTime<Utc>) -> Result<(), EngineError> {
        if ids.is_empty() || !self.graph.has_unmatched_notices().await? {
            return Ok(());
        }
        let companies = self.graph.companies_by_ids(ids).await?;
        let known = companies.iter().filter(|company| company.owner.is_none());
        let keys: Vec<i64> = known.flat_map(|company| self.keys_of(&company.facts)).collect();
        for (source, notice) in self.graph.unmatched_notices(&keys, SIGNAL_UNMATCHED_MAX).await? {
            self.take_notice(&source, notice, now).await?;
        }
        Ok(())
    }

    fn keys_of(&self, facts: &CompanyFacts) -> Vec<i64> {
        let names = std::iter::once(&facts.name).chain(&facts.legal_name).map(String::as_str);
        company_keys(names, facts.domain.iter().chain(&facts.domains), &self.identity)
    }
}

/// Nothing of what one account brought: the feed is for all. Nothing either where nobody would know where somebody is.
fn notice_of(
    (version, change): &ToldChange,
    source: &Source,
    person: &Person,
    companies: &HashMap<CompanyId, Company>,
) -> Option<Notice> {
    if source.rights.owner.is_some() || person.owner.is_some() {
        return None;
    }
    let (from, to) = (post_of(&change.from, companies), post_of(&change.to, companies));
    let company = to.as_ref().or(from.as_ref())?.company.clone();
    Some(Notice {
        reference: format!("{}/{version}/{}", change.person, word(change)),
        url: None,
        occurred_at: change.observed_on.and_time(NaiveTime::MIN).and_utc(),
        company,
        person: Some(PersonNamed {
            full_name: person.facts.full_name.clone(),
            network_url: person.facts.network_url.clone(),
            id: Some(person.id),
        }),
        confidence: CONFIDENCE,
        content: Content::JobChange(Move {
            kind: match change.kind {
                EmploymentChangeKind::JobChange => MoveKind::NewCompany,
                EmploymentChangeKind::Promotion => MoveKind::Promotion,
                EmploymentChangeKind::Departure => MoveKind::Left,
            },
            from,
            to,
            announcement_post_url: None,
            announcement_text: None,
        }),
    })
}

const fn word(change: &EmploymentChange) -> &'static str {
    match change.kind {
        EmploymentChangeKind::JobChange => "job",
        EmploymentChangeKind::Promotion => "step",
        EmploymentChangeKind::Departure => "left",
    }
}

fn post_of((id, name, title): &WorkSide, companies: &HashMap<CompanyId, Company>) -> Option<Post> {
    let known = id.and_then(|id| companies.get(&id)).filter(|company| company.owner.is_none());
    let company = match known {
        Some(company) => Party {
            name: company.facts.name.clone(),
            domain: company.facts.domain.clone(),
            network_url: company.facts.network_url.clone(),
            ..Party::default()
        },
        None => Party::named(name.clone()?),
    };
    Some(Post { title: title.clone().unwrap_or_default(), company, on: None })
}
