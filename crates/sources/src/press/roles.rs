//! What stands beside a name: right after whoever buys other words come than after what is bought, and other words before them.
//!
//! A sentence need not tell all of a purchase for that. What its places say is counted for each name of a release.

use super::Story;
use super::actors::Actor;
use super::bought::{is_called_thing, is_company};
use super::deal::{deal, is_past, names_earlier_year};
use super::language::{Hit, Words, any_at, is_in};
use super::name::Run;
use super::naming::{body_name, settled_name};
use super::scene::{Scene, is_break};
use super::sense::is_aside;
use super::share::is_minority;
use super::table::{is_one_of, lines, words_of};
use super::text::Kind;
use std::sync::LazyLock;

/// Phrases of a language for each side of a purchase.
#[derive(Debug)]
struct Sides {
    buyer: Words,
    target: Words,
    seller: Words,
}

/// The phrases that stand after a name, and those that stand before one.
#[derive(Debug)]
struct Table {
    code: &'static str,
    after: Sides,
    before: Sides,
}

const FILES: &[(&str, &str)] = &[
    ("en", include_str!("languages/roles/en.txt")),
    ("de", include_str!("languages/roles/de.txt")),
    ("fr", include_str!("languages/roles/fr.txt")),
    ("es", include_str!("languages/roles/es.txt")),
    ("it", include_str!("languages/roles/it.txt")),
    ("nl", include_str!("languages/roles/nl.txt")),
    ("pt", include_str!("languages/roles/pt.txt")),
    ("sv", include_str!("languages/roles/sv.txt")),
];

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let table = |(code, file): &(&'static str, &'static str)| {
        let lines = lines(file);
        let of = |place: &str| {
            let words = |side: &str| words_of(&lines, &format!("{side} {place}"));
            Sides { buyer: words("buyer"), target: words("target"), seller: words("seller") }
        };
        Table { code, after: of("after"), before: of("before") }
    };
    FILES.iter().map(table).collect()
});

/// The phrases of a language that stand beside a side, with what they are called.
pub(super) fn phrases(code: &str) -> [(&'static str, Words); 6] {
    let table = TABLES.iter().find(|table| table.code == code);
    let words = |of: fn(&Table) -> Words| table.map(of).unwrap_or_default();
    [
        ("after buyer", words(|it| it.after.buyer)),
        ("after target", words(|it| it.after.target)),
        ("after seller", words(|it| it.after.seller)),
        ("before buyer", words(|it| it.before.buyer)),
        ("before target", words(|it| it.before.target)),
        ("before seller", words(|it| it.before.seller)),
    ]
}

/// How much a release says of somebody as a side of a purchase.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Part {
    pub buys: i32,
    pub is_bought: i32,
    pub sells: i32,
}

/// What everybody's places say. None when the release tells of a stake that gives no control.
pub(super) fn parts(story: &Story<'_>, actors: &[Actor]) -> Option<Vec<Part>> {
    const SENTENCES: usize = 5;
    let mut found = vec![Part::default(); actors.len()];
    let table = TABLES.iter().find(|table| table.code == story.language().code)?;
    for (at, scene) in std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES)).enumerate() {
        let place = |run: Run| {
            let name = if at == 0 { settled_name(story, run) } else { body_name(story, scene, run) };
            name.and_then(|name| actors.iter().position(|actor| actor.is_called(&name)))
        };
        // News comes first.
        let worth = if at <= 2 { 2 } else { 1 };
        if let Some(told) = deal(scene, story.year) {
            if told.minority && at <= 2 {
                return None;
            }
            let is_apart = is_aside(scene, told.at) || is_wish(scene, told.at) || is_over(scene, told.at);
            let worth = match (is_apart, told.is_whole()) {
                (true, _) => 0,
                (false, true) => worth + 1,
                (false, false) => worth,
            };
            if let Some(part) = told.acquirer.and_then(place).and_then(|it| found.get_mut(it)) {
                part.buys += worth;
            }
            if let Some(part) = told.target.and_then(place).and_then(|it| found.get_mut(it)) {
                part.is_bought += worth;
            }
        }
        for run in &scene.runs {
            let role = role(story, scene, table, *run);
            if let Some(part) = place(*run).and_then(|it| found.get_mut(it)) {
                part.buys += worth * i32::from(role.buys);
                part.is_bought += worth * i32::from(role.is_bought);
                part.sells += worth * i32::from(role.sells);
            }
        }
    }
    Some(found)
}

/// `A will nach Informationen der Presse B übernehmen`: where the verb comes last, the wish is far from it.
fn is_wish(scene: &Scene<'_>, verb: usize) -> bool {
    let clause = scene.tokens().get(scene.clause_start(verb)..verb).unwrap_or_default();
    scene.language.verb_last && clause.iter().any(|token| is_in(token, scene.language.modals))
}

/// What one place makes of a name.
#[derive(Debug, Default, Clone, Copy)]
struct Role {
    buys: bool,
    is_bought: bool,
    sells: bool,
}

