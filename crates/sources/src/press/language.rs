//! What a language is to the grammar: tables of words. All else is shared.

use super::table::{lines, words_of};
use super::text::{Passage, Token};
use assay_domain::taxonomy::FundingStage;
use std::sync::LazyLock;

type Words = &'static [&'static str];

/// Words are in lower case. A phrase is words with spaces; `*` in it is a gap of a few words; a first word with `~` is an
/// ending, as compounds have.
#[derive(Debug)]
pub(super) struct Language {
    pub code: &'static str,
    /// Frequent small words, by which the language of a text is told.
    pub marks: Words,
    pub articles: Words,
    /// Prepositions and conjunctions: a name ends before them.
    pub stops: Words,
    /// Of these, the ones after which no longer the thing bought follows, but from whom, for what, why.
    pub ends: Words,
    /// Verbs and adverbs that stand between a name and what it did.
    pub helpers: Words,
    /// Words that begin sentences and headlines and are never names.
    pub openers: Words,
    /// Verbs of headlines, which have capitals where all words do.
    pub acts: Words,
    /// Words that join two parts of a name: `Stella di Malga`.
    pub joints: Words,
    /// After these a clause with a subject of its own begins.
    pub clauses: Words,
    /// The participle comes last, after what it acts on.
    pub verb_last: bool,
    pub raises: Words,
    pub invests: Words,
    /// Before the name of whoever gets the money in a headline without a verb.
    pub into: Words,
    /// That it is about a round, a loan or a grant at all.
    pub rounds: Words,
    pub buys: Words,
    /// Nouns for it that follow what is bought: `the Vesuvia purchase`.
    pub deals: Words,
    pub paying: Paying,
    /// Buying when a share or control is named too.
    pub takes: Words,
    /// With the `by`.
    pub bought: Words,
    pub sells: Words,
    /// With the `to`.
    pub sold: Words,
    /// That a company gets another owner, whom the headline leaves out.
    pub passes: Words,
    pub to: Words,
    pub by: Words,
    /// The same where `by` cannot mean `from`.
    pub by_noun: Words,
    /// Before a place; before a company only after a word for a share of it.
    pub inside: Words,
    pub shares: Words,
    /// What is bought and is no company.
    pub things: Words,
    pub passive: Words,
    pub advises: Words,
    pub majority: Words,
    pub minority: Words,
    /// What a carved-out part is called.
    pub units: Words,
    pub leads: Words,
    pub led_by: Words,
    pub joins: Words,
    pub from: Words,
    pub stages: &'static [(&'static str, FundingStage)],
    /// What a company is, before its name: whole words, and endings of compounds.
    pub kinds: Words,
    pub endings: Words,
    /// Nations and cities as adjectives, where those have capitals.
    pub places: Words,
    /// What is left to buy: a small share that makes it whole.
    pub rest: Words,
    /// Rumours and denials.
    pub doubts: Words,
    /// What makes a plan, a wish or a look back of the verb right after it.
    pub modals: Words,
    /// Other business that sounds alike: contracts, prizes, results, funds, buybacks.
    pub others: Words,
    /// Other news: what a body says of rounds then is a look back.
    pub topics: Words,
    /// That a debt is a security on the market, or replaces another debt: no new money.
    pub bonds: Words,
    /// Vehicles of investors, which raise money too.
    pub funds: Words,
    /// That a sum is rounded.
    pub roughly: Words,
    pub totals: Words,
    /// That a round grows, and the word before what it grows to.
    pub grows: Words,
    pub up_to: Words,
    pub values: Words,
    pub pasts: Words,
    pub past: Past,
    /// Sums that are neither raised nor paid: sales, profits, assets.
    pub figures: Words,
    pub extras: Words,
    /// After a sum that comes on top of another.
    pub more: Words,
    /// After a sum for one share or month.
    pub each: Words,
    pub boilerplate: Words,
    /// Labels in a sheet of facts: who buys, what is bought, who raises.
    pub labels: [Words; 3],
}

/// When something was, as a sentence tells it.
#[derive(Debug)]
pub(super) struct Past {
    /// Words for the past that only say that it was known before: `completes its previously announced purchase`.
    pub announced: Words,
    /// When it was, after the verb of a look back.
    pub ago: Words,
    /// A month in which money was raised is over; one in which a purchase closes may come.
    pub months: Words,
}

#[derive(Debug)]
pub(super) struct Paying {
    /// Buying when a sum follows, and then what it is paid for.
    pub pays: Words,
    pub pays_for: Words,
    pub prices: Words,
    /// What a sale of shares brings in.
    pub proceeds: Words,
}

