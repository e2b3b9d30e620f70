//! What of a name only describes it: kinds of companies, places, professions; and how the other text calls it.

use super::language::{Language, any_at, is_in};
use super::name::{Run, is_legal_form};
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};

/// A run without what only describes the name: kinds of companies, nations, words that stand before it nowhere else.
pub(super) fn clean(passage: &Passage<'_>, run: Run, known: &Texts<'_>, language: &Language) -> Run {
    let word = |at: usize| passage.tokens.get(at);
    let mut from = run.from;
    // `Cyprus-incorporated Abaca`.
    if word(from).is_some_and(|first| is_whereabouts(first))
        && word(from + 1).is_some_and(Token::is_capital)
        && from + 1 < run.to
    {
        from += 1;
    }
    let run = Run { from, to: run.to };
    // `Londoner Investor Thamesgrove`: everything up to what the name is said to be.
    for at in run.from..run.to.saturating_sub(1) {
        let certain = word(at).is_some_and(|token| is_certain_kind(token, language))
            && !keeps_kind(passage, at, language)
            && !known.is_named_kind(passage, at, language)
            && !known.keeps_kind_elsewhere(passage, at, language);
        if certain && word(at + 1).is_some_and(Token::is_capital) {
            from = at + 1;
        }
    }
    from = known.after_descriptions(passage, Run { from, to: run.to }, language);
    while from + 1 < run.to {
        let Some((first, second)) = word(from).zip(word(from + 1)) else { break };
        let is_unit = word(run.to - 1).is_some_and(|last| is_in(last, language.units));
        // `Pumpenbau Kessler GmbH` is written in full, though it is `Kessler` later on.
        let formed = word(run.to - 1).is_some_and(is_legal_form);
        let is_dutch_or_swedish = matches!(language.code, "nl" | "sv");
        let describes = is_in(first, language.kinds) && !keeps_kind(passage, from, language)
            || is_in(first, language.places)
            || !is_unit
                && known.is_headline(passage, from + 1, run.to)
                && !known.is_headline(passage, from, run.to)
            || (is_dutch_or_swedish || language.code == "de" && !formed)
                && known.starts_sentence(passage, from + 1, run.to)
            || is_dutch_or_swedish && !known.is_inside(first.text);
        if !(describes && second.is_capital() && known.is_alone(first.text, second.text, language)) {
            break;
        }
        from += 1;
    }
    if (from..run.to).all(|at| word(at).is_some_and(|token| is_legal_form(token) || is_plain(token))) {
        from = run.from;
    }
    Run { from, to: run.to }
}

/// `Leeds-based`, `state-owned`: where or whose somebody is, which begins no name.
fn is_whereabouts(token: &Token<'_>) -> bool {
    const ENDS: &str = "based headquartered incorporated listed quoted owned backed controlled registered run born founded funded \
        domiciled led bred basierte basierten ansässige gevestigde";
    token.lower.rsplit_once(['-', '‑']).is_some_and(|(_, last)| is_one_of(last, ENDS))
}

/// All passages of a release, to look up how it calls somebody elsewhere.
#[derive(Debug)]
pub(super) struct Texts<'a> {
    pub title: &'a Passage<'a>,
    pub title_runs: &'a [Run],
    pub body: Vec<&'a Passage<'a>>,
}

/// `le Groupe Vauclair`: where ordinary nouns are written small, one with a capital inside a sentence is part of the name.
fn keeps_kind(passage: &Passage<'_>, at: usize, language: &Language) -> bool {
    let last = at.checked_sub(1).and_then(|at| passage.tokens.get(at));
    let is_inside = last.is_some_and(|last| last.kind == Kind::Word && !last.is_capital())
        || at == 1 && last.is_some_and(|last| is_in(last, language.articles));
    is_inside && !matches!(language.code, "de" | "en")
}