/// Which sides the words right before and after a name make of it.
fn role(story: &Story<'_>, scene: &Scene<'_>, table: &Table, run: Run) -> Role {
    if describes_other(scene, run) || is_called_thing(scene, run) {
        return Role::default();
    }
    let is_news = |hit: &Hit| {
        !is_past(scene, *hit, story.year) && !scene.is_modal(hit.from) && !is_aside(scene, hit.from)
    };
    let start = behind(scene, run);
    let act = |words: Words| acts(scene, start, words).filter(is_news);
    let (buys, bought, sells) = (act(table.after.buyer), act(table.after.target), act(table.after.seller));
    let is_passive = [buys, bought, sells].iter().flatten().any(|hit| is_passive(scene, *hit, start));
    let sells_it = sells.is_some_and(|hit| has_object(scene, hit.to));
    let owns = scene.tokens().get(run.to).is_some_and(|next| next.is_mark("'"));
    let led = |words: Words| leads(scene, run, words).filter(|hit| is_news(hit) && !owns);
    let (to, of, from) = (led(table.before.buyer), led(table.before.target), led(table.before.seller));
    // `sale to A`, and not only `to A`: the longest counts.
    let length = |hit: Option<Hit>| hit.map_or(0, |hit| hit.to - hit.from);
    let longest = length(to).max(length(of)).max(length(from));
    let is_longest = |hit: Option<Hit>| hit.is_some_and(|hit| hit.to - hit.from == longest);
    let is_led = is_longest(of) && of.is_some_and(|hit| is_company(scene, hit.to, run));
    Role {
        buys: buys.is_some() && !is_passive
            || is_longest(to) && !is_led && !is_longest(from)
            || is_sold_to(story, scene, run),
        is_bought: bought.is_some() && !sells_it
            || buys.is_some() && is_passive
            || is_led
            || is_paid_for(story, scene, run),
        sells: sells.is_some() && !is_passive && (sells_it || bought.is_none()) || is_longest(from),
    }
}

/// `after B acquisition`: what comes after it is told.
fn is_over(scene: &Scene<'_>, at: usize) -> bool {
    const NEAR_WORDS: usize = 2;
    let near = scene.tokens().get(at.saturating_sub(NEAR_WORDS)..at).unwrap_or_default();
    near.iter().any(|token| is_one_of(&token.lower, OVER))
}

/// `A of Winnipeg is`, `Speyside drinks house A`: a town of somebody, or what describes who is named after it.
fn describes_other(scene: &Scene<'_>, run: Run) -> bool {
    const NOUNS_MAX: usize = 3;
    let tokens = scene.tokens();
    let word = |back: usize| run.from.checked_sub(back).and_then(|at| tokens.get(at));
    let is_town = word(1).is_some_and(|last| is_in(last, OF))
        && scene.runs.iter().any(|other| other.to + 1 == run.from)
        && run.to - run.from == 1;
    let is_noun = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            token.kind == Kind::Word
                && !token.is_capital()
                && [scene.language.stops, scene.language.helpers, scene.language.articles]
                    .iter()
                    .all(|words| !is_in(token, words))
                && [scene.language.buys, scene.language.sells, scene.language.raises, scene.language.passes]
                    .iter()
                    .all(|verbs| any_at(tokens, at, verbs).is_none())
        })
    };
    let end = (run.to..run.to + NOUNS_MAX).take_while(|at| is_noun(*at)).last();
    let is_owner =
        tokens.get(run.to).is_some_and(|next| next.is_mark("'")) && scene.run_at(run.to + 1).is_some();
    is_town || is_owner || is_over(scene, run.from) || end.is_some_and(|end| scene.run_at(end + 1).is_some())
}

/// Where what a name does begins: after brackets, after what is told of it between commas, after its town.
fn behind(scene: &Scene<'_>, run: Run) -> usize {
    const ASIDE_WORDS: usize = 16;
    let tokens = scene.tokens();
    let is_mark = |at: usize, marks: &str| tokens.get(at).is_some_and(|token| token.is_mark(marks));
    let closed = |from: usize, marks: &str| {
        (from..(from + ASIDE_WORDS).min(tokens.len())).find(|at| is_mark(*at, marks)).map(|at| at + 1)
    };
    let mut at = run.to;
    if is_mark(at, "(") {
        at = closed(at + 1, ")").unwrap_or(at);
    }
    let is_of = tokens.get(at).is_some_and(|token| is_in(token, OF));
    if let Some(town) = scene.run_at(at + 1).filter(|_| is_of) {
        at = town.to;
    }
    if is_mark(at, ",") {
        at = closed(at + 1, ",").unwrap_or(at);
    }
    at
}

/// Before what is over when the news begins.
const OVER: &str = "after following since despite amid nach seit trotz après depuis malgré tras desde dopo na sinds após efter sedan";
/// Before the town of somebody.
const OF: &[&str] = &["of", "from", "in", "aus", "de", "à", "di", "uit", "da", "från", "i"];

