//! Under what a person is stored so that somebody who writes them down in another way still meets them.
//!
//! Ten million people have these keys, so there are few of them: the family name's skeleton at each company, the given name
//! with the family name's initial at the present one, and the name without a company. Whoever asks takes the pains: other
//! readings, other forms. Under a name that more than [`NAME_BEARERS_MAX`] people have nobody is looked for: it proves nothing.

use super::profile::{Profile, Workplace};
use crate::likeness::{CompanyWords, NameParts, given_forms, skeleton};
use assay_domain::{CompanyId, IdentityKey};

/// Companies of the past are looked for under so many of the newest only.
const WORKPLACES_STORED: usize = 3;
const PRESENT_STORED: usize = 1;
/// The name as written, and as an address has it.
const NAMES_STORED: usize = 2;
/// A key that leads to more people than this is left out by whoever asks.
pub const NAME_BEARERS_MAX: usize = 40;
/// What one question may cost.
const KEYS_ASKED_MAX: usize = 40;
const NAME_KEYS_ASKED_MAX: usize = 14;
/// A vague name of a company may mean so many.
const COMPANIES_ASKED_MAX: usize = 8;

/// A short keyed hash; people who share one may be one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchKey(pub i64);

/// What is hashed, before it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CompanyKey {
    Known(CompanyId),
    Domain(String),
    Named(String),
}

impl CompanyKey {
    /// Of a company as a record has it: what is most certain.
    fn stored(workplace: &Workplace) -> Option<Self> {
        let named = || workplace.words.as_ref().map(|words| Self::Named(words.core().to_owned()));
        let site = || workplace.domain.clone().map(Self::Domain);
        workplace.company.map(Self::Known).or_else(site).or_else(named)
    }

    /// Everything the company of a question may be stored as.
    fn asked(workplace: &Workplace) -> Vec<Self> {
        let known = workplace.company.iter().chain(&workplace.possible).copied().map(Self::Known);
        let named = workplace.words.iter().map(|words| Self::Named(words.core().to_owned()));
        known
            .take(COMPANIES_ASKED_MAX)
            .chain(workplace.domain.clone().map(Self::Domain))
            .chain(named)
            .collect()
    }

    fn hash(&self, key: &IdentityKey, rule: &[u8], name: &[&str]) -> MatchKey {
        let (tag, text): (&[u8], &[u8]) = match self {
            Self::Known(id) => (b"id", &id.uuid().into_bytes()),
            Self::Domain(domain) => (b"domain", domain.as_bytes()),
            Self::Named(name) => (b"name", name.as_bytes()),
        };
        let parts: Vec<&[u8]> =
            [rule, tag, text].into_iter().chain(name.iter().map(|part| part.as_bytes())).collect();
        MatchKey(key.match_key(&parts))
    }

    fn by_family(&self, key: &IdentityKey, family: &str) -> MatchKey {
        self.hash(key, b"family", &[&skeleton(&family.replace(' ', ""))])
    }

    fn by_given(&self, key: &IdentityKey, given: &str, initial: &str) -> MatchKey {
        self.hash(key, b"given", &[given, initial])
    }
}

/// The keys a person is stored under. A key that was stored once stays: each record brings its own.
pub fn stored_keys(profile: &Profile, key: &IdentityKey) -> Vec<MatchKey> {
    let mut keys = Vec::new();
    for name in profile.names.iter().take(NAMES_STORED) {
        let mut present = 0;
        for workplace in profile.workplaces.iter().take(WORKPLACES_STORED) {
            let Some(company) = CompanyKey::stored(workplace) else { continue };
            keys.push(company.by_family(key, name.family()));
            if workplace.is_current && present < PRESENT_STORED && !name.given().is_empty() {
                present += 1;
                keys.push(company.by_given(key, name.first_given(), initial(name.family())));
            }
        }
        keys.push(by_name(key, name.first_given(), name.family()));
    }
    unique(keys)
}

/// Without a company, for names that few people have.
fn by_name(key: &IdentityKey, given: &str, family: &str) -> MatchKey {
    let bones = skeleton(&family.replace(' ', ""));
    MatchKey(key.match_key(&[b"name", skeleton(given).as_bytes(), bones.as_bytes()]))
}

