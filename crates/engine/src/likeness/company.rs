//! Names of companies: what of them tells one from another, and how alike two are.

use assay_domain::name::fold_company;

use super::spelling::{is_abbreviated, is_slip, reduce};

/// Words that many companies have in their names. A name is told from another by the rest, if there is any.
const COMMON: &[&str] = &[
    "and",
    "associates",
    "business",
    "capital",
    "co",
    "company",
    "consulting",
    "corporate",
    "digital",
    "enterprise",
    "enterprises",
    "europe",
    "gesellschaft",
    "global",
    "group",
    "gruppe",
    "groupe",
    "grupo",
    "gruppo",
    "holding",
    "holdings",
    "industries",
    "industry",
    "international",
    "intl",
    "lab",
    "labs",
    "management",
    "of",
    "partner",
    "partners",
    "service",
    "services",
    "software",
    "solution",
    "solutions",
    "studio",
    "studios",
    "system",
    "systems",
    "tech",
    "technologies",
    "technology",
    "the",
    "und",
    "usa",
    "ventures",
    "worldwide",
];

/// Shorter words are too common to be looked up by themselves.
const WORD_CHARS_MIN: usize = 4;
/// Two letters stand for too much.
const ACRONYM_CHARS_MIN: usize = 3;
/// One letter is left out of names of these lengths to find those with a slip: shorter ones have too many neighbours.
const SLIPPED_CHARS: std::ops::RangeInclusive<usize> = 5..=24;

/// How two names of companies stand to each other, from what cannot be to what is one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CompanyLikeness {
    Different,
    /// The words of one are among those of the other.
    Contained,
    /// One is made of the first letters of the other.
    Acronym,
    /// A slip of the finger apart.
    Slip,
    /// Word for word the same or cut short: Univ of Bath, University of Bath.
    Abbreviated,
    /// Alike but for words that many companies have.
    Core,
    Same,
}

/// A company's name, folded once for many comparisons.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CompanyWords {
    /// Everything, written as one word: Data Dog is Datadog.
    whole: String,
    words: Vec<String>,
    /// What tells it from others, in its order.
    core: Vec<String>,
    core_joined: String,
    initials: String,
}

impl CompanyWords {
    pub fn of(name: &str) -> Self {
        let folded = fold_company(name);
        let words: Vec<String> = folded.split(' ').map(reduce).collect();
        let telling: Vec<String> =
            words.iter().filter(|word| !COMMON.contains(&word.as_str())).cloned().collect();
        let core = if telling.is_empty() { words.clone() } else { telling };
        let initials = words
            .iter()
            .filter(|word| *word != "and" && *word != "of")
            .filter_map(|word| word.chars().next());
        Self { whole: words.concat(), core_joined: core.concat(), initials: initials.collect(), core, words }
    }

    /// What tells it from others, written as one word.
    pub fn core(&self) -> &str {
        &self.core_joined
    }

    /// Everything, written as one word.
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// The texts under which a company is stored, so that a name written in another way meets it under at least one.
    pub fn keys(&self) -> Vec<String> {
        let core = &self.core_joined;
        let mut keys = vec![["c:", core].concat()];
        if let Some(first) =
            self.core.first().filter(|word| self.core.len() > 1 && word.len() >= WORD_CHARS_MIN)
        {
            keys.push(["f:", first].concat());
        }
        keys.extend(self.slipped());
        keys
    }

    /// Texts of which two names a slip apart share one.
    pub fn slipped(&self) -> Vec<String> {
        without_one_letter(&self.core_joined)
    }

    /// The texts under which a name somebody asks for may be found.
    pub fn asked_keys(&self) -> Vec<String> {
        let core = &self.core_joined;
        let mut keys = self.keys();
        if self.core.len() == 1 && core.len() >= WORD_CHARS_MIN {
            keys.push(["f:", core].concat());
        }
        // A letter too many in the one is a letter left out of the other.
        keys.push(["s:", core].concat());
        keys
    }
}

