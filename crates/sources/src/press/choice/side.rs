//! What can be seen of somebody who is named: the words around all places, and what the release tells otherwise.

use super::items::{Item, Line, NAME};
use crate::press::actors::Actor;
use crate::press::roles::Part;

/// How many items beside a name are looked at one by one, as words and by their tables.
const WORDS_NEAR: usize = 2;
const TABLES_NEAR: usize = 3;
/// And as a row of what they are about.
const CONCEPTS_NEAR: usize = 3;
/// How far all others are looked at together.
const WINDOW: usize = 9;

pub(super) fn of_places(marks: &mut Vec<String>, lines: &[Line], actor: usize) {
    for line in lines {
        let names = line.items.iter().filter(|item| item.word == NAME).count();
        for at in line.places(actor) {
            let zone = line.zone;
            of_side(marks, zone, '-', line.before(at));
            of_side(marks, zone, '+', line.after(at));
            let order = line.before(at).filter(|item| item.word == NAME).count();
            marks.push(format!("{zone}order{}", order.min(3)));
            marks.push(format!("{zone}order{}of{}", order.min(3), names.min(4)));
            if let (Some(last), Some(next)) = (line.before(at).next(), line.after(at).next()) {
                marks.push(format!("{}_{}", last.word, next.word));
                marks.push(format!("#{}_{}", last.concept(), next.concept()));
            }
            if at == 0 {
                marks.push(format!("{zone}begins"));
            }
        }
    }
}

fn of_side<'a>(marks: &mut Vec<String>, zone: char, side: char, items: impl Iterator<Item = &'a Item>) {
    let mut names = 0;
    let mut last = "";
    let mut about: Vec<&str> = Vec::new();
    for (at, item) in items.enumerate().take(WINDOW) {
        let near = at + 1;
        if near <= WORDS_NEAR {
            marks.push(format!("{side}{near}={}", item.word));
            marks.push(format!("{zone}{side}{near}={}", item.word));
        }
        if near == 2 {
            marks.push(format!("{side}12={last}_{}", item.word));
        }
        last = &item.word;
        about.push(item.concept());
        if (2..=CONCEPTS_NEAR).contains(&near) {
            marks.push(format!("{side}#{}", about.join("_")));
            marks.push(format!("{zone}{side}#{}", about.join("_")));
        }
        for table in &item.tables {
            if near <= TABLES_NEAR {
                marks.push(format!("{side}{near}:{table}"));
                marks.push(format!("{zone}{side}{near}:{table}"));
            }
            // Before any other name, or behind one.
            let far = if names == 0 { "" } else { "~" };
            marks.push(format!("{side}{far}:{table}"));
            marks.push(format!("{zone}{side}{far}:{table}"));
        }
        if names == 0 {
            marks.push(format!("{side}={}", item.word));
            marks.push(format!("{zone}{side}={}", item.word));
        } else {
            marks.push(format!("{side}~={}", item.word));
        }
        if let Some(stem) = item.stem() {
            let far = if names == 0 { "" } else { "~" };
            marks.push(format!("{side}{far}^{stem}"));
            if near <= TABLES_NEAR {
                marks.push(format!("{side}{near}^{stem}"));
            }
        }
        names += usize::from(item.word == NAME);
    }
}

pub(super) fn of_actor(marks: &mut Vec<String>, actor: &Actor, all: &[Actor]) {
    let name = actor.name.as_str();
    let flags = [
        ("titled", actor.is_titled),
        ("described", actor.is_described),
        ("acts", actor.acts),
        ("gives", actor.gives),
        ("person", actor.is_person),
        ("noun", actor.is_noun),
        ("place", actor.is_place),
        ("firm", actor.is_firm()),
    ];
    marks.extend(flags.iter().filter(|(_, is_so)| *is_so).map(|(flag, _)| format!("is {flag}")));
    marks.push(format!("first {}", actor.first.min(4)));
    marks.push(format!("places {}", actor.places.min(5)));
    marks.push(format!("words {}", name.split(' ').count().min(4)));
    let weight = actor.weight();
    let rivals = || all.iter().filter(|other| other.is_firm() && !other.is_called(name));
    let rank = rivals().filter(|other| other.weight() > weight).count();
    let rank_of_takers = rivals().filter(|other| !other.gives && other.weight() > weight).count();
    marks.push(format!("weight {}", weight.min(12)));
    marks.push(format!("rank {}", rank.min(4)));
    marks.push(format!("rank of takers {}", rank_of_takers.min(4)));
    marks.push(format!("rivals {}", rivals().count().min(4)));
    let lower = name.to_lowercase();
    let last = lower.rsplit([' ', '-']).next().unwrap_or_default();
    let first = lower.split(' ').next().unwrap_or_default();
    marks.push(format!("ends {last}"));
    marks.push(format!("begins {first}"));
    let tail = last.chars().count().saturating_sub(4);
    marks.push(format!("tail {}", last.chars().skip(tail).collect::<String>()));
    if name.starts_with(char::is_lowercase) {
        marks.push("small".to_owned());
    }
}

pub(super) fn of_part(marks: &mut Vec<String>, part: &Part) {
    let told = [("buys", part.buys), ("bought", part.is_bought), ("sells", part.sells)];
    for (side, worth) in told {
        for least in [1, 2, 4, 6] {
            if worth >= least {
                marks.push(format!("part {side} {least}"));
            }
        }
    }
}