fn is_pair(pair: &[Token<'_>], first: &str, second: &str) -> bool {
    pair.iter().zip([first, second]).all(|(one, two)| one.text == two)
}

const HOUSES: &str = "brauerei bäckerei metzgerei molkerei druckerei spedition reederei kelterei rösterei brennerei konditorei \
    gärtnerei käserei mälzerei gießerei weberei spinnerei tischlerei schreinerei verlag weingut sägewerk apotheke klinik \
    boekhandel bakkerij brouwerij slagerij drukkerij uitgeverij apotheek kwekerij rederij drogisterij garage \
    autohaus möbelhaus modehaus möbel werft stadtwerke sparkasse privatbank bankhaus kaufhaus gasthof hotel schloss";

/// Adjectives of places, as they end.
pub(super) fn is_adjective(token: &Token<'_>, language: &Language) -> bool {
    let long = token.text.chars().count() > 5 && token.lower != "gebrüder";
    match language.code {
        "de" => long && token.lower.ends_with("er"),
        "nl" => long && token.lower.ends_with("se"),
        _ => false,
    }
}

impl Texts<'_> {
    /// `den Kühlspediteur B`: a German word for whoever does something, with its article somewhere.
    fn is_profession(&self, token: &Token<'_>, language: &Language) -> bool {
        const ENDINGS: &[&str] = &["er", "ers", "eur", "eurs", "ist", "isten", "erin", "eurin", "istin"];
        const ARTICLES: &[&str] = &[
            "der", "den", "dem", "des", "vom", "beim", "zum", "ein", "einen", "einem", "einer", "die", "zur",
        ];
        let ends = token.text.chars().count() > 6
            && token.lower != "gebrüder"
            && ENDINGS.iter().any(|ending| token.lower.ends_with(ending));
        // `Die Familie Klinkhammer`: a name that only ends like a profession.
        let is_surname = || {
            self.body.iter().any(|text| {
                let mut pairs = text.tokens.iter().zip(text.tokens.iter().skip(1));
                pairs.any(|(one, two)| two.text == token.text && is_one_of(&one.lower, "familie herr frau"))
            })
        };
        language.has_capital_nouns()
            && ends
            && !is_surname()
            && std::iter::once(&self.title).chain(&self.body).any(|text| {
                let mut pairs = text.tokens.iter().zip(text.tokens.iter().skip(1));
                pairs.any(|(one, two)| is_in(one, ARTICLES) && two.text == token.text)
            })
    }

    /// `Brauerei Silberquell`: what houses of old trades are called, when they are nowhere called otherwise.
    fn is_named_kind(&self, passage: &Passage<'_>, at: usize, language: &Language) -> bool {
        let Some([kind, name]) = passage.tokens.get(at..at + 2) else { return false };
        let in_title = self.title.tokens.windows(2).any(|pair| is_pair(pair, kind.text, name.text));
        let in_body = self
            .body
            .iter()
            .any(|text| text.tokens.windows(2).any(|pair| is_pair(pair, kind.text, name.text)));
        matches!(language.code, "de" | "nl")
            && is_one_of(&kind.lower, HOUSES)
            && in_title
            && in_body
            && !self.is_alone(kind.text, name.text, language)
    }

    /// The same where the sentence begins with it: `Kaashandel Purmer` is called so inside another one.
    fn keeps_kind_elsewhere(&self, passage: &Passage<'_>, at: usize, language: &Language) -> bool {
        let Some(pair) = passage.tokens.get(at..at + 2) else { return false };
        std::iter::once(&self.title).chain(&self.body).any(|text| {
            let mut windows = text.tokens.windows(2).enumerate();
            windows.any(|(place, window)| {
                let same = window.iter().zip(pair).all(|(one, two)| one.text == two.text);
                same && keeps_kind(text, place, language)
            })
        })
    }

    /// Where the name begins after words that each only describe it, when it stands without them elsewhere: `Berliner Legaltech
    /// Paragraphenreiter`. What nations are called in Dutch is in no name but those of their own.
    fn after_descriptions(&self, passage: &Passage<'_>, run: Run, language: &Language) -> usize {
        let word = |at: usize| passage.tokens.get(at);
        let kept = |at: usize| keeps_kind(passage, at, language);
        let describes = |at: usize| {
            word(at).is_some_and(|token| {
                is_in(token, language.kinds) && !kept(at)
                    || is_in(token, language.places)
                    || is_adjective(token, language)
                    || self.is_profession(token, language)
            })
        };
        let mut from = run.from;
        for at in run.from..run.to.saturating_sub(1) {
            let Some((first, second)) = word(at).zip(word(at + 1)).filter(|_| describes(at)) else { break };
            let is_called = self.title.tokens.windows(2).any(|pair| is_pair(pair, first.text, second.text));
            let foreign = (language.code == "nl" || language.code == "sv" && !is_called)
                && is_in(first, language.places)
                && !is_one_of(&first.lower, "nederlandse belgische vlaamse nederlands belgisch");
            // `Die Jenaer Photonik Quant GmbH`, which the headline does not call so.
            let is_town = language.has_capital_nouns()
                && is_in(first, language.places)
                && !self.title.tokens.iter().any(|token| token.text == first.text)
                && word(run.to - 1).is_some_and(is_legal_form);
            let sure = is_town
                || foreign
                || self.is_profession(first, language)
                || self.is_alone(first.text, second.text, language);
            if second.is_capital() && !is_plain(second) && sure {
                from = at + 1;
            }
        }
        from
    }

    /// Whether the second word also stands where the first is not before it, nor another name: `Giulio Morandini` is not
    /// what `Gruppo Morandini` is called.
    fn is_alone(&self, first: &str, second: &str, language: &Language) -> bool {
        let other = |last: &Token<'_>| last.text != first;
        let is_other_name =
            |last: &Token<'_>| !language.has_capital_nouns() && last.kind == Kind::Word && last.is_capital();
        let alone = |passage: &Passage<'_>, is_told: bool| {
            let tokens = passage.tokens.iter().enumerate().filter(|(_, token)| token.text == second);
            tokens.into_iter().any(|(at, _)| {
                let last = at.checked_sub(1).and_then(|at| passage.tokens.get(at));
                last.is_none_or(|last| other(last) && !(is_told && is_other_name(last)))
            })
        };
        alone(self.title, false) || self.body.iter().any(|passage| alone(passage, true))
    }

    /// Whether the word has its capital inside a sentence too, as only names have.
    fn is_inside(&self, word: &str) -> bool {
        let passages = std::iter::once(&self.title).chain(&self.body);
        passages.into_iter().any(|passage| passage.tokens.iter().skip(1).any(|token| token.text == word))
    }

    /// Whether a sentence begins with these words.
    fn starts_sentence(&self, passage: &Passage<'_>, from: usize, to: usize) -> bool {
        let words = passage.tokens.get(from..to).unwrap_or_default();
        self.body.iter().any(|sentence| {
            sentence.tokens.len() > words.len()
                && sentence.tokens.iter().zip(words).all(|(one, two)| one.text == two.text)
        })
    }

    /// Whether these words are a name in the headline by themselves.
    fn is_headline(&self, passage: &Passage<'_>, from: usize, to: usize) -> bool {
        let words = passage.tokens.get(from..to).unwrap_or_default();
        self.title_runs.iter().any(|run| {
            let theirs = self.title.tokens.get(run.from..run.to).unwrap_or_default();
            theirs.len() == words.len() && theirs.iter().zip(words).all(|(one, two)| one.text == two.text)
        })
    }
}