/// Each text with one letter left out, of a length at which that says something; and the text itself, for the one with a
/// letter too many.
fn without_one_letter(core: &str) -> Vec<String> {
    let letters: Vec<char> = core.chars().collect();
    if !SLIPPED_CHARS.contains(&letters.len()) {
        return Vec::new();
    }
    let shortened = (0..letters.len()).map(|out| {
        let rest = letters.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, letter)| letter);
        std::iter::once("s:".to_owned()).chain(rest.map(char::to_string)).collect::<String>()
    });
    let mut keys: Vec<String> = shortened.chain([["s:", core].concat()]).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

pub fn compare_companies(one: &CompanyWords, other: &CompanyWords) -> CompanyLikeness {
    if one.whole == other.whole {
        return CompanyLikeness::Same;
    }
    if one.core_joined == other.core_joined {
        return CompanyLikeness::Core;
    }
    if is_abbreviated(one.words.iter().map(String::as_str), other.words.iter().map(String::as_str)) {
        return CompanyLikeness::Abbreviated;
    }
    if is_slip(&one.core_joined, &other.core_joined) || is_slip(&one.whole, &other.whole) {
        return CompanyLikeness::Slip;
    }
    if is_acronym(one, other) || is_acronym(other, one) {
        return CompanyLikeness::Acronym;
    }
    let (fewer, more) = if one.core.len() <= other.core.len() { (one, other) } else { (other, one) };
    let contained = fewer.core.len() < more.core.len()
        && fewer.core.iter().all(|word| more.core.contains(word))
        && fewer.core.iter().any(|word| word.len() >= WORD_CHARS_MIN);
    if contained { CompanyLikeness::Contained } else { CompanyLikeness::Different }
}

fn is_acronym(short: &CompanyWords, long: &CompanyWords) -> bool {
    short.words.len() == 1 && short.whole.len() >= ACRONYM_CHARS_MIN && short.whole == long.initials
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(one: &str, other: &str) -> CompanyLikeness {
        compare_companies(&CompanyWords::of(one), &CompanyWords::of(other))
    }

    #[test]
    fn ways_of_writing_one_company_have_degrees() {
        assert_eq!(compare("Northwind Robotics GmbH", "northwind robotics"), CompanyLikeness::Same);
        assert_eq!(compare("Data Dog", "Datadog, Inc."), CompanyLikeness::Same);
        assert_eq!(compare("Müller & Söhne", "Mueller and Soehne"), CompanyLikeness::Same);
        assert_eq!(compare("Northwind Group", "Northwind International"), CompanyLikeness::Core);
        assert_eq!(compare("Northwimd Robotics", "Northwind Robotics"), CompanyLikeness::Slip);
        assert_eq!(compare("Hartley Mfg", "Hartley Manufacturing"), CompanyLikeness::Abbreviated);
        assert_eq!(compare("NRI", "Northwind Robotics International"), CompanyLikeness::Acronym);
        assert_eq!(compare("Northwind", "Northwind Robotics"), CompanyLikeness::Contained);
        assert_eq!(compare("Northwind Robotics", "Southwind Analytics"), CompanyLikeness::Different);
        assert_eq!(compare("The Group", "Global Partners"), CompanyLikeness::Different);
    }

    #[test]
    fn names_that_are_alike_meet_under_a_key() {
        for (stored, asked) in [
            ("Northwind Robotics GmbH", "Northwind"),
            ("Northwind Robotics", "Nortwind Robotics"),
            ("Northwind Robotics", "Northwwind Robotics"),
            ("Northwind Robotics", "Northwnid Robotics"),
            ("Northwind Robotics", "Nurthwind Robotics"),
            ("Northwind Group", "Northwind International"),
        ] {
            let keys = CompanyWords::of(stored).keys();
            let met = CompanyWords::of(asked).asked_keys().iter().any(|key| keys.contains(key));
            assert!(met, "{stored} {asked}");
        }
    }
}
