//! Somebody's telephone: what the graph knows, what was found before, what vendors know; and what kind of line it is.

use super::cascade::{Said, Trail};
use super::kept::{Memory, Remembered, is_within};
use crate::{Engine, EngineError};
use assay_domain::limits::{PHONES_JUDGED_MAX, UPSTREAM_MISS_LIFETIME};
use assay_domain::person::{KnownPhone, LineType};
use assay_domain::phone::carrier_of;
use assay_domain::{AccountId, Digest, Lookup, NetworkUrl, Person, Phone};
use assay_sources::{Line, Question, Subject};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Whose number is looked for.
#[derive(Debug, Clone)]
pub struct PhoneQuery {
    pub subject: Subject,
    /// What the graph knows them by; their record, if it does.
    pub question: Digest,
    pub person: Option<Person>,
    /// Whether a number that is not a mobile's will do.
    pub any_line: bool,
    pub max_age: Option<Duration>,
    pub asker: AccountId,
}

/// A number, and whose word it is.
#[derive(Debug, Clone)]
pub struct PhoneFound {
    pub number: Phone,
    pub line: LineType,
    pub carrier: Option<String>,
    pub country: Option<String>,
    pub network_url: Option<NetworkUrl>,
    /// `graph`, or the vendor's name.
    pub source: Arc<str>,
    /// When a vendor said so before, if it was not asked now.
    pub kept_from: Option<DateTime<Utc>>,
    /// Whether the account's own key was paid for it.
    pub is_own_key: bool,
}

#[derive(Debug, Clone, Default)]
pub struct PhoneSearch {
    pub found: Option<PhoneFound>,
    /// That the graph was asked, and had no such number.
    pub graph_has_none: bool,
    pub trail: Trail,
}

/// A find as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptPhone {
    number: Phone,
    line: LineType,
    #[serde(default)]
    carrier: Option<String>,
    #[serde(default)]
    country: Option<String>,
    #[serde(default)]
    network_url: Option<NetworkUrl>,
}

/// What is known of a line.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptLine {
    line: LineType,
    #[serde(default)]
    carrier: Option<String>,
    #[serde(default)]
    country: Option<String>,
}

impl Engine {
    pub async fn find_phone(
        &self,
        query: &PhoneQuery,
        now: DateTime<Utc>,
    ) -> Result<PhoneSearch, EngineError> {
        let about = self.about(&query.subject);
        let lookup = Lookup::Phone;
        let asked = Remembered { lookup, question: query.question, about: &about, asker: query.asker, now };
        let mut search = PhoneSearch::default();
        let memory = match &self.upstreams {
            Some(upstreams) => upstreams.recall::<KeptPhone>(&asked, query.max_age).await?,
            None => Memory::Nothing,
        };
        let is_missed = match memory {
            Memory::Suppressed => return Ok(search),
            Memory::Found { value, provider, asked_at } if query.takes(value.line) => {
                let is_own_key = self.is_own_key(&provider, query.asker);
                search.found = Some(value.found(Arc::from(provider), Some(asked_at), is_own_key));
                return Ok(search);
            }
            // Lately nobody had more than a line of another kind.
            Memory::Found { asked_at, .. } => is_within(now, asked_at, UPSTREAM_MISS_LIFETIME),
            Memory::Missed => true,
            Memory::Nothing => false,
        };
        self.find_phone_in_graph(query, &mut search, now).await?;
        if search.found.is_none() && !is_missed {
            self.find_phone_upstream(query, &asked, &mut search).await?;
        }
        Ok(search)
    }

    async fn find_phone_in_graph(
        &self,
        query: &PhoneQuery,
        search: &mut PhoneSearch,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let Some(person) = &query.person else { return Ok(()) };
        for KnownPhone { number, line } in person.facts.phones.iter().take(PHONES_JUDGED_MAX) {
            let (line, trail) = self.judge_line(number, *line, query.asker, now).await?;
            search.trail.add(trail);
            if query.takes(line.line) {
                let network_url = person.facts.network_url.clone();
                let kept = KeptPhone::of(number.clone(), line, network_url);
                search.found = Some(kept.found(Arc::from("graph"), None, false));
                return Ok(());
            }
        }
        search.graph_has_none = true;
        Ok(())
    }

