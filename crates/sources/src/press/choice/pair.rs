//! What can be seen of two together: what stands between their names, and which comes first.

use super::items::{Item, Line, NAME};

const BETWEEN_MAX: usize = 14;
const AROUND: usize = 3;
/// So many between two are one row.
const ROW_MAX: usize = 6;

/// Marks of one who would buy and another who would be bought.
pub(super) fn of_pair(marks: &mut Vec<String>, lines: &[Line], buyer: usize, target: usize) {
    let mut shared = 0;
    for line in lines {
        let (buyers, targets) =
            (line.places(buyer).collect::<Vec<_>>(), line.places(target).collect::<Vec<_>>());
        if !buyers.is_empty() && !targets.is_empty() {
            shared += 1;
            marks.push(format!("{}both", line.zone));
        }
        for one in &buyers {
            for two in &targets {
                between(marks, line, *one, *two);
            }
        }
    }
    marks.push(format!("shared {}", shared.min(3)));
}

fn between(marks: &mut Vec<String>, line: &Line, buyer: usize, target: usize) {
    let (first, last) = (buyer.min(target), buyer.max(target));
    if last - first > BETWEEN_MAX {
        return;
    }
    let zone = line.zone;
    let way = if buyer < target { 'b' } else { 't' };
    let inner = line.items.get(first + 1..last).unwrap_or_default();
    let names = inner.iter().filter(|item| item.word == NAME).count().min(2);
    marks.push(format!("{way}{zone}near {}", (inner.len() / 3).min(4)));
    marks.push(format!("{way}{zone}names {names}"));
    let mark = |marks: &mut Vec<String>, place: char, item: &Item| {
        marks.push(format!("{way}{place}={}", item.word));
        if let Some(stem) = item.stem() {
            marks.push(format!("{way}{place}^{stem}"));
        }
        for table in &item.tables {
            marks.push(format!("{way}{place}:{table}"));
            marks.push(format!("{way}{zone}{place}:{table}"));
        }
    };
    if names == 0 {
        inner.iter().for_each(|item| mark(marks, '|', item));
        if let (Some(one), Some(two)) = (inner.first(), inner.last()) {
            marks.push(format!("{way}|{}_{}", one.word, two.word));
        }
        if inner.len() <= ROW_MAX {
            let about = inner.iter().map(Item::concept).collect::<Vec<_>>();
            marks.push(format!("{way}#{}", about.join("_")));
        }
        for two in inner.windows(2) {
            if let [one, two] = two {
                marks.push(format!("{way}|#{}_{}", one.concept(), two.concept()));
            }
        }
    } else {
        inner.iter().for_each(|item| mark(marks, '/', item));
    }
    line.before(first).take(AROUND).for_each(|item| mark(marks, '-', item));
    line.after(last).take(AROUND).for_each(|item| mark(marks, '+', item));
}
