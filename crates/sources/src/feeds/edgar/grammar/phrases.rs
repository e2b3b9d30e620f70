//! What surrounds a verb: when it takes effect, and whether it happened at all.

use super::words::{Word, date_at, dates};
use chrono::NaiveDate;

/// What comes after one of these might happen, or might have.
const PERHAPS: &[&str] = &[
    "if",
    "unless",
    "would",
    "could",
    "may",
    "might",
    "whether",
    "severance",
    "vesting",
    "event",
    "eligible",
];
/// With these a life is told.
const BEFORE: &[&str] = &["prior", "previously", "before", "from", "since", "formerly", "earlier"];

/// Whether a verb tells what did not happen, or only might.
pub(super) fn is_doubtful(words: &[Word], verb: usize) -> bool {
    let before = words.get(..verb).unwrap_or_default();
    let near = before.get(before.len().saturating_sub(3)..).unwrap_or_default();
    // May is a month.
    let perhaps = |word: &Word| word.is(PERHAPS) && word.text != "May";
    near.iter().any(|word| word.is(&["not", "never"])) || before.iter().any(perhaps)
}

/// Whether a sentence tells of somebody's past.
pub(super) fn is_past(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.is(BEFORE))
}

/// The day a change takes effect: the next one after `effective`, else one the verb is followed by, else, for what is done
/// already, the day the sentence begins with.
pub(super) fn effective_day(words: &[Word], verb: usize, is_done: bool) -> Option<NaiveDate> {
    let mut marks = (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| word.low == "effective"));
    let near = |at: usize| (at + 1..at + 6).find_map(|at| date_at(words, at));
    let after = marks.clone().filter(|at| *at > verb).find_map(near);
    if let Some(day) = after.or_else(|| marks.find_map(near)) {
        return Some(day);
    }
    let days = dates(words);
    let linked = days.iter().find(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        *at > verb && before.is_some_and(|word| word.is(&["on", "of", "until"]))
    });
    let leading = days.first().filter(|(at, _)| is_done && *at <= 3 && *at < verb);
    linked.or(leading).map(|(_, day)| *day)
}

#[cfg(test)]
mod tests {
    use super::super::words::sentences;
    use super::*;

    #[test]
    fn the_day_of_effect_is_found() {
        for (text, verb, day) in [
            ("On May 1, 2026, she resigned, effective as of May 9, 2026.", "resigned", Some("2026-05-09")),
            ("Effective May 9, 2026, she was appointed.", "appointed", Some("2026-05-09")),
            ("On May 1, 2026, she resigned.", "resigned", Some("2026-05-01")),
            ("She will retire on June 30, 2026.", "retire", Some("2026-06-30")),
            ("She resigned.", "resigned", None),
        ] {
            let words = &sentences(&[text])[0];
            let at = words.iter().position(|word| word.low == verb).unwrap();
            assert_eq!(effective_day(words, at, true).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
    }
}