impl Paying {
    fn new(words: &impl Fn(&str) -> Words) -> Self {
        Self {
            pays: words("pays"),
            pays_for: words("pays_for"),
            prices: words("prices"),
            proceeds: words("proceeds"),
        }
    }
}

/// The languages, a file each.
const FILES: &[(&str, &str)] = &[
    ("en", include_str!("languages/en.txt")),
    ("de", include_str!("languages/de.txt")),
    ("fr", include_str!("languages/fr.txt")),
    ("es", include_str!("languages/es.txt")),
    ("it", include_str!("languages/it.txt")),
    ("nl", include_str!("languages/nl.txt")),
    ("pt", include_str!("languages/pt.txt")),
    ("sv", include_str!("languages/sv.txt")),
];

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| FILES.iter().map(|(code, file)| Language::new(code, file)).collect());

impl Language {
    /// Reads a file. Its words are kept for as long as the process lives.
    fn new(code: &'static str, file: &'static str) -> Self {
        let lines = lines(file);
        let words = |name: &str| words_of(&lines, name);
        Self {
            code,
            stages: stages(&lines),
            labels: [words("label buyer"), words("label target"), words("label company")],
            verb_last: !words("verb_last").is_empty(),
            past: Past { ago: words("ago"), months: words("months"), announced: words("announced") },
            paying: Paying::new(&words),
            marks: words("marks"),
            articles: words("articles"),
            stops: words("stops"),
            ends: words("ends"),
            helpers: words("helpers"),
            openers: words("openers"),
            acts: words("acts"),
            joints: words("joints"),
            clauses: words("clauses"),
            raises: words("raises"),
            invests: words("invests"),
            into: words("into"),
            rounds: words("rounds"),
            buys: words("buys"),
            deals: words("deals"),
            takes: words("takes"),
            bought: words("bought"),
            sells: words("sells"),
            sold: words("sold"),
            passes: words("passes"),
            to: words("to"),
            by: words("by"),
            by_noun: words("by_noun"),
            inside: words("inside"),
            shares: words("shares"),
            things: words("things"),
            passive: words("passive"),
            advises: words("advises"),
            majority: words("majority"),
            minority: words("minority"),
            units: words("units"),
            leads: words("leads"),
            led_by: words("led_by"),
            joins: words("joins"),
            from: words("from"),
            kinds: words("kinds"),
            endings: words("endings"),
            places: words("places"),
            rest: words("rest"),
            doubts: words("doubts"),
            modals: words("modals"),
            others: words("others"),
            topics: words("topics"),
            bonds: words("bonds"),
            funds: words("funds"),
            roughly: words("roughly"),
            totals: words("totals"),
            grows: words("grows"),
            up_to: words("up_to"),
            values: words("values"),
            pasts: words("pasts"),
            figures: words("figures"),
            extras: words("extras"),
            more: words("more"),
            each: words("each"),
            boilerplate: words("boilerplate"),
        }
    }

    /// German: a capital does not make a name.
    pub fn has_capital_nouns(&self) -> bool {
        self.code == "de"
    }

    pub fn is_english(&self) -> bool {
        self.code == "en"
    }
}

/// The words for stages, in the order of their lines: the first that is found counts.
fn stages(lines: &[(&'static str, Vec<&'static str>)]) -> &'static [(&'static str, FundingStage)] {
    let stages = lines.iter().filter_map(|(line, phrases)| {
        let stage = FundingStage::parse(line.strip_prefix("stage ")?).ok()?;
        Some(phrases.iter().map(move |phrase| (*phrase, stage)))
    });
    stages.flatten().collect::<Vec<_>>().leak()
}

/// The language most of whose small words are in the text; English when none are.
pub(super) fn tell<'a>(passages: impl Iterator<Item = &'a Passage<'a>> + Clone) -> Option<&'static Language> {
    // A headline alone may have no small word at all, but it has a verb.
    let count = |language: &Language| {
        // `A` of `A$5m` and `M&A` is no article.
        let words = passages.clone().flat_map(|passage| {
            let is_word = |token: &Token<'_>| token.at == 0 || token.text.len() > 1 || !token.is_capital();
            passage.tokens.iter().filter(move |token| is_word(token))
        });
        let tables = [language.marks, language.raises, language.buys, language.sells, language.rounds];
        words.map(|token| tables.iter().filter(|words| is_in(token, words)).count()).sum::<usize>()
    };
    // English is the first, and stays when another has only as many.
    LANGUAGES
        .iter()
        .map(|language| (count(language), language))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, language)| language)
}

