//! In which form somebody is named: all that the release has of a name, longer and shorter, and what can be seen of each.

use super::View;
use crate::press::Story;
use crate::press::language::is_in;
use crate::press::name::{Run, is_legal_form, spell, without_form};
use crate::press::naming::canonical;
use crate::press::scene::Scene;
use crate::press::signs::bare;
use crate::press::text::{Kind, Passage, Token};
use crate::press::whole::{name_in_full, whole_name, with_group};

const FORMS_MAX: usize = 16;
/// So many words may be missing on a side of a name.
const MORE_WORDS: usize = 3;
/// Small words inside names.
const JOINTS: &[&str] = &[
    "of", "and", "for", "the", "&", "de", "del", "de la", "la", "des", "du", "d'", "l'", "di", "da", "do",
    "dos", "das", "della", "delle", "dei", "und", "am", "im", "zum", "für", "et", "y", "e", "en", "van",
    "der", "den", "i", "och", "för", "av", "to", "in", "at", "+", "'", "-", ".",
];

/// Before a name they tell when something was.
const DAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A name, and what is known of it for all its forms.
#[derive(Debug)]
pub(super) struct Forms {
    pub all: Vec<String>,
    counts: Vec<usize>,
    actor: usize,
    name: String,
    chain: String,
    canonical: String,
}

impl Forms {
    /// All forms of the name of an actor.
    pub fn new(view: &View<'_>, actor: usize) -> Self {
        let story = view.story;
        let mut all: Vec<String> = Vec::new();
        let name = view.actors.get(actor).map(|it| it.name.clone()).unwrap_or_default();
        add(&mut all, name.clone());
        for told in view.readings.iter().flat_map(|reading| super::names(&reading.found)) {
            if view.actors.get(actor).is_some_and(|it| it.is_called(told)) {
                add(&mut all, told.to_owned());
            }
        }
        let chain = name_in_full(story, with_group(story, whole_name(story, name.clone())), "");
        let canonical = canonical(story, name.clone());
        add(&mut all, chain.clone());
        add(&mut all, canonical.clone());
        for place in view.places.iter().filter(|place| place.actor == Some(actor)) {
            of_run(&mut all, place.scene, place.run);
        }
        // One name with and without its legal form is one.
        let mut bares: Vec<String> = Vec::new();
        all.sort_by_key(String::len);
        all.retain(|name| {
            let bare = bare(name);
            let is_new = !bare.is_empty() && !bares.contains(&bare);
            bares.push(bare);
            is_new
        });
        all.truncate(FORMS_MAX);
        let counts = all.iter().map(|it| count(&texts(story), it)).collect();
        Self { all, counts, actor, name, chain, canonical }
    }

    fn count(&self, form: &str) -> usize {
        let known = self.all.iter().zip(&self.counts).find(|(it, _)| *it == form);
        known.map_or(0, |(_, count)| *count)
    }
}

fn texts<'a>(story: &Story<'a>) -> [&'a str; 2] {
    [story.title.passage.text, story.whole]
}

fn add(found: &mut Vec<String>, name: String) {
    let name = name.trim_end_matches([',', '.', ' ']).to_owned();
    if !name.is_empty() && !found.contains(&name) {
        found.push(name);
    }
}

/// A run as it stands, with words more and less on both sides.
fn of_run(found: &mut Vec<String>, scene: &Scene<'_>, run: Run) {
    let tokens = scene.tokens();
    let mut push = |from: usize, to: usize| {
        if let Some(name) = spell(scene.passage, Run { from, to }) {
            add(found, name);
        }
    };
    push(run.from, run.to);
    let (mut lefts, mut rights) = (vec![run.from], vec![run.to]);
    if !scene.is_titled {
        lefts.extend(left(scene, run.from));
        rights.extend(right(tokens, run.to));
    }
    for from in &lefts {
        for to in &rights {
            push(*from, *to);
        }
    }
    for less in 1..=2 {
        if run.from + less < run.to {
            push(run.from + less, run.to);
            push(run.from, run.to - less);
            for from in lefts.iter().skip(1) {
                push(*from, run.to - less);
            }
        }
    }
}

fn is_part(token: &Token<'_>) -> bool {
    token.kind == Kind::Word && token.is_capital() || token.kind == Kind::Number && token.text.len() <= 3
}

