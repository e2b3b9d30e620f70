//! Guessing what a column holds from its name, in English, German, French and Spanish.

mod companies;
mod people;

use std::collections::BTreeMap;

use assay_domain::{Domain, NetworkHosts};

use crate::field::{Field, Kind, PersonField};
use crate::header::fold_words;

/// A field, and names for it: folded words, joined, with a space between names.
type Names<T> = &'static [(T, &'static str)];

/// Words in front of a name, and what a name means after them. After the words of no table it means what it always does.
struct Group<T: 'static> {
    words: &'static str,
    names: Option<Names<T>>,
}

/// What is known about the names of one kind of column.
struct Vocabulary<T: 'static> {
    names: Names<T>,
    groups: &'static [Group<T>],
    /// Fields of which a file has several, and what is added to tell them apart.
    lists: &'static [T],
    qualifiers: &'static str,
}

/// How sure a name is: as it stands, after dropping what only tells several apart, after dropping words in front.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Exact,
    Qualified,
    Grouped,
}

/// The columns that feed each field, in the order of the file. Of several for a field that takes one, the surest.
pub(crate) fn guess(kind: Kind, names: &[String], hosts: &NetworkHosts) -> BTreeMap<Field, Vec<String>> {
    let brand = brand(hosts);
    let mut found: BTreeMap<Field, Vec<(Rank, &String)>> = BTreeMap::new();
    for name in names {
        let words = fold_words(name);
        let hit = match kind {
            Kind::People => {
                let found = people::VOCABULARY.find(&words, &brand);
                found.map(|(field, rank)| (Field::Person(settle_email(field, &words)), rank))
            }
            Kind::Companies => {
                companies::VOCABULARY.find(&words, &brand).map(|(f, r)| (Field::Company(f), r))
            }
        };
        if let Some((field, rank)) = hit {
            found.entry(field).or_default().push((rank, name));
        }
    }
    let mut columns = BTreeMap::new();
    for (field, mut hits) in found {
        if !field.is_list() {
            hits.sort_by_key(|(rank, _)| *rank);
            hits.truncate(1);
        }
        columns.insert(field, hits.into_iter().map(|(_, name)| name.clone()).collect());
    }
    settle_names(&mut columns);
    columns
}

/// `Work Email` and `personal_email` say what the address is for.
fn settle_email(field: PersonField, words: &[String]) -> PersonField {
    let has_one = |of: &str| words.iter().any(|word| of.split_whitespace().any(|known| known == word));
    match field {
        PersonField::Emails if has_one(people::WORK_WORDS) => PersonField::WorkEmails,
        PersonField::Emails if has_one(people::PERSONAL_WORDS) => PersonField::PersonalEmails,
        other => other,
    }
}

/// A plain "name", "Nom" or "Nombre" is the whole name, unless the other half has a column of its own.
fn settle_names(columns: &mut BTreeMap<Field, Vec<String>>) {
    let [full, first, last] =
        [PersonField::FullName, PersonField::FirstName, PersonField::LastName].map(Field::Person);
    let is_plain = columns.get(&full).and_then(|names| names.first()).is_some_and(|name| {
        let key = fold_words(name).concat();
        people::PLAIN_NAMES.split(' ').any(|plain| plain == key)
    });
    let half = match (columns.contains_key(&first), columns.contains_key(&last)) {
        (true, false) => last,
        (false, true) => first,
        _ => return,
    };
    if is_plain && let Some(names) = columns.remove(&full) {
        columns.insert(half, names);
    }
}

/// What the network is called, by its host: columns are named after it.
fn brand(hosts: &NetworkHosts) -> String {
    let domain = Domain::parse(hosts.canonical()).ok();
    let label = domain.as_ref().and_then(|domain| domain.as_str().split('.').next()).unwrap_or_default();
    fold_words(label).concat()
}

impl<T: Copy + PartialEq> Vocabulary<T> {
    fn find(&self, words: &[String], brand: &str) -> Option<(T, Rank)> {
        if let Some(field) = find_key(self.names, &key(words, brand)) {
            return Some((field, Rank::Exact));
        }
        if let Some(field) = self.find_qualified(words, brand) {
            return Some((field, Rank::Qualified));
        }
        let (first, rest) = words.split_first()?;
        for group in
            self.groups.iter().filter(|group| group.words.split_whitespace().any(|word| word == first))
        {
            let field = match group.names {
                Some(names) => find_key(names, &key(rest, brand)),
                None => self.find(rest, brand).map(|(field, _)| field),
            };
            if let Some(field) = field {
                return Some((field, Rank::Grouped));
            }
        }
        None
    }

    /// `work_email`, `Phone 2`, `Email (personal)`: the name of a list without what tells its columns apart.
    fn find_qualified(&self, words: &[String], brand: &str) -> Option<T> {
        let is_qualifier = |word: &String| {
            word.bytes().all(|byte| byte.is_ascii_digit())
                || self.qualifiers.split_whitespace().any(|known| known == word)
        };
        let rest: Vec<String> = words.iter().filter(|word| !is_qualifier(word)).cloned().collect();
        if rest.len() == words.len() {
            return None;
        }
        find_key(self.names, &key(&rest, brand)).filter(|field| self.lists.contains(field))
    }
}

/// Names of columns are compared by their letters only: "E-Mail" is "email". The network's own name is no different
/// from the word for it.
fn key(words: &[String], brand: &str) -> String {
    let joined = words.concat();
    if brand.is_empty() { joined } else { joined.replace(brand, "network") }
}

fn find_key<T: Copy>(names: Names<T>, key: &str) -> Option<T> {
    let found = names.iter().find(|(_, known)| known.split_whitespace().any(|known| known == key));
    found.map(|(field, _)| *field)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name in two lines of one table would always be read as the first of them.
    fn check<T: Copy + PartialEq + std::fmt::Debug>(names: Names<T>) {
        let all: Vec<(T, &str)> =
            names.iter().flat_map(|(field, keys)| keys.split_whitespace().map(|key| (*field, key))).collect();
        for (index, (field, key)) in all.iter().enumerate() {
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase()), "{key}");
            let other = all.iter().skip(index + 1).find(|(_, other)| other == key);
            assert!(other.is_none(), "{key} is in {field:?} and in {other:?}");
        }
    }

    #[test]
    fn no_name_means_two_things() {
        check(people::VOCABULARY.names);
        check(companies::VOCABULARY.names);
        people::VOCABULARY.groups.iter().filter_map(|group| group.names).for_each(check);
        companies::VOCABULARY.groups.iter().filter_map(|group| group.names).for_each(check);
    }
}
