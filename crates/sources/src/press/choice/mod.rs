//! Everybody who is named, with everybody else and with every sum: all that a release might announce, and how likely each is.
//!
//! What can be seen of a side, of two together, of the whole release, of a sum and of a form of a name are marks; what each is worth was
//! counted over labelled releases (`weights.txt`, docs/decisions/0040).

mod chosen;
mod form;
mod items;
mod lesson;
mod pair;
mod senses;
mod side;
mod sum;
mod tables;
mod text;
mod weights;

use super::actors::{Actor, actors};
use super::amount::{paid, raised};
use super::deal::deal;
use super::funding::round;
use super::name::Run;
use super::proof::support;
use super::roles::{Part, parts};
use super::signs::Reading;
use super::{Announced, Story};
use crate::money::Money;
pub use chosen::Chosen;
pub(super) use chosen::chosen;
use items::{Line, Place, lines, places};
pub use lesson::{Lesson, Side, lesson};

/// What all candidates are looked at with.
#[derive(Debug)]
pub(super) struct View<'a> {
    story: &'a Story<'a>,
    actors: &'a [Actor],
    parts: Vec<Part>,
    places: Vec<Place<'a>>,
    lines: Vec<Line>,
    readings: &'a [Reading],
    sums: Vec<Money>,
    /// What the grammar makes of the sums: raised and paid, told of all sentences and of those after the first.
    told_sums: [(&'static str, Option<Money>); 4],
}

/// Of more nobody is a side of anything.
const SIDES_MAX: usize = 14;
const SUMS_MAX: usize = 10;

impl<'a> View<'a> {
    pub fn new(story: &'a Story<'a>, readings: &'a [Reading]) -> Self {
        let all = actors(story);
        let parts = parts(story, all).unwrap_or_default();
        let actors = all.get(..SIDES_MAX.min(all.len())).unwrap_or_default();
        let places = places(story, actors);
        let lines = lines(story, &places);
        let mut sums: Vec<Money> = Vec::new();
        for sum in lines.iter().flat_map(|line| line.items.iter().filter_map(|item| item.sum)) {
            if !sums.contains(&sum) && sums.len() < SUMS_MAX {
                sums.push(sum);
            }
        }
        let told = story.body.iter().collect::<Vec<_>>();
        let later = told.get(1..).unwrap_or_default();
        let (title, year) = (&story.title, story.year);
        let told_sums = [
            ("raised", raised(title, &told, year)),
            ("raised later", raised(title, later, year)),
            ("paid", paid(title, &told, year)),
            ("paid later", paid(title, later, year)),
        ];
        Self { story, actors, parts, places, lines, readings, sums, told_sums }
    }

    fn side_marks(&self, side: usize) -> Vec<String> {
        let mut marks = Vec::new();
        let Some(actor) = self.actors.get(side) else { return marks };
        side::of_places(&mut marks, &self.lines, side);
        side::of_actor(&mut marks, actor, self.actors);
        if let Some(part) = self.parts.get(side) {
            side::of_part(&mut marks, part);
        }
        marks.push(format!("support {}", support(self.story, &actor.name).min(9)));
        self.told_marks(&mut marks, side);
        tidy(marks)
    }

    /// What single sentences tell of somebody.
    fn told_marks(&self, marks: &mut Vec<String>, side: usize) {
        const SENTENCES: usize = 3;
        let story = self.story;
        let scenes = std::iter::once(&story.title).chain(story.body.iter().take(SENTENCES));
        for (row, scene) in scenes.enumerate() {
            let zone = items::zone(row);
            let is_side = |run: Run| {
                self.places.iter().any(|it| it.row == row && it.run == run && it.actor == Some(side))
            };
            let bought = deal(scene, story.year);
            let raised = round(scene, true, story.year);
            let told = [
                ("buys", bought.and_then(|it| it.acquirer)),
                ("bought", bought.and_then(|it| it.target)),
                ("raises", raised.map(|it| it.company)),
                ("gives", raised.and_then(|it| it.investor)),
            ];
            let told = told.into_iter().filter(|(_, run)| run.is_some_and(is_side));
            marks.extend(told.map(|(what, _)| format!("{zone} {what}")));
        }
    }

    fn pair_marks(&self, buyer: usize, target: usize) -> Vec<String> {
        let mut marks = Vec::new();
        pair::of_pair(&mut marks, &self.lines, buyer, target);
        tidy(marks)
    }

    fn text_marks(&self) -> Vec<String> {
        let mut marks = vec!["always".to_owned()];
        text::of_story(&mut marks, self.story, &self.lines, self.actors.len());
        tidy(marks)
    }

    fn sum_marks(&self, sum: Option<Money>) -> Vec<String> {
        let mut marks = Vec::new();
        match sum {
            Some(sum) => sum::of_sum(&mut marks, &self.lines, sum, &self.sums),
            None => sum::of_none(&mut marks, &self.lines, &self.sums),
        }
        let told = self.told_sums.iter().filter(|(_, told)| *told == sum);
        marks.extend(told.map(|(what, _)| (*what).to_owned()));
        let mut marks = tidy(marks);
        if sum.is_none() {
            marks.iter_mut().for_each(|mark| mark.insert_str(0, "none "));
        }
        marks
    }
}

fn names(found: &Announced) -> Vec<&str> {
    match found {
        Announced::Funding { company, .. } => vec![company],
        Announced::Acquisition { acquirer, target, .. } => vec![acquirer, target],
    }
}

fn tidy(mut marks: Vec<String>) -> Vec<String> {
    marks.sort_unstable();
    marks.dedup();
    marks
}
