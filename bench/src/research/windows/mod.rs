//! The bar `windows`: whether every time window of the research workflows is exact at its edges, at moments at which the clock of the
//! program really stands.
//!
//! For every edge something is told that falls on it, a microsecond or a day to either side, of a company or a person of its own and in
//! various zones; then every workflow is asked with every window it can be asked for. Where windows begin is written by hand.

mod cast;
mod judge;
mod moments;
mod questions;
mod stage;
mod stopped_clock;
mod story;

use crate::bar::{Complaints, Verdict, grouped, progress};
use anyhow::{Context, Result, ensure};
use cast::Cast;
use chrono::{DateTime, NaiveDate, Utc};
use judge::judge;
use moments::{MOMENTS, Moment, time};
use questions::{BUDGET, Question, VELOCITY, no_windows, questions, windowed, with};
use serde_json::{Value, json};
use stage::{LATER, Stage};
use std::collections::BTreeSet;
use stopped_clock::StoppedClock;
use story::Story;

const SHORT_MOMENTS: usize = 2;
/// What is asked for at once, and of those which are gone on with.
const LIMIT: usize = 100;
const PAGE: usize = 3;
const PAGES_MAX: usize = 100;

#[derive(Debug, Default)]
struct Tally {
    edges: usize,
    windows: usize,
    wrong: Complaints,
}

impl Tally {
    fn add(&mut self, moment: &Moment, question: &Question<'_>, others: &BTreeSet<String>, found: &[String]) {
        let judged = judge(question.rule, question.facts, others, found);
        self.windows += 1;
        self.edges += judged.edges;
        for wrong in judged.wrong {
            self.wrong.add(format!("at {}, {} {}: {wrong}", moment.now, question.path, question.body));
        }
    }
}

pub async fn run(short: bool) -> Result<Verdict> {
    let clock = StoppedClock::find()?;
    let count = if short { SHORT_MOMENTS } else { MOMENTS.len() };
    let mut tally = Tally::default();
    for moment in MOMENTS.iter().take(count) {
        Box::pin(look_at(&clock, moment, &mut tally)).await?;
        progress(format!("{}: {} edges so far, {} wrong", moment.now, tally.edges, tally.wrong.count()));
    }
    let figure = format!(
        "windows: {} edges of {} windows at {count} moments of a moved clock, {} wrong (bar 0)",
        grouped(tally.edges),
        grouped(tally.windows),
        tally.wrong.count(),
    );
    Ok(Verdict { figure, passed: tally.wrong.is_empty() && tally.edges > 0 })
}

async fn look_at(clock: &StoppedClock, moment: &Moment, tally: &mut Tally) -> Result<()> {
    let mut stage = Stage::set(clock, moment).await?;
    let story = story::write(Cast::of(stage.world())?, moment)?;
    stage.tell(&story.signals).await?;
    let others = story.keys();
    let today = time(moment.now)?.date_naive();
    let questions = questions(&story, moment)?;
    for question in &questions {
        let body = match question.rows {
            "/results" => with(&question.body, &json!({ "limit": LIMIT })),
            _ => question.body.clone(),
        };
        let answer = stage.ask(question.path, &body).await?;
        let found = found(question, &answer)?;
        tally.add(moment, question, &others, &found);
        if question.path == BUDGET {
            for row in rows(question, &answer)?.iter().filter(|row| !is_open(row, today)) {
                let window = &row["budget_window"];
                tally
                    .wrong
                    .add(format!("at {}, {BUDGET} tells of a budget that is not open: {window}", moment.now));
            }
        }
    }
    refuse(&mut stage, &story, moment, tally).await?;
    Box::pin(go_on(stage, clock, (&story, &questions), moment, tally)).await
}

/// What is no window is refused.
async fn refuse(stage: &mut Stage, story: &Story, moment: &Moment, tally: &mut Tally) -> Result<()> {
    for workflow in windowed(story) {
        for window in no_windows() {
            let body = with(&workflow.body, &window);
            if !stage.is_refused(workflow.path, &body).await? {
                tally.wrong.add(format!("at {}, {} {body} was not refused", moment.now, workflow.path));
            }
        }
    }
    Ok(())
}

