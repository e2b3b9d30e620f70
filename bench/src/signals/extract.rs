//! The bar `signals-extract`: rounds and purchases are read from press releases that nobody who wrote the grammar has seen.
//!
//! Of those nothing is printed but counts.

use super::score::{Score, score};
use crate::bar::{Verdict, progress};
use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};

const SEEN: &str = include_str!("../../data/press/seen.jsonl");
/// As wires, newsrooms and regulators carry them, which is what feeds are of; seen, too.
const WIRES: &str = include_str!("../../data/press/wires.jsonl");
/// Hard ones as journalists write, and more of wires. The grammar was written before them, but the weights of the choice were counted over
/// all of these.
const FRESH: &str = include_str!("../../data/press/fresh.jsonl");
const NEWS_SEEN: &str = include_str!("../../data/press/news.jsonl");
const WIRES_FRESH: &str = include_str!("../../data/press/wires-fresh.jsonl");
const WIRES_LATE: &str = include_str!("../../data/press/wires-late.jsonl");
/// Labelled since, and neither read nor counted over: what is made of them is made of any, which the bar tells and does not judge.
const UNREAD: &str = include_str!("../../data/press/unread.jsonl");
const WIRES_UNREAD: &str = include_str!("../../data/press/wires-unread.jsonl");
/// What judges: short ones as journalists write, and releases as wires carry them. Their hashes were committed before the grammar was
/// written for such texts.
const NEWS: (&str, &str) =
    (include_str!("../../data/press/held-out.jsonl"), include_str!("../../data/press/held-out.sha256"));
const HELD_OUT: (&str, &str) = (
    include_str!("../../data/press/wire-held-out.jsonl"),
    include_str!("../../data/press/wire-held-out.sha256"),
);
/// In hundredths. What is wrong harms more than what is missed.
const PRECISION_MIN: usize = 95;
const RECALL_MIN: usize = 85;

/// Seconds long, so the short form is the whole.
pub async fn run(_short: bool) -> Result<Verdict> {
    let seen = score(SEEN, |text, said| progress(format!("{}: {said:?}", text.id)))?;
    progress(format!("seen: {}", tell(&seen)));
    progress(format!("wires seen: {}", tell(&score(WIRES, |_, _| {})?)));
    progress(format!("wires fresh: {}", tell(&score(WIRES_FRESH, |_, _| {})?)));
    progress(format!("wires late: {}", tell(&score(WIRES_LATE, |_, _| {})?)));
    progress(format!("news seen: {}", tell(&score(NEWS_SEEN, |_, _| {})?)));
    let fresh = score(FRESH, |_, _| {})?;
    progress(format!("{} fresh ones: {}", fresh.texts, tell(&fresh)));
    for (kind, file) in [("wires", WIRES_UNREAD), ("others", UNREAD)] {
        let unread = score(file, |_, _| {})?;
        progress(format!("{} unread {kind}: {}", unread.texts, tell(&unread)));
    }
    let news = unseen_ones(NEWS)?;
    let unseen = unseen_ones(HELD_OUT)?;
    progress(format!(
        "held out: {} right of {} said and {} labelled; of rounds {} % have the right stage, {} % of investors are found",
        unseen.right,
        unseen.said,
        unseen.labelled,
        unseen.stage_accuracy(),
        unseen.investor_recall()
    ));
    let figure = format!(
        "signals-extract: {} releases held out as wires carry them, {}; {} as journalists write, {} (bars of both {}, {})",
        unseen.texts,
        tell(&unseen),
        news.texts,
        tell(&news),
        hundredths(PRECISION_MIN),
        hundredths(RECALL_MIN)
    );
    Ok(Verdict { figure, passed: is_enough(&unseen) && is_enough(&news) })
}

/// Scores a file that nobody may have changed; of what is wrong nothing is told.
fn unseen_ones((file, committed): (&str, &str)) -> Result<Score> {
    let hash = Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    ensure!(committed.starts_with(&hash), "the held-out releases are not those whose hash was committed");
    Ok(score(file, |_, _| {})?)
}

fn is_enough(score: &Score) -> bool {
    score.said > 0 && score.precision() >= PRECISION_MIN && score.recall() >= RECALL_MIN
}

fn tell(score: &Score) -> String {
    format!("precision {}, recall {}", hundredths(score.precision()), hundredths(score.recall()))
}

/// `91` as `0.91`.
fn hundredths(part: usize) -> String {
    format!("{}.{:02}", part / 100, part % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: &str = r#"{"id":"t","title":"Foobar raises $5m seed round","body":"Foobar has raised $5m in a seed round led by Cedar Ventures.","published_on":"2026-01-02","kind":"funding","funding":{"company":"FOOBAR, Inc.","amount":AMOUNT,"currency":"USD","stage":"seed","investors":["Cedar Ventures"],"lead_investors":[]}}"#;

    #[test]
    fn a_text_counts_when_name_and_sum_are_right() {
        let right = score(&ROUND.replace("AMOUNT", "5000000"), |_, _| panic!()).unwrap();
        assert_eq!(
            (right.said, right.right, right.labelled, right.stages, right.investors_found),
            (1, 1, 1, 1, 1)
        );
        assert!(is_enough(&right));
        let mut told = 0;
        let wrong = score(&ROUND.replace("AMOUNT", "6000000"), |_, _| told += 1).unwrap();
        assert_eq!((wrong.said, wrong.right, wrong.labelled, told), (1, 0, 1, 1));
        assert!(!is_enough(&wrong) && !is_enough(&Score::default()));
        assert!(score("{}", |_, _| {}).is_err());
    }

    #[test]
    fn a_name_counts_in_each_form_that_the_text_gives() {
        let text = ROUND.replace("AMOUNT", "5000000");
        let wrong = score(&text.replace("FOOBAR, Inc.", "Foobar Technologies"), |_, _| {}).unwrap();
        assert_eq!(wrong.right, 0);
        let also = r#"Foobar Technologies","also":{"company":["Foo","FooBar"]},"investors_of":""#;
        let right = score(&text.replace("FOOBAR, Inc.", also), |_, _| panic!()).unwrap();
        assert_eq!(right.right, 1);
    }

    #[test]
    fn a_file_that_was_changed_does_not_judge() {
        assert!(unseen_ones(("{}", NEWS.1)).is_err());
    }

    #[test]
    fn hundredths_are_told_with_two_digits() {
        assert_eq!([5, 91, 100].map(hundredths), ["0.05", "0.91", "1.00"]);
    }
}