/// Where it begins with more words before it.
fn left(scene: &Scene<'_>, from: usize) -> Vec<usize> {
    let (tokens, days) = (scene.tokens(), DAYS);
    let mut found = Vec::new();
    let mut at = from;
    while found.len() < MORE_WORDS {
        let word = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
        let is_joint = |back: usize| word(back).is_some_and(|it| is_in(it, JOINTS));
        let is_name = |back: usize| word(back).is_some_and(|it| is_part(it) && !is_in(it, days));
        let step = (1..=3).find(|back| is_name(*back) && (1..*back).all(is_joint));
        let Some(step) = step else { break };
        at -= step;
        found.push(at);
    }
    found
}

fn right(tokens: &[Token<'_>], to: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = to;
    while found.len() < MORE_WORDS {
        let word = |more: usize| tokens.get(at + more);
        let is_joint = |more: usize| word(more).is_some_and(|it| is_in(it, JOINTS) && !it.is_mark("."));
        let step = (0..3).find(|more| word(*more).is_some_and(is_part) && (0..*more).all(is_joint));
        let Some(step) = step else { break };
        at += step + 1;
        found.push(at);
    }
    found
}

/// How often each stands in the release, as a whole word.
fn count(texts: &[&str], form: &str) -> usize {
    texts.iter().map(|text| places(text, form).count()).sum()
}

fn places<'a>(text: &'a str, form: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(form).filter_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + form.len()..)?);
        let is_apart = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        is_apart.then_some((before, after))
    })
}

/// What can be seen of one form among the others.
pub(super) fn marks(view: &View<'_>, forms: &Forms, form: &str) -> Vec<String> {
    let story = view.story;
    let mut marks = Vec::new();
    let most = forms.counts.iter().copied().max().unwrap_or_default();
    let own = forms.count(form);
    let share = (own * 4).checked_div(most).unwrap_or_default();
    marks.push(format!("count {}", own.min(4)));
    marks.push(format!("share {share}"));
    marks.push(format!("count {} most {}", own.min(4), most.min(5)));
    let lengths = forms.all.iter().map(|it| it.split(' ').count());
    let length = form.split(' ').count();
    marks.push(format!("words {}", length.min(5)));
    marks.push(format!("{} words {}", story.language().code, length.min(4)));
    marks.push(format!("longest {}", lengths.clone().filter(|it| *it > length).count().min(3)));
    marks.push(format!("shortest {}", lengths.filter(|it| *it < length).count().min(3)));
    let is_titled = places(story.title.passage.text, form).next().is_some();
    if is_titled {
        marks.push("titled".to_owned());
    }
    marks.push(format!("titled {is_titled} share {share}"));
    of_neighbours(&mut marks, &texts(story), form, own);
    of_runs(&mut marks, view, forms.actor, form);
    of_others(&mut marks, forms, form, own);
    of_words(&mut marks, story, form);
    for (told, what) in [(&forms.name, "actor"), (&forms.chain, "chain"), (&forms.canonical, "canonical")] {
        if told == form {
            marks.push(what.to_owned());
        }
    }
    super::tidy(marks)
}

/// Its first and its last word, and what they are.
fn of_words(marks: &mut Vec<String>, story: &Story<'_>, form: &str) {
    const STEM_LETTERS: usize = 5;
    const TAIL_LETTERS: usize = 4;
    let language = story.language();
    let words = Passage::new(form);
    let (first, last) = (words.tokens.first(), words.tokens.last());
    let is_long = form.contains(' ');
    let small = form.split(' ').next().unwrap_or_default().to_lowercase();
    let end = form.rsplit(' ').next().unwrap_or_default().to_lowercase();
    if is_long {
        let stem = |word: &str| word.chars().take(STEM_LETTERS).collect::<String>();
        let tail = small.chars().count().saturating_sub(TAIL_LETTERS);
        let tail = small.chars().skip(tail).collect::<String>();
        marks.extend([format!("first={small}"), format!("last={end}"), format!("first tail={tail}")]);
        marks.extend([format!("first^{}", stem(&small)), format!("last^{}", stem(&end))]);
        let is_small = |word: &str| {
            let mut tokens = story.body.iter().flat_map(Scene::tokens);
            tokens.any(|it| it.lower == word && !it.is_capital())
        };
        if is_small(&small) {
            marks.push("first small elsewhere".to_owned());
        }
        if is_small(&end) {
            marks.push("last small elsewhere".to_owned());
        }
    }
    let is_first = |words: &[&str]| first.is_some_and(|it| is_in(it, words));
    let is_last = |words: &[&str]| last.is_some_and(|it| is_in(it, words));
    let flags = [
        ("small", form.starts_with(char::is_lowercase)),
        ("article", is_first(language.articles)),
        ("opener", is_first(language.openers)),
        ("stop", is_first(language.stops)),
        ("kind", is_long && is_first(language.kinds)),
        ("place", is_long && is_first(language.places)),
        ("unit", is_last(language.units)),
        ("last kind", is_last(language.kinds)),
        ("legal", last.is_some_and(is_legal_form)),
        ("inner", words.tokens.iter().any(|it| is_in(it, JOINTS))),
        ("number", words.tokens.iter().any(|it| it.kind == Kind::Number)),
        ("shouted", !form.chars().any(char::is_lowercase)),
        ("foreign form", without_form(form.to_owned()) != form),
        ("helper", words.tokens.iter().any(|it| is_in(it, language.helpers))),
    ];
    for (flag, _) in flags.iter().filter(|(_, is_so)| *is_so) {
        marks.push((*flag).to_owned());
        marks.push(format!("{flag} {}", language.code));
    }
}

