//! What a language is to the grammar: tables of words. All else is shared.

pub(super) use super::parts::{Bonds, Pacts, Past, Paying};
pub(super) use super::phrase::{Hit, any_at, find, has, is_in};
use super::table::{lines, words_of};
use super::text::{Passage, Token};
use assay_domain::taxonomy::FundingStage;
use std::sync::LazyLock;

pub(super) type Words = &'static [&'static str];

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
    pub pacts: Pacts,
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
    pub bonds: Bonds,
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
    /// With which the lines begin that tell whom to ask.
    pub contacts: Words,
    /// Labels in a sheet of facts: who buys, what is bought, who raises.
    pub labels: [Words; 3],
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
            pacts: Pacts::new(&words),
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
            bonds: Bonds::new(&words),
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
            contacts: words("contacts"),
        }
    }

    /// The tables of which a word next to a name may be, with their names.
    pub fn tables(&self) -> [(&'static str, Words); 53] {
        [
            ("raises", self.raises),
            ("invests", self.invests),
            ("into", self.into),
            ("rounds", self.rounds),
            ("buys", self.buys),
            ("deals", self.deals),
            ("takes", self.takes),
            ("bought", self.bought),
            ("sells", self.sells),
            ("sold", self.sold),
            ("passes", self.passes),
            ("to", self.to),
            ("by", self.by),
            ("inside", self.inside),
            ("shares", self.shares),
            ("things", self.things),
            ("passive", self.passive),
            ("advises", self.advises),
            ("majority", self.majority),
            ("minority", self.minority),
            ("units", self.units),
            ("leads", self.leads),
            ("led_by", self.led_by),
            ("joins", self.joins),
            ("from", self.from),
            ("kinds", self.kinds),
            ("rest", self.rest),
            ("doubts", self.doubts),
            ("modals", self.modals),
            ("others", self.others),
            ("topics", self.topics),
            ("funds", self.funds),
            ("roughly", self.roughly),
            ("totals", self.totals),
            ("grows", self.grows),
            ("values", self.values),
            ("pasts", self.pasts),
            ("figures", self.figures),
            ("extras", self.extras),
            ("each", self.each),
            ("helpers", self.helpers),
            ("articles", self.articles),
            ("clauses", self.clauses),
            ("ago", self.past.ago),
            ("months", self.past.months),
            ("announced", self.past.announced),
            ("pays", self.paying.pays),
            ("prices", self.paying.prices),
            ("proceeds", self.paying.proceeds),
            ("definite", self.pacts.definite),
            ("offers", self.pacts.offers),
            ("sales", self.pacts.sales),
            ("bonds", self.bonds.bonds),
        ]
    }

    /// German: a capital does not make a name.
    pub fn has_capital_nouns(&self) -> bool {
        self.code == "de"
    }

    /// Whether the word is an ordinary one.
    pub fn is_known(&self, token: &Token<'_>) -> bool {
        let tables = [
            self.marks,
            self.articles,
            self.stops,
            self.helpers,
            self.openers,
            self.kinds,
            self.rounds,
            self.funds,
            self.shares,
            self.units,
            self.joins,
        ];
        tables.iter().any(|words| is_in(token, words))
    }

    pub fn is_english(&self) -> bool {
        self.code == "en"
    }
}

/// All languages.
pub(super) fn all() -> &'static [Language] {
    &LANGUAGES
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