/// The clock moves from the first page to the second: the window is that of the first.
async fn go_on(
    mut stage: Stage,
    clock: &StoppedClock,
    (story, questions): (&Story, &[Question<'_>]),
    moment: &Moment,
    tally: &mut Tally,
) -> Result<()> {
    let paths: BTreeSet<&str> =
        windowed(story).iter().map(|workflow| workflow.path).chain([VELOCITY, BUDGET]).collect();
    let is_default = |question: &&Question<'_>| {
        paths.contains(question.path)
            && question.body.get("days").is_none()
            && question.body.get("since").is_none()
    };
    let mut begun = Vec::new();
    for question in questions.iter().filter(is_default) {
        let first = stage.ask(question.path, &with(&question.body, &json!({ "limit": PAGE }))).await?;
        begun.push((question, found(question, &first)?, first["next_cursor"].clone()));
    }
    ensure!(begun.len() == paths.len(), "not every workflow has pages");
    let later: DateTime<Utc> = time(moment.now)? + LATER;
    let mut stage = stage.move_to(clock, later).await?;
    let others = story.keys();
    for (question, mut all, mut cursor) in begun {
        for _ in 0..PAGES_MAX {
            if cursor.is_null() {
                break;
            }
            let body = with(&question.body, &json!({ "limit": PAGE, "cursor": cursor }));
            let page = stage.ask(question.path, &body).await?;
            all.extend(found(question, &page)?);
            cursor = page["next_cursor"].clone();
        }
        let paged = Question { body: json!("page by page, while the clock moves"), ..*question };
        tally.add(moment, &paged, &others, &all);
    }
    Ok(())
}

fn rows<'a>(question: &Question<'_>, answer: &'a Value) -> Result<&'a Vec<Value>> {
    let rows = answer.pointer(question.rows).and_then(Value::as_array);
    rows.with_context(|| format!("{} has no {}: {answer}", question.path, question.rows))
}

/// What an answer names.
fn found(question: &Question<'_>, answer: &Value) -> Result<Vec<String>> {
    let key = |row: &Value| row.pointer(question.key).and_then(Value::as_str).map(str::to_owned);
    let all = rows(question, answer)?
        .iter()
        .map(|row| key(row).with_context(|| format!("nobody is named in {row}")));
    all.collect()
}

/// Whether the budget of a company that is told of can be spent.
fn is_open(row: &Value, today: NaiveDate) -> bool {
    let day = |name: &str| row["budget_window"][name].as_str()?.parse::<NaiveDate>().ok();
    day("opens").zip(day("closes")).is_some_and(|(opens, closes)| opens <= today && today <= closes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::Rule;

    #[test]
    fn a_budget_is_open_from_its_first_day_to_its_last() {
        let row = json!({ "budget_window": { "opens": "2027-03-30", "closes": "2028-03-30" } });
        let is_open_on = |text: &str| is_open(&row, text.parse().unwrap());
        assert!(is_open_on("2027-03-30") && is_open_on("2028-03-30"));
        assert!(!is_open_on("2027-03-29") && !is_open_on("2028-03-31"));
        assert!(!is_open(&json!({}), "2027-03-30".parse().unwrap()));
    }

    #[test]
    fn a_mistake_is_counted_and_fails() {
        let (from, to) = (time("2027-03-01T12:00:00Z").unwrap(), time("2027-03-31T12:00:00Z").unwrap());
        let facts = [judge::Fact { key: "one.example".to_owned(), at: from }];
        let question = Question {
            path: "/v1/funding-radar",
            body: json!({}),
            rows: "/results",
            key: "/company/domain",
            facts: &facts,
            rule: Rule::Within { from, to },
        };
        let mut tally = Tally::default();
        let answer = json!({ "results": [{ "company": { "domain": "one.example" } }] });
        let found = found(&question, &answer).unwrap();
        tally.add(&MOMENTS[0], &question, &BTreeSet::new(), &found);
        assert_eq!((tally.edges, tally.windows, tally.wrong.count()), (1, 1, 0));
        tally.add(&MOMENTS[0], &question, &BTreeSet::new(), &[]);
        assert_eq!((tally.windows, tally.wrong.count()), (2, 1));
        assert!(rows(&question, &json!({})).is_err());
    }
}
