//! What the whole release tells of the words of a passage: which of them stand together as names do.

use super::language::{Language, is_in};
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};

/// What is known of the whole release when a passage of it is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub language: &'static Language,
    /// Words that also stand there in small letters: as the first of a sentence they are no names.
    pub small: &'a [String],
    pub title: &'a Passage<'a>,
    pub body: &'a [Passage<'a>],
    /// Names that are written small.
    pub brands: &'a [String],
    /// Of the passage: capitals say nothing.
    pub is_titled: bool,
}

/// Words that may stand inside a name: `Salt and Pine`, `House of Larch`.
const INNER: &[&str] =
    &["and", "of", "und", "et", "y", "e", "en", "och", "van", "i", "aan", "voor", "op", "für", "pour", "för"];

/// Words with which sentences and headlines begin, and names as well: `Two Oceans Logistics`, `New Dawn`.
const OPENS_NAME: &str = "two three four five six seven eight nine ten eleven twelve twenty forty fresh every each many once new both here first other more over under up around all opinion today \
    nueva nuevo nova novo nuova nuovo nouvelle nouveau nieuwe nieuw primera primer première premier prima primo una un";

impl Known<'_> {
    /// Whether the word and the next one stand together with capitals inside a sentence, as only names do.
    pub(super) fn has_inside(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let Some([token, next]) = tokens.get(at..at + 2) else { return false };
        let same = |window: &[Token<'_>]| {
            let [last, one, two] = window else { return false };
            last.kind == Kind::Word && !last.is_capital() && one.text == token.text && two.text == next.text
        };
        let told = self.language.code != "de" && next.is_capital();
        told && self.body.iter().any(|passage| passage.tokens.windows(3).any(same))
    }

    /// `Grupo Almenara`: a word that is an ordinary one elsewhere, but without which the next is nowhere, in headline and body.
    pub(super) fn is_always_paired(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let Some([token, next]) = tokens.get(at..at + 2) else { return false };
        let has_pair = |passage: &Passage<'_>| has_pair(passage, token.text, next.text);
        let is_alone = |passage: &Passage<'_>| {
            let same = |(at, it): (usize, &Token<'_>)| {
                let last = at.checked_sub(1).and_then(|at| passage.tokens.get(at));
                it.text == next.text && last.is_none_or(|last| last.text != token.text)
            };
            passage.tokens.iter().enumerate().any(same)
        };
        let mut texts = std::iter::once(self.title).chain(self.body);
        next.is_capital()
            && !self.language.has_capital_nouns()
            && has_pair(self.title)
            && self.body.iter().any(has_pair)
            && !texts.any(is_alone)
    }

    /// `rival Mabel's Larder`: who owns nothing else and is nowhere alone is part of the name.
    pub(super) fn is_always_owner(&self, tokens: &[Token<'_>], from: usize, at: usize) -> bool {
        let Some([owner, _, owned]) = at.checked_sub(1).and_then(|from| tokens.get(from..at + 2)) else {
            return false;
        };
        let texts = || std::iter::once(self.title).chain(self.body);
        let places =
            texts().flat_map(|text| text.tokens.iter().enumerate().map(move |(place, it)| (text, place, it)));
        let mut count = 0;
        for (text, place, _) in places.filter(|(_, _, token)| token.text == owner.text) {
            let word = |at: usize| text.tokens.get(at);
            let owns = word(place + 1).is_some_and(|it| it.is_mark("'"))
                && word(place + 2).is_some_and(|it| it.text == owned.text);
            if !owns {
                return false;
            }
            count += 1;
        }
        let of_kind = from
            .checked_sub(1)
            .and_then(|at| tokens.get(at))
            .is_some_and(|it| is_in(it, self.language.kinds));
        self.language.is_english() && (count > 1 || of_kind)
    }

    /// Whether headline and body both have the two side by side, where capitals tell something.
    pub(super) fn is_pair(&self, one: &Token<'_>, two: &Token<'_>) -> bool {
        let is_number = super::currency::number_word(&two.lower).is_some();
        let is_told = |passage: &Passage<'_>| has_pair(passage, one.text, two.text);
        // `Zielony Most`: where capitals tell something, several sentences have the two.
        let is_repeated = !self.is_titled
            && !self.language.has_capital_nouns()
            && self.body.iter().filter(|passage| is_told(passage)).count() > 1;
        (is_number || is_repeated) && is_told(self.title) && self.body.iter().any(is_told)
    }

    /// `42 Wallabies`, `Kranich 7`: two passages have number and word side by side.
    pub(super) fn is_numbered(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let Some([one, two]) = tokens.get(at..at + 2) else { return false };
        let is_short = |token: &Token<'_>| {
            token.kind == Kind::Number && token.text.len() <= 4 && !token.text.contains(',')
        };
        let parted = |passage: &Passage<'_>| has_pair(passage, one.text, two.text);
        let is_repeated = || self.body.iter().filter(|passage| parted(passage)).count() > 1;
        let starts = |passage: &Passage<'_>| {
            passage.tokens.first().is_some_and(|first| first.text == one.text) && parted(passage)
        };
        let leads = is_short(one) && two.is_capital() && self.body.iter().any(starts);
        let follows = one.is_capital() && is_short(two) && two.spaced && self.body.iter().any(parted);
        (leads || follows) && (parted(self.title) || is_repeated())
    }

    /// `Anchor has`, `Anchor, a company`: in English one thing without an article is a name, when headline and body have it so.
    pub(super) fn is_bare_subject(&self, token: &Token<'_>) -> bool {
        let starts = |passage: &Passage<'_>| {
            let [first, second, third, ..] = passage.tokens.as_slice() else { return false };
            let acts = is_one_of(&second.lower, "has is was says will today")
                || second.lower.ends_with('s') && !second.is_capital()
                || second.is_mark(",") && is_one_of(&third.lower, "a an the which whose who inc ltd");
            first.text == token.text && acts
        };
        self.language.is_english() && starts(self.title) && self.body.iter().any(starts)
    }

    /// Whether a word that opens sentences begins a name here: it has its capital inside a sentence, before another one.
    pub(super) fn begins_name(&self, tokens: &[Token<'_>], at: usize, is_first: bool) -> bool {
        let Some(pair) = tokens.get(at..at + 2) else { return false };
        let [token, next] = pair else { return false };
        if !token.is_capital() || !next.is_capital() {
            return false;
        }
        let inside = |passage: &Passage<'_>| {
            let windows = passage.tokens.windows(3);
            windows.into_iter().any(|window| {
                let [last, one, two] = window else { return false };
                !last.is_capital()
                    && last.kind == Kind::Word
                    && one.text == token.text
                    && two.text == next.text
            })
        };
        // `Common Thread`: the headline has the two as well.
        if !is_one_of(&token.lower, OPENS_NAME) {
            let is_headed = has_pair(self.title, token.text, next.text);
            let is_apart = is_in(token, self.language.articles) || self.language.code == "de";
            return is_headed && !is_apart && self.body.iter().any(inside);
        }
        // `Nine Lives Interactive`.
        let is_told = || self.body.iter().any(|passage| has_pair(passage, token.text, next.text));
        let is_counted = super::currency::number_word(&token.lower).is_some() && is_told();
        let is_sure = is_counted || !is_first && !self.is_titled && self.language.code != "de";
        is_sure || self.body.iter().any(inside)
    }

    /// Whether the small word here joins its neighbours into one name: headline and body have all three together, and the body
    /// neither of them alone before it.
    pub(super) fn is_phrase(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let Some(part) = at.checked_sub(1).and_then(|from| tokens.get(from..at + 2)) else { return false };
        let [first, inner, last] = part else { return false };
        if !(is_in(inner, INNER) || inner.is_mark("'+")) {
            return false;
        }
        let has = |passage: &Passage<'_>| {
            passage
                .tokens
                .windows(3)
                .any(|window| window.iter().zip(part).all(|(one, two)| one.text == two.text))
        };
        let alone = |passage: &Passage<'_>| {
            let starts = passage.tokens.first().is_some_and(|it| it.text == last.text);
            let pairs = passage.tokens.iter().zip(passage.tokens.iter().skip(1));
            starts || pairs.into_iter().any(|(one, two)| one.text == first.text && two.text != inner.text)
        };
        // A Swedish company is called by its town as well: `Plåtteknik i Borås`.
        let is_swedish = self.language.code == "sv" && inner.lower == "i";
        has(self.title) && self.body.iter().any(has) && (is_swedish || !self.body.iter().any(alone))
    }
}

pub(super) fn has_pair(passage: &Passage<'_>, first: &str, second: &str) -> bool {
    let mut pairs = passage.tokens.iter().zip(passage.tokens.iter().skip(1));
    let is_loud = |text: &str| text.len() > 3 && !text.chars().any(char::is_lowercase);
    let is_same = |one: &Token<'_>, two: &str| {
        one.text == two || (one.is_shouted() || is_loud(two)) && one.lower == two.to_lowercase()
    };
    pairs.any(|(one, two)| is_same(one, first) && is_same(two, second))
}
