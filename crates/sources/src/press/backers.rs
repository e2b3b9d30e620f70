//! Who gave the money, and who led the round.

use super::describe::{Texts, clean, is_description};
use super::language::{Hit, any_at, is_in};
use super::name::{Run, spell};
use super::scene::Scene;
use super::table::is_one_of;
use assay_domain::limits::PRESS_INVESTORS_MAX;

#[derive(Debug, Default)]
pub(super) struct Backers {
    pub investors: Vec<String>,
    pub leads: Vec<String>,
}

impl Backers {
    fn add(&mut self, scene: &Scene<'_>, run: Run, leads: bool, known: Known<'_>) {
        let run = clean(scene.passage, run, known.texts, scene.language);
        let Some(name) = spell(scene.passage, run) else { return };
        let is_company = known.company.starts_with(&name)
            || name.starts_with(known.company)
            || is_description(scene.passage, run, scene.language);
        if is_company || self.investors.len() >= PRESS_INVESTORS_MAX {
            return;
        }
        // A short form of one that is known.
        let known = self.investors.iter().find(|known| known.starts_with(&name)).cloned();
        let name = known.unwrap_or_else(|| {
            self.investors.push(name.clone());
            name
        });
        if leads && !self.leads.contains(&name) {
            self.leads.push(name);
        }
    }
}

/// Whose round it is, and how the release calls everybody.
#[derive(Clone, Copy)]
struct Known<'a> {
    company: &'a str,
    texts: &'a Texts<'a>,
}

/// The investors that these sentences name for the round of this company.
pub(super) fn backers(scenes: &[&Scene<'_>], company: &str, texts: &Texts<'_>) -> Backers {
    let known = Known { company, texts };
    let mut found = Backers::default();
    for scene in scenes {
        let language = scene.language;
        let led_by = (0..scene.tokens().len()).find_map(|at| any_at(scene.tokens(), at, language.led_by));
        if let Some(hit) = led_by {
            for run in list(scene, hit.to) {
                found.add(scene, run, true, known);
            }
        }
        let leads = (0..scene.tokens().len())
            .filter(|at| led_by.is_none_or(|hit| hit.from != *at))
            .find_map(|at| any_at(scene.tokens(), at, language.leads));
        if let Some(hit) = leads.filter(|_| led_by.is_none()) {
            lead(scene, hit, known, &mut found);
        }
        let joins = scene.has(language.joins) || led_by.is_some() || leads.is_some();
        if joins {
            for run in listed(scene) {
                found.add(scene, run, false, known);
            }
        }
    }
    found
}

/// Whoever stands before a verb of leading, else right after it.
fn lead(scene: &Scene<'_>, hit: Hit, known: Known<'_>, found: &mut Backers) {
    let before = scene.runs.iter().copied().filter(|run| run.to <= hit.from).collect::<Vec<_>>();
    let near = before.last().filter(|run| hit.from - run.to <= 3).copied();
    let Some(near) = near else {
        let after = scene.runs.iter().copied().find(|run| run.from >= hit.to);
        if let Some(run) = after {
            found.add(scene, run, true, known);
        }
        return;
    };
    let mut group = vec![near];
    for run in before.iter().rev().skip(1) {
        let Some(last) = group.last() else { break };
        let between = scene.tokens().get(run.to..last.from).unwrap_or_default();
        if between.len() > 2 || !between.iter().all(|token| token.is_mark(",&") || is_in(token, ANDS)) {
            break;
        }
        group.push(*run);
    }
    for run in group.into_iter().rev() {
        found.add(scene, run, true, known);
    }
}

/// Words with which the names of investors end.
const INVESTORS: &str =
    "ventures capital angels equity invest vc growth kapital partners fund venture fonds investments";

/// Whether somebody who lives by investing is named as a giver.
pub(super) fn names_investor(scene: &Scene<'_>) -> bool {
    scene.runs.iter().filter(|run| run.to - run.from > 1).any(|run| {
        let last = run.to.checked_sub(1).and_then(|at| scene.tokens().get(at));
        let giver = (run.from.saturating_sub(8)..run.from)
            .any(|at| scene.tokens().get(at).is_some_and(|token| is_in(token, scene.language.from)));
        giver && last.is_some_and(|last| is_one_of(&last.lower, INVESTORS))
    })
}

/// Whether the name is one of those that live by investing.
pub(super) fn names_giver(scene: &Scene<'_>, run: Run) -> bool {
    let last = run.to.checked_sub(1).and_then(|at| scene.tokens().get(at));
    run.to - run.from > 1 && last.is_some_and(|last| is_one_of(&last.lower, INVESTORS))
}

const ANDS: &[&str] = &["and", "und", "et", "y", "e", "en", "och", "sowie", "ed", "the"];

/// Names in a row from here on: parted by commas and `and`, with articles and descriptions before them.
fn list(scene: &Scene<'_>, from: usize) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let Some(first) = scene.runs.iter().position(|run| run.from >= from && run.from <= from + 6) else {
        return found;
    };
    for run in scene.runs.iter().skip(first) {
        if let Some(last) = found.last() {
            let between = scene.tokens().get(last.to..run.from).unwrap_or_default();
            let joined = between.first().is_some_and(|token| is_in(token, ANDS));
            if between.len() > 4 || !joined {
                break;
            }
        }
        found.push(*run);
    }
    found
}

/// All names of a sentence about investors, but for places and people who only work there.
fn listed(scene: &Scene<'_>) -> Vec<Run> {
    let tokens = scene.tokens();
    let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.lower.as_str());
    scene
        .runs
        .iter()
        .copied()
        .filter(|run| {
            let before = word(run.from.checked_sub(1));
            let after = word(Some(run.to));
            !PLACES.contains(&before) && !matches!(after, "'s" | "'") && !after.starts_with("-based")
        })
        .collect()
}

const PLACES: &[&str] = &[
    "in",
    "partner",
    "partnerin",
    "ceo",
    "founder",
    "aus",
    "uit",
    "à",
    "at",
    "near",
    "across",
    "into",
    "bei",
];