/// How often longer and shorter forms are there, by the side on which they differ.
fn of_others(marks: &mut Vec<String>, forms: &Forms, form: &str, own: usize) {
    for other in forms.all.iter().filter(|it| it.len() > form.len()) {
        let times = forms.count(other).min(3);
        if other.ends_with(form) {
            marks.push(format!("longer left {times} of {}", own.min(4)));
        } else if other.starts_with(form) {
            marks.push(format!("longer right {times} of {}", own.min(4)));
        }
    }
    for other in forms.all.iter().filter(|it| it.len() < form.len() && form.contains(it.as_str())) {
        let side = if form.ends_with(other.as_str()) { "left" } else { "right" };
        marks.push(format!("shorter {side} {} of {}", own.min(3), forms.count(other).min(4)));
    }
}

/// Which names stand in the release as they are: all words with capitals around them are theirs.
fn of_runs(marks: &mut Vec<String>, view: &View<'_>, actor: usize, form: &str) {
    let (mut all, mut same, mut is_first) = (0, 0, true);
    let wanted = bare(form);
    for place in view.places.iter().filter(|place| place.actor == Some(actor)) {
        let (tokens, run) = (place.scene.tokens(), place.run);
        let from = left(place.scene, run.from).last().copied().unwrap_or(run.from);
        let to = right(tokens, run.to).last().copied().unwrap_or(run.to);
        let is_whole = |from: usize, to: usize| {
            spell(place.scene.passage, Run { from, to }).is_some_and(|name| bare(&name) == wanted)
        };
        let own = is_whole(run.from, run.to);
        let told = [
            ("exact", is_whole(from, to)),
            ("left whole", is_whole(from, run.to)),
            ("own", own),
            ("own inside", own && run.from > 0),
        ];
        let told = told.iter().filter(|(_, is_so)| *is_so);
        all += 1;
        same += usize::from(own);
        let zone = if place.row == 0 { "title" } else { "body" };
        marks.extend(told.clone().map(|(what, _)| format!("{zone} {what}")));
        if place.row > 0 && is_first {
            is_first = false;
            marks.extend(told.map(|(what, _)| format!("first {what}")));
        }
    }
    marks.push(format!("own {}", (same * 4).checked_div(all).unwrap_or_default()));
}

/// What stands right before and after all places of the form.
fn of_neighbours(marks: &mut Vec<String>, texts: &[&str], form: &str, own: usize) {
    let mut left_open = 0;
    let mut right_open = 0;
    let mut inside = 0;
    for text in texts {
        for (before, after) in places(text, form) {
            let last = before.trim_end_matches(' ');
            let word = last.rsplit([' ', '\n', '(']).next().unwrap_or_default();
            let is_near = before.ends_with(' ') && !last.ends_with(|it: char| !it.is_alphanumeric());
            left_open += usize::from(is_near && word.starts_with(char::is_uppercase));
            inside += usize::from(is_near && word.starts_with(char::is_lowercase));
            let next = after.strip_prefix(' ').unwrap_or_default();
            right_open += usize::from(next.starts_with(char::is_uppercase));
            let next = next.split([' ', ',', '.']).next().unwrap_or_default();
            if before.ends_with("The ") {
                marks.push("the".to_owned());
            }
            if !word.is_empty() {
                marks.push(format!("-={}", if is_near { word.to_lowercase() } else { "<mark>".to_owned() }));
            }
            if !next.is_empty() {
                marks.push(format!("+={}", next.to_lowercase()));
            } else {
                let mark = after.chars().next().unwrap_or(' ');
                marks.push(format!("+={mark}"));
            }
        }
    }
    let part = |count: usize| (count * 3).checked_div(own).unwrap_or_default();
    marks.push(format!("left open {}", part(left_open)));
    marks.push(format!("right open {}", part(right_open)));
    marks.push(format!("inside {}", part(inside)));
    if inside > 0 {
        marks.push("inside".to_owned());
    }
}
