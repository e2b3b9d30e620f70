//! A sentence as a row of items: a name and a sum are one each, other words keep the tables that they are in.

use super::tables;
use crate::money::Money;
use crate::press::Story;
use crate::press::actors::Actor;
use crate::press::money::bare_sum_at;
use crate::press::name::Run;
use crate::press::naming::{body_name, settled_name};
use crate::press::scene::Scene;
use crate::press::text::Kind;

#[derive(Debug)]
pub(super) struct Item {
    /// In lower case; of names, sums and numbers only what they are.
    pub word: String,
    pub tables: Vec<&'static str>,
    /// Which of the actors is named.
    pub actor: Option<usize>,
    pub sum: Option<Money>,
}

#[derive(Debug)]
pub(super) struct Line {
    /// The headline, the first sentence, or any other.
    pub zone: char,
    pub items: Vec<Item>,
}

impl Item {
    /// What it is about, in any language: a word that is in no table is nothing.
    pub fn concept(&self) -> &str {
        let known = self.tables.iter().find(|table| table.starts_with(CONCEPT));
        let is_word = self.word.starts_with(char::is_alphabetic);
        known.copied().unwrap_or(if is_word { "?" } else { &self.word })
    }

    /// The beginning of a longer word, which its other forms share.
    pub fn stem(&self) -> Option<&str> {
        const LETTERS: usize = 5;
        let end = self.word.char_indices().nth(LETTERS).map(|(at, _)| at)?;
        self.word.get(..end).filter(|stem| stem.starts_with(char::is_alphabetic))
    }
}

impl Line {
    pub fn places<'a>(&'a self, actor: usize) -> impl Iterator<Item = usize> + 'a {
        let all = self.items.iter().enumerate();
        all.filter(move |(_, item)| item.actor == Some(actor)).map(|(at, _)| at)
    }

    /// The items before a place, the nearest first.
    pub fn before(&self, at: usize) -> impl Iterator<Item = &Item> {
        self.items.get(..at).unwrap_or_default().iter().rev()
    }

    pub fn after(&self, at: usize) -> impl Iterator<Item = &Item> {
        self.items.get(at + 1..).unwrap_or_default().iter()
    }
}

/// Sentences after these are about other things.
pub(super) const SENTENCES: usize = 6;
pub(super) const NAME: &str = "<name>";
/// What the names of concepts begin with.
const CONCEPT: char = '=';
/// Of a sum whose currency is not said beside it.
pub(super) const BARE: &str = "@bare";

/// The headline and the first sentences.
pub(super) fn lines(story: &Story<'_>, places: &[Place<'_>]) -> Vec<Line> {
    let scenes = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
    let currency = usual_currency(story);
    let line = |(at, scene)| Line { zone: zone(at), items: items(scene, at, places, currency) };
    scenes.enumerate().map(line).collect()
}

/// In which currency a figure without one is: that of all others, or where there are none that of the language.
fn usual_currency(story: &Story<'_>) -> Option<&'static str> {
    let scenes = std::iter::once(&story.title).chain(&story.body);
    let mut named = scenes.flat_map(|scene| scene.sums.iter().map(|sum| sum.money.currency));
    let Some(first) = named.next() else {
        return match story.language().code {
            "de" | "fr" | "it" | "nl" => Some("EUR"),
            "sv" => Some("SEK"),
            _ => None,
        };
    };
    named.all(|other| other == first).then_some(first)
}

/// Which line of the release it is: the headline, the first sentence, or any other.
pub(super) fn zone(row: usize) -> char {
    match row {
        0 => 'T',
        1 => 'F',
        _ => 'R',
    }
}

/// A name where it stands, and whose it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub scene: &'a Scene<'a>,
    /// The headline is the first.
    pub row: usize,
    pub run: Run,
    pub actor: Option<usize>,
}

/// All names of the headline and the first sentences.
pub(super) fn places<'a>(story: &'a Story<'_>, actors: &[Actor]) -> Vec<Place<'a>> {
    let scenes = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
    let of_scene = |(row, scene): (usize, &'a Scene<'a>)| {
        let places = scene.runs.iter().map(move |run| {
            let name = if row == 0 { settled_name(story, *run) } else { body_name(story, scene, *run) };
            let actor = name.and_then(|name| actors.iter().position(|actor| actor.is_called(&name)));
            Place { scene, row, run: *run, actor }
        });
        places.collect::<Vec<_>>()
    };
    scenes.enumerate().flat_map(of_scene).collect()
}

fn items(scene: &Scene<'_>, row: usize, places: &[Place<'_>], currency: Option<&'static str>) -> Vec<Item> {
    let tokens = scene.tokens();
    let mut tables = tables::of_tokens(scene.language.code, tokens);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if let Some(run) = scene.run_at(at) {
            let actor = places.iter().find(|it| it.row == row && it.run == run).and_then(|it| it.actor);
            found.push(Item { word: NAME.to_owned(), tables: Vec::new(), actor, sum: None });
            at = run.to.max(at + 1);
            continue;
        }
        let english = scene.language.is_english();
        let sum = scene.sums.iter().find(|sum| sum.from == at).copied();
        let bare = currency.filter(|_| sum.is_none());
        let bare = bare.and_then(|currency| bare_sum_at(tokens, at, english, currency));
        if let Some(sum) = sum.or(bare) {
            let tables = if bare.is_some() { vec![BARE] } else { Vec::new() };
            found.push(Item { word: "<sum>".to_owned(), tables, actor: None, sum: Some(sum.money) });
            at = sum.to.max(at + 1);
            continue;
        }
        let word = if token.kind == Kind::Number { "<number>".to_owned() } else { token.lower.clone() };
        let mut tables = tables.get_mut(at).map(std::mem::take).unwrap_or_default();
        tables.extend(super::senses::of_word(scene.language.code, &token.lower));
        tables.sort_unstable();
        tables.dedup();
        found.push(Item { word, tables, actor: None, sum: None });
        at += 1;
    }
    found
}
