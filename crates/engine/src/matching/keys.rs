//! Under what a person is stored so that somebody who writes them down in another way still meets them.
//!
//! Ten million people have these keys, so there are few of them: the family name's skeleton at each company, the given name
//! with the family name's initial at the present one, and the name without a company. Whoever asks takes the pains: other
//! readings, other forms. Under a name that more than [`NAME_BEARERS_MAX`] people have nobody is looked for: it proves nothing.

use super::profile::{Profile, Workplace};
use crate::likeness::{CompanyWords, NameParts, given_forms, skeleton};
use assay_domain::{CompanyId, IdentityKey};
use std::iter;

/// Companies of the past are looked for under so many of the newest only.
const WORKPLACES_STORED: usize = 3;
const PRESENT_STORED: usize = 1;
/// The name as written, and as an address has it.
const NAMES_STORED: usize = 2;
/// Under a name that more people have than this nobody is looked for: it tells too little.
pub const NAME_BEARERS_MAX: i64 = 10;
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

    /// By the skeleton of a family name.
    fn by_bones(&self, key: &IdentityKey, bones: &str) -> MatchKey {
        self.hash(key, b"family", &[bones])
    }

    fn by_given(&self, key: &IdentityKey, given: &str, initial: &str) -> MatchKey {
        self.hash(key, b"given", &[given, initial])
    }
}

/// The keys a person is stored under. A key that was stored once stays: each record brings its own.
pub fn stored_keys(profile: &Profile, key: &IdentityKey) -> Vec<MatchKey> {
    let mut keys = Vec::new();
    for name in profile.names.iter().take(NAMES_STORED) {
        let bones = bones_of(name.family());
        let mut present = 0;
        for workplace in profile.workplaces.iter().take(WORKPLACES_STORED) {
            let Some(company) = CompanyKey::stored(workplace) else { continue };
            keys.push(company.by_bones(key, &bones));
            if workplace.is_current && present < PRESENT_STORED && !name.given().is_empty() {
                present += 1;
                keys.push(company.by_given(key, name.first_given(), initial(name.family())));
            }
        }
        keys.push(by_name(key, name.first_given(), name.family()));
    }
    unique(keys)
}

fn bones_of(family: &str) -> String {
    if family.contains(' ') { skeleton(&family.replace(' ', "")) } else { skeleton(family) }
}

/// Without a company, for names that few people have.
fn by_name(key: &IdentityKey, given: &str, family: &str) -> MatchKey {
    let bones = bones_of(family);
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

/// The keys under which somebody may be stored who is written down like this: first those at companies.
pub fn asked_keys(profile: &Profile, key: &IdentityKey) -> Vec<MatchKey> {
    let names = asked_names(profile, key, NAME_KEYS_ASKED_MAX);
    let mut keys = asked_at_companies(profile, key, KEYS_ASKED_MAX - names.len());
    keys.extend(names);
    keys
}

/// The first `most` keys at companies, the most telling first. Those that are not asked for are not made either: making them
/// is what costs.
pub fn asked_at_companies(profile: &Profile, key: &IdentityKey, most: usize) -> Vec<MatchKey> {
    let mut companies: Vec<CompanyKey> = Vec::new();
    for asked in profile.workplaces.iter().take(WORKPLACES_STORED).flat_map(CompanyKey::asked) {
        if !companies.contains(&asked) {
            companies.push(asked);
        }
    }
    // Round by round over all companies, so that none is left out when there are too many forms of a name.
    let none: Rounds<'_> = Box::new(iter::empty());
    let rounds = profile.names.iter().map(rounds).fold(none, interleave);
    let companies = &companies;
    let mut hashed = rounds.flat_map(|round| companies.iter().map(move |company| round.hash(company, key)));
    let mut keys = Vec::new();
    add_unique(&mut keys, &mut hashed, most);
    keys
}

/// The first `most` keys of a name without a company. Under one that more than [`NAME_BEARERS_MAX`] people have nobody is to
/// be looked for.
pub fn asked_names(profile: &Profile, key: &IdentityKey, most: usize) -> Vec<MatchKey> {
    let mut keys = Vec::new();
    add_unique(&mut keys, &mut profile.names.iter().flat_map(|name| names_asked(name, key)), most);
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
    /// By the skeleton of the family name.
    Family(String),
    Given(String, String),
}

impl Round {
    fn family(family: &str) -> Self {
        Self::Family(bones_of(family))
    }

    fn given(given: &str, family: &str) -> Self {
        Self::Given(given.to_owned(), initial(family).to_owned())
    }

    fn hash(&self, company: &CompanyKey, key: &IdentityKey) -> MatchKey {
        match self {
            Self::Family(bones) => company.by_bones(key, bones),
            Self::Given(given, initial) => company.by_given(key, given, initial),
        }
    }
}

/// Each is made when it is asked for.
type Rounds<'a> = Box<dyn Iterator<Item = Round> + 'a>;

fn rounds(name: &NameParts) -> Rounds<'_> {
    let (given, family) = (name.first_given(), name.family());
    let by_family = iter::once_with(move || Round::family(family));
    if given.is_empty() {
        return Box::new(by_family);
    }
    let by_given = iter::once_with(move || Round::given(given, family));
    let changed_about = iter::once_with(|| Round::family(name.given()))
        .chain(iter::once_with(move || Round::given(first_word(family), given)));
    // Two family names, of which the other may have only one; or a given name that is the first of two.
    let several = Some(family).filter(|family| family.contains(' '));
    let one_of_two = several
        .into_iter()
        .flat_map(|family| family.split(' '))
        .filter(|part| part.len() > 2)
        .map(Round::family);
    let first_of_two =
        name.given().rsplit_once(' ').into_iter().flat_map(move |(_, last)| {
            [Round::family(&[last, " ", family].concat()), Round::given(given, last)]
        });
    let forms = iter::once_with(move || given_forms(given)).flatten().skip(1);
    let other_forms = forms.map(move |form| Round::given(&form, family));
    Box::new(
        by_family
            .chain(by_given)
            .chain(changed_about)
            .chain(one_of_two)
            .chain(first_of_two)
            .chain(other_forms),
    )
}

