//! What somebody is called in full: the words that stand beside a name wherever it stands.

use super::Story;
use super::language::{any_at, is_in};
use super::name::{is_legal_form, without_form};
use super::scene::Scene;
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};

/// A name may lack so many words on a side.
const WORDS_MAX: usize = 2;
/// Small words inside names.
const JOINTS: &str =
    "de del de la los las du des d' di da do dos das della delle van von der den of & y e et i";
/// Words with a capital that stand before and after names, and are no part of them.
const APART: &str =
    "ceo cfo cto coo chief dr mr mrs ms prof the sr sra herr frau der die das den dem des and or inc";

/// The name with the words without which it is nowhere: `Hospitales del Cantábrico` for `Cantábrico`.
pub(super) fn whole_name(story: &Story<'_>, name: String) -> String {
    if story.language().has_capital_nouns() {
        return name;
    }
    let mut name = name;
    for _ in 0..WORDS_MAX {
        match beside(story, &name) {
            Some(longer) => name = longer,
            None => break,
        }
    }
    name
}

/// The name with what stands on one side of it in all places.
fn beside(story: &Story<'_>, name: &str) -> Option<String> {
    const PLACES_MIN: usize = 2;
    let whole = Passage::new(name);
    let texts = || std::iter::once(&story.title).chain(&story.body);
    let places = texts().flat_map(|scene| {
        let windows = scene.tokens().windows(whole.tokens.len().max(1)).enumerate();
        let same =
            windows.filter(|(_, part)| part.iter().zip(&whole.tokens).all(|(one, two)| one.text == two.text));
        same.map(move |(at, part)| (scene, at, at + part.len()))
    });
    let places = places.collect::<Vec<_>>();
    let is_told = places.len() >= PLACES_MIN && places.iter().any(|(scene, ..)| !scene.is_titled);
    if !is_told {
        return None;
    }
    let all_alike = |side: &dyn Fn(&Passage<'_>, usize, usize) -> Option<String>| {
        let mut sides = places.iter().map(|(scene, at, to)| side(scene.passage, *at, *to));
        let first = sides.next()??;
        sides.all(|other| other.as_ref() == Some(&first)).then_some(first)
    };
    let is_part = |token: &Token<'_>| {
        let language = story.language();
        let is_verb = [language.raises, language.buys, language.sells, language.invests, language.rounds]
            .iter()
            .any(|words| any_at(std::slice::from_ref(token), 0, words).is_some());
        token.kind == Kind::Word
            && token.is_capital()
            && !is_one_of(&token.lower, APART)
            && !is_in(token, language.openers)
            && !is_in(token, language.kinds)
            && !is_in(token, language.places)
            && !is_verb
    };
    let left = |text: &Passage<'_>, at: usize, _: usize| left_of(text, at, &is_part);
    let right = |text: &Passage<'_>, _: usize, to: usize| right_of(text, to, &is_part);
    // Where it begins a sentence, the first word may have its capital only by that.
    let is_inside = |word: &str| {
        let first = word.split(' ').next().unwrap_or_default();
        texts()
            .any(|scene| !scene.is_titled && scene.tokens().iter().skip(1).any(|token| token.text == first))
    };
    all_alike(&left)
        .filter(|word| is_inside(word))
        .map(|word| format!("{word} {name}"))
        .or_else(|| all_alike(&right).map(|word| format!("{name} {word}")))
}

fn left_of(text: &Passage<'_>, at: usize, is_part: &impl Fn(&Token<'_>) -> bool) -> Option<String> {
    let word = |back: usize| at.checked_sub(back).and_then(|at| text.tokens.get(at));
    let last = word(1)?;
    if is_part(last) {
        return Some(last.text.to_owned());
    }
    let head = word(2).filter(|head| is_joined(head) && is_one_of(&last.lower, JOINTS))?;
    Some(format!("{} {}", head.text, last.text))
}

fn right_of(text: &Passage<'_>, to: usize, is_part: &impl Fn(&Token<'_>) -> bool) -> Option<String> {
    let next = text.tokens.get(to).filter(|next| next.spaced)?;
    if is_part(next) {
        return Some(next.text.to_owned());
    }
    let after = text.tokens.get(to + 1).filter(|after| is_joined(after) && is_one_of(&next.lower, JOINTS))?;
    Some(format!("{} {}", next.text, after.text))
}