    async fn find_phone_upstream(
        &self,
        query: &PhoneQuery,
        asked: &Remembered<'_>,
        search: &mut PhoneSearch,
    ) -> Result<(), EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok(()) };
        let question = Question { lookup: Lookup::Phone, subject: query.subject.clone() };
        let segment = query.subject.country.as_deref().unwrap_or("-");
        let mut cascade = upstreams.cascade(question, segment, query.asker);
        let mut lines = Trail::default();
        let mut other = None;
        while let Some(said) = cascade.next().await {
            let (found, trail) = self.take_phone(query, &said, asked.now).await?;
            lines.add(trail);
            let is_wanted = found.as_ref().is_some_and(|kept| query.takes(kept.line));
            cascade.judge(&said, is_wanted);
            match found {
                Some(kept) if is_wanted => {
                    self.remember_phone(asked, &said, &kept).await?;
                    search.found = Some(kept.found(Arc::clone(&said.provider.name), None, said.is_own_key));
                    break;
                }
                found => other = other.or(found.map(|kept| (said, kept))),
            }
        }
        let trail = cascade.finish();
        match other {
            _ if search.found.is_some() => {}
            // Of no use here, and for whoever takes any line what they look for.
            Some((said, kept)) if trail.is_miss() => self.remember_phone(asked, &said, &kept).await?,
            _ => upstreams.remember_miss(asked, &trail).await?,
        }
        search.trail.add(trail);
        // What a line is was asked beside the search: that nobody knows does not make the search fail.
        search.trail.steps.extend(lines.steps);
        Ok(())
    }

    async fn remember_phone(
        &self,
        asked: &Remembered<'_>,
        said: &Said,
        kept: &KeptPhone,
    ) -> Result<(), EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok(()) };
        upstreams.remember(asked, said, kept, &[self.identity.digest_phone(&kept.number)]).await
    }

    /// The first of a vendor's numbers that is of the kind looked for, else its first, and of nobody who was erased.
    async fn take_phone(
        &self,
        query: &PhoneQuery,
        said: &Said,
        now: DateTime<Utc>,
    ) -> Result<(Option<KeptPhone>, Trail), EngineError> {
        let Some(upstreams) = &self.upstreams else { return Ok((None, Trail::default())) };
        let (mut asked, mut first) = (Trail::default(), None);
        let url = said.answer.person.as_ref().and_then(|person| person.facts.network_url.clone());
        for phone in said.answer.phones.iter().take(PHONES_JUDGED_MAX) {
            let digests = [self.identity.digest_phone(&phone.number)];
            if upstreams.is_suppressed(&digests).await? {
                continue;
            }
            let (line, trail) = self.judge_line(&phone.number, phone.line, query.asker, now).await?;
            asked.add(trail);
            let url = query.subject.network_url.clone().or_else(|| url.clone());
            let kept = KeptPhone::of(phone.number.clone(), line, url);
            if query.takes(kept.line) {
                return Ok((Some(kept), asked));
            }
            first = first.or(Some(kept));
        }
        Ok((first, asked))
    }

    /// What kind of line a number is: by its country's plan, else by whoever knows carriers, else as it was said to be.
    async fn judge_line(
        &self,
        number: &Phone,
        said: LineType,
        asker: AccountId,
        now: DateTime<Utc>,
    ) -> Result<(KeptLine, Trail), EngineError> {
        let (planned, country) = (number.line_type(), number.country());
        let carrier = carrier_of(number).map(str::to_owned);
        if planned != LineType::Unknown {
            return Ok((KeptLine { line: planned, carrier, country }, Trail::default()));
        }
        let digest = self.identity.digest_phone(number);
        let about = [digest];
        let asked = Remembered { lookup: Lookup::Line, question: digest, about: &about, asker, now };
        let as_said = KeptLine { line: said, carrier, country };
        let Some(upstreams) = &self.upstreams else { return Ok((as_said, Trail::default())) };
        if let Memory::Found { value, .. } = upstreams.recall::<KeptLine>(&asked, None).await? {
            return Ok((value, Trail::default()));
        }
        let subject = Subject { phone: Some(number.clone()), ..Subject::default() };
        let question = Question { lookup: Lookup::Line, subject };
        let mut cascade = upstreams.cascade(question, as_said.country.as_deref().unwrap_or("-"), asker);
        let mut known = None;
        while let Some(said) = cascade.next().await {
            let line = said.answer.line.as_ref().and_then(|line| KeptLine::of(line, &as_said));
            cascade.judge(&said, line.is_some());
            if let Some(line) = line {
                upstreams.remember(&asked, &said, &line, &[]).await?;
                known = Some(line);
                break;
            }
        }
        Ok((known.unwrap_or(as_said), cascade.finish()))
    }

    /// The digests of everything a question says of somebody.
    pub(super) fn about(&self, subject: &Subject) -> Vec<Digest> {
        let key = &self.identity;
        let mut about = Vec::new();
        about.extend(subject.email.as_ref().map(|email| key.digest_email(email)));
        about.extend(subject.phone.as_ref().map(|phone| key.digest_phone(phone)));
        about.extend(subject.network_url.as_ref().map(|url| key.digest_network_url(url)));
        if let (Some(name), Some(domain)) = (&subject.name, &subject.domain) {
            about.push(key.digest_name_at_domain(name, domain));
        }
        about
    }
}

impl PhoneQuery {
    fn takes(&self, line: LineType) -> bool {
        self.any_line || line == LineType::Mobile
    }
}

impl KeptPhone {
    fn of(number: Phone, line: KeptLine, network_url: Option<NetworkUrl>) -> Self {
        let KeptLine { line, carrier, country } = line;
        Self { number, line, carrier, country, network_url }
    }

    fn found(self, source: Arc<str>, kept_from: Option<DateTime<Utc>>, is_own_key: bool) -> PhoneFound {
        let Self { number, line, carrier, country, network_url } = self;
        PhoneFound { number, line, carrier, country, network_url, source, kept_from, is_own_key }
    }
}

impl KeptLine {
    /// None where the vendor knows no more than we do.
    fn of(line: &Line, before: &Self) -> Option<Self> {
        (line.valid != Some(false) && line.kind != LineType::Unknown).then(|| Self {
            line: line.kind,
            carrier: line.carrier.clone().or_else(|| before.carrier.clone()),
            country: line.country.clone().or_else(|| before.country.clone()),
        })
    }
}
