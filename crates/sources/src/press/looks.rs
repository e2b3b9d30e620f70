//! What words look like: part of a name, a series, a ticker, a verb of a headline.

use super::known::Known;
use super::language::{Hit, Language, any_at, is_in};
use super::name::{Run, is_legal_form};
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};

/// How far a parenthesis may reach.
const ASIDE_WORDS_MAX: usize = 16;

/// A verb of a headline in capitals, unless the body has it as part of a name.
pub(super) fn is_act(passage: &Passage<'_>, at: usize, known: Known<'_>) -> bool {
    let Some(pair) = at.checked_sub(1).and_then(|from| passage.tokens.get(from..=at)) else { return false };
    let same = |window: &[Token<'_>]| window.iter().zip(pair).all(|(one, two)| one.text == two.text);
    pair.last().is_some_and(|token| is_in(token, known.language.acts))
        && !known.body.iter().any(|text| text.tokens.windows(2).any(same))
}

/// `Acquire acquires B`, `Acquire Inc. has`: what has a verb or a legal form right after it does nothing itself.
pub(super) fn is_named_like_verb(passage: &Passage<'_>, at: usize, verbs: &[&[&str]]) -> bool {
    let tokens = &passage.tokens;
    let Some((token, next)) = tokens.get(at).zip(tokens.get(at + 1)) else { return false };
    let is_verb = |at: usize| verbs.iter().any(|verbs| any_at(tokens, at, verbs).is_some());
    let acts = at == 0
        && token.kind == Kind::Word
        && !next.is_capital()
        && is_verb(at + 1)
        && !verbs.iter().any(|verbs| any_at(tokens, at, verbs).is_some_and(|hit| hit.to > at + 1));
    token.is_capital() && (acts || is_legal_form(next))
}

/// `the startup behind the app Groschen` is called otherwise. A team is known by what it made.
pub(super) fn is_product(passage: &Passage<'_>, run: Run) -> bool {
    const BEHIND: &[&str] =
        &["behind", "hinter", "derrière", "detrás", "tras", "dietro", "achter", "trás", "detrás", "bakom"];
    const TEAMS: &[&str] =
        &["team", "people", "minds", "brains", "duo", "trio", "équipe", "equipo", "equipe"];
    const BEHIND_WORDS: usize = 4;
    let near = run.from.saturating_sub(BEHIND_WORDS)..run.from;
    let tokens = &passage.tokens;
    if is_of_maker(tokens, run) {
        return true;
    }
    let behind = near.rev().take_while(|at| tokens.get(*at).is_some_and(|token| !token.is_mark(",;:–—()")));
    let mut behind = behind.filter(|at| tokens.get(*at).is_some_and(|token| is_in(token, BEHIND)));
    behind.next().is_some_and(|at| {
        let whose = at.checked_sub(1).and_then(|at| tokens.get(at));
        whose.is_some_and(|whose| !whose.is_capital() && !is_in(whose, TEAMS) || is_kind_of_startup(whose))
    })
}

/// `the makers of Tiny Kingdoms`.
fn is_of_maker(tokens: &[Token<'_>], run: Run) -> bool {
    const MAKERS: &str = "maker makers creator creators developer developers macher entwickler créateur créateurs éditeur \
        creador creadores creatore creatori makers bedenker criador criadores skapare skaparna";
    const OF: &str = "of von de du di del van do da av till";
    let word =
        |back: usize| run.from.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |it| &it.lower);
    is_one_of(word(1), OF) && is_one_of(word(2), MAKERS)
}

fn is_kind_of_startup(token: &Token<'_>) -> bool {
    let endings = ["startup", "start-up", "tech", "firma", "unternehmen", "company", "firm"];
    endings.iter().any(|ending| token.lower.ends_with(ending))
}

/// Of the words of longer runs, those that are surely a name: where capitals say little, it stands so elsewhere too.
pub(super) fn named(passage: &Passage<'_>, runs: &[Run], known: Known<'_>, is_titled: bool) -> Vec<bool> {
    let is_telling = !is_titled && known.language.code != "de";
    let repeated = |at: usize| {
        let Some(pair) = passage.tokens.get(at..at + 2) else { return false };
        let texts = std::iter::once(known.title).chain(known.body);
        let others = texts.filter(|text| text.text != passage.text);
        let same = |window: &[Token<'_>]| window.iter().zip(pair).all(|(one, two)| one.text == two.text);
        others.into_iter().any(|text| text.tokens.windows(2).any(same))
    };
    let mut found = vec![false; passage.tokens.len()];
    for run in runs.iter().filter(|run| run.to - run.from > 1) {
        for at in (run.from..run.to - 1).filter(|at| is_telling || repeated(*at)) {
            found.iter_mut().skip(at).take(2).for_each(|it| *it = true);
        }
    }
    found
}

/// `Series B`, in any language; its two words are part of no name.
pub(super) fn is_series(tokens: &[Token<'_>], at: usize) -> bool {
    let word = tokens
        .get(at)
        .is_some_and(|token| is_in(token, &["series", "serie", "série", "pre-series", "pre-serie"]));
    let letter = tokens.get(at + 1).is_some_and(|token| {
        let mut letters = token.lower.chars();
        letters.next().is_some_and(|first| first.is_ascii_lowercase())
            && letters.all(|it| it.is_ascii_digit() || it == '-')
            || token.text.len() > 2 && token.lower.chars().nth(1) == Some('-')
    });
    word && letter
}

/// `(NYSE: GLS)`: neither a name nor the start of a clause.
pub(super) fn tickers(passage: &Passage<'_>) -> Vec<Hit> {
    let tokens = &passage.tokens;
    let opened = (0..tokens.len()).filter(|at| tokens.get(*at).is_some_and(|token| token.is_mark("(")));
    let closed = |from: usize| {
        (from..tokens.len())
            .take(ASIDE_WORDS_MAX)
            .find(|at| tokens.get(*at).is_some_and(|it| it.is_mark(")")))
    };
    let spans = opened.filter_map(|from| Some(Hit { from, to: closed(from)? }));
    let has_colon =
        |hit: &Hit| tokens.get(hit.from..hit.to).is_some_and(|span| span.iter().any(|it| it.is_mark(":")));
    spans.filter(has_colon).collect()
}

/// Headlines in which every word has a capital. German nouns always have one.
pub(super) fn is_titled(passage: &Passage<'_>, language: &Language) -> bool {
    let words =
        passage.tokens.iter().filter(|token| token.kind == Kind::Word && token.text.chars().count() > 3);
    let (capital, all) =
        words.fold((0, 0), |(capital, all), token| (capital + usize::from(token.is_capital()), all + 1));
    language.code != "de" && all >= 3 && capital * 10 >= all * 7
}