/// Behind `del` and the like any word with a capital is part of the name: `Tambos del Este`.
fn is_joined(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && token.is_capital() && !is_one_of(&token.lower, APART)
}

/// Sentences in which somebody is first named in full.
const FULL_SENTENCES: usize = 4;
/// Titles of people who are named after whom they work for.
const TITLES: &str = "ceo cfo cto coo managing director chairman chairwoman president chief founder co-founder partner shareholder \
    shareholders board group's private public";
/// Capital articles with which names begin inside a sentence.
const ARTICLES: &str = "The Le La Les El Los Las Il Lo Gli De Het O A Os As Den Det De";

/// `Brugman Software` for `Brugman`, when the first sentences name it so first; and with the article that it has inside a sentence.
pub(super) fn name_in_full(story: &Story<'_>, name: String, other: &str) -> String {
    let whole = Passage::new(&name);
    let words = whole.tokens.as_slice();
    let language = story.language();
    let is_told = |token: &Token<'_>| {
        (token.is_capital() || token.is_mark("&"))
            && ![language.kinds, language.openers, language.units].iter().any(|plain| is_in(token, plain))
            && !is_one_of(&token.lower, TITLES)
    };
    let lead = story.body.iter().take(FULL_SENTENCES).filter(|scene| !scene.is_titled);
    let first =
        lead.flat_map(|scene| scene.runs.iter().map(move |run| (scene, *run))).find_map(|(scene, run)| {
            let told = scene.tokens().get(run.from..run.to)?;
            let (head, rest) = told.split_at_checked(words.len())?;
            let is_same = head.iter().zip(words).all(|(one, two)| one.text == two.text);
            is_same.then_some((scene, run, rest))
        });
    let longer = first.and_then(|(scene, run, rest)| {
        let end = rest.iter().position(is_legal_form).unwrap_or(rest.len());
        let rest = rest.get(..end)?;
        let fits = !rest.is_empty() && rest.len() <= WORDS_MAX && rest.iter().all(is_told);
        let longer = scene.passage.slice(run.from, run.from + words.len() + rest.len());
        (fits && !other.starts_with(first_of(longer))).then(|| without_form(longer.to_owned()))
    });
    with_group(story, with_inner_article(story, longer.unwrap_or(name)))
}

/// `Grupo Arándiga`: the word has a capital only as a part of the name.
pub(super) fn with_group(story: &Story<'_>, name: String) -> String {
    const GROUPS: &[&str] = &["Grupo", "Groupe", "Gruppo"];
    if name.starts_with(char::is_lowercase) {
        return name;
    }
    let texts = || std::iter::once(&story.title).chain(story.body.iter().take(FULL_SENTENCES));
    let is_told = |whole: &String| {
        texts().any(|scene| {
            let after = scene.passage.text.split_once(whole.as_str()).map(|(_, after)| after);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        })
    };
    GROUPS.iter().map(|group| format!("{group} {name}")).find(is_told).unwrap_or(name)
}

fn first_of(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// `l'offre pour la reprise de Le Goéland Bleu`: an article with a capital inside a sentence is part of the name.
fn with_inner_article(story: &Story<'_>, name: String) -> String {
    if story.language().has_capital_nouns() {
        return name;
    }
    let first = Passage::new(&name).tokens.first().map(|token| token.text.to_owned()).unwrap_or_default();
    let article = story.body.iter().filter(|scene| !scene.is_titled).find_map(|scene| {
        scene.tokens().windows(3).find_map(|window| match window {
            [last, article, word] if word.text == first => {
                (last.kind == Kind::Word && !last.is_capital() && is_one_of(article.text, ARTICLES))
                    .then(|| article.text.to_owned())
            }
            _ => None,
        })
    });
    match article {
        Some(article) if !name.starts_with(&article) => format!("{article} {name}"),
        _ => name,
    }
}

/// `Greenthumb Tools` for `Greenthumb Tools division`, when it is called so elsewhere.
pub(super) fn without_unit(story: &Story<'_>, name: String) -> String {
    let units = story.language().units;
    let Some((head, _)) = name.rsplit_once(' ').filter(|(_, last)| units.contains(last)) else { return name };
    let is_name = head.split(' ').all(|word| !word.starts_with(char::is_lowercase));
    let is_alone = |scene: &Scene<'_>| {
        scene.passage.text.matches(head).count() > scene.passage.text.matches(name.as_str()).count()
    };
    if is_name && story.body.iter().any(is_alone) { head.to_owned() } else { name }
}
