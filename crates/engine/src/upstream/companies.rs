//! A company the graph does not know, from a vendor that does; as it is done with people.

use super::cascade::Said;
use super::kept::{Keeping, Memory, Remembered};
use super::people::{RecordSearch, rights_of, source_name};
use crate::import::CompanyRecord;
use crate::{CompanyQuery, Engine, EngineError, Found};
use assay_domain::{AccountId, Company, Digest, Lookup};
use assay_sources::{Question, Subject};
use chrono::{DateTime, Utc};

impl Engine {
    pub async fn ask_for_company(
        &self,
        query: &CompanyQuery,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<RecordSearch<Company>, EngineError> {
        let mut search = RecordSearch::default();
        let Some(upstreams) = &self.upstreams else { return Ok(search) };
        let (subject, question) = (subject_of(query), self.company_key(query));
        let asked = Remembered { lookup: Lookup::Company, question, about: &[], asker, now };
        if let Memory::Missed = upstreams.recall::<serde_json::Value>(&asked, None).await? {
            return Ok(search);
        }
        let segment = subject.country.clone().unwrap_or_else(|| "-".to_owned());
        let question = Question { lookup: Lookup::Company, subject };
        let mut cascade = upstreams.cascade(question, &segment, asker);
        while let Some(said) = cascade.next().await {
            let taken = self.take_company(query, &said, asker, now).await?;
            cascade.judge(&said, taken.is_some());
            if let Some(found) = taken {
                search.found = Some(found);
                search.is_own_key = said.is_own_key;
                break;
            }
        }
        search.trail = cascade.finish();
        if search.found.is_none() {
            upstreams.remember_miss(&asked, &search.trail).await?;
        }
        Ok(search)
    }

    async fn take_company(
        &self,
        query: &CompanyQuery,
        said: &Said,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<Option<Found<Company>>, EngineError> {
        let keeping = said.keeping(asker);
        let Some(facts) = said.answer.company.clone() else { return Ok(None) };
        if keeping == Keeping::Never {
            return Ok(None);
        }
        let domain = facts.domain.clone();
        let reference = match &domain {
            Some(domain) => format!("domain-{}", domain.as_str()),
            None => format!("name-{}", facts.name),
        };
        let record = CompanyRecord { reference, facts, observed_on: now.date_naive() };
        let source = self.declare_source(&source_name(said, keeping), &rights_of(said, keeping)).await?;
        self.import_one_company(&source, record, now).await?;
        let by_domain = domain.map(CompanyQuery::Domain);
        for way in std::iter::once(query).chain(&by_domain) {
            if let Some(found) = self.resolve_company(way, asker).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn company_key(&self, query: &CompanyQuery) -> Digest {
        let key = &self.identity;
        match query {
            CompanyQuery::Domain(domain) => key.digest_domain(domain),
            CompanyQuery::NetworkUrl(url) => key.digest_network_url(url),
            CompanyQuery::Name { name, .. } => {
                key.digest_company_name(&assay_domain::name::fold_company(name))
            }
        }
    }
}

fn subject_of(query: &CompanyQuery) -> Subject {
    match query.clone() {
        CompanyQuery::Domain(domain) => Subject { domain: Some(domain), ..Subject::default() },
        CompanyQuery::NetworkUrl(url) => Subject { network_url: Some(url), ..Subject::default() },
        CompanyQuery::Name { name, country } => {
            Subject { company_name: Some(name), country, ..Subject::default() }
        }
    }
}
