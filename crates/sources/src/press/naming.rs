//! How a release calls whom it is about: a name of the headline against the body, and the other way round.

use super::Story;
use super::describe::{clean, is_adjective, is_description, settle};
use super::language::{any_at, is_in};
use super::name::{Run, is_legal_form, spell, without_form};
use super::scene::Scene;
use super::table::is_one_of;
use super::text::{Kind, Passage, Token};
use assay_domain::limits::PRESS_LEAD_SENTENCES;

/// A name of the headline, as far as the body has it too.
pub(super) fn settled_name(story: &Story<'_>, run: Run) -> Option<String> {
    let passage = story.title.passage;
    let body = story.body.iter().map(|scene| scene.passage).collect::<Vec<_>>();
    let run = if body.is_empty() { run } else { settle(passage, run, &body)? };
    let run = clean(passage, run, &story.texts(), story.language());
    if is_description(passage, run, story.language()) {
        return None;
    }
    let run = with_article(story, without_owner(story, passage, run));
    spell(passage, run)
}

/// A name of the headline that the body does not have: only when it cannot be an ordinary word.
pub(super) fn stated_name(story: &Story<'_>, run: Run) -> Option<String> {
    let passage = story.title.passage;
    let mut run = clean(passage, run, &story.texts(), story.language());
    let language = story.language();
    let describes = |at: usize| {
        passage
            .tokens
            .get(at)
            .is_some_and(|token| is_in(token, language.kinds) || is_in(token, language.places))
    };
    while run.from + 1 < run.to && describes(run.from) {
        run.from += 1;
    }
    let is_first = run.from == 0 && run.to == 1 || story.title.is_titled;
    let is_other = is_description(passage, run, story.language()) || is_first;
    spell(passage, without_owner(story, passage, run)).filter(|_| !is_other)
}

/// Headlines leave articles out, so that one they have is part of the name.
fn with_article(story: &Story<'_>, run: Run) -> Run {
    let last = run.from.checked_sub(1).and_then(|at| story.title.tokens().get(at));
    let is_name = story.language().is_english() && last.is_some_and(|last| last.text == "The");
    Run { from: run.from - usize::from(is_name), to: run.to }
}

/// A name of the body; the headline's longer form of it, if it has one.
pub(super) fn body_name(story: &Story<'_>, scene: &Scene<'_>, run: Run) -> Option<String> {
    let run = clean(scene.passage, run, &story.texts(), story.language());
    let run = without_owner(story, scene.passage, run);
    if is_description(scene.passage, run, story.language()) {
        return None;
    }
    let name = spell(scene.passage, run)?;
    let title = &story.title;
    let longer = title.runs.iter().find_map(|run| {
        let whole = settled_name(story, *run)?;
        let goes_on = whole.strip_prefix(&name).is_some_and(|rest| rest.starts_with(' '));
        (goes_on && !title.is_sum(run.from)).then_some(whole)
    });
    Some(longer.unwrap_or(name))
}

/// `Prado Alto de Palencia` is `Prado Alto` when it is called so elsewhere.
fn without_owner(story: &Story<'_>, passage: &Passage<'_>, run: Run) -> Run {
    let joint = (run.from + 1..run.to)
        .find(|at| passage.tokens.get(*at).is_some_and(|token| !token.is_capital() && !token.is_mark("&+.")));
    // A town is part of what Swedish companies are called.
    let Some(joint) = joint.filter(|_| story.language().code != "sv") else { return run };
    let head = Run { from: run.from, to: joint };
    let words = |run: Run| passage.tokens.get(run.from..run.to).unwrap_or_default();
    let alone = std::iter::once(&story.title).chain(&story.body).any(|scene| {
        scene.runs.iter().any(|other| {
            let theirs = scene.tokens().get(other.from..other.to).unwrap_or_default();
            theirs.len() == words(head).len()
                && theirs.iter().zip(words(head)).all(|(one, two)| one.text == two.text)
        })
    });
    if alone { head } else { run }
}

/// Words before a name that belong to it when they have capitals inside a sentence: `De Graanmolen`, `Van Rossum`.
const PARTICLES: &str = "De Den Der Het Ter Ten Van Von Vom Zum Zur Le La Les Los Las El Il Lo Gli Di Da Du Del Della Dos Das Do O A Os As Al \
    The Saint Sankt San Santa São";
/// The name with such a word, when the body has it when it first names it.
pub(super) fn canonical(story: &Story<'_>, name: String) -> String {
    let name = in_full(story, &name).unwrap_or(name);
    without_form(called(story, name))
}