/// Everything a name without a company may be stored under; the most telling first.
fn names_asked(name: &NameParts, key: &IdentityKey) -> Vec<MatchKey> {
    let (given, family) = (name.first_given(), name.family());
    let mut keys = vec![by_name(key, given, family), by_name(key, first_word(family), name.given())];
    if let Some((_, last)) = name.given().rsplit_once(' ') {
        keys.push(by_name(key, given, &[last, " ", family].concat()));
    }
    if family.contains(' ') {
        keys.extend(family.split(' ').filter(|part| part.len() > 2).map(|part| by_name(key, given, part)));
    }
    keys.extend(given_forms(given).iter().skip(1).map(|form| by_name(key, form, family)));
    keys
}

/// The keys under which somebody may be stored who is written down like this; the most telling first.
pub fn asked_keys(profile: &Profile, key: &IdentityKey) -> Vec<MatchKey> {
    let mut companies: Vec<CompanyKey> = Vec::new();
    for asked in profile.workplaces.iter().take(WORKPLACES_STORED).flat_map(CompanyKey::asked) {
        if !companies.contains(&asked) {
            companies.push(asked);
        }
    }
    // Round by round over all companies, so that none is left out when there are too many forms of a name.
    let mut names = unique(profile.names.iter().flat_map(|name| names_asked(name, key)).collect());
    names.truncate(NAME_KEYS_ASKED_MAX);
    let rounds =
        profile.names.iter().map(rounds).fold(Vec::new(), |all: Vec<Round>, more| interleave(all, more));
    let keys = rounds.iter().flat_map(|round| companies.iter().map(|company| round.hash(company, key)));
    let mut keys = unique(keys.collect());
    keys.truncate(KEYS_ASKED_MAX - names.len());
    keys.extend(names);
    keys
}

/// The keys a company is stored under.
pub fn company_stored_keys(words: &CompanyWords, key: &IdentityKey) -> Vec<MatchKey> {
    unique(words.keys().iter().map(|text| company_key(text, key)).collect())
}

/// The keys under which a company may be stored whose name is written like this.
pub fn company_asked_keys(words: &CompanyWords, key: &IdentityKey) -> Vec<MatchKey> {
    unique(words.asked_keys().iter().map(|text| company_key(text, key)).collect())
}

fn company_key(text: &str, key: &IdentityKey) -> MatchKey {
    MatchKey(key.match_key(&[b"company", text.as_bytes()]))
}

/// One way to ask at every company.
enum Round {
    Family(String),
    Given(String, String),
}

impl Round {
    fn hash(&self, company: &CompanyKey, key: &IdentityKey) -> MatchKey {
        match self {
            Self::Family(family) => company.by_family(key, family),
            Self::Given(given, initial) => company.by_given(key, given, initial),
        }
    }
}

fn rounds(name: &NameParts) -> Vec<Round> {
    let (given, family) = (name.first_given(), name.family());
    let given_by = |given: &str, family: &str| Round::Given(given.to_owned(), initial(family).to_owned());
    let mut rounds = vec![Round::Family(family.to_owned())];
    if given.is_empty() {
        return rounds;
    }
    rounds.push(given_by(given, family));
    // Changed about.
    rounds.push(Round::Family(name.given().to_owned()));
    rounds.push(given_by(first_word(family), given));
    // Two family names, of which the other may have only one; or a given name that is the first of two.
    if family.contains(' ') {
        rounds.extend(
            family.split(' ').filter(|part| part.len() > 2).map(|part| Round::Family(part.to_owned())),
        );
    }
    if let Some((_, last)) = name.given().rsplit_once(' ') {
        rounds.push(Round::Family([last, " ", family].concat()));
        rounds.push(given_by(given, last));
    }
    rounds.extend(given_forms(given).iter().skip(1).map(|form| given_by(form, family)));
    rounds
}

fn interleave(all: Vec<Round>, more: Vec<Round>) -> Vec<Round> {
    let (mut ones, mut others) = (all.into_iter(), more.into_iter());
    let mut mixed = Vec::new();
    loop {
        let (one, other) = (ones.next(), others.next());
        if one.is_none() && other.is_none() {
            return mixed;
        }
        mixed.extend(one);
        mixed.extend(other);
    }
}

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

fn initial(family: &str) -> &str {
    family.char_indices().nth(1).map_or(family, |(end, _)| family.get(..end).unwrap_or(family))
}

fn unique(keys: Vec<MatchKey>) -> Vec<MatchKey> {
    let mut seen = Vec::with_capacity(keys.len());
    for key in keys {
        if !seen.contains(&key) {
            seen.push(key);
        }
    }
    seen
}
