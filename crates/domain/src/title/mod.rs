//! The title grammar: rank, department and a normalised form of a job title as people write it.
//!
//! `docs/titles.md` says what is right. The tables beside this file are words; the rules are here.

mod clauses;
mod english;
mod fold;
mod lexicon;

use clauses::{clauses, is_senior_level};
use english::english;
use lexicon::{Function, LEXICON, untied};

use crate::taxonomy::{Department, Seniority};

/// Between a chief and the officer there are at most so many words.
const CHIEF_WORDS_MAX: usize = 5;
/// From here on a clause names a function, and later clauses are not asked.
const FUNCTION_WEIGHT_MIN: u8 = 4;

/// What a title says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitleReading {
    pub seniority: Seniority,
    pub department: Department,
    /// English, spelled out, lower-case, without words that only tie others together; clauses are joined by commas.
    pub normalised: String,
}

/// Reads a title. Every text is some title: one without a rank is `entry`, one without a function `other`.
pub fn read_title(title: &str) -> TitleReading {
    let clauses: Vec<Vec<String>> = clauses(title)
        .into_iter()
        .map(|words| untied(english(words)))
        .filter(|words| !words.is_empty())
        .collect();
    let department = department(&clauses);
    let seniority = seniority(&clauses, department);
    TitleReading {
        seniority,
        department: department.unwrap_or(match seniority {
            Seniority::Owner | Seniority::Founder | Seniority::CSuite | Seniority::Partner => {
                Department::Executive
            }
            _ => Department::Other,
        }),
        normalised: clauses.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(", "),
    }
}

/// The highest rank claimed; whoever is learning has none yet.
fn seniority(clauses: &[Vec<String>], department: Option<Department>) -> Seniority {
    let mut highest = Seniority::Entry;
    for words in clauses {
        let mut at = 0;
        while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
            let (taken, claim) = claim(rest, department);
            match claim {
                Some(Seniority::Intern) => return Seniority::Intern,
                Some(claim) if claim.index() < highest.index() => highest = claim,
                _ => {}
            }
            at += taken;
        }
    }
    highest
}

/// What the first of these words claim, and how many they are.
fn claim(words: &[String], department: Option<Department>) -> (usize, Option<Seniority>) {
    if let Some(length) = chief_officer(words) {
        return (length, Some(Seniority::CSuite));
    }
    let first = words.first().map_or("", String::as_str);
    match LEXICON.ranks.longest(words) {
        // Of a school.
        Some((1, _)) if first == "principal" && department == Some(Department::Education) => {
            (1, Some(Seniority::Head))
        }
        // Staff of nothing are the staff, not a rank.
        Some((1, _)) if first == "staff" && words.len() == 1 => (1, None),
        Some((length, rank)) => (length, *rank),
        None if is_senior_level(first) => (1, Some(Seniority::Senior)),
        None => (1, None),
    }
}

/// How many words "chief … officer" takes, if they begin with it.
fn chief_officer(words: &[String]) -> Option<usize> {
    let (first, rest) = words.split_first()?;
    let officer = rest.iter().take(CHIEF_WORDS_MAX).position(|word| word == "officer")?;
    (first == "chief").then_some(officer + 2)
}

/// That of a chief officer, else of the first clause that names a function, else the best guess there is.
fn department(clauses: &[Vec<String>]) -> Option<Department> {
    let chief = clauses.iter().find_map(|words| {
        let at =
            (0..words.len()).find(|at| words.get(*at..).is_some_and(|rest| chief_officer(rest).is_some()))?;
        let chief = words.get(at..at + chief_officer(words.get(at..)?)?)?;
        Some(strongest(chief).map_or(Department::Executive, |function| function.department))
    });
    if chief.is_some() {
        return chief;
    }
    let parts = || clauses.iter().flat_map(|words| words.split(|word| word == "and")).filter_map(strongest);
    let named = parts().find(|function| function.weight >= FUNCTION_WEIGHT_MIN);
    // Of equals the first: the last one of a reversed order.
    let guessed = || parts().collect::<Vec<_>>().into_iter().rev().max_by_key(|function| function.weight);
    named.or_else(guessed).map(|function| function.department)
}

/// The function with the highest weight among these words, the first of equals.
fn strongest(words: &[String]) -> Option<Function> {
    let mut best: Option<Function> = None;
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((length, function)) = LEXICON.functions.longest(rest) else {
            at += 1;
            continue;
        };
        if best.is_none_or(|best| function.weight > best.weight) {
            best = Some(*function);
        }
        at += length;
    }
    best
}

#[cfg(test)]
mod tests;