/// One of each in turn, and the rest of the longer one.
fn interleave<'a>(mut ones: Rounds<'a>, mut others: Rounds<'a>) -> Rounds<'a> {
    let mut is_others_turn = true;
    Box::new(iter::from_fn(move || {
        is_others_turn = !is_others_turn;
        if is_others_turn {
            others.next().or_else(|| ones.next())
        } else {
            ones.next().or_else(|| others.next())
        }
    }))
}

fn first_word(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

fn initial(family: &str) -> &str {
    family.char_indices().nth(1).map_or(family, |(end, _)| family.get(..end).unwrap_or(family))
}

fn unique(keys: Vec<MatchKey>) -> Vec<MatchKey> {
    let mut seen = Vec::with_capacity(keys.len());
    add_unique(&mut seen, &mut keys.into_iter(), usize::MAX);
    seen
}

/// Takes no more than it needs to have `most`.
fn add_unique(seen: &mut Vec<MatchKey>, keys: &mut impl Iterator<Item = MatchKey>, most: usize) {
    while seen.len() < most {
        let Some(key) = keys.next() else { return };
        if !seen.contains(&key) {
            seen.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_keys_are_the_first_of_all() {
        let identity = IdentityKey::new([7; 32]);
        let workplaces = ["Northwind Systems", "Contoso", "Fabrikam"].map(Workplace::named);
        for (given, family) in [("anna maria", "lopez garcia"), ("bob", "smith"), ("", "li"), ("lee", "lee")]
        {
            let names = vec![NameParts::new(given, family), NameParts::new("robert", "smyth")];
            for (names, places) in [(names.clone(), 0), (names.clone(), 1), (names, 3)] {
                let workplaces = workplaces.iter().take(places).cloned().collect();
                let profile = Profile { names, workplaces, ..Profile::default() };
                let all = asked_keys(&profile, &identity);
                assert!(!all.is_empty() && all.len() <= KEYS_ASKED_MAX);
                let at_companies = asked_at_companies(&profile, &identity, KEYS_ASKED_MAX);
                let names = asked_names(&profile, &identity, NAME_KEYS_ASKED_MAX);
                assert!(all.starts_with(&asked_at_companies(&profile, &identity, all.len() - names.len())));
                assert!(all.ends_with(&names) && names.len() <= NAME_KEYS_ASKED_MAX);
                for most in 0..=KEYS_ASKED_MAX {
                    let first = asked_at_companies(&profile, &identity, most);
                    assert_eq!(first, at_companies.iter().take(most).copied().collect::<Vec<_>>());
                    let first = asked_names(&profile, &identity, most.min(NAME_KEYS_ASKED_MAX));
                    assert_eq!(first, names.iter().take(most).copied().collect::<Vec<_>>());
                }
            }
        }
    }
}