/// The verb of somebody, after helpers and adverbs.
fn acts(scene: &Scene<'_>, start: usize, words: Words) -> Option<Hit> {
    const HELPER_WORDS: usize = 4;
    for at in start..start + HELPER_WORDS {
        if let Some(hit) = any_at(scene.tokens(), at, words) {
            return Some(hit);
        }
        let token = scene.tokens().get(at)?;
        let is_helper = is_in(token, scene.language.helpers) || is_in(token, scene.language.passive);
        let is_adverb =
            token.kind == Kind::Word && !token.is_capital() && !is_in(token, scene.language.stops);
        if is_break(token) || is_in(token, scene.language.modals) || !(is_helper || is_adverb) {
            return None;
        }
    }
    None
}

/// `was bought`, `bought by`.
fn is_passive(scene: &Scene<'_>, hit: Hit, start: usize) -> bool {
    let tokens = scene.tokens();
    let helped = tokens.get(start..hit.from).unwrap_or_default();
    helped.iter().any(|token| is_in(token, scene.language.passive))
        || tokens.get(hit.to).is_some_and(|next| is_in(next, scene.language.by))
}

/// Whether something stands after the verb before any small word: `sold Pipewrench to`.
fn has_object(scene: &Scene<'_>, from: usize) -> bool {
    const OBJECT_WORDS: usize = 6;
    let tokens = scene.tokens();
    let mut ends = (from..from + OBJECT_WORDS).take_while(|at| {
        tokens.get(*at).is_some_and(|token| {
            !is_break(token) && !is_in(token, scene.language.ends) && !is_in(token, scene.language.to)
        })
    });
    ends.any(|at| {
        scene.run_at(at).is_some() || tokens.get(at).is_some_and(|it| is_in(it, scene.language.articles))
    })
}

/// The phrase before a name, with nothing between but what describes it: `owned by the Dutch group A`.
fn leads(scene: &Scene<'_>, run: Run, words: Words) -> Option<Hit> {
    const WORDS_MAX: usize = 10;
    let tokens = scene.tokens();
    let describes = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            !is_break(token)
                && !is_in(token, scene.language.stops)
                && !is_in(token, scene.language.helpers)
                && [scene.language.buys, scene.language.sells, scene.language.raises]
                    .iter()
                    .all(|verbs| any_at(tokens, at, verbs).is_none() || scene.is_named(at))
        })
    };
    let is_joined = |hit: &Hit| {
        let parted = tokens.get(hit.to).is_some_and(|token| token.is_mark(",:"));
        hit.to <= run.from && (hit.to + usize::from(parted)..run.from).all(describes)
    };
    let hits = (run.from.saturating_sub(WORDS_MAX)..run.from).filter_map(|at| any_at(tokens, at, words));
    hits.filter(is_joined).max_by_key(|hit| hit.to - hit.from)
}

/// `has sold the brand and its shops to A`.
fn is_sold_to(story: &Story<'_>, scene: &Scene<'_>, run: Run) -> bool {
    const SALE_WORDS: usize = 26;
    let language = scene.language;
    let Some(to) = leads(scene, run, language.to) else { return false };
    // A lone letter is an article as often.
    if scene.tokens().get(to.from).is_some_and(|token| token.lower == "a") && language.code == "pt" {
        return false;
    }
    let near = to.from.saturating_sub(SALE_WORDS)..to.from;
    let sale = near.rev().find_map(|at| any_at(scene.tokens(), at, language.sells));
    sale.is_some_and(|hit| {
        let between = scene.tokens().get(hit.to..to.from).unwrap_or_default();
        !between.iter().any(|token| token.is_mark(";:"))
            && !is_past(scene, hit, story.year)
            && !scene.is_modal(hit.from)
            && !is_minority(scene, hit.to)
            && !names_earlier_year(between, story.year)
    })
}

/// `is handing over $148m in cash for A`.
fn is_paid_for(story: &Story<'_>, scene: &Scene<'_>, run: Run) -> bool {
    const CASH_WORDS: usize = 4;
    let language = scene.language;
    let Some(price_for) = leads(scene, run, language.paying.pays_for) else { return false };
    let near = price_for.from.saturating_sub(CASH_WORDS)..=price_for.from;
    let Some(sum) = scene.sums.iter().find(|sum| near.contains(&sum.to)) else { return false };
    (0..sum.from).rev().take(CASH_WORDS).any(|at| {
        let pays = any_at(scene.tokens(), at, language.paying.pays);
        pays.is_some_and(|hit| !is_past(scene, hit, story.year) && !scene.is_modal(hit.from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A misspelt name of a line would leave its table empty, and nobody would see it.
    #[test]
    fn every_language_has_phrases_for_every_side() {
        for Table { code, after, before } in TABLES.iter() {
            for sides in [after, before] {
                let all = [sides.buyer, sides.target, sides.seller];
                assert!(all.iter().all(|words| !words.is_empty()), "{code}");
            }
        }
    }
}
