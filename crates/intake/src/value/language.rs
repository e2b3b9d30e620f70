//! Languages, by their codes and by their names.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use crate::note::Reason;
use crate::text::fold;

/// ISO 639-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageCode(&'static str);

static LANGUAGES: LazyLock<HashMap<String, LanguageCode>> = LazyLock::new(|| {
    let lines = include_str!("../../data/languages.txt").lines().filter(|line| !line.starts_with('#'));
    let mut found = HashMap::new();
    for line in lines {
        let (code, names) = line.split_once('|').unwrap_or((line, ""));
        let (three, names) = names.split_once('|').unwrap_or((names, ""));
        for name in [code].into_iter().chain(three.split(' ')).chain(names.split('|')) {
            found.insert(fold(name), LanguageCode(code));
        }
    }
    found
});

impl LanguageCode {
    /// Reads a code or a name, also one that goes on with a country or with how well it is spoken: `pt-BR`,
    /// `English (native)`, `German - fluent`.
    pub fn parse(text: &str) -> Result<Self, Reason> {
        let name = text.split(['(', ':', '[', '/']).next().unwrap_or_default();
        let name =
            [" - ", " – "].iter().find_map(|dash| name.split_once(dash)).map_or(name, |(name, _)| name);
        let find = |name: &str| LANGUAGES.get(&fold(name)).copied();
        let found = find(name).or_else(|| {
            let (tag, _) = name.trim().split_once(['-', '_'])?;
            find(tag).filter(|_| tag.len() <= 3)
        });
        found.ok_or(Reason::Plain("is no known language: write its ISO code, such as en, or its name"))
    }

    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for LanguageCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_codes_and_names() {
        for (text, code) in [
            ("en", "en"),
            ("EN", "en"),
            ("eng", "en"),
            ("en-US", "en"),
            ("pt_BR", "pt"),
            ("ger", "de"),
            ("Deutsch", "de"),
            ("Français", "fr"),
            ("English (native or bilingual)", "en"),
            ("Spanish - fluent", "es"),
            ("Polish: B2", "pl"),
            ("Русский", "ru"),
            ("中文", "zh"),
            ("Chinese (Simplified)", "zh"),
            ("Bahasa Indonesia", "id"),
        ] {
            assert_eq!(LanguageCode::parse(text).unwrap().as_str(), code, "{text}");
        }
        for text in ["", "xx", "Klingon", "Python", "123", "english-ish"] {
            assert!(LanguageCode::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_name_means_two_languages() {
        let mut owners: HashMap<String, &str> = HashMap::new();
        for line in include_str!("../../data/languages.txt").lines().filter(|line| !line.starts_with('#')) {
            let code = line.split('|').next().unwrap();
            assert_eq!(code.len(), 2, "{line}");
            for name in line.split('|').flat_map(|part| {
                if part.len() == 7 && part.as_bytes()[3] == b' ' {
                    part.split(' ').collect()
                } else {
                    vec![part]
                }
            }) {
                let other = owners.insert(fold(name), code);
                assert!(other.is_none_or(|other| other == code), "{name} is in {line} and {other:?}");
            }
        }
    }
}
