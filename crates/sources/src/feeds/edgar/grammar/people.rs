//! Who is named in a sentence, by a full name or by `Mr. Roe`.

use super::words::Word;
use assay_domain::name::fold_text;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of a name, at most.
const NAME_WORDS_MAX: usize = 6;
const HONORIFICS: &[&str] = &["mr", "mrs", "ms", "dr", "prof"];
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv"];
const PARTICLES: &[&str] = &[
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "al", "bin",
    "ter", "ten",
];
/// What makes a name one of a company.
pub(super) const LEGAL_FORMS: &[&str] = &[
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "co",
    "company",
    "llc",
    "ltd",
    "limited",
    "lp",
    "llp",
    "plc",
    "ag",
    "sa",
    "nv",
    "bv",
    "gmbh",
    "ab",
    "asa",
    "oyj",
    "spa",
    "pty",
    "na",
    "holdings",
    "partners",
    "group",
    "bancorp",
    "trust",
];
/// Words that begin with a capital in reports and are never part of anybody's name.
static NEVER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "accounting act acting agreement amended amendment and annual appointment april as audit august award \
     bank board business buyer capital ceo certain cfo chair chairman chairperson chairwoman change chief \
     closing code college commission committee common compensation compensatory control controller coo \
     corporate counsel cto current date december delaware departure development director directors \
     disclosure division effective election employment energy equity event exchange executive exhibit \
     february financial following form friday general global governance he head human if in incentive \
     indemnification independent interim international it item its january july june lead legal letter \
     long-term management managing march marketing merger monday nasdaq new nominating november nyse \
     october of offer officer officers on operating operational operations options our parent performance \
     period pharmaceuticals plan policy president press previously principal prior product proxy purchase \
     purchaser pursuant registrant registration regulation release report resignation resources restated \
     restricted retirement revenue sales school secretary section securities seller senior separation \
     september services severance share shares she since solutions statement states stock strategy sub \
     subsidiary succession systems target technologies technology term the therapeutics there these they \
     this thursday to transition treasurer tuesday under united units university upon vice we wednesday \
     with"
        .split_whitespace()
        .collect()
});
/// After these a name is not who does something.
const BEFORE_OBJECTS: &[&str] = &[
    "of",
    "with",
    "by",
    "to",
    "from",
    "for",
    "succeed",
    "succeeds",
    "succeeded",
    "succeeding",
    "replace",
    "replaces",
    "replaced",
    "replacing",
    "and/or",
    "between",
    "appointed",
    "named",
    "elected",
    "promoted",
    "hired",
];

/// Somebody, and where they are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) start: usize,
    /// The place after it.
    pub(super) end: usize,
    /// In full.
    pub(super) name: String,
    /// Whether it is in full here.
    pub(super) is_full: bool,
}

impl Mention {
    /// Whether they may be who does something in the sentence.
    pub(super) fn is_subject(&self, words: &[Word]) -> bool {
        let before = self.start.checked_sub(1).and_then(|at| words.get(at));
        before.is_none_or(|word| !word.is(BEFORE_OBJECTS) || word.has_comma())
    }
}

/// The people of an item: once named in full, they are known by their family name.
#[derive(Debug)]
pub(super) struct People {
    names: Vec<String>,
    /// The words of the company's own name, which may look like somebody's.
    company: Vec<String>,
}

impl People {
    pub(super) fn read(sentences: &[Vec<Word>], company: &str) -> Self {
        let company = fold_text(company).split(' ').map(str::to_owned).collect();
        let mut people = Self { names: Vec::new(), company };
        for words in sentences {
            for at in 0..words.len() {
                if let Some((name, _)) = people.full_name_at(words, at)
                    && !people.names.contains(&name)
                {
                    people.names.push(name);
                }
            }
        }
        people
    }

