//! Labelled releases with all that each might announce, and which of it is right.

use crate::score::{Labelled, is_name, is_sum};
use anyhow::Context;
use assay_sources::press::{Lesson, Release, lesson};

/// A release, its label, and all candidates.
pub struct Sheet {
    /// Which of the files it is from.
    pub file: usize,
    pub text: Labelled,
    pub weight: f64,
    pub lesson: Lesson,
}

/// Reads files of labelled releases, each with what one of its releases counts; those of an unknown language are left out.
pub fn read(files: &[(String, f64)]) -> anyhow::Result<Vec<Sheet>> {
    let mut all = Vec::new();
    for (file, (path, weight)) in files.iter().enumerate() {
        let told = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
        let texts: Result<Vec<Labelled>, _> = told.lines().map(serde_json::from_str).collect();
        let texts = texts.with_context(|| format!("{path} is not made of labelled releases"))?;
        for (text, lesson) in with_lessons(texts) {
            let weight = *weight;
            all.extend(lesson.map(|lesson| Sheet { file, text, weight, lesson }));
        }
    }
    Ok(all)
}

/// On as many threads as there are processors.
fn with_lessons(texts: Vec<Labelled>) -> Vec<(Labelled, Option<Lesson>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = texts.len().div_ceil(threads).max(1);
    let lessons = std::thread::scope(|scope| {
        let read = |texts: &[Labelled]| {
            let release = |it: &Labelled| {
                lesson(&Release { title: &it.title, body: &it.body, published_on: it.published_on })
            };
            texts.iter().map(release).collect::<Vec<_>>()
        };
        let parts = texts.chunks(part).map(|texts| scope.spawn(move || read(texts))).collect::<Vec<_>>();
        let parts = parts.into_iter().map(|part| part.join().expect("a reader of releases broke"));
        parts.flatten().collect::<Vec<_>>()
    });
    texts.into_iter().zip(lessons).collect()
}

impl Sheet {
    fn is_called(&self, side: usize, label: &str, also: &[String]) -> bool {
        self.lesson.sides[side].forms.iter().any(|(form, _)| is_name(form, label, also))
    }

    /// Who raises, by the label: nobody when it is not among those who are named.
    pub fn companies(&self) -> Vec<usize> {
        let Some(label) = &self.text.funding else { return Vec::new() };
        let all = 0..self.lesson.sides.len();
        all.filter(|side| self.is_called(*side, &label.company, &label.also.company)).collect()
    }

    /// Who buys whom.
    pub fn purchases(&self) -> Vec<(usize, usize)> {
        let Some(label) = &self.text.acquisition else { return Vec::new() };
        let is_right = |(buyer, target, _): &&(usize, usize, Vec<String>)| {
            self.is_called(*buyer, &label.acquirer, &label.also.acquirer)
                && self.is_called(*target, &label.target, &label.also.target)
        };
        self.lesson.pairs.iter().filter(is_right).map(|(buyer, target, _)| (*buyer, *target)).collect()
    }

    /// Whether sums are of a round or of a purchase, as the column of their weights, and which is right.
    pub fn sums(&self) -> Option<(usize, Vec<bool>)> {
        let (column, sum, currency) = match (&self.text.funding, &self.text.acquisition) {
            (Some(it), _) => (0, it.amount, it.currency.as_deref()),
            (_, Some(it)) => (1, it.price, it.currency.as_deref()),
            _ => return None,
        };
        let right = self.lesson.sums.iter().map(|(told, _)| match sum {
            Some(_) => told.is_some() && is_sum(*told, sum, currency),
            None => told.is_none(),
        });
        Some((column, right.collect()))
    }

    /// Every way to call those whom the label names, and which are right.
    pub fn names(&self) -> Vec<(usize, Vec<bool>)> {
        let forms = |side: usize, label: &str, also: &[String]| {
            let forms = &self.lesson.sides[side].forms;
            (side, forms.iter().map(|(form, _)| is_name(form, label, also)).collect())
        };
        let mut found = Vec::new();
        if let Some(label) = &self.text.funding {
            let all = self.companies().into_iter();
            found.extend(all.map(|side| forms(side, &label.company, &label.also.company)));
        }
        if let Some(label) = &self.text.acquisition {
            for (buyer, target) in self.purchases() {
                found.push(forms(buyer, &label.acquirer, &label.also.acquirer));
                found.push(forms(target, &label.target, &label.also.target));
            }
        }
        found
    }
}
