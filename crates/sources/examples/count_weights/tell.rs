//! What weights are worth on releases that they were not counted over.

use crate::score::is_right;
use crate::sheet::Sheet;
use assay_sources::press::{Announced, Chosen, is_alike, settle};
use std::collections::BTreeMap;

/// What is told when it is so likely at least, in percent.
const BANDS: [i64; 10] = [0, 20, 30, 40, 50, 60, 70, 80, 90, 95];

#[derive(Debug, Default)]
struct Count {
    releases: usize,
    labelled: usize,
    said: usize,
    right: usize,
}

/// Counts by file, and by how grammar and choice agree.
#[derive(Debug, Default)]
pub struct Told {
    files: BTreeMap<usize, Count>,
    bands: BTreeMap<(&'static str, i64), (usize, usize)>,
}

impl Told {
    pub fn add(&mut self, sheet: &Sheet, chosen: Option<Chosen>) {
        let lesson = &sheet.lesson;
        let asks = !lesson.is_settled && !lesson.is_short;
        if let Some(chosen) = chosen.as_ref().filter(|_| asks) {
            let way = match &lesson.read {
                Some(read) if is_alike(read, &chosen.found) => "same",
                Some(_) => "other",
                None => "alone",
            };
            let band = BANDS.into_iter().rfind(|band| chosen.percent >= *band).unwrap_or_default();
            let (right, all) = self.bands.entry((way, band)).or_default();
            *right += usize::from(is_right(&sheet.text, &chosen.found));
            *all += 1;
        }
        let said = match (asks, lesson.is_short) {
            (true, _) => settle(lesson.read.clone(), chosen),
            (false, true) if !lesson.is_settled => lesson.read.clone(),
            _ => None,
        };
        let right = |said: &Announced| is_right(&sheet.text, said);
        let count = self.files.entry(sheet.file).or_default();
        count.releases += 1;
        count.labelled += usize::from(sheet.text.announces());
        count.said += usize::from(said.is_some());
        count.right += usize::from(said.is_some_and(|said| right(&said)));
    }

    pub fn print(&self, files: &[(String, f64)]) {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        for (file, Count { releases, labelled, said, right }) in &self.files {
            let (precision, recall) = (share(*right, *said), share(*right, *labelled));
            println!("{}: {releases} releases, precision {precision:.3}, recall {recall:.3}", files[*file].0);
        }
        for ((way, band), (right, all)) in &self.bands {
            println!("{way} from {band} %: {right} of {all} right, {:.2}", share(*right, *all));
        }
    }
}