/// Where a phrase was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub from: usize,
    pub to: usize,
}

const GAP_WORDS_MAX: usize = 14;

pub(super) fn is_in(token: &Token<'_>, words: &[&str]) -> bool {
    words.contains(&token.lower.as_str())
}

/// Where the phrase ends that begins at this token.
fn phrase_at(tokens: &[Token<'_>], at: usize, phrase: &str) -> Option<usize> {
    let mut place = at;
    let mut words = phrase.split(' ');
    while let Some(word) = words.next() {
        if word == "*" {
            let next = words.next()?;
            let gap = tokens.iter().skip(place).take(GAP_WORDS_MAX);
            let mut rest = gap.take_while(|token| !token.is_mark(";:"));
            return rest.any(|token| is_word(token, next)).then_some(place);
        }
        if !tokens.get(place).is_some_and(|token| is_word(token, word)) {
            return None;
        }
        place += 1;
    }
    Some(place)
}

fn is_word(token: &Token<'_>, word: &str) -> bool {
    match word.strip_prefix('~') {
        Some(ending) => token.lower.ends_with(ending),
        None => token.lower == word,
    }
}

/// The longest of the phrases that begins at this token.
pub(super) fn any_at(tokens: &[Token<'_>], at: usize, phrases: &[&str]) -> Option<Hit> {
    // Most phrases begin with another letter: that is seen at once.
    let first = tokens.get(at)?.lower.as_bytes().first();
    let may_begin =
        |phrase: &&&str| matches!(phrase.as_bytes().first(), it if it == first || it == Some(&b'~'));
    let ends = phrases.iter().filter(may_begin).filter_map(|phrase| phrase_at(tokens, at, phrase));
    ends.max().filter(|to| *to > at).map(|to| Hit { from: at, to })
}

/// The first of the phrases in a part of a passage.
pub(super) fn find(tokens: &[Token<'_>], phrases: &[&str], from: usize, until: usize) -> Option<Hit> {
    (from..until.min(tokens.len())).find_map(|at| any_at(tokens, at, phrases))
}

pub(super) fn has(tokens: &[Token<'_>], phrases: &[&str]) -> bool {
    find(tokens, phrases, 0, tokens.len()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A misspelt name of a table would leave it empty, and nobody would see it.
    #[test]
    fn every_line_of_a_language_is_a_known_table() {
        let own = ["joints", "endings", "places", "verb_last", "by_noun", "deals", "acts"];
        let tables = |file: &'static str| lines(file).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let english = tables(FILES[0].1);
        for (code, file) in FILES {
            for name in tables(file) {
                let stage = name.strip_prefix("stage ").map(FundingStage::parse);
                let known =
                    english.contains(&name) || own.contains(&name) || stage.is_some_and(|it| it.is_ok());
                assert!(known, "{code}: {name}");
            }
            for name in english.iter().filter(|name| !own.contains(name) && !name.starts_with("stage ")) {
                assert!(tables(file).contains(name), "{code} lacks {name}");
            }
        }
        let debug = format!("{:?}", LANGUAGES[0]);
        assert!(english.iter().all(|name| name.contains(' ') || debug.contains(&format!("{name}: ["))));
    }

    #[test]
    fn phrases_have_gaps_and_endings() {
        let passage = Passage::new("Hij haalt 75 miljoen op voor een klimaatfonds");
        let tokens = &passage.tokens;
        assert_eq!(find(tokens, &["haalt * op"], 0, 8), Some(Hit { from: 1, to: 2 }));
        assert_eq!(find(tokens, &["haalt * af"], 0, 8), None);
        assert_eq!(find(tokens, &["~fonds"], 0, 8), Some(Hit { from: 7, to: 8 }));
        assert_eq!(find(tokens, &["haalt", "haalt 75"], 0, 8), Some(Hit { from: 1, to: 3 }));
    }

    #[test]
    fn the_language_is_told_by_small_words() {
        for (text, code) in [
            ("The firm has raised money", "en"),
            ("Die Firma hat Geld für das Werk", "de"),
            ("La société a levé des fonds pour son usine", "fr"),
            ("La empresa ha levantado una ronda con los socios", "es"),
            ("La società ha raccolto i fondi per il nuovo impianto della", "it"),
            ("Het bedrijf heeft geld opgehaald voor een fabriek", "nl"),
            ("A empresa captou uma rodada para os seus projetos", "pt"),
            ("Bolaget har tagit in pengar för att bygga", "sv"),
        ] {
            let passage = Passage::new(text);
            assert_eq!(tell(std::iter::once(&passage)).unwrap().code, code, "{text}");
        }
    }
}
