//! What can be seen of a sum: the words around all places, and how it stands among the others.

use super::items::{BARE, Item, Line, NAME};
use crate::money::Money;

const WORDS_NEAR: usize = 3;
const BEFORE: usize = 8;
const AFTER: usize = 7;

pub(super) fn of_sum(marks: &mut Vec<String>, lines: &[Line], sum: Money, all: &[Money]) {
    let mut places = 0;
    for (row, line) in lines.iter().enumerate() {
        for (at, item) in line.items.iter().enumerate().filter(|(_, item)| item.sum == Some(sum)) {
            places += 1;
            if item.tables.contains(&BARE) {
                marks.push("bare".to_owned());
            }
            let zone = line.zone;
            of_side(marks, zone, '-', line.before(at).take(BEFORE));
            of_side(marks, zone, '+', line.after(at).take(AFTER));
            let order = line.before(at).filter(|item| item.sum.is_some()).count();
            let more = line.after(at).any(|item| item.sum.is_some());
            marks.push(format!("{zone}order {}{}", order.min(2), if more { " more" } else { "" }));
            if let (Some(last), Some(next)) = (line.before(at).next(), line.after(at).next()) {
                marks.push(format!("{}_{}", last.word, next.word));
            }
            marks.push(format!("row {row}"));
            for item in &line.items {
                marks.extend(item.tables.iter().map(|table| format!("{zone}*:{table}")));
            }
        }
    }
    marks.push(format!("places {}", places.min(3)));
    marks.push(format!("of {}", all.len().min(5)));
    let alike = all.iter().filter(|it| it.currency == sum.currency);
    let larger = alike.clone().filter(|it| it.amount > sum.amount).count();
    let smaller = alike.filter(|it| it.amount < sum.amount).count();
    marks.push(format!("larger {} smaller {}", larger.min(2), smaller.min(2)));
    marks.push(format!("larger {}", larger.min(3)));
    let digits = sum.amount.checked_ilog10().unwrap_or_default();
    marks.push(format!("digits {digits}"));
    let title = lines.first().into_iter().flat_map(|line| line.items.iter().filter_map(|item| item.sum));
    for headline in title {
        let apart = (headline.amount - sum.amount).unsigned_abs();
        let is_near = apart > 0 && apart <= (headline.amount / 10).unsigned_abs();
        let is_told = headline.currency == sum.currency && is_near;
        if is_told {
            marks.push("exact".to_owned());
        } else if headline != sum {
            marks.push("titled other".to_owned());
        }
        if headline.amount == sum.amount && headline.currency != sum.currency {
            marks.push("other currency".to_owned());
        }
    }
}

fn of_side<'a>(marks: &mut Vec<String>, zone: char, side: char, items: impl Iterator<Item = &'a Item>) {
    let mut others = 0;
    let mut last = "";
    let mut about: Vec<&str> = Vec::new();
    for (at, item) in items.enumerate() {
        let near = at + 1;
        if near <= WORDS_NEAR {
            marks.push(format!("{side}{near}={}", item.word));
        }
        if near == 2 {
            marks.push(format!("{side}12={last}_{}", item.word));
        }
        about.push(item.concept());
        if (2..=WORDS_NEAR).contains(&near) {
            marks.push(format!("{side}#{}", about.join("_")));
        }
        last = &item.word;
        let far = if others == 0 { "" } else { "~" };
        marks.push(format!("{side}{far}={}", item.word));
        if let Some(stem) = item.stem() {
            marks.push(format!("{side}{far}^{stem}"));
        }
        for table in &item.tables {
            if near <= WORDS_NEAR {
                marks.push(format!("{side}{near}:{table}"));
            }
            marks.push(format!("{side}{far}:{table}"));
            marks.push(format!("{zone}{side}{far}:{table}"));
        }
        others += usize::from(item.sum.is_some() || item.word == "," || item.word == NAME && side == '+');
    }
}

/// What is seen when none of them is told.
pub(super) fn of_none(marks: &mut Vec<String>, lines: &[Line], all: &[Money]) {
    marks.push(format!("of {}", all.len().min(5)));
    for line in lines.iter().take(4) {
        for item in &line.items {
            marks.push(format!("={}", item.word));
        }
        let sums = line.items.iter().filter(|item| item.sum.is_some()).count();
        marks.push(format!("{}sums {}", line.zone, sums.min(2)));
    }
}
