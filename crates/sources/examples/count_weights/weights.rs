//! Weights counted over labelled releases, what they choose, and the file they are kept in.

use crate::fit::{Case, fit};
use crate::marks::{Marks, Numbers};
use crate::sheet::Sheet;
use assay_domain::Confidence;
use assay_sources::press::{Announced, Chosen};
use std::fmt::Write;

/// Square penalties: the larger, the smaller weights are held.
const EVENT_PENALTY: f64 = 4.0;
const SUM_PENALTY: f64 = 3.0;
const FORM_PENALTY: f64 = 3.0;
/// Smaller weights, in hundredths, are left out.
const WORTH_MIN: i64 = 4;

const HEAD: &str = "\
# What marks are worth, in hundredths of a logarithm of odds: counted over labelled releases (never the held-out ones) by the program
# `count_weights` (docs/decisions/0042). A line is a mark and, after a tab, a weight for each column of its kind. Not to be written by hand.
";

pub struct Weights {
    marks: Marks,
    event: Vec<f64>,
    sum: Vec<f64>,
    form: Vec<f64>,
}

/// The likeliest of several.
fn best(shares: Vec<f64>) -> Option<(usize, f64)> {
    let all = shares.into_iter().enumerate();
    all.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

impl Weights {
    pub fn count(all: &[&Sheet]) -> Self {
        let marks = Marks::of(all);
        let answered = |cases: Vec<Case>| cases.into_iter().filter(Case::is_answered).collect::<Vec<_>>();
        let events = answered(all.iter().map(|it| marks.event(it)).collect());
        let sums = all.iter().filter_map(|it| it.sums().map(|(column, right)| marks.sum(it, column, &right)));
        let names = all.iter().flat_map(|it| it.names().into_iter().map(move |name| (it, name)));
        let forms = names.map(|(it, (side, right))| marks.form(it, side, &right));
        let (sums, forms) = (answered(sums.collect()), answered(forms.collect()));
        let [.., length] = marks.event_columns();
        Self {
            event: fit(&events, length, EVENT_PENALTY),
            sum: fit(&sums, 2 * marks.sum.len(), SUM_PENALTY),
            form: fit(&forms, marks.form.len(), FORM_PENALTY),
            marks,
        }
    }

    /// What a release announces; none when most likely nothing.
    pub fn choose(&self, sheet: &Sheet) -> Option<Chosen> {
        let lesson = &sheet.lesson;
        let (at, likely) = best(self.marks.event(sheet).shares(&self.event))?;
        let confidence = Confidence::percent(0);
        let (found, share) = if at == 0 {
            return None;
        } else if at <= lesson.sides.len() {
            let ((company, named), (amount, summed)) = (self.name(sheet, at - 1)?, self.sum(sheet, 0)?);
            let (investors, lead_investors) = (Vec::new(), Vec::new());
            let stage = None;
            let found = Announced::Funding { company, amount, stage, investors, lead_investors, confidence };
            (found, named * summed)
        } else {
            let (buyer, target, _) = lesson.pairs[at - 1 - lesson.sides.len()];
            let ((acquirer, one), (target, two)) = (self.name(sheet, buyer)?, self.name(sheet, target)?);
            let (price, summed) = self.sum(sheet, 1)?;
            (Announced::Acquisition { acquirer, target, price, confidence }, one * two * summed)
        };
        Some(Chosen { found, percent: (likely * share * 100.0) as i64 })
    }

    fn name(&self, sheet: &Sheet, side: usize) -> Option<(String, f64)> {
        let (at, share) = best(self.marks.form(sheet, side, &[]).shares(&self.form))?;
        Some((sheet.lesson.sides[side].forms[at].0.clone(), share))
    }

    /// The sum, and how likely no other is meant.
    fn sum(&self, sheet: &Sheet, column: usize) -> Option<(Option<assay_sources::money::Money>, f64)> {
        let shares = self.marks.sum(sheet, column, &[]).shares(&self.sum);
        let none = shares.last().copied()?;
        let (at, share) = best(shares)?;
        let found = sheet.lesson.sums[at].0;
        Some((found, if found.is_some() { share + none } else { share }))
    }

    /// As `weights.txt` has them.
    pub fn write(&self) -> String {
        let [raises, buys, is_bought, pairs, round, purchase, _] = self.marks.event_columns();
        let Marks { side, pair, text, sum, form } = &self.marks;
        let mut file = HEAD.to_owned();
        let mut add = |kind: &str, numbers: &Numbers, weights: &[f64], columns: &[usize]| {
            file.push_str(kind);
            file.push('\n');
            for (at, mark) in numbers.all.iter().enumerate() {
                let worths = columns.iter().map(|column| (weights[column + at] * 100.0).round() as i64);
                let worths = worths.collect::<Vec<_>>();
                if worths.iter().any(|worth| worth.abs() >= WORTH_MIN) {
                    let worths = worths.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
                    writeln!(file, "{mark}\t{worths}").expect("a text takes what is written");
                }
            }
        };
        add("side", side, &self.event, &[raises, buys, is_bought]);
        add("pair", pair, &self.event, &[pairs]);
        add("text", text, &self.event, &[round, purchase]);
        add("sum", sum, &self.sum, &[0, sum.len()]);
        add("form", form, &self.form, &[0]);
        file
    }
}