    /// Everybody named in a sentence, in order.
    pub(super) fn mentions(&self, words: &[Word]) -> Vec<Mention> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let mention = self.mention_at(words, at);
            at = mention.as_ref().map_or(at + 1, |it| it.end);
            found.extend(mention);
        }
        found
    }

    fn mention_at(&self, words: &[Word], at: usize) -> Option<Mention> {
        let honoured = words.get(at)?.is(HONORIFICS);
        let from = if honoured { at + 1 } else { at };
        if let Some((name, end)) = self.full_name_at(words, from) {
            return Some(Mention { start: at, end, name, is_full: true });
        }
        let (family, end) = if honoured { family_name(words, from)? } else { return None };
        // Of two with one family name it cannot be told who is meant.
        let mut known = self.names.iter().filter(|name| ends_with(name, &family));
        let name = known.next().filter(|_| known.next().is_none())?.clone();
        Some(Mention { start: at, end, name, is_full: false })
    }

    /// A name of two words or more, and the place after it.
    fn full_name_at(&self, words: &[Word], at: usize) -> Option<(String, usize)> {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        // Within a longer name, or something that has an article.
        if before.is_some_and(|word| {
            (is_part(word) && word.goes_on() && !word.is(HONORIFICS)) || word.low == "the"
        }) {
            return None;
        }
        let mut parts: Vec<String> = Vec::new();
        let mut end = at;
        let mut solid = 0_usize;
        for word in words.get(at..)?.iter().take(NAME_WORDS_MAX) {
            let is_particle = !parts.is_empty() && word.is(PARTICLES) && word.goes_on();
            if !(is_part(word) || is_particle) {
                break;
            }
            solid += usize::from(!word.is_initial() && !is_particle);
            parts.push(word.in_name());
            end += 1;
            if !word.goes_on() || word.text != word.bare() {
                break;
            }
        }
        let last = words.get(end.checked_sub(1)?)?;
        let next = words.get(end);
        let is_company = next.is_some_and(|word| word.is(LEGAL_FORMS) && word.is_capital());
        let is_own = parts.iter().all(|part| self.company.contains(&fold_text(part)));
        let is_name = parts.len() >= 2 && solid >= 1 && !last.is_initial() && !last.is(PARTICLES);
        if !is_name
            || is_company
            || is_own
            || parts.iter().any(|part| LEGAL_FORMS.contains(&fold_text(part).as_str()))
        {
            return None;
        }
        let mut name = parts.join(" ");
        // `Roe, Jr.` goes on after the comma.
        if let Some(suffix) = next.filter(|word| word.is(SUFFIXES) && last.text == last.bare()) {
            name = format!("{name} {}", suffix.in_name());
            end += 1;
        }
        Some((name, end))
    }
}

/// Whether a word may be part of a name. Words all in capitals are headings.
fn is_part(word: &Word) -> bool {
    let bare = word.bare();
    let letters = bare.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'');
    let shouts = bare.chars().count() > 2 && bare.chars().all(|c| !c.is_lowercase());
    word.is_capital()
        && letters
        && !shouts
        && !NEVER.contains(bare.to_lowercase().as_str())
        && !word.is(HONORIFICS)
}

/// What follows `Mr.`, with its particles.
fn family_name(words: &[Word], at: usize) -> Option<(String, usize)> {
    let length = words.get(at..)?.iter().take(3).take_while(|word| word.is(PARTICLES)).count();
    let word = words.get(at + length).filter(|word| is_part(word))?;
    Some((fold_text(word.bare()), at + length + 1))
}

fn ends_with(name: &str, family: &str) -> bool {
    let folded = fold_text(name);
    let words: Vec<&str> = folded.split(' ').filter(|word| !SUFFIXES.contains(word)).collect();
    let wanted: Vec<&str> = family.split(' ').collect();
    words.len() > wanted.len() && words.ends_with(&wanted)
}

#[cfg(test)]
mod tests {
    use super::super::words::sentences;
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let all = sentences(&[text]);
        let people = People::read(&all, "Northwind Robotics, Inc.");
        all.iter().flat_map(|words| people.mentions(words)).map(|it| it.name).collect()
    }

    #[test]
    fn people_are_told_from_companies_and_posts() {
        assert_eq!(
            named(
                "On May 1, 2026, the Board of Directors of Northwind Robotics, Inc. named Jane Q. Roe, 47."
            ),
            ["Jane Q. Roe"]
        );
        assert_eq!(
            named("John van der Berg, Jr. and Mary-Ann O'Neil met Contoso Labs, Inc. in New York."),
            ["John van der Berg Jr.", "Mary-Ann O'Neil"]
        );
        assert!(
            named("The Chief Financial Officer met the Audit Committee under the Equity Incentive Plan.")
                .is_empty()
        );
    }

    #[test]
    fn a_family_name_leads_to_the_one_who_has_it() {
        assert_eq!(named("Jane Roe left. Ms. Roe was 50. Mr. Doe was not."), ["Jane Roe", "Jane Roe"]);
        assert_eq!(named("Jane Roe met John Roe. Mr. Roe left."), ["Jane Roe", "John Roe"]);
    }
}
