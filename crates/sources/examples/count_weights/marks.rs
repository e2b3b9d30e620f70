//! The marks that are counted, by number, and what is weighed with them as cases.

use crate::fit::Case;
use crate::sheet::Sheet;
use std::collections::HashMap;

/// Marks of fewer releases tell nothing.
const RELEASES_MIN: usize = 6;

/// The marks of one kind, in the order of the alphabet.
#[derive(Debug)]
pub struct Numbers {
    pub all: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Numbers {
    /// Of lists of marks, one for each release.
    fn count<'a>(lists: impl Iterator<Item = Vec<&'a String>>) -> Self {
        let mut counts: HashMap<&String, usize> = HashMap::new();
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            list.into_iter().for_each(|mark| *counts.entry(mark).or_default() += 1);
        }
        let often = counts.into_iter().filter(|(_, count)| *count >= RELEASES_MIN);
        let mut all = often.map(|(mark, _)| mark.clone()).collect::<Vec<_>>();
        all.sort_unstable();
        Self { numbers: all.iter().cloned().zip(0..).collect(), all }
    }

    fn of(&self, marks: &[String]) -> Vec<u32> {
        marks.iter().filter_map(|mark| self.numbers.get(mark).copied()).collect()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }
}

/// The marks of all kinds.
#[derive(Debug)]
pub struct Marks {
    pub side: Numbers,
    pub pair: Numbers,
    pub text: Numbers,
    pub sum: Numbers,
    pub form: Numbers,
}

impl Marks {
    pub fn of(all: &[&Sheet]) -> Self {
        let lessons = || all.iter().map(|sheet| &sheet.lesson);
        Self {
            side: Numbers::count(lessons().map(|it| it.sides.iter().flat_map(|side| &side.marks).collect())),
            pair: Numbers::count(lessons().map(|it| it.pairs.iter().flat_map(|(.., marks)| marks).collect())),
            text: Numbers::count(lessons().map(|it| it.text.iter().collect())),
            sum: Numbers::count(lessons().map(|it| it.sums.iter().flat_map(|(_, marks)| marks).collect())),
            form: Numbers::count(lessons().map(|it| {
                it.sides.iter().flat_map(|side| side.forms.iter().flat_map(|(_, marks)| marks)).collect()
            })),
        }
    }

    /// Where the columns of events begin: three of sides, one of pairs, two of the release.
    pub fn event_columns(&self) -> [usize; 7] {
        let (side, pair, text) = (self.side.len(), self.pair.len(), self.text.len());
        let pairs = 3 * side;
        [0, side, 2 * side, pairs, pairs + pair, pairs + pair + text, pairs + pair + 2 * text]
    }

    /// Nothing, each as one that raises, and each pair as a purchase: in this order.
    pub fn event(&self, sheet: &Sheet) -> Case {
        let lesson = &sheet.lesson;
        let [raises, buys, is_bought, pairs, round, purchase, _] = self.event_columns();
        let mut case = Case::new(sheet.weight);
        let text = self.text.of(&lesson.text);
        let of_round = case.add(&text, round);
        let of_purchase = case.again(of_round, purchase);
        let sides = lesson.sides.iter().map(|side| {
            let first = case.add(&self.side.of(&side.marks), raises);
            [first, case.again(first, buys), case.again(first, is_bought)]
        });
        let sides = sides.collect::<Vec<_>>();
        let (companies, purchases) = (sheet.companies(), sheet.purchases());
        case.choose(Vec::new(), !sheet.text.announces());
        for (at, [raises, ..]) in sides.iter().enumerate() {
            case.choose(vec![*raises, of_round], companies.contains(&at));
        }
        for (buyer, target, marks) in &lesson.pairs {
            let both = case.add(&self.pair.of(marks), pairs);
            let ([_, buys, _], [.., is_bought]) = (sides[*buyer], sides[*target]);
            let is_right = purchases.contains(&(*buyer, *target));
            case.choose(vec![buys, is_bought, both, of_purchase], is_right);
        }
        case
    }

    /// `right` is left empty where nobody knows.
    pub fn sum(&self, sheet: &Sheet, column: usize, right: &[bool]) -> Case {
        let mut case = Case::new(sheet.weight);
        for (at, (_, marks)) in sheet.lesson.sums.iter().enumerate() {
            let part = case.add(&self.sum.of(marks), column * self.sum.len());
            case.choose(vec![part], right.get(at).copied().unwrap_or_default());
        }
        case
    }

    pub fn form(&self, sheet: &Sheet, side: usize, right: &[bool]) -> Case {
        let mut case = Case::new(sheet.weight);
        for (at, (_, marks)) in sheet.lesson.sides[side].forms.iter().enumerate() {
            let part = case.add(&self.form.of(marks), 0);
            case.choose(vec![part], right.get(at).copied().unwrap_or_default());
        }
        case
    }
}