fn called(story: &Story<'_>, name: String) -> String {
    let first = story.body.iter().take(PRESS_LEAD_SENTENCES).find_map(|scene| {
        scene.runs.iter().find_map(|run| {
            let text = scene.passage.slice(run.from, run.to);
            let (left, right) = text.split_once(name.as_str())?;
            let is_whole =
                (left.is_empty() || left.ends_with(' ')) && (right.is_empty() || right.starts_with(' '));
            is_whole.then_some((scene, *run, left.trim()))
        })
    });
    let Some((scene, run, left)) = first.filter(|(scene, ..)| !scene.is_titled) else {
        return with_the(story, name);
    };
    let name = fuller(story, scene, run, name);
    let language = story.language();
    let is_inside =
        run.from > 0 && scene.tokens().get(run.from - 1).is_some_and(|last| last.kind == Kind::Word);
    let is_kind = |word: &str| language.kinds.contains(&word.to_lowercase().as_str());
    // `Landbouwplatform De Nieuwe Akker`.
    let left = left.rsplit(' ').next().filter(|last| is_one_of(last, PARTICLES)).unwrap_or(left);
    let is_inside = is_inside || scene.passage.slice(run.from, run.to).split(' ').next() != Some(left);
    let takes_left = is_inside
        && !left.is_empty()
        && (is_one_of(left, PARTICLES)
            || !language.has_capital_nouns() && !language.is_english() && is_kind(left));
    if takes_left { format!("{left} {name}") } else { with_the(story, name) }
}

/// `PetPoint Group` with which the body begins, for `PetPoint` of the headline.
fn fuller(story: &Story<'_>, scene: &Scene<'_>, run: Run, name: String) -> String {
    let begins = story.body.first().is_some_and(|first| std::ptr::eq(first, scene));
    let whole = scene.passage.slice(run.from, run.to);
    let rest = whole.strip_prefix(name.as_str()).unwrap_or_default();
    let rest_words = Passage::new(rest).tokens;
    let is_form = rest_words.iter().all(is_legal_form) || !rest_words.iter().all(Token::is_capital);
    if begins && rest.starts_with(' ') && !is_form { whole.to_owned() } else { name }
}

/// `Le Moulin Vert acquiert`: an article with which headline and body both begin, and without which the name is nowhere.
fn with_own_article(story: &Story<'_>, name: &str) -> Option<String> {
    const ARTICLES: &[&str] = &["La", "El", "Los", "Las", "Le", "Les", "De", "Het"];
    if !matches!(story.language().code, "es" | "fr" | "nl") {
        return None;
    }
    ARTICLES.iter().map(|article| format!("{article} {name}")).find(|whole| {
        let starts = |text: &str| {
            text.match_indices(whole.as_str()).any(|(at, _)| {
                let before = text.get(..at).unwrap_or_default().trim_end();
                before.is_empty() || before.ends_with([':', ','])
            })
        };
        let is_alone = |scene: &Scene<'_>| {
            let text = scene.passage.text;
            text.matches(name).count() > text.matches(whole.as_str()).count()
        };
        let is_always = || !std::iter::once(&story.title).chain(&story.body).any(is_alone);
        starts(story.title.passage.text)
            && story.body.iter().any(|scene| starts(scene.passage.text))
            && is_always()
    })
}

/// `restaurant group The Copper Pot`: an article with a capital inside a sentence, or with which the headline begins.
fn with_the(story: &Story<'_>, name: String) -> String {
    let whole = format!("The {name}");
    let is_inside = |scene: &Scene<'_>| {
        let at = scene.passage.text.find(&whole).filter(|at| *at > 0);
        at.and_then(|at| scene.passage.text.get(..at))
            .is_some_and(|head| head.ends_with(' ') && head.trim_end().ends_with(char::is_alphanumeric))
    };
    let is_headed =
        story.title.passage.text.starts_with(&whole) || !story.title.is_titled && is_inside(&story.title);
    if let Some(whole) = with_own_article(story, &name) {
        return whole;
    }
    let told = story.language().is_english() && (is_headed || story.body.iter().any(is_inside));
    if told { whole } else { name }
}

pub(super) fn is_same(one: &str, two: &str) -> bool {
    one.starts_with(two) || two.starts_with(one) || one.ends_with(two) || two.ends_with(one)
}

