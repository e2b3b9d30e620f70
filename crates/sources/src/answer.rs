//! What a source said. Whether it can be believed, and what it costs the caller, is decided above.

use assay_domain::company::CompanyFacts;
use assay_domain::person::{EmailKind, KnownEmail, KnownPhone, LineType, PersonFacts};
use assay_domain::taxonomy::EmailStatus;
use assay_domain::{Confidence, Domain, Email, NetworkUrl, Phone};
use chrono::NaiveDate;
use std::time::Duration;

/// What a response means. Only `Hit` and `Miss` say anything of whom was asked for: an error is never a miss.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Hit(Box<Answer>),
    /// The source was asked and has nothing.
    Miss,
    /// The source does not take this question; asking again is no use.
    Refused,
    /// The source will say nothing of them: it was told to forget them.
    Suppressed,
    /// Asked too often: nothing until then, where it says when.
    RateLimited(Option<Duration>),
    /// What was paid for is used up.
    QuotaExhausted,
    /// The key is not taken.
    Unauthorized,
    /// The source works on it: the same question again in a moment.
    Pending,
    /// A failure of theirs, or an answer nobody can read: the word is for the log and says nothing personal.
    Failed(&'static str),
}

impl Reading {
    pub fn hit(answer: Answer) -> Self {
        Self::Hit(Box::new(answer))
    }

    /// One word for traces and counters.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Hit(_) => "found",
            Self::Miss => "not_found",
            Self::Refused => "refused",
            Self::Suppressed => "suppressed",
            Self::RateLimited(_) => "rate_limited",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Unauthorized => "unauthorized",
            Self::Pending => "pending",
            Self::Failed(_) => "error",
        }
    }
}

/// What was found. A vendor fills in what it was asked for, and whatever else came with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub emails: Vec<FoundEmail>,
    pub phones: Vec<FoundPhone>,
    pub verdict: Option<VerdictSaid>,
    pub person: Option<PersonSaid>,
    pub company: Option<CompanyFacts>,
    pub line: Option<Line>,
    /// How sure the source says it is that this is whom was meant.
    pub confidence: Option<Confidence>,
    /// What the source says it charged, in thousandths of its own units; what the price list says when it is silent.
    pub charged_thousandths: Option<u32>,
}

impl Answer {
    /// Whether there is anything in it at all: an envelope around nothing is a miss.
    pub fn is_empty(&self) -> bool {
        let Self { emails, phones, verdict, person, company, line, .. } = self;
        emails.is_empty()
            && phones.is_empty()
            && verdict.is_none()
            && person.is_none()
            && company.is_none()
            && line.is_none()
    }
}

impl Answer {
    /// The person with every address and number that came along, wherever the vendor put them.
    pub fn whole_person(&self) -> Option<PersonSaid> {
        let mut person = self.person.clone()?;
        let facts = &mut person.facts;
        for FoundEmail { address, kind, status, .. } in &self.emails {
            if facts.emails.iter().all(|known| known.address != *address) {
                let (address, kind, status) = (address.clone(), *kind, *status);
                facts.emails.push(KnownEmail { address, kind, status, verified_at: None });
            }
        }
        for FoundPhone { number, line } in &self.phones {
            if facts.phones.iter().all(|known| known.number != *number) {
                facts.phones.push(KnownPhone { number: number.clone(), line: *line });
            }
        }
        Some(person)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoundEmail {
    pub address: Email,
    pub kind: EmailKind,
    /// What the source says of it; our own verdict is taken where we can have one.
    pub status: Option<EmailStatus>,
    pub confidence: Option<Confidence>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoundPhone {
    pub number: Phone,
    pub line: LineType,
}

/// A verifier's word on an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictSaid {
    pub status: EmailStatus,
    pub catch_all: Option<bool>,
    pub mx_found: Option<bool>,
    pub mailbox_exists: Option<bool>,
    pub disposable: Option<bool>,
}

/// A person, and their jobs, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonSaid {
    /// The source's own id of them, if it told one.
    pub reference: Option<String>,
    pub facts: PersonFacts,
    pub jobs: Vec<JobSaid>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobSaid {
    pub company_name: Option<String>,
    pub company_domain: Option<Domain>,
    pub company_url: Option<NetworkUrl>,
    pub title: Option<String>,
    pub started_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
}

/// What is known of a telephone line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Whether the number can be in use at all, where the source says.
    pub valid: Option<bool>,
    pub kind: LineType,
    pub carrier: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}