/// Kinds of companies that cannot be names themselves: compounds as `Kita-Träger`, and nouns where all of them have capitals.
fn is_certain_kind(token: &Token<'_>, language: &Language) -> bool {
    let ends = |endings: &[&str]| {
        endings.iter().any(|ending| token.lower.len() > ending.len() && token.lower.ends_with(ending))
    };
    let units = language.units.iter().filter_map(|unit| unit.strip_prefix('~'));
    let of_german = || is_in(token, language.kinds) || is_in(token, language.units) || is_compound(token);
    ends(language.endings)
        || language.code == "de" && of_german()
        || units.into_iter().any(|unit| token.lower.ends_with(unit))
}

/// `Kita-Träger`, but not `Stadtwerke-Allianz`: what groups are called is part of their name.
fn is_compound(token: &Token<'_>) -> bool {
    const GROUPS: &str = "allianz werke verbund holding union bank haus stiftung";
    token.lower.rsplit_once('-').is_some_and(|(_, last)| !is_one_of(last, GROUPS))
}

/// Whether the words are a description and no name.
pub(super) fn is_description(passage: &Passage<'_>, run: Run, language: &Language) -> bool {
    let nouns = [language.rounds, language.things, language.units];
    let is_noun = |at: usize| nouns.iter().any(|words| any_at(&passage.tokens, at, words).is_some());
    if language.has_capital_nouns() && run.to - run.from == 1 && is_noun(run.from) {
        return true;
    }
    // `Biotech de Braga` is called otherwise.
    let is_joined = passage.tokens.get(run.from + 1).is_some_and(|second| !second.is_capital());
    let is_sort = passage.tokens.get(run.from).is_some_and(is_sort);
    if is_sort && is_joined && run.to - run.from > 2 {
        return true;
    }
    let last = run.to.checked_sub(1).and_then(|at| passage.tokens.get(at));
    let is_of_place = language.has_capital_nouns()
        && run.to - run.from == 2
        && passage.tokens.get(run.from).is_some_and(|first| is_adjective(first, language))
        && last.is_some_and(|last| is_feminine_kind(last, language));
    is_of_place
        || (run.from..run.to).all(|at| {
            passage.tokens.get(at).is_some_and(|token| {
                is_one_of(&token.lower, FIELDS)
                    || is_feminine_kind(token, language)
                    || is_in(token, language.kinds)
                    || is_in(token, language.places)
                    || language.code == "de" && !token.text.contains('-') && is_certain_kind(token, language)
            })
        })
}

