//! What weights are counted over: everything that a release might announce, with the marks of each.

use super::View;
use super::form::{Forms, marks};
use crate::money::Money;
use crate::press::home::at_home;
use crate::press::{Announced, Release, agreed, sheet, signs, veto, with_story};

/// A release as the choice sees it. Whoever counts finds the right ones by their label.
#[derive(Debug)]
pub struct Lesson {
    /// One for each who is named.
    pub sides: Vec<Side>,
    /// Buyer, bought, and what is seen of both together.
    pub pairs: Vec<(usize, usize, Vec<String>)>,
    pub text: Vec<String>,
    /// The last is none at all.
    pub sums: Vec<(Option<Money>, Vec<String>)>,
    /// What the grammar alone makes of it.
    pub read: Option<Announced>,
    /// Nobody is asked: it is barred, or a sheet of data says it all.
    pub is_settled: bool,
    /// Only the grammar is asked.
    pub is_short: bool,
}

/// Somebody who is named.
#[derive(Debug)]
pub struct Side {
    pub marks: Vec<String>,
    /// Every way to call it, with the marks of each.
    pub forms: Vec<(String, Vec<String>)>,
}

/// None when nobody can tell its language.
pub fn lesson(release: &Release<'_>) -> Option<Lesson> {
    with_story(release, |story| {
        let readings = signs::readings(story);
        let view = View::new(story, &readings);
        let all = 0..view.actors.len();
        let sides = all.clone().map(|side| {
            let forms = Forms::new(&view, side);
            let told = |form: &String| (form.clone(), marks(&view, &forms, form));
            Side { marks: view.side_marks(side), forms: forms.all.iter().map(told).collect() }
        });
        let pairs = all.clone().flat_map(|one| all.clone().map(move |two| (one, two)));
        let pairs = pairs.filter(|(one, two)| one != two);
        let sums = view.sums.iter().copied().map(Some).chain([None]);
        Some(Lesson {
            sides: sides.collect(),
            pairs: pairs.map(|(one, two)| (one, two, view.pair_marks(one, two))).collect(),
            text: view.text_marks(),
            sums: sums.map(|sum| (sum.map(|it| at_home(story, it)), view.sum_marks(sum))).collect(),
            read: signs::surest(story, &readings).map(|it| it.at_home(story)),
            is_settled: story.is_doubtful() || veto::is_barred(story) || sheet::read(story).is_some(),
            is_short: agreed::is_short(story),
        })
    })
}