/// The headline's name, unless the body has another that the headline names too: sentences are read more surely.
pub(super) fn prefer(story: &Story<'_>, headline: Option<String>, body: Option<String>) -> Option<String> {
    let (Some(first), Some(second)) = (&headline, &body) else { return headline.or(body) };
    let is_other = !is_same(first, second) && is_in_title(story, second);
    // `Paper Division` of the headline is `Specialty Paper Division`.
    let last = second.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let starts_alike = first.split(' ').next() == second.split(' ').next() && second.len() > first.len();
    let ends_alike = first.to_lowercase().ends_with(last.as_str()) && starts_alike;
    let is_longer =
        (second.ends_with(first.as_str()) || ends_alike) && story.language().units.contains(&last.as_str());
    let is_fuller = second
        .strip_prefix(first.as_str())
        .is_some_and(|rest| rest.starts_with(' ') && !Passage::new(rest).tokens.iter().all(is_legal_form));
    if is_other || is_longer || is_fuller { body } else { headline }
}

/// `Pumpenbau Kessler GmbH` for `Kessler`; where nouns have capitals `Brodersen & Sohn` when the headline only has what
/// the body tells before the name, `das Textilhaus Brodersen & Sohn`.
fn in_full(story: &Story<'_>, name: &str) -> Option<String> {
    let language = story.language();
    let lead = story.body.iter().take(PRESS_LEAD_SENTENCES);
    let mut runs = lead.flat_map(|scene| scene.runs.iter().map(move |run| (scene, *run)));
    runs.find_map(|(scene, run)| {
        let cleaned = clean(scene.passage, run, &story.texts(), language);
        let told = spell(scene.passage, cleaned)?;
        let formed = scene.tokens().get(run.to - 1).is_some_and(is_legal_form);
        let bare = scene.passage.slice(cleaned.from, run.to - 1).trim_end_matches([',', ' ']);
        let is_formed = formed && bare.strip_suffix(name).is_some_and(|head| head.ends_with(' '));
        let rest = scene.passage.slice(run.from, run.to).strip_prefix(name).map(str::trim);
        let is_placed = language.has_capital_nouns()
            && scene.tokens().get(run.from).is_some_and(|first| is_adjective(first, language));
        let rest =
            rest.filter(|rest| is_placed && name.contains(' ') && rest.starts_with(char::is_uppercase));
        rest.map(str::to_owned).or(is_formed.then_some(told))
    })
}

/// As tokens have it: `Xylem` of `Xylem&Phloem`.
fn first_word(name: &str) -> &str {
    Passage::new(name).tokens.first().map_or("", |token| token.text)
}

/// Whether the headline has the name, or the first word of it.
pub(super) fn is_in_title(story: &Story<'_>, name: &str) -> bool {
    let first = first_word(name);
    story.title.tokens().iter().any(|token| token.text == first)
}

/// Whether a name that the headline lacks is one: it stands inside a sentence, or more than once, or does something. The first
/// word of a sentence has a capital anyway.
pub(super) fn is_certain(story: &Story<'_>, name: &str) -> bool {
    let first = first_word(name);
    let mut places = 0;
    let mut is_sure = name.contains([' ', '-', '.', '\'', '’']);
    for scene in &story.body {
        for (at, token) in scene.tokens().iter().enumerate().filter(|(_, token)| token.text == first) {
            let next = scene.tokens().get(at + 1);
            // `Regulators are`: several of a kind.
            let next = next.filter(|next| !is_in(next, &["are", "have", "were"]));
            let last = at.checked_sub(1).and_then(|at| scene.tokens().get(at));
            let is_noun = story.language().has_capital_nouns()
                && last.is_none_or(|last| is_in(last, story.language().articles));
            let acts = next.is_some_and(|next| next.is_mark(",(") || is_in(next, story.language().helpers));
            is_sure |= !is_noun && (at > 0 || acts);
            places += usize::from(!token.text.is_empty());
        }
    }
    is_sure || places > 1 && !story.language().has_capital_nouns()
}

/// Whether something is in it, and not only somebody's money: `a plant in Poland`.
pub(super) fn is_place(story: &Story<'_>, name: &str) -> bool {
    let language = story.language();
    story.body.iter().any(|scene| {
        let tokens = scene.tokens();
        let pairs = tokens.iter().zip(tokens.iter().skip(1)).enumerate();
        let mut inside =
            pairs.filter(|(_, (last, token))| is_in(last, language.inside) && token.text == name);
        inside.any(|(at, _)| {
            let words = [language.rounds, language.shares, language.invests];
            let near = at.saturating_sub(2)..=at;
            !near.into_iter().any(|at| words.iter().any(|words| any_at(tokens, at, words).is_some()))
        })
    })
}