/// `Konkurrentin`, `Anbieterin`.
fn is_feminine_kind(token: &Token<'_>, language: &Language) -> bool {
    let one = token.lower.strip_suffix("in").unwrap_or(&token.lower);
    language.has_capital_nouns()
        && one.len() < token.lower.len()
        && (language.kinds.contains(&one) || language.endings.iter().any(|ending| one.ends_with(ending)))
}

/// What no company is called.
pub(super) fn is_sort(token: &Token<'_>) -> bool {
    const SORTS: &str = "empresa société entreprise azienda società compañía companhia spin-off pme scale-up scaleup startup start-up \
        firma compagnia pyme";
    is_one_of(&token.lower, SORTS) || token.lower.ends_with("tech") && token.lower.len() > 4
}

/// What companies do, in capitals everywhere.
const FIELDS: &str =
    "ai ki ia it ev evs api apis saas vr ar iot llm llms b2b b2c hr esg dna rna gpu gpus 3d 5g";

/// Words with which names end and that are no names by themselves.
fn is_plain(token: &Token<'_>) -> bool {
    const PLAIN: &str = "\
        group holding holdings partners capital ventures ai labs technologies systems software fund bank \
        equity gruppe groupe grupo gruppo groep invest media health energy foods studio studios";
    is_one_of(&token.lower, PLAIN)
}

/// Drops words before the name that the other text does not have before it: `Rederij Deltavaart` where that only says
/// `Deltavaart`. None when the other text has nothing of it.
pub(super) fn settle(passage: &Passage<'_>, run: Run, other: &[&Passage<'_>]) -> Option<Run> {
    let word = |at: usize| passage.tokens.get(at).map_or("", |token| token.text);
    let has =
        |first: &str| other.iter().any(|text| text.tokens.iter().any(|token| is_same(token.text, first)));
    let has_pair = |first: &str, second: &str| {
        other.iter().any(|text| {
            let pairs = text.tokens.iter().zip(text.tokens.iter().skip(1));
            pairs.into_iter().any(|(one, two)| is_same(one.text, first) && is_same(two.text, second))
        })
    };
    // `Leading AI Startup Foo`: the longest end of it that the other text has as it is.
    let has_whole = |from: usize| {
        let words = passage.tokens.get(from..run.to).unwrap_or_default();
        let same = |part: &[Token<'_>]| part.iter().zip(words).all(|(one, two)| is_same(one.text, two.text));
        other.iter().any(|text| text.tokens.windows(words.len().max(1)).any(same))
    };
    let is_telling = |from: usize| !(from..run.to).all(|at| passage.tokens.get(at).is_none_or(is_plain));
    if let Some(from) = (run.from..run.to).find(|from| has_whole(*from) && is_telling(*from)) {
        // Unless only its beginning is used: `Kestrel` for `Kestrel Snack Foods`.
        if from == run.from || !has(word(run.from)) {
            return Some(Run { from, to: run.to });
        }
    }
    let mut from = run.from;
    while from + 1 < run.to {
        let (first, second) = (word(from), word(from + 1));
        if has_pair(first, second) || has(first) && !has(second) {
            break;
        }
        // Nothing of it is there: the next sentence may only speak of `the company`.
        if !(from + 1..run.to).any(|at| has(word(at)) && word(at).chars().count() > 2) {
            break;
        }
        from += 1;
    }
    let found = (from..run.to).any(|at| has(word(at)) && word(at).chars().count() > 1);
    found.then_some(Run { from, to: run.to })
}

fn is_same(one: &str, two: &str) -> bool {
    one == two || one.len() > 3 && one.to_lowercase() == two.to_lowercase() && (is_loud(one) || is_loud(two))
}

fn is_loud(text: &str) -> bool {
    !text.chars().any(char::is_lowercase) && text.chars().count() > 3
}
